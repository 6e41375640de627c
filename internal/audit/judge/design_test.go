package judge_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake/history"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/internal/traffic"
	"recoup/reward"
)

// seen is what is expected of a design's exports.
type seen struct {
	design string
	// same and later are what most refunds that name their purchase come to, in its
	// cycle and after it.
	same, later judge.Outcome
	shows       []flaw.Code
}

// Each design of the lab plays the same traffic. Of its exports, in which a reward
// row is a change of the balance and names nothing, outcomes and signs are what the
// design does, and no other flaw shows but for a few odd rows. Who walked away in
// debt (G13) is there in every design that keeps debts.
func TestDesigns(t *testing.T) {
	tests := []seen{
		{"A", judge.Never, judge.Never, nil},
		{"B", judge.Netted, judge.Never, nil},
		{"C", judge.AtOnce, judge.AtOnce, nil},
		{"D", judge.Netted, judge.AtClose, []flaw.Code{"G10"}},
		{"F", judge.AtClose, judge.AtClose, []flaw.Code{"V3(b)", "G10"}},
		{"V3(a)", judge.AtOnce, judge.AtOnce, nil},
		{"Literal (instant)", judge.AtOnce, judge.AtOnce, nil},
		{"Literal (statement)", judge.Netted, judge.AtClose, []flaw.Code{"G1", "G10"}},
		{"Literal (hybrid)", judge.Never, judge.AtClose, []flaw.Code{"G10"}},
		{"Recoup (instant)", judge.AtOnce, judge.AtOnce, nil},
		{"Recoup (statement)", judge.Netted, judge.AtClose, nil},
		{"Recoup (rerate)", judge.AtOnce, judge.AtOnce, nil},
		{"Recoup (mature)", judge.AtOnce, judge.AtOnce, nil},
	}
	for _, test := range tests {
		t.Run(test.design, func(t *testing.T) {
			t.Parallel()
			d, err := design.Find(test.design)
			if err != nil {
				t.Fatal(err)
			}
			p := everyday()
			x := exports(t, d, p, traffic.Options{Accounts: 30, Events: 4000, Seed: 7, Program: p, Days: 300, OverRefunds: 30, ReturnShare: 120})
			got := x.judge(judge.Options{ReturnDays: 30, End: x.now})
			got.expectMost(t, "same cycle", got.outcomes[judge.SameCycle], test.same)
			got.expectMost(t, "later cycle", got.outcomes[judge.LaterCycle], test.later)
			for _, code := range codes() {
				n, of := got.shown[code], got.could[code]
				if contains(test.shows, code) {
					if n == 0 {
						t.Errorf("%s does not show, at %d opportunities", code, of)
					}
				} else if n > 2+of/50 && code != flaw.G13 {
					t.Errorf("%s shows %d times of %d: %+v", code, n, of, got.examples[code])
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

func contains(list []flaw.Code, code flaw.Code) bool {
	for _, c := range list {
		if c == code {
			return true
		}
	}
	return false
}

// expectMost expects an outcome of eight in ten refunds with something at stake; of
// the floored ones less, since some find nothing to take.
func (s *tally) expectMost(t *testing.T, place string, counts [9]int, want judge.Outcome) {
	t.Helper()
	all := 0
	for o, n := range counts {
		if judge.Outcome(o) != judge.NothingAtStake && judge.Outcome(o) != judge.TooEarly {
			all += n
		}
	}
	if s.floored > 0 {
		all = all * 7 / 10
	}
	if all < 20 {
		t.Fatalf("%s: only %d refunds to tell from", place, all)
	}
	if counts[want]*10 < all*8 {
		t.Errorf("%s: %d of %d refunds are %s", place, counts[want], all, outcomeNames[want])
	}
}

// The entitlement is the lab's own figure, to the penny.
func TestEntitlementIsTheLabs(t *testing.T) {
	rerate := *everyday()
	rerate.Method = reward.Rerate
	statement := *everyday()
	statement.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	seeds := uint64(2)
	if os.Getenv("RECOUP_LONG") != "" {
		seeds = 6
	}
	for name, p := range map[string]*reward.Program{"as written": everyday(), "rerate": &rerate, "statement": &statement} {
		for seed := range seeds {
			o := traffic.Options{Accounts: 30, Events: 4000, Seed: seed, Program: p, Days: 400, OverRefunds: 60, ReturnShare: 150, Duplicates: 10}
			events := func(yield func([]reward.Event, error) bool) {
				for e := range traffic.Generate(o) {
					if !yield([]reward.Event{e}, nil) {
						return
					}
				}
			}
			c, err := compare.Designs(t.Context(), p, events, nil)
			if err != nil {
				t.Fatal(err)
			}
			x := exports(t, design.Design{New: design.NewRecoup}, p, o)
			got := x.judge(judge.Options{End: x.now}).figures
			if got.Entitlement != c.Entitlement || got.NetSpend != c.NetSpend {
				t.Errorf("%s, seed %d: entitlement %d on %d, the lab has %d on %d", name, seed, got.Entitlement, got.NetSpend, c.Entitlement, c.NetSpend)
			}
			if p.Timing.Clawback == reward.ClawbackAtRefund && got.Leakage != 0 {
				t.Errorf("%s, seed %d: leakage %d of Recoup itself", name, seed, got.Leakage)
			}
		}
	}
}

// noisy makes some rows late by up to five days, and has people adjust balances by
// hand without saying so.
func (x *played) noisy(seed uint64) {
	dice := rand.New(rand.NewPCG(seed, 2))
	for _, a := range x.accounts {
		rows := x.rows[a]
		for i := range rows {
			if dice.IntN(100) < 3 {
				rows[i].At += reward.Instant(dice.Int64N(int64(5 * reward.Day)))
			}
			if dice.IntN(100) == 0 {
				amount := dice.Int64N(20_00) + 1
				if dice.IntN(4) == 0 {
					amount = -amount
				}
				x.rows[a] = append(x.rows[a], history.Row{Kind: history.Reward, Account: a, Amount: amount, At: rows[i].At + reward.Instant(dice.Int64N(int64(reward.Day)))})
			}
		}
	}
}

// Late rows and adjustments by hand do not change what most refunds show.
func TestNoise(t *testing.T) {
	for _, test := range []seen{
		{"A", judge.Never, judge.Never, nil},
		{"B", judge.Netted, judge.Never, nil},
		{"C", judge.AtOnce, judge.AtOnce, nil},
		{"D", judge.Netted, judge.AtClose, []flaw.Code{"G10"}},
		{"F", judge.AtClose, judge.AtClose, []flaw.Code{"V3(b)", "G10"}},
		{"V3(a)", judge.AtOnce, judge.AtOnce, nil},
	} {
		t.Run(test.design, func(t *testing.T) {
			t.Parallel()
			d, err := design.Find(test.design)
			if err != nil {
				t.Fatal(err)
			}
			p := everyday()
			x := exports(t, d, p, traffic.Options{Accounts: 60, Events: 8000, Seed: 11, Program: p, Days: 300, ReturnShare: 150})
			x.noisy(1)
			got := x.judge(judge.Options{ReturnDays: 30, End: x.now})
			got.expectMost(t, "same cycle", got.outcomes[judge.SameCycle], test.same)
			got.expectMost(t, "later cycle", got.outcomes[judge.LaterCycle], test.later)
			for _, code := range codes() {
				n, of := got.shown[code], got.could[code]
				if contains(test.shows, code) {
					if 3*n < of {
						t.Errorf("%s shows %d times of %d", code, n, of)
					}
				} else if n > 3+of/10 && code != flaw.G13 {
					t.Errorf("%s shows %d times of %d: %+v", code, n, of, got.examples[code])
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}
