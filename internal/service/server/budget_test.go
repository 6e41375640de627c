package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/service/budget"
	"recoup/internal/service/server"
)

// limited is a service with limits of its own, and its budgets.
func limited(l budget.Limits) (*budget.Budgets, func(*server.Options)) {
	b := budget.New(l)
	return b, func(o *server.Options) { o.Budgets = b }
}

// inUse returns how much of a budget is in use.
func inUse(b *budget.Budgets, class budget.Class, what string) int64 {
	for _, u := range b.Usage() {
		if u.Class == class && u.What == what {
			return u.Used
		}
	}
	return -1
}

// until waits for something to come true.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// begin sends the beginning of a request on a connection of its own.
func (s *listening) begin(key, method, target, contentType, rest string) (net.Conn, *bufio.Reader) {
	s.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: recoup.test\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s", method, target, key, contentType, rest)
	if err != nil {
		s.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// answered reads an answer and expects a problem of a code.
func (s *listening) answered(in *bufio.Reader, status int, code string) {
	s.Helper()
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		s.Error(err)
		return
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); r.StatusCode != status || !strings.Contains(string(text), `"`+code+`"`) {
		s.Errorf("answered %d %s, want %d %s", r.StatusCode, text, status, code)
	}
}

func TestABodyThatIsTooSlowIsEnded(t *testing.T) {
	b, slow := limited(budget.Limits{Patience: 50 * time.Millisecond, Rate: 1 << 30})
	s := listen(t, newService(t, slow, previews), nil, time.Second)
	for _, e := range []struct{ key, method, target, contentType string }{
		{"ingest", "POST", "/v1/events", one},
		{"ingest", "POST", "/v1/events", batch},
		{"ingest", "POST", "/v1/events", lines},
		{"redeem", "POST", "/v1/accounts/acct/redemptions", "application/json"},
		{"admin", "PUT", "/v1/programs/everyday", "application/yaml"},
		{"read", "POST", "/v1/programs/everyday/preview", "application/yaml"},
	} {
		_, in := s.begin(e.key, e.method, e.target, e.contentType, "Content-Length: 100\r\n\r\n ")
		s.answered(in, 408, "body_timeout")
	}
	if n := b.TooSlow(); n != 6 {
		t.Errorf("%d bodies were counted as too slow, want 6", n)
	}
}

// A body that keeps to the rate may take as long as that takes.
func TestASlowBodyThatKeepsToTheRateIsRead(t *testing.T) {
	_, slow := limited(budget.Limits{Patience: 10 * time.Second, Rate: 1})
	s := listen(t, newService(t, slow), nil, time.Second)
	event := purchase(1, "acct", 100)
	c, in := s.begin("ingest", "POST", "/v1/events", one, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(event), event[:100]))
	if _, err := io.WriteString(c, event[100:]); err != nil {
		t.Fatal(err)
	}
	s.answered(in, 200, "applied")
}

// What counts is what has come, not what was promised.
func TestBodiesAreChargedAsTheyArrive(t *testing.T) {
	b, limits := limited(budget.Limits{})
	s := listen(t, newService(t, limits), nil, time.Second)
	for range 50 {
		s.begin("ingest", "POST", "/v1/events", batch, "Content-Length: 16000000\r\n\r\n[          ")
	}
	until(t, "all have come", func() bool {
		return inUse(b, budget.Ingestion, "requests") == 50 && inUse(b, budget.Ingestion, "bytes") == 50*11
	})
	s.deliver(purchase(1, "acct", 100), "applied")
}

// A stream goes on for as long as it likes, but each line must come at the rate.
func TestALineThatDoesNotComeToItsEnd(t *testing.T) {
	_, slow := limited(budget.Limits{Patience: 50 * time.Millisecond, Rate: 1 << 30})
	s := listen(t, newService(t, slow), nil, time.Minute)
	c := s.converse(purchase(0, "acct", 100) + "\n")
	c.hear(`"id":"e0"`)
	c.say(purchase(1, "acct", 100)[:50])
	c.hear(`{"index":1,"outcome":"failed","code":"body_timeout"`)
	c.over()
}

// Streams that there is no room for wait until others have been worked off.
func TestStreamsWaitForRoom(t *testing.T) {
	gate := &gated{reached: make(chan struct{}), open: make(chan struct{})}
	gate.closed.Store(true)
	b, limits := limited(budget.Limits{Processors: 1, Memory: 1}) // 64 MiB of events, half for a key
	s := listen(t, newService(t, limits, func(o *server.Options) { gate.Applier = o.Applier; o.Applier = gate }), nil, time.Minute)
	const streams, events = 40, 20
	begun, answers := make(chan struct{}), make(chan string, streams)
	for i := range streams {
		var all strings.Builder
		for n := range events {
			all.WriteString(purchase(i*events+n, fmt.Sprint("acct", i), 100) + strings.Repeat(" ", 60<<10) + "\n")
		}
		go func() {
			in, out := io.Pipe()
			go func() {
				io.WriteString(out, "\n")
				<-begun
				io.WriteString(out, all.String())
				out.Close()
			}()
			r, err := s.post(lines, in)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer r.Body.Close()
			text, _ := io.ReadAll(r.Body)
			answers <- string(text)
		}()
	}
	until(t, "all have begun", func() bool { return inUse(b, budget.Ingestion, "bytes") == streams*32<<10 })
	close(begun)
	until(t, "half of the room is in use", func() bool { return inUse(b, budget.Ingestion, "bytes") > 31<<20 })
	close(gate.open)
	for range streams {
		if text := <-answers; strings.Count(text, `"applied"`) != events {
			t.Errorf("a stream is answered %.300s", text)
		}
	}
	until(t, "all is given back", func() bool { return inUse(b, budget.Ingestion, "bytes") == 0 })
}

