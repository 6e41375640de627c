package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/observe"
	"recoup/internal/service/preview"
	"recoup/internal/service/scope"
	"recoup/internal/service/server"
	"recoup/internal/service/sources"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/reward"
)

const (
	storyFile    = "examples.json"
	documentFile = "../../../clients/openapi.json"
)

// step is a request of the story in examples.json, with its answer.
type step struct {
	Operation string            `json:"operation"`
	As        string            `json:"as"` // whose key; "" for none
	Aside     bool              `json:"aside,omitempty"`
	Before    string            `json:"before,omitempty"` // what happens before it
	Path      map[string]string `json:"path,omitempty"`
	Query     map[string]string `json:"query,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Type      string            `json:"type,omitempty"`
	Body      json.RawMessage   `json:"body,omitempty"`
	Status    string            `json:"status"`
	// Part: the answer has what is in Answer, and more.
	Part bool `json:"part,omitempty"`
	// Varies are members that are never the same again, with what the example has for them.
	Varies map[string]string `json:"varies,omitempty"`
	Answer json.RawMessage   `json:"answer,omitempty"`
}

// principals are the ids that the examples have for those of keys.
var principals = map[string]string{"Ada": "adahq3xw7mzk", "Kim": "kimt5b2vjr6n", "core": "core8f4dyc2p", "app": "appn6sl3gx5w"}

// whole is a service with everything that a service can have.
type whole struct {
	*bureau
	receiver *httptest.Server // of notices; it refuses all of them
	keys     map[string]string
	aside    []engine.SetAside
	known    []string // texts of examples, each with what it is here
}

func openWhole(t *testing.T) *whole {
	t.Setenv("STRIPE_SECRET", stripeSecret)
	file := filepath.Join(t.TempDir(), "sources.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  - {name: stripe, kind: stripe, secret: {env: STRIPE_SECRET}, account: cardholder}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := sources.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := &whole{keys: map[string]string{"": ""}}
	w.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(w.receiver.Close)
	db := pebbletest.Open(t)
	w.bureau = openBureau(t, db, everyday, func(o *server.Options) {
		health := observe.NewHealth(nil, observe.Check{Name: "database", Run: func(context.Context) error { return nil }})
		metrics := observe.NewMetrics()
		programs := o.Programs.(*durable.Programs)
		o.Live, o.Ready, o.Metrics, o.Counter = health.Live, health.Ready, metrics.Handler(), metrics
		o.AllowPrivate = true
		o.Aside = func() []engine.SetAside { return w.aside }
		o.Preview = func(ctx context.Context, id string, draft []byte, n int) (any, bool, error) {
			return preview.Draft(ctx, durable.One(db), programs, id, draft, n, reward.At(o.Now()))
		}
		o.Sources = sources.New(sources.Options{Records: db, List: list, Now: o.Now, Apply: func(ctx context.Context, name string, events []reward.Event) ([]string, error) {
			return w.ApplyFrom(ctx, name, events)
		}})
	})
	for name, scopes := range map[string]scope.Set{"Ada": scope.Admin, "Kim": scope.Admin, "core": scope.Ingest, "app": scope.Redeem | scope.Read} {
		limits := access.Limits{}
		if name == "core" {
			limits.Programs = []string{"*"}
		}
		var id string
		id, w.keys[name] = w.key(name, scopes, limits)
		w.known = append(w.known, principals[name], id)
	}
	w.known = append(w.known, "http://RECEIVER", w.receiver.URL)
	return w
}

// happens does what a step says happens before it.
func (w *whole) happens(s *step) {
	switch s.Before {
	case "":
	case "signed":
		if s.Headers == nil {
			s.Headers = make(map[string]string)
		}
		s.Headers["Stripe-Signature"] = (&processor{service: w.service}).signed(compact(w, s.Body), stripeSecret)
	case "deliveries are given up":
		attempts := make(chan webhook.Attempt, 16)
		ctx, stop := context.WithCancel(w.Context())
		ended := make(chan struct{})
		d := webhook.NewDispatcher(w.outbox, webhook.Options{AllowPrivate: true, Schedule: []time.Duration{}, Poll: 10 * time.Millisecond, Observe: func(a webhook.Attempt) { attempts <- a }})
		go func() { d.Run(ctx); close(ended) }()
		if a := <-attempts; a.Fate != webhook.Dead {
			w.Errorf("the attempt is %+v", a)
		}
		stop()
		<-ended
	case "notices are collected":
		w.collect()
	case "an account is damaged":
		w.aside = []engine.SetAside{{Account: "acct-3", Reason: engine.Damaged, Since: w.clock.read(), Err: errors.New("account acct-3: expected a head of version 7, found 6")}}
	default:
		w.Fatalf("%s: nothing is known of %q", s.Operation, s.Before)
	}
}

// TestTheExamplesAreWhatIsAnswered plays the story to a service that has everything. Each
// answer is what the file says, and every operation of the document has an example of what
// is sent and of what comes back. RECOUP_UPDATE=1 writes the answers anew.
func TestTheExamplesAreWhatIsAnswered(t *testing.T) {
	w := openWhole(t)
	text, err := os.ReadFile(storyFile)
	if err != nil {
		t.Fatal(err)
	}
	var steps []*step
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&steps); err != nil {
		t.Fatal(err)
	}
	operations := make(map[string][2]string)
	for path, item := range w.docs.Paths {
		for method, op := range item {
			operations[op.OperationID] = [2]string{strings.ToUpper(method), path}
		}
	}
	for i, s := range steps {
		w.bureau.service = w.in(t)
		at := fmt.Sprintf("step %d, %s", i, s.Operation)
		op, is := operations[s.Operation]
		if !is {
			t.Fatalf("%s: there is no such operation", at)
		}
		w.happens(s)
		a := w.send(s, op[0], op[1])
		if strconv.Itoa(a.status) != s.Status {
			t.Fatalf("%s is answered with %d, expected %s: %s", at, a.status, s.Status, a.body)
		}
		w.learn(s, a.body)
		if s.Aside {
			continue
		}
		if os.Getenv("RECOUP_UPDATE") != "" && !s.Part {
			s.Answer = w.told(a.body)
		} else if found := w.told(a.body); !s.Part && compact(t, found) != compact(t, s.Answer) || s.Part && !contains(t, a.body, s.Answer) {
			t.Errorf("%s is answered with\n%s\nthe example is\n%s\nIf that is as it should be, RECOUP_UPDATE=1 writes it anew, and make clients the document of the clients", at, found, s.Answer)
		}
	}
	if os.Getenv("RECOUP_UPDATE") != "" {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := errors.Join(e.Encode(steps), os.WriteFile(storyFile, out.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// send makes the request of a step.
func (w *whole) send(s *step, method, path string) *answer {
	w.Helper()
	for name, value := range s.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(w.here(value)))
	}
	query := make(url.Values)
	for name, value := range s.Query {
		query.Set(name, w.here(value))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var headers []string
	for name, value := range s.Headers {
		headers = append(headers, name, w.here(value))
	}
	body := ""
	switch {
	case s.Body == nil:
	case strings.HasSuffix(s.Type, "json"):
		body = w.here(compact(w, s.Body))
	default:
		if err := json.Unmarshal(s.Body, &body); err != nil {
			w.Fatal(err)
		}
	}
	return w.call(w.keys[s.As], method, path, s.Type, body, headers...)
}

// learn remembers what the members are that vary.
func (w *whole) learn(s *step, body string) {
	w.Helper()
	for member, example := range s.Varies {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			w.Fatal(err)
		}
		for name := range strings.SplitSeq(member, ".") {
			switch of := v.(type) {
			case map[string]any:
				v = of[name]
			case []any:
				if n, err := strconv.Atoi(name); err == nil && n < len(of) {
					v = of[n]
				}
			}
		}
		if text, is := v.(string); !is || text == "" {
			w.Fatalf("%s: %s is %v in %s", s.Operation, member, v, body)
		} else if !slices.Contains(w.known, text) {
			w.known = append(w.known, example, text)
		}
	}
}

// here is a text of the examples as it is in this service, and told the other way round.
func (w *whole) here(text string) string { return strings.NewReplacer(w.known...).Replace(text) }

func (w *whole) told(body string) json.RawMessage {
	turned := slices.Clone(w.known)
	slices.Reverse(turned)
	body = strings.NewReplacer(turned...).Replace(body)
	if body == "" {
		return nil
	}
	return json.RawMessage(body)
}

func compact(t testing.TB, text json.RawMessage) string {
	t.Helper()
	var out bytes.Buffer
	if len(text) > 0 {
		if err := json.Compact(&out, text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return out.String()
}

// contains reports whether an answer has a text, or the members of an object.
func contains(t testing.TB, body string, part json.RawMessage) bool {
	t.Helper()
	var text string
	if json.Unmarshal(part, &text) == nil {
		return strings.Contains(body, text)
	}
	var want, got map[string]json.RawMessage
	if err := cmp.Or(json.Unmarshal(part, &want), json.Unmarshal([]byte(body), &got)); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if string(got[name]) != string(value) {
			return false
		}
	}
	return true
}

// Every operation has an example of each parameter of its path, of what is sent, and of
// what comes back if it succeeds.
func TestEveryOperationHasExamples(t *testing.T) {
	w := openWhole(t)
	type media map[string]struct{ Example any }
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Required bool
				Example  any
			}
			RequestBody struct{ Content media }
			Responses   map[string]struct{ Content media }
		}
	}
	if err := json.Unmarshal(w.docs.raw, &doc); err != nil {
		t.Fatal(err)
	}
	some := func(list media) bool {
		for _, m := range list {
			if m.Example != nil {
				return true
			}
		}
		return false
	}
	for _, item := range doc.Paths {
		for _, op := range item {
			for _, p := range op.Parameters {
				if p.Required && p.Example == nil {
					t.Errorf("%s has no example of the parameter %s", op.OperationID, p.Name)
				}
			}
			if len(op.RequestBody.Content) > 0 && !some(op.RequestBody.Content) {
				t.Errorf("%s has no example of what is sent", op.OperationID)
			}
			answered := false
			for status, r := range op.Responses {
				answered = answered || status[0] == '2' && (some(r.Content) || len(r.Content) == 0)
			}
			if !answered {
				t.Errorf("%s has no example of an answer", op.OperationID)
			}
		}
	}
}

// TestTheDocumentOfTheClientsIsServed: generated clients are made of the document that a
// service has that has everything. RECOUP_UPDATE=1 writes it anew.
func TestTheDocumentOfTheClientsIsServed(t *testing.T) {
	w := openWhole(t)
	var served bytes.Buffer
	if err := json.Indent(&served, bytes.Replace(w.docs.raw, []byte(`"version":"test"`), []byte(`"version":"1"`), 1), "", " "); err != nil {
		t.Fatal(err)
	}
	served.WriteByte('\n')
	if os.Getenv("RECOUP_UPDATE") != "" {
		if err := os.WriteFile(documentFile, served.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(documentFile)
	if err != nil || !bytes.Equal(kept, served.Bytes()) {
		t.Errorf("clients/openapi.json is not what is served (%v): make clients writes it, and what is made of it", err)
	}
}
