package present

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/audit"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// WriteJSON writes the report as indented JSON for other programs. Times are RFC
// 3339 in UTC. Identifiers are as they are; what a terminal might obey in them is
// written as an escape, which means the same to every reader of JSON.
func WriteJSON(w io.Writer, of *audit.Report) error {
	text, err := json.Marshal(of, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true),
		json.WithMarshalers(json.MarshalFunc(func(i reward.Instant) ([]byte, error) { return []byte(`"` + i.String() + `"`), nil })))
	if err != nil {
		return err
	}
	_, err = w.Write(append(escaped(text), '\n'))
	return err
}

// escaped writes what Visible would spell out as an escape of JSON. Outside of its
// strings JSON has none but line feeds, which stay.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text)+1)
	for _, r := range string(text) {
		switch {
		case r == '\n' || !tabular.Hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
