package foreign

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"
	_ "time/tzdata" // statement closes are due in named time zones

	"recoup/internal/issuer"
)

// What is in this file is plumbing: who has an account, what was written to its books,
// and how a percentage of an amount is taken. It decides nothing about rewards.

var (
	errPaperUnknown = errors.New("paper: unknown account")
	errPaperNoID    = errors.New("paper: an id is missing")
)

// paperBooks are the entries of one account and what was redeemed of them.
type paperBooks struct {
	entries []Posting
	bal     int64 // the entries' sum less what was redeemed
	used    int64 // accepted redemptions
	paid    map[string]bool
}

// write adds an entry, unless it is about nothing.
func (b *paperBooks) write(at time.Time, kind Kind, amount int64, txn, ref, note string) {
	if amount == 0 {
		return
	}
	b.entries = append(b.entries, Posting{At: at, Kind: kind, Amount: amount, Transaction: txn, Refund: ref, Note: note})
	b.bal += amount
}

// redeem pays r if it is at least least and at most can. An id is paid once.
func (b *paperBooks) redeem(r issuer.Redemption, least, can int64) (bool, error) {
	if r.Redemption == "" {
		return false, errPaperNoID
	}
	if b.paid[r.Redemption] || r.Amount <= 0 || r.Amount < least || r.Amount > can {
		return false, nil
	}
	if b.paid == nil {
		b.paid = map[string]bool{}
	}
	b.paid[r.Redemption] = true
	b.bal -= r.Amount
	b.used += r.Amount
	return true, nil
}

// show is the balance where can is what could be redeemed if there were no minimum.
func (b *paperBooks) show(least, can int64) issuer.Balance {
	if can < least || can < 0 {
		can = 0
	}
	return issuer.Balance{Balance: b.bal, Redeemable: can}
}

func (b *paperBooks) copied() []Posting { return slices.Clone(b.entries) }

// paperRoll is the list of accounts and the clock, which never goes back.
type paperRoll[A any] struct {
	now    time.Time
	byName map[string]*A
	all    []*A
}

func (r *paperRoll[A]) enrol(name string, a *A) error {
	if name == "" {
		return errPaperNoID
	}
	if r.byName[name] != nil {
		return fmt.Errorf("paper: account %q is open already", name)
	}
	if r.byName == nil {
		r.byName = map[string]*A{}
	}
	r.byName[name] = a
	r.all = append(r.all, a)
	return nil
}

func (r *paperRoll[A]) of(name string) (*A, error) {
	a := r.byName[name]
	if a == nil {
		return nil, fmt.Errorf("%w: %q", errPaperUnknown, name)
	}
	return a, nil
}

// forward moves the clock; a time that is not later leaves it where it is.
func (r *paperRoll[A]) forward(t time.Time) {
	if t.After(r.now) {
		r.now = t
	}
}

// paperOf is amount times num over den, rounded down; amount is not negative.
func paperOf(amount, num, den int64) int64 {
	if amount <= 0 || num <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(num))
	if hi >= uint64(den) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(den))
	return int64(q)
}

func paperZone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return l
}

// paperNextDay is the first midnight of the given day of a month, in zone z, after t.
func paperNextDay(t time.Time, day int, z *time.Location) time.Time {
	l := t.In(z)
	d := time.Date(l.Year(), l.Month(), day, 0, 0, 0, 0, z)
	if !d.After(t) {
		d = time.Date(l.Year(), l.Month()+1, day, 0, 0, 0, 0, z)
	}
	return d
}

// paperMonth numbers the calendar month of t in zone z.
func paperMonth(t time.Time, z *time.Location) int {
	l := t.In(z)
	return l.Year()*12 + int(l.Month()) - 1
}
