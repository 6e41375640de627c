package foreign

import (
	"fmt"
	"time"
	_ "time/tzdata" // the statements' zones must be there wherever this runs

	"recoup/internal/issuer"
)

// velvetDesigns are the eight programs of this hand: three sound, five flawed.
var velvetDesigns = []Design{
	velvetKaede, velvetWattle, velvetBergpass,
	velvetHarbour, velvetSaffron, velvetDhow, velvetSobota, velvetMerlion,
}

// velvetMillion is what rates are parts of: 10_000 is 1 %.
const velvetMillion = 1_000_000

// velvetLag is how long after a return its purchase may still clear. A return that names no
// purchase is taken to be of nothing that was bought later than that.
const velvetLag = 60 * 24 * time.Hour

// velvetPurchase is a purchase that has cleared.
type velvetPurchase struct {
	id, merchant, category string
	amount                 int64
	at                     time.Time // when it happened, however late it was delivered
	back                   int64     // named returns that were counted; never above amount
	booked                 int64     // what a program that books by purchase has granted so far
	granted                bool      // for programs that grant later than at clearing
	begin, end             time.Time // the period it counts in, for programs that have one
	room, rank             int64     // scratch of unnamedCosts (velvet_unnamed.go)
}

// left is what the customer has kept.
func (p *velvetPurchase) left() int64 { return p.amount - p.back }

// velvetReturn is a refund or a chargeback.
type velvetReturn struct {
	id, merchant string
	amount       int64           // all, if whole
	whole        bool            // a chargeback of whatever is left
	at, came     time.Time       // when it happened, when it was delivered
	of           *velvetPurchase // nil: it names none
	booked       int64           // what was charged for it, if it names none
}

// velvetProgram is what a design adds to the desk. One is made for each account.
type velvetProgram interface {
	// bought hears of a purchase that has just been put among the account's purchases.
	bought(*velvetPurchase)
	// returned hears of a return whose purchase is known, or that names none. It is
	// the program that has the account count it, at once, later or never.
	returned(*velvetReturn)
	// next is the first instant after the given one at which run is due.
	next(after time.Time) time.Time
	run(at time.Time)
	// redeemable is what may be redeemed of a balance above zero.
	redeemable(balance int64) int64
}

// velvetAtOnce is for programs that do nothing by the calendar.
type velvetAtOnce struct{}

func (velvetAtOnce) next(time.Time) time.Time { return time.Time{} }
func (velvetAtOnce) run(time.Time)            {}

// velvetOnRequest is for programs that pay whatever is on the account when asked.
type velvetOnRequest struct{}

func (velvetOnRequest) redeemable(balance int64) int64 { return balance }

// velvetAccount is one customer's books.
type velvetAccount struct {
	program       velvetProgram
	opened        time.Time
	now, ran      time.Time // the clock, and the last calendar run
	purchases     []*velvetPurchase
	known         map[string]*velvetPurchase
	waiting       map[string][]*velvetReturn // by the purchase that has not cleared
	unnamed       []*velvetReturn            // those that were counted
	seen          map[string]bool            // returns by kind and name
	rows          []Posting
	redemptions   map[string]bool
	sum, redeemed int64
	paid          int64
}

func (a *velvetAccount) balance() int64 { return a.sum - a.redeemed }

// book adds a row at the account's time; nothing is no row.
func (a *velvetAccount) book(kind Kind, amount int64, purchase, refund, note string) {
	if amount == 0 {
		return
	}
	a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount,
		Transaction: purchase, Refund: refund, Note: note})
	a.sum += amount
}

// bookChange books what has to be added to, or taken from, what is on the books.
func (a *velvetAccount) bookChange(change int64, purchase, refund, note string) {
	kind := Earned
	if change < 0 {
		kind = Reversed
	}
	a.book(kind, change, purchase, refund, note)
}

// count has a return lower what is left of its purchase, never below nothing, and says by
// how much. One without a purchase joins those that unnamedCosts looks at.
func (a *velvetAccount) count(r *velvetReturn) int64 {
	if r.of == nil {
		a.unnamed = append(a.unnamed, r)
		return r.amount
	}
	x := r.of.left()
	if !r.whole {
		x = min(x, r.amount)
	}
	r.of.back += x
	return x
}

// velvetDesk takes the facts in, each once, and leaves the rest to the program.
type velvetDesk struct {
	now      time.Time
	accounts map[string]*velvetAccount
	order    []*velvetAccount
	open     func(*velvetAccount) velvetProgram
}

// velvetNew is a design's New.
func velvetNew(open func(*velvetAccount) velvetProgram) func() Engine {
	return func() Engine { return &velvetDesk{accounts: map[string]*velvetAccount{}, open: open} }
}

func (d *velvetDesk) account(name string) (*velvetAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("velvet: no account %q", name)
}

