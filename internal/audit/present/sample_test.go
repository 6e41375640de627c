package present_test

import (
	"fmt"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake"
	"recoup/reward"
)

// nasty is an account that tries to be code, to clear the screen and to turn the
// text around.
const nasty = "<script>alert(1)</script>\x1b[2J\u202e"

func day(month time.Month, day int) reward.Instant {
	return reward.At(time.Date(2026, month, day, 10, 0, 0, 0, time.UTC))
}

func found(code flaw.Code, standing audit.Standing, shown, could, confidence, amount int64, examples ...judge.Example) audit.Finding {
	f, ok := flaw.Find(code)
	if !ok {
		panic("no flaw " + code)
	}
	return audit.Finding{Flaw: f, Standing: standing, Shown: shown, Could: could, Confidence: confidence, Amount: amount, Examples: examples}
}

// doubleDip is somebody who returns after the close what was bought and redeemed
// before.
func doubleDip(account, purchase string) judge.Example {
	return judge.Example{
		Account: account, Purchase: purchase, Amount: 50_00,
		Steps: []judge.Step{
			{At: day(1, 5), What: "purchase " + purchase, Amount: 1000_00},
			{At: day(1, 5), What: "reward granted", Amount: 50_00},
			{At: day(1, 20), What: "redeemed", Amount: 50_00},
			{At: day(2, 2), What: "refund r-" + purchase, Amount: 1000_00},
		},
		Expected: "$50.00 taken back by 1 March 2026",
		Found:    "nothing was taken back by 30 June 2026",
	}
}

func suspect(account string, leakage int64) audit.Suspect {
	s := audit.Suspect{
		Account:     account,
		Figures:     judge.Figures{Purchases: 14, Refunds: 12, Spend: 12_400_00, Refunded: 11_900_00, NetSpend: 500_00, Granted: 620_00, Redeemed: 620_00, NetReward: 620_00, Entitlement: 620_00 - leakage, Leakage: leakage},
		RoundsInAll: 12, ReturnedPermille: 959,
		Evidence: []string{"12 rounds of buying, redeeming within 16 days and returning within 29", "Returned 95.9% of what it bought, all accounts together 6.2%"},
	}
	for month := time.January; month <= time.March; month++ {
		s.Rounds = append(s.Rounds, judge.Round{
			Purchase: fmt.Sprintf("p-%d", month), BoughtAt: day(month, 5), RedeemedAt: day(month, 20), ReturnedAt: day(month+1, 2),
			Bought: 1000_00, Reward: 50_00, Redeemed: 50_00, Returned: 1000_00, Kept: 50_00,
		})
		s.Timeline = append(s.Timeline, doubleDip(account, fmt.Sprintf("p-%d", month)).Steps...)
	}
	return s
}

