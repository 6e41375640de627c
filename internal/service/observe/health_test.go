package observe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recoup/internal/service/observe"
)

// answers asks a handler and wants its status and what its body has.
func answers(t *testing.T, handler http.HandlerFunc, status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != status || !strings.Contains(w.Body.String(), body) {
		t.Errorf("answered %d %s, want %d and %s", w.Code, w.Body, status, body)
	}
}

func TestReadyWhileEveryCheckPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down error
		asked := 0
		var log bytes.Buffer
		h := observe.NewHealth(slog.New(slog.NewTextHandler(&log, nil)),
			observe.Check{"database", func(context.Context) error { asked++; return down }},
			observe.Check{"migrations", func(context.Context) error { return nil }})
		answers(t, h.Live, 200, `"alive"`)
		answers(t, h.Ready, 200, `"ready"`)
		answers(t, h.Ready, 200, `"ready"`)
		if asked != 1 {
			t.Errorf("the database was asked %d times within a second", asked)
		}
		down = errors.New("connection refused by db-1.internal")
		time.Sleep(2 * time.Second)
		answers(t, h.Ready, 503, `"checks":{"database":"failed","migrations":"ok"}`)
		answers(t, h.Live, 200, `"alive"`)
		w := httptest.NewRecorder()
		h.Ready(w, httptest.NewRequest("GET", "/", nil))
		if strings.Contains(w.Body.String(), "db-1") || !strings.Contains(log.String(), "db-1") {
			t.Errorf("anybody is told %s; the log says %s", w.Body, log.String())
		}
		down = nil
		time.Sleep(2 * time.Second)
		answers(t, h.Ready, 200, `"ready"`)
		h.End()
		answers(t, h.Ready, 503, `"shutting down"`)
		answers(t, h.Live, 200, `"alive"`)
	})
}

func TestACheckThatHangsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := observe.NewHealth(slog.New(slog.DiscardHandler), observe.Check{"database", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		answers(t, h.Ready, 503, `"database":"failed"`)
	})
}
