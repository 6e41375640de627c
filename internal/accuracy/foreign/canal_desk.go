package foreign

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // the zones must be the same wherever this runs

	"recoup/internal/issuer"
)

// canalDesigns are eight programs of eight countries.
var canalDesigns = []Design{
	canalFjordDesign, canalAlpDesign, canalTaimatsuDesign,
	canalVistulaDesign, canalBosphorusDesign, canalIpeDesign, canalProteaDesign, canalAltairDesign,
}

const (
	canalDay = 24 * time.Hour
	// canalPatience is how long a refund waits for the purchase that it names; after that
	// it is treated like one that names none, until the purchase comes after all.
	canalPatience = 30 * canalDay
	// canalEarly is how much later than a nameless refund its purchase may be dated: shops
	// do refund what has not cleared yet.
	canalEarly = 10 * canalDay
)

// canalBuy is a purchase that has cleared.
type canalBuy struct {
	id, shop, category string
	amount             int64
	at, arrived        time.Time
	booked             int64 // what its own rows add up to, in designs that have such rows
	named, guessed     int64 // taken back by refunds that name it, and by those that may be its
	cuts               []canalCut
	sure               int // so many of the cuts are of refunds that name the purchase
}

// left is what of the purchase has not come back.
func (b *canalBuy) left() int64 { return b.amount - b.named - b.guessed }

// cut takes up to amount back and says what of it there was.
func (b *canalBuy) cut(k *canalBack, amount int64) int64 {
	n := min(amount, b.left())
	if n > 0 {
		b.cuts = append(b.cuts, canalCut{k.at, n})
	}
	return max(n, 0)
}

// canalCut is a part of a purchase that came back, and when.
type canalCut struct {
	at     time.Time
	amount int64
}

// canalBack is a refund or a chargeback.
type canalBack struct {
	id, transaction, shop, category string
	amount                          int64
	whole                           bool // a chargeback of all there is
	at, arrived                     time.Time
}

// fits says whether a nameless refund may be of the purchase. A shop decides; without one,
// the category does if both have it.
func (k *canalBack) fits(b *canalBuy) bool {
	if b.at.After(k.at.Add(canalEarly)) {
		return false
	}
	if k.shop == "" || b.shop == "" {
		return k.category == "" || b.category == "" || k.category == b.category
	}
	return k.shop == b.shop
}

// canalCause is why books are looked at: a fact, or (due) that a time has come.
type canalCause struct {
	transaction, refund string
	bought              *canalBuy
	due                 bool
}

// canalFile is what the desk knows of an account. Facts are kept for good; all else is
// computed from them.
type canalFile struct {
	opened, now    time.Time
	buys           []*canalBuy
	byID           map[string]*canalBuy
	backs          []*canalBack
	seen           map[string]bool
	answers        map[string]bool // of redemptions, by id
	rows           []Posting
	sum            int64 // of rows
	redeemed, paid int64
	books          map[string]int64 // totals that a design has posted, by its own keys
}

func (f *canalFile) balance() int64 { return f.sum - f.redeemed }

