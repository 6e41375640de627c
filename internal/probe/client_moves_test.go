package probe_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/scenario"
	"recoup/program"
)

// What a target says that it cannot do is not asked of it.
func TestMovesThatTheTargetLacks(t *testing.T) {
	no := false
	settled := issuer.Settlement{Account: "a", Transaction: "t1", Amount: 100_00, Category: "GROCERY"}
	tests := []struct {
		name string
		can  func(*probe.Capabilities)
		call func(*probe.Client) error
	}{
		{"chargebacks", func(c *probe.Capabilities) { c.Chargebacks = false }, func(c *probe.Client) error {
			return c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c1", Transaction: "t1", Amount: 100_00})
		}},
		{"partial refunds", func(c *probe.Capabilities) { c.PartialRefunds = false }, func(c *probe.Client) error {
			return c.Refund(issuer.Refund{Account: "a", Refund: "r1", Transaction: "t1", Amount: 99_99})
		}},
		{"partial chargebacks", func(c *probe.Capabilities) { c.PartialRefunds = false }, func(c *probe.Client) error {
			return c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c1", Transaction: "t1", Amount: 1})
		}},
		{"unlinked refunds", func(c *probe.Capabilities) { c.UnlinkedRefunds = &no }, func(c *probe.Client) error {
			return c.Refund(issuer.Refund{Account: "a", Refund: "r1", Amount: 100_00, Merchant: "m1"})
		}},
		{"codes without categories", func(c *probe.Capabilities) { c.MCC = false }, func(c *probe.Client) error {
			return c.Settle(issuer.Settlement{Account: "a", Transaction: "t2", Amount: 100_00, MCC: "5411"})
		}},
		{"chargebacks without an amount, of what is not settled", func(c *probe.Capabilities) { c.WholeChargebacks = false }, func(c *probe.Client) error {
			return c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c1", Transaction: "t9"})
		}},
		{"authorisations", func(c *probe.Capabilities) { c.Authorizations = false }, func(c *probe.Client) error {
			return c.Authorize(issuer.Settlement{Account: "a", Transaction: "t3", Amount: 100_00, Category: "GROCERY"})
		}},
		{"cancelled authorisations", func(c *probe.Capabilities) { c.Authorizations = false }, func(c *probe.Client) error {
			return c.Cancel("a", "t3")
		}},
		{"statement closes", func(c *probe.Capabilities) { c.StatementClose = probe.ClosesNot }, func(c *probe.Client) error {
			return c.CloseStatement("a")
		}},
		{"a clock", func(c *probe.Capabilities) { c.CanSetClock = false }, func(c *probe.Client) error {
			return c.SetClock(january.AddDate(0, 1, 0))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, lacks := range []bool{false, true} {
				can := adapter.Everything("USD")
				can.Authorizations = true
				if lacks {
					test.can(&can)
				}
				if test.name == "statement closes" && !lacks {
					can.StatementClose = probe.ClosesByCall
				}
				c := through(t, adapter.Handler(func() issuer.Issuer { return design.NewRecoup(program.Everyday()) }, can), quick())
				if err := c.Settle(settled); err != nil {
					t.Fatal(err)
				}
				if err := test.call(c); errors.Is(err, issuer.ErrUnsupported) != lacks || !lacks && err != nil {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// Whole refunds are no partial ones, nor are refunds of too much.
func TestWholeRefundsWithoutPartialOnes(t *testing.T) {
	can := least
	can.PartialRefunds = false
	c := through(t, adapter.Handler(func() issuer.Issuer { return design.NewRecoup(program.Everyday()) }, can), quick())
	buy(t, c, "t1", 100_00)
	buy(t, c, "t2", 100_00)
	buy(t, c, "t3", 100_00)
	for _, err := range []error{
		c.Refund(issuer.Refund{Account: "a", Refund: "r1", Transaction: "t1", Amount: 100_00}),
		c.Refund(issuer.Refund{Account: "a", Refund: "r2", Transaction: "t2", Amount: 105_00}),
		c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c1", Transaction: "t3"}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	expectBalance(t, c, 0)
}

// Time moves when it is told to, and only then is the target.
func TestClock(t *testing.T) {
	var told []string
	inside := sandbox("C")
	c := through(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/clock" {
			told = append(told, r.URL.Path)
		}
		inside.ServeHTTP(w, r)
	}), quick())
	later := january.AddDate(0, 0, 1)
	for _, at := range []time.Time{january, january.In(time.FixedZone("east", 3600)), later, later} {
		if err := c.SetClock(at); err != nil {
			t.Error(err)
		}
	}
	if len(told) != 2 {
		t.Errorf("the target was told %d times", len(told))
	}
	if err := c.SetClock(january); err == nil || !strings.Contains(err.Error(), "a reset is needed") {
		t.Errorf("%v", err)
	}
	if err := errors.Join(c.Reset(), c.SetClock(january)); err != nil {
		t.Error(err)
	}
}

// What comes late says when it happened, where the target can be told.
func TestDates(t *testing.T) {
	for _, can := range []probe.Capabilities{least, adapter.Everything("USD")} {
		var told []string
		inside := adapter.Handler(func() issuer.Issuer { return design.NewRecoup(program.Everyday()) }, can)
		c := through(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(body), `"at":"2025-01-03T10:00:00Z"`) {
				told = append(told, r.URL.Path)
			} else if strings.Contains(string(body), `"at"`) {
				t.Errorf("%s %s", r.URL.Path, body)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			inside.ServeHTTP(w, r)
		}), quick())
		before := january.AddDate(0, 0, -7)
		for i, at := range []time.Time{before, january, {}} {
			id := fmt.Sprint(i)
			for _, err := range []error{
				c.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: 100_00, At: at}),
				c.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: id, Amount: 50_00, At: at}),
				c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: id, Transaction: id, Amount: 50_00, At: at}),
			} {
				if err != nil {
					t.Error(err)
				}
			}
		}
		want := []string{"/settlements", "/refunds", "/chargebacks"}
		if !can.Dates {
			want = nil
		}
		if !slices.Equal(told, want) {
			t.Errorf("%v, want %v", told, want)
		}
	}
}

