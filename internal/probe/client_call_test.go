package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/probe"
)

// wire takes requests to a handler without a network, so that a test's time can
// stand for real time.
type wire struct{ http.Handler }

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

func TestRateIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		inside := sandbox("C")
		c, err := probe.ConnectThrough(t.Context(), wire{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at = append(at, time.Now())
			inside.ServeHTTP(w, r)
		})}, probe.Options{Rate: 20})
		if err != nil {
			t.Fatal(err)
		}
		for range 99 {
			if err := c.Reset(); err != nil {
				t.Fatal(err)
			}
		}
		for i := 20; i < len(at); i++ {
			if within := at[i].Sub(at[i-20]); within < 999*time.Millisecond {
				t.Fatalf("21 requests in %v", within)
			}
		}
		if took := at[99].Sub(at[0]); took > 5*time.Second {
			t.Errorf("100 requests took %v", took)
		}
	})
}

// answers is a target that gives prepared answers, and then those of a sandbox.
type answers struct {
	next   http.Handler
	script []func(http.ResponseWriter, *http.Request)
	path   string // of the requests that the script answers
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == a.path && len(a.script) > 0 {
		do := a.script[0]
		a.script = a.script[1:]
		do(w, r)
		return
	}
	a.next.ServeHTTP(w, r)
}

func says(status int, body string, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// A target that is asked for too much says how long to wait, and is not asked
// before.
func TestRetryAfterIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &answers{next: sandbox("C"), path: "/settlements", script: []func(http.ResponseWriter, *http.Request){
			says(429, `{"error":"too fast"}`, "Retry-After", "7"),
			says(429, `{"error":"too fast"}`, "Retry-After", time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat)),
		}}
		c := through(t, target, probe.Options{})
		began := time.Now()
		buy(t, c, "t1", 100_00)
		if took := time.Since(began); took < 19*time.Second || took > 21*time.Second {
			t.Errorf("it took %v", took)
		}
		if s := c.Stats(); s.Throttled != 2 || s.Failures != 0 || s.Retries != 2 || s.Replays != 0 {
			t.Errorf("%+v", s)
		}
		expectBalance(t, c, 5_00)
	})
}

func TestRetriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := &answers{next: sandbox("C"), path: "/accounts/a"}
		c := through(t, target, probe.Options{Retries: 3})
		before := c.Stats()
		for range 4 {
			target.script = append(target.script, says(500, "oh no"))
		}
		_, err := c.Balance("a")
		if err == nil || !strings.Contains(err.Error(), "gave up after 4 attempts") || !strings.Contains(err.Error(), "answered 500: oh no") {
			t.Error(err)
		}
		if s := c.Stats(); s.Requests != before.Requests+4 || s.Failures != 4 || s.Retries != 3 {
			t.Errorf("%+v", s)
		}
		if _, err := c.Balance("a"); err != nil {
			t.Error(err)
		}
	})
}

