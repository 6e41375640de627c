package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
)

// Headers of every answer. The slices are shared, and not to be changed.
var (
	noSniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	policy      = []string{"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	noReferrer  = []string{"no-referrer"}
	httpsOnly   = []string{"max-age=31536000"}
	jsonType    = []string{"application/json"}
	ndjsonType  = []string{"application/x-ndjson"}
	sameOrigin  = []string{"same-origin"}
	bearerOnly  = []string{`Bearer realm="recoup"`}
	basicPlease = []string{`Basic realm="recoup: any user name, the API key as password", charset="UTF-8"`}
)

// guard goes around every endpoint: what every answer has, hosts that a service
// that is open answers to and pages elsewhere that it does nothing for, and what is left
// of a handler that panics.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = noSniff
		h["Cache-Control"] = noStore
		h["Content-Security-Policy"] = policy
		h["Referrer-Policy"] = noReferrer
		h["Cross-Origin-Resource-Policy"] = sameOrigin
		if r.TLS != nil {
			h["Strict-Transport-Security"] = httpsOnly
		}
		defer s.recover(w, r)
		if s.auth == nil && !isLocal(r.Host) {
			budget.Unread(w, r)
			writeProblem(w, problem("host_refused", ""))
			return
		}
		// The console looks to its own forms.
		if s.auth == nil && !strings.HasPrefix(r.URL.Path, consolePath) && s.crossSite.Check(r) != nil {
			writeProblem(w, problem("cross_site", ""))
			return
		}
		if p := unheard(r); p != nil {
			writeProblem(w, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unheard refuses a request with text that is none, before anything is looked up under it:
// nothing has such a name, and not every database takes it for a question.
func unheard(r *http.Request) *Problem {
	if !isText(r.URL.Path) {
		return problem("not_found", "The path has a zero byte or is not UTF-8; nothing is called that.")
	}
	if strings.HasPrefix(r.URL.Path, "/console/") {
		return nil // people paste anything; the pages say what they make of it
	}
	query, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil || !isText(query) {
		return problem("malformed", "Expected a query in UTF-8 without zero bytes, percent-encoded.")
	}
	for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "If-None-Match"} {
		for _, value := range r.Header[name] {
			if !isText(value) {
				return problemf("malformed", "Expected the header %s in UTF-8.", name).at(name)
			}
		}
	}
	return nil
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// recover answers for a handler that panicked, if it has not answered itself, and
// tells the log, not the client, why.
func (s *Server) recover(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.explain(r.Context(), fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
	if w.Header().Get("Content-Type") != "" {
		panic(http.ErrAbortHandler) // an answer has begun: cut it off, so that it is not taken for whole
	}
	writeProblem(w, problem("internal", ""))
}

// isLocal reports whether a Host header names this machine itself. Anything else
// could be a page elsewhere that had its name point here.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

// everybody is who a service that is open takes its clients for.
var everybody = Principal{ID: "dev", Name: "dev", Scopes: scope.Admin}

// authenticate says whose request it is, or why not.
func (s *Server) authenticate(r *http.Request, header string) (Principal, *Problem) {
	if s.auth == nil {
		return everybody, nil
	}
	p, err := s.auth.Authenticate(r.Context(), header)
	switch {
	case errors.Is(err, ErrRate):
		return p, problem("rate_exceeded", "")
	case errors.Is(err, ErrUnauthenticated):
		return p, problem("unauthenticated", "")
	case err != nil:
		return p, s.failure(r.Context(), err)
	}
	s.identify(r.Context(), p.ID)
	return p, nil
}

// enter lets a request in that has a key with the scope, or answers it.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, scope scope.Set) (Principal, bool) {
	p, refused := s.authenticate(r, r.Header.Get("Authorization"))
	switch {
	case refused != nil:
		if refused.Status == http.StatusUnauthorized {
			w.Header()["Www-Authenticate"] = bearerOnly
			s.note(from(r, p).Context(), security.SignInRefused, p, "no valid API key")
		}
		budget.Unread(w, r)
		writeProblem(w, refused)
		return p, false
	case !p.Scopes.Has(scope):
		s.note(from(r, p).Context(), security.Refused, p, "scope "+scope.String()+" for "+r.Method+" "+r.Pattern)
		budget.Unread(w, r)
		writeProblem(w, scopeMissing(scope))
		return p, false
	}
	return p, true
}

func scopeMissing(scope scope.Set) *Problem {
	return problemf("scope_missing", "Expected a key with the scope %s; make one by recoup keys create --scope %s.", scope, scope)
}

// enterPage is enter for people with a browser, which asks them for a user name
// and a password: the password is the key, of whatever scope.
func (s *Server) enterPage(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		budget.Unread(w, r)
		header := r.Header.Get("Authorization")
		if scheme, rest, ok := strings.Cut(header, " "); ok && strings.EqualFold(scheme, "Basic") {
			given, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
			_, password, _ := strings.Cut(string(given), ":")
			header = "Bearer " + password
		}
		p, refused := s.authenticate(r, header)
		if refused != nil {
			if refused.Status == http.StatusUnauthorized {
				w.Header()["Www-Authenticate"] = basicPlease
				s.note(from(r, p).Context(), security.SignInRefused, p, "no valid API key")
			}
			writeProblem(w, refused)
			return
		}
		s.within(w, r, budget.Reading, s.holder(r, p), func(*budget.Work) { page(w, r) })
	}
}

type principalKey struct{}

// principalOf returns who sent the request that the context is of.
func principalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

// admit is the middleware of all endpoints that huma serves: key and scope, room,
// and a body of a kind that the endpoint reads, which is read here.
func (s *Server) admit(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	op := ctx.Operation()
	enter := s.enter
	if op.Metadata[takesTokens] == true {
		enter = s.enterWithToken
	}
	p, ok := enter(w, r, scopeOf(op))
	if !ok {
		return
	}
	if refused := unreadable(op, r); refused != nil {
		budget.Unread(w, r)
		writeProblem(w, refused)
		return
	}
	if refused := s.confine(ctx, p); refused != nil {
		s.note(from(r, p).Context(), security.Refused, p, refused.Title)
		budget.Unread(w, r)
		writeProblem(w, refused)
		return
	}
	holder := s.holder(r, p)
	s.within(w, r, classOf(op), holder, func(work *budget.Work) {
		if op.RequestBody == nil {
			budget.Unread(w, r)
		} else {
			body, failed := readBody(work.Body(w, r), r.ContentLength, nil, op.MaxBodyBytes)
			if failed != nil {
				writeProblem(w, failed)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		within := context.WithValue(from(r, p).Context(), principalKey{}, p)
		next(huma.WithContext(ctx, engine.From(within, commander+holder)))
	})
}

// commander goes before the holder of a command, so that it does not wait for
// events that come with the same key.
const commander = "commands of "

// unreadable refuses a body of a content type that the endpoint does not read.
func unreadable(op *huma.Operation, r *http.Request) *Problem {
	if op.RequestBody == nil || r.ContentLength == 0 && !op.RequestBody.Required {
		return nil
	}
	given := r.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(given)
	if err == nil && op.RequestBody.Content[media] != nil {
		return nil
	}
	return unsupported(given, contentTypes(op))
}

func unsupported(given string, expected []string) *Problem {
	if given == "" {
		given = "none"
	}
	return problemf("unsupported_type", "Expected the header Content-Type: %s, found %s.", strings.Join(expected, " or "), shown(given)).at("Content-Type")
}

// shown makes a piece of somebody's input fit for a message.
func shown(s string) string {
	const longest = 60
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
