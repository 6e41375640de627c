package server_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/feed"
	"recoup/internal/service/server"
)

// feedKeys is a file of two keys of tokens. That of the first is shared with somebody who
// made knownToken with Python's hmac: for acct-1, at noon of 20 January 2026, for five minutes.
const (
	feedKeys   = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\nk2 //////////////////////////////////////////8=\n"
	knownToken = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSldUIn0.eyJhdWQiOiJyZWNvdXA6ZmVlZCIsImV4cCI6MTc2ODkxMDcwMCwiaWF0IjoxNzY4OTEwNDAwLCJzdWIiOiJhY2N0LTEifQ.UkZ9X8HVf4WUPyvjcJa0H7-IVmkdwoJyvw8rOXCSZB0"
	ownPage    = "https://app.example"
)

// withDoor has feeds be read with tokens, by pages of ownPage.
func withDoor(t testing.TB) func(*server.Options) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(feedKeys), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(o *server.Options) {
		keys, err := feed.Open(file, o.Now)
		if err != nil {
			t.Fatal(err)
		}
		o.Door = &feed.Door{Keys: keys, Origins: []string{ownPage}}
	}
}

const ownFeed = "/v1/accounts/acct-1/feed"

// fed is a service whose account has a purchase of each state.
func fed(t testing.TB) *service {
	f := newServiceOf(t, everyday, withDoor(t))
	f.deliver(cloudEvent(1, "transaction.authorized", "acct-1", `"transaction":"t0","amount":900,"currency":"USD","merchant":"Bakery"`), "applied")
	f.deliver(purchase(2, "acct-1", 10000), "applied")
	f.deliver(cloudEvent(3, "refund.posted", "acct-1", `"refund":"r1","amount":4000,"currency":"USD","transaction":"t2"`), "applied")
	return f
}

func TestAFeedSaysWhereEachPurchaseStandsAndWhy(t *testing.T) {
	f := newServiceOf(t, everyday, withDoor(t))
	f.deliver(cloudEvent(1, "transaction.authorized", "acct-1", `"transaction":"t0","amount":900,"currency":"USD","merchant":"Bakery"`), "applied")
	f.deliver(purchase(2, "acct-1", 10000), "applied")
	f.deliver(cloudEvent(3, "refund.posted", "acct-1", `"refund":"r1","amount":4000,"currency":"USD","transaction":"t2"`), "applied")
	f.deliver(cloudEvent(4, "redemption.authorized", "acct-1", `"redemption":"p1","amount":100,"currency":"USD"`), "applied")
	f.clock.now = time.Date(2026, 1, 11, 0, 0, 0, 0, time.UTC)
	page := f.call("feed", "GET", ownFeed, "", "", "Accept-Language", "de-CH, en;q=0.5").status200()
	if got := page.header.Get("Content-Language"); got != "de" {
		t.Errorf("it is in %q", got)
	}
	f.call("feed", "GET", ownFeed+"?lang=en", "", "").status200().has(
		"account", `"acct-1"`, "balance", "300", "pending", "0", "available", "200", "reserved", "100", "redeemable", "200", "reward_unit", `"USD"`, "reward_decimals", "2", "language", `"en"`, "next", "null",
		"entries", `[{"id":"payout:p1","kind":"payout","state":"reserved","at":"2026-01-10T00:00:04Z","payout":"p1","pending":0,"available":-100,"reserved":100,"taken_back":0,"pending_until":null,"why":"$1.00 is set aside for a payout until 17 January 2026."},`+
			`{"id":"purchase:t2","kind":"purchase","state":"partly_taken_back","at":"2026-01-10T00:00:02Z","purchase":{"transaction":"t2","merchant":"m1","amount":10000,"returned":4000},"pending":0,"available":300,"reserved":0,"taken_back":200,"pending_until":null,"why":"You got $40.00 of $100.00 back, so $2.00 of the reward was taken back."},`+
			`{"id":"purchase:t0","kind":"purchase","state":"pending","at":"2026-01-10T00:00:01Z","purchase":{"transaction":"t0","merchant":"Bakery","amount":900,"returned":0},"pending":0,"available":0,"reserved":0,"expected":9,"taken_back":0,"pending_until":null,"why":"About $0.09 comes once the shop has charged you."}]`)
	for lang, want := range map[string]string{
		"de": "40,00\u00a0$ von 100,00\u00a0$", "fr-CA": "40,00\u00a0$ sur 100,00\u00a0$", "es": "40,00\u00a0$ de 100,00\u00a0$", "ja": "$40.00 of $100.00", "nonsense!": "$40.00 of $100.00",
	} {
		if a := f.call("feed", "GET", ownFeed+"?lang="+lang, "", "").status200(); !strings.Contains(a.body, want) {
			t.Errorf("in %s it says %s, want %q", lang, a.body, want)
		}
	}
	f.call("feed", "GET", "/v1/accounts/nobody/feed", "", "").fails(404, "account_unknown")
	f.call("feed", "GET", ownFeed+"?cursor=x", "", "").fails(400, "invalid_cursor")
	f.call("read", "GET", ownFeed, "", "").fails(403, "scope_missing")
}

