package examine_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/reward"
)

// The six columns of the paper's table "Comparative issuer behavior", cell by
// cell, and after them what it does not have. The order is: reward timing, refund
// adjustment, negative balance support, Reward Integrity, Refund Reward
// Consistency, class.
func TestIssuerTable(t *testing.T) {
	want := map[string][6]string{
		"A": {"Instant", "None", "N/A", "×", "×", "V1"},
		"B": {"Stmt. close", "None", "N/A", "×", "×", "V2"},
		"C": {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
		"D": {"Stmt. close", "Stmt. close", "Indefinite", "✓", "✓", "robust"},
		"E": {"Stmt. close", "Stmt. close", "Indefinite", "✓", "✓", "robust"},
		"F": {"Instant", "Stmt. close", "Indefinite*", "~", "~", "V3(b)"},

		"V3(a)":             {"Instant", "Immediate", "Floored", "×", "×", "V3(a)"},
		"Literal (instant)": {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
		// G1: refunded in parts, before and after the close.
		"Literal (statement)": {"Stmt. close", "Stmt. close", "Indefinite", "×", "×", "other"},
		// G6: B the other way round.
		"Literal (hybrid)": {"Instant", "Stmt. close", "Indefinite", "×", "×", "V2"},

		"Recoup (instant)":   {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
		"Recoup (statement)": {"Stmt. close", "Stmt. close", "Indefinite", "✓", "✓", "robust"},
		"Recoup (rerate)":    {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
		"Recoup (mature)":    {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
		"Recoup":             {"Instant", "Immediate", "Indefinite", "✓", "✓", "robust"},
	}
	got := issuerTable(t)
	if len(got) != len(want) {
		t.Errorf("%d issuers, want %d", len(got), len(want))
	}
	for name, f := range got {
		cells := [6]string{f.RewardTiming, f.RefundAdjustment, f.NegativeBalance, f.RewardIntegrity.Symbol(), f.RefundRewardConsistency.Symbol(), string(f.Class)}
		if cells != want[name] {
			t.Errorf("%s: %q, want %q", name, cells, want[name])
		}
	}
}

// The paper's tables "Vulnerability taxonomy" and "STRIDE mapping".
func TestMappings(t *testing.T) {
	for name, want := range map[string]flaw.Mapping{
		"A":     {CWE: "CWE-841", OWASP: 1, Tampering: "impacted", Repudiation: "impacted"},
		"B":     {CWE: "CWE-841", OWASP: 7, Tampering: "impacted", Repudiation: "impacted"},
		"C":     {Tampering: "mitigates"},
		"D":     {Tampering: "mitigates"},
		"E":     {Tampering: "mitigates"},
		"F":     {CWE: "CWE-841", OWASP: 4, Tampering: "partial", Repudiation: "partial"},
		"V3(a)": {CWE: "CWE-841", OWASP: 4, Tampering: "impacted", Repudiation: "impacted"},
	} {
		if got := issuerTable(t)[name].Mapping; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// What the class is derived from, in figures: $5 on nothing bought.
func TestEvidence(t *testing.T) {
	for name, want := range map[string]examine.Evidence{
		"A":                   {Sequence: "redeemed-and-returned-in-its-cycle", NetReward: 5_00},
		"B":                   {Sequence: "returned-in-the-next-cycle", NetReward: 5_00},
		"C":                   {Sequence: "redeemed-and-returned-later"},
		"F":                   {Sequence: "refunded-in-its-cycle-then-redeemed", NetReward: 5_00},
		"V3(a)":               {Sequence: "redeemed-and-returned-later", NetReward: 5_00},
		"Literal (statement)": {Sequence: "returned-in-parts", NetReward: 1_20},
		"Literal (hybrid)":    {Sequence: "returned-in-its-cycle", NetReward: 5_00},
		"Recoup":              {Sequence: "redeemed-and-returned-later"},
	} {
		if got := issuerTable(t)[name].Evidence; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// What the paper's cells leave out. Who holds what is about to be clawed back
// (Recoup) has no residual float; who grants at the close, too, does have one, but
// nobody can turn the same money over within a cycle there. Only waiting out the
// return window keeps those who walk away from anything.
func TestFloatAndWalkAway(t *testing.T) {
	type figures struct {
		float        int64
		days         int
		once, rounds int64
	}
	for name, want := range map[string]figures{
		"A":                   {5_00, -1, 5_00, 15_00},
		"B":                   {0, 0, 5_00, 0},
		"C":                   {0, 0, 5_00, 5_00},
		"D":                   {5_00, 19, 5_00, 0},
		"E":                   {5_00, 19, 5_00, 0},
		"F":                   {5_00, 19, 5_00, 15_00},
		"V3(a)":               {0, 0, 5_00, 15_00},
		"Literal (instant)":   {0, 0, 5_00, 5_00},
		"Literal (statement)": {5_00, 19, 5_00, 0},
		"Literal (hybrid)":    {5_00, -1, 5_00, 15_00},
		"Recoup (instant)":    {0, 0, 5_00, 5_00},
		"Recoup (statement)":  {0, 0, 5_00, 0},
		"Recoup (rerate)":     {0, 0, 5_00, 5_00},
		"Recoup (mature)":     {0, 0, 0, 0},
		"Recoup":              {0, 0, 5_00, 5_00},
	} {
		f := issuerTable(t)[name]
		if got := (figures{f.Float, f.FloatDays, f.WalkAway, f.WalkAwayRounds}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	for name, want := range map[string]string{
		"B":                "refunds in the purchase's own cycle are netted",
		"C":                "",
		"D":                "",
		"F":                "* the debt stays, but only future spend repays it, which the cardholder can withhold",
		"Literal (hybrid)": "refunds in the purchase's own cycle are never adjusted",
		"Recoup (mature)":  "rewards can be redeemed after 30 days",
	} {
		if got := strings.Join(issuerTable(t)[name].Notes, "; "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Nothing but the port is looked at: behind a wrapper of which nobody can know
// what is inside, every design looks just the same.
func TestExaminationSeesThePortOnly(t *testing.T) {
	for _, d := range design.All() {
		open := examined(t, d.New(labtest.Everyday()))
		hidden := examined(t, labtest.NewFresh(func() issuer.Issuer { return d.New(labtest.Everyday()) }))
		if !reflect.DeepEqual(open, hidden) {
			t.Errorf("%s: %+v, but behind a wrapper %+v", d.Name, open, hidden)
		}
	}
}

// Neither does it matter what the settings are called: F's timing is robust where
// what waits to be clawed back is held.
func TestHoldingClosesTheWindow(t *testing.T) {
	program := labtest.Everyday()
	program.Timing.Clawback = reward.ClawbackAtStatement
	b := examined(t, design.NewRecoup(program))
	if b.RewardTiming != "Instant" || b.RefundAdjustment != "Stmt. close" || b.NegativeBalance != "Indefinite" || b.Class != flaw.Robust || b.Float != 0 {
		t.Errorf("%s, %s, %s: %s, float %d", b.RewardTiming, b.RefundAdjustment, b.NegativeBalance, b.Class, b.Float)
	}
}

// Issuers that are none of the lab's, made of C by a change each.
func TestOtherBehaviour(t *testing.T) {
	tests := []struct {
		name            string
		change          changed
		timing          string
		adjustment      string
		negativeBalance string
		integrity       flaw.Verdict
		consistency     flaw.Verdict
		class           flaw.Class
	}{
		{"refunds are processed after three days", changed{refundDays: 3}, "Instant", "Within 3 days", "Indefinite*", flaw.Partial, flaw.Partial, flaw.V3b},
		{"refunds are processed after 45 days", changed{refundDays: 45}, "Instant", "Late", "Indefinite", flaw.Partial, flaw.Violated, flaw.Other},
		{"debts are forgotten after 90 days", changed{debtDays: 90}, "Instant", "Immediate", "Lapses after 4 closes", flaw.Violated, flaw.Violated, flaw.V3a},
		{"debts are not offset", changed{ignoresDebt: true}, "Instant", "Immediate", "Not offset", flaw.Violated, flaw.Violated, flaw.V3a},
		{"debts are not offset, which only a redemption shows", changed{paysDebtors: true}, "Instant", "Immediate", "Not offset", flaw.Violated, flaw.Violated, flaw.V3a},
		{"nothing is ever paid out", changed{neverPays: true}, "Instant", "Immediate", "Not reached", flaw.Satisfied, flaw.Satisfied, flaw.Robust},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := test.change
			c.Issuer = labtest.Design(t, "C").New(labtest.Everyday())
			b := examined(t, &c)
			if b.RewardTiming != test.timing || b.RefundAdjustment != test.adjustment || b.NegativeBalance != test.negativeBalance {
				t.Errorf("%s, %s, %s", b.RewardTiming, b.RefundAdjustment, b.NegativeBalance)
			}
			if b.RewardIntegrity != test.integrity || b.RefundRewardConsistency != test.consistency || b.Class != test.class {
				t.Errorf("integrity %s, consistency %s, class %s", b.RewardIntegrity, b.RefundRewardConsistency, b.Class)
			}
		})
	}
}

// A sequence tells what was done and seen: what makes F an instance of V3(b).
func TestSequences(t *testing.T) {
	yes := true
	day := func(month time.Month, day, hour int) time.Time {
		return time.Date(2032, month, day, hour, 0, 0, 0, time.UTC)
	}
	want := []examine.Observation{
		{At: day(1, 10, 10), Move: "purchase", Amount: 100_00, Balance: 5_00, Redeemable: 5_00, NetSpend: 100_00},
		{At: day(1, 20, 10), Move: "refund", Amount: 100_00, Balance: 5_00, Redeemable: 5_00},
		{At: day(1, 20, 10), Move: "redemption", Amount: 5_00, Accepted: &yes, PaidOut: 5_00},
		{At: day(2, 1, 0), Move: "statement", Balance: -5_00, PaidOut: 5_00},
	}
	for _, s := range issuerTable(t)["F"].Sequences {
		if s.Name == "refunded-in-its-cycle-then-redeemed" {
			if !reflect.DeepEqual(s.Moves, want) {
				t.Errorf("%+v, want %+v", s.Moves, want)
			}
			return
		}
	}
	t.Error("no such sequence")
}

func TestExaminationNeedsAPurchaseThatEarns(t *testing.T) {
	program := labtest.Everyday()
	program.Rules = nil
	_, err := examine.Issuer(design.NewRecoup(program), examine.Sample{Amount: 100_00, Category: "GROCERY"}, 2026)
	if err == nil || !strings.Contains(err.Error(), "expected a sample purchase that earns a reward") {
		t.Errorf("%v", err)
	}
}

func TestExaminationTellsWhichCallFailed(t *testing.T) {
	_, err := examine.Issuer(design.NewRecoup(labtest.Everyday()), examine.Sample{Amount: 100_00, MCC: "54"}, 2026)
	if err == nil || !strings.Contains(err.Error(), "kept: purchase at 2026-01-10") || !strings.Contains(err.Error(), "mcc") {
		t.Errorf("%v", err)
	}
}

func TestIssuerTableForPeople(t *testing.T) {
	table, err := examine.NewIssuers(design.All())
	if err != nil {
		t.Fatal(err)
	}
	labtest.WantTable(t, table,
		"│ F                   │ Instant       │ Stmt. close       │ Indefinite*  │ ~  │ ~   │ $5.00 for 19 days │          $5.00 │          $15.00 │",
		"│ C                   │ robust │ –                       │ –       │ –                                       │ mitigates │ –       │",
		"│ B                   │ V2     │ RI, RRC                 │ CWE-841 │ 7 Transition Validation Flaws           │ ✓         │ ✓       │ returned in the next cycle          │     $0.00 │      $5.00 │",
		"B: refunds in the purchase's own cycle are netted.",
	)
}

func issuerTable(t *testing.T) map[string]*examine.Finding {
	t.Helper()
	table, err := examine.NewIssuers(design.All())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*examine.Finding{}
	for i := range table.Issuers {
		byName[table.Issuers[i].Design] = &table.Issuers[i]
	}
	return byName
}

func examined(t *testing.T, i issuer.Issuer) *examine.Behaviour {
	t.Helper()
	b, err := examine.Issuer(i, examine.Sample{Amount: 100_00, Merchant: "m1", Category: "GROCERY"}, 2026)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changed is an issuer with one thing made different.
type changed struct {
	issuer.Issuer
	refundDays  int // after so many days is a refund processed
	debtDays    int // after so many days is a debt forgotten
	ignoresDebt bool
	paysDebtors bool
	neverPays   bool

	now     time.Time
	waiting []waiting
	inDebt  map[string]time.Time // since when
}

type waiting struct {
	due    time.Time
	refund issuer.Refund
}

func (c *changed) SetClock(now time.Time) error {
	for len(c.waiting) > 0 && !c.waiting[0].due.After(now) {
		next := c.waiting[0]
		c.waiting = c.waiting[1:]
		if err := c.Issuer.SetClock(next.due); err != nil {
			return err
		}
		if err := c.Issuer.Refund(next.refund); err != nil {
			return err
		}
	}
	c.now = now
	return c.Issuer.SetClock(now)
}

func (c *changed) Refund(r issuer.Refund) error {
	if c.refundDays == 0 {
		return c.Issuer.Refund(r)
	}
	c.waiting = append(c.waiting, waiting{c.now.AddDate(0, 0, c.refundDays), r})
	return nil
}

func (c *changed) Redeem(r issuer.Redemption) (bool, error) {
	if c.neverPays {
		return false, nil
	}
	accepted, err := c.Issuer.Redeem(r)
	return accepted || c.paysDebtors && c.wasInDebt(r.Account), err
}

func (c *changed) Balance(account string) (issuer.Balance, error) {
	b, err := c.Issuer.Balance(account)
	switch {
	case c.neverPays:
		b.Redeemable = 0
	case c.ignoresDebt && b.Balance == 0 && c.wasInDebt(account):
		b = issuer.Balance{Balance: 5_00, Redeemable: 5_00}
	case c.debtDays > 0 && b.Balance < 0 && c.wasInDebt(account) && c.now.After(c.inDebt[account].AddDate(0, 0, c.debtDays)):
		b.Balance = 0
	}
	if b.Balance < 0 && !c.wasInDebt(account) {
		if c.inDebt == nil {
			c.inDebt = map[string]time.Time{}
		}
		c.inDebt[account] = c.now
	}
	return b, err
}

func (c *changed) wasInDebt(account string) bool { return !c.inDebt[account].IsZero() }
