package foreign

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// freshDesigns are the designs of this file's family: five sound, five not.
var freshDesigns = []Design{
	freshLarderDesign, freshVoucherDesign, freshTopshelfDesign, freshTrackedDesign, freshFourthsDesign,
	freshPointsDesign, freshCreditDesign, freshCoinsDesign, freshRotationDesign, freshLadderDesign,
}

// freshPurchase is a purchase that has cleared.
type freshPurchase struct {
	id, merchant, category string
	amount                 int64
	made, cleared          time.Time
	nth                    int   // in the order of clearing
	back                   int64 // what of it has come back as far as the desk knows, at most amount
}

func (p *freshPurchase) kept() int64 { return p.amount - p.back }

// freshReturn is a refund or a chargeback that has posted.
type freshReturn struct {
	id, purchase, merchant, category string
	amount                           int64
	at                               time.Time
}

// freshFile is what the desk knows of one account; own is the house's part.
type freshFile[B any] struct {
	account   string
	opened    time.Time
	purchases []*freshPurchase
	byID      map[string]*freshPurchase
	returns   []*freshReturn
	seen      map[string]bool
	postings  []Posting
	balance   int64
	own       B
}

// post makes an entry; one of nothing is none.
func (f *freshFile[B]) post(p Posting) {
	if p.Amount != 0 {
		f.postings = append(f.postings, p)
		f.balance += p.Amount
	}
}

// change posts a difference: earned if it is more, reversed if it is less.
func (f *freshFile[B]) change(at time.Time, difference int64, transaction string, by *freshReturn, note string) {
	p := Posting{At: at, Kind: Earned, Amount: difference, Transaction: transaction, Note: note}
	if difference < 0 {
		p.Kind = Reversed
		if by != nil {
			p.Refund = by.id
		}
	}
	f.post(p)
}

// freshHouse is a program behind the desk.
type freshHouse[B any] interface {
	// opened sets the house's part of a new file up.
	opened(f *freshFile[B])
	// moved says that a purchase has cleared (or nil), or that of some purchases another
	// amount has come back than before. by is the return that it was for, or nil.
	moved(f *freshFile[B], cleared *freshPurchase, others []*freshPurchase, by *freshReturn)
	// run does what is due at the desk's clock.
	run(f *freshFile[B])
	// spendable is what may be redeemed of the balance; the desk cuts it at zero.
	spendable(f *freshFile[B]) int64
}

// freshDesk takes facts in: it knows what it has heard before, finds the purchases that
// returns are of, and keeps the ledger. What rewards there are, the house behind it says.
type freshDesk[B any] struct {
	house freshHouse[B]
	now   time.Time
	files map[string]*freshFile[B]
	order []*freshFile[B]
	exact bool // a return that names nothing looks first for what is left of a purchase to the cent
}

// freshMost is the largest amount that the desk takes, so that nothing overflows.
const freshMost = 1_000_000_000_000

var (
	errFreshAccount = errors.New("fresh: no such account")
	errFreshFact    = errors.New("fresh: the fact lacks an id or an amount")
)

func (d *freshDesk[B]) file(account string) (*freshFile[B], error) {
	if f := d.files[account]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%w: %q", errFreshAccount, account)
}

// heard says whether this id was heard before, and remembers it.
func (f *freshFile[B]) heard(kind, id string) bool {
	key := kind + "/" + id
	before := f.seen[key]
	f.seen[key] = true
	return before
}

// when is the time of a fact: now if it has none, and not after now.
func (d *freshDesk[B]) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

// Open implements issuer.Issuer.
func (d *freshDesk[B]) Open(account string) error {
	if account == "" || d.files[account] != nil {
		return fmt.Errorf("fresh: account %q cannot be opened", account)
	}
	f := &freshFile[B]{account: account, opened: d.now, byID: map[string]*freshPurchase{}, seen: map[string]bool{}}
	if d.files == nil {
		d.files = map[string]*freshFile[B]{}
	}
	d.files[account] = f
	d.order = append(d.order, f)
	d.house.opened(f)
	return nil
}

// SetClock implements issuer.Issuer; what is due by then is done.
func (d *freshDesk[B]) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("fresh: the clock does not go back")
	}
	d.now = now
	for _, f := range d.order {
		d.house.run(f)
	}
	return nil
}

// CloseStatement implements issuer.Issuer: the clock has closed what is over.
func (d *freshDesk[B]) CloseStatement(account string) error {
	_, err := d.file(account)
	return err
}

// Settle implements issuer.Issuer.
func (d *freshDesk[B]) Settle(s issuer.Settlement) error {
	f, err := d.file(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" || s.Amount <= 0 || s.Amount > freshMost {
		return errFreshFact
	}
	if f.heard("purchase", s.Transaction) {
		return nil
	}
	p := &freshPurchase{
		id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount,
		made: d.when(s.At), cleared: d.now, nth: len(f.purchases),
	}
	f.purchases = append(f.purchases, p)
	f.byID[p.id] = p
	d.house.moved(f, p, f.match(p, d.exact), nil)
	return nil
}

// Refund implements issuer.Issuer.
func (d *freshDesk[B]) Refund(r issuer.Refund) error {
	f, err := d.file(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" || r.Amount <= 0 || r.Amount > freshMost {
		return errFreshFact
	}
	if f.heard("refund", r.Refund) {
		return nil
	}
	d.take(f, &freshReturn{
		id: r.Refund, purchase: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount, at: d.when(r.At),
	})
	return nil
}

