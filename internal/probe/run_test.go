package probe_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
	"recoup/reward"
)

// designs are all that the lab has.
func designs() []design.Design {
	list := design.All()
	for _, v := range design.Variants() {
		list = append(list, v.Design)
	}
	return list
}

func probed(t *testing.T, target probe.Target, plan probe.Plan) *probe.Result {
	t.Helper()
	r, err := probe.Run(t.Context(), target, plan)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every design of the lab is told for what it is, by terms that are found out and
// by terms that are given.
func TestDesignsAreTold(t *testing.T) {
	for _, d := range designs() {
		for _, given := range []*reward.Program{nil, program.Everyday()} {
			name := d.Name + ", terms given"
			if given == nil {
				name = d.Name + ", terms found out"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := probed(t, inMemory(d, program.Everyday()), probe.Plan{Program: given})
				checkTold(t, r, d)
			})
		}
	}
}

func checkTold(t *testing.T, r *probe.Result, d design.Design) {
	t.Helper()
	truth, ok := design.TruthOf(d.Name, program.Everyday())
	if !ok {
		t.Fatalf("no truth about %s", d.Name)
	}
	truth = probe.Visible(d.Name, truth)
	if r.Class != truth.Class {
		t.Errorf("class %s, want %s", r.Class, truth.Class)
	}
	if got, want := r.Named(), truth.Flaws; !slices.Equal(got, want) {
		t.Errorf("flaws %v, want %v", got, want)
	}
}

// What fails among the rows M, by what each design does about refunds that name
// no purchase: Recoup places them by worth and thinks again; the banks look at the
// latest purchase at the same merchant, once; the others do not look.
func TestAttacksOnMatching(t *testing.T) {
	undeliverable := []string{"M7", "M8", "M10", "M13", "M17", "M19", "M20"}
	ofBanks := []string{"M1", "M2", "M3", "M4", "M5", "M6", "M9", "M11", "M12", "M14", "M15", "M16", "M18", "M21", "M22", "M23"}
	for _, d := range designs() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			r := probed(t, inMemory(d, program.Everyday()), probe.Plan{Program: program.Everyday()})
			want := ofBanks
			switch {
			case strings.HasPrefix(d.Name, "Recoup"):
				want = nil
			case d.Name == "Bonus kept":
				// It takes a refund of fuel for groceries as others do, and of those the
				// base reward only, which is the fuel's.
				want = slices.DeleteFunc(slices.Clone(want), func(row string) bool { return row == "M22" })
			}
			var got []string
			for _, g := range r.Gaps {
				if g.Row[0] != 'M' {
					continue
				}
				if na := slices.Contains(undeliverable, g.Row); na != (g.Outcome == probe.NotApplicable) {
					t.Errorf("%s: %s (%s)", g.Row, g.Outcome, g.Reason)
				}
				if g.Outcome == probe.Fail {
					got = append(got, g.Row)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v fail, want %v", got, want)
			}
		})
	}
}

// Where rates change from month to month, scenarios are played in months in which the
// terms hold. No move passes the close that comes after it: the sandbox's clock would
// not go back.
func TestTermsThatHoldInSomeMonths(t *testing.T) {
	d := designNamed(t, "Current rate")
	c := connect(t, adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, adapter.Everything("USD")), quick())
	c.ShowsAtOnce()
	checkTold(t, probed(t, c.Target(), probe.Plan{Program: program.Everyday()}), d)
}
