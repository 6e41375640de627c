package probe_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
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

// Where balances show late, a run says how late, what it does about it, and how long that
// makes it; where they show at once, nothing of it.
func TestARunSaysHowLongLagMakesIt(t *testing.T) {
	for lag, want := range map[probe.Lag][]string{
		{Known: true, Reads: 4, Time: 3 * time.Second}: {"Changes show after 4 readings or 3s.", "until it has stayed the same for 6s, so that a run takes 1h23m0s or more"},
		{Known: true}: {"Changes show at once."},
	} {
		target := inMemory(designNamed(t, "C"), program.Everyday())
		target.Prepare = func(*reward.Program) error { return nil }
		target.Lag = func() probe.Lag { return lag }
		var l log
		if _, err := probe.Run(t.Context(), target, probe.Plan{Quick: true, Log: &l}); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(l.said(), w) {
				t.Errorf("%s: no %q in %q", lag, w, l.said())
			}
		}
		if strings.Contains(l.said(), "so that a run takes") != (len(want) > 1) {
			t.Errorf("%s: %q", lag, l.said())
		}
	}
}

// Where calls take long, a run says how long that makes it.
func TestARunSaysHowLongSlowCallsMakeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := inMemory(designNamed(t, "C"), program.Everyday())
		target.Prepare = func(*reward.Program) error { time.Sleep(10 * time.Second); return nil }
		target.Lag = func() probe.Lag { return probe.Lag{Known: true} }
		target.Stats = func() probe.Stats { return probe.Stats{Requests: 50} }
		var l log
		if _, err := probe.Run(t.Context(), target, probe.Plan{Quick: true, Rate: 50, Log: &l}); err != nil {
			t.Fatal(err)
		}
		if want := "A call takes 200ms, so that a run takes 11m0s or more."; !strings.Contains(l.said(), want) {
			t.Errorf("no %q in %q", want, l.said())
		}
	})
}

// A quick run tells the class that a whole one tells, in less than half of the calls.
func TestQuick(t *testing.T) {
	for _, name := range []string{"A", "B", "C", "F"} {
		var calls [2]int
		var class [2]flaw.Class
		for i, quick := range []bool{false, true} {
			target := inMemory(designNamed(t, name), program.Everyday())
			counted := &counter{Issuer: target.Issuer}
			target.Issuer = counted
			r, err := probe.Run(t.Context(), target, probe.Plan{Quick: quick})
			if err != nil {
				t.Fatal(err)
			}
			calls[i], class[i] = counted.facts, r.Class
		}
		if class[0] != class[1] || class[0] == "" || 2*calls[1] >= calls[0] {
			t.Errorf("%s: %s by %d facts, %s by %d quickly", name, class[0], calls[0], class[1], calls[1])
		}
	}
}

// counter counts what a target is told of.
type counter struct {
	issuer.Issuer
	facts int
}

func (c *counter) Settle(s issuer.Settlement) error         { c.facts++; return c.Issuer.Settle(s) }
func (c *counter) Refund(r issuer.Refund) error             { c.facts++; return c.Issuer.Refund(r) }
func (c *counter) Chargeback(b issuer.Chargeback) error     { c.facts++; return c.Issuer.Chargeback(b) }
func (c *counter) SetClock(now time.Time) error             { c.facts++; return c.Issuer.SetClock(now) }
func (c *counter) Redeem(r issuer.Redemption) (bool, error) { c.facts++; return c.Issuer.Redeem(r) }

func (c *counter) PaidOut(account string) (int64, error) { return issuer.PaidOut(c.Issuer, account) }
