package reward_test

import "recoup/reward"

// owed is the part of the balance that is about to be taken back: what is not
// levelled yet, and what is known of and not posted.
func (b *naiveBook) owed() int64 { return b.withheld(false) }

// held is the part of the balance that may not be redeemed yet.
func (b *naiveBook) held() int64 { return b.withheld(true) }

func (b *naiveBook) withheld(maturing bool) int64 { return b.wouldFall(b.holdsBy(maturing)) }

// holdsBy is what is held, by what it is of.
func (b *naiveBook) holdsBy(maturing bool) *naiveHolds {
	a := b.allocation(b.factsIfPosted())
	f, _ := b.entitled(a)
	young := func(t *naiveTransaction) bool {
		return maturing && b.now < t.postedAt+naiveDays(t.terms.MaturityDays)
	}
	held := &naiveHolds{cycles: map[reward.Cycle]int64{}}
	for _, p := range b.pots() {
		entries := b.entries(p, a.left, granted)
		switch {
		case p.tier:
		case p.bonus:
			pays := int64(0)
			if mature := b.entries(p, a.left, func(t *naiveTransaction) bool { return t.granted && !young(t) }); len(mature) > 0 {
				pays = naiveBonus(mature[0].share.bonus, mature)
			}
			b.hold(held, p, entries, max(0, b.paid[p]-pays))
		case len(entries) == 0:
		case entries[0].share.of.method() == reward.Proportional:
			for _, x := range entries {
				safe := f[x.share]
				if young(x.share.of) {
					safe = 0
				}
				held.cycles[x.share.of.cycle] += max(0, x.share.retained-safe)
			}
		default:
			var retained, value int64
			for _, x := range entries {
				retained += x.share.retained
			}
			if entries[0].share.of.terms.Layers == nil { // semantics.md: what is young is left out of the sum
				for _, x := range entries {
					if !young(x.share.of) {
						value += f[x.share]
					}
				}
			} else { // terms.md: what is young is not there
				ripe := b.entries(p, a.left, func(t *naiveTransaction) bool { return t.granted && !young(t) })
				rewards := naiveRewards(ripe)
				if p.alone == nil && !p.ofPeriod(entries[0].share) {
					b.holdOfLimit(held, entries, ripe, rewards)
					continue
				}
				for _, reward := range rewards {
					value += reward
				}
			}
			b.hold(held, p, entries, max(0, retained-value))
		}
	}
	return held
}

// factsIfPosted are the facts as if every announced refund that still holds had
// been posted now, and every parked one had not said of which purchase it is.
func (b *naiveBook) factsIfPosted() naiveFacts {
	f := b.facts()
	parked := naiveFacts{}
	for _, r := range b.refunds {
		if b.isParked(r) {
			parked.unlinked = append(parked.unlinked, b.asUnlinked(r))
		}
		if !b.holds(r) {
			continue
		}
		if t := b.transaction(r.announcement.Transaction); t != nil && t.settlement != nil {
			f.linked = append(f.linked, naiveLinked{t, r.id, b.now, r.announcement.Amount, true, ""})
		} else { // it would be parked, and says nothing but which purchase that is unknown
			parked.unlinked = append(parked.unlinked, naiveUnlinked{refund: r, time: b.now, amount: r.announcement.Amount})
		}
	}
	parked.order()
	f.unlinked = append(f.unlinked, parked.unlinked[max(0, len(parked.unlinked)-b.terms().Refunds.Movable):]...)
	f.order()
	return f
}
