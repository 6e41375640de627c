package foreign

import "time"

var quarryMainframe = Design{
	Name:   "quarry-mainframe",
	Source: "after older American statement cashback (the early Discover Cashback Bonus, Sears), from memory",
	Published: "20 cents for every full $10 of a statement's purchases less their returns, for at most $3,000 of each statement; nothing on cash advances and fees (CASH, FEES). " +
		"Statements close on the 12th. Rewards post with the statement and can then be used at once. " +
		"A return is taken off the statement that had its purchase, whenever it comes: with the next close, and until then it cannot be used. If less is left than was used, the rest is owed.",
	How: "One line a statement, without names. The rewards file keeps the detail of the open statement and of the one before: a return of a purchase on either is " +
		"counted (until the correction line of the next close it is held from redemption, and debts stay). With each close the older statement leaves the file; " +
		"what returns later of its purchases matches nothing there and goes to an exception report that nobody reads.",
	Class: "V2",
	Leak: "Buy for $1,000 on January 20. The close of February 12 posts $20.00: redeem it. Return all of it on March 13, 52 days after the purchase: " +
		"the January statement left the file the day before, nothing is taken, and $20.00 stays for good. Returned on March 11 the balance would go to -$20.00.",
	Currency: "USD",
	New: func() Engine {
		return newQuarryDesk("America/New_York", func(f *quarryFile) quarryBook {
			return &quarryMainframeBook{f: f, line: map[int]int64{}}
		})
	},
}

// quarryMainframeClose is the day on which statements begin.
const quarryMainframeClose = 12

// quarryMainframeBook has a line for each closed statement that is on file.
type quarryMainframeBook struct {
	quarryPlain
	f         *quarryFile
	links     quarryLinks
	statement []int         // of each purchase
	line      map[int]int64 // what was posted for a statement
}

// open is the number of the open statement.
func (b *quarryMainframeBook) open() int {
	m := quarryMonth(b.f.zone, b.f.now)
	if b.f.now.In(b.f.zone).Day() < quarryMainframeClose {
		return m - 1
	}
	return m
}

// bought puts a purchase on its statement, or on the oldest that can still be changed.
func (b *quarryMainframeBook) bought(i int) {
	b.statement = append(b.statement, max(b.open()-1, b.f.buys[i].cycle(quarryMainframeClose)))
	b.links.link(b.f, b.worth())
}

func (b *quarryMainframeBook) returned(int) { b.links.link(b.f, b.worth()) }

// worth is what nameless returns go by: the purchases on file, and of these first those
// of statements that are not above their limit.
func (b *quarryMainframeBook) worth() func(int) int64 {
	file, spend := b.open()-1, b.spend()
	return func(i int) int64 {
		switch s := b.statement[i]; {
		case s < file || !b.earns(i):
			return 0
		case spend[s] > 300000:
			return 1
		}
		return 2
	}
}

func (b *quarryMainframeBook) earns(i int) bool {
	c := b.f.buys[i].category
	return c != "CASH" && c != "FEES"
}

// spend is the net purchases of each statement.
func (b *quarryMainframeBook) spend() map[int]int64 {
	spend := map[int]int64{}
	for i, x := range b.links.left(b.f)[:len(b.statement)] {
		if b.earns(i) {
			spend[b.statement[i]] += x
		}
	}
	return spend
}

func quarryMainframeLine(spend int64) int64 { return 20 * min(300, spend/1000) }

func (b *quarryMainframeBook) next(after time.Time) time.Time {
	return quarryNext(b.f.zone, after, quarryMainframeClose)
}

// run corrects the older statement for the last time and posts the one that closes.
func (b *quarryMainframeBook) run(at time.Time) {
	closed, spend := b.open()-1, b.spend()
	b.f.level(at, quarryMainframeLine(spend[closed-1])-b.line[closed-1], "", "", "PRIOR STMT CORRECTION")
	delete(b.line, closed-1) // the flaw: from here on its returns have no effect
	b.line[closed] = quarryMainframeLine(spend[closed])
	b.f.level(at, b.line[closed], "", "", "STMT REWARD "+at.In(b.f.zone).Format("01/02/06"))
}

// redeemable leaves out what the next correction will take.
func (b *quarryMainframeBook) redeemable() int64 {
	hold, spend := int64(0), b.spend()
	for s, line := range b.line {
		hold += max(0, line-quarryMainframeLine(spend[s]))
	}
	return b.f.balance - hold
}
