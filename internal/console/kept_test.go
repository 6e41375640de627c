package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/internal/console/session"
	"recoup/internal/service/access"
)

// A session that ends keeps what was typed: whoever signs in again can send it, and until
// then nothing has changed.
func TestWhatWasTypedIsKept(t *testing.T) {
	o := openOffice(t)
	o.unlinked("acct")
	_, key, err := o.keys.Create(t.Context(), access.Key{Name: "Oscar", Scopes: access.Operator.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	oscar := o.stranger()
	oscar.post("/console/sign-in", "key", key)
	path := reviewPath("acct", "refund", "r1")
	form := decisionOf(t, oscar.page(path))
	o.pass(2 * session.DefaultIdle)
	version := o.account("acct").Version
	r := oscar.submit(form, path, "choice", "dismiss", "reason", `the receipt says "yes" & more`)
	if r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "what you typed is kept") {
		t.Fatalf("it is answered with %d:\n%s", r.status, said(r.body))
	}
	if got := o.account("acct").Version; got != version {
		t.Fatal("it was done all the same")
	}
	r = oscar.submit(r.body, "/console/sign-in", "key", key)
	if r.path != "/console/kept" || !strings.Contains(said(r.body), `the receipt says "yes" & more`) {
		t.Fatalf("it comes back to %s:\n%s", r.path, said(r.body))
	}
	if got := o.account("acct").Version; got != version {
		t.Fatal("it was done without being sent")
	}
	if !strings.Contains(r.body, `href="`+strings.ReplaceAll(path, "&", "&amp;")+`"`) {
		t.Errorf("no link leads back to the page:\n%s", said(r.body))
	}
	if r := oscar.submit(r.body, path); r.status != http.StatusOK || !strings.Contains(said(r.body), "It is dismissed") {
		t.Errorf("sent, it is answered with %d:\n%s", r.status, said(r.body))
	}
	if got := o.account("acct").Version; got != version+1 {
		t.Errorf("%d events came of it", got-version)
	}
	oscar.submit(oscar.page("/console/"), "/console/sign-out")
	oscar.post("/console/sign-in", "key", key)
	if r := oscar.get("/console/kept"); r.path != "/console/" {
		t.Errorf("it is kept after somebody signed out: %s", r.path)
	}
}

// What is too long to be kept is said to be so, and no cookie leads out of the console.
func TestWhatIsNotKept(t *testing.T) {
	o := openOffice(t)
	var long strings.Builder
	for i := range 4000 {
		long.WriteString(time.Duration(i * 7919).String())
	}
	r := o.stranger().post("/console/program/draft", "document", long.String())
	if r.status != http.StatusUnauthorized || !strings.Contains(said(r.body), "too long to be kept") {
		t.Errorf("it is answered with %d:\n%s", r.status, said(r.body))
	}
	vera := o.signIn("Vera", access.Viewer)
	site, err := url.Parse(o.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"", "x", strings.Repeat("A", 5000), "q1YqSCzJULJSysssUtJRSkktTlayMjQyNjE1M7ewtDI0MjYxNTO3sFSqBQA"} {
		vera.client.Jar.SetCookies(site, []*http.Cookie{{Name: "recoup_kept", Value: value, Path: "/console/"}})
		if r := vera.get("/console/kept"); r.status != http.StatusOK || r.path != "/console/" {
			t.Errorf("the cookie %.40q leads to %d %s", value, r.status, r.path)
		}
	}
}
