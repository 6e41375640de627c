package program

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says what is wrong in a program file and where. Parse and Load return
// no other kind, except where the file cannot be read at all.
type Error struct {
	File   string
	Line   int    // from 1; 0 where the parser does not tell
	Member string // such as rules[1].cap.reward; "" is the whole file
	Reason string // what was expected, and what was there
}

// Error renders the place and the reason, for example
// `program.yaml:9: rules[1].cap.reward: expected …`.
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
	if short := clip(s); short != s {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(s)
}

// clip returns as much of the text as a message has room for.
func clip(s string) string {
	const longest = 40 // characters
	n := 0
	for i := range s {
		if n++; n > longest {
			return s[:i]
		}
	}
	return s
}
