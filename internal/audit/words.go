package audit

import "recoup/program"

// Count is a number with what follows it in singular and plural.
func Count(n int64, one, more string) string {
	if n == 1 {
		more = one
	}
	return program.FormatCount(n) + " " + more
}

// OfAll says how many of how many, in words where it is all or none.
func OfAll(n, of int64) string {
	switch {
	case of == 0:
		return "none"
	case n == of && n > 1:
		return "every one of " + program.FormatCount(of)
	case n == 0:
		return "none of " + program.FormatCount(of)
	}
	return program.FormatCount(n) + " of " + program.FormatCount(of)
}
