package foreign

import (
	"sort"
	"time"
)

// matchNamed says afresh what came back of each purchase by name. Refunds above the price
// take no more than the price; those of purchases that have not cleared wait.
func (k *harborBook) matchNamed() {
	for _, b := range k.buys {
		b.named, b.loose = 0, 0
	}
	for _, r := range k.backs {
		r.parts = r.parts[:0]
		b := k.byID[r.tx]
		r.loose = b == nil && (r.tx == "" || !k.now.Before(r.heard.Add(harborPatience)))
		if b == nil {
			continue
		}
		x := r.amount
		if r.whole {
			x = b.amount
		}
		if x = min(x, b.amount-b.named); x > 0 {
			b.named += x
			r.parts = append(r.parts, harborPart{b, x})
		}
	}
}

// matchLoose places the refunds without a name, after matchNamed: first with purchases at
// their merchant, then with any, and where they take most before anywhere else, so that
// leaving the name out never pays. Worth is what a unit takes, below zero: no candidate.
func (k *harborBook) matchLoose(worth func(*harborBuy) int64) {
	type candidate struct {
		buy   *harborBuy
		worth int64
	}
	var all []candidate
	ready := false
	for _, r := range k.backs {
		if !r.loose {
			continue
		}
		if !ready {
			for _, b := range k.buys {
				if w := worth(b); w >= 0 {
					all = append(all, candidate{b, w})
				}
			}
			sort.SliceStable(all, func(i, j int) bool {
				if all[i].worth != all[j].worth {
					return all[i].worth > all[j].worth
				}
				return all[i].buy.at.After(all[j].buy.at)
			})
			ready = true
		}
		rest := r.amount
		for _, elsewhere := range []bool{false, true} {
			for _, c := range all {
				b := c.buy
				x := min(rest, b.net())
				if x <= 0 || b.at.After(r.at.Add(harborClearingLag)) || !elsewhere && b.merchant != r.merchant {
					continue
				}
				b.loose += x
				rest -= x
				r.parts = append(r.parts, harborPart{b, x})
			}
		}
	}
}

// nextGivenUp is the first time after t at which a refund has waited long enough.
func (k *harborBook) nextGivenUp(t time.Time) (first time.Time) {
	for _, r := range k.backs {
		if r.tx == "" || k.byID[r.tx] != nil {
			continue
		}
		if at := r.heard.Add(harborPatience); at.After(t) {
			first = harborEarlier(first, at)
		}
	}
	return first
}

// harborEarlier is the earlier of two times; zero is never.
func harborEarlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// match places all refunds.
func (k *harborBook) match(worth func(*harborBuy) int64) {
	k.matchNamed()
	k.matchLoose(worth)
}

// harborZone loads a zone that is known to exist.
func harborZone(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}

// harborCycle is the beginning of the billing cycle that t is in, harborCycleEnd its end.
func harborCycle(t time.Time, day int, loc *time.Location) time.Time {
	l := t.In(loc)
	start := time.Date(l.Year(), l.Month(), day, 0, 0, 0, 0, loc)
	if start.After(t) {
		start = time.Date(l.Year(), l.Month()-1, day, 0, 0, 0, 0, loc)
	}
	return start
}

func harborCycleEnd(t time.Time, day int, loc *time.Location) time.Time {
	s := harborCycle(t, day, loc)
	return time.Date(s.Year(), s.Month()+1, day, 0, 0, 0, 0, loc)
}

// harborUp is a/b rounded up.
func harborUp(a, b int64) int64 { return (a + b - 1) / b }

// harborNone is a calendar on which nothing is ever due.
type harborNone struct{}

func (harborNone) next(*harborBook, time.Time) time.Time { return time.Time{} }
func (harborNone) due(*harborBook)                       {}
