package bench_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// shop is a service as far as a load needs one, over accounts in memory.
type shop struct {
	group *engine.Group
	// change may change what is answered; nil changes nothing.
	change func(http.ResponseWriter, *http.Request, []byte)
	// serve may serve a request instead; nil serves none.
	serve func(http.ResponseWriter, *http.Request) bool

	mu     sync.Mutex
	events []reward.Event // as they came
}

func newShop() *shop {
	return &shop{group: engine.NewGroup(engine.New(memory.New(program.Everyday())), engine.GroupOptions{})}
}

// open opens the shop for a test and returns its address.
func (s *shop) open(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		if err := s.group.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.serve != nil && s.serve(w, r) {
		return
	}
	if r.URL.Path == "/readyz" {
		return
	}
	answer, err := s.answer(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.change != nil {
		s.change(w, r, answer)
		return
	}
	_, _ = w.Write(answer)
}

type outcome struct {
	ID      string  `json:"id"`
	Source  string  `json:"source"`
	Account string  `json:"account"`
	Outcome string  `json:"outcome"`
	Code    *string `json:"code"`
}

func (s *shop) answer(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/events" {
		return nil, fmt.Errorf("%s %s: expected POST /v1/events", r.Method, r.URL.Path)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	lines := []jsontext.Value{body}
	batch := r.Header.Get("Content-Type") == "application/cloudevents-batch+json"
	if batch {
		if err := json.Unmarshal(body, &lines); err != nil {
			return nil, err
		}
	} else if r.Header.Get("Content-Type") != "application/cloudevents+json" {
		return nil, fmt.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	d := event.NewDecoder()
	events := make([]reward.Event, len(lines))
	for i, line := range lines {
		if err := d.Decode(line, &events[i]); err != nil {
			return nil, err
		}
	}
	results, err := s.group.Apply(r.Context(), events, nil)
	if err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(events))
	for i, e := range events {
		outcomes[i] = outcome{e.ID, e.Source, e.Account, results[i].Outcome.String(), nil}
		if code := results[i].Code.String(); code != "" {
			outcomes[i].Code = &code
		}
	}
	s.mu.Lock()
	s.events = append(s.events, events...)
	s.mu.Unlock()
	if batch {
		return json.Marshal(outcomes)
	}
	return json.Marshal(outcomes[0])
}

// asService is the variable of the environment that turns the test binary into a
// service that listens on its value.
const asService = "BENCH_TEST_LISTEN"

func TestMain(m *testing.M) {
	if address := os.Getenv(asService); address != "" {
		if err := serveUntilTerminated(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serveUntilTerminated(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := http.Server{Handler: newShop()}
	go server.Serve(l)
	<-ctx.Done()
	return server.Shutdown(context.Background())
}

// seen returns the ids of the events that came, in order.
func (s *shop) seen() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.events {
		ids = append(ids, s.events[i].ID)
	}
	slices.Sort(ids)
	return ids
}

// replaced answers with one piece of text replaced, wherever it is.
func replaced(old, replacement string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, answer []byte) {
		_, _ = io.WriteString(w, strings.ReplaceAll(string(answer), old, replacement))
	}
}
