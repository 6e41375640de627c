package judge_test

import (
	"fmt"
	"slices"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/reward"
)

func TestFigures(t *testing.T) {
	tests := []struct {
		name, end, text string
		want            judge.Figures
	}{
		{"everything once", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 redemption 2.00
			2026-01-07 adjustment 1.00
			2026-01-10 refund r1 40.00 of t1
			2026-01-12 reward -2.00 t1`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, Refunded: 40_00, NetSpend: 60_00, Granted: 5_00, TakenBack: 2_00, Adjustments: 1_00,
				Redeemed: 2_00, Balance: 2_00, NetReward: 3_00, Entitlement: 3_00, FloatDays: 2_00 * 2}},
		{"what is exported twice counts once", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-10 refund r1 40.00 of t1
			2026-01-11 refund r1 40.00 of t1
			2026-01-10 reward -2.00 t1`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, Refunded: 40_00, NetSpend: 60_00, Granted: 5_00, TakenBack: 2_00, Balance: 3_00, NetReward: 3_00, Entitlement: 3_00}},
		{"leakage, and the float of what is missing", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-05-22 refund r1 100.00 of t1`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, Refunded: 100_00, Granted: 5_00, Balance: 5_00, NetReward: 5_00, Leakage: 5_00, LeakageNamed: 5_00, FloatDays: 5_00 * 10}},
		{"a refund that did not stand", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-10 refund r1 100.00 of t1
			2026-01-20 refund_reversed r1`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, NetSpend: 100_00, Granted: 5_00, Balance: 5_00, NetReward: 5_00, Entitlement: 5_00}},
		{"a debt, and short-payment", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 redemption 5.00
			2026-01-10 refund r1 50.00 of t1
			2026-01-10 reward -4.00 t1`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, Refunded: 50_00, NetSpend: 50_00, Granted: 5_00, TakenBack: 4_00, Redeemed: 5_00,
				Balance: -4_00, NetReward: 1_00, Entitlement: 2_50, ShortPaid: 1_50, Debt: 4_00}},
		{"what is granted with a close to come is not due", "2026-01-20", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-06 purchase t2 2000.00 m1 GROCERY
			2026-01-07 purchase t3 100.00 m1`,
			judge.Figures{Purchases: 3, Spend: 2200_00, NetSpend: 2200_00, Entitlement: 51_00, NotDue: 51_00}},
		{"what no close granted is short-paid", "2026-02-20", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-02-06 purchase t2 100.00 m1 GROCERY`,
			judge.Figures{Purchases: 2, Spend: 200_00, NetSpend: 200_00, Entitlement: 10_00, NotDue: 5_00, ShortPaid: 5_00}},
		{"what the close left out is due, for the rest of it has come", "2026-02-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-06 purchase t2 100.00 m2
			2026-02-01 00:00 reward 5.00 t1`,
			judge.Figures{Purchases: 2, Spend: 200_00, NetSpend: 200_00, Granted: 5_00, Balance: 5_00, NetReward: 5_00, Entitlement: 6_00, ShortPaid: 1_00}},
		{"what the cap leaves nothing for is not to come", "2026-01-20", `
			2026-01-05 purchase t1 2000.00 m1 GROCERY
			2026-01-05 reward 50.00 t1
			2026-01-06 purchase t2 100.00 m1 GROCERY`,
			judge.Figures{Purchases: 2, Spend: 2100_00, NetSpend: 2100_00, Granted: 50_00, Balance: 50_00, NetReward: 50_00, Entitlement: 50_00}},
		{"a refund that waits for its purchase finds another in the end", "2026-01-20", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-10 refund r1 100.00 of t9`,
			judge.Figures{Purchases: 1, Refunds: 1, Spend: 100_00, Refunded: 100_00}},
		{"a clearing that was withdrawn and charged back: the dispute was about something else", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 purchase t2 100.00 m1 GROCERY
			2026-01-10 refund withdrawal-t1 100.00 of t1
			2026-01-11 chargeback c1 100.00 of t1`,
			judge.Figures{Purchases: 2, Refunds: 2, Spend: 200_00, Refunded: 200_00, Beyond: 5_00}},
		{"a refund above the price: terms do not say whether another purchase's reward goes", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 purchase t2 100.00 m1 GROCERY
			2026-01-06 reward 5.00 t2
			2026-01-10 refund r1 150.00 of t1
			2026-01-10 reward -5.00 t1`,
			judge.Figures{Purchases: 2, Refunds: 1, Spend: 200_00, Refunded: 150_00, NetSpend: 50_00, Granted: 10_00, TakenBack: 5_00, Balance: 5_00, NetReward: 5_00, Entitlement: 2_50, Beyond: 2_50}},
		{"but its own goes", "2026-06-01", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 purchase t2 100.00 m1 GROCERY
			2026-01-06 reward 5.00 t2
			2026-01-10 refund r1 150.00 of t1`,
			judge.Figures{Purchases: 2, Refunds: 1, Spend: 200_00, Refunded: 150_00, NetSpend: 50_00, Granted: 10_00, Balance: 10_00, NetReward: 10_00, Entitlement: 2_50, Beyond: 2_50, Leakage: 5_00, LeakageNamed: 5_00, FloatDays: 710_00}},
		{"redeemed within the return window, first earned first", "2026-03-10", `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-02-20 purchase t2 200.00 m1 GROCERY
			2026-02-20 reward 10.00 t2
			2026-02-25 redemption 8.00`,
			judge.Figures{Purchases: 2, Spend: 300_00, NetSpend: 300_00, Granted: 15_00, Redeemed: 8_00, Balance: 7_00, NetReward: 15_00, Entitlement: 15_00, RedeemedOpen: 3_00}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := judged(t, test.end, test.text).Figures
			// What reward rows refer to has a test of its own.
			got.RewardRows, got.RewardsNaming, got.RefundsNaming, got.RewardsAstray, got.RefundsAstray, got.Unexplained = 0, 0, 0, 0, 0, 0
			test.want.Rounding = test.want.Purchases + test.want.Refunds // which nobody has stated
			if got != test.want {
				t.Errorf("figures are\n%+v, want\n%+v", got, test.want)
			}
		})
	}
}

