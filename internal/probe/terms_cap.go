package probe

import (
	"fmt"
	"time"

	"recoup/reward"
)

// offer is what a target promises for purchases at one place.
type offer struct {
	at    Spot
	rates rateRange
	rate  reward.Rate
	cap   int64 // reward.NoCap where none was met
	group int   // the offers of a group share a rule
	// steps are the rates by what was spent, if one rate and a cap do not explain it; whole:
	// each is of all that was.
	steps []reward.Step
	whole bool
	// tiers are the rates of who has spent what the finder's ladder says, if they differ.
	tiers []reward.Rate
}

// limited reports whether what a purchase earns depends on others.
func (o *offer) limited() bool { return o.cap != reward.NoCap || len(o.steps) > 0 }

// vast is the amount that shows a rate to its last digit or, where there is one,
// a cap.
const vast = 100_000_000

// modest is an amount whose reward a cap hardly cuts.
const modest = 10_000

// findOffer finds rate and cap of one place, each to what purchases in months of
// their own can tell, or in accounts of their own where a month does not do. Rates below a cap are refined later, when it is known how
// rewards are rounded.
func (f *finder) findOffer(at Spot) (offer, error) {
	o := offer{at: at, cap: reward.NoCap}
	if err := f.meter.open("terms-" + f.label(at)); err != nil {
		return o, err
	}
	usual, later, most, err := f.smallAndLarge(at)
	if err != nil {
		return o, err
	}
	o.rates = around(f.vast, most).and(around(modest, usual))
	if !o.rates.empty() {
		o.rates = around(f.vast, most)
		o.rate = o.rates.simplest()
		f.terms.saw("rate of "+at.String(), o.rate.String(), fmt.Sprintf("%s earned %s", f.money(f.vast), f.money(most)))
		if later != usual && f.ladder == nil {
			if err := f.findTiers(&o, usual); err != nil {
				return o, err
			}
		}
		if f.ladder != nil {
			return o, f.climb(&o)
		}
		return o, nil
	}
	half, err := f.meter.one(at, f.vast/2)
	if err != nil {
		return o, err
	}
	if half > 0 && half < most && around(f.vast/2, half).and(around(modest, usual)).empty() {
		return o, f.findSteps(&o)
	}
	if usual > most {
		return o, strange("%s at %s earned %s in one month, and %s only %s in another",
			f.money(modest), at, f.money(usual), f.money(f.vast), f.money(most))
	}
	o.cap = most
	return o, f.below(&o, usual)
}

// smallAndLarge are what a modest purchase and the largest earn, and a modest one in the
// month after the largest: another than before if limits count for longer than a month.
// Where accounts cannot be begun anew at will, only the later one is looked at.
func (f *finder) smallAndLarge(at Spot) (usual, later, most int64, err error) {
	if f.stage.target.Reset == nil {
		if most, err = f.meter.one(at, f.vast); err == nil {
			usual, err = f.meter.one(at, modest)
		}
		return usual, usual, most, err
	}
	if usual, err = f.meter.one(at, modest); err != nil {
		return 0, 0, 0, err
	}
	if err := f.meter.open("terms-most-" + f.label(at)); err != nil {
		return 0, 0, 0, err
	}
	if most, err = f.meter.one(at, f.vast); err != nil || f.meter.anew {
		return usual, usual, most, err
	}
	later, err = f.meter.one(at, modest)
	f.meter.anew = later != usual
	return usual, later, most, err
}

// below finds the rate of an offer with a cap, to about one part in as many as the
// cap has minor units.
func (f *finder) below(o *offer, usual int64) error {
	amount, earned := int64(modest), usual
	o.rates = anyRate
	for step := 0; step < 8; step++ {
		if earned < o.cap {
			o.rates = o.rates.and(around(amount, earned))
		} else {
			o.rates = o.rates.and(rateRange{around(amount, o.cap).low, int64(reward.MaxRate)})
		}
		if o.rates.empty() {
			return strange("no single rate explains what purchases at %s earned below a cap of %s", o.at, f.money(o.cap))
		}
		switch {
		case earned >= o.cap:
			amount = max(1, amount/10)
		case earned < 2:
			amount *= 10
		default:
			next := divide(o.cap-1, int64(reward.MaxRate), o.rates.high+1)
			if next <= amount || next <= amount+amount/100 {
				o.rate = o.rates.simplest()
				return nil
			}
			amount = next
		}
		var err error
		if earned, err = f.meter.one(o.at, amount); err != nil {
			return err
		}
	}
	o.rate = o.rates.simplest()
	return nil
}

