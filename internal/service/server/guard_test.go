package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"recoup/internal/service/feed"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// endpoints are all that want a key, with the scope that each is for and a body
// that is good enough to come as far as the scope.
var endpoints = []struct {
	method, path, contentType string
	scope                     string
}{
	{"POST", "/v1/events", one, "ingest"},
	{"GET", "/v1/accounts/acct", "", "read"},
	{"GET", "/v1/accounts/acct/transactions", "", "read"},
	{"GET", "/v1/accounts/acct/bonuses", "", "read"},
	{"GET", "/v1/accounts/acct/transactions/t1", "", "read"},
	{"GET", "/v1/accounts/acct/entries", "", "read"},
	{"GET", "/v1/accounts/acct/statements", "", "read"},
	{"GET", "/v1/accounts/acct/statements/2026-01", "", "read"},
	{"POST", "/v1/accounts/acct/redemptions", "application/json", "redeem"},
	{"POST", "/v1/accounts/acct/redemptions/r1/reversal", "", "redeem"},
	{"POST", "/v1/accounts/acct/redemptions/r1/capture", "", "redeem"},
	{"POST", "/v1/accounts/acct/redemptions/r1/release", "", "redeem"},
	{"POST", "/v1/accounts/acct/adjustments", "application/json", "admin"},
	{"POST", "/v1/accounts/acct/closure", "", "admin"},
	{"GET", "/v1/reviews", "", "read"},
	{"POST", "/v1/reviews/x/resolution", "application/json", "operate"},
	{"GET", "/v1/exemptions", "", "read"},
	{"POST", "/v1/exemptions", "application/json", "admin"},
	{"GET", "/v1/programs", "", "read"},
	{"GET", "/v1/programs/everyday", "", "read"},
	{"GET", "/v1/programs/everyday/versions", "", "read"},
	{"GET", "/v1/programs/everyday/versions/1", "", "read"},
	{"PUT", "/v1/programs/everyday", "application/yaml", "admin"},
	{"POST", "/v1/programs/everyday/preview", "application/yaml", "read"},
	{"GET", "/v1/notices", "", "notices"},
	{"GET", "/v1/notices/keeping", "", "notices"},
	{"PUT", "/v1/notices/keeping", "application/json", "admin"},
	{"GET", "/v1/webhooks", "", "admin"},
	{"POST", "/v1/webhooks", "application/json", "admin"},
	{"GET", "/v1/webhooks/dead-letters", "", "admin"},
	{"POST", "/v1/webhooks/dead-letters/1/replay", "", "admin"},
	{"GET", "/v1/webhooks/ep_1", "", "admin"},
	{"PATCH", "/v1/webhooks/ep_1", "application/json", "admin"},
	{"DELETE", "/v1/webhooks/ep_1", "", "admin"},
	{"POST", "/v1/webhooks/ep_1/secret", "application/json", "admin"},
	{"POST", "/v1/webhooks/ep_1/replay", "", "admin"},
	{"GET", "/v1/accounts/acct-1/feed", "", "feed"},
	{"POST", "/v1/accounts/acct-1/feed-tokens", "", "feed"},
	{"GET", "/v1/alerts", "", "read"},
	{"GET", "/metrics", "", "read"},
}

func TestEveryEndpointWantsAKeyWithItsScope(t *testing.T) {
	f := newService(t, previews, withDoor(t), func(o *server.Options) {
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/plain") })
	})
	for _, e := range endpoints {
		for _, key := range []string{"", "nonsense"} {
			a := f.call(key, e.method, e.path, e.contentType, "").fails(401, "unauthenticated")
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
				t.Errorf("%s %s: WWW-Authenticate %q", e.method, e.path, got)
			}
		}
		for _, key := range []string{"ingest", "redeem", "feed", "read", "notices", "operate", "approve", "admin"} {
			a := f.call(key, e.method, e.path, e.contentType, "")
			if let := key == e.scope || key == "admin"; let == (a.status == 403) || a.status == 401 {
				t.Errorf("%s %s with the scope %s answers %d", e.method, e.path, key, a.status)
			}
		}
		f.call("broken", e.method, e.path, e.contentType, "").fails(503, "store_unavailable")
	}
	// The list is whole: everything that is documented is in it, or is not for keys
	// with a scope.
	others := map[string]bool{"/healthz": true, "/readyz": true, "/docs": true, "/openapi.json": true, feed.ScriptPath: true}
	documented := 0
	for path, item := range f.docs.Paths {
		if !others[path] {
			documented += len(item)
		}
	}
	if documented != len(endpoints) {
		t.Errorf("%d endpoints are documented, %d tested", documented, len(endpoints))
	}
}

