package judge

import (
	"recoup/internal/audit/history"
	"recoup/reward"
)

// How far rows may lie apart and still belong together.
const (
	// atOnceWithin is how late a reward or clawback may come and still count as at
	// once.
	atOnceWithin = reward.Day
	// closeWithin is how late what a close posts may come, closeBefore how early.
	closeWithin = 10 * reward.Day
	closeBefore = reward.Day
	// lateRows is how late rows of any kind may be posted.
	lateRows = 10 * reward.Day
	// together is how close rows of one moment are.
	together = reward.Day / 24 / 12
	// forgotten is how old a refund is when rows that name no purchase are not
	// taken to be of it any more.
	forgotten = 100 * reward.Day
)

// glance is how many of the latest candidates are looked at one by one, before an
// index is built.
const glance = 8

// trace is what is known of rewards while rows are followed in order of time.
type trace struct {
	base    reward.Rate    // the program's lowest
	arrived int32          // purchases so far
	pending []int32        // refunds that something is due of, oldest first
	oldest  int            // the first pending one that is not forgotten
	loose   []loose        // reward rows without an explanation
	undone  []int32        // refunds that did not stand
	named   bool           // a reward row so far names its purchase
	dueFrom int32          // refunds before it have their close behind them
	copied  []int32        // purchases that were exported again
	reclaim []int32        // refunds that were
	owing   reward.Instant // since when there is a debt; zero: there is none
	clawed  bool           // and it comes of clawbacks alone
	offs    []writeOff

	index  grantIndex
	guess  guessing
	sum    summing
	now    reward.Instant // when what is explained was posted
	closes []bool         // by row: what it posts came with a close
}

// loose is a reward row that nothing explains.
type loose struct {
	row    int32
	amount int64 // without a sign
}

// writeOff is a credit for no purchase that lifted a debt to zero.
type writeOff struct {
	row    int32
	amount int64
}

func (t *trace) reset() {
	t.arrived, t.oldest, t.dueFrom, t.owing, t.clawed, t.named = 0, 0, 0, 0, false, false
	t.pending, t.loose, t.undone, t.copied, t.reclaim, t.offs = t.pending[:0], t.loose[:0], t.undone[:0], t.copied[:0], t.reclaim[:0], t.offs[:0]
	t.closes = t.closes[:0]
	t.index.reset()
	t.guess.reset()
	t.sum.reset()
}

// follow goes through the rows in order of time: facts change what rewards are
// due, and reward rows are explained by what is.
func (j *Judge) follow() {
	j.balance, j.odd = 0, 0
	for i := range j.rows {
		r := &j.rows[i]
		if r.At >= j.cycleEnd {
			j.pass(r.At)
		}
		row := int32(i)
		j.now = r.At
		j.closes = append(j.closes, false)
		switch r.Kind {
		case history.Purchase:
			j.purchased(row)
		case history.Refund, history.Chargeback:
			j.refunded(row)
		case history.RefundReversed:
			j.reversal(j.refundsByID.find(r.ID), row)
		case history.ChargebackReversed:
			j.reversal(j.disputesBy.find(r.ID), row)
		case history.Reward:
			j.named = j.named || r.Transaction != ""
			if r.Amount > 0 {
				j.credit(row)
			} else {
				j.debit(row)
			}
			j.balance += r.Amount
		case history.Adjustment:
			j.noteWriteOff(row)
			j.balance += r.Amount
			j.odd += r.Amount
		case history.Redemption:
			j.balance -= r.Amount
		}
		j.watchDebt(row)
	}
	j.pass(max(j.options.End, j.account.Last))
	if j.owing != 0 && j.options.End-j.owing >= DebtsKeptFor {
		j.account.DebtsKept++
	}
}

// pass moves on to the cycle of an instant. Refunds of the cycles before it were
// due with the balance that there is.
func (j *Judge) pass(to reward.Instant) {
	if c := j.book.cycle; c != 0 {
		j.silentClose(c - 1)
		if reward.CycleAt(to) > c+1 {
			j.silentClose(c)
		}
	}
	j.turn(to)
	for ; j.dueFrom < int32(len(j.refunds)) && j.refunds[j.dueFrom].cycle < j.cycle; j.dueFrom++ {
		rf := &j.refunds[j.dueFrom]
		rf.balanceDue, rf.oddDue = j.balance, j.odd
	}
}

