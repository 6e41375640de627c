package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"recoup/reward"
)

// FuzzSearch pastes anything at all, and the id of an account with whatever a
// clipboard adds: what is an id is found, and a page is always well made.
func FuzzSearch(f *testing.F) {
	o := openSite(f, openWithEveryday(f), site{open: true})
	o.deliver(transaction("acct-1", "txn-1", 100_00, 8))
	o.deliver(reward.Event{Type: reward.RefundPosted, Account: "acct-1", Transaction: "txn-1", Fact: "refund-1", Amount: 10_00, Time: daysAgo(7)})
	for _, seed := range []string{"acct-1", "\u200bACCT-1\u00a0", "account: \"txn-1\"", "<https://x/console/account?id=refund-1>", "%zz", "\x00\xff", "::", "\u202e", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := o.answer(t, "/console/search?"+url.Values{"q": {text}}.Encode())
		if r.Code != http.StatusOK && r.Code != http.StatusSeeOther {
			t.Fatalf("answered with %d", r.Code)
		}
		wrapped := o.answer(t, "/console/search?"+url.Values{"q": {"\u200b “acct-1\u00a0"}}.Encode())
		if wrapped.Code != http.StatusSeeOther {
			t.Fatalf("an account is not found: %d", wrapped.Code)
		}
		if strings.TrimSpace(text) == "acct-1" && r.Header().Get("Location") != "/console/account?id=acct-1" {
			t.Fatalf("%q leads to %s", text, r.Header().Get("Location"))
		}
	})
}

// FuzzQuery gives pages queries of any kind: they show something, or say what is not
// there, and never fail.
func FuzzQuery(f *testing.F) {
	o := openSite(f, openWithEveryday(f), site{open: true})
	o.dip("acct")
	o.refresh()
	pages := []string{"account", "transaction", "accounts", "debts", "held", "statements", "refunds", "program", "program/draft", "deliveries", "reviews", "adjustments", "sign-in", "search", ""}
	for _, seed := range []string{
		"id=acct&before=3", "id=acct&before=-1", "account=acct&id=coat", "currency=USD&from=0&to=30", "currency=USD&from=1e9", "cycle=2026-06&currency=USD&after=acct",
		"program=everyday&from=0", "id=everyday&version=1", "id=%00", "after=9223372036854775807", "notice=published", "%", "a;b", "id=acct&id=x", "from=\u202e",
	} {
		for page := range pages {
			f.Add(uint(page), seed)
		}
	}
	f.Fuzz(func(t *testing.T, page uint, query string) {
		path := "/console/" + pages[page%uint(len(pages))]
		r := o.answer(t, path+"?"+query)
		if !slices.Contains([]int{http.StatusOK, http.StatusSeeOther, http.StatusBadRequest, http.StatusNotFound}, r.Code) {
			t.Fatalf("%s?%q is answered with %d: %s", path, query, r.Code, said(r.Body.String()))
		}
	})
}

// answer has the service answer a request without a network, and checks what it
// shows.
func (o *office) answer(t testing.TB, address string) *httptest.ResponseRecorder {
	t.Helper()
	u, err := url.ParseRequestURI(address)
	if err != nil || strings.ContainsAny(address, " \r\n") {
		t.Skip("no browser sends it")
	}
	w := httptest.NewRecorder()
	r := &http.Request{Method: http.MethodGet, URL: u, Host: "localhost", RequestURI: address, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: "127.0.0.1:1"}
	o.server.Config.Handler.ServeHTTP(w, r.WithContext(t.Context()))
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && w.Code != http.StatusSeeOther {
		if found := faults(w.Body.String()); found != nil {
			t.Fatalf("%s: %v", address, found)
		}
	}
	return w
}
