package reward_test

import "recoup/reward"

// owed is the part of the balance that is about to be taken back: what is not
// levelled yet, and what is known of and not posted.
func (b *naiveBook) owed() int64 { return b.withheld(false) }

// held is the part of the balance that may not be redeemed yet.
func (b *naiveBook) held() int64 { return b.withheld(true) }

func (b *naiveBook) withheld(maturing bool) int64 {
	f := b.entitled(b.allocation(b.factsIfPosted()))
	young := func(t *naiveTransaction) bool {
		return maturing && b.now < t.postedAt+naiveDays(t.terms.MaturityDays)
	}
	var sum int64
	buckets := map[naiveBucket]int64{} // under rerate, retained beyond what is entitled
	for _, t := range b.posted {
		if !t.granted || !t.earns {
			continue
		}
		safe := f[t]
		if young(t) {
			safe = 0
		}
		if t.method() == reward.Rerate && t.rule.Cap != reward.NoCap {
			buckets[t.bucket()] += t.retained - safe
		} else {
			sum += max(0, t.retained-safe)
		}
	}
	for _, excess := range buckets {
		sum += max(0, excess)
	}
	return sum
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
			f.linked = append(f.linked, naiveLinked{t, r.id, b.now, r.announcement.Amount, true})
		} else { // it would be parked, and says nothing but which purchase that is unknown
			parked.unlinked = append(parked.unlinked, naiveUnlinked{refund: r, time: b.now, amount: r.announcement.Amount})
		}
	}
	parked.order()
	f.unlinked = append(f.unlinked, parked.unlinked[max(0, len(parked.unlinked)-b.terms().Refunds.Movable):]...)
	f.order()
	return f
}
