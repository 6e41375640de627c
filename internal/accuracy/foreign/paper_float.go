package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperFloat rewards at once, but only lists returns; the statement run, which somebody
// starts with CloseStatement, works the list off. Debts stay on the balance for ever.
type paperFloat struct {
	paperRoll[paperFloatAcct]
}

type paperFloatAcct struct {
	paperBooks
	desk   paperDesk
	list   []paperFloatLine
	closed time.Time // what was before this has been closed
}

type paperFloatLine struct {
	at time.Time
	r  paperBack
}

func paperFloatRank(category string) int {
	switch category {
	case "TRAVEL":
		return 300
	case "DINING", "GROCERY":
		return 200
	}
	return 150
}

func (e *paperFloat) Open(account string) error {
	return e.enrol(account, &paperFloatAcct{})
}

func (e *paperFloat) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperFloat) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	b := paperBought(s, paperFloatRank(s.Category), e.now)
	b.kept = paperOf(b.amount, int64(b.rank), 10000)
	a.write(e.now, Earned, b.kept, b.id, "", "points")
	a.take(e.now, a.desk.put(b))
	return nil
}

func (a *paperFloatAcct) take(at time.Time, shares []paperShare) {
	for _, s := range shares {
		left := paperOf(s.buy.rest(), int64(s.buy.rank), 10000)
		a.write(at, Reversed, left-s.buy.kept, s.buy.id, s.ref, "statement adjustment")
		s.buy.kept = left
	}
}

func (e *paperFloat) list(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	a.list = append(a.list, paperFloatLine{e.now, r})
	return nil
}

func (e *paperFloat) Refund(r issuer.Refund) error {
	return e.list(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperFloat) Chargeback(c issuer.Chargeback) error {
	return e.list(c.Account, c.Chargeback, paperDisputeBack(c))
}

// CloseStatement works off the returns of the months that are over.
func (e *paperFloat) CloseStatement(account string) error {
	a, err := e.of(account)
	if err != nil {
		return err
	}
	n := e.now.UTC()
	month := time.Date(n.Year(), n.Month(), 1, 0, 0, 0, 0, time.UTC)
	if !month.After(a.closed) {
		return nil
	}
	a.closed = month
	for len(a.list) > 0 && a.list[0].at.Before(month) {
		r := a.list[0].r
		a.list = a.list[1:]
		if a.desk.admit(&r) {
			a.take(e.now, a.desk.take(r))
		}
	}
	return nil
}

func (e *paperFloat) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperFloat) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperFloat) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
