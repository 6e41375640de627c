package reward

import "math/big"

// fall is what E falls by, in units of a scale. It is below zero where what is reversed
// makes room for what earns more.
type fall struct {
	below bool
	by    uint128
}

func fallOf(before, after uint128) fall {
	if before.cmp(after) >= 0 {
		return fall{by: before.sub(after)}
	}
	return fall{true, after.sub(before)}
}

func (f fall) plus(g fall) fall {
	switch {
	case f.below == g.below:
		return fall{f.below, f.by.add(g.by)}
	case f.below:
		return fallOf(g.by, f.by)
	}
	return fallOf(f.by, g.by)
}

// each is a fall for each unit of some spend.
type each struct {
	fall
	spend int64
}

// cmp compares what falls for each unit.
func (x each) cmp(y each) int {
	switch {
	case x.below && !y.below:
		return -1
	case y.below && !x.below:
		return 1
	}
	c := ratio{x.by, mul64(x.spend, 1)}.cmp(ratio{y.by, mul64(y.spend, 1)})
	if x.below {
		return -c
	}
	return c
}

// rat is the same as a number.
func (x each) rat(scale int64) *big.Rat {
	n := x.by.big()
	if x.below {
		n.Neg(n)
	}
	den := mul64(x.spend, scale)
	return new(big.Rat).SetFrac(n, den.big())
}
