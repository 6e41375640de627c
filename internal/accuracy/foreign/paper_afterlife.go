package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperAfterlife counts points for whole dollars of each purchase. An account can be
// closed and opened again, but it is one account for ever: a debt prevents closing, what
// is returned after closing becomes a debt of the closed account, and who opens the
// account again begins with that debt.
type paperAfterlife struct {
	paperRoll[paperAfterlifeAcct]
}

type paperAfterlifeAcct struct {
	paperBooks
	desk   paperDesk
	closed bool
	sent   int64 // paid out on closing
}

const paperAfterlifeLeast = 500

// paperAfterlifePoints are the points of a purchase of which rest is left.
func paperAfterlifePoints(b *paperBuy) int64 {
	if b.tag { // came when the account was closed
		return 0
	}
	return b.rest() / 100 * int64(b.rank/100)
}

func (e *paperAfterlife) Open(account string) error {
	if a := e.byName[account]; a != nil && a.closed {
		a.closed = false
		return nil
	}
	return e.enrol(account, &paperAfterlifeAcct{})
}

// CloseAccount closes an account that owes nothing and pays out what is on it.
func (e *paperAfterlife) CloseAccount(account string) (bool, error) {
	a, err := e.of(account)
	if err != nil || a.closed || a.bal < 0 {
		return false, err
	}
	a.closed = true
	a.sent += a.bal
	a.write(e.now, Paid, -a.bal, "", "", "paid out on closing")
	return true, nil
}

// PaidOut is what was paid on closing.
func (e *paperAfterlife) PaidOut(account string) (int64, error) {
	a, err := e.of(account)
	if err != nil {
		return 0, err
	}
	return a.sent, nil
}

func (e *paperAfterlife) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperAfterlife) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := 100
	if s.Category == "DINING" || s.Category == "TRAVEL" {
		rank = 300
	}
	if a.closed {
		rank = 0
	}
	b := paperBought(s, rank, e.now)
	b.tag = a.closed
	b.kept = paperAfterlifePoints(b)
	a.write(e.now, Earned, b.kept, b.id, "", "points")
	e.rate(a, a.desk.put(b))
	return nil
}

func (e *paperAfterlife) rate(a *paperAfterlifeAcct, shares []paperShare) {
	for _, s := range shares {
		p := paperAfterlifePoints(s.buy)
		a.write(e.now, Reversed, p-s.buy.kept, s.buy.id, s.ref, "points of returned purchases")
		s.buy.kept = p
	}
}

func (e *paperAfterlife) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.rate(a, a.desk.take(r))
	}
	return nil
}

func (e *paperAfterlife) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperAfterlife) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperAfterlife) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperAfterlife) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil || a.closed {
		return false, err
	}
	return a.redeem(r, paperAfterlifeLeast, a.bal)
}

func (e *paperAfterlife) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	if a.closed {
		return issuer.Balance{Balance: a.bal}, nil
	}
	return a.show(paperAfterlifeLeast, a.bal), nil
}

func (e *paperAfterlife) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