// Under Recoup the reward is granted, held and taken back as the program says.
func TestSimulation(t *testing.T) {
	p := *everyday()
	p.MaturityDays = 30
	a := judgedUnder(t, &p, "2026-01-25", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-06 purchase t2 200.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-07 redemption 5.00
		2026-01-10 refund r1 40.00 of t1`)
	want := judge.Simulation{Granted: 15_00, TakenBack: 2_00, NetReward: 13_00, Held: 13_00, HeldMost: 15_00, Refused: 1, RefusedAmount: 5_00}
	if a.Simulation != want {
		t.Errorf("simulation is %+v, want %+v", a.Simulation, want)
	}
}

// What waits for the close after the end of the exports is told apart: grants of the
// open cycle, and clawbacks of earlier ones.
func TestSimulationEndsBeforeAClose(t *testing.T) {
	p := *everyday()
	p.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	a := judgedUnder(t, &p, "2026-02-25", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-02-06 purchase t2 200.00 m1 GROCERY
		2026-02-10 refund r1 40.00 of t1`)
	want := judge.Simulation{Granted: 5_00, NetReward: 5_00, NextClose: 10_00 - 2_00, Held: 2_00, HeldMost: 2_00}
	if a.Simulation != want {
		t.Errorf("simulation is %+v, want %+v", a.Simulation, want)
	}
}

func TestMonths(t *testing.T) {
	a := judged(t, "2026-04-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-20 refund r1 40.00 of t1
		2026-02-01 00:00 reward 3.00
		2026-02-10 redemption 3.00
		2026-02-11 refund r2 60.00 of t1
		2026-02-20 refund_reversed r1`)
	want := []judge.Month{
		{Cycle: 2026 * 12, Spend: 100_00, Refunded: 40_00, Granted: 3_00},
		{Cycle: 2026*12 + 1, Refunded: 20_00, Redeemed: 3_00, Leakage: 1_00},
	}
	if len(a.Months) != len(want) {
		t.Fatalf("months are %+v, want %+v", a.Months, want)
	}
	for i := range want {
		if a.Months[i] != want[i] {
			t.Errorf("month %d is %+v, want %+v", i, a.Months[i], want[i])
		}
	}
}

func TestRounds(t *testing.T) {
	round := func(month, id string) string {
		return `
			2026-` + month + `-05 purchase ` + id + ` 100.00 m1 GROCERY
			2026-` + month + `-05 reward 5.00 ` + id + `
			2026-` + month + `-07 redemption 5.00
			2026-` + month + `-12 refund r` + id + ` 100.00 of ` + id
	}
	a := judged(t, "2026-08-01", round("01", "t1")+round("02", "t2")+`
		2026-02-12 reward -5.00 t2`)
	want := judge.Round{
		Purchase: "t1", BoughtAt: at("2026-01-05 12:00"), RedeemedAt: at("2026-01-07 12:00"), ReturnedAt: at("2026-01-12 12:00"),
		Bought: 100_00, Reward: 5_00, Redeemed: 5_00, Returned: 100_00, Kept: 5_00,
	}
	if len(a.Rounds) != 2 || a.Rounds[0] != want {
		t.Errorf("rounds are %+v, want two, of which the first is %+v", a.Rounds, want)
	}
	if n := len(judged(t, "2026-08-01", goodAtOnce).Rounds); n != 0 {
		t.Errorf("%d rounds where all was taken back, want none", n)
	}
}

func TestWaits(t *testing.T) {
	a := judged(t, "2026-08-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-10 purchase t2 100.00 m1 GROCERY
		2026-01-10 reward 5.00 t2
		2026-01-25 redemption 8.00`)
	if len(a.Waits) != 2 || a.Waits[0] != (judge.Wait{Days: 20, Amount: 5_00}) || a.Waits[1] != (judge.Wait{Days: 15, Amount: 3_00}) {
		t.Errorf("waits are %+v, want 5.00 for 20 days and 3.00 for 15", a.Waits)
	}
}