// Who has no key is told so, without waiting for a body that never comes.
func TestARefusalDoesNotWaitForItsBody(t *testing.T) {
	s := listen(t, newService(t, previews), nil, time.Second)
	begun := time.Now()
	var all sync.WaitGroup
	for _, e := range []struct {
		key, target, contentType string
		status                   int
		code                     string
	}{
		{"nobody", "/v1/events", one, 401, "unauthenticated"},
		{"read", "/v1/events", one, 403, "scope_missing"},
		{"ingest", "/v1/events", "text/plain", 415, "unsupported_type"},
		{"redeem", "/v1/accounts/acct/redemptions", "text/plain", 415, "unsupported_type"},
		{"redeem", "/v1/nowhere", "text/plain", 404, "not_found"},
	} {
		_, in := s.begin(e.key, "POST", e.target, e.contentType, "Content-Length: 100\r\n\r\n ")
		all.Go(func() { s.answered(in, e.status, e.code) })
	}
	all.Wait()
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("answered after %v", took)
	}
}

// endless is an answer without an end, and tells when somebody has stopped it.
func endless(stopped chan<- error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		var err error
		for piece := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(piece)
		}
		stopped <- err
	})
}

func TestWhoDoesNotReadTheAnswerIsCutOff(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	issue(t, 1, cert, key)
	certificate, err := server.LoadCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]*tls.Config{"HTTP/1.1": nil, "HTTP/2.0": certificate.Config()} {
		t.Run(name, func(t *testing.T) {
			b, slow := limited(budget.Limits{Patience: 100 * time.Millisecond, Rate: 1 << 40})
			stopped := make(chan error, 1)
			s := listen(t, newService(t, slow, func(o *server.Options) { o.Metrics = endless(stopped) }), config, time.Second)
			url := s.url
			if config != nil {
				url = strings.Replace(s.url, "http:", "https:", 1)
			}
			transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
			defer transport.CloseIdleConnections()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, "GET", url+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer read")
			answer, err := transport.RoundTrip(r) // nobody reads its body
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.Proto != name {
				t.Errorf("answered by %s", answer.Proto)
			}
			if err := <-stopped; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the answer was stopped by %v", err)
			}
			until(t, "nothing is held", func() bool { return inUse(b, budget.Reading, "requests") == 0 })
			if b.TooSlow() == 0 {
				t.Error("nobody was counted as too slow")
			}
		})
	}
}

// Connections are bounded for each address, with a request or without, and others
// still get in.
func TestAnAddressHasSoManyConnections(t *testing.T) {
	b, limits := limited(budget.Limits{Processors: 1, Memory: 1})
	s := listen(t, newService(t, limits), nil, time.Second)
	dial := func(from string) net.Conn {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c, err := d.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Skipf("connections from %s cannot be made here: %v", from, err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	size := int64(0)
	for _, u := range b.Usage() {
		if u.Class == budget.Connections {
			size = u.Size
		}
	}
	for range size/2 + 10 {
		dial("127.0.0.2")
	}
	until(t, "the address has half of all", func() bool { return inUse(b, budget.Connections, "requests") == size/2 })
	if _, err := dial("127.0.0.2").Read(make([]byte, 1)); err == nil {
		t.Error("one more connection of the address was taken")
	}
	if status, text, _ := s.ask("", "GET", "/healthz", "", ""); status != 200 { // from 127.0.0.1
		t.Errorf("another address: %d %s", status, text)
	}
}

// Where everybody is let in, the address stands for the key.
func TestAnAddressStandsForAKey(t *testing.T) {
	b, limits := limited(budget.Limits{Processors: 4})
	gate := &gated{reached: make(chan struct{}), open: make(chan struct{})}
	f := newServiceAt(t, "localhost", limits, func(o *server.Options) {
		o.Authenticator, o.Open = nil, true
		o.Preview = func(ctx context.Context, _ string, _ []byte, _ int) (any, bool, error) {
			gate.reached <- struct{}{}
			<-gate.open
			return map[string]int{}, true, nil
		}
	})
	ask := func(remote string) int {
		r := httptest.NewRequest("POST", "/v1/programs/everyday/preview", strings.NewReader(everyday))
		r.Host, r.RemoteAddr = "localhost", remote
		r.Header.Set("Content-Type", "application/yaml")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		return w.Code
	}
	var both sync.WaitGroup
	both.Go(func() {
		if status := ask("127.0.0.1:1000"); status != 200 {
			t.Errorf("the first preview: %d", status)
		}
	})
	<-gate.reached
	if status := ask("127.0.0.1:2000"); status != 429 {
		t.Errorf("another of the same address: %d, want 429", status)
	}
	both.Go(func() {
		if status := ask("[::1]:1000"); status != 200 {
			t.Errorf("one of another address: %d", status)
		}
	})
	<-gate.reached
	if n := inUse(b, budget.Previews, "requests"); n != 2 {
		t.Errorf("%d previews are at work, want one of each address", n)
	}
	close(gate.open)
	both.Wait()
}

func TestAPreviewMayTakeSoLong(t *testing.T) {
	_, limits := limited(budget.Limits{Preview: 20 * time.Millisecond, Processors: 1})
	f := newService(t, limits, func(o *server.Options) {
		o.Preview = func(ctx context.Context, _ string, _ []byte, _ int) (any, bool, error) {
			<-ctx.Done()
			return nil, true, ctx.Err()
		}
	})
	f.call("read", "POST", "/v1/programs/everyday/preview", "application/yaml", everyday).fails(503, "preview_timeout")
}
