package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recoup/internal/engine"
	"recoup/internal/kit/inmemory"
	"recoup/internal/service/scope"
	"recoup/internal/service/server"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
	"recoup/program"
	"recoup/reward"
)

func TestMain(m *testing.M) {
	inmemory.Files()
	goleak.VerifyTestMain(m,
		// The private PostgreSQL of the tests, which ends with the process.
		goleak.IgnoreAnyFunction("recoup/internal/kit/pgcluster.(*Cluster).start.func1"),
		goleak.IgnoreAnyFunction("recoup/internal/kit/pgcluster.(*Cluster).keepWatch.func1"))
}

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// keys are the API keys of the tests: the name of a scope is its key.
type keys struct{}

var scopes = map[string]scope.Set{
	"ingest": scope.Ingest, "redeem": scope.Redeem, "feed": scope.Feed, "read": scope.Read, "notices": scope.Notices, "admin": scope.Admin, "second": scope.Admin, "sender": scope.Ingest | scope.Redeem, "op": scope.Admin,
	"operate": scope.Operate, "approve": scope.Approve, "desk": scope.Ingest | scope.Operate,
}

func (keys) Authenticate(_ context.Context, header string) (server.Principal, error) {
	name, _ := strings.CutPrefix(header, "Bearer ")
	if name == "broken" {
		return server.Principal{}, errors.New("the table of keys is gone")
	}
	scope, ok := scopes[name]
	if !ok {
		return server.Principal{}, server.ErrUnauthenticated
	}
	return server.Principal{ID: "key-" + name, Name: name, Scopes: scope}, nil
}

// service is a server over an engine over a real database.
type service struct {
	testing.TB
	*server.Server
	clock  *clock
	group  *engine.Group
	ledger *durable.Store
	db     *watched
	docs   *document
	feed   *webhook.Feed
	outbox *webhook.Outbox
}

// everyday is 5 % on groceries up to $50 a month, 1 % on everything else.
const everyday = "id: everyday\ncurrency: USD\nrules:\n  - {id: grocery, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 5000, per: cycle}}\n  - {id: base, rate: 1%}\n"

func newService(t testing.TB, change ...func(*server.Options)) *service {
	return newServiceOf(t, everyday, change...)
}

// newServiceAt is a service that is asked under another host.
func newServiceAt(t testing.TB, host string, change ...func(*server.Options)) *service {
	return start(t, host, everyday, change)
}

func newServiceOf(t testing.TB, terms string, change ...func(*server.Options)) *service {
	return start(t, "recoup.test", terms, change)
}

func start(t testing.TB, host, terms string, change []func(*server.Options)) *service {
	t.Helper()
	return startOn(t, pebbletest.Open(t), host, terms, change)
}

// startOn is a service on a database.
func startOn(t testing.TB, driver durable.Driver, host, terms string, change []func(*server.Options)) *service {
	t.Helper()
	ctx := context.Background()
	c := &clock{now: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)}
	db := &watched{Driver: driver}
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("program.yaml", document) }
	programs, err := durable.OpenPrograms(ctx, db, parse, c.read)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(ctx, "everyday", []byte(terms), 0, "test"); err != nil {
		t.Fatal(err)
	}
	secrets, err := seal.Parse(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	exemptions, err := exempt.Open(ctx, db, c.read)
	if err != nil {
		t.Fatal(err)
	}
	ledger := durable.New(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(c.read()) }, Fresh: -1, Secrets: secrets})
	group := engine.NewGroup(engine.New(ledger), engine.GroupOptions{})
	f := &service{TB: t, clock: c, group: group, ledger: ledger, db: db}
	f.feed = webhook.NewFeed(db, func() []webhook.Lane { return []webhook.Lane{{Name: "0", Store: db}} }, c.read)
	f.outbox = webhook.New(db, func() []record.Store { return []record.Store{db} }, c.read)
	o := server.Options{
		Webhooks: f.outbox, Feed: f.feed,
		Applier: group, Ledger: ledger, Programs: programs, Authenticator: keys{}, Exemptions: exemptions, Now: c.read, Version: "test",
	}
	for _, do := range change {
		do(&o)
	}
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := group.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f.Server = s
	if o.Approvals == nil { // or keys are others
		f.docs = readDocument(t, host, s, "read")
	}
	return f
}

