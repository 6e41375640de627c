package attack

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/reward"
)

// MoveKind is what a customer does.
type MoveKind string

// The documented moves. To wait and to walk away is to make none.
const (
	Buys    MoveKind = "buy"
	Redeems MoveKind = "redeem"
	Returns MoveKind = "return"
)

// Move is one thing that the customer does.
type Move struct {
	At   time.Time `json:"at"`
	Kind MoveKind  `json:"kind"`
	// Purchase counts purchases from one: the one made, or the one brought back; of several
	// that are made at a time the first. A redemption has none.
	Purchase int `json:"purchase,omitzero"`
	// Amount is the price, what is redeemed, or what is refunded, in minor units.
	Amount int64 `json:"amount"`
	// Count is how many purchases are made, where that is more than one.
	Count int `json:"count,omitzero"`
	// Item is the item that is brought back, empty where that is no matter of items.
	Item string `json:"item,omitzero"`

	offer int // of what is bought
}

// game is what stays the same throughout a search: the program and the
// customer's bounds.
type game struct {
	bounds   Bounds
	program  *reward.Program
	offers   []Offer
	known    attributes // of the customer
	calendar calendar
	dues     map[string]int64 // what is due, by what is kept
}

func newGame(b Bounds) *game {
	p := b.program()
	g := &game{bounds: b, program: p, known: attributesOf(p), calendar: newCalendar(p, &b), dues: map[string]int64{}}
	g.offers = b.offers()
	return g
}

// position is where a customer stands: the issuer as it is, and what the
// customer knows besides.
type position struct {
	issuer  issuer.Issuer
	offers  []Offer
	shown   issuer.Balance
	paidOut int64 // by the issuer of its own accord, so far

	day       int // of the calendar
	moves     int // made in this cycle
	bought    int // purchases made in this cycle, those of one time as one
	purchases int // ever
	played    int // moves ever

	holdings []holding // in order of purchase
	coming   []fact    // what was bought or brought back and has not posted, in order of posting
	uses     []use     // what was redeemed, where rewards expire
	// ahead is the cash taken so far, less the entitlement of holdings that are
	// forgotten, in minor units.
	ahead int64
}

// holding is a purchase that still matters.
type holding struct {
	purchase, day    int
	offer            int
	amount, returned int64
	back             uint8 // of a receipt, the items that went back
}

// fact is something that will post.
type fact struct {
	at       time.Time
	purchase int
	offer    int
	refund   string // empty of a purchase
	amount   int64
	items    []reward.Item // that went back
}

// use is what was redeemed on a day.
type use struct {
	day    int
	amount int64
}

// attacker is the account.
const attacker = "attacker"

func purchaseID(purchase int) string { return "purchase " + strconv.Itoa(purchase) }

// start opens the account on the first day.
func (g *game) start(d design.Design) (*position, error) {
	p := &position{issuer: d.New(g.program), offers: g.offers}
	if err := p.issuer.SetClock(g.calendar[0].at); err != nil {
		return nil, err
	}
	if err := p.issuer.Open(attacker); err != nil {
		return nil, err
	}
	if _, ok := p.issuer.(design.Cloner); !ok {
		return nil, fmt.Errorf("lab: its issuer cannot be copied: expected a Cloner")
	}
	if to, ok := p.issuer.(issuer.Member); ok {
		for _, name := range slices.Sorted(maps.Keys(g.known)) {
			if err := to.SetAttribute(issuer.Attribute{Account: attacker, Attribute: "of " + name, Name: name, Value: g.known[name]}); err != nil {
				return nil, err
			}
		}
	}
	return p, p.look()
}

// clone copies the position with its issuer.
func (p *position) clone() *position {
	c := *p
	c.issuer = p.issuer.(design.Cloner).Clone()
	c.holdings, c.coming, c.uses = slices.Clone(p.holdings), slices.Clone(p.coming), slices.Clone(p.uses)
	return &c
}

// options are the moves that the bounds, the balance and the merchant allow.
func (g *game) options(p *position) []Move {
	if most := g.bounds.MovesPerCycle; most > 0 && p.moves == most {
		return nil
	}
	today := &g.calendar[p.day]
	var list []Move
	if today.buys && p.bought < g.bounds.PurchasesPerCycle {
		for i := range g.offers {
			m := Move{At: today.at, Kind: Buys, Purchase: p.purchases + 1, Amount: g.offers[i].Amount, offer: i}
			if n := g.offers[i].Count; n > 1 {
				m.Count = n
			}
			list = append(list, m)
		}
	}
	if p.shown.Redeemable > 0 {
		list = append(list, Move{At: today.at, Kind: Redeems, Amount: p.shown.Redeemable})
	}
	for i, h := range p.holdings {
		if g.returnable(h, p.day) && !g.another(p.holdings[:i], h) {
			list = append(list, g.returns(h, today.at)...)
		}
	}
	return list
}

// returns are the ways to bring a purchase back: whole; by half; of a receipt an item alone.
// Of several that were bought at a time, each comes back whole.
func (g *game) returns(h holding, at time.Time) []Move {
	o := &g.offers[h.offer]
	list := []Move{{At: at, Kind: Returns, Purchase: h.purchase, Amount: h.amount - h.returned}}
	half := h.amount / 2
	switch {
	case h.returned > 0 || o.Count > 1:
	case o.Items != nil:
		for _, item := range o.Items {
			list = append(list, Move{At: at, Kind: Returns, Purchase: h.purchase, Amount: item.Amount, Item: item.ID})
		}
	case half > 0:
		list = append(list, Move{At: at, Kind: Returns, Purchase: h.purchase, Amount: half})
	}
	return list
}

