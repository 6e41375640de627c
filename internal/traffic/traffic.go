// Package traffic makes up what a card processor would deliver: a stream of
// events that looks like the spending of many cardholders, for load tests and
// for trying programs out.
//
// Purchases come at random times; some accounts spend much more than others, so
// that they reach caps, and some merchants sell much more than others. Most
// purchases are authorised before they clear. Some come back: whole, in part or
// in several parts, with or without naming the purchase, announced or not, after
// a lag as measured in the Online Retail II data (D. Chen, UCI Machine Learning
// Repository, CC BY 4.0, doi:10.24432/C5CG6D). Chargebacks, withdrawn clearings,
// redemptions and adjustments are rarer, and each may be undone.
//
// Of a program with other terms than rates, accounts are opened, offers are activated by
// some and not by others, purchases carry the labels that are asked for, and some customers
// buy to reach a bonus or a tier what most of them take back.
//
// A seed gives the same events on every machine: all draws are integers, from
// tables that are computed once. The memory that a stream needs grows with the
// accounts and with what is under way, not with the events.
package traffic

import (
	"fmt"
	"iter"
	"time"

	"recoup/reward"
)

// Options say what to generate. Shares are per mille.
type Options struct {
	Accounts int    // from 1 to MaxAccounts; the first ones spend the most
	Events   int    // exactly so many, duplicates included
	Seed     uint64 // of all draws
	// Program gives the currency, and the categories, codes and merchants that
	// its rules match; some of the spending goes there. Nil means US dollars.
	Program *reward.Program
	// Start is when the first purchases happen; zero means 2026-01-01 UTC.
	Start time.Time
	// Days is about how long the events take. Zero means that an account makes
	// one event a day, but from 180 to 1,095 days in all.
	Days int
	// ReturnShare of the purchases come back; 50 to 100 is realistic. Zero means
	// DefaultReturnShare, NoReturns means none.
	ReturnShare int
	// OverRefunds of the returns are refunded at more than the purchase, as with
	// return shipping. Otherwise refunds never exceed their purchase.
	OverRefunds int
	// Receipts of the purchases have lines, of what the program asks for.
	Receipts int
	// Duplicates of the events are delivered a second time, later.
	Duplicates int
	// Disorder of the events are delivered late, by minutes to days. All others
	// come in the order of their times.
	Disorder int
}

// DefaultReturnShare is the per mille of purchases that come back.
const DefaultReturnShare = 75

// NoReturns is the ReturnShare without returns.
const NoReturns = -1

// MaxAccounts and MaxDays bound what Options may ask for.
const (
	MaxAccounts = 100_000_000
	MaxDays     = 1826
)

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	share := func(name string, value, least int) error {
		if value < least || value > 1000 {
			return fmt.Errorf("%s %d: expected a share per mille from %d to 1000", name, value, least)
		}
		return nil
	}
	switch {
	case o.Accounts < 1 || o.Accounts > MaxAccounts:
		return fmt.Errorf("accounts %d: expected 1 to %d", o.Accounts, MaxAccounts)
	case o.Events < 0:
		return fmt.Errorf("events %d: expected 0 or more", o.Events)
	case o.Days < 0 || o.Days > MaxDays:
		return fmt.Errorf("days %d: expected 1 to %d, or 0 for the default", o.Days, MaxDays)
	case !o.Start.IsZero() && (o.Start.Year() < 1970 || o.Start.Year() > 2100):
		return fmt.Errorf("start %v: expected a time between 1970 and 2100", o.Start)
	case o.Program != nil && o.Program.Currency == "":
		return fmt.Errorf("program %q: expected a currency", o.Program.ID)
	}
	for _, s := range []struct {
		name         string
		value, least int
	}{{"return share", o.ReturnShare, NoReturns}, {"over-refunds", o.OverRefunds, 0}, {"receipts", o.Receipts, 0}, {"duplicates", o.Duplicates, 0}, {"disorder", o.Disorder, 0}} {
		if err := share(s.name, s.value, s.least); err != nil {
			return err
		}
	}
	return nil
}

// withDefaults replaces the zeros that stand for defaults.
func (o Options) withDefaults() Options {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if o.Days == 0 {
		o.Days = min(max(o.Events/o.Accounts, 180), 1095)
	}
	switch o.ReturnShare {
	case 0:
		o.ReturnShare = DefaultReturnShare
	case NoReturns:
		o.ReturnShare = 0
	}
	return o
}

// Generate yields exactly opts.Events events. It panics where opts.Validate
// returns an error. The sequence may be ranged over again, with the same events.
func Generate(opts Options) iter.Seq[reward.Event] {
	if err := opts.Validate(); err != nil {
		panic("traffic: " + err.Error())
	}
	opts = opts.withDefaults()
	return func(yield func(reward.Event) bool) {
		if opts.Events == 0 {
			return
		}
		d := delivery{world: newWorld(opts), duplicates: opts.Duplicates, disorder: opts.Disorder}
		for range opts.Events {
			if !yield(d.next()) {
				return
			}
		}
	}
}
