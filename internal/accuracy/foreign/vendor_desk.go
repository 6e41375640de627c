package foreign

import (
	"errors"
	"math/big"
	"time"

	"recoup/internal/issuer"
)

// This file is the plumbing that the vendor designs share: accounts, the clock and the
// ledger book. None of it decides about a reward.

var (
	errVendorAccount = errors.New("vendor: no such account")
	errVendorOpen    = errors.New("vendor: account is open already")
	errVendorClock   = errors.New("vendor: the clock does not go back")
	errVendorID      = errors.New("vendor: an id is missing")
)

const vendorDay = 24 * time.Hour

// vendorHouse keeps the accounts of one engine and its clock. Whatever falls due on an
// account by time (a close, an expiry) is done before anything else happens to it, as of
// the time it was due: to everybody who asks it has happened on time.
type vendorHouse[A any] struct {
	now   time.Time
	accts map[string]*A
	fresh func() *A
	due   func(a *A, now time.Time) // may be nil
	book  func(*A) *vendorBook
}

func vendorNewHouse[A any](fresh func() *A, due func(*A, time.Time), book func(*A) *vendorBook) vendorHouse[A] {
	return vendorHouse[A]{accts: map[string]*A{}, fresh: fresh, due: due, book: book}
}

// Open creates an account.
func (h *vendorHouse[A]) Open(account string) error {
	if account == "" {
		return errVendorID
	}
	if h.accts[account] != nil {
		return errVendorOpen
	}
	h.accts[account] = h.fresh()
	_, err := h.get(account)
	return err
}

// SetClock moves the clock forward.
func (h *vendorHouse[A]) SetClock(now time.Time) error {
	if now.Before(h.now) {
		return errVendorClock
	}
	h.now = now.UTC()
	return nil
}

// CloseStatement has nothing left to do once the account is up to the clock.
func (h *vendorHouse[A]) CloseStatement(account string) error {
	_, err := h.get(account)
	return err
}

// Postings is the account's ledger so far.
func (h *vendorHouse[A]) Postings(account string) []Posting {
	a, err := h.get(account)
	if err != nil {
		return nil
	}
	return append([]Posting(nil), h.book(a).posts...)
}

// get finds an account and does first what has fallen due on it.
func (h *vendorHouse[A]) get(account string) (*A, error) {
	a := h.accts[account]
	if a == nil {
		return nil, errVendorAccount
	}
	if h.due != nil && !h.now.IsZero() {
		h.due(a, h.now)
	}
	return a, nil
}

// when is the time of an event: never after the clock.
func (h *vendorHouse[A]) when(at time.Time) time.Time {
	if at.IsZero() || (!h.now.IsZero() && at.After(h.now)) {
		return h.now
	}
	return at.UTC()
}

// vendorBook is the ledger of one account with the redemptions that were paid.
type vendorBook struct {
	posts    []Posting
	sum      int64 // of the postings
	redeemed int64
	paid     int64 // by the engine itself; in sum already
	done     map[string]bool
}

func (b *vendorBook) post(at time.Time, k Kind, amount int64, tx, refund, note string) {
	if amount == 0 {
		return
	}
	b.sum += amount
	if k == Paid {
		b.paid -= amount
	}
	b.posts = append(b.posts, Posting{At: at, Kind: k, Amount: amount, Transaction: tx, Refund: refund, Note: note})
}

// move posts a difference as earned or as reversed.
func (b *vendorBook) move(at time.Time, amount int64, tx, refund, note string) {
	if amount > 0 {
		b.post(at, Earned, amount, tx, refund, note)
	} else {
		b.post(at, Reversed, amount, tx, refund, note)
	}
}

func (b *vendorBook) balance() int64 { return b.sum - b.redeemed }

// pay pays a redemption out once, if it is within what may be taken.
func (b *vendorBook) pay(r issuer.Redemption, redeemable int64) bool {
	if r.Redemption == "" || r.Amount <= 0 || r.Amount > redeemable || b.done[r.Redemption] {
		return false
	}
	if b.done == nil {
		b.done = map[string]bool{}
	}
	b.done[r.Redemption] = true
	b.redeemed += r.Amount
	return true
}

// vendorShare is a*b/c rounded down, for values that are not negative.
func vendorShare(a, b, c int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a < 1<<31 && b < 1<<31 {
		return a * b / c
	}
	x := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	return x.Quo(x, big.NewInt(c)).Int64()
}

// vendorNearest is a*b/c rounded to the nearest whole, halves up.
func vendorNearest(a, b, c int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	x := new(big.Int).Mul(big.NewInt(a), big.NewInt(2*b))
	x.Add(x, big.NewInt(c))
	return x.Quo(x, big.NewInt(2*c)).Int64()
}

// vendorMonthAfter is the first instant of the calendar month after t (UTC).
func vendorMonthAfter(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}

// vendorIn says whether a purchase belongs to a category, by its name or, where it has
// none, by its MCC.
func vendorIn(want, category, mcc string) bool {
	if category != "" {
		return category == want
	}
	switch mcc {
	case "5411":
		return want == "GROCERY"
	case "5812":
		return want == "DINING"
	case "5541":
		return want == "FUEL"
	case "4511":
		return want == "TRAVEL"
	}
	return false
}

func vendorFloor0(x int64) int64 {
	if x < 0 {
		return 0
	}
	return x
}
