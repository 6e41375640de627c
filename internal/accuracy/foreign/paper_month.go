package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperMonthBook keeps no rewards of purchases at all. It keeps, for each calendar month
// and rate class, the purchases of that month less what was ever returned of them, and
// works the month's reward out anew from these sums whenever one of them changes; what is
// posted is the difference to what the month has been given.
type paperMonthBook struct {
	paperRoll[paperMonthAcct]
}

type paperMonthAcct struct {
	paperBooks
	desk   paperDesk
	months map[int]*paperMonthSums
}

type paperMonthSums struct {
	grocery, fuel, other int64 // net purchases
	given                int64
}

const paperMonthLeast = 500

var paperMonthZone = paperZone("America/New_York")

// reward is the published formula, rounded down once for the month.
func (m *paperMonthSums) reward() int64 {
	g, f := min(m.grocery, 80000), min(m.fuel, 30000)
	plain := m.other + m.grocery - g + m.fuel - f
	return (4*g + 3*f + plain) / 100
}

func (m *paperMonthSums) add(b *paperBuy, n int64) {
	switch b.category {
	case "GROCERY":
		m.grocery += n
	case "FUEL":
		m.fuel += n
	default:
		m.other += n
	}
}

func (a *paperMonthAcct) rework(at time.Time, month int, txn, ref string) {
	m := a.months[month]
	d := m.reward() - m.given
	m.given += d
	switch {
	case d > 0 && ref == "":
		a.write(at, Earned, d, txn, "", "month worked out anew")
	case d != 0:
		a.write(at, Reversed, d, txn, ref, "month worked out anew")
	}
}

func (a *paperMonthAcct) returned(at time.Time, shares []paperShare) {
	for _, s := range shares {
		a.months[s.buy.period].add(s.buy, -s.amount)
		a.rework(at, s.buy.period, s.buy.id, s.ref)
	}
}

func (e *paperMonthBook) Open(account string) error {
	return e.enrol(account, &paperMonthAcct{months: map[int]*paperMonthSums{}})
}

func (e *paperMonthBook) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperMonthBook) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	when := s.At
	if when.IsZero() || when.After(e.now) {
		when = e.now
	}
	rank := map[string]int{"GROCERY": 400, "FUEL": 300}[s.Category]
	b := paperBought(s, max(rank, 100), when)
	b.period = paperMonth(when, paperMonthZone)
	if a.months[b.period] == nil {
		a.months[b.period] = &paperMonthSums{}
	}
	a.months[b.period].add(b, b.amount)
	a.rework(e.now, b.period, b.id, "")
	a.returned(e.now, a.desk.put(b))
	return nil
}

func (e *paperMonthBook) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		a.returned(e.now, a.desk.take(r))
	}
	return nil
}

func (e *paperMonthBook) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperMonthBook) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperMonthBook) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperMonthBook) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, paperMonthLeast, a.bal)
}

func (e *paperMonthBook) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(paperMonthLeast, a.bal), nil
}

func (e *paperMonthBook) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