// another reports whether one of the purchases was made at the same time as this one and is
// as whole: under rerate it makes no difference which of them comes back.
func (g *game) another(before []holding, h holding) bool {
	return g.offers[h.offer].Count > 1 && g.program.Method == reward.Rerate && slices.ContainsFunc(before, func(o holding) bool {
		return o.day == h.day && o.offer == h.offer && o.returned == h.returned
	})
}

// days is so many days of the program's zone after a day of the calendar.
func (g *game) days(day, days int) time.Time {
	return g.calendar[day].at.In(zoneOf(g.program)).AddDate(0, 0, days).UTC()
}

// postsAt is when a purchase posts.
func (g *game) postsAt(h holding) time.Time { return g.days(h.day, g.bounds.PostDays) }

// returnable reports whether the merchant takes something of it back that day.
func (g *game) returnable(h holding, day int) bool {
	return h.returned < h.amount && g.calendar[day].at.Before(g.days(h.day, g.bounds.ReturnDays))
}

// move makes a move.
func (g *game) move(p *position, m Move) error {
	p.moves++
	p.played++
	if err := g.deliver(p, m); err != nil {
		return err
	}
	return p.look()
}

func (g *game) deliver(p *position, m Move) error {
	switch m.Kind {
	case Buys:
		p.bought++
		for range max(m.Count, 1) {
			p.purchases++
			p.holdings = append(p.holdings, holding{purchase: p.purchases, day: p.day, offer: m.offer, amount: m.Amount})
			if err := g.send(p, fact{at: g.days(p.day, g.bounds.PostDays), purchase: p.purchases, offer: m.offer}); err != nil {
				return err
			}
		}
		return nil
	case Redeems:
		p.ahead += m.Amount
		if g.program.ExpiryMonths > 0 {
			p.uses = append(p.uses, use{p.day, m.Amount})
		}
		paid, err := p.issuer.Redeem(issuer.Redemption{Account: attacker, Redemption: strconv.Itoa(p.played), Amount: m.Amount})
		if err == nil && !paid {
			err = fmt.Errorf("lab: %d is shown as redeemable and was refused", m.Amount)
		}
		return err
	}
	h := &p.holdings[slices.IndexFunc(p.holdings, func(h holding) bool { return h.purchase == m.Purchase })]
	f := fact{at: g.days(p.day, g.bounds.RefundDays), purchase: m.Purchase, offer: h.offer, refund: strconv.Itoa(p.played), amount: m.Amount}
	for i, item := range g.offers[h.offer].Items {
		if h.back&(1<<i) == 0 && (m.Item == "" || m.Item == item.ID) {
			h.back |= 1 << i
			f.items = append(f.items, item)
		}
	}
	h.returned += m.Amount
	return g.send(p, f)
}

// send has a fact post: at once, or when it is due.
func (g *game) send(p *position, f fact) error {
	if !f.at.After(g.calendar[p.day].at) {
		return p.post(f)
	}
	if to, ok := p.issuer.(issuer.Authorizer); ok && f.refund == "" {
		s := p.offers[f.offer].settlement()
		s.Transaction, s.Items = purchaseID(f.purchase), nil
		if err := to.Authorize(s); err != nil {
			return err
		}
	}
	i, _ := slices.BinarySearchFunc(p.coming, f, func(x, y fact) int { return cmp.Or(x.at.Compare(y.at), -1) })
	p.coming = slices.Insert(p.coming, i, f)
	return nil
}

// post tells the issuer of a fact.
func (p *position) post(f fact) error {
	o := &p.offers[f.offer]
	if f.refund == "" {
		s := o.settlement()
		s.Transaction = purchaseID(f.purchase)
		return p.issuer.Settle(s)
	}
	r := issuer.Refund{Account: attacker, Refund: f.refund, Transaction: purchaseID(f.purchase), Amount: f.amount, Merchant: o.Merchant, Items: f.items}
	if o.Items == nil {
		r.MCC, r.Category, r.Labels = o.MCC, o.Category, o.Labels
	}
	return p.issuer.Refund(r)
}

// look reads what the issuer shows, and takes in what it has paid out.
func (p *position) look() (err error) {
	if p.shown, err = p.issuer.Balance(attacker); err != nil {
		return err
	}
	paid, err := issuer.PaidOut(p.issuer, attacker)
	p.ahead += paid - p.paidOut
	p.paidOut = paid
	return err
}

// moveTo moves the clock on to a stop. What is due by then posts on its day, before anything
// that the customer does on it.
func (p *position) moveTo(s stop) error {
	for len(p.coming) > 0 && !p.coming[0].at.After(s.at) {
		f := p.coming[0]
		p.coming = p.coming[1:]
		if err := p.issuer.SetClock(f.at); err != nil {
			return err
		}
		if err := p.post(f); err != nil {
			return err
		}
	}
	if err := p.issuer.SetClock(s.at); err != nil {
		return err
	}
	if s.close {
		p.moves, p.bought = 0, 0
		if err := p.issuer.CloseStatement(attacker); err != nil {
			return err
		}
	}
	return p.look()
}

// debt is what the issuer's books say that the customer owes.
func (p *position) debt() int64 { return max(0, -p.shown.Balance) }

// profit is the cash that no net spend backs.
func (g *game) profit(p *position) int64 { return p.ahead - g.entitlement(p) }

// unrecorded is the profit that the books do not show as a debt.
func (g *game) unrecorded(p *position) int64 { return g.profit(p) - p.debt() }
