package reward

import (
	"math/big"
	"slices"
)

// Tiers on a worksheet: what is taken of a purchase that qualifies may change what
// others earn, wherever they are.

// addLookers has on the worksheet what goes by the tiers that lines qualify for.
func (s *worksheet) addLookers() {
	if len(s.leads) == 0 {
		return
	}
	s.at = make(map[*transaction]*line)
	for _, l := range s.lines {
		s.at[l.of] = l
	}
	for _, b := range slices.Clone(s.leads) {
		for _, t := range b.basket.ranks.lookers {
			if s.at[t] == nil {
				l := &line{of: t, place: len(s.lines), kind: s.account.kindOf(t), room: t.room(), left: t.room()}
				s.at[t] = l
				s.lines = append(s.lines, l)
				s.fill(l)
			}
		}
	}
}

// standsOn is how a tier stands on the worksheet.
func (s *worksheet) standsOn(k *basket) reach {
	b := s.bookOfBasket(k)
	if b.stands == nil {
		b.stands = b.reach()
	}
	return b.stands
}

func (b *book) reach() reach {
	return reachOf(b.basket.tier.crossings(func(yield func(int64, int64) bool) {
		for _, m := range b.members {
			if !yield(purchaseRank(m.key), m.q) {
				return
			}
		}
	}))
}

// pickOf is which of its rules applies to a stake on the worksheet.
func (s *worksheet) pickOf(k *stake) int8 {
	if !k.byTier() {
		return 0
	}
	return k.pickBy(s.standsOn)
}

// restand looks whether tiers that a line qualifies for stand otherwise, and has what
// goes by them follow.
func (s *worksheet) restand(l *line) {
	for i := range l.roles {
		b := l.roles[i].book
		if b == nil || b.rank != ofTiers {
			continue
		}
		was, is := s.standsOn(b.basket), b.reach()
		if slices.Equal(was, is) {
			continue
		}
		b.stands = is
		for _, t := range b.basket.ranks.lookers {
			if l := s.at[t]; l != nil && was.levels(t) != is.levels(t) {
				s.repick(l)
			}
		}
	}
}

// repick has a line earn by its tiers.
func (s *worksheet) repick(l *line) {
	for i := range l.roles {
		if x := &l.roles[i]; x.stake.byTier() {
			x.pick = s.pickOf(x.stake)
			x.recount(s.scale)
		}
	}
	l.worth, _ = s.worthOf(l)
	at, there := slices.BinarySearchFunc(s.classes, l.worth, (*big.Rat).Cmp)
	if !there {
		s.classes = slices.Insert(s.classes, at, l.worth)
		for _, o := range s.lines {
			if o.class >= at {
				o.class++
			}
		}
	}
	l.class = at
}

// affected is E of what placing money on a line may change.
func (s *worksheet) affected(l *line) uint128 {
	if len(s.leads) > 0 {
		return s.everything() // by tiers, others too
	}
	return l.around()
}

// everything is E of all that is on the worksheet.
func (s *worksheet) everything() (sum uint128) {
	for _, b := range s.books {
		sum = sum.add(b.promise())
	}
	for _, l := range s.lines {
		for i := range l.roles {
			if x := &l.roles[i]; x.book == nil {
				sum = sum.add(x.now.psi)
			}
		}
	}
	return sum
}
