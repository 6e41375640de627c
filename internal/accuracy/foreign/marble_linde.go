package foreign

import "time"

var marbleLindeDesign = Design{
	Name:   "marble-linde",
	Source: "in the style of German and Austrian credit cards with cashback by yearly turnover, from memory",
	Published: "0.5 % Cashback on your turnover of a calendar year up to 10,000 EUR and 1.25 % on what is above, fuel excepted. " +
		"Credited with the monthly statement on the 5th, free to use from then on. Turnover is net: goods you give back lower the turnover of the " +
		"year in which they were bought and the cashback is debited when the refund reaches us, even if the account falls below zero; debts are set " +
		"off against later cashback without limit of time. Refunds we cannot assign lower the turnover where most cashback was paid.",
	How: "Facts are appended to a stream and never changed. Whatever happens, the account's cashback is computed by replaying the stream: purchases " +
		"billed so far, all returns, unassigned ones off the upper step of any year first. The difference to the journal is posted. Fractions of " +
		"cents are kept; the account's total is rounded down once.",
	Class:    "robust",
	Currency: "EUR",
	New: func() Engine {
		l := &marbleLinde{zone: marbleZone("Europe/Berlin")}
		l.marbleDesk = marbleNewDesk[marbleLindeBook](l)
		return l
	},
}

const (
	marbleLindeStep  = 1000000
	marbleLindeLower = 50 // of 10,000
	marbleLindeUpper = 125
	marbleLindeDay   = 5
)

type marbleLinde struct {
	*marbleDesk[marbleLindeBook]
	zone *time.Location
}

// marbleLindeFact is an entry of the stream: amount is below zero for what came back.
type marbleLindeFact struct {
	purchase string // empty: unassigned
	amount   int64
	year     int
	arrived  time.Time
}

type marbleLindeBook struct {
	stream []marbleLindeFact
	billed time.Time // what arrived before is on a statement
	close  time.Time // the next statement
}

func (l *marbleLinde) opened(f *marbleFile[marbleLindeBook]) {
	f.own.billed = marbleCycle(f.since, marbleLindeDay, l.zone)
	f.own.close = marbleLater(f.own.billed, 1, l.zone)
}

func (l *marbleLinde) bought(f *marbleFile[marbleLindeBook], b *marbleBuy) {
	if b.category != "FUEL" {
		f.own.stream = append(f.own.stream, marbleLindeFact{b.id, b.amount, b.at.In(l.zone).Year(), b.arrived})
	}
}

func (l *marbleLinde) returned(f *marbleFile[marbleLindeBook], r marbleReturn, b *marbleBuy, x int64) {
	counts := true
	if b == nil {
		counts = marbleDearest(r, func(category string) int64 {
			if category == "FUEL" {
				return 0
			}
			return 1
		}) > 0
	}
	if counts {
		f.own.stream = append(f.own.stream, marbleLindeFact{purchase: r.purchase, amount: -x, arrived: r.arrived})
		f.level(l.now, marbleLindeReplay(f.own.stream, f.own.billed)-f.total, r.purchase, r.id, "Rückgabe")
	}
}

// marbleLindeReplay is the cashback of all that was billed.
func marbleLindeReplay(stream []marbleLindeFact, billed time.Time) int64 {
	year, turnover := map[string]int{}, map[int]int64{}
	var unassigned int64
	for _, e := range stream {
		switch {
		case e.amount > 0 && e.arrived.Before(billed):
			year[e.purchase] = e.year
			turnover[e.year] += e.amount
		case e.amount < 0 && e.purchase == "":
			unassigned -= e.amount
		case e.amount < 0:
			if y, ok := year[e.purchase]; ok {
				turnover[y] += e.amount
			}
		}
	}
	var lower, upper int64
	for _, s := range turnover {
		lower += min(s, marbleLindeStep)
		upper += max(0, s-marbleLindeStep)
	}
	off := min(unassigned, upper)
	upper -= off
	lower = max(0, lower-(unassigned-off))
	return (lower*marbleLindeLower + upper*marbleLindeUpper) / 10000
}

func (l *marbleLinde) redeemed(*marbleFile[marbleLindeBook], int64) {}

func (l *marbleLinde) redeemable(f *marbleFile[marbleLindeBook]) int64 { return f.balance() }

func (l *marbleLinde) due(f *marbleFile[marbleLindeBook], now time.Time) {
	for ; !f.own.close.After(now); f.own.close = marbleLater(f.own.close, 1, l.zone) {
		f.own.billed = f.own.close
		f.level(f.own.close, marbleLindeReplay(f.own.stream, f.own.billed)-f.total, "", "", "Cashback der Abrechnung")
	}
}
