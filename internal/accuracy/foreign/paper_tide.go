package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperTide knows no purchases' rewards, only the account's net spend since it was opened:
// everything bought less everything returned, which may go below zero and is carried on.
// At each close the account is brought to 1.5 % of it. Between closes returns are not
// posted, but what can be redeemed is bounded by what the net spend of this moment earns.
type paperTide struct {
	paperRoll[paperTideAcct]
	next time.Time
}

type paperTideAcct struct {
	paperBooks
	net     int64
	given   int64 // entries so far
	bought  map[string]int64
	backOf  map[string]int64 // returned by transaction
	returns map[string]*paperTideReturn
	voids   map[string][]*paperTideReturn // of all of a purchase that has not come yet
}

type paperTideReturn struct {
	txn    string
	amount int64
	undone bool
}

func (a *paperTideAcct) earned() int64 { return paperOf(a.net, 3, 200) }

func (a *paperTideAcct) canRedeem() int64 { return min(a.bal, a.earned()-a.used) }

func (a *paperTideAcct) count(r *paperTideReturn, n int64) {
	r.amount = n
	a.net -= n
	if r.txn != "" {
		a.backOf[r.txn] += n
	}
}

func (e *paperTide) Open(account string) error {
	return e.enrol(account, &paperTideAcct{bought: map[string]int64{}, backOf: map[string]int64{},
		returns: map[string]*paperTideReturn{}, voids: map[string][]*paperTideReturn{}})
}

func (e *paperTide) SetClock(now time.Time) error {
	first := e.now.IsZero()
	e.forward(now)
	if first {
		e.next = paperNextDay(e.now, 20, time.UTC)
	}
	for !e.next.After(e.now) {
		for _, a := range e.all {
			d := a.earned() - a.given
			a.given += d
			if d > 0 {
				a.write(e.next, Earned, d, "", "", "1.5% of net purchases")
			} else {
				a.write(e.next, Reversed, d, "", "", "returns exceed purchases")
			}
		}
		e.next = paperNextDay(e.next, 20, time.UTC)
	}
	return nil
}

func (e *paperTide) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if _, dup := a.bought[s.Transaction]; dup || s.Amount <= 0 {
		return nil
	}
	a.bought[s.Transaction] = s.Amount
	a.net += s.Amount
	for _, r := range a.voids[s.Transaction] {
		if !r.undone {
			a.count(r, max(0, s.Amount-a.backOf[s.Transaction]))
		}
	}
	delete(a.voids, s.Transaction)
	return nil
}

func (e *paperTide) back(account, id, key, txn string, amount int64, whole bool) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if old := a.returns[key]; old != nil && old.txn != txn && old.txn != "" && txn != "" {
		key += "/" + txn // another purchase's return under the same id
	}
	if a.returns[key] != nil || amount <= 0 && !whole || whole && txn == "" {
		return nil
	}
	r := &paperTideReturn{txn: txn}
	a.returns[key] = r
	bought, here := a.bought[txn]
	switch {
	case whole && !here:
		a.voids[txn] = append(a.voids[txn], r)
	case whole:
		a.count(r, max(0, bought-a.backOf[txn]))
	default:
		a.count(r, amount)
	}
	return nil
}

func (e *paperTide) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, "r:"+r.Refund, r.Transaction, r.Amount, false)
}

func (e *paperTide) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, "c:"+c.Chargeback, c.Transaction, c.Amount, c.Amount == 0)
}

// Withdraw takes back a clearing: all that is left of it.
func (e *paperTide) Withdraw(account, txn string) error {
	return e.back(account, txn, "w:"+txn, txn, 0, true)
}

func (e *paperTide) undo(account, key string) error {
	a, err := e.of(account)
	if err != nil {
		return err
	}
	r := a.returns[key]
	if r == nil {
		return errors.New("paper: no such return")
	}
	if !r.undone {
		r.undone = true
		a.net += r.amount
		if r.txn != "" {
			a.backOf[r.txn] -= r.amount
		}
	}
	return nil
}

// ReverseRefund takes back a refund that bounced.
func (e *paperTide) ReverseRefund(account, refund string) error {
	return e.undo(account, "r:"+refund)
}

// ReverseChargeback takes back a dispute that was lost.
func (e *paperTide) ReverseChargeback(account, chargeback string) error {
	return e.undo(account, "c:"+chargeback)
}

func (e *paperTide) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperTide) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.canRedeem())
}

func (e *paperTide) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.canRedeem()), nil
}

func (e *paperTide) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
