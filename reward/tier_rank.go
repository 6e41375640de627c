package reward

import (
	"iter"
	"slices"
)

// How the tiers of an account stand. The basket of a tier has what qualifies for it in a
// period. Which purchase crosses a level, and the sums before and with it, are kept, so
// that an event which moves no crossing looks at no other purchase.

// ranking is what the basket of a tier has besides.
type ranking struct {
	marks   []mark
	lookers []*transaction // whose terms go by it, in posting order
	entered bool           // a purchase has qualified
	queued  bool           // it is to be looked at whether the marks hold

	// What holds go by: if all were posted, and without what has not matured.
	ahead, mature reach
}

// mark is where a level is reached: with which purchase, by its rank, and the
// sums before it and with it. Of a tier that is kept for the next period, which all of
// this one counts for, since is zero once the level is reached.
type mark struct {
	since, before, with int64
}

// crosses reports whether a mark is where a sum, of all so much, reaches a level.
func (m mark) crosses(b *basket, from int64) bool {
	switch {
	case m.since == beyond:
		return b.present.spend < from
	case b.tier.Next:
		return b.present.spend >= from
	}
	return m.before < from && from <= m.with
}

// unranked is the ranking of a tier for which nothing counts.
func unranked(t *Tier) *ranking {
	r := &ranking{marks: make([]mark, len(t.Spend)), ahead: make(reach, len(t.Spend)), mature: make(reach, len(t.Spend))}
	for i := range r.marks {
		r.marks[i].since, r.ahead[i], r.mature[i] = beyond, beyond, beyond
	}
	return r
}

// now is how the tier stands at the present allocation.
func (b *basket) now() reach {
	return reachOf(b.ranks.marks)
}

// count has the basket of a tier know what a granted purchase counts for.
func (a *Account) count(k *stake, was, is entry) {
	b := k.basket
	a.handBasket(b)
	a.reholdOf(b)
	b.present = b.present.minus(was).plus(is)
	more := is.q - was.q
	if more == 0 {
		return
	}
	r, rank := b.ranks, k.of.rank()
	for i := range r.marks {
		m, from := &r.marks[i], b.tier.Spend[i].From
		switch {
		case b.tier.Next:
		case m.since == beyond:
			// Nothing has posted after the last purchase that could come to the level.
			if sum := b.present.spend; k.of.order == a.posted && k.of.item == 0 && sum-more < from && from <= sum {
				*m = mark{rank, sum - more, sum}
			}
		case rank < m.since:
			m.before += more
			m.with += more
		case rank == m.since:
			m.with += more
		}
		if !r.queued && !m.crosses(b, from) {
			r.queued = true
			a.unranked = append(a.unranked, b)
		}
	}
}

// rank brings tiers up to date with what is left of purchases, and with them what goes
// by them.
func (a *Account) rank() {
	for len(a.unranked) > 0 {
		b := a.unranked[len(a.unranked)-1]
		a.unranked = a.unranked[:len(a.unranked)-1]
		b.ranks.queued = false
		moved := false
		for i, m := range b.ranks.marks {
			moved = moved || !m.crosses(b, b.tier.Spend[i].From)
		}
		if !moved {
			continue
		}
		a.completeRanks(b)
		was := b.now()
		b.ranks.marks = b.crossings(func(k *stake) int64 {
			if !k.of.is(granted) {
				return 0
			}
			return k.entry(k.of.net()).q
		})
		is := b.now()
		for _, t := range b.ranks.lookers {
			if was.levels(t) != is.levels(t) {
				a.regrade(t)
			}
		}
	}
}

// crossings finds where levels are reached, by what of each purchase counts.
func (b *basket) crossings(counts func(*stake) int64) []mark {
	return b.tier.crossings(func(yield func(int64, int64) bool) {
		for _, k := range b.stakes {
			if !yield(k.of.rank(), counts(k)) {
				return
			}
		}
	})
}

