package intake

import (
	"io"
	"time"

	"recoup/reward"
)

// Split splits text that comes in chunks of a size, up to the end or the first
// error. It returns the records with the lines that they begin on.
func Split(text string, comma byte, chunk int) (records [][]string, lines []int64, err error) {
	s := splitter{comma: comma, more: func() ([]byte, error) {
		if text == "" {
			return nil, io.EOF
		}
		n := min(chunk, len(text))
		part := []byte(text[:n])
		text = text[n:]
		return part, nil
	}}
	for {
		fields, err := s.next()
		if err == io.EOF {
			return records, lines, nil
		}
		if err != nil {
			return records, lines, err
		}
		records, lines = append(records, append([]string(nil), fields...)), append(lines, s.begins)
	}
}

// ReadDate reads a moment in a format of mappings.
func ReadDate(format, text string, zone *time.Location) (at reward.Instant, ok bool, err error) {
	f, err := compileDate(format)
	if err != nil {
		return 0, false, err
	}
	r := f.reader(localTime{zone: zone})
	at, why := r.read(text)
	return at, why == good, nil
}

// ReadAmount reads an amount of a currency with so many decimals.
func ReadAmount(text, point, group string, decimals int) (minor int64, ok bool) {
	f := amountFormat{decimal: point != "", point: point, group: group, decimals: decimals}
	minor, why := f.read(text)
	return minor, why == good
}
