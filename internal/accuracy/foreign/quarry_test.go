package foreign

import "testing"

// The leaks below are those of the designs' Leak texts, in their money.

func TestQuarryMainframeForgetsStatements(t *testing.T) {
	for _, late := range []bool{false, true} {
		p := newQuarryPlay(t, quarryMainframe, quarryDay(1, 1))
		p.clock(quarryDay(1, 20))
		p.buy("t1", 100000, "")
		p.want(0, 0, 0)
		p.clock(quarryDay(2, 13))
		p.want(2000, 2000, 2000)
		p.redeem(2000)
		if late {
			p.clock(quarryDay(3, 13))
			p.refund("t1", 100000)
			p.clock(quarryDay(12, 1))
			p.want(0, 0, 2000)
			continue
		}
		p.clock(quarryDay(3, 11))
		p.refund("t1", 100000)
		p.clock(quarryDay(3, 13))
		p.want(-2000, 0, 0)
	}
}

// What the next correction will take cannot be redeemed before: the leak is no other.
func TestQuarryMainframeHolds(t *testing.T) {
	p := newQuarryPlay(t, quarryMainframe, quarryDay(1, 20))
	p.buy("t1", 100000, "")
	p.clock(quarryDay(2, 13))
	p.refund("t1", 40000)
	p.want(2000, 1200, 2000)
	p.clock(quarryDay(3, 13))
	p.want(1200, 1200, 1200)
}

func TestQuarryLotsWriteDebtOff(t *testing.T) {
	p := newQuarryPlay(t, quarryLots, quarryDay(1, 1))
	p.buy("t1", 100000, "GROCERY")
	p.want(2000, 2000, 2000)
	p.redeem(2000)
	p.refund("t1", 100000)
	p.want(0, 0, 2000)
	p.buy("t2", 100000, "GROCERY")
	p.want(2000, 2000, 4000)
}

// As long as there are points the claw-back finds them, in the purchase's lot or another,
// and what has expired is not taken twice.
func TestQuarryLots(t *testing.T) {
	p := newQuarryPlay(t, quarryLots, quarryDay(1, 1))
	p.buy("t1", 20000, "")
	p.clock(quarryDay(2, 1))
	p.buy("t2", 40000, "")
	p.redeem(100)
	p.refund("t1", 20000)
	p.want(100, 100, 200)
	p.clock(quarryDay(14, 5))
	p.want(100, 100, 200)
	p.clock(quarryDay(15, 5))
	p.want(0, 0, 100)
	p.refund("t2", 20000)
	p.want(0, 0, 100)
}

func TestQuarryJournalPaysWhatIsReturned(t *testing.T) {
	p := newQuarryPlay(t, quarryJournal, quarryDay(5, 21))
	p.buy("t1", 200000, "TRAVEL")
	p.clock(quarryDay(5, 25))
	p.refund("t1", 200000)
	p.clock(quarryDay(5, 26))
	p.want(10000, 10000, 10000)
	p.redeem(10000)
	p.clock(quarryDay(6, 20))
	p.want(-10000, 0, 0)
	p.clock(quarryDay(12, 20))
	p.buy("t2", 100000, "TRAVEL")
	p.want(-5000, 0, 5000)
}

func TestQuarryRulesCorrectAboveTheLimit(t *testing.T) {
	p := newQuarryPlay(t, quarryRules, quarryDay(3, 5))
	p.buy("t1", 50000, "GROCERY")
	p.buy("t2", 40000, "GROCERY")
	p.want(2000, 2000, 2000)
	p.clock(quarryDay(4, 2))
	p.refund("t2", 100)
	p.want(3596, 3596, 3596)
	p.redeem(3596)
	p.refund("t1", 50000)
	p.refund("t2", 39900)
	p.want(-3596, 0, 0)
}

// Where the limit had not cut the purchase that comes back, the promise is kept.
func TestQuarryRulesPassRoomOn(t *testing.T) {
	p := newQuarryPlay(t, quarryRules, quarryDay(3, 5))
	p.buy("t1", 50000, "GROCERY")
	p.buy("t2", 40000, "GROCERY")
	p.refund("t1", 25000)
	p.want(2000, 2000, 2000)
	p.refund("t1", 25000)
	p.want(1600, 1600, 1600)
}

func TestQuarryOffersReleaseUses(t *testing.T) {
	p := newQuarryPlay(t, quarryOffers, quarryDay(3, 6))
	all := []string{"t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"}
	for _, id := range all {
		p.buy(id, 30000, "GROCERY")
	}
	p.want(12000, 0, 12000)
	for _, id := range all[:4] {
		p.refund(id, 1000)
	}
	p.want(23600, 0, 23600)
	p.clock(quarryDay(4, 5))
	p.want(0, 0, 23600)
}

// A whole return gives its place to one other purchase; so far the promise is kept.
func TestQuarryOffersPassPlacesOn(t *testing.T) {
	p := newQuarryPlay(t, quarryOffers, quarryDay(3, 6))
	for _, id := range []string{"t1", "t2", "t3", "t4", "t5", "t6"} {
		p.buy(id, 30000, "GROCERY")
	}
	p.refund("t1", 30000)
	p.want(12000, 0, 12000)
	p.refund("t2", 26000) // what is left is below KWD 5
	p.want(12000, 0, 12000)
	p.refund("t3", 30000)
	p.want(9000, 0, 9000)
}
