package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/service/server"
	"recoup/internal/service/webhook"
)

// An endpoint is added, changed, paused, given a new secret and removed over the API, by
// the rules of `recoup webhooks`; its secret is shown when it is made, and never again.
func TestWebhookEndpoints(t *testing.T) {
	inEachDatabase(t, everyday, func(f *service) {
		admin := func(method, path, body string) *answer {
			f.Helper()
			contentType := ""
			if body != "" {
				contentType = "application/json"
			}
			return f.call("admin", method, "/v1/webhooks"+path, contentType, body)
		}
		second := func(body, path string) *answer {
			return f.call("second", "PATCH", "/v1/webhooks"+path, "application/json", body)
		}
		var e struct{ ID, Secret string }
		admin("POST", "", `{"url":"https://example.com/hook","types":["reward.matured","redemption.denied"]}`).status200().
			has("url", `"https://example.com/hook"`, "types", `["redemption.denied","reward.matured"]`, "paused_at", `"2026-01-20T12:00:00Z"`, "waits_for_others_than", `["admin"]`, "due", "0").read(&e)
		if !strings.HasPrefix(e.Secret, "whsec_") {
			f.Fatalf("the secret is %q", e.Secret)
		}
		for _, body := range []string{admin("GET", "", "").status200().body, admin("GET", "/"+e.ID, "").status200().body} {
			if !strings.Contains(body, e.ID) || strings.Contains(body, "whsec_") {
				f.Errorf("the endpoint is shown as %s", body)
			}
		}
		for body, member := range map[string]string{
			`{"url":"http://example.com/"}`:                               "url",
			`{"url":"https://127.0.0.1/"}`:                                "url",
			`{"url":"https://example.com/","types":["reward.forgotten"]}`: "types",
			`{"types":[]}`: "url",
		} {
			admin("POST", "", body).fails(422, "invalid_request").has("member", `"`+member+`"`)
		}
		admin("PATCH", "/"+e.ID, `{"url":"https://example.com/other","types":[],"paused":true}`).status200().
			has("url", `"https://example.com/other"`, "types", `["reward.posted","redemption.denied","review.opened","balance.negative","reward.matured","hold.ended","redemption.authorized","redemption.captured","redemption.released","redemption.expired","velocity.exceeded"]`, "paused_at", `"2026-01-20T12:00:00Z"`)
		admin("PATCH", "/"+e.ID, `{"url":"https://10.0.0.1/"}`).fails(422, "invalid_request")
		f.deliver(purchase(1, "acct", 1000), "applied")
		admin("GET", "/"+e.ID, "").status200().has("due", "0")
		second(`{"paused":false}`, "/"+e.ID).status200().has("paused_at", "null", "waits_for_others_than", "[]", "url", `"https://example.com/other"`)
		f.deliver(purchase(2, "acct", 1000), "applied")
		admin("GET", "/"+e.ID, "").status200().has("due", "1")
		var rotated struct{ Secret string }
		admin("POST", "/"+e.ID+"/secret", `{"overlap_seconds":0}`).status200().read(&rotated)
		if !strings.HasPrefix(rotated.Secret, "whsec_") || rotated.Secret == e.Secret {
			f.Errorf("the new secret is %q", rotated.Secret)
		}
		admin("POST", "/"+e.ID+"/secret", `{"overlap_seconds":-1}`).fails(422, "invalid_request")
		admin("DELETE", "/"+e.ID, "").is(http.StatusNoContent)
		admin("GET", "", "").status200().has("webhooks", "[]")
		for _, gone := range []*answer{
			admin("GET", "/"+e.ID, ""), admin("PATCH", "/"+e.ID, `{}`), admin("DELETE", "/"+e.ID, ""),
			admin("POST", "/"+e.ID+"/secret", `{}`), admin("POST", "/"+e.ID+"/replay", ""),
		} {
			gone.fails(404, "webhook_unknown")
		}
	})
}

// What was given up is listed in pages and tried again.
func TestDeadLettersAreReplayed(t *testing.T) {
	var answers atomic.Int64
	answers.Store(500)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(answers.Load())) }))
	defer receiver.Close()
	f := newService(t, func(o *server.Options) { o.AllowPrivate = true })
	var e struct{ ID string }
	f.call("admin", "POST", "/v1/webhooks", "application/json", fmt.Sprintf(`{"url":%q}`, receiver.URL)).status200().read(&e)
	f.call("second", "PATCH", "/v1/webhooks/"+e.ID, "application/json", `{"paused":false}`).status200()
	for n := range 3 {
		f.deliver(purchase(n, "acct", 1000), "applied")
	}
	attempts := make(chan webhook.Attempt, 10)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	d := webhook.NewDispatcher(f.outbox, webhook.Options{AllowPrivate: true, Schedule: []time.Duration{}, Poll: 10 * time.Millisecond, Observe: func(a webhook.Attempt) { attempts <- a }})
	go func() { d.Run(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	for range 3 {
		if a := <-attempts; a.Fate != webhook.Dead {
			t.Fatalf("the attempt is %+v", a)
		}
	}
	letters := f.pagesAs("admin", "/v1/webhooks/dead-letters", 2, "dead_letters", "number")
	if strings.Join(letters, " ") != "1 2 3" {
		t.Fatalf("the dead letters are %v", letters)
	}
	f.call("admin", "GET", "/v1/webhooks/dead-letters?webhook=ep_none", "", "").status200().has("dead_letters", "[]")
	answers.Store(204)
	f.call("admin", "POST", "/v1/webhooks/dead-letters/2/replay", "", "").status200().has("deliveries", "1")
	f.call("admin", "POST", "/v1/webhooks/dead-letters/2/replay", "", "").fails(404, "dead_letter_unknown")
	f.call("admin", "POST", "/v1/webhooks/"+e.ID+"/replay", "", "").status200().has("deliveries", "2")
	for range 3 {
		if a := <-attempts; a.Fate != webhook.Delivered {
			t.Fatalf("the attempt is %+v", a)
		}
	}
	f.call("admin", "GET", "/v1/webhooks/"+e.ID, "", "").status200().has("due", "0", "dead", "0")
}
