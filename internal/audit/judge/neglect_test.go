package judge_test

import (
	"testing"

	"recoup/internal/audit/judge"
)

// Where rows are of whole months and name nothing, what an account has in all tells by which
// refunds it leaks.
func TestWhatIsNeglected(t *testing.T) {
	terms := parsed(t, `{id: p, currency: USD, timing: {grant: statement, clawback: statement}, clawback_method: rerate,
		bonuses: [{id: tens, per: cycle, every: {spend: 10000, reward: 100}}]}`)
	const bought = `
		2026-01-05 purchase t1 1000.00 m1
		2026-02-01 reward 10.00
		2026-02-05 purchase t2 1000.00 m1`
	for _, c := range []struct {
		name, text string
		ways       []judge.Neglect // that leave nothing of the leak
	}{
		{"after the next statement", bought + `
			2026-02-10 refund r1 500.00 of t1
			2026-03-01 reward 5.00
			2026-03-10 refund r2 400.00 of t1
			2026-03-10 purchase t3 800.00 m1
			2026-04-01 reward 8.00
			2026-04-10 refund r3 700.00 of t2`, []judge.Neglect{judge.NeglectAfterNext}},
		{"all", bought + `
			2026-02-10 refund r1 500.00 of t1
			2026-02-20 refund r2 500.00 of t2
			2026-03-01 reward 10.00`, []judge.Neglect{judge.NeglectAll}},
		{"none", bought + `
			2026-02-10 refund r1 500.00 of t1
			2026-03-01 reward 5.00`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := judgedUnder(t, terms, "2026-12-01", c.text).Neglects
			if (n.Accounts == 1) != (c.ways != nil) {
				t.Fatalf("%+v", n)
			}
			for _, way := range c.ways {
				if n.Left[way] != 0 || n.Refunds[way] == 0 {
					t.Errorf("%d: %+v", way, n)
				}
			}
		})
	}
}