// A target without a clock is in one moment, and what lies within one month can
// be played in it.
func TestScenariosWithoutAClock(t *testing.T) {
	can := least
	can.CanSetClock = false
	fresh := func() issuer.Issuer {
		i := design.NewRecoup(program.Everyday())
		if err := i.SetClock(january); err != nil {
			t.Error(err)
		}
		return i
	}
	c := connect(t, adapter.Handler(fresh, can), quick())
	c.ShowsAtOnce()
	played := 0
	for _, s := range scenario.Catalogue() {
		if err := c.Reset(); err != nil {
			t.Fatal(err)
		}
		last := s.Steps[len(s.Steps)-1].At
		within := last.Year() == s.Steps[0].At.Year() && last.Month() == s.Steps[0].At.Month()
		_, err := scenario.Play(s, c)
		if errors.Is(err, issuer.ErrUnsupported) == within || within && err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if err == nil {
			played++
		}
	}
	if played < 30 {
		t.Errorf("%d scenarios were played", played)
	}
}

// A balance that never comes to rest is not made up.
func TestUnstableBalance(t *testing.T) {
	readings := 0
	inside := sandbox("C")
	o := quick()
	o.Settle.Bound = 20 * time.Millisecond
	c := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/accounts/a" {
			readings++
			says(200, `{"balance":0,"redeemable":`+strings.Repeat("1", 1+readings%2)+`}`)(w, r)
			return
		}
		inside.ServeHTTP(w, r)
	}), o)
	if err := c.Open("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Balance("a"); !errors.Is(err, probe.ErrUnstable) || readings < 3 {
		t.Errorf("%v after %d readings", err, readings)
	}
}

