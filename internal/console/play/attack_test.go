package play_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/scenario"
)

// What the catalogue's file says of the flawed design and of Recoup comes true
// step by step in the attack that is made of it.
func TestAttacksDoWhatTheCatalogueSays(t *testing.T) {
	for _, a := range play.Attacks() {
		t.Run(a.ID, func(t *testing.T) {
			if a.Run.Program.Name != "" {
				t.Skip("it is of the gallery, and TestTheSignUpBonus has what comes of it")
			}
			file, err := scenario.Find(a.ID)
			if err != nil {
				t.Fatal(err)
			}
			table := played(t, a.Run)
			row, checked := 0, 0
			for _, step := range file.Steps {
				row = rowOf(t, a.Run, row+1, step.Move.Kind)
				for _, e := range step.Expect {
					cell := table.Rows[row].Right
					if e.Design == a.Run.Left {
						cell = table.Rows[row].Left
					} else if e.Design != scenario.Recoup {
						continue
					}
					checked++
					if got := quantity(table.Rows[row].Entitlement, cell, e); got != e.Amount || e.Answer != scenario.NoAnswer && e.Answer != cell.Answer {
						t.Errorf("%s:%d: %s at %s: %d, %s, expected %d, %s", file.File, e.Line, e.Quantity, e.Design, got, cell.Answer, e.Amount, e.Answer)
					}
				}
			}
			if checked == 0 {
				t.Error("nothing was expected")
			}
		})
	}
}

// rowOf is the first row from one on that is of such a step. Days that pass on
// the way have rows of their own.
func rowOf(t *testing.T, r play.Run, from int, kind scenario.Kind) int {
	t.Helper()
	kinds := map[scenario.Kind]play.Kind{
		scenario.Settle: play.Buy, scenario.Refund: play.Refund, scenario.Redeem: play.Redeem,
		scenario.CloseStatement: play.Close, scenario.Wait: play.Wait,
	}
	for i := from; i <= len(r.Moves); i++ {
		if r.Moves[i-1].Kind == kinds[kind] {
			return i
		}
	}
	t.Fatalf("no row for %s", kind)
	return 0
}

func quantity(entitlement int64, c play.Cell, e scenario.Expectation) int64 {
	switch e.Quantity {
	case scenario.Balance:
		return c.Balance
	case scenario.Redeemable:
		return c.Redeemable
	case scenario.Redeemed:
		return c.Redeemed
	case scenario.NetReward:
		return c.NetReward()
	case scenario.Entitlement:
		return entitlement
	case scenario.Leak:
		return max(0, c.Leakage)
	}
	return 0
}

func TestWhatAttacksBring(t *testing.T) {
	for _, c := range []struct {
		id         string
		peak, kept int64 // leakage at the flawed design: at its height, in the end
		owed       int64 // by the cardholder in the end, at the flawed design
	}{
		{"case-1-double-dip", 100_00, 100_00, 0},
		{"case-2-cross-cycle", 50_00, 50_00, 0},
		{"v3a-floor-at-zero", 5_00, 5_00, 0},
		{"case-3b-redeem-before-clawback", 10_00, 0, 10_00},
		{"g10-residual-window", 5_00, 0, 5_00},
		{"g13-walk-away", 0, 0, 5_00},
		{"g02-return-shipping", 5_00, 5_00, 0},
		{"g03-refund-before-settlement", 5_00, 5_00, 0},
		{"g01-refund-before-and-after-close", 3_00, 1_20, 0},
		{"m04-capped-decoy", 50_00, 50_00, 0},
	} {
		a, err := play.FindAttack(c.id)
		if err != nil {
			t.Fatal(err)
		}
		table := played(t, a.Run)
		var peak int64
		for _, row := range table.Rows {
			peak = max(peak, row.Left.Leakage)
		}
		end := last(table)
		if peak != c.peak || end.Left.Leakage != c.kept || max(0, -end.Left.Balance) != c.owed {
			t.Errorf("%s at %s: at most %d, in the end %d, balance %d, expected %+v", c.id, a.Run.Left, peak, end.Left.Leakage, end.Left.Balance, c)
		}
		if end.Right.Leakage != 0 {
			t.Errorf("%s: Recoup ends %d from the entitlement", c.id, end.Right.Leakage)
		}
	}
}

func TestAttacksAreTold(t *testing.T) {
	ids, titles := map[string]bool{}, map[locale.Text]bool{}
	for _, a := range play.Attacks() {
		if ids[a.ID] || titles[a.Title] {
			t.Errorf("%s, %s: given twice", a.ID, a.Title)
		}
		ids[a.ID], titles[a.Title] = true, true
		if text := a.Text.String(); text == "" || strings.ContainsAny(text, "\n!") || a.Class == "" {
			t.Errorf("%s: class %q, text %q", a.ID, a.Class, text)
		}
		if len(a.Captions) != len(a.Run.Moves) || a.Run.At != len(a.Run.Moves) || a.Run.Right != "Recoup" {
			t.Errorf("%s: %d captions for %+v", a.ID, len(a.Captions), a.Run)
		}
		for i, caption := range a.Captions {
			if said := caption.String(); said == "" || strings.Contains(said, "%!") {
				t.Errorf("%s: nothing is said of %s", a.ID, a.Run.Moves[i])
			}
		}
		again, err := play.Parse(a.Run.Values())
		if err != nil || !sameRun(again, a.Run) {
			t.Errorf("%s: its link reads %+v, %v", a.ID, again, err)
		}
	}
	if _, err := play.FindAttack("robbery"); err == nil || !strings.HasPrefix(err.Error(), `attack "robbery": expected one of ["case-1-double-dip"`) {
		t.Errorf("an unknown attack: %v", err)
	}
}

// What the gallery's course of the sign-up bonus has, worked out by hand: 1 % of $500 and
// $200, taken back whole by Recoup and but for the bonus by who keeps it.
func TestTheSignUpBonus(t *testing.T) {
	a, err := play.FindAttack("sign-up-bonus")
	if err != nil {
		t.Fatal(err)
	}
	table := played(t, a.Run)
	for _, want := range []struct {
		row                            int
		entitled, left, right          int64 // net reward at either
		leftGone, rightGone, leftLeaks int64
	}{
		{1, 205_00, 205_00, 205_00, 0, 0, 0},
		{2, 205_00, 205_00, 205_00, 0, 0, 0}, // denied: nothing is 30 days old
		{4, 205_00, 205_00, 205_00, 0, 0, 0},
		{6, 4_99, 204_99, 4_99, 200_01, 200_01, 200_00},
		{7, 0, 200_00, 0, 205_00, 205_00, 200_00},
		{9, 20, 200_20, 20, 204_80, 204_80, 200_00},
	} {
		row := &table.Rows[want.row]
		got := []int64{row.Entitlement, row.Left.NetReward(), row.Right.NetReward(), row.Left.Gone(), row.Right.Gone(), row.Left.Leakage}
		if w := []int64{want.entitled, want.left, want.right, want.leftGone, want.rightGone, want.leftLeaks}; !slices.Equal(got, w) || row.Right.Leakage != 0 {
			t.Errorf("step %d: %v and %d leaks at Recoup, want %v and none", want.row, got, row.Right.Leakage, w)
		}
	}
	if row := &table.Rows[2]; row.Left.Answer != scenario.Denied || row.Right.Answer != scenario.Denied {
		t.Errorf("what is not mature is %s and %s", row.Left.Answer, row.Right.Answer)
	}
}
