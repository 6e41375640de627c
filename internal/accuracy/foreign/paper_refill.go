package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperRefill takes back exactly what a purchase had earned. Its cap is one meter per
// account that the month's purchases fill up; a return lets the meter down by what the
// returned amount is worth at the full rate, whatever that purchase had put into it.
type paperRefill struct {
	paperRoll[paperRefillAcct]
}

type paperRefillAcct struct {
	paperBooks
	desk  paperDesk
	month int
	meter int64
}

const (
	paperRefillCap   = 3000
	paperRefillLeast = 1000
)

func (a *paperRefillAcct) turn(now time.Time) {
	if m := paperMonth(now, time.UTC); m != a.month {
		a.month, a.meter = m, 0
	}
}

func (e *paperRefill) Open(account string) error { return e.enrol(account, &paperRefillAcct{}) }

func (e *paperRefill) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperRefill) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	a.turn(e.now)
	var b *paperBuy
	if s.Category == "ONLINE" {
		b = paperBought(s, 600, e.now)
		b.orig = min(paperOf(b.amount, 6, 100), paperRefillCap-a.meter)
		a.meter += b.orig
	} else {
		b = paperBought(s, 100, e.now)
		b.orig = paperOf(b.amount, 1, 100)
	}
	b.kept = b.orig
	a.write(e.now, Earned, b.orig, b.id, "", "cash back")
	e.drain(a, a.desk.put(b))
	return nil
}

func (e *paperRefill) drain(a *paperRefillAcct, shares []paperShare) {
	a.turn(e.now)
	for _, s := range shares {
		left := paperOf(s.buy.orig, s.buy.rest(), s.buy.amount)
		a.write(e.now, Reversed, left-s.buy.kept, s.buy.id, s.ref, "return")
		s.buy.kept = left
		if s.buy.rank == 600 {
			a.meter = max(0, a.meter-paperOf(s.amount, 6, 100))
		}
	}
}

func (e *paperRefill) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.drain(a, a.desk.take(r))
	}
	return nil
}

func (e *paperRefill) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperRefill) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperRefill) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperRefill) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, paperRefillLeast, a.bal)
}

func (e *paperRefill) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(paperRefillLeast, a.bal), nil
}

func (e *paperRefill) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
