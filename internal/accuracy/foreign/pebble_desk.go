package foreign

import (
	"errors"
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // the calendars below must not depend on the machine

	"recoup/internal/issuer"
)

// pebbleDesigns are five sound programs of banks and fintechs whose ledgers look as odd as
// real ones do.
var pebbleDesigns = []Design{
	pebbleSlate, pebbleWeir, pebbleCairn, pebbleLantern, pebbleMosaic,
}

// A pebbleBuy is a purchase that has cleared.
type pebbleBuy struct {
	id, category string
	amount       int64
	back         int64     // refunded or charged back so far, above the price too
	at           time.Time // when it happened, however late it was delivered
	listed       time.Time // when a batch put it in the books; for designs with batches
}

// left is what of the purchase is kept. A refund above the price leaves nothing, and what
// it is above the price touches no other purchase.
func (p *pebbleBuy) left() int64 { return max(0, p.amount-p.back) }

// A pebbleClaim is a refund or a chargeback.
type pebbleClaim struct {
	id, transaction string
	amount          int64
	all             bool // a chargeback of whatever is left
	at, came        time.Time
}

// A pebbleTry is a request to redeem, granted or not. The design whose points expire
// replays them.
type pebbleTry struct {
	at     time.Time
	amount int64
}

// A pebbleAccount has the facts of an account and its ledger. Facts are never forgotten,
// so that a refund may come years later.
type pebbleAccount struct {
	buys   []*pebbleBuy // by the time of purchase, then of arrival
	byID   map[string]*pebbleBuy
	claims []*pebbleClaim
	seen   map[string]bool
	asked  map[string]pebbleAnswer
	tries  []pebbleTry

	posts    []Posting
	posted   int64 // their sum
	paid     int64 // what of it was paid out by itself
	redeemed int64
	waits    int // statements for which a hold has stood; for the design with holds
}

// A pebbleAnswer is what a redemption was told, so that its repetition is told the same.
type pebbleAnswer struct {
	amount int64
	ok     bool
}

// A pebbleCause is what names the fact that came in.
type pebbleCause struct {
	transaction, refund string
}

// A pebblePlan is what differs between the programs.
type pebblePlan interface {
	// booked keeps the ledger up after a new fact.
	booked(a *pebbleAccount, now time.Time, why pebbleCause)
	// next is the first scheduled moment after the given one, and run does what is due.
	next(after time.Time) time.Time
	run(a *pebbleAccount, at time.Time)
	// sure is what could go out now; below zero for a debt.
	sure(a *pebbleAccount, now time.Time) int64
}

// A pebbleBank drives a plan: it takes facts in once, keeps the clock, and guards payouts.
type pebbleBank struct {
	plan  pebblePlan
	clock time.Time
	names []string // in the order of opening, to be deterministic
	books map[string]*pebbleAccount
}

func pebbleNew(plan pebblePlan) *pebbleBank {
	return &pebbleBank{plan: plan, books: map[string]*pebbleAccount{}}
}

func (b *pebbleBank) account(name string) (*pebbleAccount, error) {
	if a := b.books[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("pebble: no account %q", name)
}

// Open opens an account; a second time it does nothing.
func (b *pebbleBank) Open(name string) error {
	if name == "" {
		return errors.New("pebble: an account needs a name")
	}
	if b.books[name] == nil {
		b.names = append(b.names, name)
		b.books[name] = &pebbleAccount{
			byID: map[string]*pebbleBuy{}, seen: map[string]bool{}, asked: map[string]pebbleAnswer{},
		}
	}
	return nil
}

// SetClock books on the way what was due, with the time at which it was.
func (b *pebbleBank) SetClock(now time.Time) error {
	if now.Before(b.clock) {
		return errors.New("pebble: time does not run back")
	}
	if !b.clock.IsZero() {
		for t := b.plan.next(b.clock); !t.After(now); t = b.plan.next(t) {
			for _, name := range b.names {
				b.plan.run(b.books[name], t)
			}
		}
	}
	b.clock = now
	return nil
}

// when is the time of an event: the clock's if none is given, and never later than it.
func (b *pebbleBank) when(at time.Time) time.Time {
	if at.IsZero() || at.After(b.clock) {
		return b.clock
	}
	return at
}

// Settle takes a purchase in. What came back before it cleared is taken off at once.
func (b *pebbleBank) Settle(s issuer.Settlement) error {
	a, err := b.account(s.Account)
	if err != nil {
		return err
	}
	if s.Amount <= 0 || s.Transaction == "" {
		return errors.New("pebble: a purchase needs a name and an amount")
	}
	if a.byID[s.Transaction] != nil {
		return nil
	}
	p := &pebbleBuy{id: s.Transaction, category: s.Category, amount: s.Amount, at: b.when(s.At)}
	i := sort.Search(len(a.buys), func(i int) bool { return a.buys[i].at.After(p.at) })
	a.buys = append(a.buys, nil)
	copy(a.buys[i+1:], a.buys[i:])
	a.buys[i] = p
	a.byID[p.id] = p
	for _, c := range a.claims {
		if c.transaction == p.id {
			p.take(c)
		}
	}
	b.plan.booked(a, b.clock, pebbleCause{transaction: p.id})
	return nil
}

func (p *pebbleBuy) take(c *pebbleClaim) {
	if c.all {
		p.back = max(p.back, p.amount)
		return
	}
	p.back += c.amount
}

// Refund takes a refund in, with or without the name of a purchase.
func (b *pebbleBank) Refund(r issuer.Refund) error {
	if r.Amount <= 0 || r.Refund == "" {
		return errors.New("pebble: a refund needs a name and an amount")
	}
	return b.claim("refund", r.Account,
		pebbleClaim{id: r.Refund, transaction: r.Transaction, amount: r.Amount, at: r.At})
}

// Chargeback takes a purchase back, or so much of it.
func (b *pebbleBank) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Chargeback == "" || c.Transaction == "" {
		return errors.New("pebble: a chargeback needs a name, a purchase, and no amount below zero")
	}
	return b.claim("chargeback", c.Account, pebbleClaim{id: c.Chargeback, transaction: c.Transaction,
		amount: c.Amount, all: c.Amount == 0, at: c.At})
}

