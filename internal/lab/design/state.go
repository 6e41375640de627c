package design

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"recoup/reward"
)

// Stater is an issuer that says what the future of an account depends on. With
// it, a search looks once at positions that were reached on different ways and
// cannot differ from then on; without, it looks at each.
type Stater interface {
	// AppendState appends all of an account that can still tell, when nothing but
	// this can come: time, redemptions, purchases that were not heard of before,
	// and linked refunds of those named as open, which have all posted and are
	// given in that order. Accounts of the same state go on alike.
	AppendState(to State, account string, open []string) State
}

// Interfaces that all of the lab's issuers implement.
var (
	_ Stater = (*bank)(nil)
	_ Stater = (*Literal)(nil)
	_ Stater = (*Recoup)(nil)
)

// State is a sequence of numbers.
type State []byte

// Add appends numbers.
func (s *State) Add(numbers ...int64) {
	for _, n := range numbers {
		*s = binary.AppendVarint(*s, n)
	}
}

// AppendState implements Stater. A purchase that is neither open nor due at the
// close is not looked at again.
func (b *bank) AppendState(to State, account string, open []string) State {
	a := b.accounts[account]
	to.Add(a.balance, int64(a.owedSince))
	to.Add(a.used...)
	for i, id := range inOrder(a.index) {
		opened, due, later := slices.Index(open, id), slices.Index(a.due, i), slices.Index(a.later, i)
		if opened < 0 && due < 0 && later < 0 {
			continue
		}
		p := &a.purchases[i]
		granted := int64(0)
		if p.granted {
			granted = 1
		}
		to.Add(int64(opened), int64(due), int64(later), granted, int64(p.rule), int64(p.cycle), int64(p.at))
		to.Add(p.amount, p.reversed, p.settled, p.base, p.original, p.retained)
	}
	return to
}

// AppendState implements Stater. The statement close looks at PENDING purchases
// of its own period and at those that refunds wait for.
func (l *Literal) AppendState(to State, account string, open []string) State {
	u := l.accounts[account]
	to.Add(u.balance, int64(u.holdUntil))
	to.Add(u.monthlyUsed...)
	for i, id := range inOrder(u.index) {
		t := &u.transactions[i]
		opened, waits := slices.Index(open, id), t.status == pending && t.period == u.period
		var refunds State
		for _, r := range u.waitingRefunds {
			if r.transaction == id {
				refunds.Add(r.amount)
			}
		}
		if opened < 0 && !waits && refunds == nil {
			continue
		}
		to.Add(int64(opened), int64(t.status), int64(t.rule), int64(t.period), t.amount, t.reward, t.original, t.totalRefunded, int64(len(refunds)))
		to = append(to, refunds...)
	}
	return to
}

// inOrder yields what the index points to, in the order in which it was made.
func inOrder(index map[string]int) iter.Seq2[int, string] {
	ids := make([]string, len(index))
	for id, i := range index {
		ids[i] = id
	}
	return slices.All(ids)
}

// AppendState implements Stater.
func (r *Recoup) AppendState(to State, account string, open []string) State {
	a := r.store.Account(account)
	if a == nil {
		return to
	}
	l := logged{posted: make(map[string]reward.Instant), early: make(map[string]int64), now: reward.At(r.now)}
	for i := range r.log {
		switch e := &r.log[i]; e.Type {
		case reward.TransactionSettled:
			l.posted[e.Transaction] = e.Time
		case reward.RefundPosted:
			if reward.CycleAt(e.Time) == reward.CycleAt(l.posted[e.Transaction]) {
				l.early[e.Transaction] += e.Amount
			}
		}
	}
	return l.append(to, a.State(), open)
}

// logged is what an account does not show: when each purchase posted, and how much of
// it was refunded in the same cycle.
type logged struct {
	posted map[string]reward.Instant
	early  map[string]int64
	now    reward.Instant
}

// append appends all that can still tell of what an account shows. While every refund is
// linked, all that the engine knows of a purchase follows from that and from what was
// logged. One that is not open matters to the bucket of one that is, to what is held, and
// until its cycle is closed and its reward clawed back. Of terms that are not plain, those
// with bonuses alone are searched.
func (l *logged) append(to State, shown reward.State, open []string) State {
	to.Add(shown.Balance, shown.Held, int64(shown.HoldUntil))
	// Purchases that a bonus counts matter to each other as long as its period is open.
	counted := shown.Bonuses != nil
	for _, b := range shown.Bonuses {
		to.Add(b.Spend, b.Purchases, b.Reward)
	}
	matters := map[reward.Cycle]bool{reward.CycleAt(l.now): true}
	for _, id := range open {
		matters[reward.CycleAt(l.posted[id])] = true
	}
	slices.SortFunc(shown.Transactions, func(s, t reward.TransactionState) int { return cmp.Compare(l.posted[s.ID], l.posted[t.ID]) })
	for _, t := range shown.Transactions {
		gone := t.Reversed == t.Amount && t.Retained == 0 && t.Status != reward.Pending
		if gone || shown.Held == 0 && !counted && !matters[reward.CycleAt(l.posted[t.ID])] {
			continue
		}
		to.Add(int64(slices.Index(open, t.ID)), int64(l.posted[t.ID]), t.Amount, t.Reversed, l.early[t.ID], t.Original, t.Retained)
	}
	return to
}
