package examine

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
)

// These bound how long an examination waits for what may never come.
const (
	patienceDays  = 90 // for a reward that can be redeemed
	closesToWatch = 3  // for an adjustment that is late
	quietCloses   = 6  // for a debt to be forgotten
	walkAwayMonth = 12 // for anything to happen to who has left

	// returnDays is when the last return within a merchant's 30 days reaches the
	// issuer (paper, section 5.2).
	returnDays = 29
)

// delay is how long after its delivery a refund was reflected in the net reward.
type delay struct {
	kind delayKind
	days int // of withinCycle and atStatement, begun ones counted
}

type delayKind uint8

const (
	// never: not within closesToWatch statement closes.
	never delayKind = iota
	// netted: there was no reward yet when the refund came, and none came for it.
	netted
	atOnce
	withinCycle
	atStatement // by the first close after it
	late        // by a later one
)

// bounded reports whether the delay is within Δ, one billing cycle.
func (d delay) bounded() bool { return d.kind != never && d.kind != late }

// evidence is what an examination sees. All amounts are in minor units.
type evidence struct {
	sequences []Sequence

	// Of one purchase that is kept:
	reward          int64 // what it earned
	atSettlement    bool  // the reward showed before the first statement close
	redeemableAfter int   // days until something could be redeemed; -1 for never

	sameCycle, nextCycle, inParts, dipped returned
	debt                                  debt
	windowSameCycle, windowNextCycle      window

	// paid out in the end to who has nothing left of what was bought
	walkedAway, walkedAwayAfterRounds int64
}

// examination plays sequences against an issuer, each in an account of its own
// that begins on the tenth of a January, the next year's every time: there may
// be one clock for all accounts, and it does not go back.
type examination struct {
	issuer blackBox
	sample Sample
	start  time.Time // of the sequence to come
	found  evidence
	err    error
}

// gather plays all sequences.
func gather(i issuer.Issuer, sample Sample, year int) (*evidence, error) {
	x := &examination{issuer: blackBox{i}, sample: sample, start: tenthOfJanuary(year)}
	f := &x.found
	x.keep()
	f.sameCycle = x.bringBack("returned-in-its-cycle", 100, 0, false)
	f.nextCycle = x.bringBack("returned-in-the-next-cycle", 0, 100, false)
	f.inParts = x.bringBack("returned-in-parts", 40, 60, false)
	f.dipped = x.bringBack("redeemed-and-returned-in-its-cycle", 100, 0, true)
	f.debt = x.owe()
	f.windowSameCycle = x.redeemAfterRefund("refunded-in-its-cycle-then-redeemed", false)
	f.windowNextCycle = x.redeemAfterRefund("refunded-in-the-next-cycle-then-redeemed", true)
	f.walkedAway = x.walkAway()
	f.walkedAwayAfterRounds = x.walkAwayAfterRounds()
	return f, x.err
}

// ErrEarnsNothing says that an examination needs another sample, or another issuer.
var ErrEarnsNothing = errors.New("earned nothing by its statement close: expected a sample purchase that earns a reward")

func tenthOfJanuary(year int) time.Time {
	return time.Date(year, time.January, 10, 10, 0, 0, 0, time.UTC)
}

// try plays one sequence, unless an earlier one failed.
func (x *examination) try(name string, play func(*trial)) {
	if x.err != nil {
		return
	}
	t := &trial{issuer: x.issuer, sample: x.sample, account: name, now: x.start, sequence: Sequence{Name: name}}
	if t.err = x.issuer.SetClock(t.now); t.err == nil {
		t.err = x.issuer.Open(t.account)
	}
	play(t)
	if last := len(t.sequence.Moves) - 1; last >= 0 && t.sequence.Moves[last].At.Before(t.now) {
		t.sequence.Moves = append(t.sequence.Moves, t.seen)
	}
	x.err = t.err
	x.found.sequences = append(x.found.sequences, t.sequence)
	x.start = tenthOfJanuary(t.now.Year() + 1)
}

