package attack

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
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
	// Purchase counts purchases from one: the one made, or the one brought back.
	// A redemption has none.
	Purchase int `json:"purchase,omitzero"`
	// Amount is the price, what is redeemed, or what is refunded, in minor units.
	Amount int64 `json:"amount"`
}

// game is what stays the same throughout a search: the program and the
// customer's bounds.
type game struct {
	bounds   Bounds
	program  *reward.Program
	shop     issuer.Settlement // where the customer buys
	calendar calendar
	dues     map[string]int64 // what is due, by what is kept
}

func newGame(b Bounds) *game {
	p := b.program()
	return &game{bounds: b, program: p, shop: shop(p), calendar: newCalendar(b.Days, b.Cycles+1), dues: map[string]int64{}}
}

// shop is where the first thing that the program rewards is bought.
func shop(p *reward.Program) issuer.Settlement {
	s := issuer.Settlement{Account: attacker, Merchant: "shop", Category: "GROCERY"}
	matches := make([]*reward.Match, 0, 2)
	for i := range p.Bonuses {
		matches = append(matches, &p.Bonuses[i].Match)
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			matches = append(matches, &p.Layers[i].Rules[j].Match)
		}
	}
	for i := range p.Rules {
		matches = append(matches, &p.Rules[i].Match)
	}
	if len(matches) == 0 {
		return s
	}
	if first := matches[0]; len(first.Categories) > 0 {
		s.Category = first.Categories[0]
	} else if len(first.MCCs) > 0 {
		s.MCC, s.Category = first.MCCs[0].First.String(), ""
	}
	if merchants := slices.Sorted(maps.Keys(matches[0].Merchants)); len(merchants) > 0 {
		s.Merchant = merchants[0]
	}
	return s
}

// position is where a customer stands: the issuer as it is, and what the
// customer knows besides.
type position struct {
	issuer  issuer.Issuer
	shop    issuer.Settlement
	shown   issuer.Balance
	paidOut int64 // by the issuer of its own accord, so far

	day       int // of the calendar
	moves     int // made in this cycle
	bought    int // purchases made in this cycle
	purchases int // ever
	played    int // moves ever

	holdings []holding // in order of purchase
	// ahead is the cash taken so far, less the entitlement of holdings that are
	// forgotten, in minor units.
	ahead int64
}

// holding is a purchase that still matters.
type holding struct {
	purchase, day    int
	amount, returned int64
}

// attacker is the account.
const attacker = "attacker"

func purchaseID(purchase int) string { return "purchase " + strconv.Itoa(purchase) }

// start opens the account on the first day.
func (g *game) start(d design.Design) (*position, error) {
	p := &position{issuer: d.New(g.program), shop: g.shop}
	if err := p.issuer.SetClock(g.calendar[0].at); err != nil {
		return nil, err
	}
	if err := p.issuer.Open(attacker); err != nil {
		return nil, err
	}
	if _, ok := p.issuer.(design.Cloner); !ok {
		return nil, fmt.Errorf("lab: its issuer cannot be copied: expected a Cloner")
	}
	return p, p.look()
}

// clone copies the position with its issuer.
func (p *position) clone() *position {
	c := *p
	c.issuer = p.issuer.(design.Cloner).Clone()
	c.holdings = slices.Clone(p.holdings)
	return &c
}

// options are the moves that the bounds, the balance and the merchant allow.
func (g *game) options(p *position) []Move {
	if most := g.bounds.MovesPerCycle; most > 0 && p.moves == most {
		return nil
	}
	today := &g.calendar[p.day]
	var list []Move
	if today.cycle < g.calendar.lastCycle() && p.bought < g.bounds.PurchasesPerCycle {
		for _, amount := range g.bounds.Amounts {
			list = append(list, Move{today.at, Buys, p.purchases + 1, amount})
		}
	}
	if p.shown.Redeemable > 0 {
		list = append(list, Move{At: today.at, Kind: Redeems, Amount: p.shown.Redeemable})
	}
	for _, h := range p.holdings {
		if !g.returnable(h, p.day) {
			continue
		}
		list = append(list, Move{today.at, Returns, h.purchase, h.amount - h.returned})
		if half := h.amount / 2; h.returned == 0 && half > 0 {
			list = append(list, Move{today.at, Returns, h.purchase, half})
		}
	}
	return list
}

