package scenario_test

import (
	"testing"

	"recoup/internal/scenario"
)

// Two rules with caps, one of them for a merchant; nothing for the rest.
const rules = `title: A test
program:
  currency: USD
  rules:
    - {id: grocery, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 500, per: cycle}}
    - {id: partner, match: {merchant: [m7], mcc: ["5000-5999"]}, rate: 0.333%}
    - {id: clothes, match: {merchant: [m8]}, rate: 4.75%}
`

func TestEntitlement(t *testing.T) {
	for _, test := range []struct{ name, steps, want string }{
		{"rate of what was bought", "2026-01-05 settle t1 60.00 GROCERY", "3.00"},
		{"no rule, no reward", "2026-01-05 settle t1 60.00 at m1", "0.00"},
		{"category from the code", "2026-01-05 settle t1 60.00 mcc 5411", "3.00"},
		{"category before the code", "2026-01-05 settle t1 60.00 mcc 5411 HOME", "0.00"},
		{"all of a match must hold", "2026-01-05 settle t1 100.00 at m7 mcc 6000", "0.00"},
		{"rounded down once, in the end", "2026-01-05 settle t1 1.00 at m7 mcc 5000\n2026-01-05 settle t2 2.01 at m7 mcc 5999", "0.01"},
		{"rounded down over all rules", "2026-01-05 settle t1 0.10 at m8\n2026-01-05 settle t2 0.11 GROCERY", "0.01"},
		{"a cap for each month", "2026-01-31 23:59 settle t1 200.00 GROCERY\n2026-02-01 settle t2 60.00 GROCERY", "8.00"},
		{"the month it happened in", "2026-01-05 settle t1 200.00 GROCERY\n2026-02-02 settle t2 60.00 GROCERY dated 2026-01-30", "5.00"},
		{"the cap on what is kept", "2026-01-05 settle t1 100.00 GROCERY\n2026-01-05 settle t2 100.00 GROCERY\n2026-01-06 refund r1 100.00 of t1", "5.00"},
		{"refunds in parts", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 20.00 of t1\n2026-01-06 refund r2 20.00 of t1", "1.00"},
		{"never below zero", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 settle t2 20.00 GROCERY\n2026-01-06 refund r1 90.00 of t1", "1.00"},
		{"delivered again, happened once", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 again settle t1\n2026-01-06 refund r1 20.00 of t1\n2026-01-06 again refund r1", "2.00"},
		{"delivered again a month later", "2026-01-05 settle t1 200.00 GROCERY\n2026-02-05 again settle t1\n2026-02-06 settle t2 200.00 GROCERY", "10.00"},
		{"before its purchase", "2026-01-05 refund r1 20.00 of t1\n2026-01-06 settle t1 60.00 GROCERY", "2.00"},
		{"really of another", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 settle t2 60.00\n2026-01-06 refund r1 60.00 of t2 really t1", "0.00"},
		{"really of several", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 settle t2 40.00 GROCERY\n2026-01-06 refund r1 50.00 really t1 30.00 and t2 20.00", "2.50"},
		{"really of none", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 60.00 GROCERY", "3.00"},
		{"a refund that bounced", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 60.00 of t1\n2026-01-07 undo refund r1", "3.00"},
		{"bounced before it came", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 undo refund r1\n2026-01-07 refund r1 60.00 of t1", "3.00"},
		{"charged back whole", "2026-01-05 chargeback c1 of t1\n2026-01-06 settle t1 60.00 GROCERY", "0.00"},
		{"charged back in part", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 chargeback c1 20.00 of t1", "2.00"},
		{"a dispute that was lost", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 chargeback c1 of t1\n2026-01-07 undo chargeback c1", "3.00"},
		{"charged back more than it cost", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 settle t2 40.00 GROCERY\n2026-01-06 chargeback c1 80.00 of t1 really t1 60.00 and t2 20.00", "1.00"},
		{"another of the same name", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-05 settle t2 40.00 GROCERY\n2026-01-06 refund r1 60.00 of t1\n2026-01-06 another refund r1 20.00 of t2", "1.00"},
		{"another after the first bounced", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 60.00 of t1\n2026-01-06 undo refund r1\n2026-01-07 another refund r1 60.00 of t1", "0.00"},
		{"another that bounced", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 20.00 of t1\n2026-01-07 another refund r1 40.00 of t1\n2026-01-08 undo refund r1", "2.00"},
		{"counted under another name", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 refund r1 20.00 of t1\n2026-01-07 another refund r1 20.00 of t1\n2026-01-08 count refund r1 as r2", "1.00"},
		{"withdrawn", "2026-01-05 withdraw t1\n2026-01-06 settle t1 60.00 GROCERY", "0.00"},
		{"an announcement is no refund", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 announce r1 60.00 of t1", "3.00"},
		{"an authorisation is no purchase", "2026-01-05 authorize t1 60.00 GROCERY", "0.00"},
		{"terms from the authorisation", "2026-01-05 authorize t1 60.00 at m7 mcc 5411\n2026-01-06 settle t1 60.00", "3.00"},
		{"terms from the last one", "2026-01-05 authorize t1 60.00 GROCERY\n2026-01-05 authorize t1 60.00 HOME\n2026-01-06 settle t1 60.00", "0.00"},
		{"nothing after closing", "2026-01-05 settle t1 60.00 GROCERY\n2026-01-06 close account\n2026-01-07 settle t2 60.00 GROCERY\n2026-01-08 refund r1 20.00 of t1", "2.00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenario.Parse("x.txt", []byte(rules+test.steps+"\n  expect entitlement "+test.want))
			if err != nil {
				t.Fatal(err)
			}
			for _, mismatch := range scenario.Check(play(t, s, &full{}), scenario.Recoup) {
				t.Error(mismatch)
			}
		})
	}
}

// A month's purchases earn what that month's program says, whenever they are
// delivered or returned.
func TestEntitlementUnderTheProgramOfTheMonth(t *testing.T) {
	const versions = `title: A test
program:
  currency: USD
  rules:
    - {id: grocery, match: {category: [GROCERY]}, rate: 5%}
program from 2026-02:
  currency: USD
  rules:
    - {id: hardware, match: {category: [HOME]}, rate: 10%}
    - {id: grocery, match: {category: [GROCERY]}, rate: 1%, cap: {reward: 50, per: cycle}}
`
	for _, test := range []struct{ name, steps, want string }{
		{"before", "2026-01-31 23:59 settle t1 100.00 GROCERY", "5.00"},
		{"from the month on", "2026-02-01 settle t1 20.00 GROCERY", "0.20"},
		{"with its cap", "2026-03-01 settle t1 100.00 GROCERY", "0.50"},
		{"delivered later", "2026-02-01 settle t1 100.00 GROCERY dated 2026-01-31", "5.00"},
		{"returned later", "2026-01-05 settle t1 100.00 GROCERY\n2026-02-01 refund r1 40.00 of t1", "3.00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenario.Parse("x.txt", []byte(versions+test.steps+"\n  expect entitlement "+test.want))
			if err != nil {
				t.Fatal(err)
			}
			for _, mismatch := range scenario.Check(play(t, s, &full{}), scenario.Recoup) {
				t.Error(mismatch)
			}
		})
	}
}
