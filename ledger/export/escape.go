package export

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text from outside may have anything in it that its sender likes: line breaks
// that would start a transaction, quotes, separators, characters that turn the
// direction of writing. What a format could take for something else, and what
// cannot be seen, is written as % and the two hexadecimal digits of each byte, as
// in URLs. Where a reader may want the text back, % itself is written so too.

// appendPlain appends text on one line, without what cannot be seen and without
// the special characters.
func appendPlain(dst []byte, text, special string) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if plain := unicode.IsPrint(r) && !(r == utf8.RuneError && size == 1); plain && !strings.ContainsRune(special, r) {
			dst = append(dst, text[i:i+size]...)
		} else {
			dst = appendHex(dst, text[i:i+size], '%')
		}
		i += size
	}
	return dst
}

// appendValue appends text such that it can be had back: as appendPlain, with
// percent signs, and spaces at the ends, which readers drop.
func appendValue(dst []byte, text, special string) []byte {
	inner := strings.Trim(text, " ")
	if inner == "" {
		return appendHex(dst, text, '%')
	}
	start := strings.Index(text, inner)
	dst = appendHex(dst, text[:start], '%')
	dst = appendPlain(dst, inner, special+"%")
	return appendHex(dst, text[start+len(inner):], '%')
}

// appendName appends an id as part of an account's name: letters and digits of
// ASCII and the extra characters stay, the rest is written as the escape
// character and two hexadecimal digits, so that different ids stay different.
func appendName(dst []byte, id, extra string, escape byte) []byte {
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(extra, c) >= 0:
			dst = append(dst, c)
		default:
			dst = appendHex(dst, id[i:i+1], escape)
		}
	}
	return dst
}

func appendHex(dst []byte, bytes string, escape byte) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(bytes) {
		dst = append(dst, escape, digits[bytes[i]>>4], digits[bytes[i]&15])
	}
	return dst
}
