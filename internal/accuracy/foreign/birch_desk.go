package foreign

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// birchDesigns are five sound programs whose books look odd. They share what they know of
// an account (facts, in this file) and what terms are worth (birch_terms.go); when a row is
// written, of what kind, and whose name it bears is each program's own.
var birchDesigns = []Design{birchPayday, birchForecast, birchReplay, birchTwoLedgers, birchInstalments}

// birchBooks is the part of a program that differs from the others: its books.
type birchBooks interface {
	// next is the first instant after t at which a run of the program is due.
	next(t time.Time) time.Time
	// run books what is due at that instant.
	run(a *birchAccount, at time.Time)
	// heard books what a new fact changes at once, if anything. A row is of the time at
	// which the fact was heard, however old it is.
	heard(a *birchAccount, now time.Time, f birchFact)
	// sure is what all known facts leave the customer of rewards that he may have by now,
	// before redemptions: nothing above it is ever paid.
	sure(a *birchAccount) int64
}

// birchFact is what has just been heard; one of its members is set.
type birchFact struct {
	purchase *birchPurchase
	back     *birchReturn
}

// birchPurchase is a purchase that has cleared.
type birchPurchase struct {
	id, category string
	amount       int64
	at           time.Time
	left         int64 // what is not returned, as of the last count
	share        int64 // what it earns, as of the last level
	booked       int64 // what the books have granted for it; each program's own use
	bonus        int64 // the same of a second ledger
	nightly      bool  // whether the second ledger has seen it
}

// birchReturn is a refund or a chargeback.
type birchReturn struct {
	id, transaction string
	amount          int64
	whole, dispute  bool // whole: of a dispute that names no amount
	at              time.Time
}

// birchAccount is one customer's facts and books.
type birchAccount struct {
	purchases []*birchPurchase // in the order in which they cleared here
	byID      map[string]*birchPurchase
	returns   []*birchReturn
	redeemed  map[string]bool
	taken     int64 // accepted redemptions
	due       time.Time
	rows      []Posting
	sum       int64          // of rows
	paid      int64          // paid out without being asked, less what was recovered
	nameless  int64          // what the books have taken for refunds that name nothing
	advance   int64          // a provisional grant of the period that is open
	open      *birchPurchase // the last purchase of the day that is open
}

// post writes a row, unless it is of nothing.
func (a *birchAccount) post(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.rows = append(a.rows, p)
	a.sum += p.Amount
	if p.Kind == Paid {
		a.paid -= p.Amount
	}
}

// count says what is left of every purchase, and returns how much was refunded that cannot
// be laid to a purchase: refunds without a name, or with a name that has not cleared (it may
// be wrong, or come tomorrow: then the refund is counted there instead). Returns younger
// than since are left out of that sum if since is set. If spill, what refunds pay beyond
// their purchase's price is in it too: it may have been for something else.
func (a *birchAccount) count(since time.Time, spill bool) (loose int64) {
	refunded := make(map[*birchPurchase]int64)
	for _, p := range a.purchases {
		p.left = p.amount
	}
	for _, r := range a.returns {
		p := a.byID[r.transaction]
		if p == nil {
			if since.IsZero() || !r.at.After(since) {
				loose += r.amount
			}
			continue
		}
		back := r.amount
		if r.whole {
			back = p.amount
		}
		p.left = max(0, p.left-back)
		if !r.dispute {
			refunded[p] += back
		}
	}
	if spill {
		for _, p := range a.purchases {
			loose += max(0, refunded[p]-p.amount)
		}
	}
	return loose
}

// birchDesk drives a program: it keeps facts apart from their copies and runs what is due.
type birchDesk struct {
	now      time.Time
	books    birchBooks
	accounts map[string]*birchAccount
	names    []string // in the order in which they were opened: no map decides an order
}

func birchNew(b birchBooks) func() Engine {
	return func() Engine { return &birchDesk{books: b, accounts: map[string]*birchAccount{}} }
}