// in is the service for a subtest.
func (f *service) in(t testing.TB) *service {
	sub := *f
	sub.TB = t
	return &sub
}

// answer is what a request was answered with.
type answer struct {
	testing.TB
	status int
	header http.Header
	body   string
}

// call makes a request with the key of a scope, and holds the answer against the
// OpenAPI document: status and content type must be in it.
func (f *service) call(key, method, path, contentType, body string, headers ...string) *answer {
	f.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	a := &answer{f.TB, w.Code, w.Result().Header, w.Body.String()}
	f.docs.check(f.TB, method, path, a)
	return a
}

func (f *service) get(path string, headers ...string) *answer {
	f.Helper()
	return f.call("read", "GET", path, "", "", headers...)
}

// command posts a JSON body as admin under an idempotency key, "" for none.
func (f *service) command(path, key, body string) *answer {
	f.Helper()
	var headers []string
	if key != "" {
		headers = []string{"Idempotency-Key", key}
	}
	return f.call("admin", "POST", path, "application/json", body, headers...)
}

const (
	one   = "application/cloudevents+json"
	batch = "application/cloudevents-batch+json"
	lines = "application/x-ndjson"
)

// deliver posts one event and expects an outcome such as "applied" or
// "rejected invalid_time".
func (f *service) deliver(line, want string) {
	f.Helper()
	a := f.call("admin", "POST", "/v1/events", one, line)
	if strings.HasPrefix(want, "quarantined") {
		a.is(202)
	} else {
		a.status200()
	}
	if got := a.outcome(a.body); got != want {
		f.Errorf("%s: %s, want %s", line, a.body, want)
	}
}

// cloudEvent is a line of an event of 10 January 2026, n seconds into its day.
func cloudEvent(n int, kind, account, data string) string {
	at := time.Date(2026, 1, 10, 0, 0, n, 0, time.UTC).Format(time.RFC3339)
	return fmt.Sprintf(`{"specversion":"1.0","id":"e%d","source":"core","type":%q,"time":%q,"subject":%q,"data":{%s}}`, n, kind, at, account, data)
}

// purchase is a settlement of so many cents of groceries.
func purchase(n int, account string, amount int64) string {
	return cloudEvent(n, "transaction.settled", account, fmt.Sprintf(`"transaction":"t%d","amount":%d,"currency":"USD","merchant":"m1","category":"GROCERY"`, n, amount))
}

// status expects a status.
func (a *answer) is(status int) *answer {
	a.Helper()
	if a.status != status {
		a.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

func (a *answer) status200() *answer { a.Helper(); return a.is(http.StatusOK) }

// fails expects a problem of a code with a status.
func (a *answer) fails(status int, code string) *answer {
	a.Helper()
	a.is(status)
	var p server.Problem
	a.read(&p)
	if p.Code != code || p.Status != status || p.Title == "" || p.Detail == "" || p.Type != "urn:recoup:problem:"+code {
		a.Fatalf("problem %s, want code %s", a.body, code)
	}
	return a
}

// read decodes the body.
func (a *answer) read(into any) {
	a.Helper()
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		a.Fatalf("%v: %s", err, a.body)
	}
}

// has expects members of a JSON object at the top of the body, given as name and
// value as JSON.
func (a *answer) has(members ...string) *answer {
	a.Helper()
	var object map[string]json.RawMessage
	a.read(&object)
	for i := 0; i < len(members); i += 2 {
		if got := string(object[members[i]]); got != members[i+1] {
			a.Errorf("%s is %s, want %s in %s", members[i], got, members[i+1], a.body)
		}
	}
	return a
}

// outcome is an outcome and its code as words.
func (a *answer) outcome(object string) string {
	a.Helper()
	var o struct{ Outcome, Code string }
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		a.Fatalf("%v: %s", err, object)
	}
	return strings.TrimSpace(o.Outcome + " " + o.Code)
}

// document is the OpenAPI document, as far as tests read it.
type document struct {
	raw   []byte
	Paths map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Responses   map[string]struct {
			Content map[string]struct{ Schema map[string]any }
		}
	}
	Components struct{ Schemas map[string]map[string]any }
}

