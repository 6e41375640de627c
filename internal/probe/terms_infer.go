package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/program"
	"recoup/reward"
)

// mostInferenceCalls bounds the calls of an inference.
const mostInferenceCalls = 4000

// Infer finds out what a target promises, by purchases alone: of each category
// the rate and the cap, how rewards are rounded, when they come and when they can
// be redeemed. What it cannot tell it says.
func Infer(t Target) (*Terms, error) { return infer(&stage{target: &t}) }

func infer(s *stage) (*Terms, error) {
	before := s.most
	defer func() { s.most = before }()
	var f *finder
	_, err := again(func() error {
		f = newFinder(s)
		s.most = s.calls + mostInferenceCalls
		return f.find()
	})
	if errors.Is(err, errTooMany) {
		err = strange("%d calls did not tell them", mostInferenceCalls)
	}
	if err != nil {
		return nil, fmt.Errorf("finding out the terms: %w", err)
	}
	return f.terms, nil
}

// strangeTerms says that purchases earn what no terms explain that are looked for.
type strangeTerms struct{ seen string }

// Error says what was seen.
func (e *strangeTerms) Error() string { return e.seen }

func strange(format string, args ...any) error { return &strangeTerms{fmt.Sprintf(format, args...)} }

// finder finds terms out.
type finder struct {
	stage    *stage
	meter    *meter
	terms    *Terms
	currency string
	vast     int64
	rounding rounding
	began    int      // the stage's calls when the finder began
	stepped  []*offer // whose steps were found
	ladder   *ladder  // of tiers; nil if there are none
	// statementDay is the day on which a cap was seen to start anew; zero: the first.
	statementDay int
}

func newFinder(s *stage) *finder {
	return &finder{stage: s, meter: &meter{stage: s}, terms: &Terms{}, currency: s.target.Can.Currency, vast: vast, began: s.calls}
}

func (f *finder) money(minor int64) string { return program.FormatAmount(minor, f.currency) }

