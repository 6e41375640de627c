package foreign

import (
	"sort"
	"time"
)

var walrusSaguaro = Design{
	Name:   "walrus-saguaro",
	Source: "After Spanish bank cards that give a percentage back up to a limit a quarter (from memory).",
	Published: "2% back on all purchases, up to 60 euros a calendar quarter, on the account the next morning and yours to use at once. " +
		"Returned purchases earn nothing: what was credited for them is deducted.",
	How: "Every night the quarters are computed anew from what is left of each purchase. The difference of the current quarter is the " +
		"night's lot, one row that names nothing; that of a quarter that is over is put right by hand, in an adjustment that names " +
		"nothing either. Returns of the day are held back at once. But the account has no debit side: a row that would bring it " +
		"below zero is cut to what is there, and what was cut is forgotten, as the quarter counts as put right.",
	Class: "V3(a)",
	Leak: "Buy for 1,000 euros, redeem the 20 euros next morning, return it: the lot of -20 is cut to 0, and the next purchase of " +
		"1,000 euros earns 20 that can be used. 40 euros for 1,000 spent, in place of 20.",
	Currency: "EUR",
	New:      func() Engine { return walrusNewDesk(&walrusSaguaroClerk{zone: walrusZone("Europe/Madrid")}) },
}

// walrusSaguaroClerk books lots at night and cuts them at zero.
type walrusSaguaroClerk struct{ zone *time.Location }

func (c *walrusSaguaroClerk) next(after time.Time) time.Time { return walrusNightly(after, c.zone, 3) }

func (c *walrusSaguaroClerk) quarter(t time.Time) string {
	l := t.In(c.zone)
	return l.Format("2006-") + string('1'+rune(l.Month()-1)/3)
}

// of is the quarter of a purchase.
func (c *walrusSaguaroClerk) of(p *walrusPurchase) string {
	if p.period == "" {
		p.period = c.quarter(p.At)
	}
	return p.period
}

// targets are what each quarter's purchases before a time are worth.
func (c *walrusSaguaroClerk) targets(a *walrusAccount, until time.Time) map[string]int64 {
	cents := map[string]int64{}
	for _, p := range a.purchases {
		if p.At.Before(until) {
			q := c.of(p)
			cents[q] = min(6000, cents[q]+p.left/50)
		}
	}
	return cents
}

func (c *walrusSaguaroClerk) batch(a *walrusAccount, at time.Time) {
	targets := c.targets(a, at)
	var quarters []string
	for q := range targets {
		if targets[q] != a.booked[q] {
			quarters = append(quarters, q)
		}
	}
	// What is granted comes first, so that it can bear what is taken.
	rise := func(q string) bool { return targets[q] > a.booked[q] }
	sort.Slice(quarters, func(i, j int) bool {
		x, y := quarters[i], quarters[j]
		return rise(x) && !rise(y) || rise(x) == rise(y) && x < y
	})
	for _, q := range quarters {
		row := Posting{At: at, Kind: Earned, Amount: targets[q] - a.booked[q], Note: "LOTE " + at.In(c.zone).Format("0601-02")}
		if row.Amount < 0 {
			row.Kind = Reversed
		}
		if q != c.quarter(a.last) && !a.last.IsZero() {
			row.Kind, row.Note = Adjusted, "AJUSTE MANUAL"
		}
		row.Amount = max(row.Amount, -a.balance()) // the flaw: no debit side
		a.post(row)
		a.booked[q] = targets[q]
	}
}

// event books nothing: nights do.
func (c *walrusSaguaroClerk) event(*walrusAccount, time.Time) {}

func (c *walrusSaguaroClerk) worth(a *walrusAccount, amount int64) func(*walrusPurchase) int64 {
	return walrusFall(a, amount, c.of, func(spend int64) int64 { return min(6000, spend/50) })
}

func (c *walrusSaguaroClerk) unbooked(a *walrusAccount, _ time.Time) int64 {
	var gone int64
	for q, cents := range c.targets(a, a.last) {
		gone += max(0, a.booked[q]-cents)
	}
	return gone
}
