package attack_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"recoup/internal/kit/labtest"
	"recoup/internal/lab/attack"
	"recoup/program"
)

// signUp is 1 % on everything, and $200 for $500 in the first 90 days.
const signUp = `
id: sign-up
currency: USD
clawback_method: rerate
maturity_days: %d
rules: [{id: everything, rate: 1%%}]
bonuses:
  - {id: welcome, match: {within: {days: 90, of: opened}}, per: lifetime, spend: [{from: 50000, reward: 20000}]}
`

func boundsOf(t *testing.T, text string) attack.Bounds {
	t.Helper()
	p, err := program.Parse("p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return attack.DefaultBounds().Of(p)
}

// The search knows nothing of bonuses. Where one stays, it finds by itself that buying for
// it and returning the goods brings $200, once and without a debt; of Recoup nothing can be
// had but by never coming back, and nothing at all once rewards mature. That shows in two
// cycles; where there is time, it is searched for in three.
func TestTheSearchFindsTheSignUpBonus(t *testing.T) {
	bounds := func(maturity int) attack.Bounds {
		b := boundsOf(t, fmt.Sprintf(signUp, maturity))
		if os.Getenv("RECOUP_LONG") == "" {
			b.Cycles = 2
		}
		return b
	}
	at := func(name string, maturity int) *attack.Exposure {
		return attackOn(t, labtest.Design(t, name), bounds(maturity))
	}
	kept := at("Bonus stays", 0)
	if kept.Once != 200_00 || kept.Repeatable != 0 || kept.PerYear != 0 || kept.WithOneMore != 0 {
		t.Errorf("where the bonus stays: once %d, a cycle %d, a year %d, with one purchase more %d", kept.Once, kept.Repeatable, kept.PerYear, kept.WithOneMore)
	}
	var moves []string
	for _, entry := range kept.Best[0].Timeline {
		moves = append(moves, entry.What)
	}
	if got, want := strings.Join(moves, ", "), "buys for $500.00 (purchase 1), redeems $205.00, returns purchase 1, $500.00 refunded"; got != want || !kept.Best[0].Once {
		t.Errorf("its best: %s, once %t; want %s", got, kept.Best[0].Once, want)
	}
	if ours := at("Recoup", 0); ours.Once != 0 || ours.Repeatable != 0 || ours.WalkAwayFromOne != 205_00 {
		t.Errorf("Recoup: once %d, a cycle %d, by walking away %d", ours.Once, ours.Repeatable, ours.WalkAwayFromOne)
	}
	if ours := at("Recoup", 30); len(ours.Best) != 0 {
		t.Errorf("Recoup with matured rewards loses %+v", ours)
	}
	b := bounds(30)
	b.ReturnDays = 45
	if late := attackOn(t, labtest.Design(t, "Bonus stays"), b); late.Once != 200_00 {
		t.Errorf("a bonus that matures before the return window is over, and stays: once %d", late.Once)
	}
}

// A stamp card is full again every month, so that what stays of it comes again.
func TestTheSearchFindsStampsThatStay(t *testing.T) {
	b := boundsOf(t, `
id: stamps
currency: USD
clawback_method: rerate
rules: []
bonuses:
  - {id: stamps, match: {merchant: [bean]}, per: month, purchases: [{from: 2, reward: 400}]}
`)
	b.Amounts, b.PurchasesPerCycle, b.Days = []int64{4_00}, 2, []int{1}
	if e := attackOn(t, labtest.Design(t, "Bonus stays"), b); e.Repeatable != 4_00 || e.PerYear != 48_00 || e.Once != 0 {
		t.Errorf("where stamps stay: %d a cycle, %d a year, once %d", e.Repeatable, e.PerYear, e.Once)
	}
	if e := attackOn(t, labtest.Design(t, "Recoup"), b); e.Repeatable != 0 || e.Once != 0 {
		t.Errorf("Recoup: %d a cycle, once %d", e.Repeatable, e.Once)
	}
}

// Positions that the search takes for one go on alike, where a bonus counts over cycles too.
func TestMergingPositionsOfABonusLosesNothing(t *testing.T) {
	for _, name := range []string{"Recoup", "Bonus stays"} {
		b := boundsOf(t, fmt.Sprintf(signUp, 20))
		b.Days, b.MovesPerCycle = []int{1, 16}, 3
		merged := attackOn(t, labtest.Design(t, name), b)
		b.Unmerged = true
		each := attackOn(t, labtest.Design(t, name), b)
		if merged.Positions >= each.Positions {
			t.Errorf("%s: %d positions merged, %d each by itself", name, merged.Positions, each.Positions)
		}
		if merged.Once != each.Once || merged.Repeatable != each.Repeatable || merged.WalkAway != each.WalkAway || merged.Strategies != each.Strategies {
			t.Errorf("%s: merged %+v\neach by itself %+v", name, merged, each)
		}
	}
}

func TestProgramsThatAreNotSearched(t *testing.T) {
	for text, want := range map[string]string{
		"id: p\ncurrency: USD\nclawback_method: rerate\nrules: [{id: a, rate: 1%, unit: 100}]": "cycles 1: expected 2 or more",
	} {
		b := boundsOf(t, text)
		b.Cycles = 1
		if _, err := attack.On(context.Background(), labtest.Design(t, "Recoup"), b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	b := boundsOf(t, fmt.Sprintf(signUp, 0))
	if e := attackOn(t, labtest.Design(t, "A"), b); !e.NotSupported || len(e.Best) != 0 {
		t.Errorf("A cannot say a sign-up bonus, and is %+v", e)
	}
	r := &attack.Report{Currency: "USD", Bounds: b, Designs: []attack.Exposure{{Design: "A", NotSupported: true}}}
	var page strings.Builder
	if err := r.WriteTable(&page); err != nil || !strings.Contains(page.String(), "Program sign-up.") || !strings.Contains(page.String(), "not supported") {
		t.Errorf("%v\n%s", err, &page)
	}
}
