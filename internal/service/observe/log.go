package observe

import (
	"io"
	"log/slog"
)

// NewLog returns a logger that writes JSON lines without personal data or
// secrets; see Redact.
func NewLog(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(Redact(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})))
}
