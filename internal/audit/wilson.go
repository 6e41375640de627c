package audit

import "math/big"

// z is the quantile of the normal distribution for 95 %, in ten-thousandths:
// 1.96² is 3.8416.
const zSquared = 38416

// interval is a 95 % interval for a share, in per mille, rounded outwards.
type interval struct{ lower, upper int64 }

// wilson returns the score interval (E. B. Wilson, 1927) of the share of which
// shown of could is a sample:
//
//	(2s + z² ± z·√(z² + 4s(n−s)/n)) / (2(n + z²))
//
// Of nothing it is everything from 0 to 1000. The arithmetic is in integers, so
// that the same counts give the same words on every machine.
func wilson(shown, could int64) interval {
	if could <= 0 {
		return interval{0, 1000}
	}
	n := big.NewInt(could)
	// Everything is in ten-thousandths, and the root in thousandths of those.
	middle := new(big.Int).Add(times(shown, 20_000), big.NewInt(zSquared))
	middle.Mul(middle, big.NewInt(1000))
	square := new(big.Int).Mul(times(shown, 40_000), big.NewInt(could-shown))
	square.Add(square, times(could, zSquared))
	square.Mul(square, big.NewInt(zSquared*1_000_000))
	root := new(big.Int).Sqrt(square.Div(square, n))
	root.Add(root, big.NewInt(1)) // rounded up, which is outwards
	whole := new(big.Int).Add(times(could, 20_000), big.NewInt(2*zSquared))

	lower := new(big.Int).Sub(middle, root)
	lower.Div(lower, whole) // Euclidean: down
	upper := middle.Add(middle, root)
	upper.Add(upper, whole).Sub(upper, big.NewInt(1)).Div(upper, whole)
	return interval{max(lower.Int64(), 0), min(upper.Int64(), 1000)}
}

func times(n, factor int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(factor))
}

// The bounds that Standing is told by. The lower bound of the interval has to be
// above them, so that a few mistakes among thousands are no flaw, and three odd
// rows among four are no proof.
const (
	// foundAbove: more than one in five opportunities shows it.
	foundAbove = 200
	// occasionalAbove: more than one in fifty does.
	occasionalAbove = 20
	// mostAbove: clearly most do, where of each it is a guess.
	mostAbove = 500
	// leastShown is how often a flaw must show to count at all.
	leastShown = 3
	// leastCould is how many opportunities can tell that there is no flaw.
	leastCould = 5
)

// standing says what so many signs of so many opportunities mean.
func standing(shown, could int64) Standing {
	lower := wilson(shown, could).lower
	switch {
	case shown >= leastShown && lower > foundAbove:
		return Found
	case could < leastCould:
		return TooFew
	case shown >= leastShown && lower > occasionalAbove:
		return Occasional
	}
	return NotFound
}

// confidence is how sure the standing is, in per mille: the lower bound of the
// share that shows the flaw or, where it was not found, of the share that does
// not.
func confidence(s Standing, shown, could int64) int64 {
	i := wilson(shown, could)
	if s == NotFound {
		return 1000 - i.upper
	}
	return i.lower
}