// refine finds the smallest purchase that reaches the cap, and with it the rate
// as exactly as it can be told.
func (f *finder) refine(o *offer) error {
	low, high := divide(o.cap-1, int64(reward.MaxRate), max(1, o.rates.high)), divide(o.cap+1, int64(reward.MaxRate), max(1, o.rates.low))+1
	low = max(low, 1) // earns less than the cap, or nothing is known of it
	for high-low > 1 {
		middle := low + (high-low)/2
		earned, err := f.meter.one(o.at, middle)
		if err != nil {
			return err
		}
		if earned >= o.cap {
			high = middle
		} else {
			low = middle
		}
	}
	if exact := o.rates.and(f.rounding.least(high, o.cap)); !exact.empty() && f.rounding != roundingUnknown {
		o.rates = exact
		if err := f.narrow(o, high); err != nil {
			return err
		}
	}
	o.rate = o.rates.simplest()
	how := fmt.Sprintf("the smallest purchase that reaches the cap is one of %s", f.money(high))
	if o.rates.low != o.rates.high {
		how += fmt.Sprintf("; anything from %s to %s would look the same", reward.Rate(o.rates.low), reward.Rate(o.rates.high))
	}
	f.terms.saw("rate of "+o.at.String(), o.rate.String(), how)
	f.terms.saw("cap of "+o.at.String(), f.money(o.cap)+" a month", fmt.Sprintf("a purchase of %s earns no more, in one month as in the next", f.money(f.vast)))
	return nil
}

// narrow goes on with smaller purchases whose rewards differ between the ends of
// what is known of the rate, as long as there are any.
func (f *finder) narrow(o *offer, below int64) error {
	const most = 20
	for range most {
		amount, earns := f.rounding.splits(o.rates, below)
		if amount == 0 {
			return nil
		}
		earned, err := f.meter.one(o.at, amount)
		if err != nil {
			return err
		}
		halves, more := f.rounding.reaches(earns)
		low := atLeast(halves, more, amount)
		if earned >= earns {
			o.rates.low = max(o.rates.low, low)
		} else {
			o.rates.high = min(o.rates.high, low-1)
		}
	}
	return nil
}

// share finds out whether two places with a cap use it up together: it fills the
// one and looks whether the other still earns.
func (f *finder) share(a, b *offer) (bool, error) {
	if err := f.meter.open("terms-cap-" + f.label(a.at) + "-" + f.label(b.at)); err != nil {
		return false, err
	}
	earned, err := f.meter.sumOf(tried{a.at, f.vast}, tried{b.at, f.vast})
	if err != nil {
		return false, err
	}
	return earned <= max(a.cap, b.cap), nil
}

func (m *meter) sumOf(list ...tried) (int64, error) {
	earned, err := m.measure(list...)
	total := int64(0)
	for _, e := range earned {
		total += e
	}
	return total, err
}

// restartsUntold begins what is said of caps that do not start anew with the month, until
// purchases that the terms were not made of tell by which period they do.
const restartsUntold = "when caps start anew:"

// newCycles finds out whether a cap starts anew with the calendar month: it is
// filled in the last minute of one and in the first of the next.
func (f *finder) newCycles(o *offer) error {
	if !f.stage.hasClock() {
		f.terms.untold("whether caps start anew each month: the target has no clock")
		return nil
	}
	m := f.meter
	if err := m.open("terms-cycle"); err != nil {
		return err
	}
	end := m.month.AddDate(0, 1, 0)
	total := int64(0)
	for i, at := range []int{-1, 1} {
		if i > 0 {
			if err := f.stage.SetClock(end); err != nil {
				return err
			}
			if err := f.stage.CloseStatement(m.account); err != nil {
				return err
			}
		}
		if err := f.stage.SetClock(end.Add(minutes(at))); err != nil {
			return err
		}
		if err := m.buy(o.at, f.vast); err != nil {
			return err
		}
	}
	m.month = end
	came, err := m.close()
	if err != nil {
		return err
	}
	total += came
	if total == 2*o.cap {
		f.terms.saw("cycle", "the calendar month, in UTC", fmt.Sprintf("the cap of %s could be filled in the last minute of one and again in the first of the next", o.at))
		return nil
	}
	if err := f.findStatementDay(o); err != nil || f.statementDay > 0 {
		return err
	}
	f.terms.untold(fmt.Sprintf(restartsUntold+" filled in the last minute of a month and in the first of the next, the cap of %s gave %s, not twice %s; the terms take calendar months", o.at, f.money(total), f.money(o.cap)))
	return nil
}

// lastStatementDay is the last day that every month has.
const lastStatementDay = 28

// findStatementDay fills a cap on the first day of a month and buys a little on each day
// after it: on the first that earns, the cap has started anew. Where rewards come with the
// close that cannot be seen.
func (f *finder) findStatementDay(o *offer) error {
	m := f.meter
	if !m.atSettlement || m.atStatement {
		return nil
	}
	if err := m.open("terms-statement-day"); err != nil {
		return err
	}
	for day := 1; day <= lastStatementDay; day++ {
		if err := f.stage.SetClock(m.month.AddDate(0, 0, day-1).Add(10 * time.Hour)); err != nil {
			return err
		}
		if err := f.stage.CloseStatement(m.account); err != nil {
			return err
		}
		amount := f.vast
		if day > 1 {
			amount = modest
		}
		if err := m.buy(o.at, amount); err != nil {
			return err
		}
		came, err := m.look()
		if err != nil {
			return err
		}
		if day > 1 && came > 0 {
			f.statementDay = day
			f.terms.saw("cycle", fmt.Sprintf("from day %d of the calendar month, in UTC", day), fmt.Sprintf("the cap of %s, filled on the first, let something be earned again on that day", o.at))
			return nil
		}
	}
	return nil
}
