package probe_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/scenario"
	"recoup/program"
)

// log is what a run has said so far.
type log struct {
	sync.Mutex
	strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Builder.Write(p)
}

func (l *log) said() string {
	l.Lock()
	defer l.Unlock()
	return l.Builder.String()
}

// Nothing is done to a sandbox before it was said what is going to be done to it: not
// even a reset.
func TestARunSaysFirstWhatItWillDo(t *testing.T) {
	s, err := scenario.Find("case-1-double-dip")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		run  func(probe.Target, probe.Plan) error
		want []string
	}{
		"everything": {
			func(target probe.Target, plan probe.Plan) error {
				_, err := probe.Run(t.Context(), target, plan)
				return err
			},
			[]string{"the sandbox at here: it buys, returns, disputes and redeems in accounts of its own, and resets", "every account that is there is forgotten", "at most 77 a second"},
		},
		"one scenario": {
			func(target probe.Target, plan probe.Plan) error {
				_, err := probe.Only(t.Context(), target, s, plan)
				return err
			},
			[]string{"the sandbox at here: it plays the scenario case-1-double-dip, and resets", "every account that is there is forgotten", "at most 77 a second"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := designNamed(t, "C")
			sandbox := adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, adapter.Everything("USD"))
			var l log
			before, moves := "", 0 // what had been said by the first call that does something
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet {
					if moves++; moves == 1 {
						before = l.said()
					}
				}
				sandbox.ServeHTTP(w, r)
			}))
			defer server.Close()
			client, err := probe.Connect(t.Context(), server.URL, quick())
			if err != nil {
				t.Fatal(err)
			}
			if err := test.run(client.Target(), probe.Plan{Name: "here", Rate: 77, Log: &l}); err != nil {
				t.Fatal(err)
			}
			if moves == 0 || !strings.HasPrefix(before, "This moves test money in ") {
				t.Errorf("before the first of %d calls it had said %q", moves, before)
			}
			for _, want := range test.want {
				if !strings.Contains(before, want) {
					t.Errorf("no %q in %q", want, before)
				}
			}
		})
	}
}
