package design_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/flaw"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/program"
)

func variantDesign(t testing.TB, name string) design.Variant {
	t.Helper()
	for _, v := range design.Variants() {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no variant %q", name)
	return design.Variant{}
}

func TestVariantsAreFoundAndTold(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range design.All() {
		seen[d.Name] = true
	}
	variants := design.Variants()
	if len(variants) < 14 {
		t.Errorf("%d variants", len(variants))
	}
	for _, v := range variants {
		if seen[v.Name] {
			t.Errorf("two designs are called %q", v.Name)
		}
		seen[v.Name] = true
		found, err := design.Find(strings.ToUpper(strings.ReplaceAll(v.Name, " ", "-")))
		if err != nil || found.Name != v.Name || found.Title == "" || found.Source == "" {
			t.Errorf("Find finds %q (%q, %q), %v for %s", found.Name, found.Title, found.Source, err, v.Name)
		}
	}
}

// The truth names flaws that there are, in order, and for every design.
func TestTruthOfEveryDesign(t *testing.T) {
	p := program.Everyday()
	var order []flaw.Code
	for _, f := range flaw.Catalogue() {
		order = append(order, f.Code)
	}
	designs := design.All()
	for _, v := range design.Variants() {
		designs = append(designs, v.Design)
	}
	for _, d := range designs {
		truth, ok := design.TruthOf(d.Name, p)
		if !ok || truth.Class == "" {
			t.Errorf("TruthOf(%s) = %+v, %t", d.Name, truth, ok)
		}
		at := -1
		for _, code := range truth.Flaws {
			next := slices.Index(order, code)
			if next <= at || code == flaw.CodeOf(truth.Class) {
				t.Errorf("%s: flaws %v: expected known ones, in the order of the catalogue, without the class", d.Name, truth.Flaws)
			}
			at = next
		}
	}
	if _, ok := design.TruthOf("G", p); ok {
		t.Error("there is a truth about G")
	}
	for name, want := range map[string]flaw.Code{"Recoup (instant)": flaw.G11, "Recoup (mature)": flaw.G11, "Recoup (rerate)": flaw.G13, "C": flaw.G11, "Compounding": flaw.Compounding} {
		if truth, _ := design.TruthOf(name, p); !slices.Contains(truth.Flaws, want) {
			t.Errorf("%s: flaws %v, want %s among them", name, truth.Flaws, want)
		}
	}
}

// The examination plays no redeliveries, over-refunds, early or unlinked refunds,
// chargebacks or caps, so it finds nothing in designs that fall short there. Of
// all others it says the true class.
func TestExaminationOfVariants(t *testing.T) {
	p := program.Everyday()
	sample := examine.Sample{Amount: 100_00, Merchant: "m1", Category: "GROCERY"}
	type row struct {
		class             flaw.Class
		adjustment        string
		balance           string
		integrity, refund flaw.Verdict
	}
	asC := row{flaw.Robust, "Immediate", "Indefinite", flaw.Satisfied, flaw.Satisfied}
	for name, want := range map[string]row{
		"Compounding":           {flaw.Other, "Immediate", "Indefinite", flaw.Violated, flaw.Violated},
		"Current rate":          {flaw.Other, "Partial", "N/A", flaw.Violated, flaw.Violated},
		"Bonus kept":            {flaw.Other, "Partial", "N/A", flaw.Violated, flaw.Violated},
		"Cap room lost":         asC,
		"Over-refunds ignored":  asC,
		"Early refunds dropped": asC,
		"Double grant":          asC,
		"Double clawback":       asC,
		"Chargebacks ignored":   asC,
		"Unlinked ignored":      asC,
		"Parts ignored":         {flaw.Other, "Immediate", "Indefinite", flaw.Violated, flaw.Violated},
		"Debt written off":      {flaw.V3a, "Immediate", "Lapses after 4 closes", flaw.Violated, flaw.Violated},
		"Late clawback":         {flaw.Other, "Late", "Indefinite", flaw.Satisfied, flaw.Violated},
		"Fourteen days":         {flaw.V2, "None", "N/A", flaw.Violated, flaw.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			v := variantDesign(t, name)
			b, err := examine.Issuer(v.New(p), sample, 2026)
			if err != nil {
				t.Fatal(err)
			}
			if got := (row{b.Class, b.RefundAdjustment, b.NegativeBalance, b.RewardIntegrity, b.RefundRewardConsistency}); got != want {
				t.Errorf("the examination says %+v, want %+v", got, want)
			}
			if b.Class != v.Class {
				t.Errorf("the examination says %s, the truth is %s", b.Class, v.Class)
			}
		})
	}
}

