package reward_test

import (
	"maps"
	"slices"

	"recoup/reward"
)

// naiveExpiring is what a replay prints of a lot that has not expired.
type naiveExpiring struct {
	Cycle  string `json:"cycle"`
	Amount int64  `json:"amount"`
	At     string `json:"at"`
}

// naiveLots are what was earned: in cycles, and before the first cycle whose rewards
// expire, less what was used before it.
type naiveLots struct {
	before int64
	cycles map[reward.Cycle]int64
}

func (l naiveLots) add(b *naiveBook, c reward.Cycle, amount int64) naiveLots {
	if c < b.firstToExpire() {
		l.before += amount
	} else {
		l.cycles[c] += amount
	}
	return l
}

// naiveForever is the last cycle of what never expires.
const naiveForever reward.Cycle = 1 << 29

// firstToExpire is the first cycle whose version says expires.
func (b *naiveBook) firstToExpire() reward.Cycle {
	first := naiveForever
	for p := b.latest; p != nil; p = p.Earlier {
		if p.ExpiryMonths > 0 && p.Earlier != nil {
			first = p.From
		} else if p.ExpiryMonths > 0 {
			first = 0
		}
	}
	return first
}

// lastOf is e(c): so many months later, and never before an older lot.
func (b *naiveBook) lastOf(c reward.Cycle) reward.Cycle {
	if b.latest.In(c).ExpiryMonths == 0 {
		return naiveForever
	}
	var last reward.Cycle
	for older := max(b.firstToExpire(), c-200); older <= c; older++ {
		last = max(last, older+reward.Cycle(b.latest.In(older).ExpiryMonths))
	}
	return last
}

// naiveDated is what was posted of a lifetime on the statement of a cycle.
type naiveDated struct {
	cycle  reward.Cycle
	amount int64
}

// ofPeriod says whether what a pot pays is of its period.
func (p naivePot) ofPeriod(s *naiveShare) bool {
	return p.bonus || !p.tier && p.alone == nil && s.rule.Whole
}

// pays is what a pot has paid in all.
func (b *naiveBook) pays(p naivePot) int64 {
	if p.bonus {
		return b.paid[p]
	}
	var sum int64
	for _, x := range b.entries(p, everything, everyPurchase) {
		sum += x.share.retained
	}
	return sum
}

func everything(t *naiveTransaction) int64 { return t.settlement.Amount }

// dateLifetimes notes on which statement it is what an event or a close has posted of
// lifetimes.
func (b *naiveBook) dateLifetimes(on reward.Cycle) {
	if b.lifetimes == nil {
		b.lifetimes = map[naivePot][]naiveDated{}
	}
	for _, p := range b.pots() {
		if p.span.name != "lifetime" || !p.ofPeriod(b.entries(p, everything, everyPurchase)[0].share) {
			continue
		}
		change := b.pays(p)
		for _, x := range b.lifetimes[p] {
			change -= x.amount
		}
		if change > 0 {
			b.lifetimes[p] = append(b.lifetimes[p], naiveDated{on, change})
		}
		for change < 0 {
			last := &b.lifetimes[p][len(b.lifetimes[p])-1]
			if last.amount+change > 0 {
				last.amount += change
				break
			}
			change += last.amount
			b.lifetimes[p] = b.lifetimes[p][:len(b.lifetimes[p])-1]
		}
	}
}

// lastCycleOf is the cycle that holds the last instant of a pot's period.
func (b *naiveBook) lastCycleOf(p naivePot) reward.Cycle { return naiveCycle(b.latest, p.span.ends-1) }

// lots are what was earned, by cycle.
func (b *naiveBook) lots() naiveLots {
	l := naiveLots{cycles: map[reward.Cycle]int64{}}
	if b.firstToExpire() == naiveForever {
		return l
	}
	for _, p := range b.pots() {
		entries := b.entries(p, everything, everyPurchase)
		switch {
		case !p.ofPeriod(entries[0].share):
			for _, x := range entries {
				l = l.add(b, x.share.of.cycle, x.share.retained)
			}
		case p.span.name == "lifetime":
			for _, x := range b.lifetimes[p] {
				l = l.add(b, x.cycle, x.amount)
			}
		default:
			l = l.add(b, b.lastCycleOf(p), b.pays(p))
		}
	}
	for _, x := range b.adjustments {
		if x.amount > 0 {
			l = l.add(b, x.cycle, x.amount)
		}
	}
	for c, amount := range b.uses() {
		if c < b.firstToExpire() {
			l.before -= amount
		}
	}
	return l
}

// uses are what was used, by the cycle in which it was.
func (b *naiveBook) uses() map[reward.Cycle]int64 {
	uses := map[reward.Cycle]int64{}
	for _, x := range b.adjustments {
		uses[x.cycle] += max(0, -x.amount)
	}
	for _, x := range b.redemptions {
		if !x.reversed {
			uses[x.cycle] += x.amount
		}
	}
	for _, p := range b.promises {
		switch {
		case b.stands(p):
			uses[p.cycle] += p.amount
		case !p.returned:
			uses[p.cycle] += p.paid()
		}
	}
	return uses
}