func TestHealthNeedsNoKey(t *testing.T) {
	f := newService(t)
	f.call("", "GET", "/healthz", "", "").status200()
	f.call("", "GET", "/readyz", "", "").status200()
}

func TestPathsAndMethodsThatAreNotThere(t *testing.T) {
	f := newService(t)
	for _, path := range []string{"/", "/v1", "/v1/accounts", "/v1/accounts/a/b", "/v2/events", "/v1/programs/everyday/preview", "/metrics", "/docs/x"} {
		f.get(path).fails(404, "not_found")
	}
	for _, c := range []struct{ method, path, allow string }{
		{"GET", "/v1/events", "POST"}, {"DELETE", "/v1/events", "POST"}, {"POST", "/v1/accounts/a", "GET"}, {"DELETE", "/v1/programs/p", "GET, PUT"},
		{"PATCH", "/healthz", "GET"}, {"BREW", "/docs", "GET"},
	} {
		if got := f.call("admin", c.method, c.path, "", "").fails(405, "method_not_allowed").header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow %q, want %q", c.method, c.path, got, c.allow)
		}
	}
}

func TestContentTypesThatAreNotRead(t *testing.T) {
	f := rewarded(t)
	body := `{"amount":1,"currency":"USD"}`
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json+x", "application/cloudevents+json"} {
		f.call("admin", "POST", redemptions, contentType, body, "Idempotency-Key", "key-0001").fails(415, "unsupported_type")
	}
	f.call("admin", "POST", redemptions, "application/json; charset=utf-8", body, "Idempotency-Key", "key-0001").is(201)
}

func TestEveryAnswerHasTheSecurityHeaders(t *testing.T) {
	f := newService(t)
	for _, a := range []*answer{
		f.get("/v1/accounts/a"), f.get("/nowhere"), f.call("", "GET", "/healthz", "", ""), f.get("/docs"), f.get("/openapi.json"),
		f.call("ingest", "POST", "/v1/events", one, purchase(1, "a", 1)), f.call("", "POST", "/v1/events", one, ""),
	} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

func TestAServiceThatIsOpenAnswersLocalNamesAlone(t *testing.T) {
	f := newServiceAt(t, "localhost:8080", func(o *server.Options) { o.Authenticator, o.Open = nil, true })
	for host, status := range map[string]int{
		"localhost:8080": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "localhost": 200, "127.0.0.2": 200,
		"example.com": 403, "localhost.example.com:8080": 403, "10.0.0.1:8080": 403, "0.0.0.0": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "/v1/programs", nil)
		r.Host = host
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("as %q: %d, want %d", host, w.Code, status)
		}
	}
}

func TestAServerNeedsKeysOrToBeOpen(t *testing.T) {
	if _, err := server.New(server.Options{Applier: failing{}, Ledger: &durable.Store{}, Programs: &durable.Programs{}}); err == nil {
		t.Error("there is a server without an authenticator that was not said to be open")
	}
}

// exploding is an applier with a fault.
type exploding struct{}

func (exploding) Apply(context.Context, []reward.Event, []reward.Result) ([]reward.Result, error) {
	panic("a secret")
}

func (exploding) Decide(context.Context, reward.Event) (reward.Result, []reward.Posting, error) {
	panic("a secret")
}