// What was redeemed before it was earned is owed by what is earned next.
func TestWaitsAfterDebt(t *testing.T) {
	a := judged(t, "2026-08-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-10 redemption 8.00
		2026-02-10 purchase t2 100.00 m1 GROCERY
		2026-02-10 reward 5.00 t2
		2026-02-20 redemption 2.00`)
	if len(a.Waits) != 2 || a.Waits[0] != (judge.Wait{Days: 5, Amount: 5_00}) || a.Waits[1] != (judge.Wait{Days: 10, Amount: 2_00}) {
		t.Errorf("waits are %+v, want 5.00 for 5 days and 2.00 for 10", a.Waits)
	}
	a = judged(t, "2026-08-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-10 redemption 8.00
		2026-02-10 purchase t2 100.00 m1 GROCERY
		2026-02-10 reward 5.00 t2
		2026-03-10 purchase t3 100.00 m1 GROCERY
		2026-03-10 reward 5.00 t3
		2026-03-20 redemption 7.00`)
	if len(a.Waits) != 3 || a.Waits[1].Amount != 2_00 || a.Waits[2].Amount != 5_00 {
		t.Errorf("waits are %+v, want 2.00 of the second reward and all of the third", a.Waits)
	}
}

// Debts end in ways that tell whether they are kept. Of short ones neither is known.
func TestDebtsThatStoodForLong(t *testing.T) {
	const owed = `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-06 redemption 5.00
		2026-01-10 refund r1 100.00 of t1
		2026-01-10 reward -5.00 t1`
	for _, c := range []struct {
		name, more             string
		forgotten, kept, leaks int64
	}{
		{"still owed", "", 0, 1, 0},
		{"written off", "\n2026-04-11 reward 5.00", 1, 0, 5_00},
		{"written off by hand", "\n2026-02-11 adjustment 5.00", 1, 0, 5_00},
		{"repaid after long", "\n2026-05-11 purchase t2 200.00 m1 GROCERY\n2026-05-11 reward 10.00 t2", 0, 1, 0},
		{"repaid soon", "\n2026-02-11 purchase t2 200.00 m1 GROCERY\n2026-02-11 reward 10.00 t2", 0, 0, 0},
		{"repaid to just zero by a purchase", "\n2026-02-11 purchase t2 100.00 m1 GROCERY\n2026-02-11 reward 5.00 t2", 0, 0, 0},
	} {
		a := judged(t, "2026-06-01", owed+c.more)
		if a.DebtsForgotten != c.forgotten || a.DebtsKept != c.kept {
			t.Errorf("%s: %d forgotten, %d kept; want %d, %d", c.name, a.DebtsForgotten, a.DebtsKept, c.forgotten, c.kept)
		}
		if a.Figures.Leakage != c.leaks {
			t.Errorf("%s: leakage %d, want %d", c.name, a.Figures.Leakage, c.leaks)
		}
	}
	// What was taken beyond the terms is given back: nothing is kept, and no debt was owed.
	const undone = `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-05 purchase t2 50.00 m1 GROCERY
		2026-01-05 reward 2.50 t2
		2026-01-06 redemption 2.50
		2026-01-10 refund r1 100.00 of t1
		2026-01-10 reward -7.50 t1
		2026-01-20 adjustment 2.50`
	if a := judged(t, "2026-06-01", undone); a.DebtsForgotten != 0 || len(a.Signs) == 0 || slices.ContainsFunc(a.Signs, func(s judge.Sign) bool { return s.Flaw == "V3(a)" }) {
		t.Errorf("%d debts forgotten where nobody has more than is promised: %+v", a.DebtsForgotten, a.Signs)
	}
	// What was redeemed was there: it is the reward's row that is late, and nobody knows
	// what for.
	const late = `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-31 redemption 7.00
		2026-02-03 reward 2.00`
	if a := judged(t, "2026-06-01", late); a.DebtsForgotten != 0 || a.DebtsKept != 0 {
		t.Errorf("%d debts forgotten, %d kept where a reward is late", a.DebtsForgotten, a.DebtsKept)
	}
	// Where nothing names its purchase, it may be a clawback that is corrected.
	const unnamed = `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00
		2026-01-06 redemption 5.00
		2026-01-10 refund r1 100.00 at m1
		2026-01-10 reward -5.00
		2026-04-11 reward 5.00`
	if a := judged(t, "2026-06-01", unnamed); a.DebtsForgotten != 0 {
		t.Errorf("%d debts forgotten where nothing names its purchase", a.DebtsForgotten)
	}
}

