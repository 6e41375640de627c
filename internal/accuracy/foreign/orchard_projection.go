package foreign

import (
	"fmt"
	"sort"
	"time"
)

// orchardProjection is an event-sourced microservice. Its rows are what a read model was
// corrected by, and name neither a purchase nor a refund.
var orchardProjection = Design{
	Name:   "orchard-projection",
	Source: "After the cashback terms of Gulf banks' credit cards, from memory; none in particular.",
	Published: "3% on DINING up to BHD 12.000 of cashback in a calendar quarter, 1% on all else without limit, rounded down for each " +
		"purchase. Cashback is there when a purchase settles and can be redeemed at once. A return takes back what the returned part " +
		"earned; the balance may fall below zero and is made up by later cashback. A return that names no purchase we know is taken at 3%, " +
		"but at no more than what purchases up to five weeks after it have earned.",
	How: "Every fact is an event; after each, the read model (cashback by calendar month of purchase, and one stream of unmatched " +
		"returns) is projected anew from all events in order of their own time, and what differs from what was published before is " +
		"appended as one row for each month that changed.",
	Class:    "robust",
	Currency: "BHD",
	New:      func() Engine { return orchardOpen(orchardProjector{orchardZone("Asia/Bahrain")}) },
}

type orchardProjector struct{ zone *time.Location }

func (o orchardProjector) settled(b *orchardBook, _ *orchardPurchase) { o.project(b) }
func (o orchardProjector) returned(b *orchardBook, _ *orchardReturn)  { o.project(b) }
func (o orchardProjector) next(time.Time) time.Time                   { return time.Time{} }
func (o orchardProjector) run(*orchardBook)                           {}
func (o orchardProjector) redeemable(b *orchardBook) int64            { return b.balance() }

// orchardDiningCap is in fils, for a quarter.
const orchardDiningCap = 12000

// project publishes what the events say now and did not say before.
func (o orchardProjector) project(b *orchardBook) {
	loose := b.tally(nil)
	months := map[string]int64{}
	for stream := range b.last {
		months[stream] = 0 // a month that is empty now must be published as such
	}
	quarter, room := "", int64(0)
	for _, p := range b.purchases {
		l := p.at.In(o.zone)
		if q := fmt.Sprintf("%d-%d", l.Year(), (l.Month()-1)/3); q != quarter {
			quarter, room = q, orchardDiningCap
		}
		p.worth = p.left / 100
		if p.category == "DINING" {
			p.worth = min(p.left*3/100, room)
			room -= p.worth
		}
		months[l.Format("2006-01")] += p.worth
	}
	delete(months, orchardUnmatched)
	names := make([]string, 0, len(months))
	for month := range months {
		names = append(names, month)
	}
	sort.Strings(names)
	for _, month := range names {
		b.level(month, months[month], "", "", "cashback of "+month)
	}
	// No purchase earns more than 3%, capped or not, so this is no less than what the return took.
	debit := b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return orchardUp(r.amount*3, 100) })
	b.level(orchardUnmatched, -debit, "", "", "unmatched returns")
}

// orchardUnmatched is the stream of what loose returns cost.
const orchardUnmatched = "unmatched"
