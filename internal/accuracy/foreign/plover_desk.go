package foreign

import (
	"fmt"
	"time"
	_ "time/tzdata" // the designs keep local calendars wherever they run

	"recoup/internal/issuer"
)

// ploverDesigns are the eight programs of this desk: three sound ones, then five that leak.
var ploverDesigns = []Design{
	ploverTrappa, ploverApteek, ploverBencina,
	ploverDinar, ploverDuka, ploverSukli, ploverMonedero, ploverFatura,
}

// ploverPlan is what distinguishes one design from another: what it books for the facts of
// one account. The desk has sorted the facts out before: each comes once, a part taken back
// is never more than what was left of its purchase, and what was taken back before the
// purchase cleared is off it already when the plan first hears of it.
type ploverPlan interface {
	bought(b *ploverBuy)
	// back says that part of b was returned or charged back; b has it off already.
	back(b *ploverBuy, part ploverPart)
	// loose is a refund that names no purchase, or one that has not come; it says what it
	// was charged.
	loose(part ploverPart) int64
	// lift takes back what loose did, since the purchase has come.
	lift(part ploverPart, charged int64)
	// next is the first instant after t at which the plan has work to do by itself, zero if
	// it never has.
	next(t time.Time) time.Time
	run()
	// free is what could be redeemed; the desk takes less than zero for nothing.
	free() int64
}

// ploverBuy is a purchase that has cleared.
type ploverBuy struct {
	id, category string
	amount, gone int64
	at           time.Time
}

// left is what the customer still keeps of the purchase, in minor units.
func (b *ploverBuy) left() int64 { return b.amount - b.gone }

// units is how many full units that is.
func (b *ploverBuy) units(unit int64) int64 { return b.left() / unit }

// ploverPart is what one refund or chargeback takes back.
type ploverPart struct {
	id     string
	amount int64
}

// ploverWaiting is a part whose purchase has not come, and what it was charged meanwhile.
type ploverWaiting struct {
	part    ploverPart
	charged int64
}

// ploverUnknown is what all designs do with names that say nothing to them.
const ploverUnknown = " A return that names a purchase which has not come is booked like one " +
	"that names none, until it comes."

// ploverAll is the amount of a chargeback of all of a purchase, whatever it will turn out to be.
const ploverAll = 1 << 62

// begun is how many units the part touches at most: the most full units that a purchase can
// lose by it, whichever purchase it was of.
func (p ploverPart) begun(unit int64) int64 { return (p.amount + unit - 1) / unit }

// ploverAccount is one customer's facts and ledger.
type ploverAccount struct {
	now, opened time.Time
	due         time.Time // when the plan works next by itself
	buys        []*ploverBuy
	byID        map[string]*ploverBuy
	early       map[string][]ploverWaiting // what came before its purchase
	seen        map[string]bool            // facts that had their effect
	answers     map[string]bool            // what redemptions were told
	rows        []Posting
	booked      int64 // sum of rows
	redeemed    int64
	paid        int64
	plan        ploverPlan
}

// post books a row at the account's clock; a row of nothing is none.
func (a *ploverAccount) post(kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	a.booked += amount
	if kind == Paid {
		a.paid -= amount
	}
	a.rows = append(a.rows, Posting{At: a.now, Kind: kind, Amount: amount,
		Transaction: transaction, Refund: refund, Note: note})
}

// balance is what the customer sees: the ledger less what was redeemed.
func (a *ploverAccount) balance() int64 { return a.booked - a.redeemed }

// once says whether a fact is new, and remembers it.
func (a *ploverAccount) once(key string) bool {
	if a.seen[key] {
		return false
	}
	a.seen[key] = true
	return true
}

// takeOff reduces a purchase by a part, as far as there is something left of it, and says
// how much that was. The rest of a refund above the price is money that was never spent.
func (b *ploverBuy) takeOff(part ploverPart) ploverPart {
	part.amount = min(part.amount, b.left())
	b.gone += part.amount
	return part
}

// reverse is the way of every linked return: to its purchase, or to wait for it. Who waits is
// charged as if nameless, so that a wrong name is no way to keep a reward; a chargeback of all
// of an unknown purchase has no amount to charge.
func (a *ploverAccount) reverse(transaction string, part ploverPart) {
	b := a.byID[transaction]
	if b == nil {
		w := ploverWaiting{part: part}
		if part.amount < ploverAll {
			w.charged = a.plan.loose(part)
		}
		a.early[transaction] = append(a.early[transaction], w)
		return
	}
	if part = b.takeOff(part); part.amount > 0 {
		a.plan.back(b, part)
	}
}

// settle enters a purchase, less what was returned of it before it cleared.
func (a *ploverAccount) settle(s issuer.Settlement) {
	b := &ploverBuy{id: s.Transaction, category: s.Category, amount: s.Amount, at: s.At}
	if b.at.IsZero() {
		b.at = a.now
	}
	for _, w := range a.early[b.id] {
		if w.part.amount < ploverAll {
			a.plan.lift(w.part, w.charged)
		}
		b.takeOff(w.part)
	}
	delete(a.early, b.id)
	a.byID[b.id] = b
	a.buys = append(a.buys, b)
	a.plan.bought(b)
}

