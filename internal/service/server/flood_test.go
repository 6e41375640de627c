package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/service/server"
)

// flood has n connections begin a request with a key and send the rest of it byte by
// byte, again and again until the test ends. It returns once each has begun.
func (s *listening) flood(n int, key, target, contentType, begin string) {
	s.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var begun, ended sync.WaitGroup
	begun.Add(n)
	for i := range n {
		ended.Go(func() {
			first := sync.OnceFunc(begun.Done)
			defer first()
			for ctx.Err() == nil {
				s.trickle(ctx, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n%s",
					target, strings.TrimPrefix(s.url, "http://"), key, contentType, strings.ReplaceAll(begin, "N", fmt.Sprint(i))), first)
			}
		})
	}
	begun.Wait()
	s.Cleanup(func() { stop(); ended.Wait() })
}

// trickle sends the beginning of a request, and then byte after byte, until it is
// answered or cut off.
func (s *listening) trickle(ctx context.Context, begin string, begun func()) {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if _, err := io.WriteString(c, begin); err != nil {
		return
	}
	begun()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		io.Copy(io.Discard, c)
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if _, err := c.Write([]byte(" ")); err != nil {
				c.Close()
			}
		case <-answered:
			return
		}
	}
}

// ask makes a request over the network and returns the status and how long it took.
func (s *listening) ask(key, method, target, contentType, body string, headers ...string) (int, string, time.Duration) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+target, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	begun := time.Now()
	answer, err := s.client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text := readAll(s, answer.Body)
	return answer.StatusCode, text, time.Since(begun)
}

// late is what no answer may take while somebody else floods the service: a second, and
// more on machines that are busy with other tests.
const late = 5 * time.Second

// goesOn reports requests that are refused or late: events one by one and in batches,
// redemptions, and what is read.
func (s *listening) goesOn(rounds int) {
	s.Helper()
	var worst time.Duration
	check := func(what string, status, want int, text string, took time.Duration) {
		worst = max(worst, took)
		if status != want || took > late {
			s.Fatalf("%s: %d after %v: %s", what, status, took, text)
		}
	}
	for i := range rounds {
		status, text, took := s.ask("sender", "POST", "/v1/events", one, purchase(10_000+i, "acct", 100))
		check("an event", status, 200, text, took)
		status, text, took = s.ask("sender", "POST", "/v1/events", batch, "["+purchase(20_000+i, "acct", 100)+"]")
		check("a batch", status, 200, text, took)
		status, text, took = s.ask("sender", "POST", "/v1/events", lines, purchase(30_000+i, "acct", 100))
		check("a stream", status, 200, text, took)
		status, text, took = s.ask("redeem", "POST", "/v1/accounts/acct/redemptions", "application/json", `{"amount":1,"currency":"USD"}`, "Idempotency-Key", fmt.Sprint("key-", 1000+i))
		check("a redemption", status, 201, text, took)
		status, text, took = s.ask("admin", "GET", "/v1/accounts/acct", "", "")
		check("an account", status, 200, text, took)
	}
	s.Logf("%d requests of others: the slowest took %v", 5*rounds, worst)
}

// TestAKeyThatMayOnlyReadStopsNobody has 256 connections post a preview byte by byte.
func TestAKeyThatMayOnlyReadStopsNobody(t *testing.T) {
	s := listen(t, newService(t, previews), nil, time.Second)
	s.flood(256, "read", "/v1/programs/everyday/preview", "application/yaml", "Content-Length: 1048576\r\n\r\n#")
	s.goesOn(25)
}

// TestStreamsThatTrickleStopNobody has 80 streams send one line, and of the next byte
// after byte.
func TestStreamsThatTrickleStopNobody(t *testing.T) {
	s := listen(t, newService(t), nil, time.Second)
	line := purchase(1, "acctN", 100) + "\n "
	s.flood(90, "ingest", "/v1/events", lines, fmt.Sprintf("Content-Length: 10000000\r\n\r\n%s", line))
	s.goesOn(25)
}

// TestPreviewsTakeTurns has many ask for a preview at the same time: each has one at a
// time, and a few are at work.
func TestPreviewsTakeTurns(t *testing.T) {
	var mu sync.Mutex
	working, most := 0, 0
	f := newService(t, func(o *server.Options) {
		o.Preview = func(ctx context.Context, _ string, _ []byte, _ int) (any, bool, error) {
			mu.Lock()
			working++
			most = max(most, working)
			mu.Unlock()
			select {
			case <-time.After(20 * time.Millisecond): // what it takes to compare
			case <-ctx.Done():
			}
			mu.Lock()
			working--
			mu.Unlock()
			return map[string]int{}, true, nil
		}
	})
	statuses := make(map[int]int)
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			a := f.call("read", "POST", "/v1/programs/everyday/preview?transactions=10000", "application/yaml", everyday)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
			if a.status == 429 && (a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "previews")) {
				t.Errorf("refused with %v %s", a.header, a.body)
			}
		})
	}
	all.Wait()
	if most != 1 || statuses[200] == 0 || statuses[200]+statuses[429] != 200 {
		t.Errorf("%d previews of a key were at work at a time, want 1; answers by status %v", most, statuses)
	}
}
