package traffic

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"recoup/reward"
)

// dice draws integers. Only the generator's raw words are used, because they
// are the same everywhere; the methods of rand.Rand differ with the word size.
type dice struct{ pcg *rand.PCG }

func newDice(seed uint64) dice { return dice{rand.NewPCG(seed, 0x7265636f7570)} }

// below draws from 0 to n-1.
func (d dice) below(n int) int { return int(d.between(0, int64(n)-1)) }

// chance is true for that share per mille.
func (d dice) chance(perMille int) bool { return d.below(1000) < perMille }

// between draws from a to b, both included.
func (d dice) between(a, b int64) int64 {
	hi, _ := bits.Mul64(d.pcg.Uint64(), uint64(b-a+1))
	return a + int64(hi)
}

// days draws a period between a and b days.
func (d dice) days(a, b int64) reward.Instant {
	return reward.Instant(d.between(a*int64(reward.Day), b*int64(reward.Day)))
}

// skewed draws from 0 to n-1, low numbers more often: a tenth of the draws is from
// the first hundredth alone, four tenths from the first quarter, half from all.
func (d dice) skewed(n int) int {
	switch tier := d.below(10); {
	case tier == 0:
		return d.below(max(1, n/100))
	case tier < 5:
		return d.below(max(1, n/4))
	}
	return d.below(n)
}

// shape is a distribution: its quantiles in steps of one per mille, from which a
// draw interpolates.
type shape [1001]int64

func (s *shape) draw(d dice) int64 {
	cell, within := bits.Mul64(d.pcg.Uint64(), 1000)
	rise, _ := bits.Mul64(within, uint64(s[cell+1]-s[cell]))
	return s[cell] + int64(rise)
}

// quantile is a point of a shape: the per mille of draws that are at most value.
type quantile struct {
	perMille int
	value    int64
}

// linear returns the shape through the points, of which the first is at 0 and
// the last at 1000.
func linear(points ...quantile) *shape {
	var s shape
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		for p := a.perMille; p <= b.perMille; p++ {
			s[p] = a.value + (b.value-a.value)*int64(p-a.perMille)/int64(b.perMille-a.perMille)
		}
	}
	return &s
}

// curve returns the shape of an inverse distribution function, which is asked
// for no more than the middle 99.9 per cent: the rest is cut off. Its floating
// point ends here, in rounding to integers.
func curve(inverse func(p float64) float64) *shape {
	var s shape
	for i := range s {
		p := min(max(float64(i)/1000, 0.0005), 0.9995)
		s[i] = int64(math.Round(inverse(p)))
	}
	return &s
}

// logNormal is the shape of amounts: half of them below the median, and spread
// by sigma, the standard deviation of their logarithms.
func logNormal(median int64, sigma float64) *shape {
	return curve(func(p float64) float64 {
		return float64(median) * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*p-1))
	})
}

// meanWait is the mean of the waits that exponential draws.
const meanWait = 1 << 16

// exponential is the shape of the waits between things that happen at random.
var exponential = curve(func(p float64) float64 { return -meanWait * math.Log(1-p) })

// wait draws the time until the next of things that happen so often.
func (d dice) wait(mean reward.Instant) reward.Instant {
	hi, lo := bits.Mul64(uint64(mean), uint64(exponential.draw(d)))
	return reward.Instant(hi<<(64-16) | lo>>16)
}

// wheel draws indexes in proportion to weights.
type wheel [4096]uint16

func newWheel(weights []int64) *wheel {
	var total int64
	for _, w := range weights {
		total += w
	}
	var wh wheel
	index, upTo := 0, weights[0]
	for slot := range wh {
		for int64(slot)*total >= upTo*int64(len(wh)) {
			index++
			upTo += weights[index]
		}
		wh[slot] = uint16(index)
	}
	return &wh
}

func (w *wheel) draw(d dice) int { return int(w[d.below(len(w))]) }