// label is a name for a place that is fit for identifiers.
func (f *finder) label(at Spot) string {
	return strings.ToLower(strings.NewReplacer(" ", "-", "_", "-").Replace(at.String()))
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

func (f *finder) find() error {
	if err := f.largest(); err != nil {
		return err
	}
	offers, err := f.offers()
	if err != nil {
		return err
	}
	best := bestOffer(offers)
	if best == nil {
		return strange("no purchase in any category earned anything by its statement close")
	}
	// Rounding needs a rate, and a rate below a cap needs the rounding.
	byRate := slices.Clone(offers)
	slices.SortStableFunc(byRate, func(a, b offer) int { return cmp.Compare(b.rates.low, a.rates.low) })
	for i := 0; i < len(byRate) && f.rounding == roundingUnknown; i++ {
		if o := &byRate[i]; i == 0 || byRate[i-1].rate != o.rate || byRate[i-1].cap != o.cap {
			if err := f.findRounding(o.at, o.rates); err != nil {
				return err
			}
		}
	}
	for i := range offers {
		if o := &offers[i]; o.cap != reward.NoCap {
			if err := f.meter.open("terms-rate-" + f.label(o.at)); err != nil {
				return err
			}
			if err := f.refine(o); err != nil {
				return err
			}
		}
	}
	if err := f.findUnit(offers); err != nil {
		return err
	}
	if err := f.group(offers); err != nil {
		return err
	}
	for i := range offers {
		if offers[i].cap != reward.NoCap {
			if err := f.newCycles(&offers[i]); err != nil {
				return err
			}
			break
		}
	}
	f.terms.Program = f.program(offers)
	f.terms.Program.StatementDay = f.statementDay
	if err := f.findTiming(offers); err != nil {
		return err
	}
	f.terms.untold("whether rates differ by merchant: purchases were made at one")
	f.terms.Calls = f.stage.calls - f.began
	f.terms.write()
	return nil
}

// largest finds out how large a purchase may be, and whether the same purchase
// earns the same in every month.
func (f *finder) largest() error {
	for ; ; f.vast /= 10 {
		if err := f.meter.open(fmt.Sprintf("terms-largest-%d", f.vast)); err != nil {
			return err
		}
		_, err := f.meter.one(Spot{Merchant: "m1"}, f.vast)
		if e := (*StatusError)(nil); errors.As(err, &e) && e.Spoken && f.vast > 10*modest {
			f.terms.untold(fmt.Sprintf("what purchases of %s earn: the target refuses them (%s)", f.money(f.vast), e.Message))
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	return f.sameEachMonth()
}

// sameEachMonth buys the same in three months, wherever that earns something.
func (f *finder) sameEachMonth() error {
	if !f.stage.canWait() {
		return nil
	}
	for _, at := range spots(&f.stage.target.Can, nil) {
		if err := f.meter.open("terms-months-" + f.label(at)); err != nil {
			return err
		}
		var earned [3]int64
		for month := range earned {
			var err error
			if earned[month], err = f.meter.one(at, modest); err != nil {
				return err
			}
			if earned[0] == 0 {
				break
			}
		}
		if earned[0] == 0 {
			continue
		}
		if err := f.stays(at); err != nil {
			return err
		}
		if earned[0] != earned[1] || earned[0] != earned[2] {
			f.meter.anew, f.terms.Varies = true, true
			f.terms.untold(fmt.Sprintf("one rate for %s: %s earned %s in January, %s in February and %s in March; the terms are those of January",
				at, f.money(modest), f.money(earned[0]), f.money(earned[1]), f.money(earned[2])))
		}
		return nil
	}
	return nil
}

// offers looks at every place.
func (f *finder) offers() ([]offer, error) {
	var list []offer
	for _, at := range spots(&f.stage.target.Can, nil) {
		o, err := f.findOffer(at)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

// bestOffer is the one to find the rounding with: without a cap or steps if possible,
// and of the highest rate.
func bestOffer(list []offer) (best *offer) {
	for i := range list {
		o := &list[i]
		switch {
		case o.rates.high == 0 || o.rate == 0:
		case best == nil,
			best.limited() == o.limited() && o.rate > best.rate,
			best.limited() && !o.limited():
			best = o
		}
	}
	return best
}

// group finds out which places share a rule: those of one rate without a cap do,
// as far as anybody can tell, and those that use up one cap, or climb one's steps, together.
func (f *finder) group(offers []offer) error {
	groups := 0
next:
	for i := range offers {
		o := &offers[i]
		o.group = -1
		for j := range offers[:i] {
			p := &offers[j]
			if p.rate != o.rate || p.cap != o.cap || p.whole != o.whole || !slices.Equal(p.steps, o.steps) || !slices.Equal(p.tiers, o.tiers) || j > 0 && isGrouped(offers[:j], p.group) {
				continue
			}
			together := !o.limited()
			if !together {
				share, what, how := f.share, "one cap", "filling the one and looking whether the other still earns"
				if len(o.steps) > 0 {
					share, what, how = f.shareSteps, "the steps", "spending much at the one and looking at the other's rate"
				}
				var err error
				if together, err = share(p, o); err != nil {
					return err
				}
				is := "no"
				if together {
					is = "yes"
				}
				f.terms.saw(fmt.Sprintf("%s for %s and %s", what, p.at, o.at), is, how)
			}
			if together {
				o.group = p.group
				continue next
			}
		}
		o.group = groups
		groups++
	}
	return f.foreignCaps(offers, groups)
}

func isGrouped(before []offer, group int) bool {
	for i := range before {
		if before[i].group == group {
			return true
		}
	}
	return false
}

// foreignCaps looks for a cap that rules of different rates share, which no
// program here can say.
func (f *finder) foreignCaps(offers []offer, groups int) error {
	first := make([]*offer, groups)
	for i := range offers {
		if o := &offers[i]; first[o.group] == nil && o.cap != reward.NoCap {
			first[o.group] = o
		}
	}
	for i, a := range first {
		for _, b := range first[:i] {
			if a == nil || b == nil || a.rate == b.rate || a.cap != b.cap {
				continue
			}
			together, err := f.share(a, b)
			if err != nil {
				return err
			}
			if together {
				f.terms.untold(fmt.Sprintf("a program for one cap of two rates: %s and %s share theirs", a.at, b.at))
			}
		}
	}
	return nil
}
