package reward_test

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"recoup/reward"
)

// grant gives a purchase its reward in all layers, once.
func (b *naiveBook) grant(t *naiveTransaction, base int64) {
	a := b.allocate()
	for _, s := range t.shares {
		if !t.counts {
			continue
		}
		own := b.entry(s, base, naiveView{a.left, granted})
		r := s.rule
		if r.Cap != reward.NoCap {
			s.original = max(0, min(naiveFloor(naiveByItself(own.rule, own.q)), b.room(s)))
			s.retained = s.original
			continue
		}
		others := b.entries(s.pot(), a.left, func(u *naiveTransaction) bool { return u.granted })
		f := naiveRewards(append(others, own))
		s.original = f[len(f)-1]
		s.retained = s.original
	}
	t.granted, t.base = true, base
}

// room is what of the cap of a share's pot is not used.
func (b *naiveBook) room(s *naiveShare) int64 {
	if s.rule.Cap == reward.NoCap {
		return math.MaxInt64
	}
	room := s.rule.Cap
	for _, t := range b.posted {
		for _, u := range t.shares {
			if t.counts && u.pot() == s.pot() {
				room -= u.retained
			}
		}
	}
	return room
}

func (s *naiveShare) cutByCap() bool {
	return s.original != naiveFloor(naiveTimes(naiveRate(s.rule), s.of.base))
}

func granted(t *naiveTransaction) bool { return t.granted }

// entitled is what every share and bonus is to have under an allocation.
func (b *naiveBook) entitled(a *naiveAllocation) (map[*naiveShare]int64, map[naivePot]int64) {
	f, bonuses := map[*naiveShare]int64{}, map[naivePot]int64{}
	for _, p := range b.pots() {
		entries := b.entries(p, a.left, granted)
		if p.tier {
			continue
		}
		if p.bonus {
			bonuses[p] = 0
			if len(entries) > 0 {
				bonuses[p] = naiveBonus(entries[0].share.bonus, entries)
			}
			continue
		}
		for i, reward := range naiveRewards(entries) {
			f[entries[i].share] = reward
		}
	}
	for s := range f {
		if s.of.method() != reward.Proportional {
			continue
		}
		if a.left(s.of) > s.of.base && !s.cutByCap() {
			f[s] = naiveFloor(naiveTimes(naiveRate(s.rule), a.left(s.of)))
		} else {
			f[s] = naiveFloor(naiveTimes(big.NewRat(s.original, s.of.base), a.left(s.of)))
		}
	}
	return f, bonuses
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

// levelTo posts decreases before increases, so that these find the cap's room, and
// bonuses after all.
func (b *naiveBook) levelTo(f map[*naiveShare]int64, bonuses map[naivePot]int64) {
	var order []*naiveShare
	for _, t := range b.posted {
		for _, s := range t.shares {
			if _, there := f[s]; there {
				order = append(order, s)
			}
		}
	}
	for _, s := range order {
		s.retained = min(s.retained, f[s])
	}
	for _, s := range order {
		s.retained += max(0, min(f[s]-s.retained, b.room(s)))
	}
	b.paid = map[naivePot]int64{}
	for p, pays := range bonuses {
		b.paid[p] = pays
	}
}

// bonusLines are what a replay prints of bonuses; nil where the program has none.
func (b *naiveBook) bonusLines(a *naiveAllocation) []naiveBonusLine {
	has := false
	for p := b.latest; p != nil; p = p.Earlier {
		has = has || len(p.Bonuses) > 0
	}
	if !has {
		return nil
	}
	lines := []naiveBonusLine{}
	type placed struct {
		naiveBonusLine
		file   int
		begins reward.Instant
	}
	var list []placed
	for _, p := range b.pots() {
		if !p.bonus {
			continue
		}
		all := b.entries(p, a.left, everyPurchase)
		spend, purchases := naiveSpend(b.entries(p, a.left, granted))
		if purchases > 0 || b.paid[p] != 0 {
			list = append(list, placed{naiveBonusLine{p.name, p.span.name, spend, purchases, b.paid[p]}, all[0].share.file, p.span.begins})
		}
	}
	slices.SortFunc(list, func(x, y placed) int { return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.begins, y.begins)) })
	for _, x := range list {
		lines = append(lines, x.naiveBonusLine)
	}
	return lines
}
