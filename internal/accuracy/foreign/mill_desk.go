package foreign

import (
	"errors"
	"slices"
	"sort"
	"time"

	"recoup/internal/issuer"
)

// millDesigns are eight programs of vendors that card people seldom think of, from
// co-operative grocers to fuel cards. The first three are sound.
var millDesigns = []Design{
	millPantryDesign, millDepatoDesign, millSimbankDesign,
	millDieselDesign, millSlicesDesign, millNairaDesign, millSkyshopDesign, millRideDesign,
}

// millGrace is how long after a return its purchase may still clear: a return without a
// name may be of any purchase up to then.
const millGrace = 30 * 24 * time.Hour

// millPatience is how long a return waits for the purchase that it names. If that does not
// come, the name is wrong, and the return is treated like one without.
const millPatience = 30 * 24 * time.Hour

// millMost bounds the amount of one message, so that no sum can overflow.
const millMost = int64(1) << 44

var (
	errMillUnknown = errors.New("mill: no such account")
	errMillTwice   = errors.New("mill: account is open already")
	errMillBack    = errors.New("mill: the clock does not go back")
)

// millScheme is what a program adds to the desk: how facts become rows.
type millScheme interface {
	// bought books a new purchase; returns of it that came first are off it already.
	bought(a *millAccount, p *millPurchase)
	// returned books a return of a purchase that is known, or one without a name.
	returned(a *millAccount, r *millReturn)
	// next is the first instant after t at which something is due; zero if nothing ever is.
	next(t time.Time) time.Time
	// due books what is due at the account's clock.
	due(a *millAccount)
	// redeemable is what may be drawn now; it may come out negative.
	redeemable(a *millAccount) int64
}

// millPlain is for schemes in which nothing falls due and the balance can be drawn.
type millPlain struct{}

func (millPlain) next(time.Time) time.Time        { return time.Time{} }
func (millPlain) due(*millAccount)                {}
func (millPlain) redeemable(a *millAccount) int64 { return a.balance() }

// millPurchase is a purchase that has cleared.
type millPurchase struct {
	id       string
	at       time.Time
	amount   int64
	gone     int64         // of it came back, never more than amount
	back     []*millReturn // what makes up gone
	category string
	period   int   // in which it counts, where a scheme keeps that
	worth    int64 // what the rows hold for it, where a scheme keeps that
	lot      int64 // what the scheme has not set off yet, where it has lots
}

func (p *millPurchase) left() int64 { return p.amount - p.gone }

// millReturn is a refund or a chargeback.
type millReturn struct {
	id, names string
	at        time.Time
	amount    int64
	until     time.Time     // it waits for its purchase
	freed     bool          // it waited in vain, and counts as one without a name
	of        *millPurchase // nil: none is known
	counted   int64         // as far as its purchase had so much left; all of it without one
}

// millAccount is one customer's file.
type millAccount struct {
	now, opened time.Time
	bought      []*millPurchase // in the order in which they cleared
	byID        map[string]*millPurchase
	parked      map[string][]*millReturn // of purchases that have not cleared
	waiting     []*millReturn            // those of them that wait still, by until
	loose       []*millReturn            // without a name, by time
	seen        map[string]bool
	answers     map[string]bool // of redemptions, by id
	rows        []Posting
	total       int64         // of all rows but payouts
	paid, drawn int64         // by itself, on request
	booked      map[int]int64 // by period, where a scheme has such
	limit       int64         // a scheme's own bound on what has been earned for good
}

func (a *millAccount) balance() int64 { return a.total - a.paid - a.drawn }

// within says whether a purchase was made in the first d of the account.
func (a *millAccount) within(p *millPurchase, d time.Duration) bool {
	return !p.at.Before(a.opened) && p.at.Sub(a.opened) < d
}

// book adds a row at the account's clock. A row of nothing is none.
func (a *millAccount) book(kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount,
		Transaction: transaction, Refund: refund, Note: note})
	if kind == Paid {
		a.paid -= amount
	} else {
		a.total += amount
	}
}

// once says whether a message is new, and remembers it. One without an id always is.
func (a *millAccount) once(kind, id string) bool {
	if id == "" {
		return true
	}
	new := !a.seen[kind+id]
	a.seen[kind+id] = true
	return new
}

// loosen files a return among those without a name.
func (a *millAccount) loosen(r *millReturn) {
	r.counted = r.amount
	i := sort.Search(len(a.loose), func(i int) bool { return a.loose[i].at.After(r.at) })
	a.loose = slices.Insert(a.loose, i, r)
}

// apply takes a return off its purchase, no further than there is something left.
func (a *millAccount) apply(r *millReturn, p *millPurchase) {
	r.of, r.counted = p, min(r.amount, p.left())
	p.gone += r.counted
	p.back = append(p.back, r)
}

// millDesk is the counter at which all messages come in. What it does is the same for all
// programs: each message counts once, returns wait for their purchase, and what was due
// while nobody looked is booked with its own time.
type millDesk struct {
	scheme   millScheme
	now      time.Time
	accounts map[string]*millAccount
	order    []*millAccount
}

func millNew(s millScheme) Engine {
	return &millDesk{scheme: s, accounts: map[string]*millAccount{}}
}

func (d *millDesk) Open(account string) error {
	if d.accounts[account] != nil {
		return errMillTwice
	}
	a := &millAccount{now: d.now, opened: d.now, byID: map[string]*millPurchase{},
		parked: map[string][]*millReturn{}, seen: map[string]bool{},
		answers: map[string]bool{}, booked: map[int]int64{}}
	d.accounts[account] = a
	d.order = append(d.order, a)
	return nil
}

