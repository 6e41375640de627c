package foreign

import (
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // the designs' zones, wherever they are run

	"recoup/internal/issuer"
)

// ferryDesigns are eight programs of banks and card issuers.
var ferryDesigns = []Design{
	ferryDhow, ferryHana, ferryTern,
	ferryPebble, ferryAnchor, ferryLantern, ferryLedge, ferryGannet,
}

// ferryPlan is what one program does with the facts that the office hands it.
type ferryPlan interface {
	// next is the first close after t; zero for a program without closes.
	next(t time.Time) time.Time
	// parts says what a purchase counts for; asked once, before bought.
	parts(a *ferryAccount, b *ferryBuy) []ferryPart
	bought(a *ferryAccount, b *ferryBuy)
	returned(a *ferryAccount, r *ferryBack)
	closed(a *ferryAccount) // at the account's time, which is that of the close
	redeemable(a *ferryAccount) int64
}

// ferryPlain is a plan without closes whose whole balance can be redeemed.
type ferryPlain struct{}

func (ferryPlain) next(time.Time) time.Time           { return time.Time{} }
func (ferryPlain) closed(*ferryAccount)               {}
func (ferryPlain) redeemable(a *ferryAccount) int64   { return max(0, a.balance()) }
func (ferryPlain) returned(*ferryAccount, *ferryBack) {}
func (ferryPlain) parts(*ferryAccount, *ferryBuy) []ferryPart {
	return nil
}

// ferryBuy is a purchase that has cleared.
type ferryBuy struct {
	id, merchant, mcc, category string
	amount                      int64
	at                          time.Time // when it happened, not when it was heard of
	back                        int64     // what of it is taken to have come back
	parts                       []ferryPart
	posted                      int64 // its rows so far, where rows are per purchase
	granted                     int64 // what it was given first, where that is kept
	booked                      bool  // a close has dealt with it
}

func (b *ferryBuy) left() int64 { return b.amount - b.back }

// take has a refund that names the purchase come back, as far as the purchase goes.
func (b *ferryBuy) take(r *ferryBack) {
	if r.whole {
		b.back = b.amount
	}
	b.back += min(r.amount, b.left())
}

func (b *ferryBuy) first() bool {
	for _, p := range b.parts {
		if p.in.first {
			return true
		}
	}
	return false
}

// ferryBack is a refund or a chargeback.
type ferryBack struct {
	id, tx, merchant, category string
	amount                     int64
	whole                      bool // all that is left, whatever it is
	at                         time.Time
	booked                     bool
}

// ferryAccount is a customer: the facts as they were heard of, and the books.
type ferryAccount struct {
	now, opened, due time.Time
	buys             []*ferryBuy
	byID             map[string]*ferryBuy
	backs            []*ferryBack
	buckets          []*ferryBucket // in the order in which they came up
	seen             map[string]bool
	rows             []Posting
	posted           int64 // sum of rows
	redeemed, paid   int64
	used             map[string]int64 // counters by period, where a program keeps them
}

func (a *ferryAccount) balance() int64 { return a.posted - a.redeemed }

// post makes a row at the account's time; a row of nothing is none.
func (a *ferryAccount) post(kind Kind, amount int64, tx, refund, note string) {
	if amount == 0 {
		return
	}
	a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount, Transaction: tx, Refund: refund, Note: note})
	a.posted += amount
	if kind == Paid {
		a.paid -= amount
	}
}

// fresh says whether a fact is new, and remembers it. Facts without a name are.
func (a *ferryAccount) fresh(kind, id string) bool {
	key := kind + id
	if id == "" {
		return true
	}
	old := a.seen[key]
	a.seen[key] = true
	return !old
}

// ferryOffice drives a plan: accounts, the clock, and the same message twice.
type ferryOffice struct {
	plan     ferryPlan
	now      time.Time
	accounts map[string]*ferryAccount
}

func ferryOpen(p ferryPlan) Engine {
	return &ferryOffice{plan: p, accounts: map[string]*ferryAccount{}}
}

func (o *ferryOffice) account(name string) (*ferryAccount, error) {
	if a := o.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("ferry: unknown account %q", name)
}

// Open makes an account; of one that there is it changes nothing.
func (o *ferryOffice) Open(name string) error {
	if o.accounts[name] == nil {
		a := &ferryAccount{byID: map[string]*ferryBuy{}, seen: map[string]bool{}, used: map[string]int64{}}
		o.accounts[name] = a
		o.begin(a)
	}
	return nil
}

