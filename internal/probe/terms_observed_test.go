package probe_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
	"recoup/reward"
)

// Recoup holds rewards as its program says, and that shows: maturity, the grace
// period and the minimum balance, whenever rewards come.
func TestInferenceFindsHolds(t *testing.T) {
	for _, grant := range []reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement} {
		for _, h := range []struct {
			maturity, grace int
			minimum         int64
		}{{0, 0, 0}, {14, 0, 0}, {45, 0, 0}, {0, 7, 0}, {0, 27, 0}, {40, 10, 0}, {0, 0, 2500}, {30, 5, 100}} {
			t.Run(fmt.Sprintf("grant %d, %+v", grant, h), func(t *testing.T) {
				p := program.Everyday()
				p.Timing.Grant, p.MaturityDays = grant, h.maturity
				p.Redemption.GraceDays, p.Redemption.MinimumBalance = h.grace, h.minimum
				got, err := probe.Infer(inMemory(design.Design{New: design.NewRecoup}, p))
				if err != nil {
					t.Fatal(err)
				}
				read, err := program.Parse("terms", []byte(got.File))
				if err != nil {
					t.Fatal(err)
				}
				if read.Timing.Grant != grant || read.MaturityDays != h.maturity || read.Redemption.GraceDays != h.grace || read.Redemption.MinimumBalance != h.minimum {
					t.Errorf("found\n%s%v", got.File, got.Untold)
				}
			})
		}
	}
}

// till is a program of one rate that rounds as it likes. It claws nothing back.
type till struct {
	balance map[string]int64
	exact   map[string]int64 // hundredths of minor units, where sums are rounded
	round   func(hundredths int64) int64
	onSum   bool
	most    int64 // the largest purchase that it takes; 0: any
	month   time.Month
}

// SetClock ends the cycle with the month: what was not rounded to a unit is lost.
func (s *till) SetClock(now time.Time) error {
	if now.Month() != s.month {
		s.month = now.Month()
		for account, b := range s.balance {
			s.exact[account] = 100 * b
		}
	}
	return nil
}

func (s *till) Open(account string) error { s.balance[account] = 0; return nil }

func (s *till) Settle(p issuer.Settlement) error {
	if s.most > 0 && p.Amount > s.most {
		return &probe.StatusError{Call: "POST /settlements", Status: 422, Message: "too much", Spoken: true}
	}
	const percent = 3
	if s.onSum {
		s.exact[p.Account] += percent * p.Amount
		s.balance[p.Account] = s.round(s.exact[p.Account])
	} else {
		s.balance[p.Account] += s.round(percent * p.Amount)
	}
	return nil
}

func (s *till) Balance(account string) (issuer.Balance, error) {
	return issuer.Balance{Balance: s.balance[account], Redeemable: max(0, s.balance[account])}, nil
}

func (s *till) Redeem(d issuer.Redemption) (bool, error) {
	ok := d.Amount > 0 && d.Amount <= s.balance[d.Account]
	if ok {
		s.balance[d.Account] -= d.Amount
	}
	return ok, nil
}

// tillStub has the calls that do nothing at a till.
type tillStub struct{ *till }

func (tillStub) CloseStatement(string) error        { return nil }
func (tillStub) Refund(issuer.Refund) error         { return nil }
func (tillStub) Chargeback(issuer.Chargeback) error { return nil }

func TestInferenceFindsTheRounding(t *testing.T) {
	down := func(h int64) int64 { return h / 100 }
	up := func(h int64) int64 { return (h + 99) / 100 }
	half := func(h int64) int64 { return (h + 50) / 100 }
	even := func(h int64) int64 {
		if h%100 == 50 {
			return (h/100 + 1) / 2 * 2
		}
		return (h + 50) / 100
	}
	for _, test := range []struct {
		want  string
		round func(int64) int64
		onSum bool
		most  int64
	}{
		{"down, per purchase", down, false, 0},
		{"up, per purchase", up, false, 0},
		{"half up, per purchase", half, false, 0},
		{"half to even, per purchase", even, false, 0},
		{"down, on the sum of the cycle", down, true, 0},
		{"half up, on the sum of the cycle", half, true, 0},
		{"half up, per purchase", half, false, 5_000_000},
	} {
		t.Run(test.want, func(t *testing.T) {
			s := labtest.NewFresh(func() issuer.Issuer {
				return tillStub{&till{balance: map[string]int64{}, exact: map[string]int64{}, round: test.round, onSum: test.onSum, most: test.most}}
			})
			got, err := probe.Infer(probe.Target{Issuer: s, Can: adapter.Everything("USD"), Reset: s.Reset})
			if err != nil {
				t.Fatal(err)
			}
			if got.Rounding != test.want {
				t.Errorf("rounding %q", got.Rounding)
			}
			if len(got.Program.Rules) != 1 || got.Program.Rules[0].Rate != 3*reward.MaxRate/100 {
				t.Errorf("rules %+v", got.Program.Rules)
			}
			if said := strings.Contains(strings.Join(got.Untold, "\n"), "refuses"); said != (test.most > 0) {
				t.Errorf("not told: %q", got.Untold)
			}
		})
	}
}