// What the rows refer to is counted, and what no purchase explains; leakage that no
// refund explains is what is above both and a unit for each purchase and refund.
func TestReferencesAndWhatNobodyExplains(t *testing.T) {
	f := judged(t, "2026-06-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-06 reward 2.00 t9
		2026-01-10 refund r1 50.00 of t1
		2026-01-10 reward -2.50 t1
		2026-01-11 refund r2 50.00 of t8
		2026-02-03 reward 1.00`).Figures
	if f.RewardRows != 3 || f.RewardsNaming != 3 || f.RewardsAstray != 1 || f.RefundsNaming != 2 || f.RefundsAstray != 1 {
		t.Errorf("references: %+v", f)
	}
	if f.Unearned != 3_00 || f.UnearnedRows != 2 {
		t.Errorf("unearned %d in %d rows; want 300 in 2", f.Unearned, f.UnearnedRows)
	}
	f = judged(t, "2026-06-01", "2026-01-05 purchase t1 100.00 m1 GROCERY\n2026-01-05 reward 9.00 t1").Figures
	if f.Leakage != 4_00 || f.Unexplained != 3_99 {
		t.Errorf("leakage %d, unexplained %d; want 400, 399", f.Leakage, f.Unexplained)
	}
}

// A refund that names no purchase rests on no guess where the row of its clawback names one
// and takes just its share; what is above the terms then is a leak. Where that row is not
// there, it may be of another purchase, or of none: only what is above the terms even if it
// need take nothing rests on no guess.
func TestWhereTheProgramSaysWhichPurchaseItIs(t *testing.T) {
	const rest = `
		2026-01-05 purchase t1 900.00 m1 GROCERY
		2026-01-05 reward 45.00 t1
		2026-01-06 purchase t2 200.00 m2 GROCERY
		2026-01-06 reward 5.00 t2
		2026-01-10 refund r1 200.00 at m2
		%s
		2026-01-12 purchase t3 1000.00 m3 GROCERY
		2026-01-12 reward 45.00 t3`
	told := judged(t, "2026-06-01", fmt.Sprintf(rest, "2026-01-10 reward -5.00 t2")).Figures
	if told.Leakage <= 4_00 || told.InQuestion != 0 || told.LeakageNamed != told.Leakage {
		t.Errorf("said by the clawback: leakage %d, in question %d, named %d", told.Leakage, told.InQuestion, told.LeakageNamed)
	}
	// What the cap leaves out of t3 is above the terms whatever r1 takes.
	silent := judged(t, "2026-06-01", fmt.Sprintf(rest, "2026-01-10 reward -5.00")).Figures
	if silent.LeakageNamed != 40_00 {
		t.Errorf("said by nothing: leakage %d, named %d", silent.Leakage, silent.LeakageNamed)
	}
	untaken := judged(t, "2026-06-01", `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
		2026-01-10 refund r1 100.00 at m1`).Figures
	if untaken.Leakage != 5_00 || untaken.LeakageNamed != 0 {
		t.Errorf("nothing was taken: leakage %d, named %d", untaken.Leakage, untaken.LeakageNamed)
	}
}