// leaky is the report of a program that has V2, with all that a report may have.
func leaky() *audit.Report {
	r := &audit.Report{
		Program: "everyday", Currency: "USD", Unit: "USD",
		From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC),
		Input: intake.Input{
			Files: []intake.File{{Name: "T.csv", Table: "transactions", Rows: 1_234_567, Bad: 3}, {Name: "F.csv.zst", Table: "refunds", Rows: 65_432}},
			Rows:  1_299_999, Bad: 3,
			ByWhy: []intake.BadReason{{Reason: "amount: expected an integer above zero", Rows: 3, First: []string{"T.csv:17", "T.csv:99", "T.csv:1024"}}},
			Left:  4_007, LeftByWhy: []intake.BadReason{{Reason: "left out as the mapping says", Rows: 4_007, First: []string{"T.csv:2"}}},
		},
		Verdict: audit.Verdict{
			Found: true, Exit: 1, Class: flaw.V2, Mapping: flaw.V2.Mapping(),
			Summary:      "Refunds take the reward back only in the cycle of their purchase. Of 9878 refunds in a later cycle, 9876 took nothing.",
			RewardTiming: "instant", RefundAdjustment: "same cycle only", NegativeBalance: "none seen",
			RewardIntegrity: flaw.Violated, RefundRewardConsistency: flaw.Violated,
			SameCycle:  audit.Handling{Stake: 150_000_00, Untaken: 400_00, AtOnce: 20_011, WithinCycle: 3, Partly: 4},
			LaterCycle: audit.Handling{Stake: 76_010_00, Untaken: 76_000_00, AtOnce: 2, Never: 9_876, TooEarly: 412},
		},
		Accounts: audit.Accounts{All: 45_678, Above: 7_301, Below: 12, ShortBeyond: 12, InDebt: 40, Suspected: 31},
		Figures: judge.Figures{
			Purchases: 1_234_567, Refunds: 65_432, Spend: 98_765_432_10, Refunded: 6_123_456_78, NetSpend: 92_641_975_32,
			Granted: 2_345_678_90, TakenBack: 87_654_32, Adjustments: 1_200_00, Redeemed: 1_987_654_00, Balance: 271_570_58, NetReward: 2_258_024_58,
			Entitlement: 2_180_000_00, NotDue: 1_000_00, Leakage: 78_111_22, ShortPaid: 86_64, Debt: 345_67, RedeemedOpen: 43_210_00, FloatDays: 5_400_000_00,
			Unexplained: 111_22, Unearned: 42_00, UnearnedRows: 3, RewardRows: 9_999,
		},
		LeakageRate: 332, LeakagePerYear: 158_392_00,
		Separation: &audit.Separation{Refunds: 29_896, Untaken: 9_880, Amount: 76_400_00, Rules: []audit.SeparatingRule{
			{Words: "in a later cycle than their purchase's", Refunds: 9_878, Untaken: 9_876, Amount: 76_000_00},
			{Words: "of category " + nasty, Refunds: 3, Untaken: 3, Amount: 300_00},
		}},
		Findings: []audit.Finding{
			found(flaw.CodeOf(flaw.V2), audit.Found, 9_876, 9_878, 999, 76_000_00, doubleDip("acct-7", "p-1"), doubleDip(nasty, "p-2"), doubleDip("acct-9", "p-3"), doubleDip("acct-10", "p-4"), doubleDip("acct-11", "p-5")),
			found(flaw.G2, audit.Occasional, 12, 310, 22, 2_000_00, doubleDip("acct-7", "p-6")),
			found(flaw.G4, audit.NotFound, 0, 1_234_567, 999, 0),
			found(flaw.Compounding, audit.NotFound, 0, 4_321, 999, 0),
			found(flaw.CodeOf(flaw.V3b), audit.TooFew, 0, 2, 0, 0),
		},
		Arrival: audit.Arrival{Refunds: 60_000, Value: 6_000_000_00, Coverage: []audit.Coverage{
			{Permille: 900, Days: 24, MaturityDays: 24, GraceDays: 9, GraceEnough: true, Saved: 61_000_00, HonestWait: 12_34},
			{Permille: 950, Days: 31, MaturityDays: 31, GraceDays: 16, GraceEnough: true, Saved: 70_500_00, HonestWait: 17_80},
			{Permille: 990, Days: 74, MaturityDays: 74, GraceDays: 27, GraceEnough: false, Saved: 76_900_00, HonestWait: 51_05},
		}},
		Simulation: judge.Simulation{Granted: 2_345_678_90, TakenBack: 165_678_90, NetReward: 2_180_000_00, NextClose: 1_000_00, Held: 3_000_00, HeldMost: 90_000_00, Refused: 812, RefusedAmount: 41_000_00},
		Suspects:   []audit.Suspect{suspect("acct-7", 600_00), suspect(nasty, 300_00)},
		Worst:      []audit.Suspect{suspect("acct-7", 600_00), suspect("acct-31", 450_00)},
	}
	for from, value := range []int64{600, 420, 380, 350, 300, 280, 260, 240, 200, 180, 150, 120, 90, 60, 40, 30, 20, 15, 10, 5} {
		r.Arrival.Buckets = append(r.Arrival.Buckets, audit.ArrivalBucket{From: from * 4, To: from*4 + 3, Refunds: value * 16, Value: value * 1600_00})
	}
	for m := range 6 {
		r.Months = append(r.Months, audit.Month{
			Month: fmt.Sprintf("2026-%02d", m+1), Spend: 16_000_000_00, Refunded: 1_000_000_00, Granted: 390_000_00, TakenBack: 14_000_00, Redeemed: 330_000_00,
			Leakage: int64(m) * 5_200_00,
		})
	}
	return r
}

// sound is the report of a program in which nothing was found.
func sound() *audit.Report {
	r := leaky()
	r.Verdict = audit.Verdict{Class: flaw.Robust, Mapping: flaw.Robust.Mapping(), Summary: "Refunds take the reward back in whichever cycle they fall.", RewardTiming: "instant", RefundAdjustment: "immediate", NegativeBalance: "indefinite",
		RewardIntegrity: flaw.Satisfied, RefundRewardConsistency: flaw.Satisfied, SameCycle: audit.Handling{AtOnce: 3}, LaterCycle: audit.Handling{AtOnce: 9}}
	r.Findings = []audit.Finding{found(flaw.CodeOf(flaw.V2), audit.NotFound, 0, 9_878, 999, 0)}
	r.Figures.Leakage, r.Figures.ShortPaid, r.Figures.Debt, r.Figures.RedeemedOpen, r.Figures.FloatDays, r.Figures.Unexplained, r.Figures.Unearned, r.Figures.UnearnedRows = 0, 0, 0, 0, 0, 0, 0, 0
	r.LeakageRate, r.LeakagePerYear, r.Separation = 0, 0, &audit.Separation{Refunds: 12}
	r.Accounts = audit.Accounts{All: 45_678}
	r.Suspects, r.Worst, r.Simulation = nil, nil, judge.Simulation{}
	r.Input.Bad, r.Input.ByWhy = 0, nil
	for i := range r.Months {
		r.Months[i].Leakage = 0
	}
	return r
}

// inQuestion is a sound report of which some leakage rests on a guess.
func inQuestion() *audit.Report {
	r := sound()
	r.Figures.Leakage, r.Figures.InQuestion, r.Figures.LeakageNamed, r.Accounts.Above = 76_91, 74_75, 1_10, 16
	return r
}
