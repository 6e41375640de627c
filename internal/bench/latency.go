package bench

import (
	"math/bits"
	"time"
)

// latencies counts how long things took, in classes that are a 64th of their
// value wide or narrower.
type latencies struct {
	counts [64 * 64]int64
	total  int64
	max    time.Duration
}

// class returns the class of a duration: its highest bit, and the six below it.
func class(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 64 {
		return int(n)
	}
	shift := bits.Len64(n) - 7
	return (shift+1)*64 + int(n>>shift&63)
}

// longest returns the longest duration of a class.
func longest(class int) time.Duration {
	if class < 64 {
		return time.Duration(class)
	}
	shift := class/64 - 1
	return time.Duration((uint64(64+class%64)+1)<<shift - 1)
}

func (l *latencies) add(d time.Duration) {
	l.counts[class(d)]++
	l.total++
	l.max = max(l.max, d)
}

func (l *latencies) merge(o *latencies) {
	for i, n := range o.counts {
		l.counts[i] += n
	}
	l.total += o.total
	l.max = max(l.max, o.max)
}

// quantile returns the duration that the given share, in per mille, does not
// exceed; at most 2 % too much.
func (l *latencies) quantile(perMille int64) time.Duration {
	rank := (l.total*perMille + 999) / 1000
	var seen int64
	for i, n := range l.counts {
		if seen += n; n > 0 && seen >= rank {
			return min(longest(i), l.max)
		}
	}
	return 0
}
