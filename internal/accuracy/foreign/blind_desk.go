package foreign

import (
	"errors"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // months and statements are local ones

	"recoup/internal/issuer"
)

// blindDesigns are the eight designs of these files: first the three sound ones.
var blindDesigns = []Design{
	blindQuay, blindMerlion, blindEdelweiss,
	blindCheckout, blindMaple, blindSunrise, blindEscalator, blindTwins,
}

// blindRules is what a design adds to the desk. What is nil is left out.
type blindRules struct {
	// sole is what a return is known by: one with the same is not counted again. Without it
	// that is its number.
	sole func(r *blindBack) string
	// rather says whether a refund that names no purchase is rather of p than of q, both of
	// which it could be of. Without it that is the later one.
	rather func(left int64, p, q *blindBuy) bool
	// sale is told of a purchase, at its full price; moved of each purchase of which another
	// amount is kept than before, and by which return; back of a return that has been placed.
	sale  func(b *blindBook, p *blindBuy)
	moved func(b *blindBook, p *blindBuy, before int64, refund string)
	back  func(b *blindBook, refund string)
	// wake is when the clock will next have something to do, once a fact came in; tick does it.
	wake func(b *blindBook) time.Time
	tick func(b *blindBook)
	// free is what can be redeemed. Without it that is the balance.
	free func(b *blindBook) int64
}

// blindBuy is a purchase; kept is what did not come back of it.
type blindBuy struct {
	id, merchant, category string
	amount, kept           int64
	made, told             time.Time
}

// blindBack is a refund or a chargeback; an amount of zero is all of its purchase.
type blindBack struct {
	id, of, merchant, category string
	amount                     int64
	made, told                 time.Time
}

// blindBook is one customer's account.
type blindBook struct {
	now     time.Time
	buys    []*blindBuy // in the order in which they cleared
	backs   []*blindBack
	known   map[string]bool
	due     []time.Time
	rows    []Posting
	balance int64
	sums    map[string]int64 // what a design remembers
}

// row makes an entry, if it is of anything.
func (b *blindBook) row(amount int64, purchase, refund, note string) {
	kind := Earned
	if amount < 0 {
		kind = Reversed
	}
	b.enter(Posting{Kind: kind, Amount: amount, Transaction: purchase, Refund: refund, Note: note})
}

func (b *blindBook) enter(p Posting) {
	if p.Amount != 0 {
		p.At = b.now
		b.balance += p.Amount
		b.rows = append(b.rows, p)
	}
}

// is brings what the books hold for a line to an amount, by an entry of the difference.
func (b *blindBook) is(line string, amount int64, purchase, refund, note string) {
	change := amount - b.sums[line]
	b.sums[line] = amount
	b.row(change, purchase, refund, note)
}

// blindTally adds amounts up under names, which stay in the order of their first.
type blindTally struct {
	names []string
	sums  map[string]int64
}

func (t *blindTally) add(name string, amount int64) {
	if t.sums == nil {
		t.sums = make(map[string]int64)
	}
	if _, there := t.sums[name]; !there {
		t.names = append(t.names, name)
	}
	t.sums[name] += amount
}

// place works out what is kept of every purchase: first by the returns that name theirs,
// then by those that name none, each in the order in which they were told of.
func (b *blindBook) place(rather func(int64, *blindBuy, *blindBuy) bool) {
	for _, p := range b.buys {
		p.kept = p.amount
		for _, r := range b.backs {
			if r.of == p.id && r.amount > 0 {
				p.kept -= min(p.kept, r.amount)
			} else if r.of == p.id {
				p.kept = 0
			}
		}
	}
	for _, r := range b.backs {
		for left := r.amount; r.of == "" && left > 0; {
			p := b.source(r, left, rather)
			if p == nil {
				break
			}
			part := min(left, p.kept)
			p.kept, left = p.kept-part, left-part
		}
	}
}

// source is the purchase that a refund without one is taken to be of: of its merchant, else
// of its category, else any that was made before it and of which something is kept.
func (b *blindBook) source(r *blindBack, left int64, rather func(int64, *blindBuy, *blindBuy) bool) *blindBuy {
	nearest, found := 0, (*blindBuy)(nil)
	for _, p := range b.buys {
		near := 1
		switch {
		case p.kept == 0 || p.made.After(r.made):
			continue
		case p.merchant == r.merchant && r.merchant != "":
			near = 3
		case p.category == r.category && r.category != "":
			near = 2
		}
		if near < nearest {
			continue
		}
		better := near > nearest || !p.made.Before(found.made)
		if near == nearest && rather != nil {
			better = rather(left, p, found)
		}
		if better {
			nearest, found = near, p
		}
	}
	return found
}

// blindDesk takes facts in, each once, and keeps the time.
type blindDesk struct {
	rules blindRules
	now   time.Time
	books map[string]*blindBook
	names []string
}

func newBlindDesk(r blindRules) Engine {
	return &blindDesk{rules: r, books: make(map[string]*blindBook)}
}

func (d *blindDesk) find(account string) (*blindBook, error) {
	if b := d.books[account]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("account %q is unknown", account)
}

// Open implements issuer.Issuer.
func (d *blindDesk) Open(account string) error {
	if d.books[account] != nil {
		return fmt.Errorf("account %q exists", account)
	}
	d.books[account] = &blindBook{now: d.now, known: make(map[string]bool), sums: make(map[string]int64)}
	d.names = append(d.names, account)
	return nil
}

