package session

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"
)

// NextField is the field of a form or address that says where a sign-in leads.
const NextField = "next"

// maxNext is the longest place that a sign-in leads to, in bytes. The longest run of the
// playground is shorter.
const maxNext = 6 << 10

// Next returns where a request to sign in should lead: the place that the field
// NextField names, or, coming back from the provider, the one that was named when
// it was gone to. It is a page of the console whatever was sent; Path if nothing
// was.
func (s *Sessions) Next(r *http.Request) string {
	if next := r.FormValue(NextField); next != "" {
		return localPath(next)
	}
	if f, ok := s.flowOf(r); ok {
		return f.next
	}
	return Path
}

// localPath returns a place below Path, or Path itself for whatever is none. It must
// not matter how a browser reads what it gets: a backslash is a slash to some, a tab
// nothing, and two slashes the beginning of another host's name.
func localPath(text string) string {
	if len(text) > maxNext || strings.ContainsFunc(text, func(r rune) bool { return r == '\\' || r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
		return Path
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return Path
	}
	// What is escaped counts as what it stands for.
	if !strings.HasPrefix(u.Path, Path) || strings.ContainsFunc(u.Path, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return Path
	}
	if path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") { // dots, or slashes without a name between them
		return Path
	}
	local := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	if len(local.String()) > maxNext {
		return Path
	}
	return local.String()
}
