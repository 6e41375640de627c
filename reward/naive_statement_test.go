package reward_test

import "recoup/reward"

// advance moves the account's time, and closes the cycles that are over.
func (b *naiveBook) advance(to reward.Instant) {
	if to <= b.now {
		return
	}
	if current := naiveCycle(b.latest, to); current > b.openCycle {
		b.closeStatement(current, to)
	}
	b.now = to
}

// closeStatement closes all cycles before the current one, as of the last.
func (b *naiveBook) closeStatement(current reward.Cycle, to reward.Instant) {
	b.now = naivePeriod(b.latest, reward.PerCycle, to).begins
	for _, r := range b.refunds {
		if b.isParked(r) && b.now-r.postedAt >= naiveDays(b.terms().Refunds.ParkDays) {
			r.gaveUp = true
		}
	}
	b.keepFewMovable()
	b.level()
	b.firmUp()
	b.openCycle = current
	for _, t := range b.posted {
		t.pastClose = true
	}
	b.level()
	b.dateLifetimes(current - 1)
	if grace := b.terms().Redemption.GraceDays; grace > 0 {
		b.holdUntil = b.now + naiveDays(grace)
	}
}

// firmUp ends the wandering of unlinked refunds that are old enough.
func (b *naiveBook) firmUp() {
	a := b.allocate()
	for _, u := range b.facts().unlinked {
		if !u.firm && b.now-u.time >= naiveDays(b.terms().Refunds.FirmDays) && !b.mayCount(u) {
			u.refund.firm, u.refund.places = true, a.placed[u.refund]
		}
	}
	b.keepOldSpreads(a)
}

// keepFewMovable makes the first unlinked refunds firm while too many may move.
func (b *naiveBook) keepFewMovable() {
	for {
		var movable []naiveUnlinked
		for _, u := range b.facts().unlinked {
			if !u.firm {
				movable = append(movable, u)
			}
		}
		if len(movable) <= b.terms().Refunds.Movable {
			break
		}
		first := movable[0].refund
		first.firm, first.places = true, b.allocate().placed[first]
	}
	b.keepFewSpreads()
}

// mayCount says whether a purchase that an unlinked refund may be of counts in a period
// that is not over, where terms say so.
func (b *naiveBook) mayCount(u naiveUnlinked) bool {
	refunds := b.terms().Refunds
	for _, t := range b.posted {
		settled := t.settlement.Time
		if t.terms.Layers == nil || !t.counts || settled < u.time-naiveDays(refunds.WindowDays) || settled >= u.time+naiveDays(refunds.MatchDays) {
			continue
		}
		if b.countsOn(t) {
			return true
		}
	}
	return false
}

// countsOn says whether a purchase counts in a period that is not over.
func (b *naiveBook) countsOn(t *naiveTransaction) bool {
	for _, s := range t.all() {
		p := s.pot()
		ends := p.span.ends
		if s.tier != nil && s.tier.Next {
			ends = naivePeriod(t.terms, s.tier.Per, ends).ends
		}
		if p.alone == nil && p.span.name != "lifetime" && ends > b.now {
			return true
		}
	}
	return false
}
