package foreign

import (
	"fmt"
	"time"
)

// orchardProcedure is a ledger of stored procedures, which must stand a file that is
// loaded twice, and stands it too well.
var orchardProcedure = Design{
	Name:   "orchard-procedure",
	Source: "After the cashback of Tunisian bank cards, from memory; none in particular.",
	Published: "1.5% on purchases, 3% on TRAVEL, together up to TND 300.000 for the purchases of a calendar year. There when a purchase settles. " +
		"Whatever part of a purchase is refunded or charged back, its cashback is taken back at once, below zero if need be. A refund without a " +
		"purchase takes 3%, as far as cashback was earned up to five weeks after it.",
	How: "usp_post_return is a MERGE into the table of returns whose key is (purchase, amount), since the acquirer's files come twice and " +
		"numbers its lines anew each time. A matched row is left alone. So a second return of one purchase over the same amount is taken " +
		"for the first one. The rest is sound: what is in the table is worked off at once and exactly.",
	Class: "other",
	Leak: "Buy two seats in one purchase of TND 2,000.000 (TRAVEL): TND 60.000. Return one for 1,000.000: 30.000 are taken. Return the other one for " +
		"1,000.000: no row. TND 30.000 stay for nothing bought; with four equal items, three quarters of the cashback.",
	Currency: "TND",
	New:      func() Engine { return orchardOpen(orchardSQL{orchardZone("Africa/Tunis")}) },
}

type orchardSQL struct{ zone *time.Location }

func (o orchardSQL) next(time.Time) time.Time        { return time.Time{} }
func (o orchardSQL) run(*orchardBook)                {}
func (o orchardSQL) redeemable(b *orchardBook) int64 { return b.balance() }
func (o orchardSQL) settled(b *orchardBook, p *orchardPurchase) {
	b.level("", o.value(b), p.id, "", "EARN")
}

func (o orchardSQL) returned(b *orchardBook, r *orchardReturn) {
	if r.purchase != "" && !r.whole { // without a purchase's name the key is the return's own number
		key := fmt.Sprintf("return %s %d", r.purchase, r.amount)
		if b.last[key] != 0 {
			r.void = true
			return
		}
		b.last[key] = 1
	}
	b.level("", o.value(b), "", r.id, "RETURN")
}

// orchardYearCap is in millimes, for a year.
const orchardYearCap = 300000

func (o orchardSQL) value(b *orchardBook) int64 {
	loose := b.tally(nil)
	year, room, total := 0, int64(0), int64(0)
	for _, p := range b.purchases {
		if y := p.at.In(o.zone).Year(); y != year {
			year, room = y, orchardYearCap
		}
		rate := int64(15)
		if p.category == "TRAVEL" {
			rate = 30
		}
		p.worth = min(p.left*rate/1000, room)
		room -= p.worth
		total += p.worth
	}
	return total - b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return orchardUp(r.amount*30, 1000) })
}
