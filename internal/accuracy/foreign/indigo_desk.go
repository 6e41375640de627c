package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // statement days are local ones, also where no zone files are installed

	"recoup/internal/issuer"
)

// indigoDesigns are the programs of this desk: one sound one, six that err for some refunds.
var indigoDesigns = []Design{
	indigoLantern, indigoAtrium, indigoParapet, indigoSaltbox, indigoGable, indigoDormer, indigoMansard,
}

const (
	indigoDay  = 24 * time.Hour
	indigoWait = 30 * indigoDay // how long a refund waits for the purchase that it names
	indigoNear = 10 * indigoDay // how much later a purchase may clear than its nameless refund
	indigoFar  = 60 * indigoDay // the same, where nothing nearer has room
)

// indigoBuy is a purchase that cleared and what is known to have come back of it.
type indigoBuy struct {
	id, category, merchant string
	slot                   string // the book's name for the period of at
	amount                 int64
	at                     time.Time
	back                   int64 // all that came back, never above amount
	disputed               int64 // the part of back that came by chargeback
	batched                int64 // the part of back whose refund waits for a batch
	forgiven               int64 // reward that a book gave up taking back
	rate                   int64 // the rate last booked, where a book keeps it
}

func (b *indigoBuy) left() int64 { return b.amount - b.back }

// indigoBack is a refund or chargeback. Where its purchase is depends on what else is known,
// so that is found anew at each fact.
type indigoBack struct {
	id, txn, merchant string
	slot              string
	amount            int64
	at, heard         time.Time
	charge, batched   bool
	placed            int64
}

// indigoLine is one line of a book: what it should stand at, and of which purchase it is if
// it is of one.
type indigoLine struct {
	key, txn, note string
	want           int64
}

// indigoBook is what differs between programs: how rewards follow from what is left of
// purchases, and when which difference is booked.
type indigoBook interface {
	// slot names the period in which something of that time counts.
	slot(at time.Time) string
	// counts is what a unit of b adds to the totals of its slot, in ten thousandths.
	counts(b *indigoBuy) int64
	// loss is what the terms take if r of b came back, unrounded, in ten thousandths.
	loss(a *indigoAccount, b *indigoBuy, r int64) int64
	// may says whether a refund without a purchase's name may be of b.
	may(r *indigoBack, b *indigoBuy) bool
	// heard books what a fact changes; back is nil for a purchase or the passing of time.
	heard(a *indigoAccount, back *indigoBack)
	// next is the first moment after now with work for wake; zero if there is none.
	next(a *indigoAccount) time.Time
	wake(a *indigoAccount)
}

// indigoAccount is one customer's file.
type indigoAccount struct {
	now      time.Time
	buys     []*indigoBuy
	byID     map[string]*indigoBuy
	backs    []*indigoBack
	known    map[string]bool // facts that were delivered
	redeemed int64
	paid     int64
	answers  map[string]bool // redemptions that were accepted
	booked   map[string]int64
	totals   map[string]int64 // by slot, of what is left while refunds are placed
	room     map[string]int64 // cap room that a book opened, by month
	rows     []Posting
	sum      int64
	dirty    bool   // something is to be booked at the next wake
	cause    string // the refund that is being heard
}

// indigoDesk drives a book through the port.
type indigoDesk struct {
	book     indigoBook
	now      time.Time
	order    []string
	accounts map[string]*indigoAccount
}

func indigoNew(book indigoBook) Engine {
	return &indigoDesk{book: book, accounts: map[string]*indigoAccount{}}
}

var errIndigo = errors.New("indigo: refused")

func (d *indigoDesk) find(account string) (*indigoAccount, error) {
	a := d.accounts[account]
	if a == nil {
		return nil, fmt.Errorf("%w: unknown account %q", errIndigo, account)
	}
	return a, nil
}

func (d *indigoDesk) Open(account string) error {
	if d.accounts[account] != nil {
		return nil
	}
	d.accounts[account] = &indigoAccount{now: d.now, byID: map[string]*indigoBuy{}, known: map[string]bool{},
		answers: map[string]bool{}, booked: map[string]int64{}, room: map[string]int64{}}
	d.order = append(d.order, account)
	return nil
}

// SetClock does what was due on the way at the time at which it was due.
func (d *indigoDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("%w: the clock does not go back", errIndigo)
	}
	for _, name := range d.order {
		a := d.accounts[name]
		for {
			wake, parked := d.book.next(a), a.parkedUntil()
			due := wake
			if due.IsZero() || !parked.IsZero() && parked.Before(due) {
				due = parked
			}
			if due.IsZero() || due.After(now) {
				break
			}
			a.now = due
			if parked.Equal(due) {
				d.place(a)
				d.book.heard(a, nil)
			}
			if wake.Equal(due) {
				d.book.wake(a)
			}
		}
		a.now = now
	}
	d.now = now
	return nil
}

