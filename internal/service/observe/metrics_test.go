package observe_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/observe"
	"recoup/reward"
)

// scrape returns the values that a scrape shows, by name and labels.
func scrape(t *testing.T, m *observe.Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("a scrape is answered %d: %s", w.Code, w.Body)
	}
	values := make(map[string]float64)
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		cut := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(line[cut+1:], 64)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		values[line[:cut]] = value
	}
	return values
}

// shows wants these values among those that a scrape shows.
func shows(t *testing.T, m *observe.Metrics, want map[string]float64) {
	t.Helper()
	got := scrape(t, m)
	for name, value := range want {
		if v, there := got[name]; !there || v != value {
			t.Errorf("%s is %v (there: %v), want %v", name, v, there, value)
		}
	}
}

func TestEventsAreCountedByOutcomeAndCode(t *testing.T) {
	m := observe.NewMetrics()
	m.Answered([]reward.Result{
		{Outcome: reward.Applied}, {Outcome: reward.Applied}, {Outcome: reward.Applied, Code: reward.Matched},
		{Outcome: reward.Rejected, Code: reward.IDReused}, {Outcome: reward.Duplicate},
	})
	m.Malformed()
	shows(t, m, map[string]float64{
		`recoup_events_total{code="",outcome="applied"}`:           2,
		`recoup_events_total{code="matched",outcome="applied"}`:    1,
		`recoup_events_total{code="id_reused",outcome="rejected"}`: 1,
		`recoup_events_total{code="",outcome="duplicate"}`:         1,
		`recoup_events_total{code="",outcome="malformed"}`:         1,
	})
}

func TestCommitsAreCountedBySizeAndTime(t *testing.T) {
	m := observe.NewMetrics()
	m.Queue(func() int { return 7 })
	m.Committed(engine.Commit{Events: 100, PutOff: 7, Callers: 3, Took: 4 * time.Millisecond, Applying: time.Millisecond})
	m.Waited(2 * time.Millisecond)
	m.Committed(engine.Commit{Events: 1, Callers: 1, Took: time.Second})
	m.Committed(engine.Commit{Events: 50, Callers: 2, Took: 6 * time.Millisecond, Err: errors.New("disk full")})
	shows(t, m, map[string]float64{
		`recoup_commit_duration_seconds_count`:              3,
		`recoup_commit_duration_seconds_bucket{le="0.005"}`: 1,
		`recoup_commit_duration_seconds_bucket{le="0.01"}`:  2,
		`recoup_commit_failures_total`:                      1,
		`recoup_commit_events_count`:                        2,
		`recoup_commit_events_sum`:                          101,
		`recoup_commit_callers_sum`:                         4,
		`recoup_queue_events`:                               7,
		`recoup_commit_put_off_events_total`:                7,
		`recoup_commit_apply_seconds_sum`:                   0.001,
		`recoup_commit_store_seconds_sum`:                   1.003,
		`recoup_queue_wait_seconds_sum`:                     0.002,
	})
}

func TestTheRuntimeIsShown(t *testing.T) {
	if v := scrape(t, observe.NewMetrics())["go_goroutines"]; v < 1 {
		t.Errorf("there are %v goroutines", v)
	}
}

func TestFiguresAreReadInTheirOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := observe.NewMetrics()
		if _, there := scrape(t, m)["recoup_accounts"]; there {
			t.Error("accounts are shown before anybody counted them")
		}
		start := time.Now()
		figures := observe.Figures{
			Accounts: 3, Money: map[string]observe.Money{"USD": {Balance: 500, Debt: 20, Held: 7}, "EUR": {Balance: 1}},
			Parked: 2, ParkedSince: start.Add(-time.Hour), DeliveriesDue: 4, DeliveriesDead: 1,
		}
		var mu sync.Mutex // of figures, asked and fails
		asked := 0
		var fails error
		ctx, stop := context.WithCancel(t.Context())
		var log bytes.Buffer
		ended := make(chan struct{})
		go func() {
			m.Watch(ctx, time.Minute, func(context.Context) (observe.Figures, error) {
				mu.Lock()
				defer mu.Unlock()
				asked++
				return figures, fails
			}, slog.New(slog.NewTextHandler(&log, nil)))
			close(ended)
		}()
		synctest.Wait()
		shows(t, m, map[string]float64{
			`recoup_accounts`: 3, `recoup_debt_minor_units{currency="USD"}`: 20, `recoup_held_minor_units{currency="USD"}`: 7,
			`recoup_balance_minor_units{currency="EUR"}`: 1, `recoup_parked_refunds`: 2, `recoup_oldest_parked_refund_age_seconds`: 3600,
			`recoup_webhook_deliveries_due`: 4, `recoup_webhook_deliveries_dead`: 1, `recoup_figures_timestamp_seconds`: float64(start.Unix()),
		})
		if _, there := scrape(t, m)["recoup_invariant_violations"]; there {
			t.Error("no violations are claimed although nobody has verified")
		}
		if asked != 1 {
			t.Errorf("two scrapes asked %d times, want the one at the start", asked)
		}

		// A minute later USD is gone, somebody has verified, and nothing waits.
		mu.Lock()
		figures = observe.Figures{Money: map[string]observe.Money{"EUR": {Debt: 9}}, Violations: 2, Verified: start}
		mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		shows(t, m, map[string]float64{
			`recoup_debt_minor_units{currency="EUR"}`: 9, `recoup_invariant_violations`: 2, `recoup_verified_timestamp_seconds`: float64(start.Unix()),
			`recoup_oldest_parked_refund_age_seconds`: 0, `recoup_figures_timestamp_seconds`: float64(start.Unix() + 60),
		})
		if _, there := scrape(t, m)[`recoup_debt_minor_units{currency="USD"}`]; there {
			t.Error("a currency that is gone is still shown")
		}

		// Where the query fails, what was known stays, with its time.
		mu.Lock()
		fails = errors.New("no answer")
		mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		shows(t, m, map[string]float64{`recoup_invariant_violations`: 2, `recoup_figures_timestamp_seconds`: float64(start.Unix() + 60)})
		if !strings.Contains(log.String(), "no answer") {
			t.Errorf("the log says %q", log.String())
		}
		stop()
		<-ended
		if asked != 3 {
			t.Errorf("asked %d times, want 3", asked)
		}
	})
}

func BenchmarkAnswered(b *testing.B) {
	m := observe.NewMetrics()
	results := []reward.Result{{Outcome: reward.Applied}}
	b.ReportAllocs()
	for b.Loop() {
		m.Answered(results)
	}
}
