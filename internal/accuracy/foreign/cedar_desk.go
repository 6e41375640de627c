package foreign

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"recoup/internal/issuer"
)

// cedarDesigns are five sound programs. They agree on what a customer is left with, and
// on nothing in how their books get there.
var cedarDesigns = []Design{cedarRebook, cedarEscrow, cedarCheque, cedarLots, cedarLedger}

// cedarPlan is the program of one account. The desk tells it what happened and when it
// is due; the plan writes rows. What a plan has to write follows from all facts known,
// never from the last one alone: so neither order nor lateness can make a difference.
type cedarPlan interface {
	// next is the first instant after the given one at which the plan has work by
	// itself.
	next(after time.Time) time.Time
	// run does the work that is due at that instant.
	run(at time.Time)
	// heard is called after a fact came in, with the return if it was one.
	heard(at time.Time, cause *cedarReturn)
	// sure is how much of what stands in the rows could be redeemed by everything known,
	// before what has been redeemed.
	sure() int64
}

// cedarPurchase is a purchase that cleared.
type cedarPurchase struct {
	id, category string
	amount       int64
	at, arrived  time.Time
}

// cedarReturn is a refund or a chargeback.
type cedarReturn struct {
	id, txn    string
	amount     int64 // 0: a chargeback of all there is
	arrived    time.Time
	chargeback bool
}

// cedarUse is a redemption that was accepted.
type cedarUse struct {
	at     time.Time
	amount int64
}

// cedarAccount is what is known of one customer, and the rows of the export.
type cedarAccount struct {
	plan      cedarPlan
	purchases []*cedarPurchase // in the order of their delivery
	byID      map[string]*cedarPurchase
	returns   []*cedarReturn
	back      map[string]int64 // by purchase, known or not: all that was returned
	voided    map[string]bool  // by purchase: charged back as a whole
	redeemed  int64
	uses      []cedarUse
	requests  map[string]int64 // redemptions that were accepted, by name
	rows      []Posting
	posted    int64 // the sum of rows
	ran       time.Time
}

// left is what the customer has kept of a purchase. More cannot come back than was
// bought, however many refunds and chargebacks say so.
func (a *cedarAccount) left(p *cedarPurchase) int64 {
	if a.voided[p.id] {
		return 0
	}
	return max(0, p.amount-a.back[p.id])
}

// loose are the returns that nobody can say the purchase of, and those of a purchase that
// is not known: until it clears, the name may as well be a wrong one. Of a chargeback of
// all of such a purchase nobody knows how much it is; it waits.
func (a *cedarAccount) loose() []*cedarReturn {
	var out []*cedarReturn
	for _, r := range a.returns {
		if a.byID[r.txn] == nil && r.amount > 0 {
			out = append(out, r)
		}
	}
	return out
}

// write adds a row; one of nothing is none.
func (a *cedarAccount) write(p Posting) {
	if p.Amount != 0 {
		a.rows = append(a.rows, p)
		a.posted += p.Amount
	}
}

// take notes a return and says whether it was new. A message with a known name is the
// same one again unless its amount or its purchase is another; then it counts, since two
// senders may use one number and a return that is forgotten cannot be made good. One that
// comes again and now says which purchase it is of is no longer loose.
func (a *cedarAccount) take(r *cedarReturn) bool {
	for _, o := range a.returns {
		if o.id == "" || o.id != r.id || o.chargeback != r.chargeback || o.amount != r.amount {
			continue
		}
		if o.txn == r.txn || r.txn == "" {
			return false
		}
		if o.txn == "" {
			o.txn = r.txn
			a.link(o)
			return true
		}
	}
	a.returns = append(a.returns, r)
	a.link(r)
	return true
}

func (a *cedarAccount) link(r *cedarReturn) {
	switch {
	case r.txn == "":
	case r.amount == 0:
		a.voided[r.txn] = true
	default:
		a.back[r.txn] += r.amount
	}
}

// cedarEngine is the port, the same for all five.
type cedarEngine struct {
	clock    time.Time
	begin    func(*cedarAccount) cedarPlan
	accounts map[string]*cedarAccount
	order    []*cedarAccount
}

func cedarNew(begin func(*cedarAccount) cedarPlan) func() Engine {
	return func() Engine {
		return &cedarEngine{begin: begin, accounts: map[string]*cedarAccount{}}
	}
}

