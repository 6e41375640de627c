package foreign

import (
	"time"
	_ "time/tzdata" // zones by name on machines that have none

	"recoup/internal/issuer"
)

// marbleDesigns are seven reward engines: three sound, four with one flaw each.
var marbleDesigns = []Design{
	marbleHarbourDesign, marbleLindeDesign, marbleKoyoDesign,
	marbleKestrelDesign, marbleBasilDesign, marbleOspreyDesign, marbleFjordDesign,
}

// marbleBuy is a purchase as it cleared. back is how much of it has come back by the
// network's word, never above amount; a design may heed it or count for itself.
type marbleBuy struct {
	id, category string
	amount, back int64
	at, arrived  time.Time
}

func (b *marbleBuy) net() int64 { return b.amount - b.back }

// marbleReturn is a refund or a chargeback.
type marbleReturn struct {
	id, purchase  string
	amount        int64
	whole         bool // a chargeback of whatever is left
	category, mcc string
	at, arrived   time.Time
}

// marbleHouse is what a design does with facts that the desk has found to be new.
type marbleHouse[S any] interface {
	opened(f *marbleFile[S])
	bought(f *marbleFile[S], b *marbleBuy)
	// returned is told of x that came back of b; of an unnamed purchase if b is nil.
	returned(f *marbleFile[S], r marbleReturn, b *marbleBuy, x int64)
	redeemed(f *marbleFile[S], amount int64)
	redeemable(f *marbleFile[S]) int64
	// due does what is due up to the clock.
	due(f *marbleFile[S], now time.Time)
}

// marbleFile is an account: what the desk knows, the reward journal and, in own, what the
// design keeps.
type marbleFile[S any] struct {
	since    time.Time
	buys     map[string]*marbleBuy
	early    map[string][]marbleReturn // returns whose purchase has not arrived
	seen     map[string]bool
	answers  map[string]bool
	journal  []Posting
	total    int64 // sum of the journal
	redeemed int64
	paid     int64
	own      S
}

func (f *marbleFile[S]) balance() int64 { return f.total - f.redeemed }

func (f *marbleFile[S]) post(at time.Time, kind Kind, amount int64, purchase, refund, note string) {
	if amount == 0 {
		return
	}
	f.journal = append(f.journal, Posting{At: at, Kind: kind, Amount: amount, Transaction: purchase, Refund: refund, Note: note})
	f.total += amount
	if kind == Paid {
		f.paid -= amount
	}
}

// level posts a change of what a purchase is worth.
func (f *marbleFile[S]) level(at time.Time, change int64, purchase, refund, note string) {
	kind := Earned
	if change < 0 {
		kind = Reversed
	}
	f.post(at, kind, change, purchase, refund, note)
}

// marbleDesk takes calls, drops what was delivered before, finds the purchase of a return
// and hands the rest to its house.
type marbleDesk[S any] struct {
	house marbleHouse[S]
	now   time.Time
	files map[string]*marbleFile[S]
}

func marbleNewDesk[S any](h marbleHouse[S]) *marbleDesk[S] {
	return &marbleDesk[S]{house: h, files: map[string]*marbleFile[S]{}}
}

func (d *marbleDesk[S]) file(account string) *marbleFile[S] {
	f := d.files[account]
	if f == nil {
		f = &marbleFile[S]{since: d.now, buys: map[string]*marbleBuy{}, early: map[string][]marbleReturn{},
			seen: map[string]bool{}, answers: map[string]bool{}}
		d.files[account] = f
		d.house.opened(f)
	}
	return f
}

// Open begins an account; of one that exists it changes nothing.
func (d *marbleDesk[S]) Open(account string) error { d.file(account); return nil }

// SetClock also runs everything that fell due.
func (d *marbleDesk[S]) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return nil
	}
	first := d.now.IsZero()
	d.now = now
	for _, f := range d.files {
		if first && len(f.buys) == 0 && len(f.seen) == 0 { // opened before there was a clock
			f.since = now
			d.house.opened(f)
		}
		d.house.due(f, now)
	}
	return nil
}

func (d *marbleDesk[S]) when(at time.Time) time.Time {
	if at.IsZero() {
		return d.now
	}
	return at
}

// Settle takes a purchase and the returns that were here before it.
func (d *marbleDesk[S]) Settle(s issuer.Settlement) error {
	f := d.file(s.Account)
	if s.Amount <= 0 || f.buys[s.Transaction] != nil {
		return nil
	}
	b := &marbleBuy{id: s.Transaction, category: s.Category, amount: s.Amount, at: d.when(s.At), arrived: d.now}
	f.buys[s.Transaction] = b
	d.house.bought(f, b)
	early := f.early[b.id]
	delete(f.early, b.id)
	for _, r := range early {
		d.apply(f, r)
	}
	return nil
}

