package reward_test

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// judgePurchase is a posted purchase as the judge remembers it, or an item of one in its place.
type judgePurchase struct {
	id       string // of an item its transaction's, a slash, and its own
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

// judgeSale is what the items of a posted transaction take from it: all that they do not say.
type judgeSale struct {
	order        int
	bought       reward.Event // with what the last authorisation said of it
	made, posted reward.Instant
	mayEarn      bool
	terms        *reward.Program
}

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
	itemised   map[string]reward.Items   // that came before their transaction
	sales      map[string]*judgeSale
	purchases  []*judgePurchase
	byID       map[string]*judgePurchase
}

func newJudge(p *reward.Program) *judgeAccount {
	return &judgeAccount{
		program: p, authorised: map[string][]reward.Event{}, itemised: map[string]reward.Items{},
		sales: map[string]*judgeSale{}, byID: map[string]*judgePurchase{},
	}
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
	case reward.TransactionItemized:
		a.purchases = slices.DeleteFunc(a.purchases, func(p *judgePurchase) bool { return p.id == e.Transaction })
		delete(a.byID, e.Transaction)
		a.lay(e.Transaction, e.Items)
	}
}

func (a *judgeAccount) post(e *reward.Event, now reward.Instant) {
	x := &judgeSale{order: len(a.sales), bought: *e, made: cmp.Or(e.Purchased, e.Time), posted: now, mayEarn: !a.closed, terms: a.version(e.Time)}
	a.sales[e.Transaction] = x
	if known := a.authorised[e.Transaction]; len(known) > 0 {
		last := known[len(known)-1]
		x.bought.Merchant, x.bought.MCC, x.bought.Category = cmp.Or(e.Merchant, last.Merchant), cmp.Or(e.MCC, last.MCC), cmp.Or(e.Category, last.Category)
		x.bought.Labels = cmp.Or(e.Labels, last.Labels)
		earliest := slices.MinFunc(known, func(x, y reward.Event) int { return cmp.Compare(x.Time, y.Time) })
		x.made = cmp.Or(e.Purchased, earliest.Purchased, earliest.Time)
	}
	items := e.Items
	if before := a.itemised[e.Transaction]; items == "" && before != "" && together(before) == e.Amount {
		items = before // else they do not count
	}
	a.lay(e.Transaction, items)
}

func together(items reward.Items) (sum int64) {
	for x := range items.All() {
		sum += x.Amount
	}
	return sum
}

// lay puts a posted transaction's items in its place, or itself, where it has none, under
// what is known of the account by now.
func (a *judgeAccount) lay(id string, items reward.Items) {
	sale := a.sales[id]
	if items == "" {
		a.put(id, sale, sale.order*1_000, sale.bought)
		return
	}
	place := 0
	for x := range items.All() {
		bought := sale.bought
		bought.Amount = x.Amount
		if x.Category != "" || x.MCC != 0 {
			bought.Category, bought.MCC = x.Category, x.MCC
		}
		bought.Labels = cmp.Or(x.Labels, bought.Labels)
		a.put(id+"/"+x.ID, sale, sale.order*1_000+place, bought)
		place++
	}
}

func (a *judgeAccount) put(id string, x *judgeSale, order int, bought reward.Event) {
	p := &judgePurchase{id: id, order: order, amount: bought.Amount, settled: bought.Time, posted: x.posted, mayEarn: x.mayEarn, terms: x.terms}
	a.purchases, a.byID[id] = append(a.purchases, p), p
	layers := x.terms.Layers
	if len(x.terms.Rules) > 0 {
		layers = []reward.Layer{{ID: "base", Rules: x.terms.Rules}}
	}
	for i := range layers {
		var apply []*reward.Rule
		for j := range layers[i].Rules {
			if r := &layers[i].Rules[j]; a.holds(x.terms, &r.Match, &r.Except, &bought, x.made) {
				apply = append(apply, r)
			}
		}
		p.layers = append(p.layers, apply)
	}
	for i := range x.terms.Tiers {
		if z := &x.terms.Tiers[i]; a.holds(x.terms, &z.Match, &z.Except, &bought, x.made) {
			p.tiers = append(p.tiers, z)
		}
	}
	for i := range x.terms.Bonuses {
		if b := &x.terms.Bonuses[i]; a.holds(x.terms, &b.Match, &b.Except, &bought, x.made) {
			p.bonuses = append(p.bonuses, b)
		}
	}
}

// purchaseOf is a posted transaction, or one of its items, which are as old.
func (a *judgeAccount) purchaseOf(transaction string) *judgePurchase {
	at := slices.IndexFunc(a.purchases, func(p *judgePurchase) bool {
		return p.id == transaction || strings.HasPrefix(p.id, transaction+"/")
	})
	return a.purchases[at]
}

// version is what was in force in the cycle of an instant.
func (a *judgeAccount) version(at reward.Instant) *reward.Program {
	terms, cycle := a.program, a.cycle(at)
	for terms.Earlier != nil && int(terms.From) > cycle {
		terms = terms.Earlier
	}
	return terms
}

// cycle counts months.
func (a *judgeAccount) cycle(at reward.Instant) int { return judgeMonth(a.period(reward.PerCycle, at)) }

func judgeMonth(written string) int {
	month, err := time.Parse("2006-01", written)
	if err != nil {
		panic(err)
	}
	return month.Year()*12 + int(month.Month()) - 1
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
