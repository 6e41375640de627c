package accuracy_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"recoup/internal/accuracy"
	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/ingest"
	"recoup/internal/kit/labtest"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/internal/lab/export"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// long is whether there is time.
func long() bool { return os.Getenv("RECOUP_LONG") != "" }

// small is a setting with less traffic, as far as there is no time for all of it.
func small(seed uint64) accuracy.Setting {
	s := accuracy.NewSetting(seed)
	if !long() {
		s.Traffic.Accounts, s.Traffic.Events = 60, 6_000
	}
	return s
}

func exportOf(t *testing.T, p *reward.Program, events iter.Seq[reward.Event], d design.Design, o export.Options) *accuracy.Exported {
	t.Helper()
	x, err := accuracy.NewExport(t.Context(), t.TempDir(), p, events, d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Remove)
	return x
}

func auditOf(t *testing.T, x *accuracy.Exported) *audit.Report {
	t.Helper()
	r, err := audit.Run(t.Context(), x.Options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exportKinds are what exports have and lack.
var exportKinds = []struct {
	name    string
	options export.Options
}{
	{"complete", export.DefaultOptions()},
	{"refunds name no purchase", export.Options{RewardLinks: true}},
	{"noise", export.Options{RefundLinks: true, RewardLinks: true, Noise: export.DefaultNoise(), Seed: 3}},
	{"rewards name no purchase", export.Options{RefundLinks: true}},
	{"nothing names a purchase, and noise", export.Options{Noise: export.DefaultNoise(), Seed: 4}},
}

// The auditor finds the class of each design of the lab from its exports, and its
// figures are the lab's, to the penny.
func TestRoundTrip(t *testing.T) {
	for i, d := range accuracy.Designs() {
		for k, kind := range exportKinds {
			if !long() && k > 0 && (i+k)%len(exportKinds) != 0 {
				continue // another design has the same exports
			}
			t.Run(d.Name+", "+kind.name, func(t *testing.T) {
				t.Parallel()
				s := small(uint64(1 + i%20))
				x := exportOf(t, s.Program, s.Events(), d, kind.options)
				r := auditOf(t, x)
				s.Export = kind.options
				checkClass(t, r, x, &s)
				if kind.options.Noise == (export.Noise{}) {
					sameFigures(t, r, x)
				}
			})
		}
	}
}

// checkClass checks that the class is right. Where no refund names its purchase, of what
// the refund took nobody can say whether it was its share, so that a flaw in the shares
// does not show; where no reward names one either, a debt that is forgotten looks like a
// clawback that is corrected; and what refunds above a price should have taken shows as a
// leak at most. No other class is found then. Where refunds are linked, a leak that is less
// than makes a class may be told all the same.
func checkClass(t *testing.T, r *audit.Report, x *accuracy.Exported, s *accuracy.Setting) {
	t.Helper()
	hidden := false
	if !s.Export.RefundLinks {
		switch x.Figures.Design {
		case "Compounding", "Current rate", "Bonus kept", "Parts ignored":
			hidden = true
		case "Debt written off":
			hidden = !s.Export.RewardLinks
		case "Over-refunds ignored":
			hidden = true
		}
	}
	truth, got := x.Truth(s).Class, r.Verdict.Class
	told := s.Export.RefundLinks && truth == flaw.Robust && x.Leaks(s) && got == flaw.Other
	if got != truth && !told && !(hidden && (got == flaw.Robust || got == flaw.Other)) {
		t.Errorf("class %q, want %q: %s", got, truth, r.Verdict.Summary)
	}
	if untaken := r.Verdict.SameCycle.Untaken + r.Verdict.LaterCycle.Untaken; (untaken > 0 || r.Figures.InQuestion > 0) && strings.Contains(r.Verdict.Summary, "nobody has more") {
		t.Errorf("%d untaken and %d in question: %s", untaken, r.Figures.InQuestion, r.Verdict.Summary)
	}
}

// sameFigures checks that the auditor's figures are the lab's.
func sameFigures(t *testing.T, r *audit.Report, x *accuracy.Exported) {
	t.Helper()
	got, lab := &r.Figures, &x.Figures
	for _, f := range []struct {
		name      string
		got, want int64
	}{
		{"spend", got.Spend, x.Purchased},
		{"net spend", got.NetSpend, x.NetSpend},
		{"entitlement", got.Entitlement, x.Entitlement},
		{"granted", got.Granted, x.Rewards.Granted},
		{"taken back", got.TakenBack, x.Rewards.TakenBack},
		{"redeemed", got.Redeemed, lab.Redeemed},
		{"net reward", got.NetReward, lab.NetReward},
		{"short-paid", got.ShortPaid, lab.ShortPaid},
		{"debt", got.Debt, lab.Debt},
		{"accounts", r.Accounts.All, x.Accounts},
		{"accounts above their entitlement", r.Accounts.Above, lab.AccountsAbove},
		{"accounts below it", r.Accounts.Below, lab.AccountsBelow},
		{"accounts in debt", r.Accounts.InDebt, lab.AccountsOwed},
	} {
		if f.got != f.want {
			t.Errorf("%s %d, the lab has %d", f.name, f.got, f.want)
		}
	}
	// What refunds above a price take of other purchases is a leak to the lab, and not to
	// the auditor.
	if lab.Leakage < got.Leakage || lab.Leakage > got.Leakage+got.Beyond {
		t.Errorf("leakage %d and %d above prices, the lab has %d", got.Leakage, got.Beyond, lab.Leakage)
	}
}

// In Recoup's own exports there is nothing to find, and nothing leaks, whatever the
// traffic.
func TestNothingIsFoundAtRecoup(t *testing.T) {
	seeds := 2
	if long() {
		seeds = 50
	}
	for _, d := range accuracy.Designs() {
		if !strings.HasPrefix(d.Name, "Recoup") {
			continue
		}
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprintf("%s, seed %d", d.Name, seed+1), func(t *testing.T) {
				t.Parallel()
				s := small(seed + 1)
				s.Traffic.Seed += 1000
				s.Export.Noise = export.Noise{}
				x := exportOf(t, s.Program, traffic.Generate(s.Traffic), d, s.Export)
				r := auditOf(t, x)
				if r.Verdict.Found || r.Verdict.Class != flaw.Robust {
					t.Errorf("class %q: %s", r.Verdict.Class, r.Verdict.Summary)
					for _, f := range r.Findings {
						if f.Standing == audit.Found {
							t.Errorf("%s: %d of %d, %d", f.Code, f.Shown, f.Could, f.Amount)
						}
					}
				}
				if r.Figures.Leakage != 0 {
					t.Errorf("leakage %d", r.Figures.Leakage)
				}
				sameFigures(t, r, x)
			})
		}
	}
}

