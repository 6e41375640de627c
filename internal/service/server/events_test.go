package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/server"
	"recoup/reward"
)

func TestOneEventIsAnsweredWithItsOutcome(t *testing.T) {
	f := newService(t)
	a := f.call("ingest", "POST", "/v1/events", one, purchase(1, "acct", 10000)).status200()
	if want := `{"id":"e1","source":"core","account":"acct","outcome":"applied","code":null}` + "\n"; a.body != want {
		t.Errorf("answered %s, want %s", a.body, want)
	}
	f.deliver(purchase(1, "acct", 10000), "duplicate")
	f.deliver(purchase(1, "acct", 9000), "rejected id_reused")
	f.get("/v1/accounts/acct").has("balance", "500")
}

func TestABatchIsAnsweredInOrder(t *testing.T) {
	f := newService(t)
	body := "[" + strings.Join([]string{
		purchase(1, "a", 10000),
		`{"specversion":"1.0","id":"bad"}`,
		purchase(2, "b", 2000),
		`17`,
		strings.Replace(purchase(3, "a", 100), `"core"`, `"api"`, 1),
		purchase(2, "b", 2000),
		strings.Replace(purchase(4, "a", 100), `"amount":100`, `"amount":"100"`, 1),
		`{"specversion":"1.0","specversion":"1.0"}`,
	}, ", \n") + "]"
	a := f.call("ingest", "POST", "/v1/events", batch, body).status200()
	var list []map[string]any
	a.read(&list)
	want := []string{
		"e1 applied <nil>", "1 rejected malformed source", "e2 applied <nil>", "3 rejected malformed <nil>",
		"e3 rejected source_reserved", "e2 duplicate <nil>", "6 rejected malformed data.amount", "7 rejected malformed specversion",
	}
	for i, w := range want {
		got := fmt.Sprint(list[i]["id"], " ", list[i]["outcome"], " ", list[i]["code"])
		if list[i]["code"] == "malformed" {
			got = fmt.Sprint(list[i]["index"], " ", list[i]["outcome"], " ", list[i]["code"], " ", list[i]["member"])
		}
		if got != w {
			t.Errorf("event %d: %s, want %s", i, got, w)
		}
	}
	if len(list) != len(want) {
		t.Errorf("%d answers, want %d", len(list), len(want))
	}
	f.get("/v1/accounts/a").has("balance", "500")
	f.get("/v1/accounts/b").has("balance", "100")
}

func TestAStreamOfLinesIsAnsweredInOrder(t *testing.T) {
	f := newService(t)
	var body strings.Builder
	const events = 2500 // more than two pieces
	for n := range events {
		if n%100 == 7 {
			body.WriteString("{\"specversion\":\n") // a line that is cut in two, each of them malformed
			continue
		}
		body.WriteString(purchase(n, fmt.Sprintf("acct-%d", n%10), 1000) + "\n")
	}
	a := f.call("ingest", "POST", "/v1/events", lines, strings.TrimSuffix(body.String(), "\n")).status200()
	got := strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	if len(got) != events {
		t.Fatalf("%d answers, want %d", len(got), events)
	}
	for n, line := range got {
		want := fmt.Sprintf(`{"id":"e%d","source":"core","account":"acct-%d","outcome":"applied","code":null}`, n, n%10)
		if n%100 == 7 {
			want = fmt.Sprintf(`{"index":%d,"outcome":"rejected","code":"malformed",`, n)
		}
		if !strings.HasPrefix(line, want) {
			t.Fatalf("line %d: %s, want %s", n, line, want)
		}
	}
	if a := f.call("ingest", "POST", "/v1/events", lines, ""); a.status != http.StatusOK || a.body != "" {
		t.Errorf("an empty stream: %d %q", a.status, a.body)
	}
}

// What is refused before the engine leaves no trace: no account, no identity used
// up, no time moved.
func TestWhatIsRefusedTouchesNothing(t *testing.T) {
	f := newService(t)
	now := f.clock.read()
	at := func(d time.Duration) string {
		return strings.Replace(purchase(1, "acct", 100), "2026-01-10T00:00:01Z", now.Add(d).Format(time.RFC3339Nano), 1)
	}
	f.deliver(at(15*time.Minute+time.Nanosecond), "rejected invalid_time")
	f.deliver(strings.Replace(purchase(1, "acct", 100), `"t1"`, `"4111 1111 1111 1111"`, 1), "quarantined card_number")
	f.deliver(strings.Replace(purchase(1, "acct", 100), `"core"`, `"api"`, 1), "rejected source_reserved")
	f.get("/v1/accounts/acct").fails(404, "account_unknown")
	f.deliver(at(15*time.Minute), "applied")
}

