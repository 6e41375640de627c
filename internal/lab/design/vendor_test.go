package design_test

import (
	"errors"
	"slices"
	"testing"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

// What a vendor never takes back is its flaw, where the program has what that is about,
// and nothing else is: each scenario of terms has a leak at the one whose flaw it shows,
// or a balance below what is due, and none at the others.
func TestEachVendorHasItsFlawAndNoOther(t *testing.T) {
	shown := map[string]int{}
	for _, v := range design.Vendors() {
		for _, s := range scenario.Terms() {
			transcript, err := scenario.Play(s, v.New(s.Program))
			if err != nil {
				t.Fatal(err)
			}
			ours, err := scenario.Play(s, design.NewRecoup(s.Program))
			if err != nil {
				t.Fatal(err)
			}
			truth, known := design.TruthOf(v.Name, s.Program)
			differs := transcript.Last().NetReward() != ours.Last().NetReward()
			switch has := slices.Contains(truth.Flaws, v.Flaws[0]); {
			case !known:
				t.Errorf("no truth about %s", v.Name)
			case differs && !has:
				t.Errorf("%s: %s ends with %d, Recoup with %d: its program has nothing that the flaw is about", s.Name, v.Name, transcript.Last().NetReward(), ours.Last().NetReward())
			case differs:
				shown[v.Name]++
			}
			if leak := transcript.Last().Leak(); truth.Class == flaw.Robust && leak > 0 {
				t.Errorf("%s: %s leaks %d, and is said to be robust", s.Name, v.Name, leak)
			}
		}
		if shown[v.Name] < 3 {
			t.Errorf("%d scenarios show the flaw of %s, want 3 at least", shown[v.Name], v.Name)
		}
	}
}

// What a vendor's books say adds up to what the customer has, and a copy of it goes on as
// it would have.
func TestTheBooksOfVendors(t *testing.T) {
	for _, v := range design.Vendors() {
		for _, s := range scenario.Terms() {
			i := v.New(s.Program)
			var posted int64
			i.(design.Journaler).Journal(func(p design.Posting) { posted += p.Amount })
			transcript, err := scenario.Play(s, i)
			if err != nil {
				t.Fatal(err)
			}
			if got := transcript.Last().NetReward(); got != posted {
				t.Errorf("%s at %s: postings of %d, net reward %d", s.Name, v.Name, posted, got)
			}
			copied, err := i.(design.Cloner).Clone().Balance(s.Name)
			if own, _ := i.Balance(s.Name); err != nil || copied != own {
				t.Errorf("%s at %s: a copy has %+v, %v, want %+v", s.Name, v.Name, copied, err, own)
			}
		}
	}
}

// A vendor pays a redemption once, out of what the customer has.
func TestVendorsPayOnce(t *testing.T) {
	for _, v := range design.Vendors() {
		i := v.New(labtest.Everyday())
		trace(t, i, open("2026-01-05"), grocery("t1", 100_00), paid("d1", 3_00), paid("d1", 3_00), owns(2_00), denied("d2", 2_01), denied("d3", -1),
			refund("r1", 100_00, "t1"), owns(-3_00))
	}
}

// Under plain terms there is nothing that vendors keep.
func TestTruthOfVendorsUnderPlainTerms(t *testing.T) {
	for _, v := range design.Vendors() {
		if truth, ok := design.TruthOf(v.Name, labtest.Everyday()); !ok || truth.Class != flaw.Robust || slices.Contains(truth.Flaws, v.Flaws[0]) {
			t.Errorf("%s: %+v, %t", v.Name, truth, ok)
		}
	}
}

// The paper's designs say nothing of terms that are not plain: that is an answer.
func TestDesignsThatCannotSayTheTermsOpenNoAccount(t *testing.T) {
	signUp, err := scenario.Find("t01-signup-bonus")
	if err != nil {
		t.Fatal(err)
	}
	zone, err := scenario.Find("t15-zone")
	if err != nil {
		t.Fatal(err)
	}
	plays := map[string]bool{"Recoup": true, "Recoup (rerate)": true, "Bonus stays": true, "Level stays": true, "Expiry goes on": true}
	designs := design.All()
	for _, v := range append(design.Variants(), design.Vendors()...) {
		designs = append(designs, v.Design)
	}
	for _, d := range designs {
		for _, p := range []*reward.Program{signUp.Program, zone.Program} {
			// A cap in Rome is of a plain program, whose rewards Recoup takes back by either
			// method; a bonus needs the one that the program names.
			want := plays[d.Name] || p == zone.Program && design.IsRecoup(d.Name)
			err := d.New(p).Open("a")
			if can := err == nil; can != want {
				t.Errorf("%s opens an account of %s: %v", d.Name, p.ID, err)
			}
			if err != nil && !errors.Is(err, issuer.ErrUnsupported) {
				t.Errorf("%s: %v, want ErrUnsupported", d.Name, err)
			}
		}
	}
}
