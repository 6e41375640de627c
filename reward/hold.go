package reward

import (
	"iter"
	"maps"
	"slices"
)

// Held is what would be taken if everything known were posted: announced refunds
// that still hold, and those that wait for their purchase, as if they named none.
// What of each purchase would be reversed then is foreseen.

// foresee brings holds up to date with what changed since it was last called.
func (a *Account) foresee() {
	a.rank()
	if a.forgotten || a.doubtful || a.foreseenAt != a.now && a.foreseesByTime() {
		before := a.foreseen
		a.foreseen = a.ifAllPosted()
		if a.forgotten { // see heldApart
			a.forgotten = false
			for t := range a.transactions.all() {
				if t.held != 0 || t.is(changed) {
					a.rehold(t)
				}
			}
		}
		for t, x := range before {
			if y, still := a.foreseen[t]; !still || x != y {
				a.rehold(t)
			}
		}
		for t, x := range a.foreseen {
			if y, was := before[t]; !was || x != y {
				a.rehold(t)
			}
		}
		a.doubtful, a.foreseenAt = false, a.now
	}
	for _, b := range a.unheld {
		a.reholdBucket(b)
	}
	a.unheld = a.unheld[:0]
	for i := 0; i < len(a.unheldTiers); i++ { // before what goes by them, which they add
		a.reviewRanks(a.unheldTiers[i])
	}
	for _, b := range a.unheldBaskets {
		a.reholdBasket(b)
	}
	a.unheldTiers, a.unheldBaskets = a.unheldTiers[:0], a.unheldBaskets[:0]
	a.relieve()
}

// recall works out what was foreseen when the account was written down.
func (a *Account) recall() {
	if a.forgotten {
		a.forgotten = false
		a.foreseen, a.foreseenAt = a.ifAllPosted(), a.now
	}
}

// heldApart reports whether what is held is known of each purchase by itself. Then nobody
// needs to know what was foreseen when the account was written down to hold what is foreseen
// now: of a purchase of which nothing was held, nothing is to be let go.
func (a *Account) heldApart() bool {
	if a.lots != nil || a.newest.expiresFrom() != endless {
		return false
	}
	for p := a.newest; p != nil; p = p.Earlier {
		if !p.plain() || p.Method == Rerate && slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Cap != NoCap }) {
			return false
		}
	}
	return true
}

// foreseesByTime reports whether what is foreseen goes by what time it is: an announced
// refund of which not all is of its purchase looks for spend as of now.
func (a *Account) foreseesByTime() bool {
	return slices.ContainsFunc(a.announce, func(r *refund) bool {
		t := r.transaction
		return r.holding && (!t.is(posted) || t.is(split) || t.excessWith(t.pending()) > 0)
	})
}

// ifAllPosted is, for each posted transaction of which something else would be
// reversed if everything known were posted, how much.
func (a *Account) ifAllPosted() map[*transaction]int64 {
	waiting := a.lastWaiting()
	if len(a.announce)+len(waiting) == 0 {
		return nil
	}
	on := a.announcedOn()
	seen := make(map[*transaction]int64, len(on))
	var claims []*claim
	var less []placement
	short := make(map[*refund]int64)
	for t := range on {
		if t.is(split) {
			c, gone := a.wouldShareOut(t, on[t], seen, short)
			claims, less = append(claims, c...), append(less, gone...)
			continue
		}
		reversed := min(t.amount, t.home+t.pending())
		if t.firmPlaced() > 0 {
			for i, placed := range t.fitFirm(t.home + t.pending()) {
				short[t.links.firm[i].of] += t.links.firm[i].placed - placed
				reversed += placed
			}
		}
		seen[t] = reversed
		if gone := t.room() - (t.amount - reversed); gone > 0 {
			less = append(less, placement{t, gone})
		}
	}
	for _, r := range a.loose {
		need := r.amount
		if r.firm {
			need = r.shortfall + short[r]
			delete(short, r)
		}
		claims = append(claims, a.claimOf(r, need))
	}
	for r, need := range short {
		if need > 0 {
			claims = append(claims, a.claimOf(r, need))
		}
	}
	for _, t := range a.spreads {
		if _, announced := on[t]; !announced {
			claims = append(claims, a.spreadOf(t, t.spread(), a.named(t)))
		}
	}
	claims = append(claims, a.lastOf(a.wouldWait(waiting))...)
	claims = inTurn(append(claims, a.lastOf(a.wouldExceed(on))...))
	if a.wouldStay(claims, less) {
		for t := range seen {
			seen[t] += t.soft()
		}
	} else {
		var placed [][]placement
		if len(claims) > 0 {
			placed = a.place(claims, less)
		}
		a.wouldLie(seen, placed)
	}
	maps.DeleteFunc(seen, func(t *transaction, reversed int64) bool { return reversed == t.reversed() })
	return seen
}

