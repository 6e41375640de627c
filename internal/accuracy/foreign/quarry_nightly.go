package foreign

import "time"

var quarryNightly = Design{
	Name:   "quarry-nightly",
	Source: "after Swedish grocers' credit cards with a bonus (ICA Banken, Coop Mastercard), from memory",
	Published: "2% in grocery shops (category GROCERY), at most SEK 200 in a calendar month; 1% on everything else but cash and gambling (CASH, GAMBLING). " +
		"SEK 500 once if purchases in the first 90 days come to SEK 5,000. Bonus is booked the night after, can be used at once and in any amount. " +
		"Bonus is for what you keep: returns take it back, whenever they come, also below zero. A return that does not say which purchase it is of " +
		"takes back the highest rate that it can be of and counts against the SEK 5,000.",
	How: "A batch at 02:00 computes from all facts what the account should have had in its life, and posts one row with the difference to what was posted; " +
		"the row names nothing. By day a redemption is measured by what the batch would post if it ran now, if that is less.",
	Class:    "robust",
	Currency: "SEK",
	New: func() Engine {
		return newQuarryDesk("Europe/Stockholm", func(f *quarryFile) quarryBook { return &quarryNightlyBook{f: f} })
	},
}

// quarryNightlyBook knows its rows' sum and nothing else of what it did before.
type quarryNightlyBook struct {
	quarryPlain
	f      *quarryFile
	posted int64
	due    int64 // by the facts
	dirty  bool  // there are facts since the last batch
	stale  bool  // and since due was computed
}

func (b *quarryNightlyBook) bought(int)   { b.dirty, b.stale = true, true }
func (b *quarryNightlyBook) returned(int) { b.dirty, b.stale = true, true }

// next is the night that follows facts; others would post nothing.
func (b *quarryNightlyBook) next(after time.Time) time.Time {
	if !b.dirty {
		return time.Time{}
	}
	t := after.In(b.f.zone)
	night := time.Date(t.Year(), t.Month(), t.Day(), 2, 0, 0, 0, b.f.zone)
	if !night.After(after) {
		night = time.Date(t.Year(), t.Month(), t.Day()+1, 2, 0, 0, 0, b.f.zone)
	}
	return night
}

func (b *quarryNightlyBook) run(at time.Time) {
	b.f.level(at, b.total()-b.posted, "", "", "bonus, night of "+at.In(b.f.zone).Format("2006-01-02"))
	b.posted, b.dirty = b.total(), false
}

// redeemable goes by the facts where these are worse than the rows: what a return takes
// must not be paid out because the batch has not seen it.
func (b *quarryNightlyBook) redeemable() int64 {
	return b.f.balance - b.posted + min(b.posted, b.total())
}

func (b *quarryNightlyBook) total() int64 {
	if b.stale {
		b.due, b.stale = b.compute(), false
	}
	return b.due
}

// rate is in percent.
func (b *quarryNightlyBook) rate(i int) int64 {
	switch b.f.buys[i].category {
	case "GROCERY":
		return 2
	case "CASH", "GAMBLING":
		return 0
	}
	return 1
}

func (b *quarryNightlyBook) compute() int64 {
	const limit = 20000
	left := b.f.left()
	grocery := map[int]int64{} // by month
	var sum int64
	for i, x := range left {
		if rate := b.rate(i); rate == 2 {
			grocery[b.f.buys[i].month] += rate * x / 100
		} else {
			sum += rate * x / 100
		}
	}
	for _, x := range grocery {
		sum += min(limit, x)
	}
	sum -= b.f.doubt(left, b.rate, func(i int, x int64) int64 {
		return min(quarryUp(b.rate(i)*x, 100), b.rate(i)*left[i]/100)
	})
	return max(0, sum) + b.welcome(left)
}

// welcome is the new member's bonus, for what is left of the first 90 days.
func (b *quarryNightlyBook) welcome(left []int64) int64 {
	over := b.f.opened.Add(90 * 24 * time.Hour)
	in := func(i int) bool {
		at := b.f.buys[i].at
		return b.rate(i) > 0 && !at.Before(b.f.opened) && at.Before(over)
	}
	var spend int64
	for i, x := range left {
		if in(i) {
			spend += x
		}
	}
	if spend-b.f.against(left, in) < 500000 {
		return 0
	}
	return 50000
}
