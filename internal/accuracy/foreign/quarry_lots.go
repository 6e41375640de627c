package foreign

import (
	"slices"
	"sort"
	"time"
)

var quarryLots = Design{
	Name:   "quarry-lots",
	Source: "after European points banks (Payback, Miles & More's rules of expiry), from memory",
	Published: "1 point for every full €2 of a purchase, 4 points at groceries and petrol stations (GROCERY, FUEL). A point is worth a cent and can be used at once. " +
		"Points that nobody uses expire, the oldest first, with the end of the month twelve months after that of their purchase. " +
		"Returns take the points of what went back, also if they have been used: then they are owed and come off the next points.",
	How: "Each purchase is a lot; redemptions use lots first in, first out, and a monthly run empties what is too old. A return re-rates its purchase and takes the " +
		"difference from that lot, then, for what had been used of it, from the other lots, oldest first. A lot cannot hold less than nothing: what no lot bears is written off.",
	Class: "V3(a)",
	Leak: "Buy groceries for €1,000.00: 2,000 points (€20.00). Redeem them, return everything: the claw-back of 2,000 points finds empty lots and is written off. " +
		"€20.00 stays, the balance is 0 and not -2,000, and the next €1,000.00 earns 2,000 points that can be redeemed in full.",
	Currency: "EUR",
	New: func() Engine {
		return newQuarryDesk("Europe/Berlin", func(f *quarryFile) quarryBook { return &quarryLotsBook{f: f} })
	},
}

// quarryLot is the points of a purchase. What is neither here nor gone was used.
type quarryLot struct {
	month  int
	points int64 // granted and not taken back
	here   int64
	gone   int64 // expired
}

type quarryLotsBook struct {
	f     *quarryFile
	links quarryLinks
	lots  []quarryLot // one for each purchase
	order []int       // the oldest first
}

func (b *quarryLotsBook) rate(i int) int64 {
	if c := b.f.buys[i].category; c == "GROCERY" || c == "FUEL" {
		return 4
	}
	return 1
}

func (b *quarryLotsBook) bought(i int) {
	month := b.f.buys[i].month
	b.lots = append(b.lots, quarryLot{month: month})
	younger := sort.Search(len(b.order), func(j int) bool { return b.lots[b.order[j]].month > month })
	b.order = slices.Insert(b.order, younger, i)
	b.rerate("", "purchase")
	b.expire(b.f.now)
}

func (b *quarryLotsBook) returned(k int) {
	b.rerate(b.f.backs[k].row())
	b.expire(b.f.now)
}

// rerate brings every lot to what its purchase earns now, by rows that name both sides.
func (b *quarryLotsBook) rerate(refund, note string) {
	b.links.link(b.f, b.rate)
	for i, x := range b.links.left(b.f) {
		lot := &b.lots[i]
		points := b.rate(i) * (x / 200)
		change := points - lot.points
		lot.points = points
		if change < 0 {
			change = -b.take(i, -change)
		} else {
			lot.here += change
		}
		b.f.level(b.f.now, change, b.f.buys[i].id, refund, note)
	}
}

// take takes points of a lot back and says how many it found. Those of them that had
// expired are gone anyway.
func (b *quarryLotsBook) take(i int, points int64) (found int64) {
	lot := &b.lots[i]
	found = min(points, lot.here)
	lot.here -= found
	expired := min(points-found, lot.gone)
	lot.gone -= expired
	return found + b.use(points-found-expired) // the flaw: what use does not find is forgotten
}

// use takes points off the oldest lots and says how many there were.
func (b *quarryLotsBook) use(points int64) (found int64) {
	for _, i := range b.order {
		x := min(points-found, b.lots[i].here)
		b.lots[i].here -= x
		found += x
	}
	return found
}

func (b *quarryLotsBook) redeem(amount int64) { b.use(amount) }

func (b *quarryLotsBook) redeemable() int64 { return b.f.balance }

func (b *quarryLotsBook) next(after time.Time) time.Time { return quarryNext(b.f.zone, after, 1) }

func (b *quarryLotsBook) run(at time.Time) { b.expire(at) }

// expire empties the lots of months that are over for more than twelve.
func (b *quarryLotsBook) expire(at time.Time) {
	month, sum := quarryMonth(b.f.zone, at), int64(0)
	for i := range b.lots {
		if lot := &b.lots[i]; lot.month+13 <= month {
			sum += lot.here
			lot.gone, lot.here = lot.gone+lot.here, 0
		}
	}
	b.f.post(at, Adjusted, -sum, "", "", "expired points")
}