// wouldLie adds where claims would lie to what else would be reversed, and has what lies
// elsewhere now seen gone.
func (a *Account) wouldLie(seen map[*transaction]int64, placed [][]placement) {
	facts := func(t *transaction) {
		if _, there := seen[t]; !there {
			seen[t] = t.atHome() + t.firmPlaced()
		}
	}
	for _, list := range placed {
		for _, p := range list {
			facts(p.on)
			seen[p.on] += p.amount
		}
	}
	for _, t := range a.soft {
		facts(t)
	}
}

// announcedOn has the posted transactions that announced refunds are of.
func (a *Account) announcedOn() map[*transaction]span {
	on := make(map[*transaction]span, len(a.announce))
	for _, r := range a.announce {
		if t := r.transaction; r.holding && t.is(posted) {
			on[t] = on[t].include(a.now, r.id)
		}
	}
	return on
}

// lastWaiting are the refunds that wait for their purchase, as many of the last, by
// time, as may move.
func (a *Account) lastWaiting() []*refund {
	most := a.program.Refunds.movable()
	var last []*refund
	for _, r := range a.parked {
		if !r.waits() || len(last) == most && byTime(r, last[0]) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(last, r, byTime)
		last = slices.Insert(last, at, r)
		last = last[max(0, len(last)-most):]
	}
	return last
}

// wouldWait are the claims of refunds that wait for their purchase, and of those
// announced that would.
func (a *Account) wouldWait(waiting []*refund) (claims []*claim) {
	for _, r := range waiting {
		claims = append(claims, a.claimOf(r, r.amount))
	}
	for _, r := range a.announce {
		if r.holding && !r.transaction.is(posted) {
			asPosted := *r
			asPosted.at = a.now
			claims = append(claims, a.claimOf(&asPosted, r.announced))
		}
	}
	return claims
}

// wouldExceed are the excesses if announced refunds were posted.
func (a *Account) wouldExceed(on map[*transaction]span) (claims []*claim) {
	for _, t := range a.over {
		if _, announced := on[t]; !announced {
			claims = append(claims, a.excessOf(t, t.excess(), a.named(t)))
		}
	}
	for t, announced := range on {
		if need := t.excessWith(t.pending()); need > 0 {
			claims = append(claims, a.excessOf(t, need, a.namedAnd(t, announced)))
		}
	}
	return claims
}

// namedAnd is the span of the active facts that name an amount, and of others.
func (a *Account) namedAnd(t *transaction, others span) span {
	if t.links != nil && t.links.named > 0 {
		facts := a.named(t)
		others = others.include(facts.last, facts.lastID)
		others.first = min(others.first, facts.first)
	}
	return others
}

// ahead is what of a posted transaction would be reversed if everything known
// were posted.
func (a *Account) ahead(t *transaction) int64 {
	if x, there := a.foreseen[t]; there {
		return x
	}
	return t.reversed()
}

// pooled reports whether the hold on a bucket's rewards is one for all of them:
// they share a cap, and what one would lose another may gain.
func (b *bucket) pooled() bool { return b.program.Method == Rerate && b.capped() }

