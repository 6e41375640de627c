package design_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// Under plain terms there is nothing that vendors keep, but of receipts with items that earn
// at several rates; and where all earns the same nobody has to know which item comes back.
func TestTruthOfVendorsUnderPlainTerms(t *testing.T) {
	flat := labtest.Everyday()
	flat.Rules = flat.Rules[len(flat.Rules)-1:]
	for _, v := range design.Vendors() {
		for name, p := range map[string]*reward.Program{"everyday": labtest.Everyday(), "flat": flat} {
			items := v.Name == "Items ignored" && name == "everyday"
			truth, ok := design.TruthOf(v.Name, p)
			if !ok || (truth.Class == flaw.Robust) == items || slices.Contains(truth.Flaws, v.Flaws[0]) != items {
				t.Errorf("%s under %s: %+v, %t", v.Name, name, truth, ok)
			}
		}
	}
}

// Who ignores items takes of what a receipt has earned the share of it that was refunded,
// whatever the refunds name, up to the rounding of each item; refunds that come again or
// are undone as any other.
func TestItemsIgnoredTakesTheAverage(t *testing.T) {
	p := labtest.Everyday()
	p.Method = reward.Rerate
	ignores := labtest.Design(t, "Items ignored")
	rapid.Check(t, func(t *rapid.T) {
		i := ignores.New(p)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(i.SetClock(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)))
		must(i.Open(acct))
		bought := issuer.Settlement{Account: acct, Transaction: "t1"}
		for n := range rapid.IntRange(1, 6).Draw(t, "items") {
			x := reward.Item{ID: fmt.Sprint("i", n), Amount: rapid.Int64Range(1, 150_00).Draw(t, "amount"), Category: rapid.SampledFrom([]string{"GROCERY", "HOME"}).Draw(t, "category")}
			bought.Items, bought.Amount = append(bought.Items, x), bought.Amount+x.Amount
		}
		must(i.Settle(bought))
		refunded := map[string]int64{}
		check := func(at issuer.Issuer) {
			var back, whole int64
			for _, amount := range refunded {
				back += amount
			}
			for _, x := range bought.Items { // in hundredths; the cap is beyond all of it
				whole += x.Amount * map[string]int64{"GROCERY": 5, "HOME": 1}[x.Category]
			}
			b, err := at.Balance(acct)
			must(err)
			due := new(big.Rat).Mul(big.NewRat(whole, 100), big.NewRat(bought.Amount-min(back, bought.Amount), bought.Amount))
			// Each item's part of a refund, and its reward, are rounded.
			off := new(big.Rat).Sub(due, new(big.Rat).SetInt64(b.Balance))
			if most := big.NewRat(int64(len(bought.Items)*(len(refunded)+1)), 1); off.Abs(off).Cmp(most) > 0 {
				t.Fatalf("a balance of %d after %d of %d came back, expected about %s", b.Balance, back, bought.Amount, due.FloatString(2))
			}
		}
		for n := range rapid.IntRange(1, 5).Draw(t, "refunds") {
			x := rapid.SampledFrom(bought.Items).Draw(t, "item")
			f := issuer.Refund{Account: acct, Refund: fmt.Sprint("r", n), Transaction: "t1", Amount: rapid.Int64Range(1, x.Amount).Draw(t, "refund")}
			f.Items = []reward.Item{{ID: x.ID, Amount: f.Amount}}
			must(i.Refund(f))
			refunded[f.Refund] = f.Amount
			check(i)
			must(i.Refund(f))
			check(i.(design.Cloner).Clone())
			if rapid.IntRange(0, 3).Draw(t, "undone") == 0 {
				must(i.(issuer.Undoer).ReverseRefund(acct, f.Refund))
				refunded[f.Refund] = 0
				check(i)
			}
		}
	})
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
	plays := map[string]bool{"Recoup": true, "Recoup (rerate)": true, "Bonus stays": true, "Level stays": true, "Expiry goes on": true, "Items ignored": true}
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