// crossings finds where levels are reached, by what counts in posting order.
func (x *Tier) crossings(all iter.Seq2[int64, int64]) []mark {
	marks := unranked(x).marks
	var sum int64
	for rank, q := range all {
		before := sum
		sum += q
		for i, l := range x.Spend {
			if before < l.From && l.From <= sum {
				marks[i] = mark{rank, before, sum}
				if x.Next {
					marks[i] = mark{}
				}
			}
		}
	}
	return marks
}

// reachOf is since when levels are reached by marks.
func reachOf(marks []mark) reach {
	s := make(reach, len(marks))
	for i, m := range marks {
		s[i] = m.since
	}
	return s
}

// reachBy is how the tier stands by what of each purchase counts.
func (b *basket) reachBy(counts func(*stake) int64) reach {
	return reachOf(b.crossings(counts))
}

// regrade has a purchase earn by the tiers that it is at now.
func (a *Account) regrade(t *transaction) {
	a.hand(t)
	for k := range t.all() {
		if !k.byTier() {
			continue
		}
		pick := k.pickBy((*basket).now)
		if pick == k.choice.now {
			continue
		}
		before := k.entry(t.net())
		k.settleFor(pick)
		if !t.is(granted) {
			continue
		}
		if b := k.basket; b != nil {
			b.alter(before, k.entry(t.net()))
			a.reckonBasket(b)
		}
		a.touch(t)
		a.rehold(t)
	}
}

// completeRanks has all purchases at hand that count for a tier in a period, or go by it.
func (a *Account) completeRanks(b *basket) {
	if !b.unread {
		return
	}
	b.unread = false
	for range a.settledBetween(b.begins, b.program.ends(b.per, b.lasts())) {
		break // all of them are read by now
	}
}

// lasts is the last period in which what counts in a basket matters.
func (b *basket) lasts() int32 {
	if b.tier != nil && b.tier.Next {
		return b.number + 1
	}
	return b.number
}

// reviewRanks works out how a tier would stand if all were posted, and what of that has
// matured. Where that is not as it was, what goes by it has its holds worked out anew.
func (a *Account) reviewRanks(b *basket) {
	b.unheld = false
	r, odd := b.ranks, a.oddIn(b)
	ahead, mature := a.reachIf(b, odd, a.ifPosted), a.reachIf(b, odd, a.ifMature)
	wasAhead, wasMature := r.ahead, r.mature
	r.ahead, r.mature = ahead, mature
	a.noteApart(b)
	if slices.Equal(ahead, wasAhead) && slices.Equal(mature, wasMature) {
		return
	}
	a.completeRanks(b)
	a.handBasket(b)
	for _, t := range r.lookers {
		if wasAhead.levels(t) != ahead.levels(t) || wasMature.levels(t) != mature.levels(t) {
			a.rehold(t)
		}
	}
}

// noteApart keeps a tier among those that stand otherwise if all is posted, or without
// what has not matured.
func (a *Account) noteApart(b *basket) {
	a.apart = without(a.apart, b)
	if now := b.now(); !slices.Equal(now, b.ranks.ahead) || !slices.Equal(now, b.ranks.mature) {
		a.apart = append(a.apart, b)
	}
}

// ifPosted is what of a purchase would be left if all were posted.
func (a *Account) ifPosted(k *stake) (left int64, counts bool) {
	return k.of.amount - a.ahead(k.of), k.of.is(granted)
}

// ifMature is the same of those that have matured.
func (a *Account) ifMature(k *stake) (left int64, counts bool) {
	return k.of.amount - a.ahead(k.of), k.of.is(granted) && !k.of.is(immature)
}

