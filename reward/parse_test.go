package reward_test

import (
	"testing"

	"recoup/reward"
)

func TestNamesAreReadBack(t *testing.T) {
	for k := reward.Grant; k <= reward.Adjustment; k++ {
		if got, ok := reward.ParseKind(k.String()); !ok || got != k {
			t.Errorf("kind %q is read as %d, %t; want %d", k, got, ok, k)
		}
	}
	for o := reward.Applied; o <= reward.Rejected; o++ {
		if got, ok := reward.ParseOutcome(o.String()); !ok || got != o {
			t.Errorf("outcome %q is read as %d, %t; want %d", o, got, ok, o)
		}
	}
	codes := 0
	for c := reward.NoCode; c.String() != "unknown"; c++ {
		if got, ok := reward.ParseCode(c.String()); !ok || got != c {
			t.Errorf("code %q is read as %d, %t; want %d, with its own name in codeNames of outcome.go", c, got, ok, c)
		}
		codes++
	}
	if codes < 23 {
		t.Errorf("%d codes, want all of them", codes)
	}
}

func TestNamesOfNothingAreRefused(t *testing.T) {
	for _, name := range []string{"unknown", "Grant", "grant ", "x"} {
		if k, ok := reward.ParseKind(name); ok {
			t.Errorf("kind %q is read as %d", name, k)
		}
		if o, ok := reward.ParseOutcome(name); ok {
			t.Errorf("outcome %q is read as %d", name, o)
		}
		if c, ok := reward.ParseCode(name); ok {
			t.Errorf("code %q is read as %d", name, c)
		}
	}
	if k, ok := reward.ParseKind(""); ok {
		t.Errorf("no name is read as kind %d", k)
	}
	if o, ok := reward.ParseOutcome(""); ok {
		t.Errorf("no name is read as outcome %d", o)
	}
}

func TestCyclesAreReadBack(t *testing.T) {
	first, last := reward.CycleAt(reward.EarliestInstant), reward.CycleAt(reward.LatestInstant)
	for c := first; c <= last; c++ {
		if got, ok := reward.ParseCycle(c.String()); !ok || got != c {
			t.Fatalf("cycle %q is read as %d, %t; want %d", c, got, ok, c)
		}
	}
	for _, s := range []string{"", "2026-1", "2026-00", "2026-13", "2026/01", "1969-12", "2200-01", "2026-01 ", "2o26-01", "+026-01", "2026-0a", "202601-"} {
		if c, ok := reward.ParseCycle(s); ok {
			t.Errorf("%q is read as the cycle %s", s, c)
		}
	}
}
