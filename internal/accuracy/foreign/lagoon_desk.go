package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// lagoonDesigns are eight programs, each as another kind of shop would have built it. They
// share the counter at which facts come in (this file), and nothing of what a reward is.
var lagoonDesigns = []Design{
	lagoonEvents, lagoonSheet, lagoonRules,
	lagoonWarehouse, lagoonLots, lagoonHolds, lagoonCounters, lagoonProcessor,
}

var (
	errLagoonAccount = errors.New("lagoon: no such account")
	errLagoonAmount  = errors.New("lagoon: amount out of range")
	errLagoonClock   = errors.New("lagoon: the clock does not go back")
)

// lagoonPlan is what a design does with what comes to the desk.
type lagoonPlan interface {
	// next is the first instant after that one at which the design has something to do
	// by itself; zero if never.
	next(after time.Time) time.Time
	// due does it.
	due(a *lagoonAccount, at time.Time)
	// settled and returned hear of a new fact; returned once more if a return has waited
	// in vain for its purchase.
	settled(a *lagoonAccount, p *lagoonPurchase, now time.Time)
	returned(a *lagoonAccount, r *lagoonReturn, now time.Time)
	// redeemable is what can be taken out; spent hears that it was.
	redeemable(a *lagoonAccount, now time.Time) int64
	spent(a *lagoonAccount, amount int64)
}

// lagoonIdle does nothing; designs embed it for what they do not need.
type lagoonIdle struct{}

func (lagoonIdle) next(time.Time) time.Time                           { return time.Time{} }
func (lagoonIdle) due(*lagoonAccount, time.Time)                      {}
func (lagoonIdle) settled(*lagoonAccount, *lagoonPurchase, time.Time) {}
func (lagoonIdle) returned(*lagoonAccount, *lagoonReturn, time.Time)  {}
func (lagoonIdle) spent(*lagoonAccount, int64)                        {}

// lagoonDesk is the port before a plan: names, doubles, the clock, and the till.
type lagoonDesk struct {
	plan     lagoonPlan
	now      time.Time
	accounts map[string]*lagoonAccount
	order    []*lagoonAccount
}

func lagoonNewDesk(plan lagoonPlan) Engine {
	return &lagoonDesk{plan: plan, accounts: map[string]*lagoonAccount{}}
}

func (d *lagoonDesk) Open(account string) error {
	if d.accounts[account] == nil {
		d.accounts[account] = lagoonNewAccount(account, d.now)
		d.order = append(d.order, d.accounts[account])
	}
	return nil
}

// SetClock does one after the other what was due on the way, each at its own time.
func (d *lagoonDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errLagoonClock
	}
	for _, a := range d.order {
		if a.opened.IsZero() { // it was opened before anybody said what time it is
			a.opened = now
		}
	}
	for !d.now.IsZero() {
		job := d.plan.next(d.now)
		t := job
		for _, a := range d.order {
			for _, r := range a.returns {
				if w := r.deadline(); w.After(d.now) && (t.IsZero() || w.Before(t)) && a.waiting(r, d.now) {
					t = w
				}
			}
		}
		if t.IsZero() || t.After(now) {
			break
		}
		d.now = t
		for _, a := range d.order {
			for _, r := range a.returns {
				if r.deadline().Equal(t) && r.purchase != "" && a.byID[r.purchase] == nil {
					a.stale = true
					d.plan.returned(a, r, t)
				}
			}
			if t.Equal(job) {
				d.plan.due(a, t)
			}
		}
	}
	d.now = now
	return nil
}

// when is the time of a fact: never after the clock.
func (d *lagoonDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

func (d *lagoonDesk) Settle(s issuer.Settlement) error {
	a := d.accounts[s.Account]
	if a == nil {
		return errLagoonAccount
	}
	if s.Amount <= 0 {
		return errLagoonAmount
	}
	if a.byID[s.Transaction] == nil {
		p := a.addPurchase(lagoonPurchase{id: s.Transaction, amount: s.Amount,
			category: s.Category, mcc: s.MCC, at: d.when(s.At)})
		d.plan.settled(a, p, d.now)
	}
	return nil
}

func (d *lagoonDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errLagoonAmount
	}
	return d.takeBack("refund ", r.Account, lagoonReturn{
		id: r.Refund, purchase: r.Transaction, amount: r.Amount, at: d.when(r.At), seen: d.now})
}

func (d *lagoonDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Transaction == "" {
		return errLagoonAmount
	}
	if c.Amount == 0 {
		c.Amount = lagoonAll
	}
	return d.takeBack("chargeback ", c.Account, lagoonReturn{
		id: c.Chargeback, purchase: c.Transaction, amount: c.Amount, at: d.when(c.At), seen: d.now, dispute: true})
}

func (d *lagoonDesk) takeBack(kind, account string, r lagoonReturn) error {
	a := d.accounts[account]
	if a == nil {
		return errLagoonAccount
	}
	if a.fresh(kind, r.id) {
		d.plan.returned(a, a.addReturn(r), d.now)
	}
	return nil
}

// CloseStatement has nothing to do: statements close by the clock.
func (d *lagoonDesk) CloseStatement(account string) error {
	_, err := d.Balance(account)
	return err
}

func (d *lagoonDesk) Redeem(r issuer.Redemption) (bool, error) {
	a := d.accounts[r.Account]
	if a == nil {
		return false, errLagoonAccount
	}
	if r.Redemption != "" && a.seen["redemption "+r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > d.plan.redeemable(a, d.now) {
		return false, nil
	}
	a.fresh("redemption ", r.Redemption)
	a.redeemed += r.Amount
	d.plan.spent(a, r.Amount)
	return true, nil
}

func (d *lagoonDesk) Balance(account string) (issuer.Balance, error) {
	a := d.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLagoonAccount
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: d.plan.redeemable(a, d.now)}, nil
}

func (d *lagoonDesk) PaidOut(account string) (int64, error) {
	a := d.accounts[account]
	if a == nil {
		return 0, errLagoonAccount
	}
	return a.payout, nil
}

func (d *lagoonDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.ledger...)
	}
	return nil
}