// keep buys, and sees when the reward comes and when it can be had. A reward
// that an issuer pays out by itself can be had then.
func (x *examination) keep() {
	x.try("kept", func(t *trial) {
		f := &x.found
		bought := t.now
		t.buy()
		earned := func() bool { return t.seen.NetReward() > 0 }
		f.atSettlement = t.waitFor(scenario.FirstOfMonth(bought, 1).Add(-time.Second), earned)
		if !f.atSettlement {
			t.waitFor(scenario.FirstOfMonth(bought, 1), earned)
		}
		if f.reward = t.seen.NetReward(); f.reward <= 0 && t.err == nil {
			t.err = fmt.Errorf("a purchase of %d: %w", t.sample.Amount, ErrEarnsNothing)
		}
		f.redeemableAfter = -1
		if t.waitFor(bought.AddDate(0, 0, patienceDays), t.canBeHad) {
			f.redeemableAfter = daysBegun(bought, t.now)
		}
	})
}

func (t *trial) canBeHad() bool { return t.seen.Redeemable > 0 || t.seen.PaidOut > 0 }

func daysBegun(from, to time.Time) int {
	const day = 24 * time.Hour
	return int((to.Sub(from) + day - 1) / day)
}

// returned is what came of a purchase of which everything was brought back. The
// entitlement is then zero, whatever the rates.
type returned struct {
	name  string      // of the sequence
	delay delay       // of the last refund
	taken bool        // something was taken back, if not all
	end   Observation // after closesToWatch statement closes
}

// bringBack buys, if asked redeems what can be redeemed at once, and returns one
// percentage on the twentieth, within the cycle, and the other on the tenth of
// the next month. A percentage of zero is no refund. The percentages add up to
// all of it.
func (x *examination) bringBack(name string, inCycle, inNext int64, redeemed bool) (r returned) {
	x.try(name, func(t *trial) {
		purchase, bought := t.buy(), t.now
		if redeemed {
			t.redeemAll()
		}
		most := t.seen.NetReward()
		if inCycle > 0 {
			t.until(bought.AddDate(0, 0, 10))
			t.refund(purchase, t.sample.Amount*inCycle/100)
		}
		if inNext > 0 {
			t.until(bought.AddDate(0, 1, 0))
			most = max(most, t.seen.NetReward())
			t.refund(purchase, t.spent)
		}
		delay := t.watchRefund()
		r = returned{name, delay, t.seen.NetReward() < most, t.seen}
	})
	return r
}

// watchRefund says how long after the last refund, which has just been delivered,
// there was more net reward than on nothing kept. It watches for closesToWatch
// closes, since a reward that the refund should have prevented may come later.
func (t *trial) watchRefund() delay {
	if t.err != nil {
		return delay{}
	}
	delivered, firstClose := t.now, t.nextMonth()
	since := delivered
	over, earned := false, t.earnedBeforeLast()
	t.watch(scenario.FirstOfMonth(delivered, closesToWatch), func() {
		if over {
			since = t.now
		}
		over = t.seen.NetReward() > 0
	})
	switch days := daysBegun(delivered, since); {
	case over:
		return delay{kind: never}
	case days == 0 && earned:
		return delay{kind: atOnce}
	case days == 0:
		return delay{kind: netted}
	case since.Before(firstClose):
		return delay{withinCycle, days}
	case since.Equal(firstClose):
		return delay{atStatement, days}
	}
	return delay{kind: late}
}

// earnedBeforeLast reports whether there was a net reward before the latest move.
func (t *trial) earnedBeforeLast() bool {
	moves := t.sequence.Moves
	return len(moves) > 1 && moves[len(moves)-2].NetReward() > 0
}

// debt is what came of a reward that was redeemed, and whose purchase then went
// back in full, in a later cycle than it was bought.
type debt struct {
	name   string // of the sequence
	kind   debtKind
	closes int         // of lapsed: how many it took
	judged Observation // when that became clear
}

type debtKind uint8

const (
	// unreached: nothing could be redeemed for patienceDays.
	unreached debtKind = iota
	// forgiven: it was not owed after closesToWatch statement closes.
	forgiven
	// partly: most of it was owed by then, and the rest was not.
	partly
	// lapsed: it was owed, and after some quiet closes no more.
	lapsed
	// notOffset: it was owed, and a new reward could be redeemed all the same.
	notOffset
	// owed: it was owed until a new reward of the same size repaid it.
	owed
)