// Each variant shows its flaw in one trace and is right in the next, where issuer
// C (D for late clawbacks) is right in both.
func TestVariants(t *testing.T) {
	type pair struct {
		name, of      string
		flawed, right []step
		// ends is the balance after the flawed trace, should what it is at the model.
		ends, should int64
	}
	for _, c := range []pair{
		{name: "Compounding", of: "C",
			flawed: []step{grocery("t1", 100_00), refund("r1", 40_00, "t1"), refund("r2", 60_00, "t1")}, ends: 1_20,
			right: []step{grocery("t1", 100_00), refund("r1", 100_00, "t1"), owns(0)}},
		{name: "Bonus kept", of: "C",
			flawed: []step{grocery("t1", 100_00), refund("r1", 50_00, "t1"), refund("r2", 50_00, "t1")}, ends: 4_00,
			right: []step{other("t1", 100_00), owns(1_00), refund("r1", 100_00, "t1"), owns(0)}},
		{name: "Cap room lost", of: "C",
			flawed: []step{grocery("t1", 1000_00), refund("r1", 1000_00, "t1"), grocery("t2", 100_00)}, ends: 0, should: 5_00,
			right: []step{grocery("t1", 900_00), refund("r1", 900_00, "t1"), grocery("t2", 100_00), owns(5_00), on("2026-02-05"), grocery("t3", 1000_00), owns(55_00), refund("r2", 100_00, "t2"), owns(50_00)}},
		{name: "Over-refunds ignored", of: "C",
			flawed: []step{grocery("t1", 100_00), refund("r1", 105_00, "t1")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), refund("r1", 60_00, "t1"), refund("r2", 40_00, "t1"), owns(0), grocery("t2", 100_00), refund("r3", 50_00, "t2"), chargeback("c1", 0, "t2"), owns(0)}},
		{name: "Early refunds dropped", of: "C",
			flawed: []step{refund("r1", 100_00, "t1"), grocery("t1", 100_00)}, ends: 5_00,
			right: []step{grocery("t1", 100_00), refund("r1", 100_00, "t1"), owns(0), grocery("t2", 100_00), unlinked("r2", 100_00, "m1"), owns(0)}},
		{name: "Double grant", of: "C",
			flawed: []step{grocery("t1", 100_00), grocery("t1", 100_00), refund("r1", 100_00, "t1")}, ends: 5_00,
			right: []step{grocery("t1", 900_00), grocery("t2", 100_00), grocery("t2", 100_00), owns(50_00), refund("r1", 100_00, "t2"), refund("r2", 900_00, "t1"), owns(0), closing(true), grocery("t2", 100_00), shows(0, 0)}},
		{name: "Double clawback", of: "C",
			flawed: []step{grocery("t1", 100_00), refund("r1", 40_00, "t1"), refund("r1", 40_00, "t1")}, ends: 1_00, should: 3_00,
			right: []step{refund("r0", 10_00, "t1"), refund("r0", 10_00, "t1"), grocery("t1", 100_00), owns(4_50), refund("r1", 45_00, "t1"), refund("r2", 45_00, "t1"), owns(0)}},
		{name: "Chargebacks ignored", of: "C",
			flawed: []step{grocery("t1", 100_00), chargeback("c1", 0, "t1")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), refund("r1", 100_00, "t1"), owns(0)}},
		{name: "Unlinked ignored", of: "C",
			flawed: []step{grocery("t1", 100_00), unlinked("r1", 100_00, "m1")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), refund("r1", 100_00, "t1"), owns(0)}},
		{name: "Parts ignored", of: "C",
			flawed: []step{grocery("t1", 100_00), refund("r1", 60_00, "t1"), refund("r2", 40_00, "t1")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), refund("r1", 100_00, "t1"), owns(0), grocery("t2", 100_00), chargeback("c1", 0, "t2"), owns(0)}},
		{name: "Debt written off", of: "C",
			flawed: []step{grocery("t1", 100_00), paid("d1", 5_00), refund("r1", 100_00, "t1"), on("2026-05-01")}, ends: 0, should: -5_00,
			right: []step{grocery("t1", 100_00), paid("d1", 5_00), refund("r1", 100_00, "t1"), on("2026-04-01"), owns(-5_00), on("2026-04-04"), grocery("t2", 100_00), owns(0), refund("r2", 20_00, "t2"), on("2026-06-30"), owns(-1_00)}},
		{name: "Late clawback", of: "D",
			flawed: []step{grocery("t1", 100_00), on("2026-02-10"), refund("r1", 100_00, "t1"), on("2026-03-20")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), grocery("t2", 100_00), refund("r1", 100_00, "t1"), on("2026-02-10"), owns(5_00), refund("r2", 100_00, "t2"), on("2026-04-01"), owns(0)}},
		{name: "Fourteen days", of: "C",
			flawed: []step{grocery("t1", 100_00), on("2026-01-21"), refund("r1", 100_00, "t1")}, ends: 5_00,
			right: []step{on("2026-01-25"), grocery("t1", 100_00), on("2026-02-08"), refund("r1", 100_00, "t1"), owns(0)}},
		{name: "Current rate", of: "C", // January pays 10 %, February 5 %
			flawed: []step{grocery("t1", 100_00), on("2026-02-10"), refund("r1", 100_00, "t1")}, ends: 5_00,
			right: []step{grocery("t1", 100_00), owns(10_00), refund("r1", 40_00, "t1"), owns(6_00), refund("r2", 60_00, "t1"), owns(0),
				on("2026-02-10"), grocery("t2", 100_00), owns(5_00), refund("r3", 100_00, "t2"), owns(0)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := []step{open("2026-01-05")}
			v := variantDesign(t, c.name)
			trace(t, v.New(labtest.Everyday()), slices.Concat(begin, c.flawed, []step{owns(c.ends)})...)
			trace(t, labtest.Design(t, c.of).New(labtest.Everyday()), slices.Concat(begin, c.flawed, []step{owns(c.should)})...)
			trace(t, v.New(labtest.Everyday()), slices.Concat(begin, c.right)...)
		})
	}
}