// A sample that earns nothing tells nothing of how late balances are.
func TestLagThatNothingShows(t *testing.T) {
	o := quick()
	o.Settle.Bound = 10 * time.Millisecond
	c := connect(t, sandbox("C"), o)
	lag, err := c.MeasureLag(january, issuer.Settlement{Amount: 1, Category: "GROCERY"})
	if err != nil || lag.Known {
		t.Errorf("%v, %v", lag, err)
	}
}

// late is a sandbox whose balances show purchases so much later, and nothing else.
func late(by time.Duration) http.Handler {
	inside := sandbox("C")
	var settled []time.Time
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/reset":
			settled = nil
		case r.URL.Path == "/settlements":
			settled = append(settled, time.Now())
		case strings.HasPrefix(r.URL.Path, "/accounts/"):
			shown := 0
			for _, at := range settled {
				if time.Since(at) >= by {
					shown++
				}
			}
			says(200, fmt.Sprintf(`{"balance":%d,"redeemable":0}`, 500*shown))(w, r)
			return
		}
		inside.ServeHTTP(w, r)
	})
}

// What shows much later than was waited for accuses nobody.
func TestBalancesThatAreTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := through(t, late(time.Minute), probe.Options{})
		r, err := probe.Run(t.Context(), c.Target(), probe.Plan{Quick: true})
		if err == nil {
			t.Errorf("%s", r.Verdict())
		}
	})
}

// Seconds are measured like everything else, and waited for, whatever the bound.
func TestLagOfSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, by := range []time.Duration{8 * time.Second, 4 * time.Second} {
			lag, err := through(t, late(by), probe.Options{}).MeasureLag(january, groceries)
			if err != nil || lag.Time < by-time.Second || lag.Time > by+2*time.Second {
				t.Fatalf("%v, %v, want about %v", lag, err, by)
			}
		}
		c := through(t, late(4*time.Second), probe.Options{})
		if _, err := c.MeasureLag(january, groceries); err != nil {
			t.Fatal(err)
		}
		if s := c.Stats(); s.Requests-s.Polls > 100 {
			t.Errorf("%d of %d requests were polls", s.Polls, s.Requests)
		}
		bought := groceries
		bought.Account, bought.Transaction = "a", "t"
		if err := errors.Join(c.SetClock(january), c.Open("a"), c.Settle(bought)); err != nil {
			t.Fatal(err)
		}
		if b, err := c.Balance("a"); err != nil || b.Balance != 500 {
			t.Errorf("%+v, %v, want the reward", b, err)
		}
	})
}

// What no program can show is an error that names the call, and so is a clock that does
// not stand where it was set.
func TestImpossibleAnswers(t *testing.T) {
	for _, test := range []struct{ path, answer, want string }{
		{"/accounts/a", `{"balance":500,"redeemable":-1}`, "GET /accounts/a: redeemable: expected what a redemption could take now, zero or more, found -1"},
		{"/accounts/a", `{"balance":9007199254740993,"redeemable":0}`, "GET /accounts/a: balance: expected an amount of at most"},
		{"/clock", `{"now":"2020-02-29T00:00:00Z"}`, "POST /clock: expected the target's clock at 2026-01-05T10:00:00Z, found it at 2020-02-29T00:00:00Z"},
	} {
		inside := sandbox("C")
		c := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == test.path {
				says(200, test.answer)(w, r)
				return
			}
			inside.ServeHTTP(w, r)
		}), quick())
		c.ShowsAtOnce()
		err := errors.Join(c.SetClock(time.Date(2026, time.January, 5, 10, 0, 0, 0, time.UTC)), c.Open("a"))
		if err == nil {
			_, err = c.Balance("a")
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %s: %v, want %s", test.answer, test.path, err, test.want)
		}
	}
}
