package foreign

import "time"

var cedarLedger = Design{
	Name:   "cedar-ledger",
	Source: "After Swiss bank card bonuses, kept by a general ledger that hands out account movements only (from memory)",
	Published: "3 % on groceries, up to CHF 25 a statement, 2 % on dining and travel, 1.5 % online, up to CHF 10 a purchase, " +
		"0.5 % on all else. Statements close on the 12th (Zurich). The bonus of a statement is credited with it and can be " +
		"redeemed from the next. What is returned is set off in the next statement, and cannot be redeemed from the day we " +
		"hear of it.",
	How: "Each fact is booked at once between expense and an accrual that customers do not see. The close moves what is due from " +
		"the accrual to the member's account in one sum: new bonuses, returns of old purchases, room that these freed under " +
		"the cap, credits that name no purchase. Only these sums are exported. What can be redeemed is the lesser of the " +
		"member's account and what the last two closes agree on and is still due by now.",
	Class:    "robust",
	Currency: "CHF",
	New:      cedarNew(func(a *cedarAccount) cedarPlan { return &cedarBooks{a: a} }),
}

var (
	cedarZurich    = cedarZone("Europe/Zurich")
	cedarLedgerPay = &cedarTariff{of: 1000, rest: 5,
		per: map[string]int64{"GROCERY": 30, "DINING": 20, "TRAVEL": 20, "ONLINE": 15}}
)

const (
	cedarLedgerCap   = 2500 // groceries, a statement
	cedarOnlineMost  = 1000 // online, a purchase
	cedarStatementOn = 12
)

// cedarBook is an account of the ledger.
type cedarBook int

const (
	cedarExpense cedarBook = iota // what rewards cost the bank
	cedarAccrual                  // what it owes, unseen
	cedarMember                   // what it owes and has said so
	cedarBookCount
)

// cedarEntry is a movement from one account of the ledger to another.
type cedarEntry struct {
	at       time.Time
	from, to cedarBook
	amount   int64
}

// cedarBooks is the ledger of one customer.
type cedarBooks struct {
	a       *cedarAccount
	journal []cedarEntry
	sums    [cedarBookCount]int64
	// credited is what each purchase was worth at the last close, ripe at the one before.
	credited, ripe map[string]int64
}

// enter books a movement; one below zero goes the other way.
func (b *cedarBooks) enter(at time.Time, from, to cedarBook, amount int64) {
	if amount < 0 {
		from, to, amount = to, from, -amount
	}
	if amount > 0 {
		b.journal = append(b.journal, cedarEntry{at, from, to, amount})
		b.sums[from] -= amount
		b.sums[to] += amount
	}
}

// next is the next close, with the first instant of the 12th.
func (b *cedarBooks) next(after time.Time) time.Time {
	return cedarMonthly(after, cedarZurich, cedarStatementOn, 0)
}

// cedarCycle numbers statements by the month in which they begin.
func cedarCycle(t time.Time) int {
	month := cedarMonth(t, cedarZurich)
	if t.In(cedarZurich).Day() < cedarStatementOn {
		month--
	}
	return month
}

// worth is what each purchase before the instant is worth by everything known.
func (b *cedarBooks) worth(before time.Time) map[string]int64 {
	worth, used := map[string]int64{}, map[int]int64{}
	for _, p := range b.a.purchases {
		if !p.at.Before(before) {
			continue
		}
		amount := cedarLedgerPay.earns(p.category, b.a.left(p))
		switch p.category {
		case "GROCERY":
			cycle := cedarCycle(p.at)
			amount = min(amount, cedarLedgerCap-used[cycle])
			used[cycle] += amount
		case "ONLINE":
			amount = min(amount, cedarOnlineMost)
		}
		worth[p.id] = amount
	}
	return worth
}

// total adds up, less what credits that name no purchase can have cost.
func (b *cedarBooks) total(worth map[string]int64) int64 {
	var sum int64
	for _, amount := range worth {
		sum += amount
	}
	return sum - min(sum, cedarLedgerPay.worst(b.a, b.a.loose()))
}

// cedarEver is after every purchase.
var cedarEver = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// heard accrues what a fact changes; the customer sees nothing of it yet.
func (b *cedarBooks) heard(at time.Time, _ *cedarReturn) {
	owed := b.sums[cedarAccrual] + b.sums[cedarMember]
	b.enter(at, cedarExpense, cedarAccrual, b.total(b.worth(cedarEver))-owed)
}

// run closes a statement.
func (b *cedarBooks) run(at time.Time) {
	b.ripe, b.credited = b.credited, b.worth(at)
	move := b.total(b.credited) - b.sums[cedarMember]
	b.enter(at, cedarAccrual, cedarMember, move)
	post := Posting{At: at, Kind: Earned, Amount: move, Note: "statement of " + at.In(cedarZurich).Format("2 January 2006")}
	if move < 0 {
		post.Kind = Reversed
	}
	b.a.write(post)
}

// sure is what two statements have said and what is still due. What a return has freed for
// others since, or a late purchase adds, is not: it may come back before it is credited.
func (b *cedarBooks) sure() int64 {
	worth := b.worth(cedarEver)
	for id, amount := range worth {
		worth[id] = min(amount, b.credited[id], b.ripe[id])
	}
	return b.total(worth)
}