// Reversals that wait for their purchase are a copy's own, like all it has.
func TestCopiesShareNoWaitingReversals(t *testing.T) {
	early := []step{open("2026-01-05"), refund("r1", 10_00, "t1"), refund("r2", 10_00, "t1"), refund("r3", 10_00, "t1")}
	v := variantDesign(t, "Late clawback")
	for _, d := range []design.Design{labtest.Design(t, "C"), v.Design} {
		first := d.New(labtest.Everyday())
		trace(t, first, early...)
		second := first.(design.Cloner).Clone()
		trace(t, first, refund("r4", 20_00, "t1"))
		trace(t, second, refund("r4", 40_00, "t1"))
		trace(t, first, grocery("t1", 100_00), on("2026-04-01"), owns(2_50))
		trace(t, second, grocery("t1", 100_00), on("2026-04-01"), owns(1_50))
	}
	first := v.New(labtest.Everyday())
	trace(t, first, open("2026-01-05"), grocery("t1", 100_00), grocery("t2", 100_00), grocery("t3", 100_00), grocery("t4", 100_00), grocery("t5", 100_00),
		on("2026-02-05"), refund("r1", 100_00, "t1"), refund("r2", 100_00, "t2"), refund("r3", 100_00, "t3"))
	second := first.(design.Cloner).Clone()
	trace(t, first, refund("r4", 50_00, "t4"))
	trace(t, second, refund("r4", 100_00, "t5"))
	trace(t, first, on("2026-05-01"), owns(7_50))
	trace(t, second, on("2026-05-01"), owns(5_00))
}
