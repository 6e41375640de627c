package session

import (
	"net/http"
	"time"
)

// Preference is what a browser was given to keep by KeepPreference, "" for nothing. It
// is nobody's proof of anything.
func (s *Sessions) Preference(r *http.Request, name string) string {
	c, err := r.Cookie(s.named(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// KeepPreference has a browser keep how somebody likes the pages, beyond their session.
func (s *Sessions) KeepPreference(w http.ResponseWriter, name, value string, kept time.Duration) {
	http.SetCookie(w, s.cookie(name, value, kept))
}
