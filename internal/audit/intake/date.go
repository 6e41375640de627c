package intake

import (
	"fmt"
	"strings"

	"recoup/reward"
)

// dateFormat is how a column writes moments.
type dateFormat struct {
	text  string // as the mapping writes it
	style dateStyle
	parts []datePart // of patterned
}

type dateStyle uint8

const (
	strictRFC3339 dateStyle = iota
	looseISO
	sinceEpoch
	patterned
)

// rfc3339 is the format of a file without a mapping, iso that of typed columns.
var (
	rfc3339 = &dateFormat{text: "rfc3339", style: strictRFC3339}
	iso     = &dateFormat{text: "iso", style: looseISO}
)

// datePart is a literal character or one of the letters of datePatterns.
type datePart struct {
	pattern string // "" for a literal
	literal byte
}

// datePatterns are the parts of a pattern, no one after a shorter one that it
// begins with.
var datePatterns = []string{"YYYY", "YY", "Mon", "MM", "M", "DD", "D", "hh", "h", "mm", "ss", "f", "AM", "Z"}

// epochUnits are the formats that count from 1970, by how many there are in a
// second.
var epochUnits = map[string]int64{"unix": 1, "unix_ms": 1e3, "unix_us": 1e6, "unix_ns": 1e9}

// compileDate reads a format as mappings write it.
func compileDate(text string) (*dateFormat, error) {
	switch {
	case text == rfc3339.text:
		return rfc3339, nil
	case text == iso.text:
		return iso, nil
	case epochUnits[text] > 0:
		return &dateFormat{text: text, style: sinceEpoch}, nil
	}
	f := &dateFormat{text: text, style: patterned}
	given := map[string]bool{}
	for rest := text; rest != ""; {
		part := datePart{literal: rest[0]}
		length := 1
		for _, pattern := range datePatterns {
			if strings.HasPrefix(rest, pattern) {
				part, length = datePart{pattern: pattern}, len(pattern)
				break
			}
		}
		letter := part.literal|0x20 >= 'a' && part.literal|0x20 <= 'z' && part.literal != 'T'
		switch {
		case part.pattern != "" && given[group(part.pattern)]:
			return nil, fmt.Errorf("%s is there twice in %s", part.pattern, quote(text))
		case part.pattern == "" && (letter || part.literal >= 0x80 || part.literal >= '0' && part.literal <= '9'):
			return nil, fmt.Errorf("expected rfc3339, iso, unix, unix_ms, unix_us, unix_ns or a pattern of %s with T and signs between them, not %s",
				strings.Join(datePatterns, ", "), quote(rest))
		case part.pattern != "":
			given[group(part.pattern)] = true
		}
		f.parts = append(f.parts, part)
		rest = rest[length:]
	}
	switch {
	case !given["Y"] || !given["M"] || !given["D"]:
		return nil, fmt.Errorf("expected a pattern with year, month and day, such as YYYY-MM-DD hh:mm:ss or DD.MM.YYYY, not %s", quote(text))
	case (given["m"] || given["A"]) && !given["h"] || given["s"] && !given["m"] || given["f"] && !given["s"]:
		return nil, fmt.Errorf("expected hours before minutes or AM, minutes before seconds and seconds before f, not %s", quote(text))
	}
	return f, nil
}

// group is what a pattern is a way to write: YYYY and YY are both the year.
func group(pattern string) string { return pattern[:1] }

// reader reads moments of one format; times without an offset are local to the
// zone.
type dateReader struct {
	format *dateFormat
	local  localTime
	unit   int64
}

func (f *dateFormat) reader(local localTime) dateReader {
	return dateReader{format: f, local: local, unit: epochUnits[f.text]}
}

// read returns the moment that the text says.
func (r *dateReader) read(text string) (reward.Instant, class) {
	switch r.format.style {
	case strictRFC3339:
		return r.iso(text, true)
	case looseISO:
		return r.iso(text, false)
	case sinceEpoch:
		return r.epoch(text)
	}
	return r.pattern(text)
}

// iso reads a date and time of ISO 8601. Strictly, that is one of RFC 3339.
// Otherwise T may be a space, and the time, its seconds and the offset may be
// missing.
func (r *dateReader) iso(s string, strict bool) (reward.Instant, class) {
	if len(s) < len("2026-01-05") || s[4] != '-' || s[7] != '-' {
		return 0, classTime
	}
	c := civil{year: two(s, 0)*100 + two(s, 2), month: two(s, 5), day: two(s, 8)}
	s = s[len("2026-01-05"):]
	if s == "" && !strict {
		return r.at(c)
	}
	if len(s) < len("T10:00") || s[0] != 'T' && (strict || s[0] != ' ') || s[3] != ':' {
		return 0, classTime
	}
	c.hour, c.minute = two(s, 1), two(s, 4)
	s = s[len("T10:00"):]
	if len(s) >= len(":00") && s[0] == ':' {
		c.second = two(s, 1)
		s = s[len(":00"):]
		if s != "" && (s[0] == '.' || s[0] == ',' && !strict) {
			digits := 0
			if c.nanos, digits = fraction(s[1:]); digits == 0 {
				return 0, classTime
			}
			s = s[1+digits:]
		}
	} else if strict {
		return 0, classTime
	}
	if s == "" && !strict {
		return r.at(c)
	}
	seconds, ok := offset(s, strict)
	if !ok {
		return 0, classTime
	}
	return c.instant(seconds)
}