// begin starts an account's time, as soon as the office has one.
func (o *ferryOffice) begin(a *ferryAccount) {
	if !o.now.IsZero() && a.opened.IsZero() {
		a.now, a.opened, a.due = o.now, o.now, o.plan.next(o.now)
	}
}

// SetClock runs the closes in between, each at its own time.
func (o *ferryOffice) SetClock(now time.Time) error {
	if now.Before(o.now) {
		return fmt.Errorf("ferry: the clock cannot go back from %s to %s", o.now, now)
	}
	o.now = now
	names := make([]string, 0, len(o.accounts))
	for name := range o.accounts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		a := o.accounts[name]
		o.begin(a)
		for !a.due.IsZero() && !a.due.After(now) {
			a.now = a.due
			o.plan.closed(a)
			a.due = o.plan.next(a.due)
		}
		a.now = now
	}
	return nil
}

// when is the time of a fact: the clock's unless it says an earlier one.
func (o *ferryOffice) when(at time.Time) time.Time {
	if at.IsZero() || at.After(o.now) {
		return o.now
	}
	return at
}

// Settle takes in a purchase.
func (o *ferryOffice) Settle(s issuer.Settlement) error {
	a, err := o.account(s.Account)
	if err != nil || s.Amount <= 0 || !a.fresh("buy ", s.Transaction) {
		return err
	}
	b := &ferryBuy{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, category: s.Category, amount: s.Amount, at: o.when(s.At)}
	b.parts = o.plan.parts(a, b)
	a.buys = append(a.buys, b)
	a.byID[b.id] = b
	o.plan.bought(a, b)
	return nil
}

// Refund takes in a refund, of a purchase or of none that is named.
func (o *ferryOffice) Refund(r issuer.Refund) error {
	a, err := o.account(r.Account)
	if err != nil || r.Amount <= 0 || !a.fresh("refund ", r.Refund) {
		return err
	}
	o.back(a, &ferryBack{id: r.Refund, tx: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount, at: o.when(r.At)})
	return nil
}

// Chargeback takes in a dispute that was won.
func (o *ferryOffice) Chargeback(c issuer.Chargeback) error {
	a, err := o.account(c.Account)
	if err != nil || c.Amount < 0 || !a.fresh("chargeback ", c.Chargeback) {
		return err
	}
	o.back(a, &ferryBack{id: c.Chargeback, tx: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: o.when(c.At)})
	return nil
}

func (o *ferryOffice) back(a *ferryAccount, r *ferryBack) {
	a.backs = append(a.backs, r)
	o.plan.returned(a, r)
}

// CloseStatement has nothing to do: closes run with the clock.
func (o *ferryOffice) CloseStatement(name string) error {
	_, err := o.account(name)
	return err
}

// Redeem pays out at once what is asked for, if it can be. A redemption that was
// accepted is accepted again under its name, without a second payout.
func (o *ferryOffice) Redeem(r issuer.Redemption) (bool, error) {
	a, err := o.account(r.Account)
	if err != nil {
		return false, err
	}
	if r.Redemption != "" && a.seen["redemption "+r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > o.plan.redeemable(a) {
		return false, nil
	}
	a.fresh("redemption ", r.Redemption)
	a.redeemed += r.Amount
	return true, nil
}

// Balance shows the books.
func (o *ferryOffice) Balance(name string) (issuer.Balance, error) {
	a, err := o.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: o.plan.redeemable(a)}, nil
}

// PaidOut is what was paid without being asked.
func (o *ferryOffice) PaidOut(name string) (int64, error) {
	a, err := o.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings are the account's rows.
func (o *ferryOffice) Postings(name string) []Posting {
	if a := o.accounts[name]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

func ferryZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // time/tzdata has all of them
	}
	return zone
}

// ferryCloseOn is the first beginning of the given day of a month after t.
func ferryCloseOn(day int, zone *time.Location, t time.Time) time.Time {
	y, m, _ := t.In(zone).Date()
	c := time.Date(y, m, day, 0, 0, 0, 0, zone)
	if !c.After(t) {
		c = time.Date(y, m+1, day, 0, 0, 0, 0, zone)
	}
	return c
}

func ferryMonth(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01") }

func ferryYear(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006") }

func ferryQuarter(t time.Time, zone *time.Location) string {
	t = t.In(zone)
	return fmt.Sprintf("%d-Q%d", t.Year(), (int(t.Month())+2)/3)
}
