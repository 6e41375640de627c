package probe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"go.yaml.in/yaml/v3"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/scenario"
	"recoup/program"
)

// document is what the test needs of the OpenAPI document, in which nothing else
// than this is allowed.
type document struct {
	OpenAPI string `yaml:"openapi"`
	Info    struct {
		Title, Version, Description string
		License                     map[string]string
	}
	Servers    []map[string]string
	Paths      map[string]map[string]operation
	Components struct {
		Responses map[string]response
		Schemas   map[string]*huma.Schema
	}
}

type operation struct {
	OperationID string `yaml:"operationId"`
	Summary     string
	Description string
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   *huma.Schema
	}
	RequestBody *struct {
		Required bool
		Content  map[string]media
	} `yaml:"requestBody"`
	Responses map[string]response
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     map[string]media
}

type media struct{ Schema *huma.Schema }

const jsonType = "application/json"

func openAPI(t *testing.T) *document {
	t.Helper()
	var d document
	decoder := yaml.NewDecoder(bytes.NewReader(probe.OpenAPI))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return &d
}

func (d *document) registry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	for name, s := range d.Components.Schemas {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return r
}

// schemaOf is the schema of a response, by its status.
func (d *document) schemaOf(o operation, status int) *huma.Schema {
	r, ok := o.Responses[strconv.Itoa(status)]
	if !ok {
		r = o.Responses[strconv.Itoa(status/100)+"XX"]
	}
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		r = d.Components.Responses[name]
	}
	return r.Content[jsonType].Schema
}

func TestOpenAPIIsWellFormed(t *testing.T) {
	d := openAPI(t)
	if d.OpenAPI != "3.1.0" || d.Info.Title == "" || d.Info.Version == "" {
		t.Errorf("%s, %+v", d.OpenAPI, d.Info)
	}
	seen := map[string]bool{}
	for path, item := range d.Paths {
		for method, o := range item {
			if o.OperationID == "" || seen[o.OperationID] || o.Summary == "" {
				t.Errorf("%s %s: operation %q, %q", method, path, o.OperationID, o.Summary)
			}
			seen[o.OperationID] = true
			if (method == "post") != (o.RequestBody != nil) {
				t.Errorf("%s %s: request body %v", method, path, o.RequestBody)
			}
			if strings.Contains(path, "{") != (len(o.Parameters) > 0) {
				t.Errorf("%s: parameters %v", path, o.Parameters)
			}
			for _, status := range []int{200, 400, 422} {
				if d.schemaOf(o, status) == nil {
					t.Errorf("%s %s: nothing is said of %d", method, path, status)
				}
			}
		}
	}
	if len(seen) != 12 {
		t.Errorf("%d operations", len(seen))
	}
	for name, s := range d.Components.Schemas {
		d.checkSchema(t, name, s)
	}
}

// checkSchema finds keywords that there are not, references to nothing, and
// required members that nobody describes.
func (d *document) checkSchema(t *testing.T, name string, s *huma.Schema) {
	t.Helper()
	if len(s.Extensions) > 0 {
		t.Errorf("%s: %v", name, s.Extensions)
	}
	if to, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); s.Ref != "" && (!ok || d.Components.Schemas[to] == nil) {
		t.Errorf("%s: %q is not there", name, s.Ref)
	}
	for _, m := range s.Required {
		if s.Properties[m] == nil {
			t.Errorf("%s: required %q is not described", name, m)
		}
	}
	for m, property := range s.Properties {
		d.checkSchema(t, name+"."+m, property)
	}
}

// All that client and adapter say to each other is as the document has it.
func TestOpenAPIDescribesTheTraffic(t *testing.T) {
	d := openAPI(t)
	byCall := adapter.Everything("USD")
	byCall.StatementClose = probe.ClosesByCall
	authorizes := adapter.Everything("USD")
	authorizes.Authorizations = true
	no := false
	poor := probe.Capabilities{Currency: "USD", CanSetClock: true, StatementClose: probe.ClosesNot, UnlinkedRefunds: &no}
	tapped := &tap{t: t, document: d, registry: d.registry(), calls: map[string]int{}}
	for _, can := range []probe.Capabilities{least, adapter.Everything("USD"), byCall, authorizes, poor} {
		tapped.next = adapter.Handler(func() issuer.Issuer { return design.NewRecoup(program.Everyday()) }, can)
		c := through(t, tapped, quick())
		for _, s := range scenario.Catalogue() {
			if err := c.Reset(); err != nil {
				t.Fatal(err)
			}
			if _, err := scenario.Play(s, c); err != nil {
				t.Error(err)
			}
		}
		if err := c.Open("case-1-double-dip"); err != nil {
			t.Error(err)
		}
		var refused *probe.StatusError
		if err := c.Open("case-1-double-dip"); !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	}
	for path, item := range d.Paths {
		for method, o := range item {
			if tapped.calls[o.OperationID] == 0 {
				t.Errorf("%s %s was never called", method, path)
			}
		}
	}
}

// tap holds what goes by against the document.
type tap struct {
	t        *testing.T
	document *document
	registry huma.Registry
	next     http.Handler
	calls    map[string]int
}

func (p *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.HasPrefix(path, "/accounts/") {
		path = "/accounts/{account}"
	}
	o, ok := p.document.Paths[path][strings.ToLower(r.Method)]
	if !ok {
		p.t.Errorf("%s %s is not in the document", r.Method, path)
	}
	p.calls[o.OperationID]++
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	if o.RequestBody != nil {
		p.check(o.OperationID+" request", o.RequestBody.Content[jsonType].Schema, asked)
	}
	r.Body = io.NopCloser(bytes.NewReader(asked))
	recorder := httptest.NewRecorder()
	p.next.ServeHTTP(recorder, r)
	p.check(o.OperationID+" response", p.document.schemaOf(o, recorder.Code), recorder.Body.Bytes())
	w.WriteHeader(recorder.Code)
	w.Write(recorder.Body.Bytes())
}

func (p *tap) check(what string, s *huma.Schema, body []byte) {
	if s == nil {
		p.t.Errorf("%s: no schema for %s", what, body)
		return
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		p.t.Errorf("%s: %v", what, err)
	}
	var found huma.ValidateResult
	huma.Validate(p.registry, s, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, v, &found)
	for _, err := range found.Errors {
		p.t.Errorf("%s: %v: %s", what, err, body)
	}
}
