package bench

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQuantilesAreAlmostExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 10_000_000), rapid.Int64Range(0, 1<<62)), 1, 200).Draw(t, "durations")
		var one, two, all latencies
		for i, d := range durations {
			if i%3 == 0 {
				one.add(time.Duration(d))
			} else {
				two.add(time.Duration(d))
			}
		}
		all.merge(&one)
		all.merge(&two)
		slices.Sort(durations)
		if last := durations[len(durations)-1]; int64(all.max) != last || all.total != int64(len(durations)) {
			t.Fatalf("%d durations up to %d, want %d up to %d", all.total, all.max, len(durations), last)
		}
		for _, perMille := range []int64{1, 500, 990, 1000} {
			rank := (int64(len(durations))*perMille + 999) / 1000
			want := durations[max(rank, 1)-1]
			if got := int64(all.quantile(perMille)); got < want || got > want+want/50 {
				t.Fatalf("quantile %d of %v is %d, want %d", perMille, durations, got, want)
			}
		}
	})
}

func TestNothingHasNoQuantiles(t *testing.T) {
	if got := new(latencies).quantile(500); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
}
