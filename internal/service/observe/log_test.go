package observe_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/observe"
)

const (
	apiKey = "rk_abcdefgh2345_0123456789abcdefghijABCDEFGHIJ-_0123456789a"
	card   = "4111111111111111"
)

type secretive struct{ Name string }

func (s secretive) LogValue() slog.Value { return slog.GroupValue(slog.String("account", s.Name)) }

func TestWhatIsPrivateIsNotLogged(t *testing.T) {
	tests := []struct {
		name   string
		log    func(*slog.Logger)
		secret string
	}{
		{"an account", func(l *slog.Logger) { l.Info("m", "account", "jane-doe") }, "jane"},
		{"an account in a group", func(l *slog.Logger) { l.Info("m", slog.Group("g", "Subject", "jane-doe")) }, "jane"},
		{"an account of the logger", func(l *slog.Logger) { l.With("account", "jane-doe").Info("m") }, "jane"},
		{"an account of the logger's group", func(l *slog.Logger) { l.WithGroup("g").With("account", "jane-doe").Info("m") }, "jane"},
		{"an account in a value", func(l *slog.Logger) { l.Info("m", "who", secretive{"jane-doe"}) }, "jane"},
		{"a body", func(l *slog.Logger) { l.Info("m", "body", []byte("jane")) }, "jane"},
		{"a header", func(l *slog.Logger) { l.Info("m", "Idempotency-Key", "jane") }, "jane"},
		{"an API key", func(l *slog.Logger) { l.Info("m", "v", "Bearer "+apiKey) }, "0123456789"},
		{"an API key in the message", func(l *slog.Logger) { l.Info("got " + apiKey) }, "0123456789"},
		{"an API key in an error", func(l *slog.Logger) { l.Info("m", "error", fmt.Errorf("bad: %w", errors.New(apiKey))) }, "0123456789"},
		{"an API key in a struct", func(l *slog.Logger) { l.Info("m", "v", struct{ X string }{apiKey}) }, "0123456789"},
		{"a password in a URL", func(l *slog.Logger) { l.Info("m", "error", "dial postgres://recoup:hunter2@db/recoup") }, "hunter2"},
		{"a password in a connection string", func(l *slog.Logger) { l.Info("m", "error", "host=db password=hunter2 user=x") }, "hunter2"},
		{"a webhook secret", func(l *slog.Logger) { l.Info("m", "v", "whsec_hunter2hunter2") }, "hunter2"},
		{"a card number", func(l *slog.Logger) { l.Info("m", "error", "id "+card+" is refused") }, card},
		{"a card number with spaces", func(l *slog.Logger) { l.Info("m", "v", "4111 1111 1111 1111") }, "1111 1111"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			tt.log(observe.NewLog(&out, slog.LevelInfo))
			if strings.Contains(out.String(), tt.secret) || !strings.Contains(out.String(), "[redacted]") {
				t.Errorf("logged is %s", out.String())
			}
		})
	}
}

func TestWhatIsNotPrivateIsLoggedAsItIs(t *testing.T) {
	var out bytes.Buffer
	log := observe.NewLog(&out, slog.LevelInfo)
	log.Debug("too fine")
	log.Warn("postgres://db/recoup answers again", "error", "line 12: rules[0].rate", "trace_id", "4bf92f3577b34da6a3ce929d0e0e4736",
		"attempts", 3, "since", time.Date(2026, 1, 5, 11, 0, 0, 0, time.FixedZone("", 3600)), "took", 1500*time.Microsecond, "n", 4111111111111111)
	for _, want := range []string{
		`"level":"WARN"`, `"msg":"postgres://db/recoup answers again"`, `"error":"line 12: rules[0].rate"`, `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"`,
		`"attempts":3`, `"since":"2026-01-05T10:00:00Z"`, `"took_ms":1.5`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "redacted") || strings.Contains(out.String(), "too fine") {
		t.Errorf("logged is %s", out.String())
	}
}

// What is no word of its own is masked where it stands.
func TestCardNumbersWithinTextsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		"pan-4111111111111111x is refused": "pan-************1111x is refused", "4111.1111.1111.1111": "****.****.****.1111",
	} {
		var out strings.Builder
		observe.NewLog(&out, slog.LevelInfo).Info("m", "v", text)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is logged as %s", text, out.String())
		}
	}
}
