package source

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/program"
	"recoup/reward"
)

// Decimal is an amount in major units, as it was written: some processors send 12.30 and not
// 1230. It is never a float, of which nobody knows what 0.1 is.
type Decimal string

// UnmarshalJSONFrom takes a number, or a number as a text, as it is written.
func (d *Decimal) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case jsontext.KindNull:
		*d = ""
		return nil
	case jsontext.KindNumber:
		*d = Decimal(value)
		return nil
	case jsontext.KindString:
		text, err := jsontext.AppendUnquote(nil, value)
		*d = Decimal(text)
		return err
	}
	return errors.New("expected a decimal number") // of which Read says where
}

// Minor is an amount in minor units of a currency of ISO 4217, which may be below zero. More
// decimals than the currency has are an error unless they are zeros, and so is an exponent.
func (d Decimal) Minor(currency string) (int64, error) {
	decimals, known := program.MinorUnits(currency)
	if !known {
		return 0, fmt.Errorf("%q is no currency of ISO 4217", clipped(currency))
	}
	text, negative := strings.CutPrefix(string(d), "-")
	whole, part, pointed := strings.Cut(text, ".")
	if len(part) > decimals {
		if strings.Trim(part[decimals:], "0") != "" {
			return 0, fmt.Errorf("%s: expected at most %d decimals of %s", clipped(string(d)), decimals, currency)
		}
		part = part[:decimals]
	}
	if whole == "" || pointed && strings.HasSuffix(text, ".") {
		return 0, fmt.Errorf("%q: expected a decimal number such as 12.30", clipped(string(d)))
	}
	digits := whole + part + strings.Repeat("0", decimals-len(part))
	var minor int64
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q: expected a decimal number such as 12.30", clipped(string(d)))
		}
		if minor > (math.MaxInt64-9)/10 {
			return 0, fmt.Errorf("%s: expected an amount of at most %d minor units", clipped(string(d)), int64(reward.MaxAmount))
		}
		minor = minor*10 + int64(c-'0')
	}
	if minor > reward.MaxAmount {
		return 0, fmt.Errorf("%s: expected an amount of at most %d minor units", clipped(string(d)), int64(reward.MaxAmount))
	}
	if negative {
		minor = -minor
	}
	return minor, nil
}
