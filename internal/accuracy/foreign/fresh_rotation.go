package foreign

import (
	"fmt"
	"slices"
	"time"
)

// freshRotation is a card whose best categories change with the quarter: counters of how
// much of each quarter's limit is used.
type freshRotation struct {
	freshDesk[freshRotationBook]
}

// freshRotationBook is an account's counters, and a row for each purchase.
type freshRotationBook struct {
	used map[string]int64    // of the limit, by quarter
	rows []*freshRotationRow // in the order of clearing
}

// freshRotationRow is what is kept of a purchase: at five percent, and at one.
type freshRotationRow struct {
	p           *freshPurchase
	quarter     string
	fits        bool // it is of the quarter's categories
	bonus, base int64
	posted      int64
}

const freshRotationLimit = 150_000

// freshRotationOf are the categories of a quarter.
var freshRotationOf = [4][]string{{"GROCERY", "FUEL"}, {"DINING", "TRAVEL"}, {"FUEL", "ONLINE"}, {"ONLINE", "GROCERY"}}

var freshRotationDesign = Design{
	Name: "fresh-rotation",
	Source: "Discover it and Chase Freedom Flex, published terms from memory (5% in categories that rotate each quarter on up to $1,500 of purchases per quarter, 1% after that and on everything else; " +
		"rewards for returned purchases are deducted); which categories when is ours",
	Published: "5% on purchases in the quarter's two categories, on up to $1,500 of them per calendar quarter; 1% above that and on everything else. " +
		"January to March: GROCERY and FUEL; April to June: DINING and TRAVEL; July to September: FUEL and ONLINE; October to December: ONLINE and GROCERY. " +
		"The day on which a purchase is made (UTC) decides on its quarter; the limit is filled in the order in which purchases clear, and one that crosses it is split. Rewards are rounded to the nearest cent for each purchase, half a cent up. " +
		"They are granted when the purchase clears and can be redeemed at once, in any amount. " +
		"What you return, or charge back, earns nothing, whenever it comes back: first what earned 1% of that purchase is taken as returned, then what earned 5%. Its rewards are taken back at once; if they are redeemed they are owed, and repaid by the next rewards. " +
		"The limit counts only what you keep: what a return frees of it goes to purchases of that quarter's categories that had earned 1% for want of room, in the order in which they cleared, and then to later ones. So 5% are earned on the first $1,500 of what you keep, no more. " +
		freshGuessExact,
	How: "A counter per quarter of how much of the limit is used, and a row per purchase with what of it stands at 5% and at 1%. A return takes the row down from the 1% end, and its reward with it, to the cent; " +
		"then rows of the quarter that stand at 1% are filled up, the oldest first, as far as the counter has room. " +
		"But the counter goes down by the whole amount that came back, also where it had earned 1% because the limit was used up; it stops at zero, which keeps it looking right. " +
		"At first returns did not free the limit at all. Customers who exchanged a jacket for another size complained that the new one earned 1%, and support got a hotfix: \"used −= refund.amount\". " +
		"The rows with the split, and the filling up, came a year later with the new statement; the counter's line was never looked at again. Its tests return purchases below the limit, where both are the same.",
	Class: "other",
	Leak: "Returning what earned 1% above the limit frees limit that it never used, and what stands at 1% is lifted to 5%. In October to December: buy online three times for $1,500 (5%, $75, then twice 1%, $15). Return the third: its $15 are taken back, the counter falls from $1,500 to nothing, " +
		"and the second is filled up to 5% ($60 more). $150 on $3,000 kept, where the terms have $90; buying and returning once more above the limit lifts the next.",
	Currency: "USD",
	New: func() Engine {
		e := &freshRotation{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshRotation) opened(f *freshFile[freshRotationBook]) {
	f.own.used = map[string]int64{}
}

// freshRotationQuarter is the quarter of a time, from nought.
func freshRotationQuarter(t time.Time) int { return (int(t.UTC().Month()) - 1) / 3 }

func (e *freshRotation) moved(f *freshFile[freshRotationBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	for _, p := range others {
		e.takeDown(f, f.own.rows[p.nth], by)
	}
	if p := cleared; p != nil {
		quarter := freshRotationQuarter(p.made)
		row := &freshRotationRow{
			p: p, quarter: fmt.Sprintf("%d-%d", p.made.UTC().Year(), quarter+1), fits: slices.Contains(freshRotationOf[quarter], p.category), base: p.kept(),
		}
		f.own.rows = append(f.own.rows, row)
		e.fill(f, row.quarter)
		e.reward(f, row, nil, "reward of "+row.quarter)
	}
}

// takeDown takes a row down by what has come back, from its lower end, and fills its
// quarter up. If a guess has moved on the row has more than before, at the lower end too.
func (e *freshRotation) takeDown(f *freshFile[freshRotationBook], row *freshRotationRow, by *freshReturn) {
	back := row.bonus + row.base - row.p.kept()
	fromBase := min(back, row.base)
	row.base -= fromBase
	row.bonus -= back - fromBase
	if row.fits && back > 0 {
		f.own.used[row.quarter] = max(0, f.own.used[row.quarter]-back)
	}
	e.reward(f, row, by, "return")
	e.fill(f, row.quarter)
}

// fill lifts what stands at the lower rate as far as the counter has room.
func (e *freshRotation) fill(f *freshFile[freshRotationBook], quarter string) {
	for _, row := range f.own.rows {
		if !row.fits || row.quarter != quarter {
			continue
		}
		if lift := min(row.base, freshRotationLimit-f.own.used[quarter]); lift > 0 {
			row.bonus, row.base = row.bonus+lift, row.base-lift
			f.own.used[quarter] += lift
			e.reward(f, row, nil, "reward of "+quarter)
		}
	}
}

// reward posts what a row is worth.
func (e *freshRotation) reward(f *freshFile[freshRotationBook], row *freshRotationRow, by *freshReturn, note string) {
	due := (5*row.bonus + row.base + 50) / 100
	f.change(e.now, due-row.posted, row.p.id, by, note)
	row.posted = due
}

func (e *freshRotation) run(*freshFile[freshRotationBook]) {}

func (e *freshRotation) spendable(f *freshFile[freshRotationBook]) int64 { return f.balance }