// returnable reports whether the merchant takes something of it back that day.
func (g *game) returnable(h holding, day int) bool {
	until := g.calendar[h.day].at.AddDate(0, 0, g.bounds.ReturnDays)
	return h.returned < h.amount && g.calendar[day].at.Before(until)
}

// play makes a move.
func (p *position) play(m Move) error {
	p.moves++
	p.played++
	if err := p.deliver(m); err != nil {
		return err
	}
	return p.look()
}

func (p *position) deliver(m Move) error {
	id := strconv.Itoa(p.played)
	switch m.Kind {
	case Buys:
		p.bought++
		p.purchases++
		p.holdings = append(p.holdings, holding{purchase: m.Purchase, day: p.day, amount: m.Amount})
		s := p.shop
		s.Transaction, s.Amount = purchaseID(m.Purchase), m.Amount
		return p.issuer.Settle(s)
	case Redeems:
		p.ahead += m.Amount
		paid, err := p.issuer.Redeem(issuer.Redemption{Account: attacker, Redemption: id, Amount: m.Amount})
		if err == nil && !paid {
			err = fmt.Errorf("lab: %d is shown as redeemable and was refused", m.Amount)
		}
		return err
	}
	i := slices.IndexFunc(p.holdings, func(h holding) bool { return h.purchase == m.Purchase })
	p.holdings[i].returned += m.Amount
	return p.issuer.Refund(issuer.Refund{
		Account: attacker, Refund: id, Transaction: purchaseID(m.Purchase), Amount: m.Amount, Merchant: p.shop.Merchant, MCC: p.shop.MCC, Category: p.shop.Category,
	})
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

// moveTo moves the clock on to a stop.
func (p *position) moveTo(s stop) error {
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

// entitlement is what the published terms promise on what is kept of the
// holdings (the right-hand side of Reward Integrity, paper, section 4.1), in
// minor units.
func (g *game) entitlement(p *position) int64 {
	var key design.State
	for _, h := range p.holdings {
		key.Add(int64(h.day), h.amount-h.returned)
	}
	if due, known := g.dues[string(key)]; known {
		return due
	}
	life := scenario.NewLife(g.program)
	life.Add(reward.Event{Type: reward.AccountOpened, Time: reward.At(g.calendar[0].at)})
	code, _ := reward.ParseMCC(g.shop.MCC)
	for _, h := range p.holdings {
		life.Add(reward.Event{
			Type: reward.TransactionSettled, Transaction: purchaseID(h.purchase), Amount: h.amount - h.returned, HasAmount: true, Currency: g.program.Currency,
			Merchant: g.shop.Merchant, MCC: code, Category: g.shop.Category, Time: reward.At(g.calendar[h.day].at),
		})
	}
	due := life.Due(nil, 0).Exact
	g.dues[string(key)] = due
	return due
}

func (g *game) cycleOf(h holding) int { return g.calendar[h.day].cycle }

// forget drops holdings whose entitlement will not change any more: those that
// are wholly returned, and those of a cycle of which nothing can be returned. Terms that
// are not plain count over several cycles.
func (g *game) forget(p *position) {
	changing := func(cycle int) bool {
		return g.program.Layers != nil || cycle == g.calendar[p.day].cycle || slices.ContainsFunc(p.holdings, func(h holding) bool {
			return g.cycleOf(h) == cycle && g.returnable(h, p.day)
		})
	}
	before := g.entitlement(p)
	var kept []holding
	for _, h := range p.holdings {
		if h.returned < h.amount && changing(g.cycleOf(h)) {
			kept = append(kept, h)
		}
	}
	p.holdings = kept
	p.ahead -= before - g.entitlement(p)
}
