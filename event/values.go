package event

import (
	"bytes"
	"errors"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/reward"
)

// MaxText is the length in bytes of the longest id or other text.
const MaxText = 256

// What is read below is valid JSON already, or the content of a string of it.
// Where it is not what it should be, the answer is what was wanted instead,
// and "" otherwise.

// parseAmount reads an amount in minor units, at most reward.MaxAmount either
// way.
func parseAmount(raw jsontext.Value) (n int64, want string) {
	if raw.Kind() != jsontext.KindNumber {
		return 0, "an integer number of minor units"
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || n > reward.MaxAmount || n < -reward.MaxAmount:
		return 0, "at most 10^15 minor units either way"
	case err != nil:
		return 0, "an integer number of minor units, without fraction or exponent"
	}
	return n, ""
}

var earliest, latest = reward.EarliestInstant.Time(), reward.LatestInstant.Time()

// parseTime reads a time in RFC 3339 with at most nine decimals, in upper case.
// A leap second is refused: no Instant stands for it.
func parseTime(content []byte) (at reward.Instant, want string) {
	var t time.Time
	switch err := t.UnmarshalText(content); {
	case err != nil || !isRFC3339(content):
		return 0, "a time in RFC 3339, such as 2026-01-05T10:00:00Z"
	case decimals(content) > 9:
		return 0, "a time with at most nine decimals"
	case t.Before(earliest) || t.After(latest):
		return 0, "a time from " + reward.EarliestInstant.String() + " to " + reward.LatestInstant.String()
	}
	return reward.At(t), ""
}

// isRFC3339 sees to what the standard library lets pass in a time: an hour of
// one digit, a decimal comma, and offsets of a day or with 60 minutes.
func isRFC3339(content []byte) bool {
	if content[len("2006-01-02T15")] != ':' || content[len("2006-01-02T15:04:05")] == ',' {
		return false
	}
	n := len(content)
	return content[n-1] == 'Z' || string(content[n-5:n-3]) <= "23" && string(content[n-2:]) <= "59"
}

// decimals counts the digits of the fraction of a second, which the standard
// library would cut.
func decimals(content []byte) (n int) {
	_, fraction, _ := bytes.Cut(content, []byte{'.'})
	for n < len(fraction) && isDigit(fraction[n]) {
		n++
	}
	return n
}

func parseType(content []byte) (t reward.Type, want string) {
	t, known := reward.ParseType(string(content))
	if !known {
		want = "a type of event such as " + reward.TransactionSettled.String()
	}
	return t, want
}

func parseLinkedBy(content []byte) (by reward.LinkedBy, want string) {
	by, known := reward.ParseLinkedBy(string(content))
	if !known {
		want = "processor, inferred or person"
	}
	return by, want
}

func parseMCC(content []byte) (code reward.MCC, want string) {
	code, ok := reward.ParseMCC(string(content))
	if !ok {
		want = `four digits as text, such as "0742"`
	}
	return code, want
}

// only wants the text and no other.
func only(text string, content []byte) (want string) {
	if string(content) != text {
		want = strconv.Quote(text)
	}
	return want
}

func isCurrency(content []byte) bool {
	for _, c := range content {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(content) == 3
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isPlain reports whether the inside of a string has only printable ASCII and
// no escapes.
func isPlain(inside []byte) bool {
	for _, c := range inside {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// hasControl reports whether there is a control character, of ASCII or not.
func hasControl(content []byte) bool {
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		if unicode.IsControl(r) {
			return true
		}
		content = content[size:]
	}
	return false
}