// reachIf is how a tier stands if odd purchases count for something else than they do
// now. Only where that moves a crossing are the others looked at.
func (a *Account) reachIf(b *basket, odd []*stake, left func(*stake) (int64, bool)) reach {
	instead := make(map[*stake]int64, len(odd))
	for _, k := range odd {
		instead[k] = 0
		if left, counts := left(k); counts {
			instead[k] = k.entry(left).q
		}
	}
	is := func(k *stake) int64 {
		if !k.of.is(granted) {
			return 0
		}
		return k.entry(k.of.net()).q
	}
	all := *b
	for k, q := range instead {
		all.present.spend += q - is(k)
	}
	moved := false
	for i, m := range b.ranks.marks {
		if !b.tier.Next && m.since != beyond {
			for k, q := range instead {
				if k.of.rank() < m.since {
					m.before += q - is(k)
				}
				if k.of.rank() <= m.since {
					m.with += q - is(k)
				}
			}
		}
		moved = moved || !m.crosses(&all, b.tier.Spend[i].From)
	}
	if !moved {
		return b.now()
	}
	a.completeRanks(b)
	return b.reachBy(func(k *stake) int64 {
		if q, there := instead[k]; there {
			return q
		}
		return is(k)
	})
}

// entryIfPosted is what a stake would count for if all were posted, tiers included.
func (a *Account) entryIfPosted(k *stake) entry { return k.entryIf(a.ifPosted, standsAhead) }

// entryIfMature is the same without what has not matured.
func (a *Account) entryIfMature(k *stake) entry { return k.entryIf(a.ifMature, standsMature) }

func standsAhead(b *basket) reach  { return b.ranks.ahead }
func standsMature(b *basket) reach { return b.ranks.mature }

func (k *stake) entryIf(left func(*stake) (int64, bool), stands func(*basket) reach) entry {
	rest, counts := left(k)
	switch {
	case !counts:
		return entry{}
	case k.byTier():
		return k.entryAs(k.pickBy(stands), rest)
	}
	return k.entry(rest)
}

// apartIn are the stakes of a basket that would be under another rule if all were posted,
// or without what has not matured.
func (a *Account) apartIn(b *basket) (list []*stake) {
	a.completeApart()
	for _, tier := range a.apart {
		for _, t := range tier.ranks.lookers {
			for k := range t.all() {
				if k.basket == b && k.byTier() && t.is(granted) &&
					(k.pickBy(standsAhead) != k.choice.posted || k.pickBy(standsMature) != k.choice.posted) {
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// completeApart has at hand what goes by a tier that would stand otherwise, and with it the
// baskets in which that is held: nothing else of these need be of the working parts.
func (a *Account) completeApart() {
	for _, tier := range a.apart {
		a.completeRanks(tier)
	}
}

// sortOutTiers decides once for which tiers a purchase that posts qualifies, and notes
// by which it goes.
func (s *step) sortOutTiers(t *transaction, o *occasion) {
	p, more := o.program, t.more
	for i := range p.Tiers {
		x := &p.Tiers[i]
		if t.is(barren) || !o.suits(&x.Match, &x.Except) {
			continue
		}
		b := s.basketOfTier(p, x, p.number(x.Per, t.settledAt))
		s.handBasket(b)
		if !b.ranks.entered {
			b.define(p) // who went by it before may have had another version
			b.ranks.entered = true
		}
		k := &stake{of: t, basket: b, earns: true}
		s.join(k)
		more.ranks = append(more.ranks, k)
	}
	s.look(t)
	s.regrade(t)
}

// look notes by which tiers, in which period, what a purchase earns goes.
func (a *Account) look(t *transaction) {
	p := a.under(t)
	at := func(m *Match) {
		for id := range m.askedTiers() {
			x, _ := p.tier(id)
			if x == nil || slices.ContainsFunc(t.more.regards, func(b *basket) bool { return b.name == id }) {
				continue
			}
			number := p.number(x.Per, t.settledAt)
			if x.Next {
				number--
			}
			b := a.basketOfTier(p, x, number)
			t.more.regards = append(t.more.regards, b)
			r := b.ranks
			at, _ := slices.BinarySearchFunc(r.lookers, t, byOrder)
			r.lookers = slices.Insert(r.lookers, at, t)
		}
	}
	for k := range t.all() {
		switch {
		case !k.byTier():
		case k.choice.rules == nil:
			at(&k.basket.bonus.Match)
		default:
			for _, r := range k.choice.rules {
				at(&r.Match)
			}
		}
	}
}
