package tabular

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestVisible is how many characters of a text that others chose are shown.
const longestVisible = 400

// Visible returns a text that others chose as it may be shown: what has no shape
// of its own (control characters, marks of direction, spaces of no width, bytes
// that are no UTF-8) is spelled out as <U+202E>, and what is overlong is cut.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	shown := 0
	for i := 0; i < len(text); {
		if shown == longestVisible {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		writeVisible(&b, text[i:i+size], r)
		i += size
		shown++
	}
	return b.String()
}

// plain reports whether a text can be shown as it is: the common case.
func plain(text string) bool {
	if len(text) > longestVisible {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// Hidden reports whether a character shows nothing by itself, or something other
// than itself: all that is not printable, and the letters and marks that Unicode
// says are to be ignored where nothing else is known of them.
func Hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// VisibleLines is Visible for a text of several lines, of any length: line feeds
// stay, and nothing is cut.
func VisibleLines(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\n' {
			b.WriteByte('\n')
		} else {
			writeVisible(&b, text[i:i+size], r)
		}
		i += size
	}
	return b.String()
}

// writeVisible writes one character, of which the text may be a stray byte.
func writeVisible(b *strings.Builder, text string, r rune) {
	switch {
	case r == utf8.RuneError && len(text) == 1:
		fmt.Fprintf(b, "<0x%02X>", text[0])
	case Hidden(r):
		fmt.Fprintf(b, "<U+%04X>", r)
	default:
		b.WriteRune(r)
	}
}
