package access

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normal returns a name as it is kept: in the form NFKC, without characters that nobody
// sees, and with single spaces within it alone.
func Normal(name string) string {
	visible := strings.Map(Seen, norm.NFKC.String(name))
	return norm.NFKC.String(strings.Join(strings.Fields(visible), " "))
}

// Seen is what people see of a character in a name: itself, a space where it is blank, or
// nothing (-1).
func Seen(r rune) rune {
	switch {
	case r == '\u2800': // a Braille cell without dots
		return ' '
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return -1
	}
	return r
}

// Fold returns what two names have in common that people take for the same: that of a name
// as it is kept, whatever its case.
func Fold(name string) string {
	return norm.NFKC.String(cases.Fold().String(Normal(name)))
}
