package tabular

import (
	"strings"
	"unicode/utf8"
)

// StartsFormula reports whether spreadsheets take a cell for a formula, even in quotes,
// that begins with a character, or drop the character, so that the next one counts.
func StartsFormula(first rune) bool { return strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) }

// Defuse returns a text as the cell of a CSV file in which no spreadsheet takes it for a
// formula: where it might, an apostrophe goes before it, and before an apostrophe, so that
// dropping one gives the text again. It is for texts, and not for numbers.
func Defuse(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && (first == '\'' || StartsFormula(first)) {
		return "'" + text
	}
	return text
}
