package foreign

import "time"

var amberDhow = Design{
	Name: "amber-dhow",
	Source: "After the public rules of Kuwaiti banks' airline and fuel cards (KFH, NBK, Oasis Club: so many fils per full dinar, to be " +
		"used at once); from memory.",
	Published: "40 fils per full KWD 1 of fuel and of flights (categories FUEL, AIRLINE), 10 fils per full KWD 1 of anything else. " +
		"Rewards can be redeemed as soon as a purchase clears. Rewards of what is returned are taken back; what is owed stays " +
		"owed until it is made up. A return that names no purchase, or none that clears within 30 days, takes, at once or from " +
		"later rewards, 40 fils per KWD 1 or part of it.",
	How: "A row per purchase at clearing. Returns are noted, and taken back together in one row at the statement on the 15th, below " +
		"zero if need be. Until then neither the balance nor what can be redeemed knows of them.",
	Class: "V3(b)",
	Leak: "Between a return and the 15th its reward can still be redeemed: flights of KWD 500 clear on 16 March and earn KWD 20.000; " +
		"refunded on 18 March, the balance still shows KWD 20.000, and they are redeemed on 20 March. On 15 April the balance is " +
		"KWD -20.000; who does not use the card any more keeps KWD 20.000 for nothing.",
	Currency: "KWD",
	New:      amberNew("Asia/Kuwait", func(f *amberFile) amberHouse { return &amberDhowHouse{f: f, given: map[*amberBuy]int64{}} }),
}

const (
	amberDhowDay  = 15
	amberDhowUnit = 1_000
)

// amberDhowHouse grants at once and takes back at the statement.
type amberDhowHouse struct {
	amberIdle
	f     *amberFile
	given map[*amberBuy]int64
}

// amberDhowReward is what so much of a purchase earns.
func amberDhowReward(category string, net int64) int64 {
	if category == "FUEL" || category == "AIRLINE" {
		return net / amberDhowUnit * 40
	}
	return net / amberDhowUnit * 10
}

func (h *amberDhowHouse) bought(b *amberBuy) {
	h.given[b] = amberDhowReward(b.category, b.amount)
	h.f.post(Earned, h.given[b], b.id, "", "reward")
}

func (h *amberDhowHouse) next(after time.Time) time.Time {
	return amberNextDay(after, h.f.zone, amberDhowDay)
}

// due takes back what returns since the last statement have undone.
func (h *amberDhowHouse) due() {
	var back, earned int64
	for _, b := range h.f.buys {
		is := amberDhowReward(b.category, b.net())
		back += h.given[b] - is
		earned += is
		h.given[b] = is
	}
	h.f.post(Reversed, -back, "", "", "returns of the statement")
	h.f.withhold(h.f.debt(func(amount int64) int64 { return 40 * amberUp(amount, amberDhowUnit) }), earned, "")
}

// free is the flaw: it asks the books, which do not know of returns yet.
func (h *amberDhowHouse) free() int64 { return h.f.balance() }