func (d *velvetDesk) Open(account string) error {
	if d.accounts[account] != nil {
		return nil
	}
	a := &velvetAccount{opened: d.now, now: d.now, ran: d.now, known: map[string]*velvetPurchase{},
		waiting: map[string][]*velvetReturn{}, seen: map[string]bool{}, redemptions: map[string]bool{}}
	a.program = d.open(a)
	d.accounts[account] = a
	d.order = append(d.order, a)
	return nil
}

// SetClock runs what has become due, one instant after the other.
func (d *velvetDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return nil
	}
	d.now = now
	for _, a := range d.order {
		if a.ran.IsZero() { // opened before there was a clock
			a.opened, a.ran = now, now
		}
		for at := a.program.next(a.ran); !at.IsZero() && !at.After(now); at = a.program.next(at) {
			a.now, a.ran = at, at
			a.program.run(at)
		}
		a.now = now
	}
	return nil
}

// CloseStatement has nothing to do: SetClock has closed what was over.
func (d *velvetDesk) CloseStatement(account string) error {
	_, err := d.account(account)
	return err
}

// moment is when a fact happened: not after it was delivered.
func (d *velvetDesk) moment(at time.Time) time.Time {
	if at.IsZero() || at.After(d.now) {
		return d.now
	}
	return at
}

func (d *velvetDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err != nil || s.Amount <= 0 || a.known[s.Transaction] != nil {
		return err
	}
	p := &velvetPurchase{id: s.Transaction, merchant: s.Merchant, category: s.Category,
		amount: s.Amount, at: d.moment(s.At)}
	a.known[p.id] = p
	a.purchases = append(a.purchases, p)
	a.program.bought(p)
	for _, r := range a.waiting[p.id] {
		r.of = p
		a.program.returned(r)
	}
	delete(a.waiting, p.id)
	return nil
}

func (d *velvetDesk) Refund(f issuer.Refund) error {
	r := &velvetReturn{id: f.Refund, merchant: f.Merchant, amount: f.Amount, at: d.moment(f.At), came: d.now}
	return d.take(f.Account, "refund "+f.Refund, f.Transaction, r)
}

func (d *velvetDesk) Chargeback(c issuer.Chargeback) error {
	r := &velvetReturn{id: c.Chargeback, amount: c.Amount, whole: c.Amount == 0, at: d.moment(c.At), came: d.now}
	return d.take(c.Account, "chargeback "+c.Chargeback, c.Transaction, r)
}

// take gives a return to the program, once, and not before its purchase is there.
func (d *velvetDesk) take(account, key, purchase string, r *velvetReturn) error {
	a, err := d.account(account)
	if err != nil || a.seen[key] || r.amount < 0 || r.amount == 0 && (!r.whole || purchase == "") {
		return err
	}
	a.seen[key] = true
	if r.of = a.known[purchase]; purchase != "" && r.of == nil {
		a.waiting[purchase] = append(a.waiting[purchase], r)
		return nil
	}
	a.program.returned(r)
	return nil
}

func (a *velvetAccount) redeemable() int64 { return a.program.redeemable(max(0, a.balance())) }

func (d *velvetDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil || a.redemptions[r.Redemption] {
		return err == nil, err
	}
	if r.Amount <= 0 || r.Amount > a.redeemable() {
		return false, nil
	}
	a.redemptions[r.Redemption] = true
	a.redeemed += r.Amount
	return true, nil
}

func (d *velvetDesk) Balance(account string) (issuer.Balance, error) {
	a, err := d.account(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.redeemable()}, nil
}

func (d *velvetDesk) PaidOut(account string) (int64, error) {
	a, err := d.account(account)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

func (d *velvetDesk) Postings(account string) []Posting {
	if a := d.accounts[account]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

// velvetShare is what a rate in parts of a million gives of an amount, rounded down.
func velvetShare(amount, rate int64) int64 { return amount * rate / velvetMillion }

// velvetShareUp is the same rounded up: the most that so much can have earned.
func velvetShareUp(amount, rate int64) int64 {
	return (amount*rate + velvetMillion - 1) / velvetMillion
}

// velvetZone loads a zone that is known to exist.
func velvetZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// velvetStatement is the billing cycle, from that day of the month, in which an instant lies.
func velvetStatement(t time.Time, zone *time.Location, day int) (begin, end time.Time) {
	y, m, d := t.In(zone).Date()
	if d < day {
		m--
	}
	return time.Date(y, m, day, 0, 0, 0, 0, zone), time.Date(y, m+1, day, 0, 0, 0, 0, zone)
}

// velvetQuarter is the calendar quarter in which an instant lies.
func velvetQuarter(t time.Time, zone *time.Location) (begin, end time.Time) {
	y, m, _ := t.In(zone).Date()
	first := (m-1)/3*3 + 1
	return time.Date(y, first, 1, 0, 0, 0, 0, zone), time.Date(y, first+3, 1, 0, 0, 0, 0, zone)
}
