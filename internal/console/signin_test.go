package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/console/session/oidctest"
	"recoup/internal/service/access"
)

// policy is what pages may load and do: what this service serves.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

func TestEveryAnswerHasTheHeaders(t *testing.T) {
	o := openSite(t, openDatabase(t), site{})
	_, key, err := o.keys.Create(context.Background(), access.Key{Name: "Vera", Scopes: access.Viewer.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	stranger, vera := o.stranger(), o.stranger()
	vera.post("/console/sign-in", "key", key)
	page := vera.page("/console/programs")
	style := strings.Split(strings.Split(page, `rel="stylesheet" href="`)[1], `"`)[0]
	for _, test := range []struct {
		by           *browser
		method, path string
		status       int
		change       func(*http.Request)
	}{
		{vera, "GET", "/console/programs", 200, nil},
		{vera, "HEAD", "/console/programs", 200, nil},
		{vera, "GET", "/console/nowhere", 404, nil},
		{vera, "GET", "/console/account?id=none", 404, nil},
		{vera, "PUT", "/console/programs", 405, nil},
		{vera, "POST", "/console/deliveries", 403, nil},
		{vera, "GET", "/console/dead-webhooks", 200, nil},
		{vera, "GET", "/console/dead-webhook?number=1", 403, nil}, // what was sent is for who looks after it
		{vera, "POST", "/console/dead-webhooks/replay", 403, nil},
		{vera, "POST", "/console/dead-webhooks/dismiss", 403, nil},
		{vera, "POST", "/console/sign-out", 403, nil}, // without the token
		{vera, "POST", "/console/sign-out", 403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		{stranger, "GET", "/console/", 303, nil},
		{stranger, "HEAD", "/console/", 303, nil},
		{stranger, "GET", "/console/sign-in", 200, nil},
		{stranger, "POST", "/console/sign-in", 401, nil},
		{stranger, "POST", "/console/sign-in", 403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		{stranger, "POST", "/console/deliveries", 401, nil},
		{stranger, "GET", "/console/sign-in/provider", 404, nil},
		{stranger, "GET", "/console/sign-in/callback?code=x&state=y", 404, nil},
		{stranger, "GET", style, 200, nil},
	} {
		r := test.by.request(test.method, test.path)
		if test.change != nil {
			test.change(r)
		}
		answer := test.by.ask(r)
		if answer.StatusCode != test.status {
			t.Errorf("%s %s is answered with %d, want %d", test.method, test.path, answer.StatusCode, test.status)
		}
		want := map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		}
		if test.path == style {
			want["Cache-Control"] = "public, max-age=31536000, immutable"
			want["Content-Type"] = "text/css; charset=utf-8"
		}
		for name, value := range want {
			if got := answer.Header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s %s: %s is %q, want %q", test.method, test.path, name, got, value)
			}
		}
	}
}

func TestWhoIsNotSignedInComesBackAfterwards(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct", "t", 100_00, 3))
	_, key, err := o.keys.Create(context.Background(), access.Key{Name: "Vera", Scopes: access.Viewer.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	const wanted = "/console/account?id=acct&before=0"
	b := o.stranger()
	asked := b.get(wanted)
	if asked.path != "/console/sign-in?"+(url.Values{"next": {wanted}}).Encode() {
		t.Fatalf("asked for %s and is at %s", wanted, asked.path)
	}
	came := b.submit(asked.body, "/console/sign-in", "key", "  "+key+"\n")
	if came.status != http.StatusOK || came.path != wanted {
		t.Errorf("signed in, and is at %s: %d", came.path, came.status)
	}
	for _, elsewhere := range []string{"https://example.com/console/", "//example.com/console/", "/v1/events", "/console/../v1/events", `/\example.com`, "javascript:alert(1)"} {
		if r := o.stranger().post("/console/sign-in", "key", key, "next", elsewhere); r.path != "/console/" {
			t.Errorf("next=%s leads to %s", elsewhere, r.path)
		}
	}
}

func TestAKeySignsInUntilItIsRevoked(t *testing.T) {
	o := openOffice(t)
	o.deliver(transaction("acct", "t", 100_00, 3))
	created, key, err := o.keys.Create(context.Background(), access.Key{Name: "Oscar", Scopes: access.Operator.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	b := o.stranger()
	for _, wrong := range []string{"", "rk_wrong", key + "x", strings.ToUpper(key), "<b>"} {
		r := b.post("/console/sign-in", "key", wrong)
		if r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "There is no such API key in force") || strings.Contains(r.body, wrong) && wrong != "" {
			t.Errorf("the key %q is answered with %d: %s", wrong, r.status, said(r.body))
		}
	}
	if r := b.post("/console/sign-in", "key", strings.Repeat("x", 20<<10)); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("an endless key is answered with %d", r.status)
	}
	b.post("/console/sign-in", "key", key)
	page := b.page("/console/account?id=acct")
	mustSay(t, page, "Oscar", "operator", "Adjust the balance")
	if _, err := o.keys.Revoke(context.Background(), created.ID); err != nil {
		t.Fatal(err)
	}
	if r := b.get("/console/account?id=acct"); !strings.HasPrefix(r.path, "/console/sign-in?next=") {
		t.Errorf("with a revoked key one is at %s", r.path)
	}
	if r := b.submit(page, "/console/sign-out"); r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "Your session has ended, and nothing was changed") {
		t.Errorf("a form with a revoked key is answered with %d: %s", r.status, said(r.body))
	}
}

// A key is confined to accounts and to a rate in the console as over the API: the pages show
// all accounts, so one that is for some sees none.
func TestAKeysLimitsHoldInTheConsole(t *testing.T) {
	o := openOffice(t)
	key := func(l access.Limits) string {
		_, text, err := o.keys.Create(context.Background(), access.Key{Name: "Vera", Scopes: access.Viewer.Scopes(), Limits: l})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	partner := o.stranger()
	r := partner.post("/console/sign-in", "key", key(access.Limits{Accounts: []string{"shop-"}}))
	if r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "This API key is for some accounts alone") {
		t.Errorf("a key that is for some accounts is answered with %d\n%s", r.status, said(r.body))
	}
	if r := partner.get("/console/programs"); !strings.HasPrefix(r.path, "/console/sign-in") {
		t.Errorf("it leads to %s", r.path)
	}
	vera := o.stranger()
	vera.post("/console/sign-in", "key", key(access.Limits{Rate: 2})) // and the page that it leads to
	if r := vera.get("/console/programs"); r.status != http.StatusTooManyRequests || !strings.Contains(said(r.body), "used too often") {
		t.Errorf("a third page within a second is answered with %d\n%s", r.status, said(r.body))
	}
	o.passed.Add(int64(time.Second))
	vera.page("/console/programs")
}

func TestSigningOut(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("Vera", access.Viewer)
	page := b.page("/console/")
	cookies := b.client.Jar.Cookies(b.request("GET", "/console/").URL)
	out := b.submit(page, "/console/sign-out")
	if got := out.cleared; got != `"cache", "storage"` {
		t.Errorf("what is to be cleared is %q", got)
	}
	if out.path != "/console/sign-in?notice=signed-out" {
		t.Fatalf("signed out, and is at %s", out.path)
	}
	mustSay(t, out.body, "You are signed out.")
	if left := b.client.Jar.Cookies(b.request("GET", "/console/").URL); len(left) > 0 {
		t.Errorf("cookies are left: %v", left)
	}
	b.client.Jar.SetCookies(b.request("GET", "/console/").URL, cookies)
	if r := b.get("/console/"); !strings.HasPrefix(r.path, "/console/sign-in") {
		t.Errorf("the session is still there: %s", r.path)
	}
}

// Who signs in anew in a browser has one session there.
func TestSigningInAgainEndsTheSessionBefore(t *testing.T) {
	o := openOffice(t)
	b := o.signIn("Vera", access.Viewer)
	address := b.request("GET", "/console/").URL
	before := b.client.Jar.Cookies(address)
	_, key, err := o.keys.Create(t.Context(), access.Key{Name: "Oscar", Scopes: access.Operator.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	b.post("/console/sign-in", "key", key)
	after := b.client.Jar.Cookies(address)
	if len(before) != 1 || len(after) != 1 || before[0].Value == after[0].Value {
		t.Fatalf("the cookies were %v and are %v", before, after)
	}
	thief := o.stranger()
	thief.client.Jar.SetCookies(address, before)
	if r := thief.get("/console/"); !strings.HasPrefix(r.path, "/console/sign-in") {
		t.Errorf("the session before is still there: %s", r.path)
	}
}

func TestASessionExpires(t *testing.T) {
	now := today
	o := openSite(t, openDatabase(t), site{now: func() time.Time { return now }})
	b := o.signIn("Vera", access.Viewer)
	start := now
	for range 13 { // used now and then
		now = now.Add(55 * time.Minute)
		b.get("/console/programs")
	}
	now = start.Add(session.DefaultLifetime - time.Second)
	if r := b.get("/console/programs"); r.path != "/console/programs" {
		t.Errorf("just before its end the session leads to %s", r.path)
	}
	now = now.Add(time.Second)
	if r := b.get("/console/programs"); r.path != "/console/sign-in?next=%2Fconsole%2Fprograms" {
		t.Errorf("at its end the session leads to %s", r.path)
	}
}

func TestRoles(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	draft := "/console/program/draft?id=everyday"
	type may struct{ operate, publish bool }
	for role, want := range map[access.Role]may{access.Viewer: {}, access.Operator: {operate: true}, access.Approver: {operate: true}, access.Administrator: {true, true}} {
		b := o.signIn(role.String()+" person", role)
		for _, path := range []string{"", "accounts", "account?id=acct", "transaction?account=acct&id=grocery", "reviews", "adjustments", "programs", "program?id=everyday", "playground", "deliveries", "checks"} {
			b.page("/console/" + path)
		}
		if sees := strings.Contains(b.page("/console/account?id=acct"), "Adjust the balance"); sees != want.operate {
			t.Errorf("%v may adjust: %t", role, sees)
		}
		previewed := b.submit(b.page(draft), "/console/program/draft", "document", dearer)
		if previewed.status != http.StatusOK {
			t.Errorf("%v cannot preview: %d", role, previewed.status)
		}
		if _, offered := formOf(previewed.body, "/console/program/publish"); offered != want.publish {
			t.Errorf("%v is offered to publish: %t", role, offered)
		}
		hidden, _ := formOf(previewed.body, "/console/program/draft")
		for path, allowed := range map[string]bool{"deliveries": want.operate, "program/publish": want.publish} {
			r := b.post("/console/"+path, "csrf", hidden.Get("csrf"), "id", "everyday")
			if (r.status != http.StatusForbidden) != allowed {
				t.Errorf("%v sends %s and is answered with %d", role, path, r.status)
			}
			if !allowed {
				mustSay(t, said(r.body), "Your role does not allow this", role.String())
			}
		}
	}
}

func TestAFormFromElsewhereChangesNothing(t *testing.T) {
	o := openOffice(t)
	ada, other := o.signIn("Ada", access.Administrator), o.signIn("Otto", access.Administrator)
	preview := ada.submit(ada.page("/console/program/draft?id=everyday"), "/console/program/draft", "document", dearer)
	theirs, _ := formOf(other.page("/console/program/draft?id=everyday"), "/console/program/draft")
	for _, token := range []string{"", "x", theirs.Get("csrf")} {
		r := ada.submit(preview.body, "/console/program/publish", "document", dearer, "from", "2026-08", "csrf", token)
		if r.status != http.StatusForbidden || !strings.Contains(said(r.body), "The form is not from this session") {
			t.Errorf("with the token %q a form is answered with %d", token, r.status)
		}
	}
	if n := len(o.store.Programs().Versions("everyday")); n != 1 {
		t.Errorf("there are %d versions", n)
	}
}

func TestWhereEverybodyIsLetIn(t *testing.T) {
	o := openSite(t, openDatabase(t), site{open: true})
	b := o.stranger()
	mustSay(t, b.page("/console/programs"), "dev", "admin", "Be somebody else")
	choose := b.page("/console/sign-in?next=%2Fconsole%2Fprograms")
	for role, name := range map[string]string{"viewer": "Vera", "operator": "Oscar", "approver": "Anna", "admin": "Ada"} {
		r := b.submit(formWith(t, choose, "next", "/console/programs"), "/console/sign-in", "role", role)
		if r.path != "/console/programs" || !strings.Contains(r.body, name) {
			t.Errorf("as %s one is at %s", role, r.path)
		}
		if r := b.post("/console/deliveries", "number", "1"); role == "viewer" && r.status != http.StatusForbidden {
			t.Errorf("a viewer's form is answered with %d", r.status)
		}
	}
	if r := b.post("/console/sign-in", "role", "king"); r.status != http.StatusBadRequest {
		t.Errorf("a role that is none is answered with %d", r.status)
	}
	closed := openSite(t, openDatabase(t), site{})
	if r := closed.stranger().post("/console/sign-in", "role", "admin"); r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "Nobody can choose a role here") {
		t.Errorf("choosing a role where keys are needed is answered with %d", r.status)
	}
}

func TestSigningInAtAProvider(t *testing.T) {
	provider := oidctest.New(t)
	o := openSite(t, openDatabase(t), site{provider: func(address string) *session.Provider {
		return &session.Provider{
			Issuer: provider.Issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: address + "/console/sign-in/callback",
			Roles: map[string]access.Role{"finance": access.Approver},
		}
	}})
	way := func(b *browser) reply {
		page := b.get("/console/programs").body
		for _, link := range linksOf(page) {
			if strings.HasPrefix(link, "/console/sign-in/provider") {
				return b.get(link)
			}
		}
		t.Fatalf("nothing leads to the provider:\n%s", page)
		return reply{}
	}
	nobody := way(o.stranger())
	if nobody.status != http.StatusUnauthorized {
		t.Errorf("somebody without a role is answered with %d at %s", nobody.status, nobody.path)
	}
	mustSay(t, said(nobody.body), "You are known as anna@example.com, and have no role here", "Sign in")
	provider.Claim("roles", []string{"finance"})
	anna := o.stranger()
	if r := way(anna); r.status != http.StatusOK || r.path != "/console/programs" {
		t.Errorf("after signing in one is at %s: %d %s", r.path, r.status, said(r.body))
	}
	mustSay(t, anna.page("/console/programs"), "anna@example.com", "approver")
	if r := anna.get("/console/sign-in/callback?code=x&state=y"); r.status != http.StatusUnauthorized {
		t.Errorf("an answer that nobody asked for is answered with %d", r.status)
	}
	provider.Down(true)
	later := o.stranger()
	if r := later.get("/console/sign-in/provider"); r.status == http.StatusOK {
		t.Errorf("with the provider down one is at %s: %d", r.path, r.status)
	}
}
