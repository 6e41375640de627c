package judge_test

import (
	"strings"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

// Purchases that are refunded as they should be, for comparison: one in its cycle,
// one later, clawed back at once.
const (
	goodAtOnce = `
		2025-11-05 purchase g1 100.00 m9 GROCERY
		2025-11-05 reward 5.00 g1
		2025-11-10 refund gr1 100.00 of g1
		2025-11-10 reward -5.00 g1
		2025-11-15 purchase g2 100.00 m9 GROCERY
		2025-11-15 reward 5.00 g2
		2025-12-10 refund gr2 100.00 of g2
		2025-12-10 reward -5.00 g2
	`
	boughtAtOnce = `
		2026-01-05 purchase t1 100.00 m1 GROCERY
		2026-01-05 reward 5.00 t1
	`
)

func rerated() *reward.Program {
	p := *everyday()
	p.Method = reward.Rerate
	return &p
}

// promoted pays 3 % on groceries from February on, dearer 7 %.
func promoted() *reward.Program { return groceriesAt(3_000_000) }
func dearer() *reward.Program   { return groceriesAt(7_000_000) }

func groceriesAt(rate reward.Rate) *reward.Program {
	first := everyday()
	p := *first
	p.Version, p.Earlier, p.From = 2, first, reward.CycleAt(at("2026-02-01 00:00"))
	p.Rules = []reward.Rule{p.Rules[0], p.Rules[1]}
	p.Rules[0].Rate = rate
	return &p
}

func TestSigns(t *testing.T) {
	tests := []struct {
		name    string
		code    flaw.Code
		program *reward.Program
		text    string
		want    string // what shows
		could   int    // opportunities of the flaw
		shorts  bool   // it costs the cardholder, of a flaw that can cost either
	}{
		{name: "V3(a): the debt is written off", code: "V3(a)", could: 1, want: "V3(a) 3.00", text: boughtAtOnce + `
			2026-01-06 redemption 3.00
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -5.00
			2026-02-20 reward 3.00`},
		{name: "G10: redeemed before the close", code: flaw.G10, could: 1, want: "G10 5.00", text: boughtAtOnce + `
			2026-02-10 refund r1 100.00 of t1
			2026-02-28 redemption 5.00
			2026-03-04 reward -5.00 t1`},
		{name: "G10: a clawback that comes after months is of something else", code: flaw.G10, could: 0, want: "late-clawback 0.00", text: boughtAtOnce + `
			2026-02-10 refund r1 100.00 of t1
			2026-02-28 redemption 5.00
			2026-06-01 reward -5.00 t1`},
		{name: "V3(b): redeemed before the clawback", code: "V3(b)", could: 1, want: "V3(b) 5.00", text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 redemption 5.00
			2026-02-01 00:00 reward -5.00 t1
			2026-05-30 purchase t9 1.00 m1`},
		{name: "V3(b): a clawback two closes later is late, and no window within the cycle", code: "V3(b)", could: 0, want: "G10 5.00, late-clawback 0.00", text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 redemption 5.00
			2026-03-01 00:00 reward -5.00 t1`},
		{name: "G10: a late clawback of nobody knows what, and no more was redeemed than is promised", code: flaw.G10, could: 1, text: boughtAtOnce + `
			2026-01-08 purchase t2 100.00 m1 GROCERY
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 redemption 5.00
			2026-02-01 00:00 reward 5.00 t2
			2026-03-01 00:00 reward -5.00`, want: "late-clawback 0.00"},
		{name: "V3(b): no more was redeemed than is promised", code: "V3(b)", could: 1, text: boughtAtOnce + `
			2026-01-08 purchase t2 100.00 m1 GROCERY
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 redemption 5.00
			2026-01-20 reward 5.00 t2
			2026-02-01 00:00 reward -5.00 t1`},
		{name: "V3(b): what waits is left alone", code: "V3(b)", could: 1, text: `
			2026-01-05 purchase t0 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t0
			` + boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-01-12 redemption 5.00
			2026-02-01 00:00 reward -5.00 t1`},
		{name: "G10: redeemed before a later clawback", code: flaw.G10, could: 1, want: "G10 4.00", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-02-01 00:00 reward 5.00
			2026-02-10 refund r1 100.00 of t1
			2026-02-12 redemption 4.00
			2026-03-01 00:00 reward -5.00
			2026-05-30 purchase t9 1.00 m1`},
		{name: "G1: netted and forgotten", code: flaw.G1, could: 1, want: "G1 1.20", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-10 refund r1 40.00 of t1
			2026-02-01 00:00 reward 3.00 t1
			2026-02-10 refund r2 60.00 of t1
			2026-02-10 reward -1.80 t1`},
		{name: "G1: the rest is taken", code: flaw.G1, could: 1, text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-10 refund r1 40.00 of t1
			2026-02-01 00:00 reward 3.00 t1
			2026-02-10 refund r2 60.00 of t1
			2026-02-10 reward -3.00 t1`},
		{name: "G4: granted twice", code: flaw.G4, could: 1, want: "G4 5.00", text: boughtAtOnce + `
			2026-01-06 purchase t1 100.00 m1 GROCERY
			2026-01-06 reward 5.00`},
		{name: "G4: exported twice, granted once", code: flaw.G4, could: 1, text: boughtAtOnce + `
			2026-01-06 purchase t1 100.00 m1 GROCERY`},
		{name: "G5: taken twice", code: flaw.G5, could: 1, want: "G5 2.00", text: boughtAtOnce + `
			2026-01-10 refund r1 40.00 of t1
			2026-01-10 reward -2.00
			2026-01-11 refund r1 40.00 of t1
			2026-01-11 reward -2.00`},
		{name: "G5: exported twice, taken once", code: flaw.G5, could: 1, text: boughtAtOnce + `
			2026-01-10 refund r1 40.00 of t1
			2026-01-10 reward -2.00
			2026-01-11 refund r1 40.00 of t1`},
		{name: "G8: above the balance", code: flaw.G8, could: 1, want: "G8 2.00", text: boughtAtOnce + `
			2026-03-10 redemption 7.00`},
		{name: "G8: as much as there is", code: flaw.G8, could: 1, text: boughtAtOnce + `
			2026-03-10 redemption 5.00`},
		{name: "G8: below zero", code: flaw.G8, could: 2, want: "G8 9.00", text: boughtAtOnce + `
			2026-03-10 redemption 5.00
			2026-03-11 redemption -9.00`},
		{name: "G9: a lost dispute does not give back", shorts: true, code: flaw.G9, could: 1, want: "G9 5.00", text: boughtAtOnce + `
			2026-01-20 chargeback c1 100.00 of t1
			2026-01-20 reward -5.00
			2026-02-20 chargeback_reversed c1`},
		{name: "G9: a lost dispute gives back", shorts: true, code: flaw.G9, could: 1, text: boughtAtOnce + `
			2026-01-20 chargeback c1 100.00 of t1
			2026-01-20 reward -5.00
			2026-02-20 chargeback_reversed c1
			2026-02-20 reward 5.00`},
		{name: "G11: freed cap room is lost", code: flaw.G11, program: rerated(), could: 1, want: "G11 50.00", text: `
			2026-01-05 purchase t1 1000.00 m1 GROCERY
			2026-01-05 reward 50.00 t1
			2026-01-06 purchase t2 1000.00 m1 GROCERY
			2026-01-10 refund r1 1000.00 of t1
			2026-01-10 reward -50.00 t1`},
		{name: "G11: freed cap room is used", code: flaw.G11, program: rerated(), could: 1, text: `
			2026-01-05 purchase t1 800.00 m1 GROCERY
			2026-01-05 reward 40.00 t1
			2026-01-06 purchase t2 1000.00 m1 GROCERY
			2026-01-06 reward 10.00 t2
			2026-01-10 refund r1 800.00 of t1
			2026-01-10 reward -40.00 t1
			2026-01-10 reward 40.00 t2`},
		{name: "G13: the debt of somebody who left", code: flaw.G13, could: 1, want: "G13 5.00", text: boughtAtOnce + `
			2026-01-06 redemption 5.00
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -5.00`},
		{name: "G13: somebody who is still there", code: flaw.G13, could: 0, text: boughtAtOnce + `
			2026-01-06 redemption 5.00
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -5.00
			2026-05-30 purchase t9 1.00 m1`},
		{name: "compounding", code: flaw.Compounding, could: 1, want: "compounding 1.25", text: boughtAtOnce + `
			2026-01-10 refund r1 50.00 of t1
			2026-01-10 reward -2.50 t1
			2026-01-11 refund r2 50.00 of t1
			2026-01-11 reward -1.25 t1`},
		{name: "parts that do not compound", code: flaw.Compounding, could: 1, text: boughtAtOnce + `
			2026-01-10 refund r1 50.00 of t1
			2026-01-10 reward -2.50 t1
			2026-01-11 refund r2 50.00 of t1
			2026-01-11 reward -2.50 t1`},
		{name: "compounding: what was taken before was for a refund of another purchase", code: flaw.Compounding, could: 0, text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 5.00 t1
			2026-01-06 purchase t2 100.00 m1 GROCERY
			2026-01-06 reward 5.00 t2
			2026-01-10 refund r2 20.00 of t2
			2026-01-10 reward -1.00 t1
			2026-01-12 refund r1 100.00 of t1
			2026-01-12 reward -4.00 t1`},
		{name: "current rate: a version with another rate", code: flaw.CurrentRate, program: promoted(), could: 1, want: "current-rate 2.00", text: boughtAtOnce + `
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -3.00 t1`},
		{name: "current rate: the original is taken", code: flaw.CurrentRate, program: promoted(), could: 1, text: boughtAtOnce + `
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -5.00 t1`},
		{name: "current rate: a promotion that is over", code: flaw.CurrentRate, could: 1, want: "current-rate 3.00", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 8.00 t1
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -5.00 t1`},
		{name: "current rate: a promotion that began since", shorts: true, code: flaw.CurrentRate, program: dearer(), could: 1, want: "current-rate 2.00", text: boughtAtOnce + `
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -7.00 t1`},
		{name: "current rate: in the cycle of the purchase it is the purchase's", code: flaw.CurrentRate, could: 0, text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 10.00 t1
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -10.00 t1`},
		{name: "current rate: other purchases tell the rate of the day", code: flaw.CurrentRate, could: 1, want: "current-rate 5.00", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 20.00 t1
			2026-02-03 purchase t2 10.00 m1 GROCERY
			2026-02-03 reward 1.50 t2
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -15.00 t1`},
		{name: "compounding that looks like the base rate in the second part", code: flaw.Compounding, could: 1, want: "compounding 0.80", text: boughtAtOnce + `
			2026-01-10 refund r1 80.00 of t1
			2026-01-10 reward -4.00 t1
			2026-01-11 refund r2 20.00 of t1
			2026-01-11 reward -0.20 t1`},
		{name: "bonus kept: the base rate of two halves is no compounding", code: flaw.BonusKept, could: 2, want: "bonus-kept 1.50, bonus-kept 1.50", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 2.00 t1
			2026-01-05 reward 3.00 t1
			2026-01-10 refund r1 50.00 of t1
			2026-01-10 reward -1.00 t1
			2026-01-11 refund r2 50.00 of t1
			2026-01-11 reward -1.00 t1`},
		{name: "bonus kept: two grants that name no purchase", code: flaw.BonusKept, could: 1, want: "bonus-kept 3.00", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 2.00
			2026-01-05 reward 3.00
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -2.00`},
		{name: "bonus kept: the base rate is taken", code: flaw.BonusKept, could: 1, want: "bonus-kept 4.00", text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -1.00 t1`},
		{name: "bonus kept: one of two grants is taken", code: flaw.BonusKept, could: 1, want: "bonus-kept 3.00", text: `
			2026-01-05 purchase t1 100.00 m1 GROCERY
			2026-01-05 reward 2.00 t1
			2026-02-01 00:00 reward 3.00 t1
			2026-02-10 refund r1 100.00 of t1
			2026-02-10 reward -2.00 t1`},
		{name: "bonus kept: all is taken", code: flaw.BonusKept, could: 1, text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-01-10 reward -5.00 t1`},
		{name: "parts are ignored, with nothing on the balance", code: flaw.CodeOf(flaw.V3a), could: 0, text: goodAtOnce + boughtAtOnce + `
			2026-01-06 redemption 5.00
			2026-01-10 refund r1 40.00 of t1`},
		{name: "late", code: flaw.LateClawback, could: 1, want: "late-clawback 0.00", text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-03-01 00:00 reward -5.00 t1`},
		{name: "in time", code: flaw.LateClawback, could: 1, text: boughtAtOnce + `
			2026-01-10 refund r1 100.00 of t1
			2026-02-01 00:00 reward -5.00 t1`},
		{name: "over-clawed", code: flaw.OverClawed, could: 1, want: "over-clawed 1.00", text: boughtAtOnce + `
			2026-01-10 refund r1 40.00 of t1
			2026-01-10 reward -3.00 t1`},
		{name: "rounded the other way", code: flaw.OverClawed, could: 1, text: boughtAtOnce + `
			2026-01-10 refund r1 33.33 of t1
			2026-01-10 reward -1.66 t1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := test.program
			if p == nil {
				p = everyday()
			}
			a := judgedUnder(t, p, "2026-06-01", test.text)
			if got := relevant(shown(a), test.code); got != test.want {
				t.Errorf("shown: %q, want %q (%s; %s)", got, test.want, shown(a), outcomes(a))
			}
			if got := opportunities(a, test.code); got != test.could {
				t.Errorf("opportunities of %s: %d, want %d", test.code, got, test.could)
			}
			for _, s := range a.Signs {
				if s.Shown && s.Example == nil {
					t.Errorf("%s shows without an example", s.Flaw)
				}
				if s.Flaw == test.code && s.Shorts != test.shorts {
					t.Errorf("%s costs the cardholder, or would: %t, want %t", s.Flaw, s.Shorts, test.shorts)
				}
			}
		})
	}
}

