package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperNightFile writes the day's purchases and returns to a file and reads it at the
// next midnight: credits first, then debits. The balance is an unsigned number: a debit
// takes what is there and no more.
type paperNightFile struct {
	paperRoll[paperNightAcct]
	due    time.Time
	credit []paperNightLine
	debit  []paperNightLine
}

type paperNightLine struct {
	a *paperNightAcct
	s issuer.Settlement
	r paperBack
}

type paperNightAcct struct {
	paperBooks
	desk paperDesk
}

func (e *paperNightFile) Open(account string) error { return e.enrol(account, &paperNightAcct{}) }

func (e *paperNightFile) SetClock(now time.Time) error {
	e.forward(now)
	midnight := e.now.UTC().Truncate(24 * time.Hour)
	if e.due.IsZero() {
		e.due = midnight.AddDate(0, 0, 1)
	}
	if e.due.After(e.now) {
		return nil
	}
	e.read(e.due) // all lines are of the day before; the files of later days are empty
	e.due = midnight.AddDate(0, 0, 1)
	return nil
}

func (e *paperNightFile) read(at time.Time) {
	for _, l := range e.credit {
		a := l.a
		if a.desk.known(l.s.Transaction) {
			continue
		}
		rank := 100
		if l.s.Category == "ONLINE" {
			rank = 500
		}
		b := paperBought(l.s, rank, at)
		b.kept = paperOf(b.amount, int64(rank), 10000)
		a.write(at, Earned, b.kept, b.id, "", "night file")
		a.debit(at, a.desk.put(b))
	}
	for _, l := range e.debit {
		if l.a.desk.admit(&l.r) {
			l.a.debit(at, l.a.desk.take(l.r))
		}
	}
	e.credit, e.debit = nil, nil
}

func (a *paperNightAcct) debit(at time.Time, shares []paperShare) {
	for _, s := range shares {
		left := paperOf(s.buy.rest(), int64(s.buy.rank), 10000)
		a.write(at, Reversed, -min(s.buy.kept-left, a.bal), s.buy.id, s.ref, "night file")
		s.buy.kept = left
	}
}

func (e *paperNightFile) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount > 0 {
		e.credit = append(e.credit, paperNightLine{a: a, s: s})
	}
	return nil
}

func (e *paperNightFile) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	e.debit = append(e.debit, paperNightLine{a: a, r: r})
	return nil
}

func (e *paperNightFile) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperNightFile) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperNightFile) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperNightFile) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperNightFile) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperNightFile) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