// purchased brings a purchase in.
func (j *Judge) purchased(row int32) {
	is := j.rowIs[row]
	p := &j.purchases[is]
	if p.row != row {
		j.copied = append(j.copied, is)
		return
	}
	p.arrived = true
	j.arrived = is + 1
	if p.bucket != none {
		b := &j.buckets[p.bucket]
		b.net += p.amount - p.reversed()
		b.n++
	}
	j.guess.list(j, is)
	if len(j.loose) > 0 && !p.granted {
		j.grantedBefore(is)
	}
}

// refunded brings a refund in and works out its share of the reward.
func (j *Judge) refunded(row int32) {
	is := j.rowIs[row]
	rf := &j.refunds[is]
	if rf.row != row {
		j.reclaim = append(j.reclaim, is)
		return
	}
	rf.arrived, rf.balance, rf.odd = true, j.balance, j.odd
	if rf.of == none {
		j.place(is)
		return
	}
	p := &j.purchases[rf.of]
	if p.first == none {
		p.first = is
	} else {
		j.refunds[p.last].next = is
	}
	p.last = is
	rf.reversed = p.reversed()
	rf.over = p.home > p.amount-rf.amount
	p.home += rf.amount
	rf.part = p.reversed() - rf.reversed
	j.fallDue(is, p, rf.reversed)
	j.makeRoom(is)
	j.takenBefore(is)
}

// fallDue works out what a refund is due of the reward of its purchase, of which
// the amount was reversed before it.
func (j *Judge) fallDue(is int32, p *purchase, reversed int64) {
	rf := &j.refunds[is]
	var demand, after int64
	var b *bucket
	if p.bucket != none {
		b = &j.buckets[p.bucket]
		demand = b.rate.Of(max(0, b.net))
		if p.arrived {
			b.net -= rf.part
		}
		after = b.rate.Of(max(0, b.net))
	}
	if !p.granted {
		j.index.changed(j, rf.of)
		return
	}
	rf.granted = p.original
	rf.expected = p.keeps(reversed) - p.keeps(reversed+rf.part)
	rf.least = rf.expected
	if b != nil && b.capped() && demand > b.cap {
		// What the refund frees of the cap may go to other purchases at once.
		rf.least = min(rf.expected, max(0, b.cap-after))
		if rf.expected > 0 {
			b.freed = rf.at
		}
	}
	if rf.expected > 0 {
		j.pending = append(j.pending, is)
	}
}

// reversal undoes a refund.
func (j *Judge) reversal(is, row int32) {
	if is == none || j.refunds[is].undoneAt != 0 {
		return
	}
	rf := &j.refunds[is]
	rf.undoneAt, rf.undoneRow = j.rows[row].At, row
	j.account.Figures.Refunded -= rf.amount
	if !rf.arrived {
		return
	}
	j.undone = append(j.undone, is)
	if rf.of == none {
		return
	}
	p := &j.purchases[rf.of]
	before := p.left()
	if rf.linked {
		p.home -= rf.amount
	} else {
		p.soft -= rf.part
	}
	if p.bucket != none && p.arrived {
		j.buckets[p.bucket].net += p.left() - before
	}
	j.index.changed(j, rf.of)
}

// take notes that a clawback took an amount for a refund.
func (j *Judge) take(is int32, amount int64, row int32) {
	rf := &j.refunds[is]
	at := j.now
	if rf.clawbacks == 0 {
		rf.takenFirst, rf.balanceTook, rf.oddTook = row, j.balance, j.odd
		if rf.of != none {
			rf.before = j.purchases[rf.of].taken - j.purchases[rf.of].back
		}
	}
	rf.clawbacks++
	rf.taken += amount
	rf.takenAt, rf.takenRow = at, row
	rf.floatDays = plus(rf.floatDays, overDays(amount, days(rf.at, at)))
	rf.named = rf.named || j.rows[row].Transaction != ""
	rf.owed = rf.owed || j.rows[row].Kind == history.Reward && max(j.balance, j.balance-j.odd)+j.rows[row].Amount < 0
	if on := j.takenFrom(rf, row); on != none {
		j.lose(&j.purchases[on], amount)
	}
}