// post adds a row at the account's time; nothing for nothing.
func (f *canalFile) post(kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	f.rows = append(f.rows, Posting{At: f.now, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
	f.sum += amount
}

// move adds a row whose kind goes by its sign.
func (f *canalFile) move(amount int64, transaction, refund, note string) {
	kind := Earned
	if amount < 0 {
		kind = Reversed
	}
	f.post(kind, amount, transaction, refund, note)
}

// payOut pays an amount without being asked.
func (f *canalFile) payOut(amount int64, note string) {
	f.post(Paid, -amount, "", "", note)
	f.paid += amount
}

// canalPlan is what one program does with an account's facts.
type canalPlan interface {
	// book brings the rows up to the facts as they are now.
	book(f *canalFile, c canalCause)
	// next is the first time after t when something falls due of itself, zero if nothing does.
	next(f *canalFile, t time.Time) time.Time
	// takes says whether a refund counts at all, sees whether it finds the purchase.
	takes(f *canalFile, k *canalBack) bool
	sees(k *canalBack, b *canalBuy) bool
	// orders are the orders of purchases in which nameless refunds may be placed. Of
	// several that one is taken by which the account is worth least.
	orders(f *canalFile) [][]*canalBuy
	worth(f *canalFile) int64
	// redeemable is what may be paid out of the balance, if that is above zero.
	redeemable(f *canalFile) int64
}

// canalPlain is a plan's ordinary answers.
type canalPlain struct{}

func (canalPlain) next(*canalFile, time.Time) time.Time { return time.Time{} }
func (canalPlain) takes(*canalFile, *canalBack) bool    { return true }
func (canalPlain) sees(*canalBack, *canalBuy) bool      { return true }
func (canalPlain) worth(*canalFile) int64               { return 0 }
func (canalPlain) redeemable(f *canalFile) int64        { return f.balance() }

// canalDearest orders purchases by what a unit of them earns, most first, then the newest
// first: a nameless refund must not be put where it costs its sender nothing.
func canalDearest(f *canalFile, rate func(*canalBuy) int64) []*canalBuy {
	o := slices.Clone(f.buys)
	slices.SortStableFunc(o, func(a, b *canalBuy) int {
		if d := rate(b) - rate(a); d != 0 {
			return int(max(-1, min(1, d)))
		}
		return b.at.Compare(a.at)
	})
	return o
}

// canalYearsFirst adds to an order, for each year, the one in which that year's come first.
func canalYearsFirst(order []*canalBuy, zone *time.Location) [][]*canalBuy {
	all := [][]*canalBuy{order}
	done := map[int]bool{}
	for _, b := range order {
		y := b.at.In(zone).Year()
		if done[y] {
			continue
		}
		done[y] = true
		var first, rest []*canalBuy
		for _, c := range order {
			if c.at.In(zone).Year() == y {
				first = append(first, c)
			} else {
				rest = append(rest, c)
			}
		}
		all = append(all, append(first, rest...))
	}
	return all
}

// place says anew what is left of each purchase: refunds that name theirs first, then the
// others. So a guess never stands in the way of what is known.
func (f *canalFile) place(p canalPlan) {
	for _, b := range f.buys {
		b.named, b.guessed, b.cuts, b.sure = 0, 0, b.cuts[:0], 0
	}
	var claims []*canalBack
	for _, k := range f.backs {
		b := f.byID[k.transaction]
		switch {
		case k.transaction == "", b == nil && !k.whole && !f.now.Before(k.arrived.Add(canalPatience)):
			claims = append(claims, k)
		case b == nil || !p.sees(k, b):
		case k.whole:
			b.named += b.cut(k, b.left())
		default:
			b.named += b.cut(k, k.amount)
		}
	}
	if len(claims) == 0 {
		return
	}
	for _, b := range f.buys {
		b.sure = len(b.cuts)
	}
	orders := p.orders(f)
	var best []*canalBuy
	var least int64
	for _, o := range orders {
		f.guess(p, claims, o)
		if w := p.worth(f); best == nil || w < least {
			best, least = o, w
		}
	}
	if len(orders) > 1 {
		f.guess(p, claims, best)
	}
}

// guess places nameless refunds in an order of purchases, as far as there are any.
func (f *canalFile) guess(p canalPlan, claims []*canalBack, order []*canalBuy) {
	for _, b := range order {
		b.guessed, b.cuts = 0, b.cuts[:b.sure]
	}
	for _, k := range claims {
		rest := k.amount
		for _, b := range order {
			if rest > 0 && b.left() > 0 && k.fits(b) && p.sees(k, b) {
				n := b.cut(k, rest)
				b.guessed += n
				rest -= n
			}
		}
	}
}

// canalDesk is the counter that all eight programs stand behind: it knows each message
// once, keeps the facts, and has the plan's books done when a fact or a time comes.
type canalDesk struct {
	plan  canalPlan
	now   time.Time
	files map[string]*canalFile
	order []*canalFile
}

func canalOpenDesk(p canalPlan) *canalDesk {
	return &canalDesk{plan: p, files: map[string]*canalFile{}}
}

// canalPayingDesk is a desk that also pays out by itself.
type canalPayingDesk struct{ *canalDesk }

func (d canalPayingDesk) PaidOut(account string) (int64, error) {
	f, err := d.file(account)
	if err != nil {
		return 0, err
	}
	return f.paid, nil
}

func (d *canalDesk) file(account string) (*canalFile, error) {
	if f := d.files[account]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("canal: no account %q", account)
}

func (d *canalDesk) Open(account string) error {
	if d.files[account] != nil {
		return fmt.Errorf("canal: account %q is open", account)
	}
	f := &canalFile{
		opened: d.now, now: d.now, byID: map[string]*canalBuy{}, seen: map[string]bool{},
		answers: map[string]bool{}, books: map[string]int64{},
	}
	d.files[account] = f
	d.order = append(d.order, f)
	return nil
}

func (d *canalDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return fmt.Errorf("canal: the clock cannot go back to %v", now)
	}
	for _, f := range d.order {
		if f.now.IsZero() { // opened before anybody said what time it was
			f.opened, f.now = now, now
		}
		d.run(f, now)
	}
	d.now = now
	return nil
}

// run does what falls due up to a time, each at its own.
func (d *canalDesk) run(f *canalFile, to time.Time) {
	for {
		t := d.plan.next(f, f.now)
		for _, k := range f.backs {
			end := k.arrived.Add(canalPatience)
			if k.transaction != "" && f.byID[k.transaction] == nil && end.After(f.now) && (t.IsZero() || end.Before(t)) {
				t = end
			}
		}
		if t.IsZero() || t.After(to) {
			f.now = to
			return
		}
		f.now = t
		d.work(f, canalCause{due: true})
	}
}

func (d *canalDesk) work(f *canalFile, c canalCause) {
	f.place(d.plan)
	d.plan.book(f, c)
}

// fresh notes a message by its key, and says whether it is the first of that name.
func (f *canalFile) fresh(kind, id string) bool {
	if id == "" {
		return true
	}
	old := f.seen[kind+id]
	f.seen[kind+id] = true
	return !old
}

func (d *canalDesk) Settle(s issuer.Settlement) error {
	f, err := d.file(s.Account)
	if err != nil || s.Amount <= 0 || !f.fresh("purchase ", s.Transaction) {
		return err
	}
	b := &canalBuy{id: s.Transaction, shop: s.Merchant, category: s.Category, amount: s.Amount, at: canalWhen(s.At, d.now), arrived: d.now}
	f.buys = append(f.buys, b)
	if b.id != "" {
		f.byID[b.id] = b
	}
	d.work(f, canalCause{transaction: b.id, bought: b})
	return nil
}
