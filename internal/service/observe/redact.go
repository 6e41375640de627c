package observe

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"recoup/internal/kit/card"
)

// Redact returns a handler that keeps out of the log what should not be in it,
// should somebody log it by mistake. It is a guard, not a licence: it knows
// members by their names, and in texts the forms of API keys, of passwords in
// URLs and of card numbers. It cannot know every id of an account. What it passes
// on is plain: times are in UTC, and durations in milliseconds, as people read
// them, under a name that says so.
func Redact(next slog.Handler) slog.Handler { return redactor{next} }

type redactor struct{ next slog.Handler }

const redacted = "[redacted]"

// private are the names of members whose values are never logged.
var private = map[string]bool{
	"account": true, "accounts": true, "subject": true, "cardholder": true, "merchant": true,
	"event": true, "body": true, "data": true, "document": true, "postings": true, "payload": true, "line": true,
	"key": true, "keys": true, "api_key": true, "secret": true, "secrets": true, "token": true, "password": true,
	"authorization": true, "cookie": true, "idempotency_key": true, "headers": true, "path": true, "uri": true, "query": true,
}

func isPrivate(key string) bool {
	return private[strings.ReplaceAll(strings.ToLower(key), "-", "_")]
}

func (h redactor) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h redactor) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time.UTC(), r.Level, scrub(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redact(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h redactor) WithAttrs(list []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(list))
	for i, a := range list {
		clean[i] = redact(a)
	}
	return redactor{h.next.WithAttrs(clean)}
}

func (h redactor) WithGroup(name string) slog.Handler { return redactor{h.next.WithGroup(name)} }

func redact(a slog.Attr) slog.Attr {
	if isPrivate(a.Key) {
		return slog.String(a.Key, redacted)
	}
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(scrub(v.String()))
	case slog.KindGroup:
		group := make([]slog.Attr, len(v.Group()))
		for i, member := range v.Group() {
			group[i] = redact(member)
		}
		a.Value = slog.GroupValue(group...)
	case slog.KindTime:
		a.Value = slog.TimeValue(v.Time().UTC())
	case slog.KindDuration:
		return slog.Float64(a.Key+"_ms", float64(v.Duration().Microseconds())/1000)
	case slog.KindAny:
		// As text: inside of a value nobody could look for what is private.
		a.Value = slog.StringValue(scrub(fmt.Sprint(v.Any())))
	default:
		a.Value = v
	}
	return a
}

var (
	apiKeys    = regexp.MustCompile(`\b(rk_[a-z0-9]+_)[A-Za-z0-9_-]+`)
	webhooks   = regexp.MustCompile(`\b(whsec_)[A-Za-z0-9+/=_-]+`)
	passwords  = regexp.MustCompile(`(://[^:/?#@\s]*):[^/?#@\s]*@`)
	parameters = regexp.MustCompile(`(?i)\b(password=)[^\s&]+`)
	cards      = regexp.MustCompile(`\b\d(?:[ -]?\d){12,18}\b`)
)

// scrub replaces the secrets in a text.
func scrub(s string) string {
	if suspicious(s) {
		s = apiKeys.ReplaceAllString(s, "${1}"+redacted)
		s = webhooks.ReplaceAllString(s, "${1}"+redacted)
		s = passwords.ReplaceAllString(s, "${1}:"+redacted+"@")
		s = parameters.ReplaceAllString(s, "${1}"+redacted)
		s = cards.ReplaceAllString(s, redacted)
	}
	return card.Mask(s) // what is written in other ways
}

// suspicious is a fast first look, that most texts pass.
func suspicious(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_' || c == '@' || c == '=':
			return true
		case c >= '0' && c <= '9':
			if digits++; digits >= 13 {
				return true
			}
		}
	}
	return false
}
