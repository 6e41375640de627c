package foreign

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// laterLargest is the largest amount of one purchase, in minor units: a hundred million
// dollars. It keeps every product of an amount and a rate inside 64 bits.
const laterLargest = 10_000_000_000

var (
	errLaterNoAccount = errors.New("no such account")
	errLaterNoName    = errors.New("it has no id")
	errLaterTooLarge  = errors.New("amount out of range")
)

// laterLedger is the reward ledger of one account: its postings, and what was redeemed.
// It knows nothing of purchases.
type laterLedger struct {
	rows     []Posting
	total    int64 // of rows
	redeemed int64
	requests map[string]bool // redemptions that were paid
}

func (l *laterLedger) book() *laterLedger { return l }

// post writes one entry; an entry of nothing is left out.
func (l *laterLedger) post(at time.Time, kind Kind, amount int64, purchase, refund, note string) {
	if amount == 0 {
		return
	}
	l.total += amount
	l.rows = append(l.rows, Posting{At: at, Kind: kind, Amount: amount, Transaction: purchase, Refund: refund, Note: note})
}

func (l *laterLedger) balance() int64 { return l.total - l.redeemed }

// pay redeems, if the amount is above zero, at most free, and the request is new.
func (l *laterLedger) pay(r issuer.Redemption, free int64) bool {
	if r.Amount <= 0 || r.Amount > free || l.requests[r.Redemption] {
		return false
	}
	if r.Redemption != "" {
		if l.requests == nil {
			l.requests = map[string]bool{}
		}
		l.requests[r.Redemption] = true
	}
	l.redeemed += r.Amount
	return true
}

func (l *laterLedger) show(free int64) issuer.Balance {
	return issuer.Balance{Balance: l.balance(), Redeemable: free}
}

// laterHolder is an account that has a ledger.
type laterHolder interface{ book() *laterLedger }

// laterDesk holds the accounts of an engine, in the order in which they were opened, and
// its clock. What it does of package issuer is only what no two programs do differently.
type laterDesk[A laterHolder] struct {
	now   time.Time
	named map[string]A
	order []A
	fresh func(now time.Time) A
}

// Open opens an account; an account that is there already stays as it is.
func (d *laterDesk[A]) Open(account string) error {
	if account == "" {
		return errLaterNoName
	}
	if _, ok := d.named[account]; ok {
		return nil
	}
	if d.named == nil {
		d.named = map[string]A{}
	}
	a := d.fresh(d.now)
	d.named[account] = a
	d.order = append(d.order, a)
	return nil
}

// Postings returns the account's entries.
func (d *laterDesk[A]) Postings(account string) []Posting {
	a, ok := d.named[account]
	if !ok {
		return nil
	}
	return append([]Posting(nil), a.book().rows...)
}

// CloseStatement has nothing to do: what falls due, the clock runs.
func (d *laterDesk[A]) CloseStatement(account string) error {
	_, err := d.find(account)
	return err
}

func (d *laterDesk[A]) find(account string) (A, error) {
	a, ok := d.named[account]
	if !ok {
		return a, fmt.Errorf("%w: %q", errLaterNoAccount, account)
	}
	return a, nil
}

// tick moves the clock and returns where it stood; a clock that would go back stays.
func (d *laterDesk[A]) tick(now time.Time) (before time.Time, moved bool) {
	before = d.now
	if !now.After(before) {
		return before, false
	}
	d.now = now
	return before, true
}

// posted is the time at which something posts: the engine's clock, or, as long as that has
// never been set, when it happened.
func (d *laterDesk[A]) posted(at time.Time) time.Time {
	if d.now.IsZero() {
		return at
	}
	return d.now
}

// laterTurns are the moments after from, up to to, at which a month's given day begins in
// UTC. There are none while the clock had not been set.
func laterTurns(from, to time.Time, day int) []time.Time {
	if from.IsZero() {
		return nil
	}
	from = from.UTC()
	var out []time.Time
	for t := time.Date(from.Year(), from.Month(), day, 0, 0, 0, 0, time.UTC); !t.After(to); t = t.AddDate(0, 1, 0) {
		if t.After(from) {
			out = append(out, t)
		}
	}
	return out
}

// laterKind is the category of a purchase: its name, or else what its MCC stands for.
func laterKind(category, mcc string) string {
	if category != "" {
		return category
	}
	switch mcc {
	case "5411":
		return "GROCERY"
	case "5812", "5813", "5814":
		return "DINING"
	case "5541", "5542":
		return "FUEL"
	case "4511":
		return "TRAVEL"
	case "5964", "5969":
		return "ONLINE"
	}
	return "OTHER"
}
