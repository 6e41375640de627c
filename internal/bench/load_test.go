package bench_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/bench"
)

// short is a load that is over soon.
func short(address string, clients, batch int) *bench.Load {
	return &bench.Load{Target: address, Clients: clients, Batch: batch, Accounts: 50, Warmup: 20 * time.Millisecond, Duration: 150 * time.Millisecond, Seed: 1}
}

// lasting runs a load, on a busy machine as long as it takes until something was answered, or
// failed.
func lasting(t *testing.T, l *bench.Load, enough func(m *bench.Measurement, err error) bool) (*bench.Measurement, error) {
	t.Helper()
	for {
		m, err := l.Run(t.Context())
		if enough(m, err) || l.Duration > time.Minute {
			return m, err
		}
		l.Duration *= 4
	}
}

func answered(m *bench.Measurement, err error) bool { return err != nil || m.Events > 0 }

func refused(_ *bench.Measurement, err error) bool { return err != nil }

// measured is a load on a shop of its own, on a busy machine as long as it takes
// until something is answered.
func measured(t *testing.T, batch int) (*shop, *bench.Measurement) {
	t.Helper()
	for duration := 150 * time.Millisecond; ; duration *= 4 {
		s := newShop()
		load := short(s.open(t), 4, batch)
		load.Duration = duration
		m, err := load.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m.Events > 0 || duration > time.Minute {
			return s, m
		}
	}
}

func TestALoadIsMeasured(t *testing.T) {
	for _, batch := range []int{1, 2, 100} {
		s, m := measured(t, batch)
		if m.Events == 0 || m.Events != m.Requests*int64(batch) || m.Failed != 0 {
			t.Errorf("batches of %d: %+v", batch, m)
		}
		if m.Rate == 0 || m.P50 == 0 || m.P50 > m.P99 || m.P99 > m.Max {
			t.Errorf("batches of %d: %d events/s, p50 %d, p99 %d, max %d", batch, m.Rate, m.P50, m.P99, m.Max)
		}
		sum := int64(0)
		for _, n := range m.Outcomes {
			sum += n
		}
		if sum != m.Events {
			t.Errorf("outcomes of %d events of %d: %v", sum, m.Events, m.Outcomes)
		}
		ids := s.seen()
		if came := len(ids); len(slices.Compact(ids)) != came || int64(came) < m.Events {
			t.Errorf("%d events came, of which %d were counted, with %d ids", came, m.Events, len(slices.Compact(ids)))
		}
	}
}

func TestWrongAnswersAreFound(t *testing.T) {
	for _, batch := range []int{1, 10} {
		for name, change := range map[string]func(http.ResponseWriter, *http.Request, []byte){
			"another outcome":    replaced(`"applied"`, `"duplicate"`),
			"an unknown outcome": replaced(`"applied"`, `"done"`),
			"a code":             replaced(`"code":null`, `"code":"over_refund"`),
			"an unknown code":    replaced(`"code":null`, `"code":"x"`),
			"an empty code":      replaced(`"code":null`, `"code":""`),
			"another id":         replaced(`"id":"`, `"id":"x`),
			"another source":     replaced(`"bench"`, `"benches"`),
			"another account":    replaced(`"acct-`, `"account-`),
			"no JSON":            replaced(`{`, ``),
			"nothing":            func(http.ResponseWriter, *http.Request, []byte) {},
			"something after":    func(w http.ResponseWriter, _ *http.Request, answer []byte) { _, _ = w.Write(append(answer, '1')) },
			"one too few": func(w http.ResponseWriter, _ *http.Request, answer []byte) {
				last := bytes.LastIndex(answer, []byte(`,{"`))
				_, _ = w.Write(append(answer[:max(last, 0)], ']'))
			},
		} {
			s := newShop()
			s.change = change
			if m, err := lasting(t, short(s.open(t), 2, batch), refused); !errors.Is(err, bench.ErrUnexpected) {
				t.Errorf("%s, batches of %d: %+v, %v", name, batch, m, err)
			}
		}
	}
}

