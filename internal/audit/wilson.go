package audit

import (
	"math/big"
	"sort"
)

// zSquared is the square of the quantile of the normal distribution for 95 %, in
// ten-thousandths: 1.96² is 3.8416.
const zSquared = 38416

// wilson returns the lower bound of the 95 % score interval (E. B. Wilson, 1927) of the share of
// which shown of could is a sample, in per mille, rounded down: the interval has all p with
//
//	n·(s/n − p)² ≤ z²·p·(1 − p)
//
// Its upper bound is 1000 less the lower one of what is not shown; of nothing it is everything
// from 0 to 1000. The arithmetic is in integers, so that the same counts give the same words on
// every machine.
func wilson(shown, could int64) int64 {
	first := sort.Search(1001, func(p int) bool {
		apart := new(big.Int).Sub(times(shown, 1000), times(could, int64(p)))
		near := times(could, zSquared*int64(p)*int64(1000-p))
		return apart.Sign() <= 0 || apart.Mul(apart, apart).Mul(apart, big.NewInt(10_000)).Cmp(near) <= 0
	})
	return max(int64(first)-1, 0)
}

func times(n, factor int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(factor))
}

// The bounds that Standing is told by. The lower bound of the interval has to be above them, so
// that a few mistakes among thousands are no flaw, and three odd rows among four are no proof.
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
	lower := wilson(shown, could)
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