// A day is one of the program's zone.
func TestADayOfAFeedIsOneOfTheProgram(t *testing.T) {
	f := newServiceOf(t, everyday+"maturity_days: 20\nzone: America/New_York\n", withDoor(t))
	f.deliver(purchase(1, "acct-1", 10000), "applied")
	f.call("feed", "GET", ownFeed, "", "").status200().has("pending", "500", "available", "0")
	if a := f.call("feed", "GET", ownFeed, "", ""); !strings.Contains(a.body, "$5.00 can be used from 29 January 2026, unless") || !strings.Contains(a.body, `"pending_until":"2026-01-30T00:00:01Z"`) {
		t.Error(a.body)
	}
}

// Pages go on where the one before ended, though events come meanwhile.
func TestAFeedIsReadByPages(t *testing.T) {
	f := newServiceOf(t, everyday, withDoor(t))
	var want []string
	for n := range 25 {
		f.deliver(purchase(n+1, "acct-1", 1000), "applied")
		want = append([]string{fmt.Sprint("purchase:t", n+1)}, want...)
	}
	if got := f.pagesAs("feed", ownFeed, 7, "entries", "id"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var first, second struct {
		Next    string
		Entries []struct{ ID string }
	}
	f.call("feed", "GET", ownFeed+"?limit=10", "", "").status200().read(&first)
	f.deliver(purchase(26, "acct-1", 1000), "applied")
	f.deliver(cloudEvent(27, "refund.posted", "acct-1", `"refund":"r1","amount":1000,"currency":"USD","transaction":"t15"`), "applied")
	f.call("feed", "GET", ownFeed+"?limit=3&cursor="+first.Next, "", "").status200().read(&second)
	if second.Entries[0].ID != "purchase:t15" || second.Entries[2].ID != "purchase:t13" {
		t.Errorf("the second page is %+v", second)
	}
}

// A purchase that was authorised several times has one line, at the last of them, on whichever
// page; and a place in another account's feed is none in this.
func TestAPurchaseHasOneLineInAFeed(t *testing.T) {
	f := newServiceOf(t, everyday, withDoor(t))
	for n, id := range []string{"a", "b", "a", "c", "a", "b"} {
		f.deliver(cloudEvent(n+1, "transaction.authorized", "acct-1", fmt.Sprintf(`"transaction":%q,"amount":%d,"currency":"USD"`, id, 100*(n+1))), "applied")
	}
	f.deliver(purchase(9, "acct-2", 1000), "applied")
	f.deliver(purchase(10, "acct-2", 1000), "applied")
	want := []string{"purchase:b", "purchase:a", "purchase:c"}
	for limit := 1; limit <= 4; limit++ {
		if got := f.pagesAs("feed", ownFeed, limit, "entries", "id"); !slices.Equal(got, want) {
			t.Errorf("by %d it is %q, want %q", limit, got, want)
		}
	}
	var page struct{ Next string }
	f.call("feed", "GET", "/v1/accounts/acct-2/feed?limit=1", "", "").status200().read(&page)
	f.call("feed", "GET", ownFeed+"?cursor="+page.Next, "", "").status200().has("entries", "[]", "next", "null")
}

func TestATokenReadsTheFeedOfOneAccountAndNothingElse(t *testing.T) {
	f := fed(t)
	f.deliver(purchase(5, "acct-2", 10000), "applied")
	f.call(knownToken, "GET", ownFeed, "", "").status200().has("account", `"acct-1"`)
	var made struct{ Token, Account, Expires_at string }
	f.call("feed", "POST", ownFeed+"-tokens?minutes=3", "", "").status200().read(&made)
	if made.Account != "acct-1" || made.Expires_at != "2026-01-20T12:03:00Z" {
		t.Errorf("made is %+v", made)
	}
	for _, token := range []string{knownToken, made.Token} {
		f.call(token, "GET", ownFeed+"?limit=1", "", "").status200()
		f.call(token, "GET", "/v1/accounts/acct-2/feed", "", "").fails(403, "account_refused")
		f.call(token, "GET", "/v1/accounts/nobody/feed", "", "").fails(403, "account_refused")
		for _, e := range endpoints {
			if e.path != ownFeed {
				if a := f.call(token, e.method, e.path, e.contentType, ""); a.status != 404 { // this service has no such path
					a.fails(401, "unauthenticated")
				}
			}
		}
	}
	f.call("feed", "POST", "/v1/accounts/nobody/feed-tokens", "", "").fails(404, "account_unknown")
	f.call("feed", "POST", ownFeed+"-tokens?minutes=16", "", "").fails(422, "invalid_request")
	f.clock.pass(3 * time.Minute)
	f.call(made.Token, "GET", ownFeed, "", "").fails(401, "token_expired")
	f.call(knownToken, "GET", ownFeed, "", "").status200()
	f.clock.pass(2 * time.Minute)
	f.call(knownToken, "GET", ownFeed, "", "").fails(401, "token_expired")
	f.call("a.b.c", "GET", ownFeed, "", "").fails(401, "token_refused")
}

// Whoever has a token cannot keep the service busy with it, nor by getting more of them; other
// accounts and the backend's key are not concerned.
func TestTheTokensOfAnAccountHaveARate(t *testing.T) {
	f := fed(t)
	f.deliver(purchase(5, "acct-2", 10000), "applied")
	token := func(account string) string {
		var made struct{ Token string }
		f.call("feed", "POST", "/v1/accounts/"+account+"/feed-tokens", "", "").status200().read(&made)
		return made.Token
	}
	first, other := token("acct-1"), token("acct-2")
	read := func(token string, times int) {
		t.Helper()
		for range times {
			f.call(token, "GET", ownFeed, "", "").status200()
		}
	}
	refused := func(token string) {
		t.Helper()
		a := f.call(token, "GET", ownFeed, "", "", "Origin", ownPage).fails(429, "rate_exceeded")
		if a.header.Get("Retry-After") != "1" || a.header.Get("Access-Control-Allow-Origin") != ownPage || a.header.Get("Access-Control-Expose-Headers") != "Retry-After" {
			t.Errorf("the answer has %v", a.header)
		}
	}
	read(first, 60)
	refused(first)
	refused(token("acct-1"))
	f.call(other, "GET", "/v1/accounts/acct-2/feed", "", "").status200()
	read("feed", 1)
	f.clock.pass(time.Second)
	read(first, 2)
	refused(first)
	f.clock.pass(time.Minute)
	read(first, 60)
	refused(first)
}

func TestOnlyPagesOfNamedSitesReadAFeed(t *testing.T) {
	f := fed(t)
	allowed := func(a *answer) string { return a.header.Get("Access-Control-Allow-Origin") }
	for origin, want := range map[string]string{ownPage: ownPage, "https://evil.example": "", "null": "", "https://app.example.evil.example": "", "http://app.example": ""} {
		asked := f.preflight(origin)
		got := f.call(knownToken, "GET", ownFeed, "", "", "Origin", origin)
		if allowed(asked) != want || allowed(got) != want {
			t.Errorf("%s may: %q, and reads: %q", origin, allowed(asked), allowed(got))
		}
		if want == "" {
			asked.fails(403, "origin_refused")
			got.fails(403, "origin_refused")
			continue
		}
		if asked.is(204); asked.header.Get("Access-Control-Allow-Headers") != "Authorization" || asked.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s may: %v", origin, asked.header)
		}
		if got.status200(); got.header.Get("Vary") != "Origin" {
			t.Errorf("%s reads: %v", origin, got.header)
		}
	}
	// A page learns why it is refused, and no other endpoint answers pages.
	if a := f.call("a.b.c", "GET", ownFeed, "", "", "Origin", ownPage).fails(401, "token_refused"); allowed(a) != ownPage {
		t.Errorf("the page cannot read why: %v", a.header)
	}
	if a := f.call("read", "GET", "/v1/accounts/acct-1", "", "", "Origin", ownPage).status200(); allowed(a) != "" {
		t.Errorf("a page may read an account: %v", a.header)
	}
}

// preflight asks as a browser does before it sends what a page asks for. The document does not
// have it: no client is to ask.
func (f *service) preflight(origin string) *answer {
	r := httptest.NewRequest("OPTIONS", ownFeed, nil)
	for name, value := range map[string]string{"Origin": origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return &answer{f.TB, w.Code, w.Result().Header, w.Body.String()}
}

func TestTheScriptIsForPagesElsewhere(t *testing.T) {
	f := newService(t, withDoor(t))
	a := f.call("", "GET", feed.ScriptPath, "", "").status200()
	for name, want := range map[string]string{"Cross-Origin-Resource-Policy": "cross-origin", "Content-Type": "text/javascript; charset=utf-8", "X-Content-Type-Options": "nosniff", "ETag": feed.ScriptTag} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if again := f.call("", "GET", feed.ScriptPath, "", "", "If-None-Match", feed.ScriptTag); again.status != 304 || again.body != "" {
		t.Errorf("again: %d %q", again.status, again.body)
	}
}
