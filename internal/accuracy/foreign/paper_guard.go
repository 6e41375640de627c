package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperGuard follows the paper's algorithms 1 to 3 to the letter: rewards up to a monthly
// cap per category, an immutable record of each, share-wise clawback, a balance that may
// be negative. To the letter includes the guard of algorithm 2: a refund that, with those
// before it, is above the purchase's amount is invalid and has no effect at all.
type paperGuard struct {
	paperRoll[paperGuardAcct]
}

type paperGuardAcct struct {
	paperBooks
	desk    paperDesk // matches returns without a name; the others are looked up in it
	month   int
	monthly map[string]int64 // MonthlyUsed by category
	waiting map[string][]paperBack
}

const paperGuardCap = 2500

func (e *paperGuard) Open(account string) error {
	return e.enrol(account, &paperGuardAcct{waiting: map[string][]paperBack{}})
}

func (e *paperGuard) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (a *paperGuardAcct) period(now time.Time) int {
	if m := paperMonth(now, time.UTC); m != a.month || a.monthly == nil {
		a.month, a.monthly = m, map[string]int64{}
	}
	return a.month
}

func (e *paperGuard) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := map[string]int{"GROCERY": 500, "DINING": 300}[s.Category]
	b := paperBought(s, max(rank, 100), e.now)
	b.period = a.period(e.now)
	b.orig = paperOf(b.amount, int64(b.rank), 10000)
	if rank > 0 {
		b.orig = min(b.orig, paperGuardCap-a.monthly[b.category])
		a.monthly[b.category] += b.orig
	}
	b.kept = b.orig
	a.write(e.now, Earned, b.orig, b.id, "", "settle")
	e.claw(a, a.desk.put(b))
	waiting := a.waiting[b.id]
	delete(a.waiting, b.id)
	for _, r := range waiting {
		e.onRefund(a, r)
	}
	return nil
}

func (e *paperGuard) onRefund(a *paperGuardAcct, r paperBack) {
	if r.txn != "" {
		b := a.desk.buys[r.txn]
		switch {
		case b == nil:
			a.waiting[r.txn] = append(a.waiting[r.txn], r)
			return
		case r.whole:
			r.whole, r.amount = false, b.rest()
		case b.back+r.amount > b.amount:
			return // invalid: exceeds the original amount
		}
	}
	e.claw(a, a.desk.take(r))
}

func (e *paperGuard) claw(a *paperGuardAcct, shares []paperShare) {
	now := a.period(e.now)
	for _, s := range shares {
		b := s.buy
		left := paperOf(b.orig, b.rest(), b.amount)
		c := b.kept - left
		b.kept = left
		a.write(e.now, Reversed, -c, b.id, s.ref, "refund")
		if b.period == now && b.rank > 100 {
			a.monthly[b.category] = max(0, a.monthly[b.category]-c)
		}
	}
}

func (e *paperGuard) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.onRefund(a, r)
	}
	return nil
}

func (e *paperGuard) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperGuard) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperGuard) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperGuard) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperGuard) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperGuard) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
