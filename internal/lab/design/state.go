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
	l := logged{program: r.program, posted: make(map[string]reward.Instant), place: make(map[string]int), early: make(map[string]int64), now: reward.At(r.now)}
	for i := range r.log {
		switch e := &r.log[i]; e.Type {
		case reward.TransactionSettled:
			l.posted[e.Transaction], l.place[e.Transaction] = e.Time, i
		case reward.RefundPosted:
			if r.program.Timing.Grant == reward.GrantAtStatement && r.program.CycleAt(e.Time) == r.program.CycleAt(l.posted[e.Transaction]) {
				l.early[e.Transaction] += e.Amount
			}
		}
	}
	return l.append(to, a.State(), open)
}

// logged is what an account does not show: when each purchase posted, and how much of
// it was refunded in the cycle at whose close it is granted on what is left.
type logged struct {
	program *reward.Program
	posted  map[string]reward.Instant
	place   map[string]int // in the log
	early   map[string]int64
	now     reward.Instant
}

// append appends all that can still tell of what an account shows. While every refund is
// linked, all that the engine knows of a purchase follows from that and from what was
// logged. Under a plain program, one that is not open matters to the bucket of one that is, to
// what is held, and until its cycle is closed and its reward clawed back; under others it may
// count together with what comes in any later cycle.
func (l *logged) append(to State, shown reward.State, open []string) State {
	to.Add(shown.Balance, shown.Held, int64(shown.HoldUntil))
	plain := IsPlain(l.program)
	for _, b := range shown.Bonuses {
		to = append(append(to, b.Bonus...), b.Period...)
		to.Add(b.Spend, b.Purchases, b.Reward)
	}
	for _, x := range shown.Expiring {
		to.Add(int64(x.Cycle), x.Amount)
	}
	to.Add(shown.Expired)
	matters := map[reward.Cycle]bool{l.program.CycleAt(l.now): true}
	for _, id := range open {
		matters[l.program.CycleAt(l.posted[id])] = true
	}
	slices.SortFunc(shown.Transactions, func(s, t reward.TransactionState) int {
		return cmp.Or(cmp.Compare(l.posted[s.ID], l.posted[t.ID]), cmp.Compare(l.place[s.ID], l.place[t.ID]))
	})
	for _, t := range shown.Transactions {
		gone := t.Reversed == t.Amount && t.Retained == 0 && t.Status != reward.Pending
		if gone || shown.Held == 0 && plain && !matters[l.program.CycleAt(l.posted[t.ID])] {
			continue
		}
		to.Add(int64(slices.Index(open, t.ID)), int64(l.posted[t.ID]), t.Amount, t.Reversed, l.early[t.ID], t.Original, t.Retained)
		for _, x := range t.Rewards {
			to.Add(x.Original, x.Retained)
			to = append(to, x.Rule...)
		}
		for _, x := range t.Items {
			to.Add(x.Reversed, x.Original, x.Retained)
		}
	}
	return to
}