func TestAPanicIsAnswered(t *testing.T) {
	var log bytes.Buffer
	f := newService(t, func(o *server.Options) {
		o.Applier = exploding{}
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	a := f.call("ingest", "POST", "/v1/events", one, purchase(1, "a", 1)).fails(500, "internal")
	if strings.Contains(a.body, "secret") || !strings.Contains(log.String(), "secret") {
		t.Errorf("answered %s, logged %s", a.body, log.String())
	}
}

func TestWhatIsLoggedNamesNobody(t *testing.T) {
	var log bytes.Buffer
	f := newService(t, func(o *server.Options) {
		o.Applier = failing{http.ErrHandlerTimeout}
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	f.call("ingest", "POST", "/v1/events", one, purchase(1, "somebody", 1)).fails(503, "store_unavailable")
	if text := log.String(); text == "" || strings.Contains(text, "somebody") {
		t.Errorf("logged %q", text)
	}
}

func TestTheDocumentationIsForBrowsersToo(t *testing.T) {
	f := newService(t)
	for path, kind := range map[string]string{"/docs": "text/html", "/docs/docs.css": "text/css", "/docs/docs.js": "text/javascript", "/docs/icon.svg": "image/svg+xml", "/openapi.json": "application/openapi+json"} {
		request := func(authorization string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Authorization", authorization)
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			return w
		}
		if w := request(""); w.Code != 401 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic") {
			t.Errorf("%s without a key: %d %q", path, w.Code, w.Header().Get("WWW-Authenticate"))
		}
		for _, authorization := range []string{"Bearer ingest", "Basic " + base64.StdEncoding.EncodeToString([]byte("me:read"))} {
			if w := request(authorization); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
				t.Errorf("%s: %d %q", path, w.Code, w.Header().Get("Content-Type"))
			}
		}
		if w := request("Basic " + base64.StdEncoding.EncodeToString([]byte("read:me"))); w.Code != 401 {
			t.Errorf("%s with a wrong password: %d", path, w.Code)
		}
	}
}

// Nothing on the page comes from elsewhere, or is written into it as code.
func TestTheDocumentationWorksOffline(t *testing.T) {
	f := newService(t)
	for _, path := range []string{"/docs", "/docs/docs.css", "/docs/docs.js"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer read")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		for _, bad := range []string{"http://", "https://", "//cdn", "innerHTML", "eval(", " style=", " onclick", "<script>"} {
			if strings.Contains(w.Body.String(), bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
	}
}

// A page of another site cannot have somebody's browser post to a service that is open;
// programs, which send no such headers, and its own pages can.
func TestAServiceThatIsOpenRefusesCrossSitePosts(t *testing.T) {
	f := newServiceAt(t, "localhost:8080", func(o *server.Options) { o.Authenticator, o.Open = nil, true })
	for _, c := range []struct {
		method, header, value string
		status                int
	}{
		{"POST", "", "", 200}, {"POST", "Sec-Fetch-Site", "same-origin", 200}, {"POST", "Origin", "http://localhost:8080", 200},
		{"POST", "Sec-Fetch-Site", "cross-site", 403}, {"POST", "Sec-Fetch-Site", "same-site", 403}, {"POST", "Origin", "https://evil.example", 403}, {"POST", "Origin", "null", 403},
		{"GET", "Sec-Fetch-Site", "cross-site", 405},
	} {
		r := httptest.NewRequest(c.method, "/v1/events", strings.NewReader(purchase(1, "a", 100)))
		r.Host = "localhost:8080"
		r.Header.Set("Content-Type", one)
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		w := httptest.NewRecorder()
		if f.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
	// With keys it is the key that counts.
	r := httptest.NewRequest("POST", "/v1/events", strings.NewReader(purchase(1, "a", 100)))
	r.Header.Set("Content-Type", one)
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Authorization", "Bearer ingest")
	w := httptest.NewRecorder()
	if newService(t).ServeHTTP(w, r); w.Code != 200 {
		t.Errorf("with a key: %d %s", w.Code, w.Body)
	}
}
