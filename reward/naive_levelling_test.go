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
		if u.earns && u.bucket() == t.bucket() {
			room -= u.retained
		}
	}
	return room
}

func (t *naiveTransaction) cutByCap() bool {
	return t.original != naiveFloor(naiveTimes(naiveRate(t.rule), t.base))
}

// entitled is the reward of every granted purchase under an allocation.
func (b *naiveBook) entitled(a *naiveAllocation) map[*naiveTransaction]int64 {
	f := map[*naiveTransaction]int64{}
	given := map[naiveBucket]int64{} // under rerate, what earlier purchases have of the cap
	for _, t := range b.posted {
		if !t.granted || !t.earns {
			continue
		}
		byRate := naiveFloor(naiveTimes(naiveRate(t.rule), a.left(t)))
		switch {
		case t.method() == reward.Rerate:
			f[t] = byRate
			if t.rule.Cap != reward.NoCap {
				f[t] = min(byRate, t.rule.Cap-given[t.bucket()])
			}
			given[t.bucket()] += f[t]
		case a.left(t) > t.base && !t.cutByCap():
			f[t] = byRate
		default:
			f[t] = naiveFloor(naiveTimes(big.NewRat(t.original, t.base), a.left(t)))
		}
	}
	return f
}

// level brings every granted purchase to what is still granted of its reward,
// and grants what waited for its grant past its close.
func (b *naiveBook) level() {
	for {
		a := b.allocate()
		b.levelTo(b.entitled(a))
		late := b.firstLate(a)
		if late == nil {
			return
		}
		b.grant(late, a.left(late))
	}
}

func (b *naiveBook) firstLate(a *naiveAllocation) *naiveTransaction {
	for _, t := range b.posted {
		if !t.granted && t.pastClose && a.left(t) > 0 {
			return t
		}
	}
	return nil
}

// levelTo posts decreases before increases, so that these find the cap's room.
func (b *naiveBook) levelTo(f map[*naiveTransaction]int64) {
	for _, t := range b.posted {
		if t.granted && t.earns {
			t.retained = min(t.retained, f[t])
		}
	}
	for _, t := range b.posted {
		if t.granted && t.earns {
			t.retained += max(0, min(f[t]-t.retained, b.room(t)))
		}
	}
}
