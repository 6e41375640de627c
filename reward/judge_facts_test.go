package reward_test

import (
	"cmp"
	"slices"
	"time"

	"recoup/reward"
)

// judgePurchase is a posted purchase as the judge remembers it.
type judgePurchase struct {
	id       string
	order    int
	amount   int64
	reversed int64 // as the account says: where money lies is not the judge's matter
	settled  reward.Instant
	posted   reward.Instant
	mayEarn  bool
	layers   [][]*reward.Rule // of each, those that apply, whatever its tier
	bonuses  []*reward.Bonus
	tiers    []*reward.Tier // that it qualifies for
	terms    *reward.Program
}

func (p *judgePurchase) left() int64 { return p.amount - p.reversed }

type judgeFact struct {
	id, name, value string
	from            reward.Instant
	active          bool
}

// judgeAccount is the facts that decide which terms purchases come under, of one account.
type judgeAccount struct {
	program    *reward.Program
	closed     bool
	facts      []judgeFact
	authorised map[string][]reward.Event // in the order of arrival
	purchases  []*judgePurchase
	byID       map[string]*judgePurchase
}

func newJudge(p *reward.Program) *judgeAccount {
	return &judgeAccount{program: p, authorised: map[string][]reward.Event{}, byID: map[string]*judgePurchase{}}
}

func (a *judgeAccount) zone() *time.Location {
	if a.program.Zone == nil {
		return time.UTC
	}
	return a.program.Zone
}

func (a *judgeAccount) period(per reward.Period, at reward.Instant) string {
	return judgePeriod(a.zone(), a.program.StatementDay, per, at)
}

// told takes in an event that was applied, with the account's time after it.
func (a *judgeAccount) told(e *reward.Event, now reward.Instant) {
	switch e.Type {
	case reward.AccountClosed:
		a.closed = true
	case reward.AccountOpened:
		a.facts = append(a.facts, judgeFact{"account.opened", "opened", "yes", e.Time, true})
	case reward.AttributeSet:
		a.facts = append(a.facts, judgeFact{e.Fact, e.Category, e.Method, cmp.Or(e.Purchased, e.Time), true})
	case reward.AttributeWithdrawn:
		for i := range a.facts {
			if a.facts[i].id == e.Fact {
				a.facts[i].active = false
			}
		}
	case reward.TransactionAuthorized:
		a.authorised[e.Transaction] = append(a.authorised[e.Transaction], *e)
	case reward.TransactionSettled:
		a.post(e, now)
	}
}

func (a *judgeAccount) post(e *reward.Event, now reward.Instant) {
	p := &judgePurchase{id: e.Transaction, order: len(a.purchases), amount: e.Amount, settled: e.Time, posted: now, mayEarn: !a.closed}
	a.purchases, a.byID[p.id] = append(a.purchases, p), p
	bought := *e
	made := cmp.Or(e.Purchased, e.Time)
	if known := a.authorised[e.Transaction]; len(known) > 0 {
		last := known[len(known)-1]
		bought.Merchant, bought.MCC, bought.Category = cmp.Or(e.Merchant, last.Merchant), cmp.Or(e.MCC, last.MCC), cmp.Or(e.Category, last.Category)
		bought.Labels = cmp.Or(e.Labels, last.Labels)
		earliest := slices.MinFunc(known, func(x, y reward.Event) int { return cmp.Compare(x.Time, y.Time) })
		made = cmp.Or(e.Purchased, earliest.Purchased, earliest.Time)
	}
	terms := a.program
	cycle, _ := time.Parse("2006-01", a.period(reward.PerCycle, e.Time))
	for terms.Earlier != nil && int(terms.From) > cycle.Year()*12+int(cycle.Month())-1 {
		terms = terms.Earlier
	}
	layers := terms.Layers
	if len(terms.Rules) > 0 {
		layers = []reward.Layer{{ID: "base", Rules: terms.Rules}}
	}
	for i := range layers {
		var apply []*reward.Rule
		for j := range layers[i].Rules {
			if r := &layers[i].Rules[j]; a.holds(terms, &r.Match, &r.Except, &bought, made) {
				apply = append(apply, r)
			}
		}
		p.layers = append(p.layers, apply)
	}
	p.terms = terms
	for i := range terms.Tiers {
		if x := &terms.Tiers[i]; a.holds(terms, &x.Match, &x.Except, &bought, made) {
			p.tiers = append(p.tiers, x)
		}
	}
	for i := range terms.Bonuses {
		if b := &terms.Bonuses[i]; a.holds(terms, &b.Match, &b.Except, &bought, made) {
			p.bonuses = append(p.bonuses, b)
		}
	}
}

// holds reports whether all members of match and none of except hold.
func (a *judgeAccount) holds(terms *reward.Program, match, except *reward.Match, e *reward.Event, made reward.Instant) bool {
	return !slices.Contains(a.members(terms, match, e, made), false) && !slices.Contains(a.members(terms, except, e, made), true)
}

// members says of each member that is given whether it holds.
func (a *judgeAccount) members(terms *reward.Program, m *reward.Match, e *reward.Event, made reward.Instant) (hold []bool) {
	if len(m.Categories) > 0 {
		category := e.Category
		if category == "" && terms.Categories != nil {
			category = terms.Categories(e.MCC)
		}
		hold = append(hold, slices.Contains(m.Categories, category))
	}
	if len(m.MCCs) > 0 {
		hold = append(hold, slices.ContainsFunc(m.MCCs, func(r reward.MCCRange) bool { return r.First <= e.MCC && e.MCC <= r.Last }))
	}
	if len(m.Merchants) > 0 {
		hold = append(hold, m.Merchants[e.Merchant])
	}
	more := m.Purchase
	if more == nil {
		return hold
	}
	if len(more.Labels) > 0 {
		all := true
		for name, values := range more.Labels {
			all = all && slices.Contains(values, e.Labels.Get(name))
		}
		hold = append(hold, all)
	}
	if len(more.Account) > 0 {
		all := true
		for name, values := range more.Account {
			f, there := a.inForce(name, made)
			all = all && there && slices.Contains(values, f.value)
		}
		hold = append(hold, all)
	}
	local := made.Time().In(a.zone()) // a date may come twice where clocks go back; periods know it once
	date := reward.DateOf(local)
	if len(more.Weekdays) > 0 {
		hold = append(hold, slices.Contains(more.Weekdays, local.Weekday()))
	}
	if more.From != nil {
		hold = append(hold, date >= *more.From)
	}
	if more.Until != nil {
		hold = append(hold, date < *more.Until)
	}
	if more.Within != nil {
		f, there := a.inForce(more.Within.Of, made)
		hold = append(hold, there && made-f.from < reward.Instant(more.Within.Days)*reward.Day)
	}
	return hold
}

// inForce is the fact that says the value of a name at an instant.
func (a *judgeAccount) inForce(name string, at reward.Instant) (best judgeFact, there bool) {
	for _, f := range a.facts {
		if f.active && f.name == name && f.from <= at && (!there || f.from > best.from || f.from == best.from && f.id > best.id) {
			best, there = f, true
		}
	}
	return best, there
}
