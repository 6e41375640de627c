package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/probe"
)

// A debt of a part may be forgotten where that of the whole is kept; parts that take nothing by
// themselves say nothing of debts.
func TestDebtsOfParts(t *testing.T) {
	t.Parallel()
	net := func(b bought, back int64) int64 { return (b.amount - back) * 2 / 100 }
	for _, test := range []struct {
		name  string
		keeps func(l *little, b bought, back int64) int64 // of a part
		class flaw.Class
	}{
		{"kept", func(_ *little, b bought, back int64) int64 { return net(b, back) }, flaw.Robust},
		{"forgotten", func(l *little, b bought, back int64) int64 { return max(net(b, back), min(l.paid, net(b, 0))) }, flaw.V3a},
		{"forgotten of less than three quarters", func(l *little, b bought, back int64) int64 {
			if 4*back < 3*b.amount {
				return max(net(b, back), min(l.paid, net(b, 0)))
			}
			return net(b, back)
		}, flaw.V3a},
		{"never made, since nothing is taken of small ones", func(_ *little, b bought, back int64) int64 {
			if b.amount <= 1_000_00 {
				back = 0
			}
			return net(b, back)
		}, flaw.Other},
		{"never made, since nothing is taken of large ones", func(_ *little, b bought, back int64) int64 {
			if b.amount > 1_000_00 {
				back = 0
			}
			return net(b, back)
		}, flaw.Other},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := probed(t, targetOf(func(l *little, b bought, back int64, _ time.Duration) int64 {
				if 0 < back && back < b.amount {
					return test.keeps(l, b, back)
				}
				return net(b, back)
			}), probe.Plan{Quick: true})
			if r.Class != test.class || r.Found() != (test.class != flaw.Robust) {
				t.Errorf("class %s, want %s, found %t: %s", r.Class, test.class, r.Found(), r.Verdict())
			}
		})
	}
}

// What is left of a purchase may be booked anew at the rate of the month of its return.
func TestPartsInEachMonth(t *testing.T) {
	t.Parallel()
	r := probed(t, targetOf(func(_ *little, b bought, back int64, late time.Duration) int64 {
		kept := (b.amount - back) * 2 / 100
		if b.category == "TRAVEL" && 0 < back && back < b.amount && b.at.Add(late).Month() == time.December {
			kept *= 3
		}
		return kept
	}), probe.Plan{})
	if l := r.Leak(); r.Class != flaw.Other || l == nil || !strings.Contains(fmt.Sprint(r.Sweep.Axes), "TRAVEL, a twentieth of it returned in each month") {
		t.Errorf("class %s, leak %+v: %s", r.Class, l, r.Verdict())
	}
}
