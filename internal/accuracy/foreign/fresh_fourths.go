package foreign

import (
	"slices"
	"time"
)

// freshFourths is buy now, pay later: a diary of payments, and a reward for each.
type freshFourths struct {
	freshDesk[freshFourthsBook]
}

// freshFourthsBook is the diary of an account.
type freshFourthsBook struct {
	diary []freshFourthsDue // what is still to come, the soonest first
	plans map[string]*freshFourthsPlan
	first int64 // of the first-order bonus, as posted
}

// freshFourthsPlan is a purchase in four payments.
type freshFourthsPlan struct {
	p      *freshPurchase
	paid   int64 // how many payments have been
	booked int64
}

// freshFourthsDue is a payment to come.
type freshFourthsDue struct {
	at   time.Time
	plan *freshFourthsPlan
}

const (
	freshFourthsEvery = 14 * 24 * time.Hour
	freshFourthsLeast = 2_000
	freshFourthsMost  = 200_000
	freshFourthsOrder = 10_000
	freshFourthsBonus = 1_000
)

var freshFourthsDesign = Design{
	Name: "fresh-fourths",
	Source: "Afterpay (Australia), help.afterpay.com and stores' help pages (four payments, a fortnight apart; refunds come off what is still to pay, then go back to the card), and its Pulse loyalty terms, which ended in January 2024; " +
		"the rates, and a reward with each payment, are ours; paper, section 6",
	Published: "Every purchase is paid in four equal payments: the first when it clears, the others 14, 28 and 42 days later. " +
		"A purchase earns 2%, in the categories GROCERY and FUEL 1%, of at most A$2,000 of its price, rounded down to the cent; a purchase of less than A$20 earns nothing. " +
		"With each of the four payments a quarter of that is granted: after so many payments you have so many quarters of it, rounded down to the cent. It can be redeemed as soon as it is granted, in any amount. " +
		"First order: A$10, once, when a purchase of A$100 or more clears. " +
		"Returns and chargebacks, at any time: the purchase counts as one of what you keep of it, from the beginning: all four payments become smaller, and those already made too. The reward granted for them is cut to that at once; below A$20 kept it is nothing. " +
		"The A$10 are yours for as long as there is a purchase of which you keep A$100 or more, be it another than the first. " +
		"If the reward was redeemed you owe it, and whatever is granted next repays it first. Debts do not lapse. " +
		freshGuessExact,
	How: "A diary. Clearing a purchase writes four dates into it; each date that comes raises what is booked for its purchase to that many quarters of the reward on what is kept. A return regrades the purchases that it touches at once, with the payments made so far. " +
		"The bonus is looked at again after every fact.",
	Class:    "robust",
	Currency: "AUD",
	New: func() Engine {
		e := &freshFourths{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshFourths) opened(f *freshFile[freshFourthsBook]) {
	f.own.plans = map[string]*freshFourthsPlan{}
}

var freshFourthsNotes = [4]string{"first payment", "second payment", "third payment", "fourth payment"}

// due is what is due on a plan after the payments that have been.
func (plan *freshFourthsPlan) due() int64 {
	kept, percent := min(plan.p.kept(), freshFourthsMost), int64(2)
	if kept < freshFourthsLeast {
		return 0
	}
	if plan.p.category == "GROCERY" || plan.p.category == "FUEL" {
		percent = 1
	}
	return kept * percent / 100 * plan.paid / 4
}

func (e *freshFourths) moved(f *freshFile[freshFourthsBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	for _, p := range others {
		e.grade(f, f.own.plans[p.id], e.now, by, "return")
	}
	if cleared != nil {
		plan := &freshFourthsPlan{p: cleared}
		f.own.plans[cleared.id] = plan
		for i := range 4 {
			f.own.diary = append(f.own.diary, freshFourthsDue{e.now.Add(time.Duration(i) * freshFourthsEvery), plan})
		}
		slices.SortStableFunc(f.own.diary, func(a, b freshFourthsDue) int { return a.at.Compare(b.at) })
		e.run(f) // the first is due now
	}
	e.firstOrder(f, by)
}

// run makes the payments that are due.
func (e *freshFourths) run(f *freshFile[freshFourthsBook]) {
	for len(f.own.diary) > 0 && !f.own.diary[0].at.After(e.now) {
		next := f.own.diary[0]
		f.own.diary = f.own.diary[1:]
		next.plan.paid++
		e.grade(f, next.plan, next.at, nil, freshFourthsNotes[next.plan.paid-1])
	}
}

func (e *freshFourths) grade(f *freshFile[freshFourthsBook], plan *freshFourthsPlan, at time.Time, by *freshReturn, note string) {
	due := plan.due()
	f.change(at, due-plan.booked, plan.p.id, by, note)
	plan.booked = due
}

// firstOrder looks whether there is a purchase that the bonus can be for. It is of none
// in particular.
func (e *freshFourths) firstOrder(f *freshFile[freshFourthsBook], by *freshReturn) {
	due := int64(0)
	if slices.ContainsFunc(f.purchases, func(p *freshPurchase) bool { return p.kept() >= freshFourthsOrder }) {
		due = freshFourthsBonus
	}
	f.change(e.now, due-f.own.first, "", by, "first order")
	f.own.first = due
}

func (e *freshFourths) spendable(f *freshFile[freshFourthsBook]) int64 { return f.balance }
