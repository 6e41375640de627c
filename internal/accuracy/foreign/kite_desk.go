package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // the designs' zones, wherever they run

	"recoup/internal/issuer"
)

// kiteDesigns are five sound programs that book as core-banking batches, mile accounts,
// supermarket vouchers, fuel cards and neobank wallets do.
//
// All of them keep the same file of facts and take what an account is worth as a function
// of what is left of its purchases. They differ in when and how that is put into rows.
var kiteDesigns = []Design{kiteStorno, kiteMiles, kiteLarder, kiteTanker, kitePocket}

// kitePlan is how one program books.
type kitePlan interface {
	// next is the first batch after t.
	next(t time.Time) time.Time
	// batch does what is due at an instant.
	batch(a *kiteAccount, at time.Time)
	// heard is told of every fact, once, when the account has it in its file.
	heard(a *kiteAccount, f kiteFact)
	// sure is what may have left the account in all, by everything known now. It looks
	// at returns that no row speaks of yet, and not at purchases without a row.
	sure(a *kiteAccount, now time.Time) int64
}

// kiteQuiet is for plans that book in batches only.
type kiteQuiet struct{}

func (kiteQuiet) heard(*kiteAccount, kiteFact) {}

// kitePurchase is a purchase that has cleared.
type kitePurchase struct {
	id, category string
	amount, back int64 // back, what was returned, is never more than amount
	at           time.Time
	granted      bool // a batch has booked it
}

func (p *kitePurchase) net() int64 { return p.amount - p.back }

// take returns some of the purchase. A return above the price is one of all of it.
func (p *kitePurchase) take(x int64) { p.back = min(p.amount, p.back+min(x, p.amount)) }

// kiteReturn is a refund; loose while the purchase it is of is not known, be it that it
// names none or that the one it names has not cleared.
type kiteReturn struct {
	id, transaction string
	amount          int64
	came            time.Time // when it was delivered
	loose           bool
	dispute         bool  // a chargeback that came before its purchase
	held            int64 // what a plan keeps back for it by itself
}

// kiteFact says what has just been filed: a purchase, or a return of it, or a loose one.
type kiteFact struct {
	purchase *kitePurchase
	refund   *kiteReturn
	matched  bool // the refund was loose before
	now      time.Time
}

type kiteAccount struct {
	purchases []*kitePurchase // in posting order
	byID      map[string]*kitePurchase
	returns   []*kiteReturn
	disputes  map[string]bool // chargebacks seen
	disputed  map[string]bool // purchases that were charged back whole before they cleared
	rows      []Posting
	book      map[string]int64 // what a plan has booked under a heading of its own
	booked    int64            // sum of all rows but payouts
	paid      int64            // by payouts
	drawn     []kiteDraw
	dirty     bool // something was filed since the last batch
}

// kiteDraw is an accepted redemption.
type kiteDraw struct {
	id     string
	amount int64
	at     time.Time
}

func (a *kiteAccount) redeemed() (sum int64) {
	for _, d := range a.drawn {
		sum += d.amount
	}
	return sum
}

// loose are the refunds that nobody can tell the purchase of.
func (a *kiteAccount) loose() (list []*kiteReturn) {
	for _, r := range a.returns {
		if r.loose {
			list = append(list, r)
		}
	}
	return list
}

// post writes a row, unless it would be of nothing.
func (a *kiteAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	if p.Kind == Paid {
		a.paid -= p.Amount
	} else {
		a.booked += p.Amount
	}
	a.rows = append(a.rows, p)
}

// level brings a heading to what it should be, in one row of the net difference.
func (a *kiteAccount) level(at time.Time, heading string, target int64, up, down Kind, note string) {
	kind := up
	if target < a.book[heading] {
		kind = down
	}
	a.post(Posting{At: at, Kind: kind, Amount: target - a.book[heading], Note: note})
	a.book[heading] = target
}

// kiteEngine keeps the file of facts and the calendar for a plan.
type kiteEngine struct {
	plan     kitePlan
	clock    time.Time
	accounts map[string]*kiteAccount
	order    []*kiteAccount
}

func newKite(p kitePlan) Engine {
	return &kiteEngine{plan: p, accounts: map[string]*kiteAccount{}}
}

func (e *kiteEngine) Open(account string) error {
	if e.accounts[account] != nil {
		return nil
	}
	a := &kiteAccount{byID: map[string]*kitePurchase{}, disputes: map[string]bool{},
		disputed: map[string]bool{}, book: map[string]int64{}}
	e.accounts[account] = a
	e.order = append(e.order, a)
	return nil
}

// SetClock runs every batch that was due in between, each at its own time.
func (e *kiteEngine) SetClock(now time.Time) error {
	if now.Before(e.clock) {
		return errors.New("kite: the clock does not go back")
	}
	if !e.clock.IsZero() && len(e.order) > 0 {
		for t := e.plan.next(e.clock); !t.After(now); t = e.plan.next(t) {
			for _, a := range e.order {
				e.plan.batch(a, t)
			}
		}
	}
	e.clock = now
	return nil
}