// parkedUntil is when the next refund stops waiting for the purchase that it names.
func (a *indigoAccount) parkedUntil() (first time.Time) {
	for _, r := range a.backs {
		end := r.heard.Add(indigoWait)
		if r.txn != "" && a.byID[r.txn] == nil && end.After(a.now) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

// when is the time of a fact: never later than the clock.
func (a *indigoAccount) when(at time.Time) time.Time {
	if at.IsZero() || !a.now.IsZero() && at.After(a.now) {
		return a.now
	}
	return at
}

func (d *indigoDesk) Settle(s issuer.Settlement) error {
	a, err := d.find(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" || s.Amount <= 0 {
		return fmt.Errorf("%w: purchase %q of %d", errIndigo, s.Transaction, s.Amount)
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	b := &indigoBuy{id: s.Transaction, category: s.Category, merchant: s.Merchant, amount: s.Amount, at: a.when(s.At)}
	b.slot = d.book.slot(b.at)
	a.buys, a.byID[b.id] = append(a.buys, b), b
	d.place(a)
	d.book.heard(a, nil)
	return nil
}

func (d *indigoDesk) Refund(r issuer.Refund) error {
	a, err := d.find(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" || r.Amount <= 0 {
		return fmt.Errorf("%w: refund %q of %d", errIndigo, r.Refund, r.Amount)
	}
	d.take(a, &indigoBack{id: r.Refund, txn: r.Transaction, merchant: r.Merchant, amount: r.Amount, at: a.when(r.At), heard: a.now})
	return nil
}

func (d *indigoDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.find(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" || c.Transaction == "" || c.Amount < 0 {
		return fmt.Errorf("%w: chargeback %q of %d", errIndigo, c.Chargeback, c.Amount)
	}
	d.take(a, &indigoBack{id: c.Chargeback, txn: c.Transaction, amount: c.Amount, at: a.when(c.At), heard: a.now, charge: true})
	return nil
}

// take hears a return once. The key has the purchase and the amount: two returns that a
// merchant numbered alike are two.
func (d *indigoDesk) take(a *indigoAccount, r *indigoBack) {
	key := fmt.Sprintf("%t|%q|%q|%d", r.charge, r.id, r.txn, r.amount)
	if a.known[key] {
		return
	}
	a.known[key] = true
	r.slot = d.book.slot(r.at)
	a.backs = append(a.backs, r)
	a.cause = r.id
	d.place(a)
	d.book.heard(a, r)
	a.cause = ""
}

// place finds for each return what came back: first those that name their purchase, then the
// others, each where it takes most.
func (d *indigoDesk) place(a *indigoAccount) {
	for _, b := range a.buys {
		b.back, b.disputed, b.batched = 0, 0, 0
	}
	var loose []*indigoBack
	for _, r := range a.backs {
		r.placed = 0
		switch b := a.byID[r.txn]; {
		case b != nil:
			n := r.amount
			if r.charge && n == 0 {
				n = b.amount
			}
			r.put(b, min(n, b.left()))
		case r.txn == "" || !a.now.Before(r.heard.Add(indigoWait)):
			loose = append(loose, r)
		}
	}
	a.totals = map[string]int64{}
	for _, b := range a.buys {
		a.totals[b.slot] += b.left() * d.book.counts(b)
	}
	for _, r := range loose {
		for r.placed < r.amount {
			b := d.best(a, r, indigoNear)
			if b == nil {
				b = d.best(a, r, indigoFar)
			}
			if b == nil {
				break
			}
			n := min(r.amount-r.placed, b.left())
			a.totals[b.slot] -= n * d.book.counts(b)
			r.put(b, n)
		}
	}
}

func (r *indigoBack) put(b *indigoBuy, n int64) {
	b.back += n
	r.placed += n
	if r.charge {
		b.disputed += n
	}
	if r.batched {
		b.batched += n
	}
}

// best is the purchase of which the return takes most for each unit, of equals the nearest.
// Dearest first is the most that any matching of all nameless returns could take where rewards
// are a rate, so whoever leaves the name out gains nothing.
func (d *indigoDesk) best(a *indigoAccount, r *indigoBack, later time.Duration) (best *indigoBuy) {
	var most, of int64
	for _, b := range a.buys {
		n := min(r.amount-r.placed, b.left())
		if n == 0 || b.at.After(r.at.Add(later)) || !d.book.may(r, b) {
			continue
		}
		l := d.book.loss(a, b, n)
		if best == nil || l*of > most*n || l*of == most*n && r.nearer(b, best) {
			best, most, of = b, l, n
		}
	}
	return best
}

// nearer says whether b is the likelier purchase: one that cleared before the return rather than
// after, so that later purchases do not move what is settled; then the newer.
func (r *indigoBack) nearer(b, than *indigoBuy) bool {
	if x, y := b.at.After(r.at), than.at.After(r.at); x != y {
		return y
	}
	return b.at.After(than.at)
}

func (d *indigoDesk) CloseStatement(account string) error {
	_, err := d.find(account) // closes run by the clock
	return err
}

func (d *indigoDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.find(r.Account)
	if err != nil {
		return false, err
	}
	if a.answers[r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > a.balance() {
		return false, nil
	}
	a.answers[r.Redemption] = true
	a.redeemed += r.Amount
	return true, nil
}

func (a *indigoAccount) balance() int64 { return a.sum - a.redeemed }

func (d *indigoDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, a.balance())}, nil
}
