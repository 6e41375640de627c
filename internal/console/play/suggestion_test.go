package play_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/console/play"
)

func TestSuggestions(t *testing.T) {
	const buy, day, january = "Buy groceries for $100.00: buy 100.00 GROCERY at m1", "Go to the next day: wait 1", "Go to the end of January: close"
	for _, c := range []struct {
		moves []string
		want  []string
	}{
		{nil, []string{buy, day, january}},
		{[]string{"buy 100.00 GROCERY at m1"}, []string{
			buy, "Redeem $5.00: redeem 5.00",
			"Return the groceries in full: refund 100.00 of t1", "Return half of the groceries: refund 50.00 of t1",
			"Return the groceries with a refund that names no purchase: refund 100.00 GROCERY at m1 really t1", "Win a dispute over the groceries: chargeback of t1",
			day, january,
		}},
		// What differs at the two designs is offered at both amounts, the larger first.
		{[]string{"buy 0.01", "buy 100.00 GROCERY", "refund 40.00 of t2"}, []string{
			buy, "Redeem $5.00: redeem 5.00", "Redeem $3.00: redeem 3.00",
			"Return the rest of the groceries: refund 60.00 of t2", "Return the groceries with a refund that names no purchase: refund 60.00 GROCERY really t2", "Win a dispute over the groceries: chargeback of t2",
			"Return the headphones in full: refund 0.01 of t1",
			day, january,
		}},
		{[]string{"buy 100.00 GROCERY", "chargeback of t1"}, []string{buy, "Redeem $5.00: redeem 5.00", day, january}},
		{[]string{"buy 100.00 at m2", "refund 60.00 of t1", "chargeback 60.00 of t1", "redeem all", "close"}, []string{buy, day, "Go to the end of February: close"}},
	} {
		var got []string
		for _, s := range played(t, run(t, "A", "C", c.moves...)).Next() {
			got = append(got, s.Label+": "+s.Move.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %q:\n%s\nwant\n%s", c.moves, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestAFullRunHasNoNextMove(t *testing.T) {
	r := run(t, "A", "C", slices.Repeat([]string{"buy 1.00"}, play.MaxMoves)...)
	if next := played(t, r).Next(); len(next) != 0 {
		t.Errorf("%v", next)
	}
	r.At-- // from an earlier row there is
	if next := played(t, r).Next(); len(next) == 0 || len(next[0].Run.Moves) != play.MaxMoves {
		t.Errorf("%v", next)
	}
}

// Whatever was played, each suggestion leads to a run that can be played and is
// the one shown with one move more.
func TestSuggestionsLeadOn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRun(rt, 8)
		if r.Check() != nil {
			return
		}
		before := slices.Clone(r.Moves)
		for _, s := range played(t, r).Next() {
			if len(s.Run.Moves) != r.At+1 || s.Run.At != r.At+1 || s.Run.Moves[r.At] != s.Move || !slices.Equal(s.Run.Moves[:r.At], r.Moves[:r.At]) {
				rt.Fatalf("%s leads to %+v from %+v", s.Label, s.Run, r)
			}
			played(t, s.Run)
		}
		if !slices.Equal(before, r.Moves) {
			rt.Fatal("looking at suggestions changed the run")
		}
	})
}
