package reward

import "slices"

// Tiers on a worksheet: what is taken of a purchase that qualifies may change what
// others earn, wherever they are.

// addLookers has on the worksheet what goes by the tiers that lines qualify for.
func (s *worksheet) addLookers() {
	for _, b := range slices.Clone(s.leads) {
		for _, t := range b.basket.ranks.lookers {
			if s.at[t] == nil {
				s.addLine(t)
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
	return reachOf(b.basket.tier.crossings(func(yield func(int32, int64) bool) {
		for _, m := range b.members {
			if !yield(postingOrder(m.key), m.q) {
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

// choose has a role go by its tier.
func (s *worksheet) choose(x *role) {
	x.pick = s.pickOf(x.stake)
	if x.pick != none && x.rule != nil {
		x.rule = x.stake.ruleAs(x.pick)
	}
}

// restand looks whether a tier stands otherwise, and has what goes by it follow.
func (s *worksheet) restand(b *book) {
	was, is := s.standsOn(b.basket), b.reach()
	if slices.Equal(was, is) {
		return
	}
	b.stands = is
	for _, t := range b.basket.ranks.lookers {
		l := s.at[t]
		if l == nil || was.levels(t) == is.levels(t) {
			continue
		}
		for _, x := range l.roles {
			if x.stake.byTier() {
				s.choose(x)
				x.recount()
			}
		}
		l.worth = l.ownWorth()
	}
}

// everything is E of all that is on the worksheet.
func (s *worksheet) everything() (sum uint128) {
	for _, b := range s.books {
		sum = sum.add(b.promise())
	}
	for _, l := range s.lines {
		for _, x := range l.roles {
			if x.book == nil {
				sum = sum.add(x.now.psi)
			}
		}
	}
	return sum
}
