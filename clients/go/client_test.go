package recoup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// read reads a table that the clients in all languages are held to.
func read[T any](t *testing.T, file string) (v T) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// script is a service that answers as it is told, and remembers what it was asked.
type script struct {
	*Client
	asked  []*http.Request
	bodies []string
	waits  []time.Duration
}

func play(t *testing.T, answer func(w http.ResponseWriter, n int)) *script {
	s := new(script)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked, s.bodies = append(s.asked, r), append(s.bodies, string(body))
		answer(w, len(s.asked)-1)
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL+"/", "rk_test")
	if err != nil {
		t.Fatal(err)
	}
	c.sleep = func(_ context.Context, d time.Duration) error { s.waits = append(s.waits, d); return nil }
	s.Client = c
	return s
}

// TestRequestsAreSentAgain goes through clients/testdata/retries.json.
func TestRequestsAreSentAgain(t *testing.T) {
	type answer struct {
		Status     int
		Code       string
		RetryAfter any `json:"retry_after"`
	}
	for _, c := range read[[]struct {
		Name, Operation, Result string
		Answers                 []json.RawMessage
		Requests                int
		Waits                   [][2]int64
	}](t, "../testdata/retries.json") {
		t.Run(c.Name, func(t *testing.T) {
			s := play(t, func(w http.ResponseWriter, n int) {
				var a answer
				if json.Unmarshal(c.Answers[n], &a) != nil {
					panic(http.ErrAbortHandler)
				}
				if a.RetryAfter != nil {
					w.Header().Set("Retry-After", fmt.Sprint(a.RetryAfter))
				}
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(a.Status)
				if a.Code != "" {
					fmt.Fprintf(w, `{"status":%d,"code":%q,"title":"t","detail":"d","type":"urn:x"}`, a.Status, a.Code)
				} else if a.Status < 300 {
					io.WriteString(w, "{}")
				}
			})
			var err error
			switch c.Operation {
			case "redeem":
				_, err = s.Redeem(t.Context(), "acct/1", nil, RedemptionRequest{Amount: 100, Currency: "USD"})
			case "list-programs":
				_, err = s.ListPrograms(t.Context())
			case "add-webhook":
				_, err = s.AddWebhook(t.Context(), NewWebhook{URL: "https://example.com"})
			default:
				t.Fatalf("%s is not known here", c.Operation)
			}
			result, e := "done", (*Error)(nil)
			switch {
			case errors.As(err, &e) && e.Code != "":
				result = e.Code
			case e != nil:
				result = fmt.Sprint(e.Status)
			case err != nil:
				result = "broken"
			}
			if result != c.Result || len(s.asked) != c.Requests {
				t.Errorf("%s after %d requests (%v), expected %s after %d", result, len(s.asked), err, c.Result, c.Requests)
			}
			for i, bounds := range c.Waits {
				if i >= len(s.waits) || s.waits[i] < time.Duration(bounds[0])*time.Millisecond || s.waits[i] > time.Duration(bounds[1])*time.Millisecond {
					t.Errorf("the waits are %v, expected %v ms", s.waits, c.Waits)
				}
			}
			for i, r := range s.asked {
				if r.Header.Get("Authorization") != "Bearer rk_test" || r.Header.Get(idempotencyKey) != s.asked[0].Header.Get(idempotencyKey) || s.bodies[i] != s.bodies[0] {
					t.Errorf("request %d is another one: %v", i, r.Header)
				}
			}
			if key := s.asked[0].Header.Get(idempotencyKey); (len(key) >= 16) != (c.Operation == "redeem") {
				t.Errorf("the idempotency key is %q", key)
			}
			if c.Operation == "redeem" && s.asked[0].URL.EscapedPath() != "/v1/accounts/acct%2F1/redemptions" {
				t.Errorf("asked for %s", s.asked[0].URL.EscapedPath())
			}
		})
	}
}

