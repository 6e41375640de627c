package play_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/console/play"
	"recoup/internal/scenario"
)

// The double dip in four clicks: what the playground is for.
func TestTheDoubleDip(t *testing.T) {
	table := played(t, run(t, "A", "Recoup", "buy 100.00 GROCERY at m1", "redeem all", "wait 7", "refund 100.00 of t1"))
	for i, want := range []struct {
		date, text            string
		entitlement, promised int64
		left, right           play.Cell
	}{
		{date: "2026-01-05", text: "wait"},
		{
			"2026-01-05", "settle t1 100.00 at m1 GROCERY", 500, 500,
			play.Cell{Did: "granted $5.00", State: play.State{Balance: 500, Redeemable: 500}, Change: play.State{Balance: 500, Redeemable: 500}},
			play.Cell{Did: "granted $5.00", State: play.State{Balance: 500, Redeemable: 500}, Change: play.State{Balance: 500, Redeemable: 500}},
		},
		{
			"2026-01-05", "redeem d1 5.00", 500, 0,
			play.Cell{Answer: scenario.Accepted, Did: "paid $5.00", State: play.State{Redeemed: 500}, Change: play.State{Balance: -500, Redeemable: -500, Redeemed: 500}},
			play.Cell{Answer: scenario.Accepted, Did: "paid $5.00", State: play.State{Redeemed: 500}, Change: play.State{Balance: -500, Redeemable: -500, Redeemed: 500}},
		},
		{"2026-01-12", "wait", 500, 0, play.Cell{State: play.State{Redeemed: 500}}, play.Cell{State: play.State{Redeemed: 500}}},
		{
			"2026-01-12", "refund r1 100.00 of t1", 0, -500,
			play.Cell{Did: "changed nothing", State: play.State{Redeemed: 500, Leakage: 500}, Change: play.State{Leakage: 500}},
			play.Cell{Did: "took back $5.00", State: play.State{Balance: -500, Redeemed: 500}, Change: play.State{Balance: -500}},
		},
	} {
		row := table.Rows[i]
		if row.Number != i || row.At.Format("2006-01-02") != want.date || row.Text != want.text || row.Entitlement != want.entitlement || row.Promised != want.promised {
			t.Errorf("row %d: %+v", i, row)
		}
		if row.Left != want.left {
			t.Errorf("row %d at A: %+v, expected %+v", i, row.Left, want.left)
		}
		if row.Right != want.right {
			t.Errorf("row %d at Recoup: %+v, expected %+v", i, row.Right, want.right)
		}
	}
	if len(table.Rows) != 5 || table.Left.Name != "A" || table.Right.Key != "recoup" {
		t.Errorf("%d rows, %s beside %s", len(table.Rows), table.Left.Name, table.Right.Key)
	}
}

func TestVerdicts(t *testing.T) {
	const dip = "buy 100.00 GROCERY at m1, redeem all, refund 100.00 of t1"
	for _, c := range []struct{ left, right, moves, want string }{
		{"A", "Recoup", "", "Nothing has happened yet."},
		{"A", "C", "buy 100.00", "A has given no more than its terms promise; so it is at C."},
		{"A", "Recoup", dip, "A paid $5.00 for goods that went back and does not take it back; Recoup took the reward back on the same day and is owed $5.00."},
		{"A", "Recoup", "buy 100.00 GROCERY, refund 100.00 of t1", "A leaves $5.00 standing for goods that went back and does not take it back; Recoup took the reward back on the same day."},
		{"A", "C", "buy 100.00 GROCERY, redeem 2.00, refund 100.00 of t1", "A leaves $5.00 standing for goods that went back and does not take it back; C took the reward back on the same day and is owed $2.00."},
		{"F", "C", dip, "F has $5.00 out for goods that went back, until the statement closes; C took the reward back on the same day and is owed $5.00."},
		{"F", "C", dip + ", close", "F took the reward back 27 days later and is owed $5.00; C took the reward back on the same day and is owed $5.00."},
		{"F", "A", "buy 100.00 GROCERY, redeem all, wait 26, refund 100.00 of t1, wait 1", "F took the reward back a day later and is owed $5.00; A paid $5.00 for goods that went back and does not take it back."},
		{"D", "Recoup (statement)", "buy 100.00 GROCERY, close, refund 100.00 of t1", "D has $5.00 out for goods that went back, until the statement closes; Recoup (statement) holds $5.00 and takes it back when the statement closes."},
		{"D", "Recoup (statement)", "buy 100.00 GROCERY, close, refund 100.00 of t1, close", "D took the reward back 28 days later; Recoup (statement) held the reward from the refund on and took the reward back 28 days later."},
		{"B", "D", "buy 100.00 GROCERY, refund 100.00 of t1, close", "B gave no reward for what went back; so it is at D."},
	} {
		var moves []string
		if c.moves != "" {
			moves = strings.Split(c.moves, ", ")
		}
		if got := played(t, run(t, c.left, c.right, moves...)).Verdict; got != c.want {
			t.Errorf("%s: %s\nwant: %s", c.moves, got, c.want)
		}
	}
}

