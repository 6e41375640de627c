package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// site serves documents by their path, and what their forms do.
type site map[string]string

const strict = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// document is a page that has nothing wrong with it except what is in its body.
func document(body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>` +
		`<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main><h1>Heading</h1>` + body + `</main></body></html>`
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", strict)
	content, known := s[r.URL.Path]
	switch {
	case !known:
		http.Error(w, "no such page", http.StatusNotFound)
		return
	case strings.HasSuffix(r.URL.Path, ".js"):
		w.Header().Set("Content-Type", "text/javascript")
	case strings.HasSuffix(r.URL.Path, ".css"):
		w.Header().Set("Content-Type", "text/css")
	case strings.HasSuffix(r.URL.Path, ".csv"):
		w.Header().Set("Content-Disposition", `attachment; filename="entries.csv"`)
		w.Header().Set("Content-Type", "text/csv")
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	fmt.Fprint(w, content)
}

// serve returns the address of a site that is there for the test.
func serve(t testing.TB, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
