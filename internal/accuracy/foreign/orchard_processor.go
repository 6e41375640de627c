package foreign

import "time"

// orchardProcessor is a payment processor's add-on: purchases come over its interface as
// they happen, returns in a file once a month.
var orchardProcessor = Design{
	Name:   "orchard-processor",
	Source: "After the rewards add-ons that card processors sell to Mexican banks, from memory; none in particular.",
	Published: "4% back on TRAVEL, up to MXN 800.00 for the purchases between two statement days (the 10th), 1% on all else. There when a " +
		"purchase settles, and can be redeemed at once. Returns take back what they earned; the balance may fall below zero. A return " +
		"that names no purchase takes 4%, as far as rewards were earned up to five weeks after it.",
	How: "A settlement posts its reward in real time. Refunds and chargebacks are queued for the statement close, which books each with " +
		"the names of purchase and refund, below zero if need be, for ever. Until then redemption looks at the balance alone and knows nothing of the queue.",
	Class: "V3(b)",
	Leak: "Buy travel for MXN 20,000.00 on 12 March, have it refunded on the 14th, redeem MXN 800.00 on the 15th, although the refund is known: accepted. " +
		"On 10 April the balance falls to -800.00, which nobody asks for: who does not buy again keeps MXN 800.00.",
	Currency: "MXN",
	New:      func() Engine { return orchardOpen(orchardAddon{orchardZone("America/Mexico_City")}) },
}

type orchardAddon struct{ zone *time.Location }

func (o orchardAddon) returned(*orchardBook, *orchardReturn) {}
func (o orchardAddon) next(t time.Time) time.Time            { return orchardMonthly(o.zone, t, 10) }
func (o orchardAddon) redeemable(b *orchardBook) int64       { return b.balance() }
func (o orchardAddon) settled(b *orchardBook, p *orchardPurchase) {
	b.level("", o.value(b), p.id, "", "rewards")
}

// run works the queue off in the order in which it came.
func (o orchardAddon) run(b *orchardBook) {
	for _, r := range b.returns {
		if !r.done {
			r.done = true
			b.level("", o.value(b), r.purchase, r.id, "return")
		}
	}
}

// orchardTravelCap is in centavos, for a statement.
const orchardTravelCap = 80000

// value is what purchases are worth after the returns that have been worked off.
func (o orchardAddon) value(b *orchardBook) int64 {
	loose := b.tally(func(r *orchardReturn) bool { return r.done })
	var end time.Time // of the statement
	room, total := int64(0), int64(0)
	for _, p := range b.purchases {
		if !p.at.Before(end) {
			end, room = orchardMonthly(o.zone, p.at, 10), orchardTravelCap
		}
		p.worth = p.left / 100
		if p.category == "TRAVEL" {
			p.worth = min(p.left*4/100, room)
			room -= p.worth
		}
		total += p.worth
	}
	return total - b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return orchardUp(r.amount*4, 100) })
}
