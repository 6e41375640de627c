package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/probe"
	"recoup/program"
)

// A category that no list of built-in ones has is found by what it earns, and what leaks there
// with it; one that earns what is bought in no category is not looked into.
func TestNamesAreFound(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int64{"FASHION": 1, "BOOKS": 0} {
		target := targetOf(func(_ *little, b bought, back int64, _ time.Duration) int64 {
			if b.category == name {
				return b.amount * (2 + more) / 100
			}
			return (b.amount - back) * 2 / 100
		})
		r := probed(t, target, probe.Plan{})
		found, class := strings.Contains(fmt.Sprint(r.Sweep.Axes), name), flaw.Robust
		if more > 0 {
			class = flaw.V1 // of what earns most
		}
		if r.Class != class || found != (more > 0) {
			t.Errorf("%s: found %t, class %s, want %s: %s", name, found, r.Class, class, r.Verdict())
		}
		if strings.Contains(r.Terms.File, name) != (more > 0) {
			t.Errorf("%s: the terms are\n%s", name, r.Terms.File)
		}
	}
}

// Of a rule that names two categories purchases are made in both: one may be kept elsewhere.
func TestEveryNameOfARuleIsTried(t *testing.T) {
	t.Parallel()
	p, err := program.Parse("media.yaml", []byte("id: media\ncurrency: USD\ntiming: {grant: settlement, clawback: refund}\n"+
		"rules:\n  - {id: media, match: {category: [BOOKS, MUSIC]}, rate: 2%}\n  - {id: rest, rate: 2%}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := probed(t, targetOf(func(_ *little, b bought, back int64, _ time.Duration) int64 {
		if b.category == "MUSIC" {
			back = 0
		}
		return (b.amount - back) * 2 / 100
	}), probe.Plan{Program: p})
	if l := r.Leak(); r.Class != flaw.Other || l == nil || !strings.Contains(fmt.Sprint(r.Sweep.Axes), "MUSIC") {
		t.Errorf("class %s, leak %+v: %s", r.Class, l, r.Verdict())
	}
}
