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
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	return norm.NFKC.String(strings.Join(strings.Fields(visible), " "))
}

// Fold returns what two names have in common that people take for the same: that of a name
// as it is kept, whatever its case.
func Fold(name string) string {
	return norm.NFKC.String(cases.Fold().String(Normal(name)))
}