// Refund takes a refund, linked or not.
func (d *marbleDesk[S]) Refund(r issuer.Refund) error {
	f := d.file(r.Account)
	if r.Amount <= 0 || f.seen["r"+r.Refund] {
		return nil
	}
	f.seen["r"+r.Refund] = true
	d.apply(f, marbleReturn{id: r.Refund, purchase: r.Transaction, amount: r.Amount, category: r.Category, mcc: r.MCC,
		at: d.when(r.At), arrived: d.now})
	return nil
}

// Chargeback takes a dispute that the cardholder won.
func (d *marbleDesk[S]) Chargeback(c issuer.Chargeback) error {
	f := d.file(c.Account)
	if c.Amount < 0 || f.seen["c"+c.Chargeback] {
		return nil
	}
	f.seen["c"+c.Chargeback] = true
	d.apply(f, marbleReturn{id: c.Chargeback, purchase: c.Transaction, amount: c.Amount, whole: c.Amount == 0,
		at: d.when(c.At), arrived: d.now})
	return nil
}

func (d *marbleDesk[S]) apply(f *marbleFile[S], r marbleReturn) {
	if r.purchase == "" {
		if r.amount > 0 {
			d.house.returned(f, r, nil, r.amount)
		}
		return
	}
	b := f.buys[r.purchase]
	if b == nil {
		f.early[r.purchase] = append(f.early[r.purchase], r)
		return
	}
	x := min(r.amount, b.net())
	if r.whole {
		x = b.net()
	}
	if x > 0 {
		b.back += x
		d.house.returned(f, r, b, x)
	}
}

// CloseStatement does nothing that the clock has not done.
func (d *marbleDesk[S]) CloseStatement(account string) error {
	d.house.due(d.file(account), d.now)
	return nil
}

// Redeem answers a redemption that it has met before as it did then.
func (d *marbleDesk[S]) Redeem(r issuer.Redemption) (bool, error) {
	f := d.file(r.Account)
	if answer, ok := f.answers[r.Redemption]; ok && r.Redemption != "" {
		return answer, nil
	}
	ok := r.Amount > 0 && r.Amount <= max(0, d.house.redeemable(f))
	f.answers[r.Redemption] = ok
	if ok {
		f.redeemed += r.Amount
		d.house.redeemed(f, r.Amount)
	}
	return ok, nil
}

// Balance is the journal less redemptions.
func (d *marbleDesk[S]) Balance(account string) (issuer.Balance, error) {
	f := d.file(account)
	return issuer.Balance{Balance: f.balance(), Redeemable: max(0, d.house.redeemable(f))}, nil
}

// Postings is a copy of the journal.
func (d *marbleDesk[S]) Postings(account string) []Posting {
	return append([]Posting(nil), d.file(account).journal...)
}

// Authorize is no move of these programs.
func (d *marbleDesk[S]) Authorize(issuer.Settlement) error { return issuer.ErrUnsupported }

// Cancel is no move of these programs.
func (d *marbleDesk[S]) Cancel(string, string) error { return issuer.ErrUnsupported }

func marbleZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// marbleCycle is the first instant of the cycle in which t lies, of cycles that begin on
// the given local day of a month.
func marbleCycle(t time.Time, day int, z *time.Location) time.Time {
	y, m, _ := t.In(z).Date()
	if s := time.Date(y, m, day, 0, 0, 0, 0, z); !s.After(t) {
		return s
	}
	return time.Date(y, m-1, day, 0, 0, 0, 0, z)
}

// marbleLater is the same day some months later.
func marbleLater(t time.Time, months int, z *time.Location) time.Time {
	y, m, day := t.In(z).Date()
	return time.Date(y, m+time.Month(months), day, 0, 0, 0, 0, z)
}

// marbleKinds are the categories that codes stand for; a code that is not here says nothing.
var marbleKinds = map[string][]string{
	"5411": {"GROCERY"}, "5812": {"DINING"}, "5541": {"FUEL"}, "5999": {"ONLINE", "OTHER"}, "4511": {"TRAVEL"},
	"5712": {"HOME"}, "5732": {"ELECTRONICS"}, "5651": {"FASHION"}, "5814": {"RESTAURANT"},
}

// marbleDearest is the most that price asks for any category the return may be of.
func marbleDearest(r marbleReturn, price func(category string) int64) int64 {
	if r.category != "" {
		return price(r.category)
	}
	if kinds := marbleKinds[r.mcc]; kinds != nil {
		var most int64
		for _, k := range kinds {
			most = max(most, price(k))
		}
		return most
	}
	var most int64
	for _, kinds := range marbleKinds {
		for _, k := range kinds {
			most = max(most, price(k))
		}
	}
	return most
}

// marbleUp is a/b rounded up, of what is not negative.
func marbleUp(a, b int64) int64 { return (a + b - 1) / b }