// claim counts a message once. The same id with another purchase or amount is another
// refund: to ignore it could leave somebody with too much.
func (b *pebbleBank) claim(kind, name string, c pebbleClaim) error {
	a, err := b.account(name)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s|%q|%q|%d", kind, c.id, c.transaction, c.amount)
	if a.seen[key] {
		return nil
	}
	a.seen[key] = true
	c.at, c.came = b.when(c.at), b.clock
	a.claims = append(a.claims, &c)
	if p := a.byID[c.transaction]; p != nil {
		p.take(&c)
	}
	b.plan.booked(a, b.clock, pebbleCause{transaction: c.transaction, refund: c.id})
	return nil
}

// CloseStatement does nothing: all batches run by the clock.
func (b *pebbleBank) CloseStatement(name string) error {
	_, err := b.account(name)
	return err
}

// redeemable is what is sure and on the balance.
func (b *pebbleBank) redeemable(a *pebbleAccount) int64 {
	return max(0, min(a.posted-a.redeemed, b.plan.sure(a, b.clock)))
}

// Redeem pays out what is sure. The same request again gets the same answer and no money.
func (b *pebbleBank) Redeem(r issuer.Redemption) (bool, error) {
	a, err := b.account(r.Account)
	if err != nil {
		return false, err
	}
	if was, ok := a.asked[r.Redemption]; ok {
		return was.ok && was.amount == r.Amount, nil
	}
	ok := r.Amount > 0 && r.Amount <= b.redeemable(a)
	a.asked[r.Redemption] = pebbleAnswer{r.Amount, ok}
	if r.Amount > 0 {
		a.tries = append(a.tries, pebbleTry{b.clock, r.Amount})
	}
	if ok {
		a.redeemed += r.Amount
	}
	return ok, nil
}

// Balance is what the ledger says, and what of it can go out.
func (b *pebbleBank) Balance(name string) (issuer.Balance, error) {
	a, err := b.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.posted - a.redeemed, Redeemable: b.redeemable(a)}, nil
}

// PaidOut is nothing but in the program that pays by itself.
func (b *pebbleBank) PaidOut(name string) (int64, error) {
	a, err := b.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings are the ledger.
func (b *pebbleBank) Postings(name string) []Posting {
	if a := b.books[name]; a != nil {
		return append([]Posting(nil), a.posts...)
	}
	return nil
}

// post writes a row; nothing is no row.
func (a *pebbleAccount) post(p Posting) {
	if p.Amount != 0 {
		a.posts = append(a.posts, p)
		a.posted += p.Amount
	}
}

// loose are the refunds that no known purchase stands for. Those that name one which has
// not cleared are among them until it has: the name may be wrong.
func (a *pebbleAccount) loose() []*pebbleClaim {
	var out []*pebbleClaim
	for _, c := range a.claims {
		if a.byID[c.transaction] == nil {
			out = append(out, c)
		}
	}
	return out
}

// pebbleUp is n / by, rounded up: what is taken on suspicion is never rounded down.
func pebbleUp(n, by int64) int64 { return (n + by - 1) / by }

func pebbleZone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // tzdata is compiled in: only a misspelt name comes here
	}
	return loc
}

// pebbleDaily is the first moment after the given one at which it is that hour.
func pebbleDaily(after time.Time, loc *time.Location, hour int) time.Time {
	y, m, d := after.In(loc).Date()
	for ; ; d++ {
		if t := time.Date(y, m, d, hour, 0, 0, 0, loc); t.After(after) {
			return t
		}
	}
}

// pebbleMonthly is the first moment after the given one at which it is that hour of that day.
func pebbleMonthly(after time.Time, loc *time.Location, day, hour int) time.Time {
	y, m, _ := after.In(loc).Date()
	for ; ; m++ {
		if t := time.Date(y, m, day, hour, 0, 0, 0, loc); t.After(after) {
			return t
		}
	}
}