// takenFrom is the purchase whose reward a row took: the one that it names, or the
// refund's.
func (j *Judge) takenFrom(rf *refund, row int32) int32 {
	if r := &j.rows[row]; r.Kind == history.Reward && r.Transaction != "" {
		return j.byID.find(r.Transaction)
	}
	return rf.of
}

// lose notes what was taken of the reward of a purchase.
func (j *Judge) lose(p *purchase, amount int64) {
	p.taken += amount
	if p.bucket != none {
		j.buckets[p.bucket].taken += amount
	}
}

// days counts whole days of 24 hours, none if the second is before the first.
func days(from, to reward.Instant) int64 { return int64(max(0, to-from) / reward.Day) }

// leave keeps a row that nothing explains.
func (j *Judge) leave(row int32) {
	r := &j.rows[row]
	j.loose = append(j.loose, loose{row, max(r.Amount, -r.Amount)})
	j.odd += r.Amount
	if r.Amount > 0 {
		j.noteWriteOff(row)
	}
}

// noteWriteOff notes a credit for nothing bought that lifts a debt to just zero. Where
// neither refunds nor rewards name their purchase, it may as well be a clawback that is
// given back because its refund was of another purchase. And what a redemption has
// overdrawn was there: the row of the reward is late.
func (j *Judge) noteWriteOff(row int32) {
	if !j.clawed || j.guess.any && !j.named {
		return
	}
	if amount := j.rows[row].Amount; j.balance < 0 && j.balance+amount == 0 {
		j.offs = append(j.offs, writeOff{row, amount})
	}
}

// DebtsKeptFor is how long a debt stands if debts are kept: who forgets them does so
// sooner.
const DebtsKeptFor = 90 * reward.Day

// watchDebt counts the debts that end by their ends.
func (j *Judge) watchDebt(row int32) {
	at := j.rows[row].At
	switch {
	case j.balance < 0 && j.owing == 0:
		j.owing, j.clawed = at, j.rows[row].Kind == history.Reward
	case j.balance < 0 && j.rows[row].Kind == history.Redemption:
		j.clawed = false
	case j.balance >= 0 && j.owing != 0:
		if n := len(j.offs); n > 0 && j.offs[n-1].row == row {
			j.account.DebtsForgotten++
		} else if at-j.owing >= DebtsKeptFor {
			j.account.DebtsKept++
		}
		j.owing, j.clawed = 0, false
	}
}

// grantedBefore looks for the reward of a purchase among rows that came before
// it: its own row was late.
func (j *Judge) grantedBefore(is int32) {
	p := &j.purchases[is]
	for k := len(j.loose) - 1; k >= 0; k-- {
		l := j.loose[k]
		r := &j.rows[l.row]
		if r.At < p.at-lateRows {
			return
		}
		if r.Amount <= 0 || l.amount == 0 {
			continue
		}
		if r.Transaction == j.rows[p.row].ID || r.Transaction == "" && j.earns(p, l.amount) {
			j.loose[k].amount = 0
			j.odd -= r.Amount
			now := j.now
			j.now = r.At
			j.grant(is, l.amount, l.row)
			j.now = now
			return
		}
	}
}

// takenBefore looks for the clawback of a refund among rows that came before it.
func (j *Judge) takenBefore(is int32) {
	if len(j.loose) == 0 {
		return
	}
	rf := &j.refunds[is]
	due := rf.due()
	if due == 0 {
		return
	}
	for k := len(j.loose) - 1; k >= 0; k-- {
		l := j.loose[k]
		r := &j.rows[l.row]
		if r.At < rf.at-lateRows {
			return
		}
		if r.Amount < 0 && near(l.amount, due, 1) && (r.Transaction == "" || r.Transaction == j.rows[j.purchases[rf.of].row].ID) {
			j.loose[k].amount = 0
			j.odd -= r.Amount
			if r.Transaction != "" {
				j.lose(&j.purchases[rf.of], -l.amount) // it is noted already
			}
			now := j.now
			j.now = r.At
			j.take(is, l.amount, l.row)
			j.now = now
			return
		}
	}
}