// relevant leaves exposure of the account out of a list of flaws, unless the test is
// about it.
func relevant(list string, code flaw.Code) string {
	var kept []string
	for _, s := range strings.Split(list, ", ") {
		if name, _, _ := strings.Cut(s, " "); s != "" && (name != "G13" || code == flaw.G13) {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, ", ")
}

// Every flaw that exports can show has an example in words.
func TestExample(t *testing.T) {
	a := judged(t, "2026-06-01", boughtAtOnce+`
		2026-01-10 refund r1 50.00 of t1
		2026-01-10 reward -2.50 t1
		2026-01-11 refund r2 50.00 of t1
		2026-01-11 reward -1.25 t1`)
	var got *judge.Example
	for _, s := range a.Signs {
		if s.Shown {
			got = s.Example
		}
	}
	if got == nil {
		t.Fatal("nothing shows")
	}
	if want := "$2.50 is taken, the refund's share of $5.00"; got.Expected != want {
		t.Errorf("expected is %q, want %q", got.Expected, want)
	}
	if want := "$1.25 was taken: it is the share of what earlier refunds had left of the reward"; got.Found != want {
		t.Errorf("found is %q, want %q", got.Found, want)
	}
	want := []judge.Step{
		{At: at("2026-01-05 12:00"), What: "purchase t1", Amount: 100_00, Spend: true},
		{At: at("2026-01-05 12:00"), What: "reward granted of t1", Amount: 5_00},
		{At: at("2026-01-10 12:00"), What: "refund r1 of t1", Amount: 50_00, Spend: true},
		{At: at("2026-01-11 12:00"), What: "refund r2 of t1", Amount: 50_00, Spend: true},
		{At: at("2026-01-11 12:00"), What: "reward taken back of t1", Amount: -1_25},
	}
	if len(got.Steps) != len(want) {
		t.Fatalf("steps are %+v, want %+v", got.Steps, want)
	}
	for i := range want {
		if got.Steps[i] != want[i] {
			t.Errorf("step %d is %+v, want %+v", i, got.Steps[i], want[i])
		}
	}
	if got.Purchase != "t1" || got.Account != "acct-1" || program.FormatAmount(got.Amount, "USD") != "$1.25" {
		t.Errorf("the example is of %s, %s, %d", got.Account, got.Purchase, got.Amount)
	}
}
