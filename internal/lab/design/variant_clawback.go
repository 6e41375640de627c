package design

import "recoup/reward"

// This file has the policies that hear of every reversal and take the wrong
// amount, or take it at the wrong time. Each is issuer C but for what its comment
// says.

// unsettled is what was reversed of the purchase since the last clawback.
func (p *purchase) unsettled() int64 {
	x := p.reversed - p.settled
	p.settled = p.reversed
	return x
}

// compounding takes of the reward that is left the share that the refund has in
// the whole purchase. Parts that add up to the whole leave something (paper,
// section 6.2).
type compounding struct{ instantClawback }

func (compounding) reversed(b *bank, a *account, i int) {
	p := &a.purchases[i]
	x := p.unsettled()
	if p.retained == 0 {
		return
	}
	kept, _ := share(p.retained, p.base-x, p.base)
	b.post(a, i, ClawedBack, -b.keep(a, i, kept))
}

// currentRate runs a promotion in every other month, and computes clawbacks at
// the rate of the day. What is bought in the promotion and returned after it
// keeps half of its reward; the other way round a partial refund takes twice its
// share, though never more than there is.
//
// One published program knows one rate of a rule. It is the one without the
// promotion, so by the terms all that is bought in odd months is rewarded too
// well, refunds or not.
type currentRate struct{ instantClawback }

// promotion is how many times the published rate a month pays.
func promotion(c reward.Cycle) int64 {
	if january := reward.Cycle(0); (c-january)%2 == 0 {
		return 2
	}
	return 1
}

func (currentRate) posted(b *bank, a *account, i int) {
	if p := &a.purchases[i]; p.rule == reward.NoRule {
		b.earn(a, i)
	} else {
		b.earnAt(a, i, min(reward.MaxRate, b.rules(p.cycle)[p.rule].Rate*reward.Rate(promotion(a.cycle))))
	}
	b.post(a, i, Granted, a.purchases[i].original)
}

func (currentRate) reversed(b *bank, a *account, i int) {
	p := &a.purchases[i]
	x := p.unsettled()
	if p.retained == 0 {
		return
	}
	back, rest := share(p.original*promotion(a.cycle), x, p.base*promotion(p.cycle))
	if rest > 0 {
		back++
	}
	b.post(a, i, ClawedBack, -b.keep(a, i, p.retained-min(back, p.retained)))
}

// bonusKept pays every purchase a base reward of 1 % and, in a posting of its
// own, the bonus that its rule promises above that. Only the base is on record
// with the purchase. Under a rule of 1 % or less the flaw does not show.
type bonusKept struct{ instantClawback }

const onePercent = reward.MaxRate / 100

func (bonusKept) posted(b *bank, a *account, i int) {
	b.earn(a, i)
	p := &a.purchases[i]
	whole := p.original
	p.original = min(whole, onePercent.Of(p.base))
	p.retained = p.original
	b.post(a, i, Granted, p.original)
	b.post(a, i, Granted, whole-p.original)
}

// capRoomLost counts what it granted in a month, and never what it took back: a
// purchase that is made after a refund is cut although there is room.
type capRoomLost struct{ instantClawback }

func (capRoomLost) reversed(b *bank, a *account, i int) {
	p := &a.purchases[i]
	back := b.release(a, i)
	if p.cycle == a.cycle && back > 0 {
		a.used[p.rule] += back
	}
	b.post(a, i, ClawedBack, -back)
}

// writtenOff forgets debts: at a statement close, one of 90 days or more.
type writtenOff struct{ instantClawback }

const writeOffAfter = 90 * reward.Day

func (w writtenOff) posted(b *bank, a *account, i int) {
	w.instantClawback.posted(b, a, i)
	if a.balance >= 0 {
		a.owedSince = 0
	}
}

func (w writtenOff) reversed(b *bank, a *account, i int) {
	w.instantClawback.reversed(b, a, i)
	if a.balance < 0 && a.owedSince == 0 {
		a.owedSince = b.now
	}
}

func (writtenOff) closing(b *bank, a *account) {
	if a.owedSince != 0 && a.cycle.End()-a.owedSince >= writeOffAfter {
		a.owedSince = 0
		b.postOf(a, "", WrittenOff, -a.balance)
	}
}

// lateClawback is issuer D, except that what is refunded after the grant waits
// for a whole cycle more.
type lateClawback struct{ statementClawback }

func (lateClawback) reversed(_ *bank, a *account, i int) {
	if a.purchases[i].granted {
		a.later = append(a.later, i)
	}
}

func (lateClawback) closing(b *bank, a *account) {
	b.catchUp(a)
	a.due, a.later = append(a.due, a.later...), a.later[:0]
}

// fourteenDays looks back two weeks for the purchase of a refund.
type fourteenDays struct{ instantClawback }

func (f fourteenDays) posted(b *bank, a *account, i int) {
	f.instantClawback.posted(b, a, i)
	a.purchases[i].at = b.now
}

func (f fourteenDays) reversed(b *bank, a *account, i int) {
	if b.now-a.purchases[i].at <= 14*reward.Day {
		f.instantClawback.reversed(b, a, i)
	}
}
