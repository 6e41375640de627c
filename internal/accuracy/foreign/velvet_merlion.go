package foreign

import (
	"sort"
	"time"
)

var velvetMerlion = Design{
	Name: "velvet-merlion",
	Source: "after Singaporean cards with a minimum spend a statement month (OCBC 365, UOB, Maybank), as their public rules say, " +
		"from memory",
	Published: "2.2 % cashback on all of a statement (from the 8th, Singapore) with S$1,000 or more of purchases, else 0.3 %, rounded " +
		"down a purchase. Credited when the statement closes and redeemable then. Purchases that are returned earn nothing and do not count towards the " +
		"minimum spend; their cashback is taken back, and owed if it was used.",
	How: "At the close there is one row for each category of what is left of the statement's purchases; later returns are booked at " +
		"once, with the refund's name. But whether the minimum was reached is read from a counter that purchases raise and " +
		"nothing lowers.",
	Class: "other",
	Leak: "Groceries for S$950 and a S$400 television that goes back within the month: S$950 are left, S$1,350 counted. The " +
		"statement credits S$20.90 in place of S$2.85; S$18.05 for a purchase that earned nothing itself, every month.",
	Currency: "SGD",
	New: velvetNew(func(a *velvetAccount) velvetProgram {
		return &velvetMerlionBooks{a: a, booked: map[velvetMerlionRow]int64{}, rates: map[int64]int64{}}
	}),
}

var velvetSingapore = velvetZone("Asia/Singapore")

// velvetMerlionRow is what a statement has one row for.
type velvetMerlionRow struct {
	begin    int64
	category string
}

// velvetMerlionBooks reckons closed statements by category.
type velvetMerlionBooks struct {
	velvetOnRequest
	a      *velvetAccount
	booked map[velvetMerlionRow]int64
	rates  map[int64]int64 // of statements, by their first instant
}

func (m *velvetMerlionBooks) bought(p *velvetPurchase) {
	p.begin, p.end = velvetStatement(p.at, velvetSingapore, 8)
	m.level("", "late clearing")
}

func (m *velvetMerlionBooks) returned(r *velvetReturn) {
	m.a.count(r)
	m.level(r.id, "return")
}

func (m *velvetMerlionBooks) next(after time.Time) time.Time {
	_, end := velvetStatement(after, velvetSingapore, 8)
	return end
}

func (m *velvetMerlionBooks) run(time.Time) { m.level("", "cashback") }

// level brings the rows of closed statements to what their purchases earn now.
func (m *velvetMerlionBooks) level(refund, note string) {
	spend := map[int64]int64{}
	for _, p := range m.a.purchases {
		p.granted = !p.end.After(m.a.now)
		spend[p.begin.Unix()] += p.amount // the flaw: not what is left of it
	}
	for begin, sum := range spend {
		m.rates[begin] = 3_000
		if sum >= 100_000 {
			m.rates[begin] = 22_000
		}
	}
	sums := map[velvetMerlionRow]int64{}
	var all int64
	for _, p := range m.a.purchases {
		if p.granted {
			cash := velvetShare(p.left(), m.rates[p.begin.Unix()])
			sums[velvetMerlionRow{p.begin.Unix(), p.category}] += cash
			all += cash
		}
	}
	rows := make([]velvetMerlionRow, 0, len(sums))
	for row := range sums {
		rows = append(rows, row)
	}
	sort.Slice(rows, func(i, j int) bool {
		return rows[i].begin < rows[j].begin || rows[i].begin == rows[j].begin && rows[i].category < rows[j].category
	})
	for _, row := range rows {
		m.a.bookChange(sums[row]-m.booked[row], "", refund, note+" "+row.category)
		m.booked[row] = sums[row]
	}
	m.charge(all)
}

// charge takes for unnamed returns the most that they can have earned in closed statements.
func (m *velvetMerlionBooks) charge(limit int64) {
	m.a.chargeUnnamed(velvetSuspicion{
		may: func(_ *velvetReturn, p *velvetPurchase) bool { return p.granted },
		cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
			return velvetShareUp(part, m.rates[p.begin.Unix()])
		},
	}, limit)
}
