package intake

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says what is wrong with a mapping, or with a file of an export as a
// whole, and where.
type Error struct {
	File   string
	Line   int    // from 1; 0 where there is none to tell
	Member string // of a mapping, such as rewards.columns.amount; of an export a column
	Reason string // what was expected, and what was there
}

// Error renders the place and the reason, for example
// `map.yaml:4: rewards.date_format: expected …`.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Member != "" {
		b.WriteString(e.Member + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// quote shows text from outside in a message: quoted, and cut where it is long.
func quote(s string) string {
	const longest = 24 // characters
	n := 0
	for i := range s {
		if n++; n > longest {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
}

// join lists names as a sentence does.
func join[T ~string](names []T) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}
