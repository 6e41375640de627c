package reward

import (
	"fmt"
	"math/bits"
	"strconv"
)

// MaxAmount is the largest amount of one event, in minor units: 10^15.
const MaxAmount int64 = 1_000_000_000_000_000

// MaxVolume bounds the sum of all amounts that an account may ever see, in
// minor units. Every total the engine keeps is a part of that volume, so below
// the bound no 64-bit total and no 128-bit product can overflow.
const MaxVolume int64 = 4_000_000_000_000_000_000

// rateScale is the denominator of every Rate: six decimals of a percent.
const rateScale = 100_000_000

// Rate is an exact reward rate in hundred-millionths of the amount spent:
// 5 % is 5_000_000. It is never negative and never above 100 % (MaxRate).
type Rate int64

// MaxRate is 100 %.
const MaxRate Rate = rateScale

// Of returns ⌊rate · amount⌋ in minor units. The amount must not be negative.
func (r Rate) Of(amount int64) int64 {
	return mulDiv(amount, int64(r), rateScale)
}

// String renders the rate as an exact percentage, for example "4.75%".
func (r Rate) String() string {
	const perPercent = rateScale / 100
	whole, part := int64(r)/perPercent, int64(r)%perPercent
	if part == 0 {
		return strconv.FormatInt(whole, 10) + "%"
	}
	digits := fmt.Sprintf("%06d", part)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return strconv.FormatInt(whole, 10) + "." + digits + "%"
}

// ParseRate reads an exact percentage such as "5%", "4.75%" or "0.000001%".
func ParseRate(s string) (Rate, error) {
	bad := func() (Rate, error) {
		return 0, fmt.Errorf("rate %q: expected a percentage from 0%% to 100%% with at most six decimals, such as 5%% or 4.75%%", s)
	}
	if len(s) < 2 || len(s) > 12 || s[len(s)-1] != '%' {
		return bad()
	}
	var value int64
	digits, decimals := 0, -1
	for _, c := range []byte(s[:len(s)-1]) {
		switch {
		case c == '.' && decimals < 0 && digits > 0:
			decimals = 0
		case c >= '0' && c <= '9':
			value = value*10 + int64(c-'0')
			digits++
			if decimals >= 0 {
				decimals++
			}
		default:
			return bad()
		}
	}
	if digits == 0 || decimals == 0 || decimals > 6 {
		return bad()
	}
	for range 6 - max(decimals, 0) {
		value *= 10
	}
	if value > int64(MaxRate) {
		return bad()
	}
	return Rate(value), nil
}

// mulDiv returns ⌊a·b/c⌋ through a 128-bit product, for a, b ≥ 0 and c > 0.
// The callers' bounds keep the quotient within 63 bits; one that is not is a
// defect of this package and panics rather than wrap.
func mulDiv(a, b, c int64) int64 {
	if a < 0 || b < 0 || c <= 0 {
		panic(fmt.Sprintf("reward: mulDiv(%d, %d, %d): negative operand", a, b, c))
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		panic(fmt.Sprintf("reward: mulDiv(%d, %d, %d) overflows", a, b, c))
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	if q > 1<<63-1 {
		panic(fmt.Sprintf("reward: mulDiv(%d, %d, %d) overflows", a, b, c))
	}
	return int64(q)
}

// uint128 is an unsigned 128-bit integer: enough for a rate times any volume.
type uint128 struct{ hi, lo uint64 }

func mul64(a, b int64) uint128 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return uint128{hi, lo}
}

func mulWide(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	return uint128{hi, lo}
}

func (x uint128) add(y uint128) uint128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, over := bits.Add64(x.hi, y.hi, carry)
	if over != 0 {
		panic("reward: 128-bit sum overflows")
	}
	return uint128{hi, lo}
}

func (x uint128) sub(y uint128) uint128 {
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	hi, under := bits.Sub64(x.hi, y.hi, borrow)
	if under != 0 {
		panic("reward: 128-bit difference below zero")
	}
	return uint128{hi, lo}
}

func (x uint128) cmp(y uint128) int {
	switch {
	case x.hi < y.hi || x.hi == y.hi && x.lo < y.lo:
		return -1
	case x == y:
		return 0
	}
	return 1
}

func (x uint128) min(y uint128) uint128 {
	if x.cmp(y) <= 0 {
		return x
	}
	return y
}

// quo returns ⌊x / d⌋, which the callers' bounds keep within 63 bits.
func (x uint128) quo(d int64) int64 {
	if x.hi >= uint64(d) {
		panic("reward: 128-bit quotient overflows")
	}
	q, _ := bits.Div64(x.hi, x.lo, uint64(d))
	return int64(q)
}

// ratio is a non-negative fraction, compared exactly through 256-bit products.
type ratio struct{ num, den uint128 }

// newRatio returns num/den, for num ≥ 0 and den > 0.
func newRatio(num, den int64) ratio { return ratio{mul64(num, 1), mul64(den, 1)} }

func (r ratio) cmp(s ratio) int {
	switch {
	case r == s:
		return 0
	case r.num.hi|r.den.hi|s.num.hi|s.den.hi == 0:
		return mulWide(r.num.lo, s.den.lo).cmp(mulWide(s.num.lo, r.den.lo))
	}
	a, b := mul128(r.num, s.den), mul128(s.num, r.den)
	for i := range a {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// mul128 returns x·y as four 64-bit words, the most significant first.
func mul128(x, y uint128) [4]uint64 {
	h3, h2 := bits.Mul64(x.hi, y.hi)
	a1, a0 := bits.Mul64(x.hi, y.lo)
	b1, b0 := bits.Mul64(x.lo, y.hi)
	l1, l0 := bits.Mul64(x.lo, y.lo)
	var c, d uint64
	l1, c = bits.Add64(l1, a0, 0)
	h2, c = bits.Add64(h2, a1, c)
	h3 += c
	l1, d = bits.Add64(l1, b0, 0)
	h2, d = bits.Add64(h2, b1, d)
	h3 += d
	return [4]uint64{h3, h2, l1, l0}
}
