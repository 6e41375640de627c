package judge_test

import (
	"strings"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

func parsed(t testing.TB, text string) *reward.Program {
	t.Helper()
	p, err := program.Parse("terms.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What the published terms say is judged by the reward engine, whatever it is: who gets
// just that is neither short-paid nor above, and shows nothing.
func TestTermsAreJudgedByTheEngine(t *testing.T) {
	for _, c := range []struct {
		name, terms, text string
		leakage, short    int64
		shown             string
	}{
		{"steps", "id: p\ncurrency: USD\nclawback_method: rerate\nlayers:\n  - id: base\n    rules:\n      - {id: all, steps: [{rate: 4%}, {from: 10000, rate: 1%}], per: month}\n", `
			2026-01-05 purchase t1 100.00 m1
			2026-01-05 reward 4.00 t1
			2026-01-06 purchase t2 100.00 m1
			2026-01-06 reward 1.00 t2`, 0, 0, ""},
		{"steps: the level stays when its spend comes back", "id: p\ncurrency: USD\nclawback_method: rerate\nlayers:\n  - id: base\n    rules:\n      - {id: all, steps: [{rate: 1%}, {from: 10000, rate: 4%}], per: month}\n", `
			2026-01-05 purchase t1 100.00 m1
			2026-01-05 reward 1.00 t1
			2026-01-06 purchase t2 100.00 m1
			2026-01-06 reward 4.00 t2
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -1.00 t1`, 3_00, 0, "level-kept 3.00"},
		{"a cap of a quarter", "id: p\ncurrency: USD\nlayers:\n  - id: base\n    rules:\n      - {id: all, rate: 5%, cap: {reward: 700, per: quarter}}\n", `
			2026-01-05 purchase t1 100.00 m1
			2026-01-05 reward 5.00 t1
			2026-02-06 purchase t2 100.00 m1
			2026-02-06 reward 2.00 t2
			2026-04-06 purchase t3 100.00 m1
			2026-04-06 reward 5.00 t3`, 0, 0, ""},
		{"a statement day", "id: p\ncurrency: USD\ncycle: {day: 15}\nrules:\n  - {id: all, rate: 5%, cap: {reward: 500, per: cycle}}\n", `
			2026-01-10 purchase t1 100.00 m1
			2026-01-10 reward 5.00 t1
			2026-01-20 purchase t2 100.00 m1
			2026-01-20 reward 5.00 t2
			2026-02-10 purchase t3 100.00 m1
			2026-02-10 refund r1 50.00 of t2
			2026-02-15 reward -2.50 t2`, 0, 2_50, ""},
		{"a bonus that stays", "id: p\ncurrency: USD\nclawback_method: rerate\nrules: [{id: all, rate: 1%}]\nbonuses: [{id: hundred, per: month, spend: [{from: 10000, reward: 2000}]}]\n", `
			2026-01-10 purchase t1 150.00 m1
			2026-01-10 reward 1.50 t1
			2026-01-10 reward 20.00
			2026-01-20 refund r1 150.00 of t1
			2026-01-20 reward -1.50 t1`, 20_00, 0, "spend-bonus-kept 20.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judgedUnder(t, parsed(t, c.terms), "2026-06-01", c.text)
			if a.Figures.Leakage != c.leakage || a.Figures.ShortPaid != c.short {
				t.Errorf("leakage %d, short-paid %d; want %d, %d", a.Figures.Leakage, a.Figures.ShortPaid, c.leakage, c.short)
			}
			if got := relevant(shown(a), flaw.G1); got != c.shown {
				t.Errorf("shown: %q, want %q (%s)", got, c.shown, outcomes(a))
			}
		})
	}
}

// A bonus that comes after a refund came of what was kept; refunds after it leave less owed than
// came, and rows without a purchase of just that take it back.
func TestWhatBecomesOfBonuses(t *testing.T) {
	terms := parsed(t, "id: p\ncurrency: USD\nclawback_method: rerate\nrules: [{id: all, rate: 1%}]\nbonuses: [{id: hundred, per: month, spend: [{from: 10000, reward: 2000}]}]\n")
	const stays = `
		2026-01-05 purchase t1 90.00 m1
		2026-01-05 reward 0.90 t1
		2026-01-06 refund r1 50.00 of t1
		2026-01-06 reward -0.50 t1
		2026-01-10 purchase t2 70.00 m1
		2026-01-10 reward 0.70 t2
		2026-01-10 reward 20.00
		2026-01-20 refund r2 70.00 of t2
		2026-01-20 reward -0.70 t2`
	for text, want := range map[string]judge.Bonuses{
		stays:                                {AfterRefunds: 1, NoLongerOwed: 1},
		stays + "\n2026-01-20 reward -20.00": {AfterRefunds: 1, NoLongerOwed: 1, TakenBack: 1},
		strings.ReplaceAll(strings.ReplaceAll(stays, "of t1", "at m1"), "of t2", "at m1"): {AfterRefunds: 1}, // which is of which is a guess
	} {
		if got := judgedUnder(t, terms, "2026-06-01", text).Bonuses; got != want {
			t.Errorf("%s:\n%+v, want %+v", text, got, want)
		}
	}
}
