package intake

import (
	"time"

	"recoup/reward"
)

// ReadDate reads a moment in a format of mappings.
func ReadDate(format, text string, zone *time.Location) (at reward.Instant, ok bool, err error) {
	f, err := compileDate(format)
	if err != nil {
		return 0, false, err
	}
	r := dateReader{dateFormat: f, zone: zone}
	at, why := r.read(text)
	return at, why == "", nil
}

// ReadAmount reads an amount of a currency with so many decimals, in thousandths of
// minor units.
func ReadAmount(text, point, group string, decimals int) (milli int64, ok bool) {
	f := amountFormat{decimal: point != "", point: point, group: group, decimals: decimals}
	milli, why := f.read(text)
	return milli, why == ""
}
