package probe_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
	"recoup/reward"
)

func designNamed(t *testing.T, name string) design.Design {
	t.Helper()
	d, err := design.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// clockless is a sandbox in which it is always the same moment, but that a call
// ends the month if it can be called.
type clockless struct {
	*labtest.Fresh
	now time.Time
}

func (c *clockless) Reset() error {
	c.Issuer, c.now = c.New(), january
	return c.Issuer.SetClock(c.now)
}

func (c *clockless) SetClock(time.Time) error { return errors.New("there is no clock") }

func (c *clockless) CloseStatement(account string) error {
	c.now = time.Date(c.now.Year(), c.now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if err := c.Issuer.SetClock(c.now); err != nil {
		return err
	}
	return c.Issuer.CloseStatement(account)
}

// Without a clock only what needs none is played, and it is said what was left out.
// Statements that close by call can be closed all the same.
func TestWithoutAClock(t *testing.T) {
	tests := []struct {
		design string
		close  probe.StatementClose
		want   []string // what fails
		left   []string // not applicable, besides what the protocol cannot say
	}{
		{"A", probe.ClosesNot, []string{"G2", "G3", "G4", "G5", "G9", "G11", "M1", "M2", "M3", "M4", "M5", "M6", "M11", "M12", "M14", "unlinked-ignored"}, []string{"G1", "G6", "G10"}},
		{"Over-refunds ignored", probe.ClosesNot, []string{"G2", "G11", "M1", "M2", "M3", "M4", "M5", "M6", "M11", "M12", "M14"}, []string{"G1", "G6", "G10"}},
		{"Recoup (mature)", probe.ClosesNot, []string{"G11"}, []string{"G1", "G6", "G10"}},
		{"Early refunds dropped", probe.ClosesByCall, []string{"G3", "G11", "M1", "M2", "M3", "M4", "M5", "M6", "M11", "M12", "M14"}, nil},
		{"Literal (statement)", probe.ClosesByCall, []string{"G2", "G5", "G8", "G9"}, nil},
	}
	for _, test := range tests {
		t.Run(test.design, func(t *testing.T) {
			d := designNamed(t, test.design)
			s := &clockless{Fresh: labtest.NewFresh(func() issuer.Issuer { return onlyPort(d.New(program.Everyday())) })}
			can := adapter.Everything("USD")
			can.CanSetClock, can.StatementClose = false, test.close
			r := probed(t, probe.Target{Issuer: s, Can: can, Reset: s.Reset}, probe.Plan{})
			if r.Class != "" || r.Behaviour != nil || len(r.LeftOut) == 0 {
				t.Errorf("class %q, left out %q", r.Class, r.LeftOut)
			}
			fails := map[string]bool{}
			for _, g := range r.Gaps {
				fails[g.Row] = g.Outcome == probe.Fail
				if slices.Contains(test.left, g.Row) && (g.Outcome != probe.NotApplicable || !strings.HasPrefix(g.Reason, "needs ")) {
					t.Errorf("%s: %s (%s), want it left out", g.Row, g.Outcome, g.Reason)
				}
			}
			for _, row := range test.want {
				if !fails[row] {
					t.Errorf("%s does not fail", row)
				}
			}
			if test.design == "Recoup (mature)" {
				for row, failed := range fails {
					if failed && !slices.Contains(test.want, row) {
						t.Errorf("%s fails", row)
					}
				}
			}
		})
	}
}

// A sandbox that cannot forget is played in later and later years, and told for
// what it is.
func TestWithoutReset(t *testing.T) {
	for _, d := range designs() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			target := inMemory(d, program.Everyday())
			target.Reset = nil
			checkTold(t, probed(t, target, probe.Plan{}), d)
		})
	}
}

// flaky is a sandbox of which now and then nobody knows what it has done. The
// account is then of no use.
type flaky struct {
	*labtest.Fresh
	chance  *rand.Rand
	permill int
	lost    bool
}

func (f *flaky) Reset() error { f.lost = false; return f.Fresh.Reset() }

func (f *flaky) Settle(s issuer.Settlement) error {
	if f.lost = f.lost || f.chance.IntN(1000) < f.permill; f.lost {
		return fmt.Errorf("%w: a settlement", probe.ErrUncertain)
	}
	return f.Issuer.Settle(s)
}

