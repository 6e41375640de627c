package truth_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"recoup/internal/accuracy/truth"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// distortion returns the one of that name.
func distortion(t *testing.T, name string) truth.Distortion {
	t.Helper()
	for _, d := range truth.Distortions() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no distortion %q", name)
	return truth.Distortion{}
}

// deaf is a design that hears only of refunds that name their purchase.
type deaf struct{ truth.Account }

func newDeaf(account string, p *reward.Program) truth.Account {
	return deaf{truth.Recoup(account, p)}
}

func (d deaf) Apply(e *reward.Event) reward.Result {
	if e.Type == reward.RefundPosted && e.Transaction == "" {
		return reward.Result{Outcome: reward.Applied}
	}
	return d.Account.Apply(e)
}

// A design that ignores refunds without a link keeps all that was promised before the
// return, and the judge says so to the unit.
func TestTheJudgeBites(t *testing.T) {
	h := &truth.History{
		Purchases: []truth.Purchase{{1, on(1, 5), 100_000, "m1", grocery}, {2, on(1, 6), 100_000, "m1", fuel}},
		Returns:   []truth.Return{{1, 1, 100_000, on(1, 9)}},
	}
	d := distortion(t, "merchant and category")
	for _, m := range truth.Methods {
		v, err := truth.Judge(newDeaf, terms(t, "everyday", m), h, d.Deliver(h, 1))
		if err != nil {
			t.Fatal(err)
		}
		if v.Leakage().FloatString(2) != "5000.00" || v.Linked.Net != 1000 || v.Delivered.Redeemed != 6000 {
			t.Errorf("leakage is %s, with a link %d would be kept, %d were redeemed; want 5000, 1000 and 6000",
				v.Leakage().FloatString(2), v.Linked.Net, v.Delivered.Redeemed)
		}
	}

	hidden := distortion(t, "nothing")
	for i, h := range histories(100) {
		for _, s := range truth.Settings() {
			p := s.Under(reward.Rerate)
			v, err := truth.Judge(newDeaf, p, h, hidden.Deliver(h, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			gross := truth.PromiseOn(p, &truth.History{Purchases: h.Purchases})
			if v.Delivered.Net != gross.Rounded {
				t.Fatalf("%s, %s: %d are kept, want %d", s.Program, s.Words(), v.Delivered.Net, gross.Rounded)
			}
		}
	}

	r, err := truth.Run(t.Context(), truth.Options{Accounts: 24, Tries: 8, Design: newDeaf, Distortions: []truth.Distortion{hidden}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.LeaksAtMost(10*leakageAllowed[row.Customer][row.Method].row) || row.Above == 0 {
			t.Errorf("%s customers, %s: leakage of only %s", row.Customer, row.Method, row.LeakagePercent())
		}
	}
}

// Where every refund names its purchase nothing leaks, and nothing falls short but what
// rounding takes: in rerate to the unit, and without caps, which proportional clawbacks
// do not give back, in proportional within it.
func TestControl(t *testing.T) {
	d := distortion(t, truth.Control)
	for i := range 60 {
		h := truth.Honest(rand.New(rand.NewPCG(11, uint64(i))))
		for _, s := range truth.Settings() {
			for _, m := range truth.Methods {
				p := s.Under(m)
				if m == reward.Proportional {
					uncap(p)
				}
				v, err := truth.Judge(truth.Recoup, p, h, d.Deliver(h, 1))
				if err != nil {
					t.Fatal(err)
				}
				if v.Leakage().Sign() != 0 || v.Short() || v.Delivered != v.Linked {
					t.Errorf("%s, %s, account %d: %d are kept, with links %d, promised are %s",
						s.Program, s.Words(), i, v.Delivered.Net, v.Linked.Net, v.Promise.Exact.FloatString(4))
				}
				if m == reward.Rerate && v.Delivered.Net != v.Promise.Rounded {
					t.Errorf("%s, %s, account %d: %d are kept, want %d", s.Program, s.Words(), i, v.Delivered.Net, v.Promise.Rounded)
				}
			}
		}
	}
}

// uncap takes the caps from all versions of a program.
func uncap(p *reward.Program) {
	for ; p != nil; p = p.Earlier {
		p.Rules = append([]reward.Rule(nil), p.Rules...)
		for i := range p.Rules {
			p.Rules[i].Cap = reward.NoCap
		}
	}
}

// The same options give the same report, and other seeds another.
func TestRunIsDeterministic(t *testing.T) {
	report := func(seed uint64) string {
		r, err := truth.Run(t.Context(), truth.Options{Accounts: 12, Tries: 6, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := tabular.WriteJSON(&out, r); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if first := report(1); report(1) != first || report(2) == first {
		t.Error("a report does not follow from its seed")
	}
}
