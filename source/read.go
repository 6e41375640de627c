package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/program"
	"recoup/reward"
)

// maxDepth is far deeper than any webhook is.
const maxDepth = 32

// Read reads the members of a body that the struct names. A member that is there twice is
// an error, since nobody knows which the sender means, and so is an integer with a fraction.
func Read(body []byte, into any) error {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		switch _, err := d.ReadToken(); {
		case err == io.EOF:
			return explain(json.Unmarshal(body, into))
		case err != nil:
			return explain(err)
		case d.StackDepth() > maxDepth:
			return fmt.Errorf("expected at most %d levels of objects and lists, found more", maxDepth)
		}
	}
}

// explain says what is wrong with a body without repeating what is in it.
func explain(err error) error {
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		return fmt.Errorf("%s: expected %s", place(semantic.JSONPointer), semantic.GoType)
	case errors.As(err, &syntax):
		return fmt.Errorf("expected JSON, found what is none at byte %d", syntax.ByteOffset+1)
	}
	return err
}

func place(p jsontext.Pointer) string {
	path := strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", ".")
	if path == "" {
		return "the body"
	}
	return path
}

// Currency is a currency as Recoup writes it, of one in small or capital letters. It is an
// error if ISO 4217 does not have it: nobody knows its minor units.
func Currency(code string) (string, error) {
	upper := strings.ToUpper(code)
	if _, known := program.MinorUnits(upper); !known || len(code) != 3 {
		return "", fmt.Errorf("%q is no currency of ISO 4217", clipped(code))
	}
	return upper, nil
}

// clipped is a text of theirs as far as a message has room for it.
func clipped(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// MCC is a merchant category code as events have it; none where it is not four digits, as
// processors send where they do not know.
func MCC(code string) reward.MCC {
	m, _ := reward.ParseMCC(code)
	return m
}

// Abroad gives an event what it is of in the currency of the merchant, in its minor units,
// where that is known; the sign is left aside.
func Abroad(e *reward.Event, amount int64, code string) {
	currency, err := Currency(code)
	if err != nil || amount == 0 || amount > reward.MaxAmount || amount < -reward.MaxAmount {
		return // what was billed counts
	}
	e.MerchantAmount, e.MerchantCurrency = max(amount, -amount), currency
}

// Instant is a time of theirs, if it is one that events may have.
func Instant(t time.Time) (reward.Instant, bool) {
	if t.IsZero() || t.Before(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()) {
		return 0, false
	}
	return reward.At(t), true
}

// maxID is longer than any processor's id, and leaves room for the source's name.
const maxID = 128

// IsID reports whether a text may be an id of a processor: letters, digits, hyphens,
// underscores, dots and colons. What is kept of ids may so be separated by anything else.
func IsID(text string) bool {
	return text != "" && len(text) <= maxID && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:", r)
	})
}

// IsPlain reports whether a text that people read is there and has no control characters,
// which no event may have.
func IsPlain(text string) bool { return text != "" && !strings.ContainsFunc(text, unicode.IsControl) }