// unused is what is left of each lot when all uses are served, by cycle.
func (b *naiveBook) unused(l naiveLots) map[reward.Cycle]int64 {
	left := maps.Clone(l.cycles)
	serve := func(u reward.Cycle, amount int64) {
		for _, c := range slices.Sorted(maps.Keys(left)) {
			if b.lastOf(c) >= u {
				part := min(amount, max(0, left[c]))
				left[c] -= part
				amount -= part
			}
		}
	}
	serve(b.firstToExpire(), max(0, -l.before))
	free := max(0, l.before)
	uses := b.uses()
	for _, u := range slices.Sorted(maps.Keys(uses)) {
		if u >= b.firstToExpire() {
			own := min(free, uses[u])
			free -= own
			serve(u, uses[u]-own)
		}
	}
	return left
}

// expired is X of all lots.
func (b *naiveBook) expired(l naiveLots) (sum int64) {
	for c, left := range b.unused(l) {
		if b.lastOf(c) < b.openCycle {
			sum += max(0, left)
		}
	}
	return sum
}

// expiring are the lots that will expire.
func (b *naiveBook) expiring() (list []naiveExpiring) {
	if b.openCycle < b.firstToExpire() {
		return nil
	}
	left := b.unused(b.lots())
	for _, c := range slices.Sorted(maps.Keys(left)) {
		if last := b.lastOf(c); left[c] > 0 && last >= b.openCycle && last != naiveForever {
			end := naivePeriod(b.latest, reward.PerCycle, b.startOf(last+1)).begins
			list = append(list, naiveExpiring{c.String(), left[c], end.String()})
		}
	}
	return list
}

// startOf is an instant of a cycle: that of the latest of which a day in its month is.
func (b *naiveBook) startOf(c reward.Cycle) reward.Instant {
	at := b.now
	for naiveCycle(b.latest, at) < c {
		at += naiveDays(14)
	}
	for naiveCycle(b.latest, at) > c {
		at -= naiveDays(14)
	}
	return at
}

// naiveHolds are what is held, by the cycle of what it is of.
type naiveHolds struct {
	cycles map[reward.Cycle]int64
	other  int64
}

// hold notes what is held of a pot.
func (b *naiveBook) hold(h *naiveHolds, p naivePot, entries []naiveEntry, amount int64) {
	switch {
	case amount == 0:
	case p.alone != nil || entries[0].share.of.terms.Layers == nil:
		h.cycles[entries[0].share.of.cycle] += amount
	case p.span.name == "lifetime":
		for _, x := range slices.Backward(b.lifetimes[p]) {
			part := min(amount, x.amount)
			h.cycles[x.cycle] += part
			amount -= part
		}
		h.other += amount
	default:
		h.cycles[b.lastCycleOf(p)] += amount
	}
}

// holdOfLimit notes what is held of a limit of which purchases would have so much: in each cycle what they
// would lose, of the latest first, as far as others do not gain it; of lots that are over only those gain
// that are as old as what is lost, or not as old.
func (b *naiveBook) holdOfLimit(h *naiveHolds, entries, ripe []naiveEntry, rewards []int64) {
	loses := map[reward.Cycle]int64{}
	for _, x := range entries {
		loses[x.share.of.cycle] += x.share.retained
	}
	for i, x := range ripe {
		loses[x.share.of.cycle] -= rewards[i]
	}
	cycles := slices.Sorted(maps.Keys(loses))
	for i, gains := range cycles {
		if gains < b.firstToExpire() || b.lastOf(gains) >= b.openCycle || loses[gains] >= 0 {
			continue
		}
		for _, older := range slices.Backward(cycles[:i]) {
			if older >= b.firstToExpire() && loses[older] > 0 {
				part := min(loses[older], -loses[gains])
				loses[older] -= part
				loses[gains] += part
			}
		}
		loses[gains] = 0
	}
	var held int64
	for _, lost := range loses {
		held += lost
	}
	for _, c := range slices.Backward(cycles) {
		part := min(max(0, held), max(0, loses[c]))
		h.cycles[c] += part
		held -= part
	}
}

// wouldFall is what the balance would fall by if all that is held were taken.
func (b *naiveBook) wouldFall(h *naiveHolds) int64 {
	lots := b.lots()
	less := naiveLots{before: lots.before, cycles: maps.Clone(lots.cycles)}
	sum := h.other
	var more int64 // than a lot has
	for c := range h.cycles {
		if c >= b.firstToExpire() {
			less.cycles[c] += 0 // also what nothing was earned in
		}
	}
	for _, c := range slices.Backward(slices.Sorted(maps.Keys(less.cycles))) {
		if b.lastOf(c) < b.openCycle {
			more += h.cycles[c] - less.cycles[c]
			less.cycles[c] = max(0, -more)
			more = max(0, more)
		}
	}
	less.before -= more
	for c, amount := range h.cycles {
		sum += amount
		if c < b.firstToExpire() {
			less.before -= amount
		}
	}
	if b.firstToExpire() == naiveForever {
		return sum
	}
	return sum - (b.expired(lots) - b.expired(less))
}
