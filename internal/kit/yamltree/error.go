package yamltree

import (
	"fmt"
	"strconv"
	"strings"
)

// Error says what is wrong in a file and where.
type Error struct {
	File   string
	Line   int    // from 1; 0 where there is none to tell
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

const longestShown = 40 // characters of a value in a message

// Quote shows text from outside in a message: in quotes, and cut after 40
// characters.
func Quote(text string) string { return QuoteUpTo(text, longestShown) }

// QuoteUpTo is Quote for text that is cut after another number of characters.
func QuoteUpTo(text string, longest int) string {
	if short := clip(text, longest); short != text {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(text)
}

// clip returns as much of the text as a message has room for.
func clip(text string, longest int) string {
	n := 0
	for i := range text {
		if n++; n > longest {
			return text[:i]
		}
	}
	return text
}
