package probe_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/scenario"
	"recoup/program"
)

// quick are options for targets at hand.
func quick() probe.Options {
	return probe.Options{
		Rate: 1e6, Backoff: time.Microsecond, Retries: 20, Replays: 50,
		Settle: probe.Settle{Bound: time.Second, Interval: 100 * time.Microsecond, Quiet: time.Millisecond},
	}
}

// connect serves a handler and connects to it.
func connect(t *testing.T, h http.Handler, o probe.Options) *probe.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := probe.Connect(t.Context(), server.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reset(); err != nil {
		t.Fatal(err)
	}
	return c
}

// portOnly is an issuer without the moves that the protocol lacks.
type portOnly struct {
	issuer.Issuer
	issuer.Payer
}

func onlyPort(i issuer.Issuer) issuer.Issuer {
	if payer, ok := i.(issuer.Payer); ok {
		return portOnly{i, payer}
	}
	return struct{ issuer.Issuer }{i}
}

// Every scenario of the catalogue leaves the same transcript at a design behind
// HTTP as at the design itself.
func TestScenariosOverHTTP(t *testing.T) {
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	tests := []struct {
		name string
		can  probe.Capabilities
	}{{"statements close by the clock", adapter.Everything("USD")}, {"statements close by call", byCall}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			played, passedOver := 0, 0
			for _, d := range design.All() {
				var published *scenario.Scenario
				c := connect(t, adapter.Handler(func() issuer.Issuer { return freshOf(d, published) }, test.can), quick())
				c.ShowsAtOnce()
				for _, s := range scenario.Catalogue() {
					published = s
					want, err := scenario.Play(s, onlyPort(d.New(s.Program)))
					if err != nil {
						t.Fatal(err)
					}
					if err := c.Reset(); err != nil {
						t.Fatal(err)
					}
					got, err := scenario.Play(s, c)
					if err != nil {
						t.Errorf("%s: %v", d.Name, err)
						continue
					}
					played++
					for i := range got.Lines {
						if got.Lines[i].NoSuchPath {
							passedOver++
						}
						if !reflect.DeepEqual(got.Lines[i], want.Lines[i]) {
							t.Errorf("%s: %s:%d: %+v, in memory %+v", d.Name, s.File, s.Steps[i].Line, got.Lines[i], want.Lines[i])
							break
						}
					}
				}
			}
			if passedOver == 0 || played < 500 {
				t.Errorf("%d plays, %d moves passed over", played, passedOver)
			}
		})
	}
}

// freshOf opens a design with the program of a scenario, or the everyday one.
func freshOf(d design.Design, s *scenario.Scenario) issuer.Issuer {
	if s == nil {
		return d.New(program.Everyday())
	}
	return d.New(s.Program)
}

var (
	groceries = issuer.Settlement{Amount: 100_00, Merchant: "m1", Category: "GROCERY"}
	january   = time.Date(2025, 1, 10, 10, 0, 0, 0, time.UTC)
)

func examined(i issuer.Issuer) (*examine.Behaviour, error) {
	return examine.Issuer(i, examine.Sample{Amount: groceries.Amount, Merchant: groceries.Merchant, Category: groceries.Category}, 2026)
}

// A design is examined over HTTP with the very same result as in memory, down to
// each observation.
func TestExaminationOverHTTP(t *testing.T) {
	t.Parallel()
	for _, d := range design.All() {
		want, err := examined(d.New(program.Everyday()))
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, least), quick())
		c.ShowsAtOnce()
		if got, err := examined(c); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, in memory %+v", d.Name, got, err, want)
		}
	}
}

// least is what a target can do that has the calls and nothing beyond.
var least = probe.Capabilities{Currency: "USD", CanSetClock: true, Chargebacks: true, PartialRefunds: true, StatementClose: probe.ClosesByClock}

// That is so whatever is wrong with the sandbox.
func TestExaminationOfABadSandbox(t *testing.T) {
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	tests := []struct {
		name   string
		can    probe.Capabilities
		faults adapter.Faults
		some   []string // designs
	}{
		{"random latency", least, adapter.Faults{Latency: 300 * time.Microsecond}, []string{"F"}},
		{"two in a hundred calls fail", least, adapter.Faults{Failures: 20}, []string{"B", "V3(a)", "Literal (hybrid)", "Recoup (mature)"}},
		{"two in a hundred calls fail, and statements close by call", byCall, adapter.Faults{Failures: 20}, []string{"B", "V3(a)", "Literal (hybrid)", "Recoup (mature)"}},
		{"balances lag by some readings", least, adapter.Faults{LagReads: 3}, []string{"F"}},
		{"balances lag by some time", least, adapter.Faults{LagTime: time.Millisecond}, []string{"C"}},
		{"everything at once", byCall, adapter.Faults{Latency: 100 * time.Microsecond, Failures: 20, LagReads: 2, LagTime: 100 * time.Microsecond}, []string{"D"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var total probe.Stats
			for i, d := range design.All() {
				if os.Getenv("RECOUP_LONG") == "" && !slices.Contains(test.some, d.Name) {
					continue
				}
				want, err := examined(d.New(program.Everyday()))
				if err != nil {
					t.Fatal(err)
				}
				faults := test.faults
				faults.Seed = uint64(i)
				h := adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, test.can)
				c := connect(t, faults.Wrap(h), quick())
				lag, err := c.MeasureLag(january, groceries)
				if err != nil {
					t.Errorf("%s: %v", d.Name, err)
					continue
				}
				if late := faults.LagReads > 0 || faults.LagTime > 0; !lag.Known || (lag.Reads > 0) != late {
					t.Errorf("%s: lag %v", d.Name, lag)
				}
				got, err := examined(c)
				if err != nil {
					t.Errorf("%s: %v", d.Name, err)
				} else if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %+v, in memory %+v", d.Name, got, want)
				}
				s := c.Stats()
				total.Requests += s.Requests
				total.Failures += s.Failures
				total.Retries += s.Retries
			}
			if fails := test.faults.Failures > 0; (total.Failures > 0) != fails {
				t.Errorf("%+v", total)
			}
		})
	}
}