// advance moves the account's clock, doing on the way what was due at its own time.
func (a *ploverAccount) advance(from, now time.Time) {
	if from.IsZero() { // the account is older than the clock
		a.opened, a.due = now, a.plan.next(now)
	}
	for !a.due.IsZero() && !a.due.After(now) {
		a.now = a.due
		a.plan.run()
		a.due = a.plan.next(a.now)
	}
	a.now = now
}

// ploverDesk drives plans by the port.
type ploverDesk struct {
	now      time.Time
	accounts map[string]*ploverAccount
	plan     func(*ploverAccount) ploverPlan
	// refundKey says by what a refund is known again.
	refundKey func(issuer.Refund) string
}

// ploverNew makes an engine of a plan.
func ploverNew(plan func(*ploverAccount) ploverPlan) *ploverDesk {
	return &ploverDesk{accounts: map[string]*ploverAccount{}, plan: plan,
		refundKey: func(r issuer.Refund) string { return r.Refund }}
}

func (d *ploverDesk) account(name string) (*ploverAccount, error) {
	if a := d.accounts[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("plover: no account %q", name)
}

// Open implements issuer.Issuer; an account that is open stays as it is.
func (d *ploverDesk) Open(name string) error {
	if d.accounts[name] != nil {
		return nil
	}
	a := &ploverAccount{now: d.now, opened: d.now, byID: map[string]*ploverBuy{},
		early: map[string][]ploverWaiting{}, seen: map[string]bool{}, answers: map[string]bool{}}
	a.plan = d.plan(a)
	if !d.now.IsZero() {
		a.due = a.plan.next(d.now)
	}
	d.accounts[name] = a
	return nil
}

// SetClock implements issuer.Issuer.
func (d *ploverDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("plover: the clock does not go back to %v", now)
	}
	for _, a := range d.accounts {
		a.advance(d.now, now)
	}
	d.now = now
	return nil
}

// Settle implements issuer.Issuer.
func (d *ploverDesk) Settle(s issuer.Settlement) error {
	a, err := d.account(s.Account)
	if err == nil && s.Amount > 0 && a.once("purchase "+s.Transaction) {
		a.settle(s)
	}
	return err
}

// Refund implements issuer.Issuer.
func (d *ploverDesk) Refund(r issuer.Refund) error {
	a, err := d.account(r.Account)
	if err != nil || r.Amount <= 0 || !a.once("refund "+d.refundKey(r)) {
		return err
	}
	if part := (ploverPart{r.Refund, r.Amount}); r.Transaction == "" {
		a.plan.loose(part)
	} else {
		a.reverse(r.Transaction, part)
	}
	return nil
}

// Chargeback implements issuer.Issuer.
func (d *ploverDesk) Chargeback(c issuer.Chargeback) error {
	a, err := d.account(c.Account)
	if err != nil || c.Amount < 0 || !a.once("chargeback "+c.Chargeback) {
		return err
	}
	part := ploverPart{id: c.Chargeback, amount: c.Amount}
	if part.amount == 0 {
		part.amount = ploverAll
	}
	a.reverse(c.Transaction, part)
	return nil
}

// CloseStatement implements issuer.Issuer: all closes run by the clock.
func (d *ploverDesk) CloseStatement(name string) error {
	_, err := d.account(name)
	return err
}

// Redeem implements issuer.Issuer; a request that comes again is told the same again.
func (d *ploverDesk) Redeem(r issuer.Redemption) (bool, error) {
	a, err := d.account(r.Account)
	if err != nil {
		return false, err
	}
	if answer, known := a.answers[r.Redemption]; known {
		return answer, nil
	}
	accepted := r.Amount > 0 && r.Amount <= a.plan.free()
	a.answers[r.Redemption] = accepted
	if accepted {
		a.redeemed += r.Amount
	}
	return accepted, nil
}

// Balance implements issuer.Issuer.
func (d *ploverDesk) Balance(name string) (issuer.Balance, error) {
	a, err := d.account(name)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, a.plan.free())}, nil
}

// PaidOut implements issuer.Payer.
func (d *ploverDesk) PaidOut(name string) (int64, error) {
	a, err := d.account(name)
	if err != nil {
		return 0, err
	}
	return a.paid, nil
}

// Postings implements Engine.
func (d *ploverDesk) Postings(name string) []Posting {
	if a := d.accounts[name]; a != nil {
		return append([]Posting(nil), a.rows...)
	}
	return nil
}

// ploverCalendar counts periods of so many months that begin on a day of the month.
type ploverCalendar struct {
	zone   *time.Location
	day    int
	months int
}

// index numbers the period in which t lies.
func (c ploverCalendar) index(t time.Time) int {
	y, m, day := t.In(c.zone).Date()
	month := y*12 + int(m) - 1
	if day < c.day {
		month--
	}
	return month / c.months
}

// start is the first instant of a period.
func (c ploverCalendar) start(index int) time.Time {
	return ploverMidnight(0, 1+index*c.months, c.day, c.zone)
}

// after is the first beginning of a period after t.
func (c ploverCalendar) after(t time.Time) time.Time { return c.start(c.index(t) + 1) }

// ploverMidnight is the first instant of a local date. Where summer time begins at midnight
// there is no midnight, and the day begins when the clocks have changed.
func ploverMidnight(year, month, day int, zone *time.Location) time.Time {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, zone)
	if t.Hour() > 12 {
		_, t = t.ZoneBounds()
	}
	return t
}

// ploverZone is a time zone of the database that is linked in.
func ploverZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the database is part of the program
	}
	return zone
}