// The key of the caller is the key.
func TestAKeyThatIsGivenIsUsed(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, _ int) { io.WriteString(w, "{}") })
	if _, err := s.Redeem(t.Context(), "a", &RedeemParams{IdempotencyKey: "payout-0001"}, RedemptionRequest{}); err != nil || s.asked[0].Header.Get(idempotencyKey) != "payout-0001" {
		t.Errorf("%v, under the key %q", err, s.asked[0].Header.Get(idempotencyKey))
	}
}

// Parameters are escaped, those that are not given left out, and none makes another path.
func TestParametersAreEscaped(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, _ int) { io.WriteString(w, "{}") })
	limit, account := int64(7), "a&b=c ?"
	if _, err := s.ListReviews(t.Context(), &ListReviewsParams{Limit: &limit, Account: &account}); err != nil || s.asked[0].URL.RawQuery != "account=a%26b%3Dc+%3F&limit=7" {
		t.Errorf("%v: %s", err, s.asked[0].URL)
	}
	for _, id := range []string{"", ".", ".."} {
		if _, err := s.GetAccount(t.Context(), id, nil); err == nil || len(s.asked) != 1 {
			t.Errorf("asked for an account %q", id)
		}
	}
}

// A context that ends ends the waiting, and the answer that there was is told.
func TestTheContextEndsTheWaiting(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, _ int) { w.WriteHeader(503) })
	ctx, cancel := context.WithCancel(t.Context())
	s.sleep = func(ctx context.Context, d time.Duration) error { cancel(); return sleep(ctx, time.Hour) }
	var e *Error
	if _, err := s.ListPrograms(ctx); !errors.As(err, &e) || e.Status != 503 || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

// Headers of an answer are there for who asks.
func TestHeadersAndWhatIsNotModified(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, n int) {
		w.Header().Set("ETag", `"7"`)
		w.WriteHeader([]int{200, 304}[n])
		if n == 0 {
			io.WriteString(w, `{"account":"a","balance":9007199254740993}`)
		}
	})
	var h http.Header
	answer, err := s.GetAccount(Header(t.Context(), &h), "a", nil)
	if err != nil || h.Get("ETag") != `"7"` {
		t.Fatalf("%v, %v", err, h)
	}
	if account, err := answer.AsAccount(); err != nil || account.Balance != 9007199254740993 {
		t.Errorf("%+v, %v", account, err)
	}
	tag := h.Get("ETag")
	if _, err := s.GetAccount(t.Context(), "a", &GetAccountParams{IfNoneMatch: &tag}); !errors.Is(err, ErrNotModified) || len(s.asked) != 2 {
		t.Errorf("%v", err)
	}
}

// Deliver cuts into batches, keeps the order, and sends again what was locked and nothing else.
func TestDeliver(t *testing.T) {
	s := play(t, nil)
	var sizes []int
	refuse := map[string]int{"e3": 2, "e7": 1, "e1001": 1} // so often locked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var events []CloudEvent
		json.NewDecoder(r.Body).Decode(&events)
		sizes = append(sizes, len(events))
		var list []string
		for _, e := range events {
			outcome := `"applied","code":null`
			if refuse[e.ID] > 0 {
				refuse[e.ID]--
				outcome = `"failed","code":"account_locked"`
			} else if e.ID == "e5" {
				outcome = `"failed","code":"account_damaged"`
			}
			list = append(list, fmt.Sprintf(`{"id":%q,"outcome":%s}`, e.ID, outcome))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
	}))
	defer server.Close()
	s.base = server.URL
	var events []CloudEvent
	for i := range 1002 {
		events = append(events, Event("core", fmt.Sprint("e", i), CloudEventTypeAccountOpened, "acct-1", time.Unix(1767607200, 0), nil))
	}
	outcomes, err := s.Deliver(t.Context(), events...)
	if err != nil || fmt.Sprint(sizes) != "[1000 2 1 2 1]" {
		t.Errorf("%v, in batches of %v", err, sizes)
	}
	for i, o := range outcomes {
		want := EventOutcomeOutcomeApplied
		if i == 5 {
			want = EventOutcomeOutcomeFailed
		}
		if *o.ID != events[i].ID || o.Outcome != want {
			t.Errorf("event %d: %s is %s", i, *o.ID, o.Outcome)
		}
	}
	refuse["e3"] = 100
	if outcomes, err = s.Deliver(t.Context(), events[:5]...); !errors.Is(err, ErrUndelivered) || len(outcomes) != 5 || outcomes[4].Outcome != EventOutcomeOutcomeApplied {
		t.Errorf("%v, %v", err, outcomes)
	}
}

