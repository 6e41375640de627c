package session

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"unicode"
)

// FuzzCookie: whatever comes in the header, a token is found if and only if it is
// written as one, and it is one that a page could be given.
func FuzzCookie(f *testing.F) {
	good := newToken().String()
	for _, header := range []string{"", CookieName + "=" + good, CookieName + "=" + good[:42] + "B", CookieName + `="` + good + `"`, "a=b; " + CookieName + "=" + good, CookieName + "=; " + CookieName + "=" + good, CookieName + "=" + good + "=", "\x00;=;="} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{Header: http.Header{"Cookie": {header}}}
		got, ok := tokenIn(r, CookieName)
		if !ok {
			if got != (token{}) {
				t.Fatalf("%q has no token, and has %v", header, got)
			}
			return
		}
		if !strings.Contains(header, CookieName) || !strings.Contains(header, got.String()) {
			t.Fatalf("%q has the token %v", header, got)
		}
	})
}

// FuzzFlow: what is read of a way to the provider is written the same, and leads to
// a page of the console.
func FuzzFlow(f *testing.F) {
	good := (&flow{newToken(), newToken(), newToken(), "/console/reviews?kind=a"}).String()
	for _, text := range []string{"", good, good + ".", good[:len(good)-1], "...", strings.Repeat(newToken().String()+".", 3), strings.Repeat(newToken().String()+".", 3) + encoding.EncodeToString([]byte("//evil.example"))} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseFlow(text)
		if !ok {
			return
		}
		if got.String() != text {
			t.Fatalf("%q is read as %q", text, got)
		}
		local(t, got.next)
	})
}

// FuzzNext: whatever is asked for, a sign-in leads to a page of the console, and what
// leads to one is left as it is.
func FuzzNext(f *testing.F) {
	for _, text := range []string{"", "/console/", "/console/accounts/a%2Fb?x=%0a", "//evil.example", "/console/../x", "/console/%2e%2e/", "/\\evil", "https://x/console/", "/console/;@x", "/console/?//x", "/console/#x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := localPath(text)
		local(t, got)
		if again := localPath(got); again != got {
			t.Fatalf("%q leads to %q, and that to %q", text, got, again)
		}
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest("POST", "/console/sign-in", nil), got, http.StatusSeeOther)
		local(t, w.Header().Get("Location"))
	})
}

// local wants a place that every browser takes for one below the console.
func local(t *testing.T, text string) {
	t.Helper()
	u, err := url.Parse("https://recoup.example.com" + text)
	if err != nil || u.Host != "recoup.example.com" || u.User != nil || u.Fragment != "" {
		t.Fatalf("%q leads to %v (%v)", text, u, err)
	}
	if !strings.HasPrefix(text, Path) || !strings.HasPrefix(path.Clean(u.Path)+"/", Path) || len(text) > maxNext {
		t.Fatalf("%q leads to the path %q", text, u.Path)
	}
	if place, _, _ := strings.Cut(text, "?"); strings.Contains(place, "//") || strings.Contains(text, "\\") || strings.ContainsFunc(text, unicode.IsControl) {
		t.Fatalf("%q may be read in another way", text)
	}
}