// rehold recomputes what may not be redeemed of one transaction's reward: all
// of it while it is immature, otherwise what would be taken if all were posted.
func (a *Account) rehold(t *transaction) {
	b := t.bucket
	if t.layered() {
		a.reholdLayers(t)
		return
	}
	if !t.is(granted) || b == nil {
		return
	}
	if b.pooled() {
		if !slices.Contains(a.unheld, b) {
			a.unheld = append(a.unheld, b)
		}
		return
	}
	risk := max(0, t.retained-a.keeps(t, a.ahead(t)))
	held := risk
	if t.is(immature) {
		held = t.retained
	}
	if risk == t.risk && held == t.held {
		return
	}
	a.hand(t)
	a.risk += risk - t.risk
	a.held += held - t.held
	a.holdLot(t.cycle, risk-t.risk, held-t.held)
	t.risk, t.held = risk, held
}

// reholdBucket recomputes what may not be redeemed of the rewards of a pooled
// bucket.
func (a *Account) reholdBucket(b *bucket) {
	risk, held := a.holdOf(b)
	if risk == b.risk && held == b.held {
		return
	}
	a.handBucket(b)
	a.risk += risk - b.risk
	a.held += held - b.held
	a.holdLot(b.cycle, risk-b.risk, held-b.held)
	b.risk, b.held = risk, held
}

// holdOf is what of a pooled bucket's rewards is above what it would grant if all
// were posted: of all of them, and of those that have not matured nothing counts
// as granted.
func (a *Account) holdOf(b *bucket) (risk, held int64) {
	moved := slices.ContainsFunc(a.dirty, func(t *transaction) bool { return t.bucket == b })
	for t := range a.foreseen {
		moved = moved || t.bucket == b
	}
	if !moved {
		return 0, b.young
	}
	var all, mature int64
	for t, f := range a.wouldKeep(b) {
		all += f
		if !t.is(immature) {
			mature += f
		}
	}
	return max(0, b.used-all), max(0, b.used-mature)
}

// wouldKeep yields what each granted transaction of a pooled bucket would keep if
// all were posted, in posting order.
func (a *Account) wouldKeep(b *bucket) iter.Seq2[*transaction, int64] {
	return func(yield func(*transaction, int64) bool) {
		var all int64
		for _, t := range a.grantedIn(b) {
			f := min(b.rule.Rate.Of(t.amount-a.ahead(t)), b.rule.Cap-all)
			all += f
			if !yield(t, f) {
				return
			}
		}
	}
}

// grantedIn lists the granted transactions of a pooled bucket in posting order.
func (a *Account) grantedIn(b *bucket) []*transaction {
	a.readRanking(b)
	list := slices.Clone(b.edges().ranking)
	for _, t := range a.dirty {
		if t.bucket == b && t.is(granted) && !t.is(ranked) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, byOrder)
	return list
}

// ripen starts a posted transaction's maturity.
func (a *Account) ripen(t *transaction) {
	if t.bucket == nil && !t.layered() || a.under(t).MaturityDays == 0 {
		return
	}
	end := a.ripe(t)
	if end <= a.now {
		return // an item that came late
	}
	t.set(immature)
	at := len(a.maturing)
	for at > 0 && a.ripe(a.maturing[at-1]) > end {
		at-- // posted under a version with a longer maturity
	}
	a.maturing = slices.Insert(a.maturing, at, t)
}

// ripe is when a posted transaction's reward has matured.
func (a *Account) ripe(t *transaction) Instant {
	return t.postedAt.plusDays(a.under(t).MaturityDays)
}

// mature ends the maturity of what is old enough by now.
func (a *Account) mature() {
	n := 0
	for _, t := range a.maturing {
		if a.ripe(t) > a.now {
			break
		}
		a.hand(t)
		t.clear(immature)
		if t.bucket != nil {
			t.bucket.young -= t.retained
			a.handBucket(t.bucket)
		}
		a.rehold(t)
		n++
	}
	a.maturing = drop(a.maturing, n)
}

// drop removes the first n of a queue, and lets go of the memory once it is empty.
func drop[T any](queue []T, n int) []T {
	if n == len(queue) {
		return nil
	}
	clear(queue[:n])
	return queue[n:]
}