func (d *birchDesk) account(name string) (*birchAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("birch: no account %q", name)
}

// when is the time of a fact: the clock's if it has none, and never later than it.
func (d *birchDesk) when(at time.Time) time.Time {
	if at.IsZero() || !d.now.IsZero() && at.After(d.now) {
		return d.now
	}
	return at
}

// Open creates an account; a second time it does nothing.
func (d *birchDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return nil
	}
	a := &birchAccount{byID: map[string]*birchPurchase{}, redeemed: map[string]bool{}}
	if !d.now.IsZero() {
		a.due = d.books.next(d.now)
	}
	d.accounts[name] = a
	d.names = append(d.names, name)
	return nil
}

// SetClock runs what has become due, each run with its own time.
func (d *birchDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("birch: the clock cannot go back")
	}
	for _, name := range d.names {
		a := d.accounts[name]
		if a.due.IsZero() {
			a.due = d.books.next(now)
		}
		for !a.due.After(now) {
			d.books.run(a, a.due)
			a.due = d.books.next(a.due)
		}
	}
	d.now = now
	return nil
}

// Settle takes a purchase in. A purchase clears once: what comes under its name again is a
// copy.
func (d *birchDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" || s.Amount < 0 {
		return fmt.Errorf("birch: a purchase needs a name and an amount")
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	p := &birchPurchase{id: s.Transaction, category: s.Category, amount: s.Amount, at: d.when(s.At)}
	a.purchases = append(a.purchases, p)
	a.byID[p.id] = p
	d.books.heard(a, d.now, birchFact{purchase: p})
	return nil
}

// Refund takes a refund in.
func (d *birchDesk) Refund(r issuer.Refund) error {
	return d.takeBack(r.Account, &birchReturn{id: r.Refund, transaction: r.Transaction, amount: r.Amount, at: d.when(r.At)})
}

// Chargeback takes a lost dispute in.
func (d *birchDesk) Chargeback(c issuer.Chargeback) error {
	return d.takeBack(c.Account, &birchReturn{id: c.Chargeback, transaction: c.Transaction, amount: c.Amount,
		whole: c.Amount == 0, dispute: true, at: d.when(c.At)})
}

// takeBack records a return unless it is a copy: the same name, purchase and amount. Two
// that share a name alone are two: to drop one of them would be the customer's gain.
func (d *birchDesk) takeBack(name string, r *birchReturn) error {
	a, err := d.account(name)
	if err != nil {
		return err
	}
	if r.amount < 0 || r.whole && r.transaction == "" {
		return fmt.Errorf("birch: a return needs an amount")
	}
	for _, o := range a.returns {
		if r.id != "" && o.id == r.id && o.dispute == r.dispute && o.transaction == r.transaction && o.amount == r.amount {
			return nil
		}
	}
	a.returns = append(a.returns, r)
	d.books.heard(a, d.now, birchFact{back: r})
	return nil
}

// CloseStatement does nothing: every run is by the clock.
func (d *birchDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// redeemable is what is both in the books and sure.
func (d *birchDesk) redeemable(a *birchAccount) int64 {
	return max(0, min(a.sum-a.taken, d.books.sure(a)-a.paid-a.taken))
}

// Redeem pays what is redeemable. One that was paid before is only said to have been.
func (d *birchDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if r.Redemption != "" && a.redeemed[r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > d.redeemable(a) {
		return false, nil
	}
	a.taken += r.Amount
	a.redeemed[r.Redemption] = true
	return true, nil
}

// Balance is what the books say and what of it is sure.
func (d *birchDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.sum - a.taken, Redeemable: d.redeemable(a)}, nil
}

// PaidOut is what the program paid by itself, less what it recovered.
func (d *birchDesk) PaidOut(name string) (int64, error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings are the rows of the account.
func (d *birchDesk) Postings(name string) []Posting {
	if a := d.accounts[name]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

// birchZone loads a zone; the names are constants of this package.
func birchZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}
