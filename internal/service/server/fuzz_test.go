package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// taking is an applier that takes everything that is fit to be taken.
type taking struct{}

// keeping keeps apart whatever it is given.
type keeping struct{ *durable.Store }

func (keeping) KeepApart(context.Context, []durable.Suspect) error { return nil }

func (taking) Apply(_ context.Context, events []reward.Event, results []reward.Result) ([]reward.Result, error) {
	for i := range events {
		if e := &events[i]; e.ID == "" || e.Source == "" || e.Source == "api" || e.Account == "" || e.Type == 0 {
			panic(fmt.Sprintf("applied %+v", *e)) // which is answered with 500
		}
		results = append(results, reward.Result{Outcome: reward.Applied})
	}
	return results, nil
}

func (t taking) Decide(ctx context.Context, e reward.Event) (reward.Result, []reward.Posting, error) {
	results, err := t.Apply(ctx, []reward.Event{e}, nil)
	return results[0], nil, err
}

// FuzzEvents sends anything to /v1/events: there is always one answer for each
// event or line, in JSON, or one problem; and a batch is answered as its elements
// are one by one.
func FuzzEvents(f *testing.F) {
	for _, body := range []string{
		purchase(1, "acct", 100), "[" + purchase(1, "a", 1) + "," + purchase(2, "b", 1) + ",{},1]", purchase(1, "a", 1) + "\n{}\n\n" + purchase(2, "a", 1),
		"", "\n", "[]", "[", `{"specversion":"1.0"`, "[\"\xff\"]", `[{"a":1,"a":2}]`, strings.Repeat("[", 20000), "\xef\xbb\xbf{}",
	} {
		for kind := range byte(3) {
			f.Add(kind, []byte(body))
		}
	}
	s := newTaker(f)
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		contentType := []string{one, batch, lines}[kind%3]
		status, text := post(s, contentType, body)
		if status >= 500 {
			t.Fatalf("%d %s", status, text)
		}
		if status != http.StatusOK {
			var p server.Problem
			if err := json.Unmarshal(text, &p); err != nil || p.Status != status || p.Code == "" || p.Detail == "" {
				t.Fatalf("%d %s: %v", status, text, err)
			}
			return
		}
		switch contentType {
		case one:
			check(t, text)
		case batch:
			var answers, elements []json.RawMessage
			if err := json.Unmarshal(text, &answers); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if json.Unmarshal(body, &elements) == nil && len(elements) != len(answers) {
				t.Fatalf("%d answers to %d events", len(answers), len(elements))
			}
			for i, a := range answers {
				o := check(t, a)
				if status, alone := post(s, one, elements[i]); o.Code == "malformed" != (status == http.StatusBadRequest) || status == http.StatusOK && check(t, alone) != o {
					t.Fatalf("in a batch %s, alone %d %s", a, status, alone)
				}
			}
		case lines:
			n := bytes.Count(body, []byte("\n"))
			if len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")) {
				n++
			}
			answers := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
			if len(text) == 0 {
				answers = nil
			}
			if len(answers) != n {
				t.Fatalf("%d answers to %d lines", len(answers), n)
			}
			for _, a := range answers {
				check(t, a)
			}
		}
	})
}

type outcome struct{ Outcome, Code string }

func check(t *testing.T, text []byte) (o outcome) {
	t.Helper()
	if err := json.Unmarshal(text, &o); err != nil || o.Outcome != "applied" && (o.Outcome != "quarantined" || o.Code != "card_number") && (o.Outcome != "rejected" || o.Code == "") {
		t.Fatalf("answered %s: %v", text, err)
	}
	return o
}

func post(s *server.Server, contentType string, body []byte) (int, []byte) {
	r := httptest.NewRequest("POST", "/v1/events", bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer admin")
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}

// newTaker is a server without an engine or a database.
func newTaker(t testing.TB) *server.Server {
	s, err := server.New(server.Options{
		Applier: taking{}, Ledger: keeping{&durable.Store{}}, Programs: &durable.Programs{}, Authenticator: keys{},
		Now: func() time.Time { return time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// BenchmarkOneEvent is what a request costs besides the connection and the commit.
func BenchmarkOneEvent(b *testing.B) {
	s := newTaker(b)
	body := []byte(purchase(1, "acct", 100))
	in := bytes.NewReader(body)
	r := httptest.NewRequest("POST", "/v1/events", in)
	r.Header.Set("Authorization", "Bearer ingest")
	r.Header.Set("Content-Type", one)
	w := &discarding{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		in.Reset(body)
		clear(w.header)
		s.ServeHTTP(w, r)
	}
}

type discarding struct{ header http.Header }

func (d *discarding) Header() http.Header         { return d.header }
func (d *discarding) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarding) WriteHeader(int)             {}