// What is uncertain is played again, and if it stays uncertain, reported as such.
func TestFlakyTarget(t *testing.T) {
	target := func(design string, permill int) probe.Target {
		d := designNamed(t, design)
		f := &flaky{Fresh: labtest.NewFresh(func() issuer.Issuer { return onlyPort(d.New(program.Everyday())) }), chance: rand.New(rand.NewPCG(1, 2)), permill: permill}
		return probe.Target{Issuer: f, Can: adapter.Everything("USD"), Reset: f.Reset}
	}
	t.Run("seldom", func(t *testing.T) {
		d := designNamed(t, "V3(a)")
		r := probed(t, target(d.Name, 10), probe.Plan{Program: program.Everyday()})
		checkTold(t, r, d)
		if r.Replays == 0 {
			t.Error("nothing was played again")
		}
	})
	t.Run("often", func(t *testing.T) {
		r := probed(t, target("C", 700), probe.Plan{Program: program.Everyday()})
		untold := 0
		for _, g := range r.Gaps {
			for _, c := range g.Cases {
				if c.Outcome == probe.NotTold {
					untold++
					if !strings.Contains(c.Reason, "target flaky") {
						t.Errorf("%s: %s", c.Scenario, c.Reason)
					}
				}
				if c.Outcome == probe.Fail && g.Row[0] != 'M' && g.Row != "G11" && g.Row != "G13" {
					t.Errorf("%s: accused of %s", c.Scenario, g.Row)
				}
			}
		}
		if untold == 0 {
			t.Error("all could be told")
		}
	})
}

// Over HTTP a design is told with the very same result as in memory, whatever is
// wrong with the sandbox.
func TestProbeOverHTTP(t *testing.T) {
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	least := probe.Capabilities{Currency: "USD", CanSetClock: true, Chargebacks: true, PartialRefunds: true, StatementClose: probe.ClosesByClock}
	tests := []struct {
		design string
		can    probe.Capabilities
		faults adapter.Faults
	}{
		{"D", byCall, adapter.Faults{}},
		{"V3(a)", least, adapter.Faults{Failures: 20}},
		{"B", adapter.Everything("USD"), adapter.Faults{LagReads: 2, Failures: 20}},
	}
	for _, test := range tests {
		t.Run(test.design, func(t *testing.T) {
			if test.faults.LagReads > 0 && os.Getenv("RECOUP_LONG") == "" {
				t.Skip("a bad sandbox is examined by TestExaminationOfABadSandbox: set RECOUP_LONG=1")
			}
			t.Parallel()
			d := designNamed(t, test.design)
			c := connect(t, test.faults.Wrap(adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, test.can)), quick())
			got := probed(t, c.Target(), probe.Plan{})
			memory := inMemory(d, program.Everyday())
			memory.Can = test.can
			want := probed(t, memory, probe.Plan{})
			for i := range got.Gaps { // how often anything was begun again is the sandbox's
				for j := range got.Gaps[i].Cases {
					got.Gaps[i].Cases[j].Replays = 0
				}
			}
			for _, pair := range [][2]any{
				{got.Class, want.Class}, {got.Terms.File, want.Terms.File}, {got.Terms.Observed, want.Terms.Observed},
				{got.Gaps, want.Gaps}, {got.Losses, want.Losses}, {got.Changes, want.Changes}, {got.Evidence, want.Evidence},
			} {
				if !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("%+v\nin memory\n%+v", pair[0], pair[1])
				}
			}
		})
	}
}

// The loss of each flaw is what one account can take, to the penny: a cap of $50
// a month.
func TestLosses(t *testing.T) {
	tests := []struct {
		design      string
		flaw        string
		round, year int64
	}{
		{"A", "V1", 50_00, 600_00},
		{"B", "V2", 50_00, 600_00},
		{"V3(a)", "V3(a)", 50_00, 600_00},
		{"Over-refunds ignored", "G2", 50_00, 600_00},
		{"Double grant", "G4", 25_00, 300_00},
		{"C", "G13", 50_00, 50_00},
		{"Literal (statement)", "G1", 12_00, 144_00},
	}
	for _, test := range tests {
		t.Run(test.design, func(t *testing.T) {
			r := probed(t, inMemory(designNamed(t, test.design), program.Everyday()), probe.Plan{})
			i := slices.IndexFunc(r.Losses, func(l probe.Loss) bool { return l.Flaw == test.flaw })
			if i < 0 {
				t.Fatalf("no loss by %s: %+v", test.flaw, r.Losses)
			}
			if l := r.Losses[i]; l.Round != test.round || l.Year != test.year || !l.Capped {
				t.Errorf("%+v, want %d a round and %d a year under the cap", l, test.round, test.year)
			}
		})
	}
	r := probed(t, inMemory(designNamed(t, "A"), program.Everyday()), probe.Plan{})
	if len(r.Changes) == 0 || r.Changes[0].Tier != 1 || !slices.Contains(r.Changes[0].Flaws, string(flaw.V1)) {
		t.Errorf("changes %+v, want V1's first", r.Changes)
	}
}

