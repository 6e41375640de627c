package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
)

// maxCommandBytes bounds the body of a command.
const maxCommandBytes = 64 << 10

// consolePath is where the console lives.
const consolePath = "/console/"

// routes sets up all paths, and with them the OpenAPI document.
func (s *Server) routes(o *Options) {
	s.mux = http.NewServeMux()
	s.api = humago.New(s.mux, huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Recoup", Version: o.Version, Description: description,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "The service that answers with this document"}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"key": {Type: "http", Scheme: "bearer", Description: "An API key, made by recoup keys create"},
				},
			},
			Tags: []*huma.Tag{
				{Name: "Events", Description: "How nearly everything arrives"}, {Name: "Accounts"}, {Name: "Redemptions"},
				{Name: "Journal"}, {Name: "Reviews"}, {Name: "Proposals"}, {Name: "Programs"}, {Name: "Notices"}, {Name: "Webhooks"}, {Name: "Service"},
			},
			Security: []map[string][]string{{"key": {}}},
		},
		Formats:                      map[string]huma.Format{"application/json": strictJSON, "json": strictJSON},
		DefaultFormat:                "application/json",
		Transformers:                 []huma.Transformer{adopt},
		RejectUnknownQueryParameters: true,
	})
	s.api.UseMiddleware(s.admit)

	s.mux.HandleFunc("POST /v1/events", s.events)
	s.describeEvents()
	s.sourceRoutes()
	s.accountRoutes()
	s.transactionRoutes()
	s.bonusRoutes()
	s.journalRoutes()
	s.feedRoutes()
	s.redemptionRoutes()
	s.reviewRoutes()
	s.exemptionRoutes()
	s.programRoutes()
	s.proposalRoutes()
	s.noticeRoutes()
	s.webhookRoutes()
	s.alertRoutes()
	s.serviceRoutes(o)
	s.docsRoutes()
	if o.Console != nil {
		s.mux.Handle(consolePath, o.Console)
		s.mux.Handle("GET /{$}", http.RedirectHandler(consolePath, http.StatusSeeOther))
	}
	s.mux.HandleFunc("/", s.nowhere)
	s.publish()
}

const description = `Cashback rewards in which a refund always takes the reward back.

Amounts are integers in minor units of the account's currency. Times are RFC 3339 in UTC. An answer that says something was applied means that it is durable.
Whatever fails is a problem document (RFC 9457) with a code that never changes. After 408, 423, 429 and 5xx, and where no answer came, the same request may be sent again: what was done already is recognised. Of operations with x-idempotent: false this is so only after 408 and 429, which say that nothing was done.`

// schemaName names a schema after its Go type alone.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Name() != "" {
		return t.Name()
	}
	return hint
}

// register adds an endpoint for keys with a scope, and documents the ways in which
// it can fail: those given, and those that every endpoint has.
func register[In, Out any](s *Server, op huma.Operation, scope scope.Set, codes []string, answer func(context.Context, *In) (*Out, error)) {
	if op.Metadata == nil {
		op.Metadata = make(map[string]any)
	}
	op.Metadata[scopeKey] = scope
	op.SkipValidateBody = true
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = maxCommandBytes
	}
	op.BodyReadTimeout = -1 // the body is read by admit
	if op.Responses == nil {
		op.Responses = make(map[string]*huma.Response)
	}
	t := reflect.TypeFor[In]()
	_, hasBody := t.FieldByName("Body")
	_, hasRaw := t.FieldByName("RawBody")
	if hasBody || hasRaw {
		codes = append([]string{"malformed", "body_incomplete", "body_timeout", "body_too_large", "unsupported_type"}, codes...)
	}
	if strings.Contains(op.Path, "{account}") || strings.Contains(op.Path, "{review}") {
		codes = append([]string{"account_damaged", "account_locked"}, codes...)
	}
	// Path and query parameters are checked everywhere.
	codes = append([]string{"malformed", "not_found", "invalid_request"}, codes...)
	s.describeProblems(&op, codes)
	if op.DefaultStatus == http.StatusCreated {
		op.Responses["200"] = &huma.Response{Description: "The same was done already; the answer is as it was, or says duplicate"}
	}
	op.Description = strings.TrimSpace(op.Description + "\n\nFor a key with the scope " + scope.String() + ".")
	huma.Register(s.api, op, answer)
	if op.DefaultStatus == http.StatusCreated {
		op.Responses["200"].Content = op.Responses["201"].Content
		op.Responses["200"].Headers = op.Responses["201"].Headers
	}
}

const scopeKey = "scope"

// scopeOf is the scope that an endpoint is for; one that says none is for Admin.
func scopeOf(op *huma.Operation) scope.Set {
	if scope, ok := op.Metadata[scopeKey].(scope.Set); ok {
		return scope
	}
	return scope.Admin
}

func contentTypes(op *huma.Operation) []string {
	return slices.Sorted(maps.Keys(op.RequestBody.Content))
}

// everywhere are the codes of problems that every endpoint with a key has.
var everywhere = []string{"unauthenticated", "scope_missing", "account_refused", "rate_exceeded", "host_refused", "overloaded", "shutting_down", "store_unavailable", "clock_doubted", "internal"}

// describeProblems documents how an endpoint fails, by status and code.
func (s *Server) describeProblems(op *huma.Operation, codes []string) {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(codes, everywhere))))
	for status, list := range codesByStatus(all) {
		var text []string
		for _, code := range list {
			text = append(text, fmt.Sprintf("`%s`: %s", code, kinds[code].title))
		}
		r := &huma.Response{Description: strings.Join(text, "; "), Content: map[string]*huma.MediaType{problemType: {Schema: schema}}}
		if slices.ContainsFunc(list, func(code string) bool { return kinds[code].retry > 0 }) {
			r.Headers = map[string]*huma.Header{"Retry-After": {Description: "Seconds", Schema: &huma.Schema{Type: huma.TypeInteger}}}
		}
		op.Responses[strconv.Itoa(status)] = r
	}
}

// nowhere answers what no route is for: 404, or 405 where another method has one.
func (s *Server) nowhere(w http.ResponseWriter, r *http.Request) {
	budget.Unread(w, r)
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "/" && pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		writeProblem(w, problem("not_found", ""))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeProblem(w, problemf("method_not_allowed", "Expected %s, found %s.", strings.Join(allowed, " or "), shown(r.Method)))
}

// serviceRoutes are those about the service itself. Health is for everybody, which
// is a load balancer as a rule.
func (s *Server) serviceRoutes(o *Options) {
	live, ready := o.Live, o.Ready
	if live == nil {
		live = healthy
	}
	if ready == nil {
		ready = healthy
	}
	s.mux.HandleFunc("GET /healthz", live)
	s.mux.HandleFunc("GET /readyz", ready)
	s.describe(http.MethodGet, "/healthz", "live", "Whether the process is alive", "Without a key.", "application/json", nil)
	s.describe(http.MethodGet, "/readyz", "ready", "Whether the service takes requests", "Without a key.", "application/json", []string{"store_unavailable"})
	if o.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			if p, ok := s.enter(w, r, scope.Read); ok {
				budget.Unread(w, r)
				s.within(w, r, budget.Reading, s.holder(r, p), func(*budget.Work) { o.Metrics.ServeHTTP(w, r) })
			}
		})
		s.describe(http.MethodGet, "/metrics", "metrics", "Metrics for Prometheus", "For a key with the scope read.", "text/plain", everywhere)
	}
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Content-Type"] = jsonType
	w.Write([]byte(`{"status":"ok"}` + "\n"))
}