// Refunds that name no purchase are placed for good one after the other, at closes long
// after an account's last purchase; each may move the next. The auditor's entitlement
// is the lab's all the same.
func TestFiguresOfAccountsThatFellSilent(t *testing.T) {
	d := designs(t, "C")[0]
	for seed := range uint64(10) {
		s := accuracy.NewSetting(seed + 1)
		few := func(yield func(reward.Event) bool) {
			for e := range s.Events() {
				if silent := strings.HasPrefix(e.Account, "cap-"); (silent || e.Account == "acct-1") && !yield(e) {
					return
				}
			}
		}
		x := exportOf(t, s.Program, few, d, export.Options{RewardLinks: true})
		sameFigures(t, auditOf(t, x), x)
	}
}

// A real shop with real returns: the class of each design is found whether refunds
// name their purchase or not, and the figures are the lab's.
func TestRoundTripOfRetail(t *testing.T) {
	p, err := program.Load("../../examples/retail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []ingest.Link{ingest.LinkMatched, ingest.LinkNone} {
		retail := labtest.RetailStart(t, "../..", link)
		name := map[ingest.Link]string{ingest.LinkMatched: "matched", ingest.LinkNone: "unlinked"}[link]
		for i, d := range accuracy.Designs() {
			for _, noise := range []export.Noise{{}, export.DefaultNoise()} {
				if !long() && (i%7 != 0 || noise != export.Noise{}) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, noise %t", d.Name, name, noise != export.Noise{}), func(t *testing.T) {
					t.Parallel()
					events := retail.Events()
					o := export.Options{RefundLinks: true, RewardLinks: true, Noise: noise, Seed: 1}
					x := exportOf(t, p, events, d, o)
					r := auditOf(t, x)
					s := accuracy.Setting{Program: p, Export: export.Options{RefundLinks: link == ingest.LinkMatched, RewardLinks: true}}
					checkClass(t, r, x, &s)
					if noise == (export.Noise{}) {
						sameFigures(t, r, x)
					}
				})
			}
		}
	}
}

// Audited in three shards and merged, exports give the very same report.
func TestShardsOfAnExport(t *testing.T) {
	for _, name := range []string{"B", "F", "Compounding"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			s := small(2)
			x := exportOf(t, s.Program, s.Events(), d, s.Export)
			var parts []*audit.Part
			for shard := range 3 {
				o := x.Options()
				o.Shard, o.Of = shard+1, 3
				p, err := audit.RunPart(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				if err := p.Write(&file); err != nil {
					t.Fatal(err)
				}
				if p, err = audit.ReadPart("part", &file); err != nil {
					t.Fatal(err)
				}
				parts = append(parts, p)
			}
			merged, err := audit.Merge(parts[2], parts[0], parts[1])
			if err != nil {
				t.Fatal(err)
			}
			o := x.Options()
			o.Simulate = true // as shards always do
			whole, err := audit.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := asJSON(t, merged), asJSON(t, whole); got != want {
				t.Errorf("three shards:\n%s\nwhole:\n%s", got, want)
			}
		})
	}
}

func asJSON(t *testing.T, r *audit.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := tabular.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