func readDocument(t testing.TB, host string, s *server.Server, key string) *document {
	t.Helper()
	r := httptest.NewRequest("GET", "http://"+host+"/openapi.json", nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	d := &document{raw: bytes.Clone(w.Body.Bytes())}
	if err := json.Unmarshal(d.raw, d); err != nil || w.Code != http.StatusOK {
		t.Fatalf("the OpenAPI document: status %d, %v", w.Code, err)
	}
	return d
}

// check reports an answer that is not as it is documented. Of paths that are
// nowhere there is nothing to say.
func (d *document) check(t testing.TB, method, target string, a *answer) {
	t.Helper()
	path, _, _ := strings.Cut(target, "?")
	template, ok := d.template(path)
	op, there := d.Paths[template][strings.ToLower(method)]
	if !ok || !there {
		if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed && a.status != http.StatusForbidden {
			t.Errorf("%s %s is not documented and answers %d", method, target, a.status)
		}
		return
	}
	response, ok := op.Responses[fmt.Sprint(a.status)]
	if !ok {
		t.Errorf("%s %s answers %d, which is not documented: %s", method, target, a.status, a.body)
		return
	}
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	content, ok := response.Content[media]
	switch {
	case !ok && a.body != "":
		t.Errorf("%s %s answers %d with %q, which is not documented", method, target, a.status, media)
	case media == lines:
		for line := range strings.Lines(a.body) {
			d.conforms(t, method+" "+target, line, content.Schema)
		}
	case a.body != "" && strings.HasSuffix(media, "json"):
		d.conforms(t, method+" "+target, a.body, content.Schema)
	}
}

// conforms reports a body that is not of its schema.
func (d *document) conforms(t testing.TB, request, body string, schema map[string]any) {
	t.Helper()
	var v any
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(&v)
	if err == nil {
		err = d.validate(v, schema, "")
	}
	if err != nil {
		t.Errorf("%s answers what is not documented, %v: %s", request, err, body)
	}
}

// validate checks as much of JSON Schema as the document uses.
func (d *document) validate(v any, schema map[string]any, at string) error {
	if ref, is := schema["$ref"].(string); is {
		return d.validate(v, d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")], at)
	}
	if list, is := schema["oneOf"].([]any); is {
		fits := 0
		for _, one := range list {
			if d.validate(v, one.(map[string]any), at) == nil {
				fits++
			}
		}
		if fits != 1 {
			return fmt.Errorf("%s fits %d of %d schemas", at, fits, len(list))
		}
		return nil
	}
	if types := schema["type"]; types != nil && !strings.Contains(fmt.Sprint(" ", types, " "), typeOf(v)) {
		return fmt.Errorf("%s is of type %s, not %v", at, typeOf(v), types)
	}
	if enum, is := schema["enum"].([]any); is && v != nil && !slices.Contains(enum, v) {
		return fmt.Errorf("%s is %v, not one of %v", at, v, enum)
	}
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, e := range v {
			if err := d.validate(e, items, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, there := v[name.(string)]; !there {
				return fmt.Errorf("%s.%v is missing", at, name)
			}
		}
		for name, member := range v {
			property, known := properties[name].(map[string]any)
			if !known && properties != nil {
				return fmt.Errorf("%s.%s is not documented", at, name)
			}
			if err := d.validate(member, property, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeOf is the JSON type of a value.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	}
	return "unknown"
}

// template returns the documented path that a path is of: of several the one with the
// fewest parameters, as the mux has it.
func (d *document) template(path string) (found string, ok bool) {
	parts := strings.Split(path, "/")
search:
	for template := range d.Paths {
		names := strings.Split(template, "/")
		if len(names) != len(parts) {
			continue
		}
		for i := range names {
			if names[i] != parts[i] && (!strings.HasPrefix(names[i], "{") || parts[i] == "") {
				continue search
			}
		}
		if !ok || strings.Count(template, "{") < strings.Count(found, "{") {
			found, ok = template, true
		}
	}
	return found, ok
}

// readAll reads a body to its end.
func readAll(t testing.TB, in io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
