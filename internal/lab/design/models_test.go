package design_test

import (
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/reward"

	"pgregory.net/rapid"
)

// The paper's case I, and what A makes of everything else: nothing.
func TestCase1RefundInsensitive(t *testing.T) {
	play(t, []course{
		{"four phases keep the cap's $50 on no spend", "A", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), owns(50_00),
			paid("d1", 50_00), owns(0),
			refund("r1", 1000_00, "t1"), owns(0),
		}},
		{"the attack repeats every month", "A", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), paid("d1", 50_00), refund("r1", 1000_00, "t1"),
			grocery("t2", 1000_00), owns(0),
			on("2026-02-01"),
			grocery("t3", 1000_00), paid("d2", 50_00), refund("r2", 1000_00, "t3"), owns(0),
		}},
		{"a partial refund and a chargeback change nothing either", "A", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"), owns(5_00),
			chargeback("c1", 0, "t1"), owns(5_00),
		}},
	})
}

func TestCase2CycleScoped(t *testing.T) {
	play(t, []course{
		{"a refund after the close keeps the statement credit", "B", []step{
			open("2026-01-20"),
			grocery("t1", 1000_00), owns(0), credited(0),
			on("2026-02-01"), credited(50_00), owns(0),
			on("2026-02-10"), refund("r1", 1000_00, "t1"), owns(0),
			on("2026-03-01"), owns(0), credited(50_00),
		}},
		{"a refund before the close counts", "B", []step{
			open("2026-01-10"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"),
			on("2026-02-01"), credited(3_00),
		}},
		{"so does a chargeback", "B", []step{
			open("2026-01-10"),
			grocery("t1", 100_00), chargeback("c1", 0, "t1"),
			on("2026-02-01"), credited(0),
		}},
		{"a cap bounds each statement", "B", []step{
			open("2026-01-10"),
			grocery("t1", 900_00), grocery("t2", 900_00),
			on("2026-02-01"), credited(50_00), grocery("t3", 900_00),
			on("2026-03-01"), credited(95_00),
		}},
	})
}

func TestCase3NegativeBalances(t *testing.T) {
	play(t, []course{
		{"the double dip ends in a debt that earnings repay first", "C", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), paid("d1", 50_00),
			refund("r1", 1000_00, "t1"), owns(-50_00), closing(false),
			on("2027-01-05"), owns(-50_00),
			grocery("t2", 1000_00), owns(0), denied("d2", 1), closing(true),
		}},
		{"who never comes back keeps what was redeemed (G13)", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), paid("d1", 5_00), refund("r1", 100_00, "t1"),
			on("2030-01-01"), owns(-5_00),
		}},
		{"an account that was closed in time owes, out of reach", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), paid("d1", 5_00), closing(true),
			refund("r1", 100_00, "t1"), owns(-5_00),
			grocery("t2", 1000_00), owns(-5_00), denied("d2", 1),
		}},
		{"statement: reward and clawback wait for the close", "D", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), owns(0), denied("d1", 50_00),
			on("2026-02-01"), owns(50_00), paid("d1", 50_00),
			refund("r1", 1000_00, "t1"), owns(0),
			on("2026-03-01"), owns(-50_00), closing(false),
			grocery("t2", 2000_00), owns(-50_00),
			on("2026-04-01"), owns(0),
		}},
		{"statement: rewards are computed on net purchases", "D", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"),
			on("2026-02-01"), owns(3_00),
			refund("r2", 60_00, "t1"),
			on("2026-03-01"), owns(0),
		}},
		{"E is built like D", "E", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), on("2026-02-01"), owns(5_00),
			refund("r1", 100_00, "t1"), owns(5_00),
			on("2026-03-01"), owns(0),
		}},
		{"between refund and close the reward can be redeemed", "F", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), owns(50_00),
			refund("r1", 1000_00, "t1"), owns(50_00),
			paid("d1", 50_00), owns(0),
			on("2026-01-31"), owns(0),
			on("2026-02-01"), owns(-50_00), closing(false),
			grocery("t2", 1000_00), owns(0),
		}},
		{"a debt is forgiven, which comes to case I", "V3(a)", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), paid("d1", 50_00),
			refund("r1", 1000_00, "t1"), owns(0),
			on("2026-02-01"), grocery("t2", 1000_00), owns(50_00),
		}},
		{"what was not redeemed is clawed back", "V3(a)", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("r1", 40_00, "t1"), owns(3_00),
			chargeback("c1", 0, "t1"), owns(0), closing(true),
		}},
	})
}