func TestAnswersMayBeWrittenInOtherWays(t *testing.T) {
	for name, change := range map[string]func(http.ResponseWriter, *http.Request, []byte){
		"with spaces": replaced(`,"`, ` , "`),
		"with more":   replaced(`{"id"`, `{"$schema":"https://example.com/","id"`),
		"with an end": func(w http.ResponseWriter, _ *http.Request, answer []byte) { _, _ = w.Write(append(answer, '\n')) },
		"as status 202": func(w http.ResponseWriter, _ *http.Request, answer []byte) {
			w.WriteHeader(202)
			_, _ = w.Write(answer)
		},
		"in chunks": func(w http.ResponseWriter, _ *http.Request, answer []byte) {
			for chunk := range slices.Chunk(answer, 100) {
				_, _ = w.Write(chunk)
				_ = http.NewResponseController(w).Flush()
			}
		},
	} {
		s := newShop()
		s.change = change
		if m, err := lasting(t, short(s.open(t), 2, 5), answered); err != nil || m.Events == 0 || m.Failed > 0 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// TestRefusalsAreCounted: the load goes on after them.
func TestRefusalsAreCounted(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter){
		"status 429": func(w http.ResponseWriter) { http.Error(w, "busy", http.StatusTooManyRequests) },
		"status 503": func(w http.ResponseWriter) { http.Error(w, "down", http.StatusServiceUnavailable) },
		"connection lost": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.Close()
			}
		},
	} {
		s := newShop()
		var n atomic.Int64
		s.serve = func(w http.ResponseWriter, r *http.Request) bool {
			good := n.Add(1)%2 == 0
			if !good {
				_, _ = io.Copy(io.Discard, r.Body)
				refuse(w)
			}
			return !good
		}
		m, err := lasting(t, short(s.open(t), 2, 1), func(m *bench.Measurement, err error) bool {
			return err != nil || m.Events > 0 && m.Failed > 0
		})
		if err != nil || m.Events == 0 || m.Failed == 0 || m.Failures[name] != m.Failed {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func TestALoadThatCannotBeServed(t *testing.T) {
	s := newShop()
	s.serve = func(w http.ResponseWriter, r *http.Request) bool {
		http.Error(w, "no such key", http.StatusUnauthorized)
		return true
	}
	address := s.open(t)
	_, err := lasting(t, short(address, 2, 1), refused)
	if err == nil || !strings.Contains(err.Error(), "answers with status 401: no such key") {
		t.Errorf("without a key: %v", err)
	}
	s.serve = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no such key", http.StatusUnauthorized)
			return true
		}
		return false
	}
	l := short(address, 2, 1)
	l.Key = "secret"
	if m, err := lasting(t, l, answered); err != nil || m.Events == 0 {
		t.Errorf("with a key: %+v, %v", m, err)
	}

	if _, err := lasting(t, short("http://127.0.0.1:1", 2, 1), refused); err == nil || !strings.Contains(err.Error(), "connecting to 127.0.0.1:1") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestALoadEndsWithItsContext(t *testing.T) {
	s := newShop()
	asked := make(chan struct{}, 100)
	s.serve = func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done() // never answers
		return true
	}
	address := s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	l := short(address, 2, 1)
	l.Duration = time.Hour
	if m, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestBadLoadsAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*bench.Load)
		want   string
	}{
		{func(l *bench.Load) { l.Clients = 0 }, "--clients 0: expected 1 to 65536"},
		{func(l *bench.Load) { l.Batch = 10_001 }, "--batch 10001: expected 1 to 10000"},
		{func(l *bench.Load) { l.Accounts = 0 }, "--accounts 0: expected 1 to 100000000"},
		{func(l *bench.Load) { l.Duration = 0 }, "--duration 0s"},
		{func(l *bench.Load) { l.Warmup = -1 }, "--warmup -1ns"},
		{func(l *bench.Load) { l.Target = "127.0.0.1:8080" }, "expected the address of a service"},
		{func(l *bench.Load) { l.Target = "ftp://a" }, "expected the address of a service"},
		{func(l *bench.Load) { l.Target = "http://a?b=c" }, "expected the address of a service"},
		{func(l *bench.Load) { l.Key = "a\nb" }, "line break"},
	} {
		l := short("http://127.0.0.1:1", 1, 1)
		c.change(l)
		if _, err := l.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
