package foreign

import (
	"cmp"
	"slices"
	"time"
)

// freshLarder is a household card. Nothing but the facts is state: after each the whole
// file is read again from its first line, and what differs from the ledger is posted.
type freshLarder struct {
	freshDesk[freshLarderBook]
}

// freshLarderBook is what the ledger has granted so far, by purchase; the welcome offer
// stands under the empty name.
type freshLarderBook map[string]int64

const (
	freshLarderLimit   = 600_000 // of groceries in a year
	freshLarderWelcome = 25_000
	freshLarderSpend   = 300_000
	freshLarderDays    = 90
)

var freshLarderDesign = Design{
	Name: "fresh-larder",
	Source: "Rates and limit after American Express Blue Cash Preferred, as on bankrate.com and creditcards.com (6% at supermarkets on up to $6,000 a year then 1%, 3% at gas stations, 1% elsewhere, a welcome credit of $250 for $3,000; the 90 days are ours); " +
		"paper, section 6 (RewardOnRefund) and case III-A (issuer C)",
	Published: "6% back on purchases in the category GROCERY on up to $6,000 of them per calendar year, 1% on groceries above that; 3% on FUEL; 1% on everything else. " +
		"A purchase counts in the year in which it was made (UTC), and the $6,000 are filled in the order in which purchases were made. " +
		"Each purchase's reward is rounded to the nearest cent, half a cent up; where the limit runs through a purchase, both parts are rounded together. " +
		"Welcome: $250, once, if the purchases made within 90 days (of 24 hours) of the moment of opening, in all categories and net of returns, come to $3,000 or more. " +
		"Rewards are granted when a purchase clears, the welcome when the $3,000 are reached, and can be redeemed at once, in any amount. " +
		"Returns and chargebacks, at any time: you have what you would have if you had bought only what you kept, the limit and the welcome included. " +
		"What that takes back is taken at once, and if you have redeemed it, later rewards repay it first; it is never forgiven. More than the price of a purchase cannot come back of it. " +
		freshGuessNewest,
	How: "Event-sourced. The file of facts is the only state; after every fact the projection (reward per purchase and welcome) is folded anew from the first line, purchases " +
		"in the order in which they were made and each of what is kept of it, and the differences from what the ledger has granted are posted per purchase.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		e := &freshLarder{}
		e.house = e
		return e
	},
}

func (e *freshLarder) opened(f *freshFile[freshLarderBook]) { f.own = freshLarderBook{} }

func (e *freshLarder) run(*freshFile[freshLarderBook]) {}

func (e *freshLarder) spendable(f *freshFile[freshLarderBook]) int64 { return f.balance }

// moved brings the ledger to what the projection says.
func (e *freshLarder) moved(f *freshFile[freshLarderBook], _ *freshPurchase, _ []*freshPurchase, by *freshReturn) {
	lines, welcome := e.project(f)
	for _, line := range lines {
		note := "reward"
		if by != nil {
			note = "worked out again after a return"
		}
		e.bring(f, line.p.id, line.reward, by, note)
	}
	e.bring(f, "", welcome, by, "welcome offer")
}

func (e *freshLarder) bring(f *freshFile[freshLarderBook], name string, to int64, by *freshReturn, note string) {
	f.change(e.now, to-f.own[name], name, by, note)
	f.own[name] = to
}

// freshLarderLine is the projection of one purchase.
type freshLarderLine struct {
	p      *freshPurchase
	reward int64
}

// project folds the facts.
func (e *freshLarder) project(f *freshFile[freshLarderBook]) (lines []freshLarderLine, welcome int64) {
	inOrder := slices.Clone(f.purchases)
	slices.SortStableFunc(inOrder, func(p, q *freshPurchase) int {
		return cmp.Or(p.made.Compare(q.made), cmp.Compare(p.nth, q.nth))
	})
	groceries := make(map[int]int64) // kept, by year
	atFirst := int64(0)
	for _, p := range inOrder {
		kept, hundredths := p.kept(), int64(0)
		switch p.category {
		case "GROCERY":
			year := p.made.UTC().Year()
			within := min(kept, freshLarderLimit-groceries[year])
			groceries[year] += within
			hundredths = 6*within + (kept - within)
		case "FUEL":
			hundredths = 3 * kept
		default:
			hundredths = kept
		}
		lines = append(lines, freshLarderLine{p, (hundredths + 50) / 100})
		if p.made.Before(f.opened.Add(freshLarderDays * 24 * time.Hour)) {
			atFirst += kept
		}
	}
	if atFirst >= freshLarderSpend {
		welcome = freshLarderWelcome
	}
	return lines, welcome
}
