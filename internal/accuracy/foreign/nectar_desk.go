package foreign

import (
	"fmt"
	"hash/fnv"
	"time"

	"recoup/internal/issuer"
)

// nectarDesigns are five sound programs: a grocer, an airline, a fuel club, a telecom and a bank.
var nectarDesigns = []Design{nectarOrchardDesign, nectarSkywayDesign, nectarForecourtDesign, nectarTelepayDesign, nectarHarborDesign}

// nectarScheme is what one program does; facts, ids, clock and redemptions are the desk's.
type nectarScheme interface {
	// next is the first batch after that instant.
	next(after time.Time) time.Time
	// batch books what that batch finds, with its date.
	batch(a *nectarAccount, at time.Time)
	// moved books what a delivered fact changes at once, if anything.
	moved(a *nectarAccount, at time.Time, transaction, refund string)
	// sure is the reward that no fact known so far, and no guess about it, can take.
	sure(a *nectarAccount, at time.Time) int64
	// gestures are what the service desk books by hand, by the customer's number alone:
	// they have nothing to do with what is bought or returned.
	gestures(number uint32) []nectarGesture
}

// nectarEngine drives a scheme.
type nectarEngine struct {
	scheme   nectarScheme
	now      time.Time
	accounts map[string]*nectarAccount
}

func nectarNew(s nectarScheme) func() Engine {
	return func() Engine { return &nectarEngine{scheme: s, accounts: map[string]*nectarAccount{}} }
}

func (e *nectarEngine) find(account string) (*nectarAccount, error) {
	if a := e.accounts[account]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("nectar: no account %q", account)
}

// Open implements issuer.Issuer.
func (e *nectarEngine) Open(account string) error {
	if e.accounts[account] != nil {
		return fmt.Errorf("nectar: account %q exists", account)
	}
	h := fnv.New32a()
	h.Write([]byte(account))
	a := &nectarAccount{name: account, byID: map[string]*nectarPurchase{}, seen: map[string]bool{}, answered: map[string]int64{},
		book: map[string]int64{}, since: map[string]time.Time{}, gestures: e.scheme.gestures(h.Sum32() >> 8)}
	e.accounts[account] = a
	e.start(a)
	return nil
}

// start begins an account's calendar, once the clock has been set.
func (e *nectarEngine) start(a *nectarAccount) {
	if !a.started && !e.now.IsZero() {
		a.started, a.opened, a.batched = true, e.now, e.now
	}
}

// SetClock runs what was due in between, each with its own date.
func (e *nectarEngine) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return fmt.Errorf("nectar: clock set back to %v", now)
	}
	e.now = now
	for _, a := range e.accounts {
		e.start(a)
		for t := e.scheme.next(a.batched); !t.After(now); t = e.scheme.next(t) {
			a.gesture(t)
			e.scheme.batch(a, t)
			a.batched = t
		}
		a.gesture(now)
	}
	return nil
}

// gesture books what the service desk did until then.
func (a *nectarAccount) gesture(until time.Time) {
	for len(a.gestures) > 0 {
		g := a.gestures[0]
		at := a.opened.AddDate(0, 0, g.days)
		if at.After(until) {
			return
		}
		a.gestures = a.gestures[1:]
		a.byHand += g.amount
		a.post(at, Adjusted, g.amount, "", "", g.note)
	}
}

// when is a fact's time, never in the future.
func (e *nectarEngine) when(at time.Time) time.Time {
	if at.IsZero() || at.After(e.now) {
		return e.now
	}
	return at
}

// Settle implements issuer.Issuer. Refunds that waited for the purchase are laid upon it.
func (e *nectarEngine) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || s.Transaction == "" {
		return fmt.Errorf("nectar: purchase %q of %d", s.Transaction, s.Amount)
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	p := &nectarPurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: e.when(s.At)}
	a.byID[p.id] = p
	a.purchases = append(a.purchases, p)
	waiting := a.open
	a.open = nil
	for _, o := range waiting {
		if o.transaction != p.id {
			a.open = append(a.open, o)
			continue
		}
		p.take(o)
	}
	e.scheme.moved(a, e.now, p.id, "")
	return nil
}

// take reverses a part; no more comes back of a purchase than was bought.
func (p *nectarPurchase) take(o nectarOpen) {
	if o.all {
		p.back = p.amount
	} else {
		p.back = min(p.amount, p.back+o.amount)
	}
}

// reverse counts a refund or chargeback once: one under a used number that says something
// else is another one, since forgetting it would leave its reward.
func (e *nectarEngine) reverse(account, kind, id string, o nectarOpen) error {
	a, err := e.find(account)
	if err != nil {
		return err
	}
	if o.amount < 0 || o.amount == 0 && !o.all {
		return fmt.Errorf("nectar: %s of %d", kind, o.amount)
	}
	key := fmt.Sprintf("%s %q %q %d", kind, id, o.transaction, o.amount)
	if a.seen[key] {
		return nil
	}
	a.seen[key] = true
	if p := a.byID[o.transaction]; p != nil && o.transaction != "" {
		p.take(o)
	} else {
		a.open = append(a.open, o)
	}
	e.scheme.moved(a, e.now, o.transaction, id)
	return nil
}

// Refund implements issuer.Issuer.
func (e *nectarEngine) Refund(r issuer.Refund) error {
	return e.reverse(r.Account, "refund", r.Refund, nectarOpen{transaction: r.Transaction, amount: r.Amount})
}

// Chargeback implements issuer.Issuer.
func (e *nectarEngine) Chargeback(c issuer.Chargeback) error {
	return e.reverse(c.Account, "chargeback", c.Chargeback, nectarOpen{c.Transaction, c.Amount, c.Amount == 0})
}

// CloseStatement does nothing: batches run by the clock.
func (e *nectarEngine) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

// Redeem pays what is free. A request delivered again gets the answer that it had.
func (e *nectarEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	if paid, ok := a.answered[r.Redemption]; ok {
		return paid == r.Amount, nil
	}
	b, _ := e.Balance(r.Account)
	if r.Amount <= 0 || r.Amount > b.Redeemable {
		return false, nil
	}
	a.answered[r.Redemption] = r.Amount
	a.redeemed += r.Amount
	a.uses = append(a.uses, nectarUse{e.now, r.Amount})
	return true, nil
}

// nectarMailer is a scheme that pays by itself and takes no requests.
type nectarMailer interface{ mailed() }

// Balance implements issuer.Issuer.
func (e *nectarEngine) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := issuer.Balance{Balance: a.balance()}
	if _, ok := e.scheme.(nectarMailer); !ok {
		b.Redeemable = a.free(e.scheme, e.now)
	}
	return b, nil
}

// PaidOut implements issuer.Payer.
func (e *nectarEngine) PaidOut(account string) (int64, error) {
	a, err := e.find(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings implements Engine.
func (e *nectarEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}
