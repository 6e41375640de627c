package design_test

import (
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/reward"
)

const (
	instant   = "Literal (instant)"
	statement = "Literal (statement)"
	hybrid    = "Literal (hybrid)"
)

// The paper's table "Walkthrough": $100 at 5 %, two refunds of $50.
func TestWalkthrough(t *testing.T) {
	play(t, []course{{"two refunds of half", instant, []step{
		open("2026-01-05"),
		grocery("t1", 100_00), owns(5_00),
		record("t1", design.Record{Status: "SETTLED", Amount: 100_00, Original: 5_00, Retained: 5_00}),
		refund("r1", 50_00, "t1"), owns(2_50),
		record("t1", design.Record{Status: "PART_REF", Amount: 100_00, Refunded: 50_00, Original: 5_00, Retained: 2_50}),
		refund("r2", 50_00, "t1"), owns(0),
		record("t1", design.Record{Status: "REFUNDED", Amount: 100_00, Refunded: 100_00, Original: 5_00}),
	}}})
}

// What the algorithms are for, they do.
func TestLiteralClosesTheCases(t *testing.T) {
	play(t, []course{
		{"case I", instant, []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), paid("d1", 50_00),
			refund("r1", 1000_00, "t1"), owns(-50_00), closing(false),
			grocery("t2", 1000_00), owns(0), denied("d2", 1), closing(true),
		}},
		{"case II", statement, []step{
			open("2026-01-20"),
			grocery("t1", 1000_00), owns(0),
			on("2026-02-01"), owns(50_00), paid("d1", 50_00),
			on("2026-02-10"), refund("r1", 1000_00, "t1"), owns(0),
			on("2026-03-01"), owns(-50_00), closing(false),
		}},
		{"a refund pending at the close is deducted", statement, []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"),
			on("2026-02-01"), owns(3_00),
		}},
		{"the paper's two refunds of $40 take $2 each", instant, []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"), owns(3_00), refund("r2", 40_00, "t1"), owns(1_00),
		}},
		{"cap room comes back within the period", instant, []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), refund("r1", 500_00, "t1"), owns(25_00), grocery("t2", 1000_00), owns(50_00),
		}},
		{"and not for a cross-cycle refund", instant, []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), on("2026-02-01"), grocery("t2", 1000_00),
			refund("r1", 1000_00, "t1"), owns(50_00), grocery("t3", 1000_00), owns(50_00),
		}},
		{"clawbacks round to the nearest unit", instant, []step{
			open("2026-01-05"),
			grocery("t1", 1_00), owns(5), // 5 cents
			refund("r1", 10, "t1"), owns(4), // half a cent, up
			refund("r2", 9, "t1"), owns(4),
		}},
		{"a refund before its settlement in the same period is pending at the close", statement, []step{
			open("2026-01-05"),
			refund("r1", 40_00, "t1"), grocery("t1", 100_00),
			on("2026-02-01"), owns(3_00),
		}},
		{"one from an earlier period still is", statement, []step{
			open("2026-01-31"),
			refund("r1", 40_00, "t1"), on("2026-02-01"), grocery("t1", 100_00),
			on("2026-03-01"), owns(3_00),
		}},
		{"a settlement delivered again is the same transaction of the same period", statement, []step{
			open("2026-01-05"),
			grocery("t1", 100_00), grocery("t1", 100_00), on("2026-02-05"), owns(5_00),
			grocery("t1", 100_00), refund("r1", 100_00, "t1"),
			on("2026-03-01"), owns(0),
		}},
		{"closes that were missed run in order", statement, []step{
			open("2026-01-05"),
			grocery("t1", 100_00), on("2026-02-10"), refund("r1", 100_00, "t1"),
			on("2026-06-10"), owns(0),
		}},
		{"a cancelled authorisation involves no rewards", instant, []step{
			open("2026-01-05"), authorize("t1", 100_00),
			record("t1", design.Record{Status: "PENDING", Amount: 100_00}),
			cancel("t1"), record("t1", design.Record{Status: "REFUNDED", Amount: 100_00}), owns(0),
		}},
		{"a settlement takes from its authorisation what it leaves out", instant, []step{
			open("2026-01-05"), authorize("t1", 120_00), buy("t1", 100_00, "", ""), owns(5_00),
			cancel("t1"), owns(5_00),
		}},
	})
}

