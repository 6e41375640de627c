package design

import "recoup/reward"

// post changes the balance, and tells the journal of it.
func (b *bank) post(a *account, i int, kind PostingKind, amount int64) {
	b.postOf(a, a.purchases[i].id, kind, amount)
}

// postOf is post where the posting may be of no purchase.
func (b *bank) postOf(a *account, transaction string, kind PostingKind, amount int64) {
	a.balance += amount
	at := b.now
	if b.closing {
		at = a.cycle.End()
	}
	b.note(Posting{a.id, transaction, kind, amount, at, b.closing})
}

// grant computes the reward on what is left of the purchase and credits it:
// rate times amount, rounded down, within the cap of the calendar month.
func (b *bank) grant(a *account, i int) {
	b.earn(a, i)
	b.post(a, i, Granted, a.purchases[i].original)
}

// earn is grant without the posting.
func (b *bank) earn(a *account, i int) {
	p := &a.purchases[i]
	if p.rule == reward.NoRule {
		p.granted, p.base = true, p.amount-p.reversed
		return
	}
	b.earnAt(a, i, b.rules(p.cycle)[p.rule].Rate)
}

// earnAt is earn at a given rate, of a purchase with a rule.
func (b *bank) earnAt(a *account, i int, rate reward.Rate) {
	p := &a.purchases[i]
	p.granted, p.base = true, p.amount-p.reversed
	p.original = b.withinCap(a, p, rate.Of(p.base))
	p.retained = p.original
}

// withinCap cuts a reward to what the cap leaves of it, and uses that up.
func (b *bank) withinCap(a *account, p *purchase, due int64) int64 {
	if limit := b.rules(p.cycle)[p.rule].Cap; limit != reward.NoCap {
		due = min(due, limit-a.used[p.rule])
	}
	a.used[p.rule] += due
	return due
}

// clawBack debits the reversed share of the original reward, as far as it is
// not debited yet. What stays is rounded down, so nothing stays of a purchase
// that is wholly reversed. Within the month of the purchase, the cap gets its
// room back.
func (b *bank) clawBack(a *account, i int) {
	b.post(a, i, ClawedBack, -b.release(a, i))
}

// release is clawBack without the posting. It returns what is to be debited.
func (b *bank) release(a *account, i int) (back int64) {
	p := &a.purchases[i]
	if p.retained == 0 {
		return 0
	}
	kept, _ := share(p.original, p.amount-p.reversed, p.base)
	return b.keep(a, i, kept)
}

// keep leaves of a purchase's reward what is given and returns what is to be
// debited.
func (b *bank) keep(a *account, i int, kept int64) (back int64) {
	p := &a.purchases[i]
	back = p.retained - kept
	p.retained = kept
	if p.cycle == a.cycle {
		a.used[p.rule] -= back
	}
	return back
}

// wait puts the purchase off to the statement close.
func (a *account) wait(i int) { a.due = append(a.due, i) }

// catchUp does what was put off: a purchase without a reward is granted one, a
// purchase with one is clawed back from.
func (b *bank) catchUp(a *account) {
	for _, i := range a.due {
		if a.purchases[i].granted {
			b.clawBack(a, i)
		} else {
			b.grant(a, i)
		}
	}
	a.due = a.due[:0]
}
