package foreign

import (
	"fmt"
	"time"
)

var walrusTamarin = Design{
	Name:   "walrus-tamarin",
	Source: "After British cashback credit cards that credit with the statement (from memory).",
	Published: "1.5% cashback on everything you buy, credited with your statement on the 21st, yours to take from then on. " +
		"If you return something, we take back the cashback on it.",
	How: "The statement run books the gross cashback of what cleared since the last run and, apart, what returns take of it; then it " +
		"runs the statement before once more and books the difference as a manual adjustment. Statements older than that are archived: " +
		"the run does not see their purchases, so a return of one finds nothing to correct. Rows name nothing.",
	Class: "V2",
	Leak: "Buy for £2,000 on 10 January, take the £30 of the January statement, return it on 1 March (after the February run): " +
		"nothing is taken back, then or later; £30 for nothing spent. A return on 15 February would have cost £30.",
	Currency: "GBP",
	New:      func() Engine { return walrusNewDesk(&walrusTamarinClerk{zone: walrusZone("Europe/London")}) },
}

// walrusTamarinClerk runs the statement and the one before.
type walrusTamarinClerk struct{ zone *time.Location }

func (c *walrusTamarinClerk) next(after time.Time) time.Time {
	return walrusMonthly(after, c.zone, 21, 2)
}

// key names a statement in the books.
func (c *walrusTamarinClerk) key(run time.Time) string { return run.In(c.zone).Format("2006-01") }

// of is the cashback of the purchases that were first on a run's statement.
func (c *walrusTamarinClerk) of(a *walrusAccount, run time.Time) (gross, net int64) {
	for _, p := range a.purchases {
		if p.batch.Equal(run) {
			gross += p.Amount * 15 / 1000
			net += p.left * 15 / 1000
		}
	}
	return gross, net
}

func (c *walrusTamarinClerk) batch(a *walrusAccount, at time.Time) {
	for _, p := range a.purchases {
		if p.batch.IsZero() {
			p.batch = at
		}
	}
	gross, net := c.of(a, at)
	batch := fmt.Sprintf("CB BATCH %s", at.In(c.zone).Format("0102"))
	a.post(Posting{At: at, Kind: Earned, Amount: gross, Note: batch})
	a.post(Posting{At: at, Kind: Reversed, Amount: net - gross, Note: batch + " DR"})
	a.booked[c.key(at)] = net
	if !a.last.IsZero() {
		_, before := c.of(a, a.last)
		a.post(Posting{At: at, Kind: Adjusted, Amount: before - a.booked[c.key(a.last)], Note: "MANUAL ADJ"})
		a.booked[c.key(a.last)] = before
	}
}

// event books nothing: statements do.
func (c *walrusTamarinClerk) event(*walrusAccount, time.Time) {}

// worth is the same for all: one rate.
func (c *walrusTamarinClerk) worth(*walrusAccount, int64) func(*walrusPurchase) int64 {
	return func(*walrusPurchase) int64 { return 0 }
}

// unbooked is what the next run will take of the last statement, the only one it will run again.
func (c *walrusTamarinClerk) unbooked(a *walrusAccount, _ time.Time) int64 {
	if a.last.IsZero() {
		return 0
	}
	_, net := c.of(a, a.last)
	return a.booked[c.key(a.last)] - net
}
