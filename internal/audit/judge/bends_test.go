package judge_test

import (
	"testing"

	"recoup/internal/audit/judge"
	"recoup/program"
)

// Where whole units count, a refund that names no purchase may be of one that earns as much
// without it: a program that takes nothing for it keeps its terms, and what is left is in
// question.
func TestARefundOfNoNameMayTakeNothing(t *testing.T) {
	p, err := program.Parse("units", []byte("id: units\ncurrency: USD\nclawback_method: rerate\nrules: [{id: all, unit: 10000, rate: 1%}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	const rows = `
		2026-01-05 purchase t1 150.00 m1 GROCERY
		2026-01-05 reward 1.00 t1
		2026-01-06 purchase t2 100.00 m1 GROCERY
		2026-01-06 reward 1.00 t2
		2026-01-10 refund r1 `
	for _, test := range []struct {
		refund string
		want   judge.Outcome
		open   int64
	}{
		{"30.00 at m1", judge.NothingAtStake, 1_00},
		{"90.00 at m1", judge.Never, 0},
	} {
		a := judgedUnder(t, p, "2026-06-01", rows+test.refund)
		if got := a.Refunds[0].Outcome; got != test.want || a.Figures.Leakage != 1_00 || a.Figures.InQuestion != test.open {
			t.Errorf("%s: outcome %v, want %v; leakage %d of which %d in question, want 100 and %d", test.refund, got, test.want, a.Figures.Leakage, a.Figures.InQuestion, test.open)
		}
	}
}
