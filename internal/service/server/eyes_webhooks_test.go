package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"recoup/internal/service/scope"
	"recoup/internal/service/server"
)

// Where notices go takes two people, whichever keys they have: an endpoint is added paused,
// and is paused again with another address or types that it was not told before, until
// somebody else starts it.
func TestAnEndpointTakesTwoPeople(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		id, ada := b.key("Ada", scope.Admin)
		_, ada2 := b.key("aDA\u200b", scope.Admin)
		_, bob := b.key("Bob", scope.Admin)
		laptop, linked := b.key("laptop", scope.Admin)
		person, err := b.people.Named(t.Context(), "Ada")
		for _, key := range []string{id, laptop} {
			if err == nil {
				_, err = b.people.Link(t.Context(), person.ID, key)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var hook struct{ ID string }
		b.post(ada, "/v1/webhooks", "", `{"url":"https://hooks.example.com/a","types":["reward.posted"]}`).status200().
			has("paused_at", `"2026-01-20T12:00:00Z"`, "waits_for_others_than", `["Ada"]`).read(&hook)
		patch := func(key, change string) *answer {
			t.Helper()
			return b.call(key, "PATCH", "/v1/webhooks/"+hook.ID, "application/json", change)
		}
		sending := func(a *answer) { t.Helper(); a.status200().has("paused_at", "null", "waits_for_others_than", "[]") }
		waits := func(a *answer, name string) {
			t.Helper()
			a.status200().has("paused_at", `"2026-01-20T12:00:00Z"`, "waits_for_others_than", fmt.Sprintf("[%q]", name))
		}
		for _, same := range []string{ada, ada2, linked} {
			patch(same, `{"paused":false}`).fails(409, "same_person").has("member", `"paused"`)
		}
		patch(bob, `{"url":"https://elsewhere.example.com/","paused":false}`).fails(409, "same_person")
		sending(patch(bob, `{"paused":false}`).has("url", `"https://hooks.example.com/a"`))

		// What was agreed to, its sender pauses and starts alone; fewer types are told to nobody else.
		patch(ada, `{"paused":true,"types":["reward.posted","reward.posted"]}`).status200().has("waits_for_others_than", "[]")
		sending(patch(ada, `{"paused":false,"url":"https://hooks.example.com/a"}`))

		waits(patch(bob, `{"url":"https://elsewhere.example.com/"}`), "Bob")
		patch(bob, `{"paused":false}`).fails(409, "same_person")
		sending(patch(linked, `{"paused":false}`))
		waits(patch(ada, `{"types":[]}`), "Ada")
		patch(linked, `{"paused":false}`).fails(409, "same_person")
		sending(patch(bob, `{"paused":false}`))

		log, err := b.log.Before(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, e := range log {
			said = append(said, e.Detail)
		}
		for _, want := range []string{"added " + hook.ID + " https://hooks.example.com (waits for a second person)", "changed " + hook.ID + " https://hooks.example.com (sending)"} {
			if !strings.Contains(strings.Join(said, "\n"), want) {
				t.Errorf("the security log does not say %q: %q", want, said)
			}
		}
	})
}

// A service that is open has nobody who could agree.
func TestAnEndpointOfAnOpenServiceSendsAtOnce(t *testing.T) {
	f := newServiceAt(t, "localhost", func(o *server.Options) { o.Authenticator, o.Open = nil, true })
	r := httptest.NewRequest("POST", "http://localhost/v1/webhooks", strings.NewReader(`{"url":"https://hooks.example.com/a"}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	(&answer{t, w.Code, w.Result().Header, w.Body.String()}).status200().has("paused_at", "null", "waits_for_others_than", "[]")
}