// Each row of docs/semantics.md, section 9, that the port can express: how the
// pseudocode falls short. G12's overrun needs a refund to be undone, for which
// the pseudocode has no path; its special case for cross-cycle refunds is above.
func TestWhereThePseudocodeFallsShort(t *testing.T) {
	play(t, []course{
		{"G1: $1.20 kept on no spend", statement, []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"),
			on("2026-02-01"), owns(3_00),
			refund("r2", 60_00, "t1"),
			on("2026-03-01"), owns(1_20),
			record("t1", design.Record{Status: "PART_REF", Amount: 100_00, Refunded: 60_00, Original: 3_00, Retained: 1_20}),
		}},
		{"G2: a refund with return shipping keeps $5.00", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), refund("r1", 105_00, "t1"), owns(5_00),
		}},
		{"G2: $60 and $60 of $100 keep $2.00", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00),
			refund("r1", 60_00, "t1"), owns(2_00), refund("r2", 60_00, "t1"), owns(2_00),
		}},
		{"G2: as late refunds too", statement, []step{
			open("2026-01-05"), grocery("t1", 100_00), on("2026-02-01"),
			refund("r1", 60_00, "t1"), refund("r2", 60_00, "t1"), refund("r3", 105_00, "t1"),
			on("2026-03-01"), owns(2_00),
		}},
		{"G3: a refund that overtakes its settlement keeps $5.00", instant, []step{
			open("2026-01-05"), refund("r1", 100_00, "t1"), grocery("t1", 100_00), owns(5_00),
		}},
		{"G4: two deliveries grant $10.00, and a refund takes back $5.00", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), grocery("t1", 100_00), owns(10_00),
			refund("r1", 100_00, "t1"), owns(5_00),
		}},
		{"G5: a redelivered partial refund claws back twice", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00),
			refund("r1", 40_00, "t1"), refund("r1", 40_00, "t1"), owns(1_00),
		}},
		{"G6: a same-cycle refund of a live grant is forgotten", hybrid, []step{
			open("2026-01-05"), grocery("t1", 100_00), owns(5_00),
			refund("r1", 100_00, "t1"), owns(5_00),
			on("2026-02-01"), owns(5_00), on("2026-06-01"), owns(5_00),
		}},
		{"G7: refunded before its close, PENDING for ever", statement, []step{
			open("2026-01-05"), grocery("t1", 100_00), refund("r1", 100_00, "t1"),
			on("2026-06-01"), owns(0),
			record("t1", design.Record{Status: "PENDING", Amount: 100_00}),
		}},
		{"G8: a negative redemption makes the balance grow", instant, []step{
			open("2026-01-05"), paid("d1", -10_00), owns(10_00), paid("d2", 10_00), owns(0),
		}},
		{"G8: a redemption that is delivered twice is paid twice", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), paid("d1", 2_00), paid("d1", 2_00), owns(1_00),
		}},
		{"G9: no chargeback of what is partly refunded", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00),
			refund("r1", 40_00, "t1"), chargeback("c1", 60_00, "t1"), owns(3_00),
			record("t1", design.Record{Status: "PART_REF", Amount: 100_00, Refunded: 40_00, Original: 5_00, Retained: 3_00}),
		}},
		{"G9: no refund of what is partly charged back", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00),
			chargeback("c1", 40_00, "t1"), refund("r1", 60_00, "t1"), owns(3_00),
		}},
		{"G9: no chargeback before the close that grants", statement, []step{
			open("2026-01-05"), grocery("t1", 100_00), chargeback("c1", 0, "t1"),
			on("2026-02-01"), owns(5_00),
		}},
		{"G9: no way back when a dispute is lost", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), chargeback("c1", 0, "t1"), owns(0),
			record("t1", design.Record{Status: "CHARGEBACK", Amount: 100_00, Refunded: 100_00, Original: 5_00}),
			noWayBack(),
		}},
		{"G10: after the grace hold, what waits to be clawed back can be redeemed", statement, []step{
			open("2026-01-05"), grocery("t1", 100_00), on("2026-02-03"), owns(5_00),
			refund("r1", 100_00, "t1"), owns(5_00), paid("d1", 5_00),
			on("2026-03-01"), owns(-5_00),
		}},
		{"G11: a purchase that the cap had cut earns nothing on kept spend", instant, []step{
			open("2026-01-05"), grocery("t1", 1000_00), grocery("t2", 1000_00), owns(50_00),
			refund("r1", 1000_00, "t1"), owns(0), on("2026-02-01"), owns(0),
		}},
		{"G13: who walks away keeps what was redeemed", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), paid("d1", 5_00), refund("r1", 100_00, "t1"),
			on("2030-01-01"), owns(-5_00),
		}},
		{"an unlinked refund has no t", instant, []step{
			open("2026-01-05"), grocery("t1", 100_00), unlinked("r1", 100_00, "m1"), owns(5_00),
		}},
	})
}