func (e *kiteEngine) account(name string) (*kiteAccount, error) {
	if a := e.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("kite: unknown account %q", name)
}

// tell hands a fact to the plan.
func (e *kiteEngine) tell(a *kiteAccount, f kiteFact) {
	a.dirty = true
	f.now = e.clock
	e.plan.heard(a, f)
}

func (e *kiteEngine) Settle(s issuer.Settlement) error {
	a, err := e.account(s.Account)
	if err != nil || s.Amount <= 0 || a.byID[s.Transaction] != nil {
		return err
	}
	p := &kitePurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: s.At}
	if p.at.IsZero() {
		p.at = e.clock
	}
	a.purchases = append(a.purchases, p)
	a.byID[p.id] = p
	if a.disputed[p.id] {
		p.take(p.amount)
	}
	var met []*kiteReturn
	for _, r := range a.returns {
		if r.loose && r.transaction == p.id && p.id != "" {
			r.loose = false
			p.take(r.amount)
			met = append(met, r)
		}
	}
	e.tell(a, kiteFact{purchase: p})
	for _, r := range met {
		e.tell(a, kiteFact{refund: r, matched: true})
	}
	return nil
}

// Refund files a refund, links it, or recognises it. A second message of the same name and
// amount is the same refund, unless the two name different purchases; what it says more
// than the first, the purchase, is taken from it.
func (e *kiteEngine) Refund(m issuer.Refund) error {
	a, err := e.account(m.Account)
	if err != nil || m.Amount <= 0 {
		return err
	}
	var r *kiteReturn
	for _, old := range a.returns {
		same := !old.dispute && old.id == m.Refund && old.amount == m.Amount
		if same && (old.transaction == m.Transaction || old.transaction == "" || m.Transaction == "") {
			r = old
			break
		}
	}
	known := r != nil
	if !known {
		r = &kiteReturn{id: m.Refund, transaction: m.Transaction, amount: m.Amount, came: e.clock, loose: true}
		a.returns = append(a.returns, r)
	} else if r.transaction == "" {
		r.transaction = m.Transaction
	}
	p := a.byID[r.transaction]
	if !r.loose || known && p == nil {
		return nil
	}
	if p != nil && r.transaction != "" {
		r.loose = false
		p.take(r.amount)
		e.tell(a, kiteFact{purchase: p, refund: r, matched: known})
		return nil
	}
	e.tell(a, kiteFact{refund: r})
	return nil
}

// Chargeback is as a refund is; one of a part of a purchase that has not cleared waits for
// it as a loose refund does.
func (e *kiteEngine) Chargeback(c issuer.Chargeback) error {
	a, err := e.account(c.Account)
	key := fmt.Sprintf("%s\x00%s\x00%d", c.Chargeback, c.Transaction, c.Amount)
	if err != nil || c.Amount < 0 || a.disputes[key] {
		return err
	}
	a.disputes[key] = true
	p, amount := a.byID[c.Transaction], c.Amount
	if p == nil && amount > 0 {
		r := &kiteReturn{id: c.Chargeback, transaction: c.Transaction, amount: amount, came: e.clock,
			loose: true, dispute: true}
		a.returns = append(a.returns, r)
		e.tell(a, kiteFact{refund: r})
		return nil
	}
	if p == nil {
		a.disputed[c.Transaction] = true
		return nil
	}
	if amount == 0 {
		amount = p.amount
	}
	p.take(amount)
	e.tell(a, kiteFact{purchase: p})
	return nil
}

// CloseStatement has nothing to do: all closes run by the clock.
func (e *kiteEngine) CloseStatement(account string) error {
	_, err := e.account(account)
	return err
}

func (e *kiteEngine) redeemable(a *kiteAccount) int64 {
	return max(0, min(a.booked, e.plan.sure(a, e.clock))-a.redeemed()-a.paid)
}

// Redeem answers a redemption that it has accepted before as before, with no second effect.
func (e *kiteEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.account(r.Account)
	if err != nil || r.Amount <= 0 {
		return false, err
	}
	for _, d := range a.drawn {
		if d.id == r.Redemption && d.id != "" {
			return d.amount == r.Amount, nil
		}
	}
	if r.Amount > e.redeemable(a) {
		return false, nil
	}
	a.drawn = append(a.drawn, kiteDraw{r.Redemption, r.Amount, e.clock})
	return true, nil
}

func (e *kiteEngine) Balance(account string) (issuer.Balance, error) {
	a, err := e.account(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.booked - a.paid - a.redeemed(), Redeemable: e.redeemable(a)}, nil
}

// PaidOut makes every design an issuer.Payer; most have nothing to tell.
func (e *kiteEngine) PaidOut(account string) (int64, error) {
	a, err := e.account(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

func (e *kiteEngine) Postings(account string) []Posting {
	a := e.accounts[account]
	if a == nil {
		return nil
	}
	return append([]Posting(nil), a.rows...)
}