// epoch reads a number of units since 1970, which may have decimals down to the
// nanosecond.
func (r *dateReader) epoch(s string) (reward.Instant, class) {
	whole, decimals, point := strings.Cut(s, ".")
	if whole == "" || len(whole) > len("7258118399999999999") {
		return 0, classTime
	}
	var units int64
	for i := range len(whole) {
		digit := whole[i] - '0'
		if digit > 9 {
			return 0, classTime
		}
		units = units*10 + int64(digit) // 19 digits at most: one overflow shows below
	}
	var nanos int
	if point {
		digits := 0
		if nanos, digits = fraction(decimals); digits == 0 || digits < len(decimals) || int64(nanos)%r.unit != 0 {
			return 0, classTime
		}
	}
	if units < 0 || units > int64(reward.LatestInstant)/1e9*r.unit+r.unit-1 {
		return 0, classInstant
	}
	return reward.Instant(units*(1e9/r.unit) + int64(nanos)/r.unit), good
}

// pattern reads a moment as the mapping's pattern has it.
func (r *dateReader) pattern(s string) (reward.Instant, class) {
	var c civil
	var half string // of the day
	zoned, seconds := false, 0
	for _, part := range r.format.parts {
		n := 0
		switch part.pattern {
		case "":
			if s == "" || s[0] != part.literal {
				return 0, classTime
			}
			n = 1
		case "YYYY":
			if n = 4; len(s) >= n {
				c.year = two(s, 0)*100 + two(s, 2)
			}
		case "YY":
			if n = 2; len(s) >= n {
				c.year = 2000 + two(s, 0)
			}
		case "Mon":
			if n = 3; len(s) >= n {
				c.month = monthNamed(s[:n])
			}
		case "MM":
			c.month, n = digits(s, 2)
		case "M":
			c.month, n = digits(s, 1)
		case "DD":
			c.day, n = digits(s, 2)
		case "D":
			c.day, n = digits(s, 1)
		case "hh":
			c.hour, n = digits(s, 2)
		case "h":
			c.hour, n = digits(s, 1)
		case "mm":
			c.minute, n = digits(s, 2)
		case "ss":
			c.second, n = digits(s, 2)
		case "f":
			if c.nanos, n = fraction(s); n == 0 {
				return 0, classTime
			}
		case "AM":
			if n = 2; len(s) >= n {
				half = s[:n]
			}
		case "Z": // the rest is read below, up to the next literal
			zoned = true
			if n = offsetLength(s); n == 0 {
				return 0, classTime
			}
			var ok bool
			if seconds, ok = offset(s[:n], false); !ok {
				return 0, classTime
			}
		}
		if n > len(s) {
			return 0, classTime
		}
		s = s[n:]
	}
	switch {
	case s != "":
		return 0, classTime
	case half != "":
		var ok bool
		if c.hour, ok = ofHalf(c.hour, half); !ok {
			return 0, classTime
		}
	}
	if zoned {
		return c.instant(seconds)
	}
	return r.at(c)
}

// at returns the moment of a local time.
func (r *dateReader) at(c civil) (reward.Instant, class) {
	if why := c.check(); why != good {
		return 0, why
	}
	local := c.seconds()
	return c.instant(int(local - r.local.utc(local)))
}

// digits reads a number of two digits, or of one or two where one suffices.
func digits(s string, least int) (value, n int) {
	if len(s) >= 2 && (least == 2 || s[1]-'0' <= 9) {
		return two(s, 0), 2
	}
	if least == 1 && s != "" && s[0]-'0' <= 9 {
		return int(s[0] - '0'), 1
	}
	return 0, len(s) + 1
}

// ofHalf returns the hour of the day from one of twelve and AM or PM.
func ofHalf(hour int, half string) (int, bool) {
	if hour < 1 || hour > 12 {
		return 0, false
	}
	switch {
	case strings.EqualFold(half, "AM"):
		return hour % 12, true
	case strings.EqualFold(half, "PM"):
		return hour%12 + 12, true
	}
	return 0, false
}

const monthNames = "janfebmaraprmayjunjulaugsepoctnovdec"

// monthNamed returns the number of a month by the first three letters of its
// English name, 0 for none.
func monthNamed(s string) int {
	for i := 0; i < len(monthNames); i += 3 {
		if strings.EqualFold(s, monthNames[i:i+3]) {
			return i/3 + 1
		}
	}
	return 0
}
