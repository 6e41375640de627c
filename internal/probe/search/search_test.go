package search_test

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/lab/gaps"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/probe/search"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

func targetOf(p *reward.Program, fresh func() issuer.Issuer) search.Target {
	s := labtest.NewFresh(fresh)
	return search.Target{Target: probe.Target{Issuer: s, Can: adapter.Everything(p.Currency), Reset: s.Reset}, Program: p}
}

// The timings that designs have.
var (
	atOnce       = reward.Timing{}
	atStatements = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	clawbackLate = reward.Timing{Clawback: reward.ClawbackAtStatement}
)

// everyday is the example program with a timing.
func everyday(t reward.Timing) *reward.Program {
	p := program.Everyday()
	p.Timing = t
	return p
}

func named(t *testing.T, name string, p *reward.Program) search.Target {
	t.Helper()
	d, err := design.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return targetOf(p, func() issuer.Issuer { return d.New(p) })
}

func run(t *testing.T, target search.Target, o search.Options) *search.Result {
	t.Helper()
	if o.Calls == 0 {
		o.Calls = 100_000_000
	}
	r, err := search.Run(context.Background(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func signatures(r *search.Result) []string {
	var list []string
	for i := range r.Finds {
		list = append(list, r.Finds[i].Signature)
	}
	return list
}

// What is wrong with each design is found, in as few moves as it takes. The table
// says what the designs are, not what the search happened to find.
func TestTheFlawOfEveryDesignIsFound(t *testing.T) {
	for _, test := range []struct {
		design string
		timing reward.Timing
		want   []string
	}{
		{"A", atOnce, []string{"settle, refund: leaks"}},
		{"B", atStatements, []string{"settle, close, refund: leaks"}},
		{"D", atStatements, []string{"settle, close, refund, redeem: pays out"}},
		{"E", atStatements, []string{"settle, close, refund, redeem: pays out"}},
		{"F", clawbackLate, []string{"settle, refund, redeem: pays out"}},
		{"V3(a)", atOnce, []string{"settle, redeem, refund: leaks"}},
		{"Literal (instant)", atOnce, []string{
			"settle, settle again: leaks", "settle, refund too much: leaks", "redeem negative: leaks",
			"refund early, settle: leaks", "settle, refund unlinked: leaks", "settle, refund part, refund again: short-pays",
		}},
		{"Literal (statement)", atStatements, []string{
			"settle, chargeback: leaks", "settle, refund unlinked: leaks", "settle, refund part, close, refund rest: leaks",
			"settle, close, refund, redeem: pays out", "settle, close, refund too much: leaks",
		}},
		{"Literal (hybrid)", clawbackLate, []string{"settle, refund: leaks", "redeem negative: leaks", "settle, settle again: leaks"}},
		{"Compounding", atOnce, []string{"settle, refund part, refund rest: leaks"}},
		{"Current rate", atOnce, []string{"settle: leaks"}},
		{"Bonus kept", atOnce, []string{"settle, refund: leaks"}},
		{"Cap room lost", atOnce, []string{"settle, refund, settle above the cap: short-pays"}},
		{"Over-refunds ignored", atOnce, []string{"settle, refund too much: leaks"}},
		{"Early refunds dropped", atOnce, []string{"refund early, settle: leaks"}},
		{"Double grant", atOnce, []string{"settle, settle again: leaks"}},
		{"Double clawback", atOnce, []string{"settle, refund, refund again: short-pays"}},
		{"Chargebacks ignored", atOnce, []string{"settle, chargeback: leaks"}},
		{"Unlinked ignored", atOnce, []string{"settle, refund unlinked: leaks"}},
		{"Parts ignored", atOnce, []string{"settle, refund part: leaks"}},
		{"Debt written off", atOnce, []string{"settle, redeem, refund: leaks"}},
		{"Late clawback", atStatements, []string{"settle, close, refund, redeem: pays out"}},
		{"Fourteen days", atOnce, []string{"settle, wait, refund: leaks"}},
	} {
		t.Run(test.design, func(t *testing.T) {
			r := run(t, named(t, test.design, everyday(test.timing)), search.Options{Seed: 1, Sequences: 400, Finds: 20})
			found := signatures(r)
			for _, want := range test.want {
				if !slices.Contains(found, want) {
					t.Errorf("not found: %q; found %q", want, found)
				}
			}
			if r.Unrepeated != 0 || r.GivenUp != 0 || r.Ended != "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A trace has what it takes and nothing else, in round amounts.
func TestTracesAreMinimal(t *testing.T) {
	for _, test := range []struct {
		design string
		timing reward.Timing
		defect gaps.DefectKind
		amount int64
		want   []string
	}{
		{"A", atOnce, gaps.Leaks, 500, []string{"settle t1 100.00 at m1 GROCERY", "refund r1 100.00 of t1"}},
		{"V3(a)", atOnce, gaps.Leaks, 500, []string{"settle t1 100.00 at m1 GROCERY", "redeem d1 5.00", "refund r1 100.00 of t1"}},
		{"B", atStatements, gaps.Leaks, 500, []string{"settle t1 100.00 at m1 GROCERY", "close", "refund r1 100.00 of t1", "close"}},
		{"F", clawbackLate, gaps.PaysOut, 500, []string{"settle t1 100.00 at m1 GROCERY", "refund r1 100.00 of t1", "redeem d1 5.00"}},
	} {
		t.Run(test.design, func(t *testing.T) {
			r := run(t, named(t, test.design, everyday(test.timing)), search.Options{Seed: 7, Finds: 1})
			find := &r.Finds[0]
			var done []string
			for _, step := range find.Trace {
				done = append(done, step.Done)
			}
			if !slices.Equal(done, test.want) || find.Defect != test.defect || find.Amount != test.amount {
				t.Errorf("%s of %d: %q, want %s of %d: %q", find.Defect, find.Amount, done, test.defect, test.amount, test.want)
			}
		})
	}
}

// settings of Recoup: when, how, and with how long a wait.
func settings() map[string]*reward.Program {
	all := map[string]*reward.Program{}
	for when, timing := range map[string]reward.Timing{"at once": atOnce, "at statements": atStatements, "clawback at statements": clawbackLate} {
		for how, method := range map[string]reward.ClawbackMethod{"proportional": reward.Proportional, "rerate": reward.Rerate} {
			for wait, days := range map[string]int{"": 0, ", mature": 30} {
				p := everyday(timing)
				p.Method, p.MaturityDays = method, days
				all[when+", "+how+wait] = p
			}
		}
	}
	return all
}

// Nothing is found in Recoup, however it is set: not by its own terms, nor where
// it is stricter than they are, with a wait that they do not have.
func TestNothingIsFoundInRecoup(t *testing.T) {
	sequences := 600
	switch {
	case os.Getenv("RECOUP_LONG") != "":
		sequences = 20_000
	case testing.Short():
		sequences = 50
	}
	for name, terms := range settings() {
		stricter := map[string]func(*reward.Program){"as published": func(*reward.Program) {}}
		if terms.MaturityDays == 0 {
			stricter["with maturity"] = func(p *reward.Program) { p.MaturityDays = 30 }
		}
		for how, change := range stricter {
			t.Run(name+", "+how, func(t *testing.T) {
				own := *terms
				change(&own)
				target := targetOf(&own, func() issuer.Issuer { return design.NewRecoup(&own) })
				target.Program = terms
				r := run(t, target, search.Options{Seed: 1, Sequences: sequences, MaxMoves: 12})
				for i := range r.Finds {
					t.Errorf("%s", r.Finds[i].Scenario)
				}
				if r.Sequences != sequences || r.Defective != 0 {
					t.Errorf("%d of %d sequences show a defect", r.Defective, r.Sequences)
				}
			})
		}
	}
}

// The same seed at the same program finds the same, another seed plays otherwise.
func TestASearchCanBeRepeated(t *testing.T) {
	first := run(t, named(t, "Literal (instant)", everyday(atOnce)), search.Options{Seed: 3})
	again := run(t, named(t, "Literal (instant)", everyday(atOnce)), search.Options{Seed: 3})
	if !reflect.DeepEqual(first, again) {
		t.Errorf("%+v\nand then\n%+v", first, again)
	}
	if other := run(t, named(t, "Literal (instant)", everyday(atOnce)), search.Options{Seed: 4}); other.Calls == first.Calls {
		t.Errorf("%d calls with either seed", first.Calls)
	}
}

// A find's file is a scenario that Recoup passes as it says, and that the target
// still fails.
func TestFindsAreScenarioFiles(t *testing.T) {
	for name, timing := range map[string]reward.Timing{
		"A": atOnce, "B": atStatements, "F": clawbackLate, "V3(a)": atOnce, "Literal (instant)": atOnce, "Literal (statement)": atStatements, "Cap room lost": atOnce,
	} {
		t.Run(name, func(t *testing.T) {
			target := named(t, name, everyday(timing))
			for _, find := range run(t, target, search.Options{Seed: 2, Sequences: 400}).Finds {
				s, err := scenario.Parse("found.txt", []byte(find.Scenario))
				if err != nil {
					t.Fatalf("%v\n%s", err, find.Scenario)
				}
				recoup, err := scenario.Play(s, design.NewRecoup(s.Program))
				if err != nil {
					t.Fatal(err)
				}
				for _, mismatch := range scenario.Check(recoup, scenario.Recoup) {
					t.Errorf("%s\n%s", mismatch, find.Scenario)
				}
				if err := target.Reset(); err != nil {
					t.Fatal(err)
				}
				got, err := scenario.Play(s, target.Issuer)
				if err != nil {
					t.Fatal(err)
				}
				last, want, shown := got.Last(), recoup.Last(), find.Trace[len(find.Trace)-1].Shown
				if last.Balance != shown.Balance || last.Redeemed != shown.PaidOut {
					t.Errorf("balance %d, paid out %d; the find shows %+v", last.Balance, last.Redeemed, shown)
				}
				var amount int64
				switch find.Defect {
				case gaps.Leaks:
					amount = last.Leak() - want.Leak()
				case gaps.ShortPays:
					amount = want.NetReward() - last.NetReward()
				case gaps.PaysOut:
					amount = last.Redeemed - want.Redeemed
				}
				if amount != find.Amount {
					t.Errorf("%s: %d, and the find says %d\n%s", find.Signature, amount, find.Amount, find.Scenario)
				}
			}
		})
	}
}

// What the run has found before is listed in short; the rest is a find, with what
// it is like.
func TestKnownFlaws(t *testing.T) {
	o := search.Options{Seed: 1, Sequences: 400, Known: []string{"G2", "g04-settlement-again"}}
	r := run(t, named(t, "Literal (instant)", everyday(atOnce)), o)
	var known []string
	for _, k := range r.Known {
		known = append(known, k.Signature)
		if len(k.Like) == 0 || k.Amount == 0 || k.Sequences == 0 {
			t.Errorf("%+v", k)
		}
	}
	for _, want := range []string{"settle, refund too much: leaks", "settle, settle again: leaks"} {
		if !slices.Contains(known, want) || slices.Contains(signatures(r), want) {
			t.Errorf("%q: known %q, finds %q", want, known, signatures(r))
		}
	}
	i := slices.IndexFunc(r.Finds, func(f search.Find) bool { return f.Signature == "refund early, settle: leaks" })
	if i < 0 || !slices.Contains(r.Finds[i].Like, "g03-refund-before-settlement") {
		t.Errorf("finds %q", signatures(r))
	}
}

// The catalogue does not have everything: at issuer C an unlinked refund of more
// than the price is of no purchase at all.
func TestWhatTheCatalogueDoesNotHave(t *testing.T) {
	r := run(t, named(t, "C", everyday(atOnce)), search.Options{Seed: 1, Sequences: 400})
	i := slices.IndexFunc(r.Finds, func(f search.Find) bool { return f.Signature == "settle, refund too much unlinked: leaks" })
	if i < 0 {
		t.Fatalf("finds %q", signatures(r))
	}
	if find := &r.Finds[i]; find.Like != nil || find.Amount != 500 || !strings.Contains(find.Scenario, "really t1") {
		t.Errorf("%+v", find)
	}
}
