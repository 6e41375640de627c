package attack_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"recoup/internal/lab/attack"
)

// What the paper claims of its tiers (section 7.3), and where the algorithms,
// taken literally, do not live up to it.
func TestTiersUnderAttack(t *testing.T) {
	b := attack.DefaultBounds()
	b.Cycles = 2
	r, err := attack.Tiers(context.Background(), b, attack.DefaultGraceDays)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tiers) != 3*8 {
		t.Fatalf("%d rows, want every combination in every architecture", len(r.Tiers))
	}
	const on, off = true, false
	tests := []struct {
		architecture                  string
		prevention, temporal, restore bool
		perCycle, withOneMore         int64
		walkAwayFromOne, floatDays    int64
		why                           string
	}{
		{"event-driven", on, on, on, 0, 0, 50_00, 0, "as robust as issuer C"},
		{"event-driven", on, off, on, 0, 0, 50_00, 0, "live handlers need no tier 2"},
		{"event-driven", off, on, on, 50_00, 50_00, 0, 0, "V1"},
		{"event-driven", on, on, off, 50_00, 100_00, 0, 0, "V3(a)"},
		{"event-driven", off, off, off, 50_00, 50_00, 0, 0, "V1"},
		{"batch cycle", on, on, on, 12_50, 25_00, 37_50, 13, "G1, and the residual window after the grace hold"},
		{"batch cycle", on, off, on, 50_00, 50_00, 0, 0, "what is refunded while PENDING is granted all the same"},
		{"batch cycle", off, on, on, 50_00, 50_00, 0, 0, "V2"},
		{"batch cycle", on, on, off, 50_00, 50_00, 0, 0, "debts forgiven"},
		{"hybrid", on, on, on, 50_00, 50_00, 0, 28, "G6"},
		{"hybrid", on, off, on, 0, 0, 50_00, 0, "without Algorithm 4 it is event-driven"},
	}
	for _, test := range tests {
		for _, got := range r.Tiers {
			if got.Architecture != test.architecture || got.Prevention != test.prevention || got.Temporal != test.temporal || got.Recovery != test.restore {
				continue
			}
			if got.Repeatable != test.perCycle || got.PerYear != 12*test.perCycle || got.WithOneMore != test.withOneMore ||
				got.WalkAwayFromOne != test.walkAwayFromOne || got.Float.Days != test.floatDays {
				t.Errorf("%s: %+v, want %+v", test.why, got, test)
			}
		}
	}
	for _, got := range r.Tiers {
		if !got.Prevention && (got.PerYear != 600_00 || got.Float.Days != 0) {
			t.Errorf("without tier 1 everything can be kept, but %+v", got)
		}
	}

	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"grace hold of 14 days", "│ batch cycle  │ on     │ on     │ on     │    $12.50 │"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
}

func TestTiersRefuseAGraceThatNoCycleHolds(t *testing.T) {
	if _, err := attack.Tiers(context.Background(), attack.DefaultBounds(), 28); err == nil || !strings.Contains(err.Error(), "grace days 28: expected 0 to 27") {
		t.Errorf("error %v", err)
	}
}
