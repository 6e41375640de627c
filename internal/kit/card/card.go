// Package card finds the numbers of payment cards in texts, where a mistake in mapping
// members has put one, and masks them. It guards against mistakes and not against who
// wants a number to pass: digits that are encoded, or written as words, are not found.
//
// A number is found by what makes it one: the first digits are a network's, there are as
// many as its numbers have, and the check digit is right. Of all numbers of 13 to 19
// digits that is so of one in fifty-six; where ids are such numbers, their member is to be
// exempted.
package card

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Has reports whether there is a card number in a text.
func Has(text string) bool { return len(text) >= shortest && perhaps(text) && has(text) }

func has(text string) bool {
	_, _, found := find(text, 0)
	return found
}

// Mask returns the text with all but the last four digits of each card number in it
// replaced by asterisks.
func Mask(text string) string {
	if !perhaps(text) {
		return text
	}
	var masked strings.Builder
	rest := 0
	for from, to, found := find(text, 0); found; from, to, found = find(text, rest) {
		masked.WriteString(text[rest:from])
		left := 0
		for _, r := range text[from:to] {
			if digitOf(r) >= 0 {
				left++
			}
		}
		for _, r := range text[from:to] {
			if digitOf(r) >= 0 {
				if left--; left >= shown {
					r = '*'
				}
			}
			masked.WriteRune(r)
		}
		rest = to
	}
	masked.WriteString(text[rest:])
	return masked.String()
}

// shown is how many last digits a masked number shows.
const shown = 4

// perhaps is a fast first look, which nearly all texts do not pass: there are digits
// enough.
func perhaps(text string) bool {
	digits := 0
	for i := range len(text) {
		digits += int(begins[text[i]])
	}
	return digits >= shortest
}

// begins has a one for each byte that a digit may begin with.
var begins = func() (set [256]uint8) {
	for c := range set {
		if c >= '0' && c <= '9' || c >= 0xc0 {
			set[c] = 1
		}
	}
	return set
}()

// apart is how many characters may stand between two groups of digits of one number.
const apart = 3

// find returns where in a text the first card number at or after an offset is: digits
// that stand together, or in groups with up to three characters between them that are
// neither letters nor digits, whole groups only. Zeros before the first group, which
// fields of a fixed width have, are passed over.
func find(text string, after int) (from, to int, found bool) {
	groups, digits := groupsOf(text, after)
	for i := range groups {
		first := groups[i].digits
		for digits[first] == 0 && first < groups[i].end()-1 {
			first++
		}
		for _, start := range [...]int{groups[i].digits, first} {
			for j := i; j < len(groups) && (j == i || groups[j].joined); j++ {
				end := groups[j].end()
				if end-start > longest {
					break
				}
				if isNumber(digits[start:end]) {
					return groups[i].from, groups[j].to, true
				}
			}
			if start == first {
				break
			}
		}
	}
	return 0, 0, false
}

// group is digits that stand together.
type group struct {
	from, to       int  // in the text
	digits, length int  // among all digits of the text
	joined         bool // to the group before: it may be of the same number
}

func (g *group) end() int { return g.digits + g.length }

// groupsOf returns the groups of digits of a text from an offset on, and their digits.
// Those within a UUID or a word in hexadecimal are left out.
func groupsOf(text string, after int) (groups []group, digits []byte) {
	open := false // the last group may go on
	between := 0  // characters since the last group that may stand within a number; above apart: too many
	for i := after; i < len(text); {
		if n := opaque(text, i); n > 0 {
			open, between, i = false, apart+1, i+n
			continue
		}
		r, width := rune(text[i]), 1
		if r >= 0x80 {
			r, width = runeAt(text, i)
		}
		switch d := digitOf(r); {
		case d >= 0:
			if !open {
				groups = append(groups, group{from: i, digits: len(digits), joined: len(groups) > 0 && between <= apart})
			}
			g := &groups[len(groups)-1]
			digits = append(digits, byte(d))
			g.to, g.length = i+width, g.length+1
			open, between = true, 0
		case unicode.Is(unicode.Cf, r): // is not to be seen
		case unicode.IsLetter(r), unicode.IsNumber(r):
			open, between = false, apart+1
		default:
			open = false
			between++
		}
		i += width
	}
	return groups, digits
}

func runeAt(text string, i int) (r rune, width int) {
	for _, r = range text[i:] {
		break
	}
	if r == unicode.ReplacementChar {
		return r, 1
	}
	return r, len(string(r))
}

// digitOf returns the value of a decimal digit of whatever script or form; -1: it is
// none.
func digitOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < 0x80:
		return -1
	case unicode.Is(unicode.Nd, r):
		zero := r // digits come in tens, in their order
		for unicode.Is(unicode.Nd, zero-1) {
			zero--
		}
		return int(r-zero) % 10
	case unicode.Is(unicode.No, r):
		if plain := norm.NFKC.String(string(r)); len(plain) == 1 {
			return digitOf(rune(plain[0])) // superscripts, and digits in circles
		}
	}
	return -1
}

const (
	uuidLength = 36
	hashLength = 32
)

// opaque returns how long the UUID or the word in hexadecimal is that begins at an
// offset; 0: there is none. A word is taken for hexadecimal if it is as long as a hash and
// has a letter, or has letters in several places. Chance makes their digits what they are,
// and nobody writes a card number like that; a single letter may be somebody's mark.
func opaque(text string, at int) int {
	if at > 0 && isWord(text[at-1]) || !isHex(text[at]) {
		return 0
	}
	if isUUID(text[at:]) {
		return uuidLength
	}
	n, places := 0, 0 // of letters
	for letter := false; at+n < len(text) && isHex(text[at+n]); n++ {
		before := letter
		if letter = text[at+n] > '9'; letter && !before {
			places++
		}
	}
	if places == 0 || n < hashLength && places == 1 || at+n < len(text) && isWord(text[at+n]) {
		return 0
	}
	return n
}

// isUUID reports whether a text begins with a UUID.
func isUUID(text string) bool {
	if len(text) < uuidLength || len(text) > uuidLength && isWord(text[uuidLength]) {
		return false
	}
	letters := 0
	for i := range uuidLength {
		switch c := text[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !isHex(c):
			return false
		case c > '9':
			letters++
		}
	}
	return letters > 0
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isWord(c byte) bool { return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
