package foreign

import "time"

var quarryJournal = Design{
	Name:   "quarry-journal",
	Source: "after British points cards on a vendor's loyalty platform (Amex Preferred Rewards, Tesco Clubcard Plus), from memory",
	Published: "5 points for every full £1 spent on travel and dining (TRAVEL, DINING), up to 10,000 points in a calendar quarter; 1 point for every full £1 elsewhere. " +
		"100 points are £1. Points can be used as soon as they are there. Points of what is returned are taken back, and the balance may go below zero; " +
		"what is owed comes off later points. Statements close on the 20th.",
	How: "The platform has transactions and journals. A purchase is journaled at once and can be spent; a return is a transaction that waits for the run of return " +
		"journals at the statement's close, which books each return in a row that names it alone. Redemption looks at journals. Debts stay for ever.",
	Class: "V3(b)",
	Leak: "Buy flights for £2,000.00 on May 21: 10,000 points (£100.00). Return everything on May 25. Nothing is journaled before June 20, so on May 26, after the return, " +
		"all 10,000 points can still be redeemed. On June 20 the balance goes to -10,000; who does not use the card again keeps £100.00.",
	Currency: "GBP",
	New: func() Engine {
		return newQuarryDesk("Europe/London", func(f *quarryFile) quarryBook {
			return &quarryJournalBook{f: f, done: map[int]bool{}}
		})
	},
}

type quarryJournalBook struct {
	quarryPlain
	f       *quarryFile
	waiting []int        // returns that are transactions only
	done    map[int]bool // returns that have been journaled
	points  int64        // by journals
}

// bought journals a purchase at once.
func (b *quarryJournalBook) bought(i int) {
	b.journal(b.f.now, b.f.buys[i].id, "", "accrual journal")
}

// returned has a return wait; one whose name has turned out wrong waits again.
func (b *quarryJournalBook) returned(k int) {
	b.waiting = append(b.waiting, k)
	delete(b.done, k)
}

func (b *quarryJournalBook) next(after time.Time) time.Time { return quarryNext(b.f.zone, after, 20) }

// run books the returns of the statement, one after the other.
func (b *quarryJournalBook) run(at time.Time) {
	for _, k := range b.waiting {
		b.done[k] = true
		refund, note := b.f.backs[k].row()
		b.journal(at, "", refund, note+" journal")
	}
	b.waiting = nil
}

// redeemable is the flaw: returns that wait are not in it.
func (b *quarryJournalBook) redeemable() int64 { return b.f.balance }

func (b *quarryJournalBook) journal(at time.Time, buy, refund, note string) {
	points := b.compute()
	b.f.level(at, points-b.points, buy, refund, note)
	b.points = points
}

func (b *quarryJournalBook) rate(i int) int64 {
	if c := b.f.buys[i].category; c == "TRAVEL" || c == "DINING" {
		return 5
	}
	return 1
}

// compute is what purchases have earned by the returns that have been journaled.
func (b *quarryJournalBook) compute() int64 {
	named := map[string]int64{}
	for k := range b.done {
		r := &b.f.backs[k]
		named[r.buy] = min(quarryAll, named[r.buy]+r.amount)
	}
	left := make([]int64, len(b.f.buys))
	quarters := map[int]int64{}
	var sum int64
	for i := range left {
		buy := &b.f.buys[i]
		left[i] = max(0, buy.amount-named[buy.id])
		if rate := b.rate(i); rate == 5 {
			quarters[buy.month/3] += rate * (left[i] / 100)
		} else {
			sum += rate * (left[i] / 100)
		}
	}
	for _, points := range quarters {
		sum += min(10000, points)
	}
	return max(0, sum-b.doubt(left))
}

// doubt takes journaled returns without a name at the highest rate they can be of.
func (b *quarryJournalBook) doubt(left []int64) (sum int64) {
	rest := func(k int) int64 {
		if b.done[k] {
			return b.f.backs[k].amount
		}
		return 0
	}
	free := append([]int64(nil), left...)
	for _, p := range b.f.match(free, rest, b.rate) {
		sum += b.rate(p.buy) * min(quarryUp(p.amount, 100), left[p.buy]/100)
	}
	return sum
}