func TestHowFarAheadIsConfigurable(t *testing.T) {
	f := newService(t, func(o *server.Options) { o.MaxAhead = time.Minute })
	line := strings.Replace(purchase(1, "acct", 100), "2026-01-10T00:00:01Z", f.clock.read().Add(time.Minute+1).Format(time.RFC3339Nano), 1)
	f.deliver(line, "rejected invalid_time")
	f.clock.pass(1)
	f.deliver(line, "applied")
}

// A key that reports purchases cannot pay out, nor adjust: a type of event wants
// what the endpoint for the same wants.
func TestTypesOfEventsWantTheirScopes(t *testing.T) {
	f := newService(t)
	f.deliver(purchase(1, "acct", 10000), "applied")
	for n, c := range []struct{ kind, data, ingest, sender, desk string }{
		{"redemption.requested", `"redemption":"r1","amount":100,"currency":"USD"`, "rejected scope_missing", "applied", "rejected scope_missing"},
		{"redemption.reversed", `"redemption":"r1"`, "rejected scope_missing", "applied", "rejected scope_missing"},
		{"adjustment.posted", `"adjustment":"a1","amount":100,"currency":"USD","reason":"goodwill","actor":"me"`, "rejected scope_missing", "rejected scope_missing", "rejected scope_missing"},
		{"account.closed", "", "rejected scope_missing", "rejected scope_missing", "rejected scope_missing"},
		{"refund.linked", `"refund":"f1","transaction":"t1","reason":"said so","actor":"desk"`, "rejected scope_missing", "rejected scope_missing", "rejected refund_unknown"},
		{"refund.dismissed", `"refund":"f1","reason":"said so","actor":"desk"`, "rejected scope_missing", "rejected scope_missing", "rejected refund_unknown"},
		{"cycle.closed", "", "applied", "duplicate", "duplicate"},
		{"refund.posted", `"refund":"f1","amount":100,"currency":"USD"`, "applied matched", "duplicate", "duplicate"},
	} {
		line := cloudEvent(100+n, c.kind, "acct", c.data)
		for _, sent := range []struct{ key, scopes, want string }{
			{"ingest", "ingest", c.ingest}, {"sender", "ingest and redeem", c.sender}, {"desk", "ingest and operate", c.desk},
		} {
			a := f.call(sent.key, "POST", "/v1/events", one, line).status200()
			if got := a.outcome(a.body); got != sent.want {
				t.Errorf("%s with %s: %s, want %s", c.kind, sent.scopes, got, sent.want)
			}
		}
	}
}

func TestRequestsToEventsThatCannotBeRead(t *testing.T) {
	f := newService(t)
	deep := strings.Repeat("[", 100_000)
	many := "[" + strings.Repeat("1,", server.MaxBatch) + "1]"
	for _, c := range []struct {
		name, contentType, body string
		status                  int
		code                    string
	}{
		{"no content type", "", purchase(1, "a", 1), 415, "unsupported_type"},
		{"plain JSON", "application/json", purchase(1, "a", 1), 415, "unsupported_type"},
		{"a form", "application/x-www-form-urlencoded", purchase(1, "a", 1), 415, "unsupported_type"},
		{"an empty event", one, "", 400, "malformed"},
		{"half an event", one, purchase(1, "a", 1)[:50], 400, "malformed"},
		{"two events as one", one, purchase(1, "a", 1) + purchase(2, "a", 1), 400, "malformed"},
		{"a deep event", one, `{"specversion":` + deep, 400, "malformed"},
		{"an event that is too long", one, `{"specversion":"` + strings.Repeat("1", 1<<20) + `"}`, 413, "body_too_large"},
		{"an empty batch", batch, "", 400, "malformed"},
		{"a batch that is an event", batch, purchase(1, "a", 1), 400, "malformed"},
		{"a batch that is cut off", batch, "[" + purchase(1, "a", 1) + ",", 400, "malformed"},
		{"a batch with something after it", batch, "[" + purchase(1, "a", 1) + "] x", 400, "malformed"},
		{"a deep batch", batch, deep, 400, "malformed"},
		{"a batch of 10,001", batch, many, 413, "batch_too_large"},
		{"a batch that is too long", batch, "[" + strings.Repeat(" ", 16<<20) + "]", 413, "body_too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.in(t).call("ingest", "POST", "/v1/events", c.contentType, c.body).fails(c.status, c.code)
		})
	}
	f.get("/v1/accounts/a").fails(404, "account_unknown")
	f.call("ingest", "POST", "/v1/events", batch, " [ ] ").status200()
	f.call("ingest", "POST", "/v1/events", one+"; charset=utf-8", purchase(1, "a", 100)).status200()
}

// A body that does not say how long it is is read no further than it may be.
func TestABodyWithoutLengthThatIsTooLarge(t *testing.T) {
	f := newService(t)
	for contentType, limit := range map[string]int64{one: 1<<20 + 1, batch: 16 << 20} {
		body := &counted{limit: limit + 1<<20}
		r := httptest.NewRequest("POST", "/v1/events", body)
		r.Header.Set("Authorization", "Bearer ingest")
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		(&answer{t, w.Code, w.Result().Header, w.Body.String()}).fails(413, "body_too_large")
		if body.read > 2*limit {
			t.Errorf("%s: %d bytes were read", contentType, body.read)
		}
	}
}

