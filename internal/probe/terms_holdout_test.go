package probe_test

import (
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/probe"
)

// A rate that some days have alone is seen on whichever of them, and terms without it are not
// taken: a program that keeps its word would be judged by less than it promised.
func TestTermsThatHoldOnSomeDaysAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		twice func(at time.Time) bool
	}{
		{"no day", func(time.Time) bool { return false }},
		{"Wednesday", func(at time.Time) bool { return at.Weekday() == time.Wednesday }},
		{"Saturday", func(at time.Time) bool { return at.Weekday() == time.Saturday }},
		{"Sunday", func(at time.Time) bool { return at.Weekday() == time.Sunday }},
		{"the 20th", func(at time.Time) bool { return at.Day() == 20 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := probed(t, targetOf(func(_ *little, b bought, back int64, _ time.Duration) int64 {
				if c.twice(b.at) {
					back, b.amount = 2*back, 2*b.amount
				}
				return (b.amount - back) * 2 / 100
			}), probe.Plan{})
			if told := r.Terms.Program != nil; told != (c.name == "no day") {
				t.Errorf("the terms were found: %t: %s%v", told, r.Terms.File, r.Terms.Untold)
			}
			if r.Class != flaw.Robust || r.Found() {
				t.Errorf("class %s: %s", r.Class, r.Verdict())
			}
		})
	}
}
