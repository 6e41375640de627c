package plan

import "math/rand/v2"

// dice draws places with given weights, each in constant time (Walker's alias method).
type dice struct {
	keep  []float64 // of a place that was drawn evenly: how likely it stays
	alias []int     // and what it becomes otherwise
}

func newDice(weights []float64) *dice {
	n := len(weights)
	d := &dice{make([]float64, n), make([]int, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var low, high []int
	for i, w := range weights {
		d.keep[i], d.alias[i] = w/sum*float64(n), i
		if d.keep[i] < 1 {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	for len(low) > 0 && len(high) > 0 {
		l, h := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		d.alias[l] = h
		if d.keep[h] -= 1 - d.keep[l]; d.keep[h] < 1 {
			high, low = high[:len(high)-1], append(low, h)
		}
	}
	for _, rest := range append(low, high...) {
		d.keep[rest] = 1 // but for rounding
	}
	return d
}

func (d *dice) roll(random *rand.Rand) int {
	i := random.IntN(len(d.keep))
	if random.Float64() < d.keep[i] {
		return i
	}
	return d.alias[i]
}
