package console_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
)

// Whoever chooses a language keeps it, before they sign in and after they sign out.
func TestALanguageIsChosen(t *testing.T) {
	o := openOffice(t)
	b := o.stranger()
	mustSay(t, b.page("/console/sign-in"), `<html lang="en" dir="ltr">`)
	r := b.post("/console/language", "language", "de", "next", "/console/sign-in")
	mustSay(t, r.body, `<html lang="de" dir="ltr">`, "API-Schlüssel")
	mustSay(t, b.page("/console/sign-in"), `<html lang="de" dir="ltr">`)

	b = o.signIn("Vera", access.Viewer)
	page := b.page("/console/accounts")
	r = b.submit(page, "/console/language", "language", "ar")
	if r.path != "/console/accounts" {
		t.Errorf("the choice leads to %s", r.path)
	}
	mustSay(t, r.body, `<html lang="ar" dir="rtl">`, "<bdi>Vera</bdi>")
	b.submit(r.body, "/console/sign-out")
	mustSay(t, b.page("/console/sign-in"), `<html lang="ar" dir="rtl">`)

	if r := b.post("/console/language", "language", "tlh"); r.status != http.StatusBadRequest {
		t.Errorf("a language that there is not is answered with %d", r.status)
	}
	if r := b.post("/console/language", "language", "en", "next", "https://elsewhere.example/"); !strings.HasPrefix(r.path, "/console/") {
		t.Errorf("the choice leads to %s", r.path)
	}
	request := b.request("POST", "/console/language")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	if got := b.ask(request).StatusCode; got != http.StatusForbidden {
		t.Errorf("a form of another site is answered with %d", got)
	}
}

// A page is compressed where its own site asks for it, so that nobody else can learn from
// its length; what is the same for everybody always is.
func TestWhatIsCompressed(t *testing.T) {
	b := openOffice(t).signIn("Vera", access.Viewer)
	page := b.page("/console/accounts")
	_, style, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
	style, _, _ = strings.Cut(style, `"`)
	for _, test := range []struct{ path, from, accepts, want string }{
		{"/console/accounts", "same-origin", "gzip, zstd", "zstd"}, {"/console/accounts", "none", "gzip", "gzip"},
		{"/console/accounts", "same-origin", "", ""},
		{"/console/accounts", "cross-site", "gzip, zstd", ""}, {"/console/accounts", "same-site", "gzip, zstd", ""}, {"/console/accounts", "", "gzip, zstd", ""},
		{style, "cross-site", "gzip", "gzip"}, {style, "", "zstd", "zstd"},
	} {
		r := b.request("GET", test.path)
		r.Header.Set("Accept-Encoding", test.accepts)
		if test.from != "" {
			r.Header.Set("Sec-Fetch-Site", test.from)
		}
		response, err := b.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != test.want {
			t.Errorf("%+v: %d in %q, %v", test, response.StatusCode, response.Header.Get("Content-Encoding"), err)
		}
		if is := strings.Contains(string(body), "doctype") || strings.Contains(string(body), "{"); test.want == "" && !is {
			t.Errorf("%+v is not there as it is", test)
		}
		vary := strings.Join(response.Header.Values("Vary"), ", ")
		if !strings.Contains(vary, "Accept-Encoding") && !(test.want == "" && strings.Contains(vary, "Sec-Fetch-Site")) {
			t.Errorf("%+v varies by %q", test, vary)
		}
	}
}
