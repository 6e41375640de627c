package session

import (
	"crypto/subtle"
	"errors"
	"net/http"
)

// FormField is the field of a form that has what Token returns.
const FormField = "csrf"

// ErrForged is what Check returns of a form that is from no page of the session.
var ErrForged = errors.New("the form is not from a page of this session: load the page again and send the form from there")

// purpose makes the value in forms worth nothing elsewhere.
const purpose = "recoup console: forms"

// Token returns what every form that changes something has in the field FormField:
// a value that follows from the session of the request, and that nobody without
// its cookie can make. It is empty where there is no session and one is needed.
func (s *Sessions) Token(r *http.Request) string {
	if t, ok := s.sender(r); ok {
		return t.seal(purpose)
	}
	return ""
}

// Check returns nil if a form is from a page of the session that sends it, and
// ErrForged if not. The value is looked for in the body alone, never in the address,
// which other sites choose and logs keep. The caller bounds the body.
func (s *Sessions) Check(r *http.Request) error {
	t, ok := s.sender(r)
	if !ok || subtle.ConstantTimeCompare([]byte(r.PostFormValue(FormField)), []byte(t.seal(purpose))) != 1 {
		return ErrForged
	}
	return nil
}

// sender is the token that the forms of a request are tied to. Where nobody needs a
// session, those without one have a token that lives as long as the process.
func (s *Sessions) sender(r *http.Request) (token, bool) {
	if t, ok := s.tokenOf(r); ok {
		return t, true
	}
	return s.stranger, s.open
}

// Protect refuses, with 403, requests to change something that a page of another
// site makes, by what the browser says about where they come from. It is the second
// fence, and neither is enough alone. The field in forms needs nothing of the
// browser, but there is none before somebody has signed in, when a form of another
// site could sign a visitor in as somebody else; it is forgotten on the day that
// somebody adds a form; and it does not help against who can set cookies, as a page
// under a sibling of this host's name can. What the browser says covers all of that,
// but some say nothing: old ones, and all of them about an address without TLS that
// is not this machine.
//
// Those that say least say it in the header Origin, which they leave empty under the
// referrer policy no-referrer. So pages below have the policy same-origin, which
// tells other sites no more.
func (s *Sessions) Protect(next http.Handler) http.Handler {
	fenced := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "same-origin")
		fenced.ServeHTTP(w, r)
	})
}