// owe redeems at the first chance, brings all back in a later cycle, stays away
// for quietCloses statement closes from the clawback on, and buys the same again.
func (x *examination) owe() (d debt) {
	d.name = "redeemed-and-returned-later"
	x.try(d.name, func(t *trial) {
		purchase, bought := t.buy(), t.now
		if !t.waitFor(bought.AddDate(0, 0, patienceDays), t.canBeHad) {
			return
		}
		t.redeemAll()
		had := t.seen.PaidOut
		if had == 0 {
			return
		}
		t.until(t.now.AddDate(0, 0, 1))
		t.until(bought.AddDate(0, 1, 0))
		t.refund(purchase, t.spent)
		if !t.waitFor(scenario.FirstOfMonth(t.now, closesToWatch), func() bool { return t.seen.NetReward() <= 0 }) {
			d.kind, d.judged = forgiven, t.seen
			if 2*t.seen.NetReward() <= had {
				d.kind = partly
			}
			return
		}
		for d.closes = 1; d.closes <= quietCloses; d.closes++ {
			t.tick(t.nextMonth())
			if d.judged = t.seen; t.seen.NetReward() > 0 {
				d.kind = lapsed
				return
			}
		}
		t.until(t.now.AddDate(0, 0, 9))
		t.buy()
		t.tick(t.nextMonth())
		if t.seen.Balance > 0 || t.redeem(had) {
			d.kind = notOffset
		} else {
			d.kind = owed
		}
	})
	return d
}

// window is what could be redeemed of a reward after the refund of its whole
// purchase had been delivered.
type window struct {
	name   string // of the sequence
	amount int64
	days   int         // until the net reward was down to zero; -1 for never
	paid   Observation // right after it was redeemed
}

// redeemAfterRefund buys, and has everything refunded on the twentieth, or on the
// tenth of the next month if asked; then it redeems whatever it can, day by day,
// until the statement closes.
func (x *examination) redeemAfterRefund(name string, inNext bool) (w window) {
	w.name = name
	x.try(name, func(t *trial) {
		purchase, bought := t.buy(), t.now
		refunded := bought.AddDate(0, 0, 10)
		if inNext {
			refunded = bought.AddDate(0, 1, 0)
		}
		t.until(refunded)
		t.refund(purchase, t.spent)
		t.watch(t.nextMonth().Add(-time.Second), func() {
			if paid := t.redeemAll(); paid > 0 {
				w.amount += paid
				w.paid = t.seen
			}
		})
		w.days = -1
		if t.waitFor(scenario.FirstOfMonth(refunded, closesToWatch), func() bool { return t.seen.NetReward() <= 0 }) {
			w.days = daysBegun(refunded, t.now)
		}
	})
	return w
}

// walkAway redeems at the first chance within the return window, lets the whole
// purchase be refunded at the end of it, and never comes back. It returns what
// was paid out after a year.
func (x *examination) walkAway() (kept int64) {
	x.try("walked-away", func(t *trial) {
		purchase, bought := t.buy(), t.now
		returned := bought.AddDate(0, 0, returnDays)
		t.waitFor(returned, t.canBeHad)
		t.redeemAll()
		t.until(returned)
		t.refund(purchase, t.spent)
		t.until(t.now.AddDate(0, walkAwayMonth, 0))
		kept = t.seen.PaidOut
	})
	return kept
}

// walkAwayAfterRounds does it three times within one cycle, with the money that
// came back, and redeems and returns two days after each purchase.
func (x *examination) walkAwayAfterRounds() (kept int64) {
	x.try("walked-away-after-three-rounds", func(t *trial) {
		for round := range 3 {
			t.until(x.start.AddDate(0, 0, 7*round))
			purchase := t.buy()
			t.until(t.now.AddDate(0, 0, 2))
			t.redeemAll()
			t.refund(purchase, t.spent)
		}
		t.until(t.now.AddDate(0, walkAwayMonth, 0))
		kept = t.seen.PaidOut
	})
	return kept
}