// The verdict says of how many rows the class, or another flaw, is not the reason.
func TestVerdict(t *testing.T) {
	for design, want := range map[string]string{
		"A":                   "V1: refunds never take the reward back; $600.00 an account and year; 315 of 339 ways to return purchases pay; 28 of 43 gaps fail, 1 of them for a reason of their own.",
		"B":                   "V2: only some refunds take the reward back, by the cycle they fall in; $600.00 an account and year; 192 of 340 ways to return purchases pay; 27 of 43 gaps fail, 15 of them for a reason of their own.",
		"Chargebacks ignored": "Other: leaks $600.00 an account and year, chargebacks are missed, or lost disputes do not give back; 10 of 339 ways to return purchases pay; 21 of 43 gaps fail, 18 of them for a reason of their own.",
		"Recoup (rerate)":     "Robust: none of the paper's classes; not one of 339 ways to return purchases pays; 1 of 43 gaps fail.",
	} {
		if got := probed(t, inMemory(designNamed(t, design), program.Everyday()), probe.Plan{}).Verdict(); got != want {
			t.Errorf("%s: %q, want %q", design, got, want)
		}
		if design == "B" { // which the document has its readers try first
			if page, err := os.ReadFile("../../docs/probe-your-sandbox.md"); err != nil || !strings.Contains(string(page), want) {
				t.Errorf("docs/probe-your-sandbox.md does not say %q (%v)", want, err)
			}
		}
	}
}

// What is wrong with the terms given is said before anything is judged by them.
func TestTermsThatAreNotTheTargets(t *testing.T) {
	other := program.Everyday()
	other.Rules = []reward.Rule{{ID: "all", Rate: 2 * reward.MaxRate / 100, Cap: reward.NoCap}}
	_, err := probe.Run(t.Context(), inMemory(designNamed(t, "C"), program.Everyday()), probe.Plan{Program: other})
	if err == nil || !strings.Contains(err.Error(), "the program promises") {
		t.Errorf("error %v", err)
	}
	other.Currency = "EUR"
	_, err = probe.Run(t.Context(), inMemory(designNamed(t, "C"), program.Everyday()), probe.Plan{Program: other})
	if err == nil || !strings.Contains(err.Error(), "is in EUR") {
		t.Errorf("error %v", err)
	}
}

// stopped is a sandbox whose clock stands still whatever it is told.
type stopped struct {
	issuer.Issuer
	set bool
}

func (s *stopped) SetClock(now time.Time) error {
	if s.set {
		return nil
	}
	s.set = true
	return s.Issuer.SetClock(now)
}

// A clock that is ignored is noticed: by what it says it shows or, where it says nothing,
// by nothing that depends on the time. One that is followed in silence is not doubted where
// something does.
func TestAClockThatIsIgnored(t *testing.T) {
	for _, test := range []struct {
		design  string
		ignored bool
		doubted bool
		plan    probe.Plan
	}{
		{"F", true, true, probe.Plan{Program: program.Everyday(), Quick: true}},
		{"F", false, false, probe.Plan{Program: program.Everyday(), Quick: true}},
		{"A", true, true, probe.Plan{}}, // a cap that is found out is no sign of time
	} {
		fresh := func() issuer.Issuer {
			i := onlyPort(designNamed(t, test.design).New(program.Everyday()))
			if test.ignored {
				return &stopped{Issuer: i}
			}
			return i
		}
		inner := adapter.Handler(fresh, adapter.Everything("USD"))
		silent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/clock" {
				inner.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			inner.ServeHTTP(answer, r)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(answer.Code)
			io.WriteString(w, "{}")
		})
		server := httptest.NewServer(silent)
		defer server.Close()
		client, err := probe.Connect(t.Context(), server.URL, probe.Options{Rate: 1_000_000, Settle: probe.Settle{Bound: 200 * time.Millisecond, Quiet: time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		r := probed(t, client.Target(), test.plan)
		if r.ClockInDoubt != test.doubted || strings.Contains(r.Verdict(), "clock may be ignored") != test.doubted {
			t.Errorf("%+v: in doubt %t: %s", test, r.ClockInDoubt, r.Verdict())
		}
	}
}
