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

// glance is how many of the latest candidates are looked at one by one, and
// farGlance where there may be many of one moment.
const (
	glance    = 8
	farGlance = 512
)

// trace is what is known of rewards while rows are followed in order of time.
type trace struct {
	arrived int32          // purchases so far
	open    []int32        // purchases that something is owed for and nothing was granted, oldest first
	pending []int32        // refunds that something is due of, oldest first
	oldest  int            // the first pending one that is not forgotten
	placed  []int32        // refunds that name no purchase, or one that is not there
	loose   []loose        // reward rows without an explanation
	undone  []int32        // refunds that did not stand
	copied  []int32        // purchases that were exported again
	reclaim []int32        // refunds that were
	named   bool           // a reward row so far names its purchase
	dueFrom int32          // refunds before it have their close behind them
	owing   reward.Instant // since when there is a debt; zero: there is none
	clawed  bool           // and it comes of clawbacks alone
	offs    []writeOff
	bonus   bonus
	sum     summing
	now     reward.Instant // when what is explained was posted
	closes  []bool         // by row: what it posts came with a close
	owedAt  []owedAt       // the entitlement after the last row of each cycle
	held    bool           // the terms were held against what came before refunds
}

// bonus is what is owed for periods and no single purchase, and what came of it.
type bonus struct {
	owed, got int64
	fell      reward.Instant // when it last fell after it had come
}

// loose is a reward row that nothing explains.
type loose struct {
	row    int32
	amount int64 // without a sign
}

// owedAt is the entitlement after the last row of a cycle.
type owedAt struct {
	cycle  reward.Cycle
	amount int64
}

func (t *trace) reset() {
	*t = trace{
		open: t.open[:0], pending: t.pending[:0], placed: t.placed[:0], loose: t.loose[:0], undone: t.undone[:0], copied: t.copied[:0],
		reclaim: t.reclaim[:0], offs: t.offs[:0], sum: t.sum.emptied(), closes: t.closes[:0], owedAt: t.owedAt[:0],
	}
}

// follow goes through the rows in order of time: facts change what is owed, and
// reward rows are explained by what is.
func (j *Judge) follow() {
	j.trace.reset()
	j.balance, j.odd, j.rewards = 0, 0, 0
	j.promise.begin(j.account.ID)
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
			j.holdBefore()
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
			j.rewards += r.Amount
		case history.Adjustment:
			j.noteWriteOff(row)
			j.balance += r.Amount
			j.odd += r.Amount
		case history.Redemption:
			j.balance -= r.Amount
		}
		j.watchDebt(row)
	}
	end := max(j.options.End, j.account.Last)
	j.pass(end)
	j.promise.settle(end)
	j.levelled(none)
	j.entitled = j.promise.account.Summary()
	j.holdBefore()
	if j.owing != 0 && j.options.End-j.owing >= DebtsKeptFor {
		j.account.DebtsKept++
	}
}

// pass moves on to the cycle of an instant. Refunds of the cycles before it were
// due with the balance that there is.
func (j *Judge) pass(to reward.Instant) {
	if j.cycle != 0 {
		j.silentClose(j.cycle - 1)
		if j.program.CycleAt(to) > j.cycle+1 {
			j.silentClose(j.cycle)
		}
	}
	if n := len(j.owedAt); n > 0 {
		j.owedAt[n-1].amount = j.promise.account.Summary().Entitlement
	}
	j.promise.turn(to)
	j.levelled(none)
	j.turn(to)
	if to <= j.account.Last {
		j.owedAt = append(j.owedAt, owedAt{cycle: j.cycle})
	}
	for ; j.dueFrom < int32(len(j.refunds)) && j.refunds[j.dueFrom].cycle < j.cycle; j.dueFrom++ {
		rf := &j.refunds[j.dueFrom]
		rf.balanceDue, rf.oddDue = j.balance, j.odd
	}
}

// take notes that a clawback took an amount for a refund.
func (j *Judge) take(is int32, amount int64, row int32) {
	rf := &j.refunds[is]
	if rf.clawbacks == 0 {
		rf.takenFirst, rf.balanceTook, rf.oddTook = row, j.balance, j.odd
		if rf.of != none {
			rf.before = j.purchases[rf.of].taken - j.purchases[rf.of].back
		}
	}
	rf.clawbacks++
	rf.taken += amount
	rf.takenAt, rf.takenRow = j.now, row
	rf.floatDays = plus(rf.floatDays, overDays(amount, days(rf.at, j.now)))
	rf.named = rf.named || j.rows[row].Transaction != ""
	if on := j.takenFrom(rf, row); on != none {
		j.purchases[on].taken += amount
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