// Before a statement grants it, a reward is short of what is promised.
func TestLeakageIsBelowZeroWhereARewardIsStillToCome(t *testing.T) {
	table := played(t, run(t, "D", "Recoup (statement)", "buy 100.00 GROCERY", "close"))
	for i, want := range []int64{0, -500, 0} {
		if row := table.Rows[i]; row.Left.Leakage != want || row.Right.Leakage != want {
			t.Errorf("after %s: leakage of %d and %d, expected %d", row.Text, row.Left.Leakage, row.Right.Leakage, want)
		}
	}
}

// All that is available is what the more generous design would pay; both are
// asked for it.
func TestBothDesignsAreAskedForTheSame(t *testing.T) {
	for _, sides := range [][2]string{{"A", "C"}, {"C", "A"}} {
		row := last(played(t, run(t, sides[0], sides[1], "buy 100.00 GROCERY", "refund 40.00 of t1", "redeem all")))
		cells := map[string]play.Cell{sides[0]: row.Left, sides[1]: row.Right}
		if a, c := cells["A"], cells["C"]; row.Text != "redeem d1 5.00" || a.Did != "paid $5.00" || c.Did != "refused" || c.Answer != scenario.Denied || c.Redeemable != 300 {
			t.Errorf("%s: A %+v, C %+v", row.Text, a, c)
		}
	}
}

// Nothing that a design does not like ends a run.
func TestMovesThatDesignsRefuse(t *testing.T) {
	moves := []string{"redeem all", "redeem 10000000.00", "refund 1.00 of t9", "refund 5.00", "chargeback of t9", "buy 100.00 GROCERY", "refund 10000000.00 of t1", "refund 10000000.00 of t1", "chargeback of t1", "chargeback 1.00 of t1", "redeem 0.01", "close"}
	for _, name := range names() {
		table := played(t, run(t, name, name, moves...))
		if len(table.Rows) != len(moves)+1 {
			t.Errorf("%s: %d rows", name, len(table.Rows))
		}
		if row := table.Rows[2]; row.Left.Answer != scenario.Denied {
			t.Errorf("%s: a redemption of what is not there: %s", name, row.Left.Answer)
		}
	}
}

func TestARunIsShownAsFarAsItIsAt(t *testing.T) {
	whole := run(t, "A", "Recoup", "buy 100.00 GROCERY", "redeem all", "refund 100.00 of t1")
	all := played(t, whole)
	for at := range len(whole.Moves) + 1 {
		part := whole
		part.At = at
		if table := played(t, part); !reflect.DeepEqual(table.Rows, all.Rows[:at+1]) {
			t.Errorf("at %d: %+v", at, table.Rows)
		}
	}
}

func TestPlayingIsDeterministic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRun(rt, 12)
		if r.Check() != nil {
			return
		}
		if one, other := played(t, r), played(t, r); !reflect.DeepEqual(one, other) {
			rt.Fatalf("once %+v\nthen %+v", one, other)
		}
	})
}