// What the paper found nothing wrong with is right at all modelled designs; C
// shows it, where it can be seen at once.
func TestBenefitOfTheDoubt(t *testing.T) {
	play(t, []course{
		{"parts of any size leave nothing of a refunded purchase", "C", []step{
			open("2026-01-05"),
			grocery("t1", 99), owns(4),
			refund("r1", 33, "t1"), owns(2), refund("r2", 33, "t1"), owns(1), refund("r3", 33, "t1"), owns(0),
		}},
		{"a refund above what is left counts for what is left", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), grocery("t2", 100_00),
			refund("r1", 60_00, "t1"), refund("r2", 60_00, "t1"), owns(5_00),
		}},
		{"a redelivery changes nothing", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), grocery("t1", 100_00), owns(5_00),
			refund("r1", 40_00, "t1"), refund("r1", 40_00, "t1"), owns(3_00),
			chargeback("c1", 10_00, "t1"), chargeback("c1", 10_00, "t1"), owns(2_50),
			paid("d1", 1_00), paid("d1", 1_00), owns(1_50), denied("d1", 50),
		}},
		{"a refund and a chargeback of the same id are two facts", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), refund("x1", 40_00, "t1"), chargeback("x1", 40_00, "t1"), owns(1_00),
		}},
		{"a refund that overtakes its purchase waits", "C", []step{
			open("2026-01-05"),
			refund("r1", 60_00, "t1"), chargeback("c1", 10_00, "t1"),
			grocery("t1", 100_00), owns(1_50),
		}},
		{"a refund within the month gives cap room back", "C", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), refund("r1", 500_00, "t1"), owns(25_00),
			grocery("t2", 1000_00), owns(50_00),
		}},
		{"a later one does not", "C", []step{
			open("2026-01-05"),
			grocery("t1", 1000_00), on("2026-02-01"), grocery("t2", 1000_00), owns(100_00),
			refund("r1", 1000_00, "t1"), owns(50_00),
			grocery("t3", 1000_00), owns(50_00),
		}},
		{"an unlinked refund is of the latest purchase there that it fits", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), buy("t2", 30_00, "m1", ""), buy("t3", 200_00, "m2", ""), owns(7_30),
			unlinked("r1", 50_00, "m1"), owns(4_80),
			unlinked("r2", 30_00, "m1"), owns(4_50),
			unlinked("r3", 51_00, "m1"), unlinked("r4", 1_00, "m9"), unlinked("r5", 1_00, ""), owns(4_50),
		}},
		{"a closed account pays nothing", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), closing(true), shows(5_00, 0), denied("d1", 5_00),
		}},
		{"only what is positive can be redeemed", "C", []step{
			open("2026-01-05"),
			grocery("t1", 100_00), denied("d1", 0), denied("d2", -1), denied("d3", 5_01), owns(5_00),
		}},
		{"the category comes from the merchant category code", "C", []step{
			open("2026-01-05"),
			func(i issuer.Issuer) error {
				return i.Settle(issuer.Settlement{Account: acct, Transaction: "t1", Amount: 100_00, MCC: "5411"})
			},
			owns(5_00),
		}},
		{"statements that several months have left open close one by one", "F", []step{
			open("2026-01-31"),
			grocery("t1", 1000_00), refund("r1", 1000_00, "t1"),
			on("2026-05-03"), owns(0),
			grocery("t2", 1000_00), owns(50_00),
		}},
		{"a clock does not go back", "F", []step{
			open("2026-02-01"),
			grocery("t1", 100_00), refund("r1", 100_00, "t1"),
			on("2026-01-01"), owns(5_00),
			on("2026-02-28"), owns(5_00),
			on("2026-03-01"), owns(0),
		}},
	})
}