// Chargeback implements issuer.Issuer; one of amount zero is of all.
func (d *freshDesk[B]) Chargeback(c issuer.Chargeback) error {
	f, err := d.file(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" || c.Amount < 0 || c.Amount > freshMost {
		return errFreshFact
	}
	if f.heard("chargeback", c.Chargeback) {
		return nil
	}
	amount := c.Amount
	if amount == 0 {
		amount = freshMost
	}
	d.take(f, &freshReturn{id: c.Chargeback, purchase: c.Transaction, amount: amount, at: d.when(c.At)})
	return nil
}

func (d *freshDesk[B]) take(f *freshFile[B], r *freshReturn) {
	f.returns = append(f.returns, r)
	if others := f.match(nil, d.exact); len(others) > 0 {
		d.house.moved(f, nil, others, r)
	}
}

// match works out anew what has come back of each purchase, and names the purchases of
// which it is another amount than before, but for the one that has just cleared. Returns
// that name their purchase come first, and count no further than its price. The others
// are guesses, and go in the order in which they came over what is left: purchases at the
// same merchant, else in the same category, else any, each time the newest that was made
// no later than the return (exact: before it one of which just that much is left); what is
// larger than that purchase goes on to the next. So a guess moves on when a return comes
// that names its purchase, and what finds nothing waits.
func (f *freshFile[B]) match(cleared *freshPurchase, exact bool) (others []*freshPurchase) {
	back := make([]int64, len(f.purchases))
	for _, r := range f.returns {
		if p := f.byID[r.purchase]; p != nil {
			back[p.nth] = min(p.amount, back[p.nth]+r.amount)
		}
	}
	for _, r := range f.returns {
		for left := r.amount; r.purchase == "" && left > 0; {
			var best *freshPurchase
			var near int
			for _, p := range f.purchases {
				if back[p.nth] == p.amount || p.made.After(r.at) {
					continue
				}
				distance := 2 * r.distance(p)
				if exact && p.amount-back[p.nth] == left {
					distance--
				}
				if best == nil || distance < near || distance == near && p.newer(best) {
					best, near = p, distance
				}
			}
			if best == nil {
				break
			}
			part := min(left, best.amount-back[best.nth])
			back[best.nth] += part
			left -= part
		}
	}
	for _, p := range f.purchases {
		if p.back != back[p.nth] {
			if p.back = back[p.nth]; p != cleared {
				others = append(others, p)
			}
		}
	}
	return others
}

// newer says whether p was made after q.
func (p *freshPurchase) newer(q *freshPurchase) bool {
	if !p.made.Equal(q.made) {
		return p.made.After(q.made)
	}
	return p.nth > q.nth
}

// distance is how far a purchase is from a return that names none.
func (r *freshReturn) distance(p *freshPurchase) int {
	switch {
	case r.merchant != "" && r.merchant == p.merchant:
		return 0
	case r.category != "" && r.category == p.category:
		return 1
	}
	return 2
}

// Redeem implements issuer.Issuer. An id that was heard before is refused.
func (d *freshDesk[B]) Redeem(r issuer.Redemption) (bool, error) {
	f, err := d.file(r.Account)
	if err != nil {
		return false, err
	}
	if r.Redemption == "" {
		return false, errFreshFact
	}
	if r.Amount <= 0 || r.Amount > d.redeemable(f) || f.heard("redemption", r.Redemption) {
		return false, nil
	}
	f.balance -= r.Amount
	return true, nil
}

func (d *freshDesk[B]) redeemable(f *freshFile[B]) int64 {
	return max(0, min(f.balance, d.house.spendable(f)))
}

// Balance implements issuer.Issuer.
func (d *freshDesk[B]) Balance(account string) (issuer.Balance, error) {
	f, err := d.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: f.balance, Redeemable: d.redeemable(f)}, nil
}

// Postings implements Engine.
func (d *freshDesk[B]) Postings(account string) []Posting {
	if f := d.files[account]; f != nil {
		return append([]Posting(nil), f.postings...)
	}
	return nil
}

// PaidOut implements issuer.Payer.
func (d *freshDesk[B]) PaidOut(account string) (int64, error) {
	f, err := d.file(account)
	if err != nil {
		return 0, err
	}
	paid := int64(0)
	for _, p := range f.postings {
		if p.Kind == Paid {
			paid -= p.Amount
		}
	}
	return paid, nil
}

// What the desk does with returns, as cardholders read it: freshGuessNewest, or
// freshGuessExact at a desk that looks for the amount.
const (
	freshGuessRest = "what is larger than that purchase goes on in the same way to the next, and what finds none waits. " +
		"If another refund names that purchase, earlier or later, the guess makes way for it and moves on to the next. " +
		"Of a purchase no more can come back than its price. A return that is told of before its purchase clears counts as soon as it does, and one that is told of twice counts once."
	freshGuessNewest = "A refund that names no purchase is set against your newest purchase at that merchant that was made before it and is not yet returned in full, else the newest such in the same category, else the newest of all; " + freshGuessRest
	freshGuessExact  = "A refund that names no purchase is looked up among your purchases at that merchant that were made before it and are not yet returned in full, else among such in the same category, else among all: " +
		"there it is of the newest of which exactly that amount is left, else of the newest; " + freshGuessRest
)

// freshDay is the beginning of a day, freshMonth of a month, by UTC.
func freshDay(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func freshMonth(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}