// TestNotices goes through clients/testdata/notices.json.
func TestNotices(t *testing.T) {
	for _, c := range read[[]struct {
		Name, Secret, ID, Timestamp, Signature, Body, Want string
		Now                                                int64
	}](t, "../testdata/notices.json") {
		h := http.Header{"Webhook-Id": {c.ID}, "Webhook-Timestamp": {c.Timestamp}, "Webhook-Signature": {c.Signature}}
		n, err := verifyNotice(h, []byte(c.Body), c.Secret, time.Unix(c.Now, 0))
		found := "malformed"
		switch {
		case err == nil:
			found = "right"
		case errors.Is(err, ErrTimestamp):
			found = "time"
		case errors.Is(err, ErrSignature):
			found = "signature"
		}
		if found != c.Want {
			t.Errorf("%s: %s (%v), expected %s", c.Name, found, err, c.Want)
		}
		if err == nil && (n.ID != c.ID || n.Type != "reward.posted" || n.Timestamp.Unix() != 1767607200 || !strings.Contains(string(n.Data), "acct-1")) {
			t.Errorf("%s: %+v", c.Name, n)
		}
	}
}

// TestEveryOperationIsAMethod asks for each operation of the document, which is answered with
// its example: what the method returns is the whole of that, to the last member.
func TestEveryOperationIsAMethod(t *testing.T) {
	doc := read[struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct {
				Content map[string]struct{ Example json.RawMessage }
			}
		}
	}](t, "../openapi.json")
	var example json.RawMessage
	s := play(t, func(w http.ResponseWriter, _ int) { w.Write(example) })
	methods := 0
	for _, item := range doc.Paths {
		for _, op := range item {
			name := ""
			for word := range strings.SplitSeq(op.OperationID, "-") {
				name += strings.ToUpper(word[:1]) + word[1:]
			}
			method := reflect.ValueOf(s.Client).MethodByName(name)
			if !method.IsValid() {
				t.Errorf("%s is not there", name)
				continue
			}
			example = nil
			for _, status := range []string{"200", "201"} {
				for _, media := range []string{"application/json", "application/openapi+json", "text/plain", "text/html"} {
					if e := op.Responses[status].Content[media].Example; e != nil && example == nil {
						example = e
					}
				}
			}
			args := []reflect.Value{reflect.ValueOf(t.Context())}
			for i := 1; i < method.Type().NumIn(); i++ {
				arg := reflect.New(method.Type().In(i)).Elem()
				if arg.Kind() == reflect.String {
					arg.SetString("x")
				}
				args = append(args, arg)
			}
			results := method.Call(args)
			if err := results[len(results)-1].Interface(); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			methods++
			if len(results) == 1 { // nothing comes back
				continue
			}
			found, is := results[0].Interface().([]byte)
			if !is {
				found, _ = json.Marshal(results[0].Interface())
			}
			if same(t, found) != same(t, example) {
				t.Errorf("%s returns\n%s\nof\n%s", name, found, example)
			}
		}
	}
	if methods < 40 {
		t.Errorf("%d operations were asked for", methods)
	}
}

// same is JSON in the one form in which it can be compared.
func same(t *testing.T, text []byte) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// A redirect is an error: the key goes nowhere else.
func TestRedirectsAreNotFollowed(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, _ int) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	var e *Error
	if _, err := s.ListPrograms(t.Context()); !errors.As(err, &e) || e.Status != http.StatusTemporaryRedirect || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

// An address that is none is refused.
func TestAnAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:8080", "ftp://example.com", "https://", "https://example.com?x=1"} {
		if _, err := New(address, ""); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}
