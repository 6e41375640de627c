package reward_test

import (
	"math"
	"math/big"

	"recoup/reward"
)

// grant gives a purchase its reward, once.
func (b *naiveBook) grant(t *naiveTransaction, base int64) {
	t.granted, t.base = true, base
	if t.earns {
		t.original = max(0, min(naiveFloor(naiveTimes(naiveRate(t.rule), base)), b.room(t)))
	}
	t.retained = t.original
}

// room is what of the cap of the purchase's bucket is not used.
func (b *naiveBook) room(t *naiveTransaction) int64 {
	if t.rule.Cap == reward.NoCap {
		return math.MaxInt64
	}
	room := t.rule.Cap
	for _, u := range b.posted {
		if u.earns && u.rule == t.rule && u.cycle == t.cycle {
			room -= u.retained
		}
	}
	return room
}

func (t *naiveTransaction) cutByCap() bool {
	return t.original != naiveFloor(naiveTimes(naiveRate(t.rule), t.base))
}

// entitled is the reward of a granted purchase of which so much is left, the
// cap of its bucket apart.
func (b *naiveBook) entitled(t *naiveTransaction, left int64) int64 {
	switch {
	case !t.earns:
		return 0
	case b.program.Method == reward.Rerate || left > t.base && !t.cutByCap():
		return naiveFloor(naiveTimes(naiveRate(t.rule), left))
	}
	return naiveFloor(naiveTimes(big.NewRat(t.original, t.base), left))
}

// level brings every granted purchase to what is still granted of its reward,
// and grants what waited for its grant past its close.
func (b *naiveBook) level() {
	for {
		a := b.allocate()
		if b.program.Method == reward.Rerate {
			b.levelRerate(a)
		} else {
			b.levelProportional(a)
		}
		late := b.firstLate(a)
		if late == nil {
			return
		}
		b.grant(late, a.left(late))
	}
}

func (b *naiveBook) firstLate(a *naiveAllocation) *naiveTransaction {
	for _, t := range b.posted {
		if !t.granted && t.cycle < b.openCycle && a.left(t) > 0 {
			return t
		}
	}
	return nil
}

func (b *naiveBook) levelProportional(a *naiveAllocation) {
	for _, t := range b.posted {
		if t.granted {
			t.retained = min(t.retained, b.entitled(t, a.left(t)))
		}
	}
	for _, t := range b.posted {
		if t.granted && t.earns {
			rise := b.entitled(t, a.left(t)) - t.retained
			t.retained += max(0, min(rise, b.room(t)))
		}
	}
}

func (b *naiveBook) levelRerate(a *naiveAllocation) {
	for i, t := range b.posted {
		if !t.granted || !t.earns {
			continue
		}
		t.retained = b.entitled(t, a.left(t))
		if t.rule.Cap == reward.NoCap {
			continue
		}
		room := t.rule.Cap
		for _, u := range b.posted[:i] {
			if u.granted && u.earns && u.rule == t.rule && u.cycle == t.cycle {
				room -= u.retained
			}
		}
		t.retained = min(t.retained, room)
	}
}

// advance moves the account's time, and closes the cycles that are over.
func (b *naiveBook) advance(to reward.Instant) {
	if to <= b.now {
		return
	}
	if current := reward.CycleAt(to); current > b.openCycle {
		b.closeStatement(current)
	}
	b.now = to
}

// closeStatement closes all cycles before the current one, as of the last.
func (b *naiveBook) closeStatement(current reward.Cycle) {
	at := current.Start()
	b.now = at
	for _, r := range b.refunds {
		if r.active() && r.transaction() != "" && !b.isPosted(r.transaction()) && at-r.postedAt >= naiveDays(b.program.Refunds.ParkDays) {
			r.gaveUp = true
		}
	}
	b.level()
	a := b.allocate()
	for _, r := range b.unlinkedRefunds() {
		if !r.firm && at-r.posting.Time >= naiveDays(b.program.Refunds.FirmDays) {
			r.firm, r.places = true, a.placed[r]
		}
	}
	b.openCycle = current
	b.level()
	if grace := b.program.Redemption.GraceDays; grace > 0 {
		b.holdUntil = at + naiveDays(grace)
	}
}

// owed is the part of the balance that is about to be taken back: what is not
// levelled yet, and what announced refunds would take.
func (b *naiveBook) owed() int64 { return b.withheld(0) }

// held is the part of the balance that may not be redeemed yet.
func (b *naiveBook) held() int64 { return b.withheld(b.program.MaturityDays) }

func (b *naiveBook) withheld(maturityDays int) int64 {
	a := b.allocate()
	var sum int64
	for _, t := range b.posted {
		if !t.granted {
			continue
		}
		if b.now < t.postedAt+naiveDays(maturityDays) {
			sum += t.retained
			continue
		}
		sum += max(0, t.retained-b.entitled(t, max(0, a.left(t)-b.announced(t))))
	}
	return sum
}

// announced is what refunds that hold would reverse of a purchase.
func (b *naiveBook) announced(t *naiveTransaction) int64 {
	var sum int64
	for _, r := range b.refunds {
		if b.holds(r) && r.announcement.Transaction == t.id {
			sum += r.announcement.Amount
		}
	}
	return sum
}

func (b *naiveBook) balance() int64 {
	var sum int64
	for _, t := range b.posted {
		sum += t.retained
	}
	for _, p := range b.adjustments {
		sum += p.amount
	}
	return sum - b.redeemed()
}

func (b *naiveBook) redeemed() int64 {
	var sum int64
	for _, p := range b.redemptions {
		if !p.reversed {
			sum += p.amount
		}
	}
	return sum
}