// SetClock implements issuer.Issuer.
func (d *blindDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("time does not run back")
	}
	d.now = now
	for _, name := range d.names {
		b := d.books[name]
		for len(b.due) > 0 && !b.due[0].After(now) {
			b.now, b.due = b.due[0], b.due[1:]
			d.rules.tick(b)
		}
		b.now = now
	}
	return nil
}

// CloseStatement implements issuer.Issuer: statements close by themselves.
func (d *blindDesk) CloseStatement(account string) error {
	_, err := d.find(account)
	return err
}

// once says whether a fact is news to the book.
func (b *blindBook) once(fact string) bool {
	old := b.known[fact]
	b.known[fact] = true
	return !old
}

// at is when a fact was: when its sender says, but not later than now.
func (d *blindDesk) at(t time.Time) time.Time {
	if t.IsZero() || t.After(d.now) {
		return d.now
	}
	return t
}

// Settle implements issuer.Issuer.
func (d *blindDesk) Settle(s issuer.Settlement) error {
	b, err := d.find(s.Account)
	if err == nil && s.Amount <= 0 {
		err = errors.New("a purchase is of more than nothing")
	}
	if err != nil || !b.once("buy "+s.Transaction) {
		return err
	}
	p := &blindBuy{id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount, kept: s.Amount, made: d.at(s.At), told: d.now}
	if p.category == "" {
		p.category = "OTHER"
	}
	b.buys = append(b.buys, p)
	if d.rules.sale != nil {
		d.rules.sale(b, p)
	}
	d.placed(b, "")
	return nil
}

// Refund implements issuer.Issuer.
func (d *blindDesk) Refund(r issuer.Refund) error {
	if r.Amount <= 0 {
		return errors.New("a refund is of more than nothing")
	}
	return d.takeBack(r.Account, "refund "+r.Refund, &blindBack{
		id: r.Refund, of: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount, made: d.at(r.At), told: d.now,
	})
}

// Chargeback implements issuer.Issuer.
func (d *blindDesk) Chargeback(c issuer.Chargeback) error {
	if c.Amount < 0 || c.Transaction == "" {
		return errors.New("a chargeback is of a purchase, and not of less than nothing")
	}
	return d.takeBack(c.Account, "chargeback "+c.Chargeback, &blindBack{id: c.Chargeback, of: c.Transaction, amount: c.Amount, made: d.at(c.At), told: d.now})
}

func (d *blindDesk) takeBack(account, fact string, r *blindBack) error {
	b, err := d.find(account)
	if err != nil || !b.once(fact) || d.rules.sole != nil && !b.once(d.rules.sole(r)) {
		return err
	}
	b.backs = append(b.backs, r)
	d.placed(b, r.id)
	return nil
}

// placed places returns anew, and has the design hear of what that changed.
func (d *blindDesk) placed(b *blindBook, refund string) {
	before := make([]int64, len(b.buys))
	for i, p := range b.buys {
		before[i] = p.kept
	}
	b.place(d.rules.rather)
	for i, p := range b.buys {
		if d.rules.moved != nil && p.kept != before[i] {
			d.rules.moved(b, p, before[i], refund)
		}
	}
	if d.rules.back != nil {
		d.rules.back(b, refund)
	}
	if d.rules.wake == nil {
		return
	}
	at := d.rules.wake(b)
	if i, there := slices.BinarySearchFunc(b.due, at, time.Time.Compare); !there && at.After(b.now) {
		b.due = slices.Insert(b.due, i, at)
	}
}

func (d *blindDesk) free(b *blindBook) int64 {
	if d.rules.free == nil {
		return max(0, b.balance)
	}
	return max(0, d.rules.free(b))
}

// Redeem implements issuer.Issuer.
func (d *blindDesk) Redeem(r issuer.Redemption) (bool, error) {
	b, err := d.find(r.Account)
	if err != nil || r.Amount <= 0 || r.Amount > d.free(b) || !b.once("redeem "+r.Redemption) {
		return false, err
	}
	b.balance -= r.Amount
	return true, nil
}

// Balance implements issuer.Issuer.
func (d *blindDesk) Balance(account string) (issuer.Balance, error) {
	b, err := d.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: b.balance, Redeemable: d.free(b)}, nil
}

// Postings implements Engine.
func (d *blindDesk) Postings(account string) []Posting {
	b, err := d.find(account)
	if err != nil {
		return nil
	}
	return slices.Clone(b.rows)
}

// PaidOut implements issuer.Payer.
func (d *blindDesk) PaidOut(account string) (sum int64, err error) {
	b, err := d.find(account)
	if err != nil {
		return 0, err
	}
	for _, p := range b.rows {
		if p.Kind == Paid {
			sum -= p.Amount
		}
	}
	return sum, nil
}

// blindZone is a time zone by its name.
func blindZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// blindNext is the first time after t at which a day of the month begins in a zone.
func blindNext(t time.Time, day int, zone *time.Location) time.Time {
	l := t.In(zone)
	at := time.Date(l.Year(), l.Month(), day, 0, 0, 0, 0, zone)
	if !at.After(t) {
		at = time.Date(l.Year(), l.Month()+1, day, 0, 0, 0, 0, zone)
	}
	return at.UTC()
}
