package attack

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

// entitlement is what the published terms promise on what is kept of the
// holdings (the right-hand side of Reward Integrity, paper, section 4.1), in
// minor units. Where rewards expire, what will have by the end is none of it.
func (g *game) entitlement(p *position) int64 {
	var key design.State
	for _, h := range p.holdings {
		key.Add(int64(h.day), int64(h.offer), h.amount-h.returned, int64(h.back))
	}
	for _, u := range p.uses {
		key.Add(-1, int64(u.day), u.amount)
	}
	if due, known := g.dues[string(key)]; known {
		return due
	}
	due := g.due(p)
	g.dues[string(key)] = due
	return due
}

// due lives the life of the account once more, of what is kept alone.
func (g *game) due(p *position) int64 {
	life := scenario.NewLife(g.program)
	opened := reward.At(g.calendar[0].at)
	life.Add(reward.Event{Type: reward.AccountOpened, Time: opened})
	for _, name := range slices.Sorted(maps.Keys(g.known)) {
		life.Add(reward.Event{Type: reward.AttributeSet, Fact: "of " + name, Category: name, Method: g.known[name], Time: opened})
	}
	type lived struct {
		at time.Time
		do func()
	}
	var all []lived
	for _, h := range p.holdings {
		at, posts := g.calendar[h.day].at, g.postsAt(h)
		if posts.After(at) {
			all = append(all, lived{at, func() { life.Add(g.kept(h, reward.TransactionAuthorized, at)) }})
		}
		all = append(all, lived{posts, func() { life.Add(g.kept(h, reward.TransactionSettled, posts)) }})
	}
	for _, u := range p.uses {
		at := g.calendar[u.day].at
		all = append(all, lived{at, func() { life.Use(u.amount, reward.At(at)) }})
	}
	slices.SortStableFunc(all, func(x, y lived) int { return cmp.Compare(x.at.UnixNano(), y.at.UnixNano()) })
	for _, l := range all {
		l.do()
	}
	var until reward.Instant
	if g.program.ExpiryMonths > 0 {
		last := g.calendar[len(g.calendar)-1].until
		until = reward.At(last[len(last)-1].at)
	}
	return life.Due(nil, until).Exact
}

// kept is what is left of a purchase, as an event.
func (g *game) kept(h holding, kind reward.Type, at time.Time) reward.Event {
	o := &g.offers[h.offer]
	code, _ := reward.ParseMCC(o.MCC)
	e := reward.Event{
		Type: kind, Transaction: purchaseID(h.purchase), Amount: h.amount - h.returned, HasAmount: true, Currency: g.program.Currency,
		Merchant: o.Merchant, MCC: code, Category: o.Category, Labels: o.Labels, Time: reward.At(at),
	}
	var items []reward.Item
	for i, item := range o.Items {
		if h.back&(1<<i) == 0 {
			items = append(items, item)
		}
	}
	if items != nil && kind == reward.TransactionSettled {
		e.Items = reward.MakeItems(items)
	}
	return e
}

func (g *game) cycleOf(h holding) reward.Cycle { return g.program.CycleAt(reward.At(g.postsAt(h))) }

// forget drops holdings whose entitlement will not change any more: those that
// are wholly returned, and those of a cycle of which nothing can be returned. Terms that
// are not plain count over several cycles, and so do rewards that expire.
func (g *game) forget(p *position) {
	today := g.program.CycleAt(reward.At(g.calendar[p.day].at))
	changing := func(cycle reward.Cycle) bool {
		return g.program.Layers != nil || g.program.ExpiryMonths > 0 || cycle >= today || slices.ContainsFunc(p.holdings, func(h holding) bool {
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
