package session_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recoup/internal/console/session"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
)

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func TestAFormIsFromAPageOfItsSession(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	_, text := d.key("Vera", scope.Read)
	token, _ := d.signIn(text)
	other, _ := d.signIn(text)
	value := d.Token(with(token))
	if value == "" || value == token || strings.Contains(value, token) || value == d.Token(with(other)) {
		t.Fatalf("the session %q has the value %q in forms", token, value)
	}
	if err := d.Check(form(token, session.FormField, value)); err != nil {
		t.Errorf("its own form: %v", err)
	}
	if err := d.process().Check(form(token, session.FormField, value)); err != nil {
		t.Errorf("its own form, sent to another process: %v", err)
	}
	inAddress := form(token)
	inAddress.URL.RawQuery = url.Values{session.FormField: {value}}.Encode()
	for name, r := range map[string]*http.Request{
		"without the field":              form(token),
		"with an empty field":            form(token, session.FormField, ""),
		"with a part of the value":       form(token, session.FormField, value[:42]),
		"with the value of another":      form(token, session.FormField, d.Token(with(other))),
		"with the token itself":          form(token, session.FormField, token),
		"with the value in the address":  inAddress,
		"without a session":              form("", session.FormField, value),
		"without a session, and a value": form("", session.FormField, ""),
		"with a session that is none":    form("nonsense", session.FormField, d.Token(with("nonsense"))),
	} {
		if err := d.Check(r); !errors.Is(err, session.ErrForged) {
			t.Errorf("a form %s: %v", name, err)
		}
	}
	if got := d.Token(with("")); got != "" {
		t.Errorf("without a session there is the value %q", got)
	}
}

// Where nobody needs a session, forms are tied to the process.
func TestFormsWhereTheServiceIsOpen(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t), open)
	value := d.Token(with(""))
	if err := d.Check(form("", session.FormField, value)); err != nil || value == "" {
		t.Errorf("the form with %q: %v", value, err)
	}
	for name, r := range map[string]*http.Request{
		"without the field":             form(""),
		"with the value of a session":   form("", session.FormField, d.Token(with(encode(make([]byte, 32))))),
		"with the value of a process":   form("", session.FormField, d.process().Token(with(""))),
		"of a session, with the value ": form(encode(make([]byte, 32)), session.FormField, value),
	} {
		if err := d.Check(r); !errors.Is(err, session.ErrForged) {
			t.Errorf("a form %s: %v", name, err)
		}
	}
}

func TestAPageOfAnotherSiteChangesNothing(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t), open)
	reached := false
	protected := d.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	for _, tt := range []struct {
		name, method string
		headers      []string
		let          bool
	}{
		{"a page of its own", "POST", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://example.com"}, true},
		{"a page of its own, without TLS", "POST", []string{"Origin", "http://example.com"}, true},
		{"a link on another site", "GET", []string{"Sec-Fetch-Site", "cross-site"}, true},
		{"a program", "POST", nil, true},
		{"a form of another site", "POST", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, false},
		{"a form of a sibling", "POST", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://other.example.com"}, false},
		{"a form of another site, without TLS", "POST", []string{"Origin", "http://evil.example"}, false},
		{"a page that does not say whose", "POST", []string{"Origin", "null"}, false},
		{"something else that changes", "DELETE", []string{"Sec-Fetch-Site", "cross-site"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://example.com/console/reviews", nil)
			for i := 0; i < len(tt.headers); i += 2 {
				r.Header.Set(tt.headers[i], tt.headers[i+1])
			}
			w := httptest.NewRecorder()
			reached = false
			protected.ServeHTTP(w, r)
			if reached != tt.let || tt.let == (w.Code == http.StatusForbidden) {
				t.Errorf("answered %d, reached %v; want it let through: %v", w.Code, reached, tt.let)
			}
			// Or browsers would not say where a form comes from.
			if got := w.Header().Get("Referrer-Policy"); got != "same-origin" {
				t.Errorf("the referrer policy is %q", got)
			}
		})
	}
}

func TestSignInLeadsToAPageOfTheConsole(t *testing.T) {
	d := openDesk(t, pebbletest.Open(t))
	for next, want := range map[string]string{
		"":                                       "/console/",
		"/console/":                              "/console/",
		"/console/reviews?kind=a&b=c":            "/console/reviews?kind=a&b=c",
		"/console/accounts/a%2Fb":                "/console/accounts/a%2Fb",
		"/console/accounts/a%20b?q=%F0%9F%92%B6": "/console/accounts/a%20b?q=%F0%9F%92%B6",
		"/console/accounts/x#section":            "/console/accounts/x",

		"https://evil.example/console/":         "/console/",
		"//evil.example/console/":               "/console/",
		"/\\evil.example/console/":              "/console/",
		"/console/\\evil.example":               "/console/",
		"/console/%5C%5Cevil.example":           "/console/",
		"\\\\evil.example":                      "/console/",
		"/\t/evil.example":                      "/console/",
		"/console/\n/evil":                      "/console/",
		"/console//evil.example":                "/console/",
		"/console/../v1/events":                 "/console/",
		"/console/%2e%2e/v1/events":             "/console/",
		"/console/..%2f..%2fevil":               "/console/",
		"/v1/events":                            "/console/",
		"/consoles/":                            "/console/",
		"console/reviews":                       "/console/",
		"javascript:alert(1)":                   "/console/",
		"http:/console/reviews":                 "/console/",
		"/console/%zz":                          "/console/",
		"/console/é":                            "/console/",
		"/console/" + strings.Repeat("a", 7000): "/console/",
	} {
		if got := d.Next(form("", session.NextField, next)); got != want {
			t.Errorf("next %q leads to %q, want %q", next, got, want)
		}
		r := httptest.NewRequest("GET", "/console/sign-in?"+url.Values{session.NextField: {next}}.Encode(), nil)
		if got := d.Next(r); got != want {
			t.Errorf("next %q in the address leads to %q, want %q", next, got, want)
		}
	}
}