// SetClock runs what falls due up to and at now, account by account at each instant.
func (d *millDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errMillBack
	}
	if !d.now.IsZero() {
		for t := d.next(d.now); !t.IsZero() && !t.After(now); t = d.next(t) {
			d.run(t)
		}
	}
	for _, a := range d.order {
		if a.now = now; a.opened.IsZero() {
			a.opened = now
		}
	}
	d.now = now
	return nil
}

// next is the next instant at which the scheme or a waiting return is due.
func (d *millDesk) next(t time.Time) time.Time {
	first := d.scheme.next(t)
	for _, a := range d.order {
		if len(a.waiting) > 0 && (first.IsZero() || a.waiting[0].until.Before(first)) {
			first = a.waiting[0].until
		}
	}
	return first
}

// run does what is due at t: returns that waited in vain first, then the scheme's own.
func (d *millDesk) run(t time.Time) {
	scheme := d.scheme.next(t.Add(-1)).Equal(t)
	for _, a := range d.order {
		a.now = t
		for len(a.waiting) > 0 && !a.waiting[0].until.After(t) {
			r := a.waiting[0]
			a.waiting = a.waiting[1:]
			r.freed = true
			a.loosen(r)
			d.scheme.returned(a, r)
		}
		if scheme {
			d.scheme.due(a)
		}
	}
}

// when is the time of a message: the clock's if it says none, or one to come.
func (d *millDesk) when(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) && !d.now.IsZero() {
		return d.now
	}
	return at
}

func (d *millDesk) Settle(s issuer.Settlement) error {
	a := d.accounts[s.Account]
	if a == nil {
		return errMillUnknown
	}
	if s.Amount <= 0 || a.byID[s.Transaction] != nil {
		return nil
	}
	amount := min(s.Amount, millMost)
	p := &millPurchase{id: s.Transaction, at: d.when(s.At), amount: amount, lot: amount, category: s.Category}
	a.bought = append(a.bought, p)
	a.byID[p.id] = p
	early := a.parked[p.id]
	delete(a.parked, p.id)
	for _, r := range early {
		is := func(other *millReturn) bool { return other == r }
		a.loose = slices.DeleteFunc(a.loose, is)
		a.waiting = slices.DeleteFunc(a.waiting, is)
		a.apply(r, p)
	}
	d.scheme.bought(a, p)
	return nil
}

func (d *millDesk) Refund(r issuer.Refund) error {
	a := d.accounts[r.Account]
	if a == nil {
		return errMillUnknown
	}
	if r.Amount <= 0 || !a.once("refund ", r.Refund) {
		return nil
	}
	d.take(a, &millReturn{id: r.Refund, names: r.Transaction, at: d.when(r.At),
		amount: min(r.Amount, millMost)})
	return nil
}

// Chargeback is a return like any other. One of no amount is of all there is.
func (d *millDesk) Chargeback(c issuer.Chargeback) error {
	a := d.accounts[c.Account]
	if a == nil {
		return errMillUnknown
	}
	if c.Amount < 0 || c.Amount == 0 && c.Transaction == "" || !a.once("chargeback ", c.Chargeback) {
		return nil
	}
	amount := min(c.Amount, millMost)
	if amount == 0 {
		amount = millMost
	}
	d.take(a, &millReturn{id: c.Chargeback, names: c.Transaction, at: d.when(c.At), amount: amount})
	return nil
}

// take files a return: without a name, of a purchase to come, or of one that is here.
func (d *millDesk) take(a *millAccount, r *millReturn) {
	p := a.byID[r.names]
	switch {
	case r.names == "":
		a.loosen(r)
	case p == nil:
		r.until = a.now.Add(millPatience)
		a.parked[r.names] = append(a.parked[r.names], r)
		if r.amount < millMost { // a chargeback of all there is has no amount without its purchase
			a.waiting = append(a.waiting, r)
		}
		return
	default:
		a.apply(r, p)
		if r.counted == 0 {
			return
		}
	}
	d.scheme.returned(a, r)
}

// CloseStatement does nothing: these programs close by their own clock.
func (d *millDesk) CloseStatement(account string) error {
	if d.accounts[account] == nil {
		return errMillUnknown
	}
	return nil
}

// Redeem draws from the balance. A request that comes again has the answer it had.
func (d *millDesk) Redeem(r issuer.Redemption) (bool, error) {
	a := d.accounts[r.Account]
	if a == nil {
		return false, errMillUnknown
	}
	if answer, again := a.answers[r.Redemption]; again && r.Redemption != "" {
		return answer, nil
	}
	accepted := r.Amount > 0 && r.Amount <= d.scheme.redeemable(a)
	a.answers[r.Redemption] = accepted
	if accepted {
		a.drawn += r.Amount
	}
	return accepted, nil
}

func (d *millDesk) Balance(account string) (issuer.Balance, error) {
	a := d.accounts[account]
	if a == nil {
		return issuer.Balance{}, errMillUnknown
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, d.scheme.redeemable(a))}, nil
}

// PaidOut is what the program paid by itself; most pay nothing so.
func (d *millDesk) PaidOut(account string) (int64, error) {
	a := d.accounts[account]
	if a == nil {
		return 0, errMillUnknown
	}
	return a.paid, nil
}

func (d *millDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}