// The day on which caps start anew is found, and what it predicts holds for purchases that
// it was not made of.
func TestInferenceFindsTheStatementDay(t *testing.T) {
	for _, day := range []int{0, 12, 28} {
		for _, grant := range []reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement} {
			p := program.Everyday()
			p.StatementDay, p.Timing.Grant = day, grant
			if grant == reward.GrantAtStatement {
				p.Rules = p.Rules[1:] // that has a cap
			}
			r := probed(t, inMemory(design.Design{New: design.NewRecoup}, p), probe.Plan{})
			if r.Terms.Program == nil || r.Terms.Program.StatementDay != day || r.Terms.Program.MaturityDays != p.MaturityDays {
				t.Errorf("day %d: terms %q, not told %q", day, r.Terms.File, r.Terms.Untold)
			}
		}
	}
}

// Purchases that count in whole units of the currency are found by what they predict.
func TestInferenceFindsWholeUnits(t *testing.T) {
	for _, rates := range [][2]string{{"40%", "20%"}, {"3%", "1%"}} {
		p, err := program.Parse("terms", fmt.Appendf(nil, "id: whole\ncurrency: USD\nclawback_method: rerate\nrules:\n  - {id: dining, match: {category: [DINING]}, rate: %s, unit: 100}\n  - {id: base, rate: %s, unit: 100}\n", rates[0], rates[1]))
		if err != nil {
			t.Fatal(err)
		}
		r := probed(t, inMemory(design.Design{New: design.NewRecoup}, p), probe.Plan{})
		if r.Terms.Program == nil || len(r.Terms.Program.Layers) != 1 || r.Terms.Program.Layers[0].Rules[0].Unit != 100 {
			t.Errorf("%s: terms %q, not told %q", rates, r.Terms.File, r.Terms.Untold)
		}
	}
}

// Caps of a longer period, steps and tiers are found, with the spend at which they begin,
// whether steps are of all that is spent, which places count together, and in what period.
func TestInferenceFindsCapsStepsAndTiers(t *testing.T) {
	for _, terms := range []string{
		"rules:\n  - {id: dining, match: {category: [DINING]}, rate: 3%, cap: {reward: 30000, per: year}}\n  - {id: base, rate: 1%}\n",
		"rules:\n  - {id: all, per: cycle, steps: [{rate: 1%}, {from: 100000, rate: 2%}]}\n",
		"rules:\n  - {id: all, per: quarter, steps: [{rate: 5%}, {from: 150000, rate: 1%}]}\n",
		"rules:\n  - {id: dining, match: {category: [DINING]}, per: quarter, steps: [{rate: 5%}, {from: 150000, rate: 1%}]}\n  - {id: base, rate: 1%}\n",
		"rules:\n  - {id: all, per: year, steps: [{rate: 0.5%}, {from: 250000, rate: 1.25%}, {from: 1000000, rate: 2%}]}\n",
		"rules:\n  - {id: all, per: cycle, whole: true, steps: [{rate: 1%}, {from: 123456, rate: 2%}]}\n",
		"rules:\n  - {id: dining, match: {category: [DINING, TRAVEL]}, per: year, steps: [{rate: 4%}, {from: 600000, rate: 1%}]}\n  - {id: base, rate: 1%}\n",
		"tiers: [{id: status, per: year, keeps: this, spend: [{from: 500000, tier: tier-1}, {from: 2000000, tier: tier-2}]}]\n" +
			"rules:\n  - {id: gold, match: {tier: {status: [tier-2]}}, rate: 1.5%}\n  - {id: silver, match: {tier: {status: [tier-1]}}, rate: 1.2%}\n  - {id: base, rate: 1%}\n",
	} {
		t.Run(terms, func(t *testing.T) {
			t.Parallel()
			p, err := program.Parse("terms", []byte("id: observed\ncurrency: USD\nclawback_method: rerate\n"+terms))
			if err != nil {
				t.Fatal(err)
			}
			r := probed(t, inMemory(design.Design{New: design.NewRecoup}, p), probe.Plan{})
			if r.Terms.Program == nil {
				t.Fatalf("not told %q, seen %+v", r.Terms.Untold, r.Terms.Observed)
			}
			found := r.Terms.Program
			want, got := p.Layers[0].Rules, found.Layers[0].Rules
			if len(got) != len(want) || len(found.Tiers) != len(p.Tiers) {
				t.Fatalf("found %s", r.Terms.File)
			}
			for i, w := range want {
				g := got[i]
				if g.Rate != w.Rate || g.Cap != w.Cap || !slices.Equal(g.Steps, w.Steps) || g.Whole != w.Whole || g.Per != w.Per || !reflect.DeepEqual(g.Match.Purchase, w.Match.Purchase) {
					t.Errorf("found %s", r.Terms.File)
				}
			}
			for i := range p.Tiers {
				if g, w := found.Tiers[i], p.Tiers[i]; g.Per != w.Per || !slices.Equal(g.Spend, w.Spend) {
					t.Errorf("found %s", r.Terms.File)
				}
			}
			if len(r.Terms.Untold) != 1 || !strings.Contains(r.Terms.Untold[0], "merchant") {
				t.Errorf("not told %q", r.Terms.Untold)
			}
		})
	}
}

// A program that grants nothing has no terms to find.
func TestInferenceOfNothing(t *testing.T) {
	p := program.Everyday()
	p.Rules = nil
	_, err := probe.Infer(inMemory(design.Design{New: design.NewRecoup}, p))
	if err == nil || !strings.Contains(err.Error(), "earned anything") {
		t.Errorf("error %v", err)
	}
}
