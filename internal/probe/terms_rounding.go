package probe

import (
	"fmt"

	"recoup/reward"
)

// findRounding makes purchases whose exact rewards end in a fifth, in a half and
// in four fifths of a minor unit, and three small ones whose fractions add up to
// more than one. The rewards must lie below the cap.
func (f *finder) findRounding(at Spot, rates rateRange) error {
	up := map[string]int64{} // by how much more than the whole part was earned
	for _, t := range []struct {
		name              string
		low, high, parity int64
	}{{"small", 5, 35, -1}, {"large", 65, 95, -1}, {"half, even", 50, 50, 0}} {
		amount, whole := rates.band(100, t.low, t.high, t.parity)
		if amount == 0 {
			continue
		}
		earned, err := f.meter.one(at, amount)
		if err != nil {
			return err
		}
		up[t.name] = earned - whole
	}
	small, ok1 := up["small"]
	large, ok2 := up["large"]
	even, ok3 := up["half, even"]
	switch {
	case !ok1 || !ok2:
		return nil
	case small == 0 && large == 0:
		f.rounding = roundsDown
	case small == 1 && large == 1:
		f.rounding = roundsUp
	case small == 0 && large == 1 && ok3 && even == 0:
		f.rounding = roundsHalfEven
	case small == 0 && large == 1:
		f.rounding = roundsHalfUp
	default:
		f.terms.untold("how rewards are rounded: they are no whole part of rate times amount, nor one more")
		return nil
	}
	return nil
}

// findUnit finds out whether each purchase is rounded or their sum, once the rate
// is known well.
func (f *finder) findUnit(offers []offer) error {
	if f.rounding == roundingUnknown {
		f.terms.untold("how rewards are rounded: no small purchase has a reward with a fraction that tells")
		return nil
	}
	low, high := int64(35), int64(45) // three of them: a whole and a rest below a half
	if f.rounding == roundsUp {
		low, high = 5, 30 // three of them: less than one
	}
	var at Spot
	var amount, whole int64
	for i := range offers {
		o := &offers[i]
		if amount, whole = o.rates.band(100, low, high, -1); amount > 0 && (o.cap == reward.NoCap || 3*whole+3 < o.cap) {
			at = o.at
			break
		}
		amount = 0
	}
	if amount == 0 {
		f.terms.Rounding = f.rounding.String()
		f.terms.untold("whether each purchase is rounded or the sum of a cycle")
		return nil
	}
	earned, err := f.meter.sum(at, amount, amount, amount)
	if err != nil {
		return err
	}
	each := 3 * whole
	if f.rounding == roundsUp {
		each += 3
	}
	unit := "per purchase"
	if earned != each {
		unit = "on the sum of the cycle"
	}
	f.terms.Rounding = fmt.Sprintf("%s, %s", f.rounding, unit)
	f.terms.saw("rounding", f.terms.Rounding, fmt.Sprintf("purchases at %s whose exact rewards have small and large fractions; three of %s in one month earned %s", at, f.money(amount), f.money(earned)))
	return nil
}
