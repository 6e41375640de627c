package probe

import (
	"math/bits"

	"recoup/reward"
)

// rateRange is what is known of a rate: it lies in it, both ends included, in
// hundred-millionths.
type rateRange struct{ low, high int64 }

var anyRate = rateRange{0, int64(reward.MaxRate)}

// and returns what lies in both.
func (r rateRange) and(o rateRange) rateRange {
	return rateRange{max(r.low, o.low), min(r.high, o.high)}
}

func (r rateRange) empty() bool { return r.low > r.high }

// around is what a reward says of the rate, however it was rounded: it is less
// than a minor unit away from rate · amount.
func around(amount, earned int64) rateRange {
	return rateRange{divide(earned-1, int64(reward.MaxRate), amount) + 1, -divide(-(earned+1), int64(reward.MaxRate), amount) - 1}
}

// divide returns ⌊a·b/c⌋ for b, c > 0, and no more than farthest either way: a target may
// show any amount.
func divide(a, b, c int64) int64 {
	if a < 0 {
		q, r := quotient(uint64(-a), uint64(b), uint64(c))
		if r > 0 {
			q++
		}
		return -min(q, farthest)
	}
	q, _ := quotient(uint64(a), uint64(b), uint64(c))
	return q
}

// farthest is beyond all amounts and rates, and leaves room to add to it.
const farthest = int64(1) << 61

func quotient(a, b, c uint64) (q int64, r uint64) {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return farthest, 0
	}
	n, r := bits.Div64(hi, lo, c)
	return int64(min(n, uint64(farthest))), r
}

// simplest returns the rate of the range with the fewest decimals, the smallest
// if there are several.
func (r rateRange) simplest() reward.Rate {
	for step := int64(reward.MaxRate); step > 1; step /= 10 {
		if first := (r.low + step - 1) / step * step; first <= r.high {
			return reward.Rate(first)
		}
	}
	return reward.Rate(r.low)
}

// rounding is how a reward becomes whole minor units.
type rounding uint8

const (
	roundingUnknown rounding = iota
	roundsDown
	roundsHalfUp
	roundsHalfEven
	roundsUp
)

func (r rounding) String() string {
	return [...]string{"", "down", "half up", "half to even", "up"}[r]
}

// reaches returns, in half minor units, how much rate · amount must be so that it
// is rounded to earned, and whether it must be more than that.
func (r rounding) reaches(earned int64) (halves int64, more bool) {
	switch r {
	case roundsHalfUp:
		return 2*earned - 1, false
	case roundsHalfEven:
		return 2*earned - 1, earned%2 != 0
	case roundsUp:
		return 2*earned - 2, true
	}
	return 2 * earned, false
}

// atLeast is the smallest rate of which an amount reaches so many half units, or
// exceeds them.
func atLeast(halves int64, more bool, amount int64) int64 {
	const scale = int64(reward.MaxRate) / 2
	low := -divide(-halves, scale, amount)
	if more && divide(halves, scale, amount) == low {
		low++
	}
	return low
}

// least is what it says of the rate that a purchase reached the cap and one of a
// minor unit less did not.
func (r rounding) least(amount, limit int64) rateRange {
	halves, more := r.reaches(limit)
	known := rateRange{atLeast(halves, more, amount), int64(reward.MaxRate)}
	if amount > 1 {
		known.high = min(known.high, atLeast(halves, more, amount-1)-1)
	}
	return known
}

// splits finds an amount below a bound, and a reward, which some rates of the range
// earn of it and others do not: the one that comes nearest to halving the range.
// The amount is zero if there is none.
func (r rounding) splits(known rateRange, below int64) (amount, earns int64) {
	best := int64(0)
	for a := below - 1; a > 1 && a > below-20_000; a-- {
		k := divide(a, known.high, int64(reward.MaxRate)) + 1
		for ; k > 0; k-- {
			halves, more := r.reaches(k)
			low := atLeast(halves, more, a)
			if low > known.high {
				continue
			}
			if low <= known.low {
				break
			}
			if off := min(low-known.low, known.high+1-low); off > best {
				best, amount, earns = off, a, k
			}
		}
	}
	return amount, earns
}

// band finds an amount at least from of which rate · amount has a fraction of at
// least low and at most high, in hundredths, whatever the rate in the range; and
// the whole part. It returns zero if there is none of a reasonable size. With a
// parity of 0 or 1 the whole part is even or odd.
func (r rateRange) band(from, low, high int64, parity int64) (amount, whole int64) {
	const tries, scale = 20_000, int64(reward.MaxRate)
	for a := from; a < from+tries; a++ {
		first, last := a*r.low, a*r.high
		w := first / scale
		if w != last/scale || parity >= 0 && w%2 != parity {
			continue
		}
		if 100*(first%scale) >= low*scale && 100*(last%scale) <= high*scale {
			return a, w
		}
	}
	return 0, 0
}