func (e *cedarEngine) account(name string) (*cedarAccount, error) {
	if a := e.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("cedar: no account %q", name)
}

// Open creates an account; one that is there stays as it is.
func (e *cedarEngine) Open(name string) error {
	if e.accounts[name] != nil {
		return nil
	}
	a := &cedarAccount{
		byID: map[string]*cedarPurchase{}, back: map[string]int64{},
		voided: map[string]bool{}, requests: map[string]int64{}, ran: e.clock,
	}
	a.plan = e.begin(a)
	e.accounts[name] = a
	e.order = append(e.order, a)
	return nil
}

// SetClock does all that fell due on the way, each at its own time.
func (e *cedarEngine) SetClock(now time.Time) error {
	if now.Before(e.clock) {
		return errors.New("cedar: the clock does not go back")
	}
	for _, a := range e.order {
		for !a.ran.IsZero() {
			at := a.plan.next(a.ran)
			if at.After(now) {
				break
			}
			a.ran = at
			a.plan.run(at)
		}
		a.ran = now
	}
	e.clock = now
	return nil
}

// Settle takes a purchase in. One that is known is not bought again.
func (e *cedarEngine) Settle(s issuer.Settlement) error {
	a, err := e.account(s.Account)
	if err != nil || s.Amount <= 0 || a.byID[s.Transaction] != nil {
		return err
	}
	p := &cedarPurchase{s.Transaction, s.Category, s.Amount, s.At, e.clock}
	if p.at.IsZero() {
		p.at = e.clock
	}
	a.purchases = append(a.purchases, p)
	a.byID[p.id] = p
	a.plan.heard(e.clock, nil)
	return nil
}

// Refund takes a refund in; if its purchase has not cleared, it is loose until then.
func (e *cedarEngine) Refund(r issuer.Refund) error {
	a, err := e.account(r.Account)
	if err != nil || r.Amount <= 0 {
		return err
	}
	e.returned(a, &cedarReturn{r.Refund, r.Transaction, r.Amount, e.clock, false})
	return nil
}

// Chargeback takes a chargeback in, like a refund.
func (e *cedarEngine) Chargeback(c issuer.Chargeback) error {
	a, err := e.account(c.Account)
	if err != nil {
		return err
	}
	if c.Amount < 0 || c.Amount == 0 && c.Transaction == "" {
		return errors.New("cedar: a chargeback of all must name its purchase")
	}
	e.returned(a, &cedarReturn{c.Chargeback, c.Transaction, c.Amount, e.clock, true})
	return nil
}

func (e *cedarEngine) returned(a *cedarAccount, r *cedarReturn) {
	if a.take(r) {
		a.plan.heard(e.clock, r)
	}
}

// CloseStatement does nothing: whatever has a date is done by the clock.
func (e *cedarEngine) CloseStatement(name string) error {
	_, err := e.account(name)
	return err
}

// redeemable is never more than what stands in the rows, nor than what is sure.
func (a *cedarAccount) redeemable() int64 {
	return max(0, min(a.posted, a.plan.sure())-a.redeemed)
}

// Redeem pays out what is sure. A request that comes again has the answer it had.
func (e *cedarEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.account(r.Account)
	if err != nil {
		return false, err
	}
	if paid, ok := a.requests[r.Redemption]; ok && r.Redemption != "" {
		return paid == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > a.redeemable() {
		return false, nil
	}
	a.requests[r.Redemption] = r.Amount
	a.use(e.clock, r.Amount)
	return true, nil
}

func (a *cedarAccount) use(at time.Time, amount int64) {
	a.redeemed += amount
	a.uses = append(a.uses, cedarUse{at, amount})
}

// Balance shows the rows less what was redeemed.
func (e *cedarEngine) Balance(name string) (issuer.Balance, error) {
	a, err := e.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.posted - a.redeemed, Redeemable: a.redeemable()}, nil
}

// PaidOut is what was paid without being asked for.
func (e *cedarEngine) PaidOut(name string) (int64, error) {
	a, err := e.account(name)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, r := range a.rows {
		if r.Kind == Paid {
			sum -= r.Amount
		}
	}
	return sum, nil
}

// Postings are the rows as exported.
func (e *cedarEngine) Postings(name string) []Posting {
	if a := e.accounts[name]; a != nil {
		return slices.Clone(a.rows)
	}
	return nil
}
