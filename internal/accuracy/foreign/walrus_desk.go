package foreign

import (
	"fmt"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// walrusDesigns are the programs of this desk: two sound ones, then four that leak.
var walrusDesigns = []Design{walrusFjord, walrusKarat, walrusTamarin, walrusSaguaro, walrusMonsoon, walrusCaribou}

// walrusParkDays is how long a return waits for the purchase that it names before it is
// taken for one that names none.
const walrusParkDays = 30

// walrusLateDays is how much later than a nameless refund a purchase may be dated and still
// be what it is of: clearing is slow, refunds sometimes are not.
const walrusLateDays = 10

// walrusClerk is what differs between the programs: when they work, and what they book.
type walrusClerk interface {
	// next is the first batch run after an instant.
	next(after time.Time) time.Time
	// batch books what the run at that time books.
	batch(a *walrusAccount, at time.Time)
	// event books what a fact that has just arrived moves at once.
	event(a *walrusAccount, at time.Time)
	// worth ranks purchases for a return that names none: what takes most comes first.
	worth(a *walrusAccount, amount int64) func(*walrusPurchase) int64
	// unbooked is what known returns will take that the ledger does not show yet.
	unbooked(a *walrusAccount, at time.Time) int64
}

// walrusPurchase is a purchase that has cleared.
type walrusPurchase struct {
	issuer.Settlement
	came   time.Time // when it was delivered
	batch  time.Time // of the run that first booked it, for clerks that ask
	period string    // in which it counts, once its clerk has worked that out
	left   int64     // what has not come back
	pieces []walrusPiece
}

// walrusPiece is a part of a purchase that came back, with the return's time.
type walrusPiece struct {
	at     time.Time
	amount int64
}

// walrusReturn is a refund or a chargeback.
type walrusReturn struct {
	issuer.Refund
	all  bool // everything that is left
	came time.Time
}

// walrusAccount is one account: facts, which are never changed, and the ledger. What is
// left of each purchase is derived from the facts anew whenever they change, so that no
// order of delivery and no late fact can leave a trace.
type walrusAccount struct {
	purchases []*walrusPurchase
	known     map[string]*walrusPurchase
	returns   []*walrusReturn
	seen      map[string]bool // returns by kind and id
	answers   map[string]bool // redemptions by id
	stale     bool            // facts changed since what is left was derived
	parked    time.Time       // when the next parked return is released; zero: none

	booked   map[string]int64 // what the clerk has booked, by its own keys
	last     time.Time        // the last run
	due      time.Time        // the next run
	postings []Posting
	sum      int64 // of postings
	redeemed int64
	paid     int64
}

// balance is what the ledger shows.
func (a *walrusAccount) balance() int64 { return a.sum - a.redeemed }

// post books an entry; one of nothing is none.
func (a *walrusAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.postings = append(a.postings, p)
	a.sum += p.Amount
	if p.Kind == Paid {
		a.paid -= p.Amount
	}
}

// walrusDesk drives a clerk through the port.
type walrusDesk struct {
	clerk    walrusClerk
	now      time.Time
	names    []string // sorted, so that batches run in one order
	accounts map[string]*walrusAccount
}

func walrusNewDesk(c walrusClerk) Engine {
	return &walrusDesk{clerk: c, accounts: map[string]*walrusAccount{}}
}

func (d *walrusDesk) account(name string) (*walrusAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("walrus: no account %q", name)
}

// Open implements issuer.Issuer.
func (d *walrusDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return fmt.Errorf("walrus: account %q is open", name)
	}
	a := &walrusAccount{known: map[string]*walrusPurchase{}, seen: map[string]bool{},
		answers: map[string]bool{}, booked: map[string]int64{}}
	if !d.now.IsZero() {
		a.due = d.clerk.next(d.now)
	}
	d.accounts[name] = a
	d.names = append(d.names, name)
	sort.Strings(d.names)
	return nil
}

// SetClock implements issuer.Issuer; every run that was due in between is made, as of when
// it was due.
func (d *walrusDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("walrus: the clock does not go back to %v", now)
	}
	d.now = now
	for _, name := range d.names {
		a := d.accounts[name]
		if a.due.IsZero() {
			a.due = d.clerk.next(now)
		}
		for ; !a.due.After(now); a.due = d.clerk.next(a.due) {
			d.derive(a, a.due)
			d.clerk.batch(a, a.due)
			a.last = a.due
		}
	}
	return nil
}

// when is the time of a fact, which is now if its sender does not say.
func (d *walrusDesk) when(at time.Time) time.Time {
	if at.IsZero() {
		return d.now
	}
	return at
}

// Settle implements issuer.Issuer.
func (d *walrusDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || s.Transaction == "" {
		return fmt.Errorf("walrus: no purchase: %+v", s)
	}
	if a.known[s.Transaction] != nil {
		return nil
	}
	s.At = d.when(s.At)
	p := &walrusPurchase{Settlement: s, came: d.now}
	a.purchases = append(a.purchases, p)
	a.known[s.Transaction] = p
	d.arrived(a)
	return nil
}

// Refund implements issuer.Issuer.
func (d *walrusDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return fmt.Errorf("walrus: no refund: %+v", r)
	}
	return d.comeBack("refund "+r.Refund, walrusReturn{Refund: r})
}

// Chargeback implements issuer.Issuer. It takes no more than refunds have left.
func (d *walrusDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Transaction == "" {
		return fmt.Errorf("walrus: no chargeback: %+v", c)
	}
	return d.comeBack("chargeback "+c.Chargeback, walrusReturn{all: c.Amount == 0, Refund: issuer.Refund{
		Account: c.Account, Transaction: c.Transaction, Amount: c.Amount, At: c.At}})
}

func (d *walrusDesk) comeBack(id string, r walrusReturn) error {
	a, err := d.account(r.Account)
	if err != nil || a.seen[id] {
		return err
	}
	a.seen[id] = true
	r.At, r.came = d.when(r.At), d.now
	a.returns = append(a.returns, &r)
	d.arrived(a)
	return nil
}

func (d *walrusDesk) arrived(a *walrusAccount) {
	a.stale = true
	d.derive(a, d.now)
	d.clerk.event(a, d.now)
}

// CloseStatement implements issuer.Issuer; runs are made by the clock.
func (d *walrusDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// Redeem implements issuer.Issuer.
func (d *walrusDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if answer, asked := a.answers[r.Redemption]; asked {
		return answer, nil
	}
	ok := r.Amount > 0 && r.Amount <= d.redeemable(a)
	if ok {
		a.redeemed += r.Amount
	}
	a.answers[r.Redemption] = ok
	return ok, nil
}

func (d *walrusDesk) redeemable(a *walrusAccount) int64 {
	d.derive(a, d.now)
	return max(0, a.balance()-max(0, d.clerk.unbooked(a, d.now)))
}

// Balance implements issuer.Issuer.
func (d *walrusDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: d.redeemable(a)}, nil
}

// PaidOut implements issuer.Payer.
func (d *walrusDesk) PaidOut(name string) (int64, error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings implements Engine.
func (d *walrusDesk) Postings(name string) []Posting {
	if a := d.accounts[name]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
