package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperSlow rewards at once and takes back when a return is final, 30 days after it came.
// The wait is per return and has nothing to do with statements. An account that owes
// nothing on the day can be closed, and on a closed account nothing more is booked.
type paperSlow struct {
	paperRoll[paperSlowAcct]
}

type paperSlowAcct struct {
	paperBooks
	desk   paperDesk
	wait   []paperSlowLine
	closed bool
}

type paperSlowLine struct {
	final time.Time
	r     paperBack
}

// acct books what has become final.
func (e *paperSlow) acct(name string) (*paperSlowAcct, error) {
	a, err := e.of(name)
	if err != nil {
		return nil, err
	}
	for !a.closed && len(a.wait) > 0 && !a.wait[0].final.After(e.now) {
		l := a.wait[0]
		a.wait = a.wait[1:]
		a.book(l.final, a.desk.take(l.r))
	}
	return a, nil
}

func paperSlowWorth(b *paperBuy) int64 {
	return paperOf(b.rest(), int64(b.rank), 10000)
}

func (a *paperSlowAcct) book(at time.Time, shares []paperShare) {
	for _, s := range shares {
		w := paperSlowWorth(s.buy)
		a.write(at, Reversed, w-s.buy.kept, s.buy.id, s.ref, "return is final")
		s.buy.kept = w
	}
}

func (e *paperSlow) Open(account string) error { return e.enrol(account, &paperSlowAcct{}) }

func (e *paperSlow) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperSlow) Settle(s issuer.Settlement) error {
	a, err := e.acct(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if a.closed || s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := 100
	switch s.MCC {
	case "5541", "5542":
		rank = 500
	case "5411":
		rank = 200
	}
	b := paperBought(s, rank, e.now)
	b.kept = paperSlowWorth(b)
	a.write(e.now, Earned, b.kept, b.id, "", "cash back")
	a.book(e.now, a.desk.put(b))
	return nil
}

func (e *paperSlow) back(account, id string, r paperBack) error {
	a, err := e.acct(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if !a.closed && a.desk.admit(&r) {
		a.wait = append(a.wait, paperSlowLine{e.now.AddDate(0, 0, 30), r})
	}
	return nil
}

func (e *paperSlow) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperSlow) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

// CloseAccount closes an account whose balance is not below zero; the rest is forfeited.
func (e *paperSlow) CloseAccount(account string) (bool, error) {
	a, err := e.acct(account)
	if err != nil || a.closed || a.bal < 0 {
		return false, err
	}
	a.write(e.now, Adjusted, -a.bal, "", "", "forfeited on closing")
	a.closed = true
	return true, nil
}

func (e *paperSlow) CloseStatement(account string) error {
	_, err := e.acct(account)
	return err
}

func (e *paperSlow) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.acct(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperSlow) Balance(account string) (issuer.Balance, error) {
	a, err := e.acct(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperSlow) Postings(account string) []Posting {
	if a, err := e.acct(account); err == nil {
		return a.copied()
	}
	return nil
}
