package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/reward"
)

// mostSteps is how many steps are looked for at a place.
const mostSteps = 6

// rises are what a place earns of one purchase, by its amount.
type rises struct {
	finder *finder
	at     Spot
	seen   map[int64]int64
}

// of is the reward of a purchase of that amount, in a period of its own.
func (c *rises) of(amount int64) (int64, error) {
	if earned, ok := c.seen[amount]; ok {
		return earned, nil
	}
	earned, err := c.finder.meter.one(c.at, amount)
	c.seen[amount] = earned
	return earned, err
}

// inWords says what some purchases earned.
func (c *rises) inWords() string {
	const most = 6
	var list []string
	for _, amount := range slices.Sorted(maps.Keys(c.seen)) {
		if len(list) < most {
			list = append(list, fmt.Sprintf("%s of %s", c.finder.money(c.seen[amount]), c.finder.money(amount)))
		}
	}
	return strings.Join(list, ", ")
}

// stretch is a part of the rises on one rate: of what is spent beyond from, where base was
// earned, or where whole of all that is spent.
type stretch struct {
	from, base int64
	rates      rateRange
}

// rate is what an amount says of the stretch's rate.
func (c *rises) rate(s *stretch, amount int64) (rateRange, error) {
	earned, err := c.of(amount)
	return around(amount-s.from, earned-s.base), err
}

// follow goes along a stretch that has begun by first, to the largest amount that one rate
// explains, or to the end. What is known of the rate is kept in it.
func (c *rises) follow(s *stretch, first int64) (last int64, err error) {
	explains := func(amount int64) (bool, error) {
		r, err := c.rate(s, amount)
		if err != nil || r.and(s.rates).empty() {
			return false, err
		}
		return true, nil
	}
	s.rates = anyRate
	end := c.finder.vast
	for span := min(first+modest, end) - s.from; ; span /= 2 { // no purchase is larger than the target takes
		if s.rates, err = c.rate(s, s.from+span); err != nil {
			return 0, err
		}
		ok, err := explains(max(first, s.from+span/2))
		if err != nil {
			return 0, err
		}
		if last = s.from + span; ok {
			break
		}
		if last-first < modest/100 {
			return 0, strange("no rate explains what purchases at %s earned: %s", c.at, c.inWords())
		}
	}
	beyond := last
	for beyond == last {
		if last == end {
			return end, nil
		}
		next := min(end, s.from+2*(last-s.from))
		ok, err := explains(next)
		if err != nil {
			return 0, err
		}
		if beyond = next; ok {
			r, _ := c.rate(s, next)
			s.rates, last = s.rates.and(r), next
		}
	}
	for beyond-last > 1 {
		middle := last + (beyond-last)/2
		ok, err := explains(middle)
		if err != nil {
			return 0, err
		}
		if ok {
			last = middle
		} else {
			beyond = middle
		}
	}
	return last, nil
}

// findSteps finds out by how much spending the rate of a place changes, and whether the new
// rate is of what is spent beyond that or of all. Its last purchases are of the largest
// amount that is tried.
func (f *finder) findSteps(o *offer) error {
	for _, p := range f.stepped {
		same, err := f.sameSteps(o, p)
		if err != nil {
			return err
		}
		if same {
			o.steps, o.whole, o.rate, o.rates = p.steps, p.whole, p.rate, p.rates
			f.sawSteps(o)
			return nil
		}
	}
	c := &rises{finder: f, at: o.at, seen: map[int64]int64{}}
	s := stretch{}
	for first := int64(0); ; {
		last, err := c.follow(&s, first)
		if err != nil {
			return err
		}
		if last == f.vast {
			o.steps = append(o.steps, reward.Step{From: first, Rate: s.rates.simplest()})
			break
		}
		if len(o.steps) == mostSteps {
			return strange("the rate of purchases at %s changes more than %d times", o.at, mostSteps)
		}
		here, err := c.of(last)
		if err != nil {
			return err
		}
		next, err := c.of(last + 1)
		if err != nil {
			return err
		}
		begins := last + 1
		if o.whole = next-here > 2; !o.whole {
			if begins, err = c.bend(&s, last); err != nil {
				return err
			}
		}
		r, err := c.rate(&s, begins-1)
		if err != nil {
			return err
		}
		if exact := r.and(s.rates); !exact.empty() {
			r = exact
		}
		o.steps = append(o.steps, reward.Step{From: first, Rate: r.simplest()})
		if len(o.steps) == 1 {
			o.rates = r
		}
		if s = (stretch{}); !o.whole {
			if s.base, err = c.of(begins); err != nil {
				return err
			}
			s.from = begins
		}
		first = begins
	}
	o.rate = o.steps[0].Rate
	f.stepped = append(f.stepped, o)
	f.sawSteps(o)
	return nil
}

// bend is the roundest amount at which a stretch can have ended, if one rate explained
// purchases up to an amount and not beyond it: between two rates that is told to a few
// units of reward.
func (c *rises) bend(s *stretch, last int64) (int64, error) {
	here, err := c.of(last)
	if err != nil {
		return 0, err
	}
	on := min(modest, c.finder.vast-last)
	there, err := c.of(last + on)
	if err != nil {
		return 0, err
	}
	change := max(1, abs(s.rates.simplest().Of(on)-(there-here)))
	low := max(s.from+1, last-4*on/change)
	for step := int64(1_000_000_000); step > 1; step /= 10 {
		for _, by := range []int64{step, step / 2, step / 4} {
			if by == 0 {
				continue
			}
			if round := last / by * by; round >= low {
				return round, nil
			}
		}
	}
	return last, nil
}

// sameSteps reports whether a place earns what another with steps does, as far as two
// purchases beyond its steps tell.
func (f *finder) sameSteps(o, p *offer) (bool, error) {
	for _, amount := range []int64{f.vast, min(f.vast, p.steps[len(p.steps)-1].From+modest)} {
		want, err := f.meter.one(p.at, amount)
		if err != nil {
			return false, err
		}
		got, err := f.meter.one(o.at, amount)
		if err != nil || got != want {
			return false, err
		}
	}
	return true, nil
}

func (f *finder) sawSteps(o *offer) {
	is := o.steps[0].Rate.String()
	for _, s := range o.steps[1:] {
		is += fmt.Sprintf(", %s from %s on", s.Rate, f.money(s.From))
	}
	if o.whole {
		is += ", of all that is spent"
	}
	f.terms.saw("steps of "+o.at.String(), is, "single purchases of each size, until another rate explains what they earned")
}

// shareSteps finds out whether what is spent at one place counts for the steps of another.
func (f *finder) shareSteps(a, b *offer) (bool, error) {
	if err := f.meter.open("terms-steps-" + f.label(a.at) + "-" + f.label(b.at)); err != nil {
		return false, err
	}
	earned, err := f.meter.sumOf(tried{a.at, f.vast}, tried{b.at, modest})
	if err != nil {
		return false, err
	}
	if err := f.meter.open("terms-steps-" + f.label(b.at)); err != nil {
		return false, err
	}
	most, err := f.meter.one(a.at, f.vast)
	if err != nil {
		return false, err
	}
	usual := earned - most
	first, last := b.steps[0].Rate.Of(modest), b.steps[len(b.steps)-1].Rate.Of(modest)
	return abs(usual-last) < abs(usual-first), nil
}

func abs(n int64) int64 { return max(n, -n) }
