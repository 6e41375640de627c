package foreign

import "time"

// orchardRulebook is a loyalty SaaS: rules are evaluated on events, and a return is an
// event with a minus.
var orchardRulebook = Design{
	Name:   "orchard-rulebook",
	Source: "After Nordic store cards' bonus weekends and starting offers, from memory; none in particular.",
	Published: "1% on all purchases; 2% more on those of a Saturday or Sunday; 2% more in a member's first 60 days. Bonus is there when a " +
		"purchase settles and can be used at once. When a purchase is returned, wholly or in part, its bonus is taken back; the balance may " +
		"fall below zero. A return that names no purchase takes 5%, as far as bonus was earned up to five weeks after it.",
	How: "Rules are conditions on the event. A return is put through the same rules as an event of its own, with its own time: what it takes is " +
		"what a purchase of that amount would earn at the moment of return, but no more than the purchase still has. So what was bought on a " +
		"weekend or in the first days and is returned on a later weekday takes the plain 1% (and the other way round too much).",
	Class: "other",
	Leak: "A new member buys for SEK 10,000.00 on a Saturday and gets 5%, SEK 500.00. All of it comes back on a Tuesday three months later: 1%, " +
		"SEK 100.00, is taken. SEK 400.00 stay for nothing bought.",
	Currency: "SEK",
	New:      func() Engine { return orchardOpen(orchardRules{orchardZone("Europe/Stockholm")}) },
}

type orchardRules struct{ zone *time.Location }

func (o orchardRules) next(time.Time) time.Time        { return time.Time{} }
func (o orchardRules) run(*orchardBook)                {}
func (o orchardRules) redeemable(b *orchardBook) int64 { return b.balance() }
func (o orchardRules) settled(b *orchardBook, p *orchardPurchase) {
	b.level("", o.value(b), p.id, "", "bonus")
}
func (o orchardRules) returned(b *orchardBook, r *orchardReturn) {
	b.level("", o.value(b), r.purchase, r.id, "return")
}

// orchardRule is one line of the rulebook: so many percent where it holds.
type orchardRule struct {
	percent int64
	holds   func(zone *time.Location, opened, at time.Time) bool
}

var orchardRuleLines = []orchardRule{
	{1, func(*time.Location, time.Time, time.Time) bool { return true }},
	{2, func(zone *time.Location, _, at time.Time) bool {
		day := at.In(zone).Weekday()
		return day == time.Saturday || day == time.Sunday
	}},
	{2, func(_ *time.Location, opened, at time.Time) bool {
		return !at.Before(opened) && at.Sub(opened) < 60*24*time.Hour
	}},
}

// earns is what an amount brings at a time.
func (o orchardRules) earns(b *orchardBook, amount int64, at time.Time) (sum int64) {
	for _, line := range orchardRuleLines {
		if line.holds(o.zone, b.opened, at) {
			sum += amount * line.percent / 100
		}
	}
	return sum
}

// value puts every event through the rules.
func (o orchardRules) value(b *orchardBook) int64 {
	loose := b.tally(nil)
	var total int64
	for _, p := range b.purchases {
		p.worth = o.earns(b, p.amount, p.at)
		left := p.amount
		for _, r := range p.claims {
			part := left
			if !r.whole {
				part = min(r.amount, left)
			}
			// The difference and not earns(part): so parts take as much as the whole.
			take := o.earns(b, left, r.at) - o.earns(b, left-part, r.at)
			p.worth -= min(take, p.worth)
			left -= part
		}
		total += p.worth
	}
	return total - b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return orchardUp(r.amount*5, 100) })
}