// Designs read the published terms alike: the first rule that matches in all
// that it gives.
func TestPublishedTerms(t *testing.T) {
	program := labtest.Everyday()
	program.Rules = []reward.Rule{
		{ID: "shop", Match: reward.Match{Merchants: map[string]bool{"m7": true}, Categories: []string{"GROCERY"}}, Rate: rate("7%"), Cap: reward.NoCap},
		{ID: "dining", Match: reward.Match{MCCs: []reward.MCCRange{{First: labtest.MCC("5811"), Last: labtest.MCC("5814")}}}, Rate: rate("3%"), Cap: reward.NoCap},
		{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: rate("5%"), Cap: reward.NoCap},
	}
	tests := []struct {
		merchant, mcc, category string
		want                    int64
	}{
		{"m7", "", "GROCERY", 7_00},
		{"m7", "", "", 0},
		{"m7", "5411", "", 7_00},
		{"m1", "5411", "", 5_00},
		{"m1", "5411", "GAS", 0},
		{"m1", "5811", "GROCERY", 3_00},
		{"m1", "5814", "", 3_00},
		{"m1", "5815", "", 0},
		{"", "", "", 0},
	}
	for _, test := range tests {
		for _, name := range []string{"C", instant} {
			i := labtest.Design(t, name).New(program)
			trace(t, i, open("2026-01-05"),
				func(i issuer.Issuer) error {
					return i.Settle(issuer.Settlement{Account: acct, Transaction: "t1", Amount: 100_00,
						Merchant: test.merchant, MCC: test.mcc, Category: test.category})
				},
				owns(test.want), refund("r1", 100_00, "t1"), owns(0))
		}
	}
}

// Calls that cannot be made are errors, at every design.
func TestCallsThatCannotBeMade(t *testing.T) {
	tooMuch := reward.MaxAmount + 1
	for _, d := range design.Others() {
		t.Run(d.Name, func(t *testing.T) {
			calls := map[string]step{
				"open twice":           func(i issuer.Issuer) error { return i.Open(acct) },
				"unknown account":      func(i issuer.Issuer) error { _, err := i.Balance("nobody"); return err },
				"close of an unknown":  func(i issuer.Issuer) error { return i.CloseStatement("nobody") },
				"purchase too large":   grocery("t1", tooMuch),
				"refund too large":     refund("r1", tooMuch, "t1"),
				"chargeback too large": chargeback("c1", tooMuch, "t1"),
				"clock out of range":   on("1969-12-31"),
				"malformed mcc": func(i issuer.Issuer) error {
					return i.Settle(issuer.Settlement{Account: acct, Transaction: "t1", Amount: 1, MCC: "54"})
				},
			}
			for name, call := range calls {
				i := d.New(labtest.Everyday())
				trace(t, i, open("2026-01-05"))
				if err := call(i); err == nil {
					t.Errorf("%s: no error", name)
				}
				trace(t, i, shows(0, 0))
			}
		})
	}
}

// The paper's robust tier keeps Reward Integrity on every course of purchases
// and linked refunds over months, once the last statement is closed; the whole
// reward of what is wholly returned goes.
func TestRobustTierKeepsRewardIntegrity(t *testing.T) {
	for _, name := range []string{"C", "D", "E", "F"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				world := newWorld(rt, labtest.Design(t, name).New(labtest.Everyday()))
				for range rapid.IntRange(1, 25).Draw(rt, "moves") {
					world.move(rt)
				}
				world.nextMonth(rt)
				world.mustNotExceedEntitlement(rt)
				world.returnEverything(rt)
				world.nextMonth(rt)
				if got := world.netReward(rt); got != 0 {
					rt.Fatalf("net reward %d on nothing kept", got)
				}
			})
		})
	}
}
