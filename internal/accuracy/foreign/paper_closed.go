package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperClosed sums a cycle's net purchases in two counters, pays the cash back at the
// close as a statement credit without being asked, and starts the counters anew. A return
// lowers the counters only if its purchase is one of the running cycle, or if it names
// none: then it is taken from the counters whatever is in them.
type paperClosed struct {
	paperRoll[paperClosedAcct]
	next  time.Time
	cycle int
}

type paperClosedAcct struct {
	paperBooks
	had         paperDesk // only for which returns were sent before
	buys        map[string]*paperClosedBuy
	early       map[string][]paperBack
	high, plain int64
	credited    int64
}

type paperClosedBuy struct {
	cycle int
	left  int64
	high  bool
}

func (e *paperClosed) Open(account string) error {
	return e.enrol(account, &paperClosedAcct{buys: map[string]*paperClosedBuy{}, early: map[string][]paperBack{}})
}

// close credits the cycle. Counters that together are not above zero, because of returns
// that named no purchase, are carried on as they are.
func (a *paperClosedAcct) close(at time.Time) {
	r := (3*a.high + a.plain) / 100
	if 3*a.high+a.plain <= 0 {
		return
	}
	a.high, a.plain = 0, 0
	a.credited += r
	a.write(at, Earned, r, "", "", "cash back of the cycle")
	a.write(at, Paid, -r, "", "", "statement credit")
}

func (e *paperClosed) SetClock(now time.Time) error {
	first := e.now.IsZero()
	e.forward(now)
	if first {
		e.next = paperNextDay(e.now, 12, time.UTC)
	}
	for !e.next.After(e.now) {
		for _, a := range e.all {
			a.close(e.next)
		}
		e.cycle++
		e.next = paperNextDay(e.next, 12, time.UTC)
	}
	return nil
}

func (a *paperClosedAcct) add(high bool, n int64) {
	if high {
		a.high += n
	} else {
		a.plain += n
	}
}

func (e *paperClosed) lower(a *paperClosedAcct, r paperBack) {
	if r.txn == "" {
		a.add(paperClosedHigh(r.category) || r.category == "", -r.amount)
		return
	}
	b := a.buys[r.txn]
	if b == nil {
		a.early[r.txn] = append(a.early[r.txn], r)
		return
	}
	n := min(r.amount, b.left)
	if r.whole {
		n = b.left
	}
	b.left -= n
	if b.cycle == e.cycle {
		a.add(b.high, -n)
	}
	if over := r.amount - n; over > 0 {
		a.add(b.high, -over)
	}
}

func paperClosedHigh(category string) bool { return category == "GROCERY" || category == "FUEL" }

func (e *paperClosed) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.buys[s.Transaction] != nil {
		return nil
	}
	b := &paperClosedBuy{cycle: e.cycle, left: s.Amount, high: paperClosedHigh(s.Category)}
	a.buys[s.Transaction] = b
	a.add(b.high, s.Amount)
	waiting := a.early[s.Transaction]
	delete(a.early, s.Transaction)
	for _, r := range waiting {
		e.lower(a, r)
	}
	return nil
}

func (e *paperClosed) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.had.admit(&r) {
		e.lower(a, r)
	}
	return nil
}

func (e *paperClosed) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperClosed) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperClosed) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

// Redeem pays nothing: all there is has been credited at the close.
func (e *paperClosed) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

// PaidOut is the sum of the statement credits.
func (e *paperClosed) PaidOut(account string) (int64, error) {
	a, err := e.of(account)
	if err != nil {
		return 0, err
	}
	return a.credited, nil
}

func (e *paperClosed) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperClosed) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