// counted is a body of spaces that counts how many were read.
type counted struct{ read, limit int64 }

func (c *counted) Read(b []byte) (int, error) {
	if c.read >= c.limit {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = ' '
	}
	c.read += int64(len(b))
	return len(b), nil
}

func TestABatchOf10000(t *testing.T) {
	f := newService(t)
	list := make([]string, server.MaxBatch)
	for n := range list {
		list[n] = purchase(n, fmt.Sprintf("acct-%d", n%100), 100)
	}
	a := f.call("ingest", "POST", "/v1/events", batch, "["+strings.Join(list, ",")+"]").status200()
	if n := strings.Count(a.body, `"outcome":"applied"`); n != server.MaxBatch {
		t.Errorf("%d applied", n)
	}
}

// failing is an applier that fails as it is told.
type failing struct{ err error }

func (f failing) Apply(_ context.Context, _ []reward.Event, results []reward.Result) ([]reward.Result, error) {
	return results, f.err
}

func (f failing) Decide(context.Context, reward.Event) (reward.Result, []reward.Posting, error) {
	return reward.Result{}, nil, f.err
}

func TestWhatTheEngineCannotTake(t *testing.T) {
	broken := fmt.Errorf("disk I/O error at /var/lib/secret.db")
	for _, c := range []struct {
		name   string
		err    error
		fatal  bool
		status int
		code   string
		retry  string
	}{
		{"busy", engine.ErrBusy, false, 429, "overloaded", "1"},
		{"closing", engine.ErrClosed, false, 503, "shutting_down", "1"},
		{"no database", broken, false, 503, "store_unavailable", "5"},
		{"a fault", broken, true, 500, "internal", ""},
	} {
		f := newService(t, func(o *server.Options) {
			o.Applier = failing{c.err}
			o.Unavailable = func(error) bool { return !c.fatal }
		})
		for _, kind := range []struct{ contentType, body string }{{one, purchase(1, "a", 1)}, {batch, "[" + purchase(1, "a", 1) + "]"}, {lines, purchase(1, "a", 1)}} {
			if kind.contentType == lines && c.err == engine.ErrBusy {
				continue // a stream waits
			}
			a := f.call("ingest", "POST", "/v1/events", kind.contentType, kind.body).fails(c.status, c.code)
			if got := a.header.Get("Retry-After"); got != c.retry {
				t.Errorf("%s: Retry-After %q, want %q", c.name, got, c.retry)
			}
			if strings.Contains(a.body, "secret") {
				t.Errorf("%s: the answer tells of the inside: %s", c.name, a.body)
			}
		}
	}
}

// counting is an applier that is busy every other time.
type counting struct {
	server.Applier
	calls atomic.Int64
}

func (c *counting) Apply(ctx context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	if c.calls.Add(1)%2 == 1 {
		return results, engine.ErrBusy
	}
	return c.Applier.Apply(ctx, events, results)
}

func TestAStreamWaitsForItsTurn(t *testing.T) {
	f := newService(t, func(o *server.Options) { o.Applier = &counting{Applier: o.Applier} })
	a := f.call("ingest", "POST", "/v1/events", lines, purchase(1, "a", 100)+"\n").status200()
	if got := a.outcome(a.body); got != "applied" {
		t.Errorf("answered %s", a.body)
	}
}

// noticing notes what it counts.
type noticing struct{ answered, malformed, refused atomic.Int64 }

func (n *noticing) Answered(results []reward.Result) { n.answered.Add(int64(len(results))) }
func (n *noticing) Malformed()                       { n.malformed.Add(1) }
func (n *noticing) Refused(string)                   { n.refused.Add(1) }

func TestAnswersAreCounted(t *testing.T) {
	var n noticing
	f := newService(t, func(o *server.Options) { o.Counter = &n })
	f.call("ingest", "POST", "/v1/events", one, purchase(1, "a", 100))
	f.call("ingest", "POST", "/v1/events", one, "{}")
	f.call("ingest", "POST", "/v1/events", batch, "["+purchase(1, "a", 100)+",{}]")
	f.call("ingest", "POST", "/v1/events", lines, purchase(2, "a", 100)+"\n{}\n")
	card := strings.Replace(purchase(3, "a", 100), `"subject":"a"`, `"subject":"4111111111111111"`, 1)
	f.call("ingest", "POST", "/v1/events", one, card)
	f.call("ingest", "POST", "/v1/events", batch, "["+card+"]")
	if a, m, r := n.answered.Load(), n.malformed.Load(), n.refused.Load(); a != 3 || m != 3 || r != 2 {
		t.Errorf("counted %d answers, %d malformed events and %d refused ones, want 3, 3 and 2", a, m, r)
	}
}