func TestRunsThatCannotBePlayed(t *testing.T) {
	r := run(t, "A", "Recoup", "buy 100.00")
	r.Left = "G"
	if _, err := play.Play(t.Context(), r, english); err == nil || !strings.HasPrefix(err.Error(), `left: design "G": expected one of a, b,`) {
		t.Errorf("an unknown design: %v", err)
	}
	r = run(t, "A", "Recoup", "buy 100.00")
	r.At = 2
	if _, err := play.Play(t.Context(), r, english); err == nil || err.Error() != "at 2: expected a number of moves from 0 to 1" {
		t.Errorf("beyond the end: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := play.Play(ended, run(t, "A", "Recoup", "buy 100.00"), english); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// With instant clawback no course of events gives more than the terms promise, at
// the end of any step, where refunds name their purchases. What truly went back
// with one that does not, no issuer can know for certain.
//
// A refund whose purchase has not come firm_days after it names none any more: by
// then it has been placed for good, as one that found no spend. If that purchase
// comes all the same, it may keep the reward of as much as was refunded of it.
func TestRecoupNeverLeaks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := play.New()
		r.Left = rapid.SampledFrom([]string{"Recoup (instant)", "Recoup (mature)"}).Draw(rt, "left")
		r.Right = rapid.SampledFrom([]string{"Recoup", "Recoup (rerate)"}).Draw(rt, "right")
		bought := 0
		for range rapid.IntRange(1, 25).Draw(rt, "moves") {
			m := drawMove(rt, bought)
			if m.Unlinked {
				m.Unlinked, m.Of = false, m.Of+1
			}
			if m.Kind == play.Buy {
				bought++
			}
			r = r.With(m)
		}
		rows := played(t, r).Rows
		for i, row := range rows {
			if most := outlived(r, rows[:i+1]); row.Left.Leakage > most || row.Right.Leakage > most {
				rt.Fatalf("%v\nafter %s: leakage of %d at %s, %d at %s, where %d is explained", r.Values()["m"], row.Text, row.Left.Leakage, r.Left, row.Right.Leakage, r.Right, most)
			}
		}
	})
}

// outlived is the most reward that is of refunds which waited for their purchases
// for firm_days or longer before those came, in minor units.
func outlived(r play.Run, rows []play.Row) (reward int64) {
	terms := r.Program.Terms()
	bought := 0
	for i, row := range rows {
		if i == 0 || r.Moves[i-1].Kind != play.Buy {
			continue
		}
		bought++
		for j, m := range r.Moves[:i-1] {
			refunded := rows[j+1].At.AddDate(0, 0, -m.Days)
			if m.Kind == play.Refund && m.Of == bought && row.At.Sub(refunded) >= time.Duration(terms.Refunds.FirmDays)*24*time.Hour {
				reward += max(r.Program.Rate, r.Program.Base).Of(min(m.Amount, r.Moves[i-1].Amount)) + 1
			}
		}
	}
	return reward
}

// A refund that outlived the wait for its purchase: the exception above, and where
// it begins.
func TestARefundThatOutlivesTheWait(t *testing.T) {
	for _, c := range []struct {
		months  int   // that its purchase comes after it
		leakage int64 // of 0.0001 that is promised on less
	}{{0, 0}, {2, 0}, {6, 0}, {7, 1}} {
		moves := append([]string{"refund 0.01 of t1"}, slices.Repeat([]string{"close"}, c.months)...)
		r := run(t, "Recoup (instant)", "Recoup (rerate)", append(moves, "buy 100.00")...)
		rows := played(t, r).Rows
		end := rows[len(rows)-1]
		if end.Left.Leakage != c.leakage || end.Right.Leakage != c.leakage || outlived(r, rows) < c.leakage {
			t.Errorf("after %d months: leakage of %d and %d, expected %d; %d is explained", c.months, end.Left.Leakage, end.Right.Leakage, c.leakage, outlived(r, rows))
		}
	}
}
