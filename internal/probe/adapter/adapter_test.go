package adapter_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

var least = probe.Capabilities{Currency: "USD", CanSetClock: true, StatementClose: probe.ClosesByClock}

func fresh() issuer.Issuer { return design.NewRecoup(program.Everyday()) }

// ask makes a call and returns its status and body.
func ask(h http.Handler, method, path, body string) (int, string) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequest(method, path, strings.NewReader(body)))
	said, _ := io.ReadAll(recorder.Result().Body)
	return recorder.Code, string(said)
}

// The adapter takes what the protocol has, and says of anything else what it
// expected.
func TestStrictness(t *testing.T) {
	tests := []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"a purchase", "/settlements", `{"account":"a","transaction":"t1","amount":1,"merchant":"","category":""}`, 200, `{}`},
		{"no JSON", "/settlements", `hello`, 400, `"error"`},
		{"an array", "/settlements", `[]`, 400, `"error"`},
		{"nothing", "/settlements", ``, 400, `"error"`},
		{"something after it", "/reset", `{} {}`, 400, `"error"`},
		{"an unknown member", "/accounts", `{"account":"b","colour":"red"}`, 400, `colour`},
		{"a member twice", "/accounts", `{"account":"b","account":"c"}`, 400, `duplicate`},
		{"a member in other case", "/accounts", `{"Account":"b"}`, 400, `Account`},
		{"a missing member", "/settlements", `{"account":"a","transaction":"t1","merchant":"","category":""}`, 400, `amount: expected this member`},
		{"a null", "/redemptions", `{"account":"a","redemption":"d","amount":null}`, 400, `amount: expected this member`},
		{"a fraction", "/redemptions", `{"account":"a","redemption":"d","amount":1.5}`, 400, `"error"`},
		{"too large an amount", "/redemptions", `{"account":"a","redemption":"d","amount":9223372036854775808}`, 400, `"error"`},
		{"an empty id", "/refunds", `{"account":"a","refund":"","amount":1}`, 400, `refund: expected 1 to 256 bytes, found 0`},
		{"a long id", "/accounts", `{"account":"` + strings.Repeat("a", 257) + `"}`, 400, `found 257`},
		{"a long body", "/accounts", `{"account":"` + strings.Repeat("a", probe.MaxBody) + `"}`, 413, `at most 65536 bytes`},
		{"an account that is open", "/accounts", `{"account":"a"}`, 409, `open already`},
		{"an account that is not", "/redemptions", `{"account":"z","redemption":"d","amount":1}`, 404, `not open`},
		{"a time that is none", "/clock", `{"now":"yesterday"}`, 400, `"error"`},
		{"a time out of range", "/clock", `{"now":"0001-01-01T00:00:00Z"}`, 422, `expected a time between`},
		{"a code that the capabilities lack", "/refunds", `{"account":"a","refund":"r","amount":1,"mcc":"5411"}`, 400, `mcc: the capabilities`},
		{"a category that they lack", "/refunds", `{"account":"a","refund":"r","amount":1,"category":"GROCERY"}`, 400, `category: the capabilities`},
		{"a date that they lack", "/refunds", `{"account":"a","refund":"r","amount":1,"at":"2025-01-01T00:00:00Z"}`, 400, `at: the capabilities`},
		{"a chargeback, which they lack", "/chargebacks", `{"account":"a","chargeback":"c","transaction":"t1","amount":1}`, 501, `not supported`},
		{"a close by call, which they lack", "/statements/close", `{"account":"a"}`, 501, `not supported`},
		{"a call that there is not", "/announcements", `{}`, 404, `there is no POST /announcements`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := adapter.Handler(fresh, least)
			ask(h, "POST", "/clock", `{"now":"2025-01-10T10:00:00Z"}`)
			ask(h, "POST", "/accounts", `{"account":"a"}`)
			if status, said := ask(h, "POST", test.path, test.body); status != test.status || !strings.Contains(said, test.want) {
				t.Errorf("%d %s, want %d %s", status, said, test.status, test.want)
			}
		})
	}
}

func TestResetForgets(t *testing.T) {
	h := adapter.Handler(fresh, least)
	ask(h, "POST", "/accounts", `{"account":"a"}`)
	ask(h, "POST", "/reset", `{}`)
	if status, said := ask(h, "GET", "/accounts/a", ""); status != 404 {
		t.Errorf("%d %s", status, said)
	}
}

// Of many calls, about as many fail as was asked for, before or after they were
// done.
func TestFailures(t *testing.T) {
	served := 0
	counting := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ })
	server := adapter.Faults{Seed: 1, Failures: 100}.Wrap(counting)
	const calls = 30_000
	answered, hungUp := 0, 0
	for range calls {
		func() {
			defer func() {
				if recover() == http.ErrAbortHandler {
					hungUp++
				}
			}()
			if status, _ := ask(server, "POST", "/reset", "{}"); status == 503 {
				answered++
			}
		}()
	}
	before := calls - served
	after := answered - before
	for kind, n := range map[string]int{"503 before": before, "503 after": after, "hung up": hungUp} {
		if n < 800 || n > 1200 { // one in thirty, give or take six standard deviations
			t.Errorf("%s: %d of %d", kind, n, calls)
		}
	}
}

// A balance is as it was for some readings, and then as it is.
func TestLag(t *testing.T) {
	stale, most := 0, 0
	for seed := range uint64(50) {
		h := adapter.Faults{Seed: seed, LagReads: 2}.Wrap(adapter.Handler(fresh, least))
		ask(h, "POST", "/clock", `{"now":"2025-01-10T10:00:00Z"}`)
		ask(h, "POST", "/accounts", `{"account":"a"}`)
		ask(h, "POST", "/settlements", `{"account":"a","transaction":"t1","amount":10000,"merchant":"m","category":"GROCERY"}`)
		n := 0
		for ; n < 10; n++ {
			if _, said := ask(h, "GET", "/accounts/a", ""); strings.Contains(said, `"balance":500`) {
				break
			}
		}
		stale, most = stale+n, max(most, n)
	}
	if most != 2 || stale < 25 || stale > 75 {
		t.Errorf("%d stale readings, %d at most after one purchase", stale, most)
	}
}

func TestLatency(t *testing.T) {
	h := adapter.Faults{Latency: 5 * time.Millisecond}.Wrap(adapter.Handler(fresh, least))
	began := time.Now()
	for range 20 {
		ask(h, "GET", "/capabilities", "")
	}
	// The mean is 50 ms in all; less than 5 would be chance one in billions.
	if took := time.Since(began); took < 5*time.Millisecond {
		t.Errorf("20 calls took %v", took)
	}
}