// Algorithm 3 holds redemptions back for the grace period, and keeps B_min.
func TestRedemptionGate(t *testing.T) {
	program := labtest.Everyday()
	program.Redemption = reward.RedemptionTerms{GraceDays: 10, MinimumBalance: 1_00}
	trace(t, labtest.Design(t, statement).New(program),
		open("2026-01-31"), grocery("t1", 100_00), shows(0, 0),
		on("2026-02-01"), shows(5_00, 0), denied("d1", 1),
		on("2026-02-10"), shows(5_00, 0), denied("d1", 1),
		on("2026-02-11"), on("2026-02-10"), shows(5_00, 4_00), denied("d1", 4_01), paid("d1", 4_00), shows(1_00, 0),
		closing(true), shows(1_00, 0), denied("d2", 0),
	)
}

// Each tier of defence (section 7.3) by what comes back without it.
func TestTiers(t *testing.T) {
	dip := []step{
		open("2026-01-20"), grocery("t1", 100_00), on("2026-02-12"), paid("d1", 5_00),
		refund("r1", 100_00, "t1"), on("2026-03-01"),
	}
	tests := []struct {
		name    string
		options design.LiteralOptions
		steps   []step
	}{
		{"all tiers, live", design.LiteralOptions{}, append(dip[:6:6], owns(-5_00), closing(false))},
		{"all tiers, batch", design.LiteralOptions{Architecture: design.BatchCycle}, append(dip[:6:6], owns(-5_00), closing(false))},
		{"no prevention is case I", design.LiteralOptions{WithoutPrevention: true}, append(dip[:6:6], owns(0), closing(true))},
		{"no prevention in a batch system is case II", design.LiteralOptions{Architecture: design.BatchCycle, WithoutPrevention: true},
			append(dip[:6:6], owns(0), closing(true))},
		{"no recovery is V3(a)", design.LiteralOptions{WithoutRecovery: true}, append(dip[:6:6], owns(0), closing(true))},
		{"no temporal tier does not matter to live handlers", design.LiteralOptions{WithoutTemporal: true}, append(dip[:6:6], owns(-5_00))},
		{"in a batch system it lets a refund before the close slip", design.LiteralOptions{Architecture: design.BatchCycle, WithoutTemporal: true, GraceDays: 10}, []step{
			open("2026-01-20"), grocery("t1", 100_00), refund("r1", 100_00, "t1"),
			on("2026-02-01"), owns(5_00), paid("d1", 5_00),
		}},
		{"which grants on what has posted only", design.LiteralOptions{Architecture: design.BatchCycle, WithoutTemporal: true}, []step{
			open("2026-01-20"), authorize("t1", 100_00), on("2026-02-01"), owns(0),
		}},
		{"and claws a later one back at once", design.LiteralOptions{Architecture: design.BatchCycle, WithoutTemporal: true}, []step{
			open("2026-01-20"), grocery("t1", 100_00), on("2026-02-01"), owns(5_00), refund("r1", 100_00, "t1"), owns(0),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			trace(t, design.NewLiteral(labtest.Everyday(), test.options), test.steps...)
		})
	}
}

func authorize(id string, amount int64) step {
	return func(i issuer.Issuer) error {
		return i.(issuer.Authorizer).Authorize(issuer.Settlement{Account: acct, Transaction: id, Amount: amount, Category: "GROCERY"})
	}
}

func cancel(id string) step {
	return func(i issuer.Issuer) error { return i.(issuer.Authorizer).Cancel(acct, id) }
}