// through connects without a network, resets, sets the clock and opens account a.
func through(t *testing.T, h http.Handler, o probe.Options) *probe.Client {
	t.Helper()
	if o.Rate == 0 {
		o.Rate = 1e6
	}
	c, err := probe.ConnectThrough(t.Context(), wire{h}, o)
	if err != nil {
		t.Fatal(err)
	}
	c.ShowsAtOnce()
	for _, err := range []error{c.Reset(), c.SetClock(january), c.Open("a")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func buy(t *testing.T, c *probe.Client, transaction string, amount int64) {
	t.Helper()
	if err := c.Settle(issuer.Settlement{Account: "a", Transaction: transaction, Amount: amount, Merchant: "m1", Category: "GROCERY"}); err != nil {
		t.Fatal(err)
	}
}

func expectBalance(t *testing.T, c *probe.Client, want int64) {
	t.Helper()
	if got, err := c.Balance("a"); err != nil || got.Balance != want {
		t.Errorf("balance %d, %v, want %d", got.Balance, err, want)
	}
}

// doneAnd has a sandbox do what it is asked, and answers something else.
func doneAnd(h http.Handler, answer func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(httptest.NewRecorder(), r)
		answer(w, r)
	}
}

// A program that counts a purchase twice when it is delivered twice (gap G4) must
// not be accused of it because we delivered it twice.
func TestAFailureIsNotAnsweredByDeliveringTwice(t *testing.T) {
	inside := sandbox("Literal (instant)")
	for name, first := range map[string]func(http.ResponseWriter, *http.Request){
		"before it was done":       says(503, "not now"),
		"after it was done":        doneAnd(inside, says(503, "not now")),
		"after it was done, timed": doneAnd(inside, says(408, "too slow")),
	} {
		target := &answers{next: inside, path: "/settlements"}
		c := through(t, target, quick())
		buy(t, c, "t1", 100_00)
		if ok, err := c.Redeem(issuer.Redemption{Account: "a", Redemption: "d1", Amount: 3_00}); !ok || err != nil {
			t.Fatal(ok, err)
		}
		target.script = []func(http.ResponseWriter, *http.Request){first}
		buy(t, c, "t2", 100_00)
		if s := c.Stats(); s.Replays != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		expectBalance(t, c, 7_00)
		buy(t, c, "t2", 100_00) // that is the gap
		expectBalance(t, c, 12_00)
	}
}

// Nothing was sent if there was no connection, so nothing can be done twice.
func TestALostConnectionIsNoReplay(t *testing.T) {
	target := &refusing{wire: wire{sandbox("Literal (instant)")}}
	c, err := probe.ConnectThrough(t.Context(), target, quick())
	if err != nil {
		t.Fatal(err)
	}
	c.ShowsAtOnce()
	for _, err := range []error{c.Reset(), c.SetClock(january), c.Open("a")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	target.times = 3
	buy(t, c, "t1", 100_00)
	expectBalance(t, c, 5_00)
	if s := c.Stats(); s.Replays != 0 || s.Failures != 3 {
		t.Errorf("%+v", s)
	}
}

// refusing takes no connection for some times.
type refusing struct {
	wire
	times int
}

func (r *refusing) RoundTrip(q *http.Request) (*http.Response, error) {
	if r.times > 0 {
		r.times--
		return nil, errors.New("connection refused")
	}
	return r.wire.RoundTrip(q)
}

// What cannot be made certain is said to be uncertain.
func TestUncertainty(t *testing.T) {
	t.Run("no replays", func(t *testing.T) {
		target := &answers{next: sandbox("C"), path: "/refunds", script: []func(http.ResponseWriter, *http.Request){says(500, "")}}
		o := quick()
		o.Replays = -1
		c := through(t, target, o)
		buy(t, c, "t1", 100_00)
		refund := issuer.Refund{Account: "a", Refund: "r1", Transaction: "t1", Amount: 100_00}
		if err := c.Refund(refund); !errors.Is(err, probe.ErrUncertain) {
			t.Errorf("%v", err)
		}
		if _, err := c.Balance("a"); !errors.Is(err, probe.ErrUncertain) {
			t.Errorf("%v", err)
		}
		for _, err := range []error{c.Reset(), c.SetClock(january), c.Open("a")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		buy(t, c, "t1", 100_00)
		if err := c.Refund(refund); err != nil {
			t.Error(err)
		}
		expectBalance(t, c, 0)
	})
	t.Run("an account that was opened before", func(t *testing.T) {
		target := &answers{next: sandbox("C"), path: "/settlements"}
		c := through(t, target, quick())
		if err := c.Open("b"); err != nil {
			t.Fatal(err)
		}
		target.script = []func(http.ResponseWriter, *http.Request){says(500, "")}
		if err := c.Settle(issuer.Settlement{Account: "b", Transaction: "t1", Amount: 100_00, Category: "GROCERY"}); err != nil {
			t.Error(err)
		}
		if shown, err := c.Balance("b"); err != nil || shown.Balance != 5_00 {
			t.Errorf("%+v, %v", shown, err)
		}
		if _, err := c.Balance("a"); !errors.Is(err, probe.ErrUncertain) {
			t.Errorf("%v", err)
		}
	})
	t.Run("a call about an account that was opened before", func(t *testing.T) {
		target := &answers{next: sandbox("C"), path: "/settlements"}
		c := through(t, target, quick())
		if err := c.Open("b"); err != nil {
			t.Fatal(err)
		}
		target.script = []func(http.ResponseWriter, *http.Request){says(500, "")}
		err := c.Settle(issuer.Settlement{Account: "a", Transaction: "t1", Amount: 100_00})
		if !errors.Is(err, probe.ErrUncertain) || c.Stats().Replays != 0 {
			t.Errorf("%v, %+v", err, c.Stats())
		}
	})
	t.Run("another balance the second time", func(t *testing.T) {
		inside := sandbox("C")
		target := &answers{next: inside, path: "/accounts/a"}
		c, err := probe.ConnectThrough(t.Context(), wire{target}, quick())
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{c.Reset(), c.SetClock(january), c.Open("a")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		expectBalance(t, c, 0)
		for range 100 {
			target.script = append(target.script, says(200, `{"balance":1,"redeemable":0}`))
		}
		target.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/settlements" {
				target.next = inside
				says(500, "")(w, r)
				return
			}
			inside.ServeHTTP(w, r)
		})
		err = c.Settle(issuer.Settlement{Account: "a", Transaction: "t1", Amount: 100_00})
		if err == nil || !strings.Contains(err.Error(), "GET /accounts/a: expected the same as before") {
			t.Error(err)
		}
	})
	t.Run("another answer the second time", func(t *testing.T) {
		inside := sandbox("C")
		target := &answers{next: inside, path: "/redemptions", script: []func(http.ResponseWriter, *http.Request){
			doneAnd(inside, says(200, `{"accepted":false}`)),
		}}
		c := through(t, target, quick())
		buy(t, c, "t1", 100_00)
		if ok, err := c.Redeem(issuer.Redemption{Account: "a", Redemption: "d1", Amount: 1_00}); ok || err != nil {
			t.Fatal(ok, err)
		}
		target.path, target.script = "/refunds", []func(http.ResponseWriter, *http.Request){says(500, "")}
		err := c.Refund(issuer.Refund{Account: "a", Refund: "r1", Transaction: "t1", Amount: 100_00})
		if err == nil || !strings.Contains(err.Error(), "POST /redemptions: expected the same answer as before") {
			t.Error(err)
		}
	})
}

// An account that was opened although no answer came is open.
func TestOpeningIsTriedAgain(t *testing.T) {
	inside := sandbox("C")
	target := &answers{next: inside, path: "/accounts"}
	c := through(t, target, quick())
	target.script = []func(http.ResponseWriter, *http.Request){doneAnd(inside, says(502, ""))}
	if err := c.Open("b"); err != nil {
		t.Error(err)
	}
	var refused *probe.StatusError
	if err := c.Open("b"); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("%v", err)
	}
	if s := c.Stats(); s.Replays != 0 {
		t.Errorf("%+v", s)
	}
}

