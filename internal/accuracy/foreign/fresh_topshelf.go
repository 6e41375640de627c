package foreign

import (
	"slices"
	"time"
)

// freshTopshelf is a card that pays most where one spends most. It draws statements up:
// a sheet per month with a sum per category, and nothing of single purchases in its books.
type freshTopshelf struct {
	freshDesk[freshTopshelfBook]
}

// freshTopshelfBook is an account's sheets, in order, and what of each purchase is on one.
type freshTopshelfBook struct {
	sheets []*freshTopshelfSheet
	on     map[string]int64
}

// freshTopshelfSheet is the statement of a month.
type freshTopshelfSheet struct {
	month  time.Time
	sums   map[string]int64 // kept, by category
	closed bool
	reward int64 // as posted
}

const freshTopshelfLimit = 50_000

var freshTopshelfEligible = []string{"GROCERY", "DINING", "FUEL", "TRAVEL"}

var freshTopshelfDesign = Design{
	Name: "fresh-topshelf",
	Source: "Citi Custom Cash Card, as on bankrate.com and cnet.com (5% in the eligible category with the highest spending of each billing cycle on up to $500, 1% after that and elsewhere); " +
		"paper, case III-A (issuers D and E)",
	Published: "Each calendar month (UTC) is a statement, and a purchase belongs to the month in which it clears. " +
		"You get 5% on the first $500 of the month's purchases in one category: of GROCERY, DINING, FUEL and TRAVEL the one on which you spent most that month; you get 1% on everything else. " +
		"A statement's reward is worked out on the month's sums and rounded down to the cent once. It is granted when the month is over and can be redeemed from then on, in any amount. " +
		"Returns and chargebacks count in the month of their purchase: if that is still running, the statement to come is smaller; if it is closed, it is drawn up again at once on what you kept, which may make another category the highest, and the difference is booked the moment the return posts, however late. " +
		"If you have redeemed it, you owe it and later statements repay it first, without limit of time. " +
		freshGuessExact,
	How: "A statement calculator: per month a sheet with the net sum of each category, and a formula on the sheet. A closed sheet on which a sum changes is calculated again at once, and the difference to what was posted for that month is posted. " +
		"Postings are of statements; purchases are not on them.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		e := &freshTopshelf{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshTopshelf) opened(f *freshFile[freshTopshelfBook]) { f.own.on = map[string]int64{} }

// sheet is the sheet of a month; months come in order.
func (b *freshTopshelfBook) sheet(month time.Time) *freshTopshelfSheet {
	for _, s := range slices.Backward(b.sheets) {
		if s.month.Equal(month) {
			return s
		}
	}
	s := &freshTopshelfSheet{month: month, sums: map[string]int64{}}
	b.sheets = append(b.sheets, s)
	return s
}

// due is what the formula says of a sheet.
func (s *freshTopshelfSheet) due() int64 {
	all, top := int64(0), int64(0)
	for category, sum := range s.sums {
		all += sum
		if slices.Contains(freshTopshelfEligible, category) {
			top = max(top, sum)
		}
	}
	return (all + 4*min(top, freshTopshelfLimit)) / 100
}

func (e *freshTopshelf) moved(f *freshFile[freshTopshelfBook], cleared *freshPurchase, others []*freshPurchase, _ *freshReturn) {
	if cleared != nil {
		e.enter(f, cleared)
	}
	for _, p := range others {
		e.enter(f, p)
	}
	for _, s := range f.own.sheets {
		if s.closed {
			e.state(f, s, e.now, "statement drawn up again: ")
		}
	}
}

func (e *freshTopshelf) enter(f *freshFile[freshTopshelfBook], p *freshPurchase) {
	f.own.sheet(freshMonth(p.cleared)).sums[p.category] += p.kept() - f.own.on[p.id]
	f.own.on[p.id] = p.kept()
}

// state posts what a sheet says.
func (e *freshTopshelf) state(f *freshFile[freshTopshelfBook], s *freshTopshelfSheet, at time.Time, note string) {
	due := s.due()
	f.change(at, due-s.reward, "", nil, note+s.month.Format("January 2006"))
	s.reward = due
}

// run closes the sheets of the months that are over.
func (e *freshTopshelf) run(f *freshFile[freshTopshelfBook]) {
	for _, s := range slices.Backward(f.own.sheets) {
		if s.closed {
			return // and so are all before it
		}
		if end := s.month.AddDate(0, 1, 0); !e.now.Before(end) {
			s.closed = true
			e.state(f, s, end, "statement: ")
		}
	}
}

func (e *freshTopshelf) spendable(f *freshFile[freshTopshelfBook]) int64 { return f.balance }
