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

// writeOff is a credit for no purchase that lifted a debt to zero.
type writeOff struct {
	row    int32
	amount int64
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

// levelling is what the terms come to with one fact.
type levelling struct {
	net int64 // of all
	own int64 // of one purchase
	on  int32 // the purchase that most is taken of; none
}

// owe plays a fact through the published terms.
func (j *Judge) owe(row, own int32) levelling {
	j.promise.row(&j.rows[row], int(row))
	return j.levelled(own)
}

// levelled takes in what the terms posted.
func (j *Judge) levelled(own int32) (l levelling) {
	l.on = none
	var most int64
	for i := range j.promise.journal {
		posting := &j.promise.journal[i]
		if !isReward(posting.Kind) {
			continue
		}
		amount := posting.Amount
		l.net += amount
		is := none
		switch {
		case posting.Transaction == "":
		case own != none && posting.Transaction == j.rows[j.purchases[own].row].ID:
			is = own
			l.own += amount
		default:
			is = j.byID.find(posting.Transaction)
		}
		if is == none {
			j.bonus.owed += amount
			if amount < 0 && j.bonus.got > 0 {
				j.bonus.fell = j.now
			}
			continue
		}
		p := &j.purchases[is]
		p.owed += amount
		if p.rule == "" {
			p.rule = posting.Rule
		}
		f := &posting.Formula
		p.capped = p.capped || is == own && posting.Kind == reward.Grant && f.Cap != reward.NoCap && f.Used >= f.Cap
		if amount < 0 && is != own {
			p.lowered = j.now
		}
		if amount > 0 && is != own {
			p.freed = j.now
			if !p.granted && p.arrived {
				j.opens(is)
			}
		}
		if amount < most {
			most, l.on = amount, is
		}
	}
	j.promise.journal = j.promise.journal[:0]
	return l
}

// opens lists a purchase as one whose grant is still to come.
func (j *Judge) opens(is int32) {
	if n := len(j.open); n == 0 || j.open[n-1] < is {
		j.open = append(j.open, is)
	}
}

// purchased brings a purchase in.
func (j *Judge) purchased(row int32) {
	is := j.rowIs[row]
	p := &j.purchases[is]
	l := j.owe(row, is)
	if p.row != row {
		j.copied = append(j.copied, is)
		return
	}
	p.arrived = true
	j.arrived = is + 1
	p.full = l.own
	if left := p.left(); left < p.amount && left > 0 {
		p.full = share(l.own, p.amount, left)
	}
	if p.owed > 0 || p.capped {
		j.opens(is)
	}
	if len(j.loose) > 0 && !p.granted {
		j.grantedBefore(is)
	}
}

// refunded brings a refund in and works out its share of the reward.
func (j *Judge) refunded(row int32) {
	is := j.rowIs[row]
	rf := &j.refunds[is]
	capped := rf.of != none && j.purchases[rf.of].isCut()
	var before int64
	if capped {
		before = j.promise.account.Summary().Entitlement
	}
	l := j.owe(row, rf.of)
	if rf.row != row {
		j.reclaim = append(j.reclaim, is)
		return
	}
	rf.arrived, rf.balance, rf.odd, rf.net = true, j.balance, j.odd, max(0, -l.net)
	if capped {
		rf.net = min(rf.net, max(0, before-j.promise.account.Summary().Entitlement))
	}
	if rf.of == none {
		j.placed = append(j.placed, is)
		rf.of, rf.linked = l.on, false
		if rf.of == none {
			return
		}
		p := &j.purchases[rf.of]
		rf.place, rf.owes, rf.part = placeOf(p, rf), rf.net, min(rf.amount, p.left())
		rf.over = rf.amount > p.left()
		if p.granted {
			rf.granted, rf.expected, rf.least = p.original, rf.owes, rf.owes
			if rf.expected > 0 {
				j.pending = append(j.pending, is)
			}
			j.takenBefore(is)
		}
		return
	}
	p := &j.purchases[rf.of]
	if rf.number = 1; p.first == none {
		p.first = is
	} else {
		j.refunds[p.last].next = is
		rf.number = j.refunds[p.last].number + 1
	}
	p.last = is
	left := p.left()
	rf.over = rf.amount > left
	p.home += rf.amount
	rf.part, rf.owes = left-p.left(), max(0, -l.own)
	if p.granted {
		j.fallDue(is)
		j.takenBefore(is)
	}
}

// fallDue works out what a refund is due of the reward of its purchase as granted. The
// program may take the refund's share of the grant, or what the terms come to without
// the refunded part, where a cap or a step is between the two.
func (j *Judge) fallDue(is int32) {
	rf := &j.refunds[is]
	p := &j.purchases[rf.of]
	before := p.amount - p.left() - rf.part
	part := p.keeps(before) - p.keeps(before+rf.part)
	rf.granted, rf.expected, rf.least = p.original, part, part
	if near(p.original, p.full, 1) || p.isCut() {
		rf.expected, rf.least = max(part, rf.owes), min(part, rf.net)
	}
	if rf.expected > 0 {
		j.pending = append(j.pending, is)
	}
}

// reversal undoes a refund.
func (j *Judge) reversal(is, row int32) {
	on := none
	if is != none {
		on = j.refunds[is].of
	}
	j.owe(row, on)
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
	if rf.of != none && rf.linked {
		j.purchases[rf.of].home -= rf.amount
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

// noteWriteOff notes a credit for nothing bought that lifts a debt to just zero. Where
// neither refunds nor rewards name their purchase, it may as well be a clawback that is
// given back because its refund was of another purchase. And what a redemption has
// overdrawn was there: the row of the reward is late.
func (j *Judge) noteWriteOff(row int32) {
	if !j.clawed || len(j.placed) > 0 && !j.named {
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

// early calls for each row that nothing explained and that came no longer before than
// rows may be late, the latest first, until one is used.
func (j *Judge) early(since reward.Instant, use func(l *loose, r *history.Row) bool) {
	for k := len(j.loose) - 1; k >= 0; k-- {
		l := &j.loose[k]
		r := &j.rows[l.row]
		if r.At < since-lateRows {
			return
		}
		if l.amount == 0 {
			continue
		}
		now := j.now
		j.now = r.At
		used := use(l, r)
		j.now = now
		if used {
			l.amount = 0
			j.odd -= r.Amount
			return
		}
	}
}

// grantedBefore looks for the reward of a purchase among rows that came before
// it: its own row was late.
func (j *Judge) grantedBefore(is int32) {
	p := &j.purchases[is]
	j.early(p.at, func(l *loose, r *history.Row) bool {
		if r.Amount <= 0 || r.Transaction != j.rows[p.row].ID && (r.Transaction != "" || !j.earns(p, l.amount)) {
			return false
		}
		j.grant(is, l.amount, l.row)
		return true
	})
}

// takenBefore looks for the clawback of a refund among rows that came before it.
func (j *Judge) takenBefore(is int32) {
	rf := &j.refunds[is]
	due := rf.due()
	if len(j.loose) == 0 || due == 0 {
		return
	}
	p := &j.purchases[rf.of]
	j.early(rf.at, func(l *loose, r *history.Row) bool {
		if r.Amount > 0 || !near(l.amount, due, 1) || r.Transaction != "" && r.Transaction != j.rows[p.row].ID {
			return false
		}
		if r.Transaction != "" {
			p.taken -= l.amount // it is noted already
		}
		j.take(is, l.amount, l.row)
		return true
	})
}