// A program may refuse what it is told, and what that leaves is what counts. But
// not every error is the program's.
func TestRefusals(t *testing.T) {
	refund := func(c *probe.Client) error {
		return c.Refund(issuer.Refund{Account: "a", Refund: "r1", Transaction: "t1", Amount: 105_00})
	}
	again := func(c *probe.Client) error {
		return c.Settle(issuer.Settlement{Account: "a", Transaction: "t1", Amount: 100_00, Category: "GROCERY"})
	}
	first := func(c *probe.Client) error {
		return c.Settle(issuer.Settlement{Account: "a", Transaction: "t2", Amount: 100_00, Category: "GROCERY"})
	}
	chargeback := func(c *probe.Client) error {
		return c.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c1", Transaction: "t1"})
	}
	redemption := func(c *probe.Client) error {
		ok, err := c.Redeem(issuer.Redemption{Account: "a", Redemption: "d1", Amount: -1})
		if ok {
			return errors.New("accepted")
		}
		return err
	}
	tests := []struct {
		name    string
		call    func(*probe.Client) error
		path    string
		status  int
		body    string
		refused bool   // which is no error
		want    string // of the error
	}{
		{"more than the purchase", refund, "/refunds", 422, `{"error":"amount exceeds purchase"}`, true, ""},
		{"an unknown purchase", refund, "/refunds", 404, `{"error":"no such purchase"}`, true, ""},
		{"a purchase that is known", again, "/settlements", 409, `{"error":"duplicate"}`, true, ""},
		{"a redemption of less than nothing", redemption, "/redemptions", 400, `{"error":"amount"}`, true, ""},
		{"an unknown purchase, charged back", chargeback, "/chargebacks", 404, `{"error":"no such purchase"}`, true, ""},
		{"a purchase that is new", first, "/settlements", 422, `{"error":"no\u0007thanks"}`, false, "POST /settlements answered 422: no thanks"},
		{"a key is missing", refund, "/refunds", 401, `{"error":"who are you?"}`, false, "answered 401: who are you?"},
		{"not in the protocol's form", refund, "/refunds", 400, `<h1>Bad Request</h1>`, false, "answered 400: <h1>Bad Request</h1>"},
		{"no such call", chargeback, "/chargebacks", 404, `404 page not found`, false, issuer.ErrUnsupported.Error()},
		{"a call that is not done yet", chargeback, "/chargebacks", 501, `{"error":"later"}`, false, issuer.ErrUnsupported.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := &answers{next: sandbox("C"), path: test.path}
			c := through(t, target, quick())
			buy(t, c, "t1", 100_00)
			target.script = []func(http.ResponseWriter, *http.Request){says(test.status, test.body)}
			err := test.call(c)
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) || test.want == "" && err != nil {
				t.Errorf("%v, want %q", err, test.want)
			}
			if (test.want == issuer.ErrUnsupported.Error()) != errors.Is(err, issuer.ErrUnsupported) {
				t.Errorf("%v", err)
			}
			if got := c.Refusals(); (len(got) == 1) != test.refused || test.refused && (got[0].Account != "a" || got[0].Status != test.status || got[0].ID == "" || got[0].Message == "") {
				t.Errorf("refusals %+v", got)
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"no JSON", "hello", "no JSON object"},
		{"a member is missing", `{"balance":1}`, `no member "redeemable"`},
		{"a member is null", `{"balance":1,"redeemable":null}`, `no member "redeemable"`},
		{"a fraction", `{"balance":1.5,"redeemable":1}`, "not as expected"},
		{"the same member twice", `{"balance":1,"balance":2,"redeemable":1}`, "duplicate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := &answers{next: sandbox("C"), path: "/accounts/a", script: []func(http.ResponseWriter, *http.Request){says(200, test.body)}}
			c := through(t, target, quick())
			if _, err := c.Balance("a"); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestCapabilitiesThatAreNone(t *testing.T) {
	for body, want := range map[string]string{
		`{"currency":"USD","can_set_clock":true,"chargebacks":true,"partial_refunds":true}`:                              `no member "statement_close"`,
		`{"currency":"USD","can_set_clock":true,"chargebacks":true,"partial_refunds":true,"statement_close":"monthly"}`:  "expected clock, call or none",
		`{"currency":"dollars","can_set_clock":true,"chargebacks":true,"partial_refunds":true,"statement_close":"none"}`: "expected an ISO 4217 code",
		`{"currency":"USD","can_set_clock":"yes","chargebacks":true,"partial_refunds":true,"statement_close":"none"}`:    "not as expected",
		`{"error":"not here"}`: "no member",
	} {
		_, err := probe.ConnectThrough(t.Context(), wire{http.HandlerFunc(says(200, body))}, quick())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// When the caller has had enough, nothing is tried again.
func TestTheContextEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := fmt.Errorf("enough")
		time.AfterFunc(time.Minute, func() { cancel(enough) })
		calls := 0
		_, err := probe.ConnectThrough(ctx, wire{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			http.Error(w, "", http.StatusBadGateway)
		})}, probe.Options{Retries: 1000, Backoff: 20 * time.Second})
		if !errors.Is(err, enough) || calls < 2 || calls > 10 {
			t.Errorf("%v after %d calls", err, calls)
		}
	})
}
