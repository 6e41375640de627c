package intake

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"recoup/reward"
)

// dateFormat is how a column writes moments: in one of Go's layouts, or as a count.
type dateFormat struct {
	text    string // as the mapping writes it
	layouts []string
	zoned   bool  // all of the layouts say the offset from UTC
	half    bool  // of the day: AM or PM
	monthly bool  // there is no day: the end of the month is meant
	unit    int64 // of a count since 1970, how many there are in a second
}

var (
	// rfc3339 is the format of a file without a mapping, iso that of typed columns, with
	// T or a space, and time, seconds and offset may be missing; excel counts days.
	rfc3339 = &dateFormat{text: "rfc3339", layouts: []string{time.RFC3339}, zoned: true}
	iso     = &dateFormat{text: "iso", layouts: offset(
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05",
		"2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00", "2006-01-02 15:04",
		"2006-01-02T15:04:05 Z07:00", "2006-01-02T15:04 Z07:00",
	)}
	excel = &dateFormat{text: "excel"}
	// fixedFormats are those that are no patterns.
	fixedFormats = []*dateFormat{
		rfc3339, iso, {text: "unix", unit: 1}, {text: "unix_ms", unit: 1e3}, {text: "unix_us", unit: 1e6}, {text: "unix_ns", unit: 1e9}, excel,
	}
	// patterns are what stands for Go's layouts in mappings, no one after a shorter
	// one that it begins with. Go reads the fraction of a second unasked.
	patterns = regexp.MustCompile(`YYYY|YY|Mon|MM|M|DD|D|hh|h|mm|ss|\.f|,f|AM|Z`)
	goLayout = map[string]string{
		"YYYY": "2006", "YY": "06", "Mon": "Jan", "MM": "01", "M": "1", "DD": "02", "D": "2", "hh": "15", "h": "15", "mm": "04", "ss": "05", "AM": "PM", "Z": "Z07:00",
	}
)

// offset adds the other ways to write an offset to layouts that have one.
func offset(layouts ...string) (all []string) {
	for _, layout := range layouts {
		all = append(all, layout)
		if strings.Contains(layout, "Z07:00") {
			all = append(all, strings.Replace(layout, "Z07:00", "Z0700", 1), strings.Replace(layout, "Z07:00", "Z07", 1))
		}
	}
	return all
}

// compileDate reads a format as mappings write it.
func compileDate(text string) (*dateFormat, error) {
	if i := slices.IndexFunc(fixedFormats, func(f *dateFormat) bool { return f.text == text }); i >= 0 {
		return fixedFormats[i], nil
	}
	twice, given := "", map[string]bool{}
	layout := patterns.ReplaceAllStringFunc(text, func(pattern string) string {
		name := strings.TrimLeft(pattern, ".,")
		if given[name[:1]] {
			twice = name
		}
		given[name[:1]] = true
		return goLayout[pattern]
	})
	other := strings.TrimLeftFunc(patterns.ReplaceAllString(text, ""), func(c rune) bool {
		return c == 'T' || c != '_' && c <= '~' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	switch {
	case other != "":
		return nil, fmt.Errorf("expected rfc3339, iso, unix, unix_ms, unix_us, unix_ns, excel or a pattern of YYYY, YY, Mon, MM, M, DD, D, hh, h, mm, ss, .f, ,f, AM, Z with T and signs between them, not %s", quote(other))
	case twice != "":
		return nil, fmt.Errorf("%s is there twice in %s", twice, quote(text))
	case !given["Y"] || !given["M"]:
		return nil, fmt.Errorf("expected a pattern with year, month and day, such as YYYY-MM-DD hh:mm:ss or DD.MM.YYYY, or for totals of months YYYY-MM, not %s", quote(text))
	case (given["m"] || given["A"]) && !given["h"] || given["s"] && !given["m"] || given["f"] && !given["s"] || given["h"] && !given["D"]:
		return nil, fmt.Errorf("expected days before hours, hours before minutes or AM, minutes before seconds and seconds before f, not %s", quote(text))
	}
	if given["A"] {
		layout = strings.Replace(layout, "15", "3", 1)
	}
	return &dateFormat{text: text, layouts: offset(layout), zoned: given["Z"], half: given["A"], monthly: !given["D"]}, nil
}

// dateReader reads moments of one format; times without an offset are local to the
// zone. It begins with the layout that it last needed, so it is of one reader.
type dateReader struct {
	*dateFormat
	zone  *time.Location
	first int
}

// read returns the moment that the text says, or why it says none.
func (r *dateReader) read(text string) (reward.Instant, string) {
	var at time.Time
	ok := false
	switch {
	case r.unit > 0:
		at, ok = r.count(text)
	case r.dateFormat == excel:
		at, ok = r.days(text)
	default:
		at, ok = r.layout(text)
	}
	switch {
	case !ok:
		return 0, "expected a time as " + r.text + " has it"
	case at.Before(reward.EarliestInstant.Time()) || at.After(reward.LatestInstant.Time()):
		return 0, "expected a time from " + reward.EarliestInstant.String() + " to " + reward.LatestInstant.String()
	}
	return reward.At(at), ""
}

func (r *dateReader) layout(text string) (at time.Time, ok bool) {
	if r.half {
		text = strings.ToUpper(text)
	}
	if rest, utc := strings.CutSuffix(text, "UTC"); utc {
		text = rest + "Z"
	}
	for i := range r.layouts {
		i = (i + r.first) % len(r.layouts)
		var err error
		if at, err = time.Parse(r.layouts[i], text); err != nil {
			continue
		}
		r.first = i
		if r.monthly {
			at = at.AddDate(0, 1, 0).Add(-1)
		}
		if !r.zoned && !strings.Contains(r.layouts[i], "Z07") {
			at = local(at, r.zone)
		}
		return at, true
	}
	return at, false
}

// count reads a number of units since 1970, which may have decimals down to the
// nanosecond.
func (r *dateReader) count(text string) (at time.Time, ok bool) {
	whole, decimals, point := strings.Cut(text, ".")
	units, err := strconv.ParseUint(whole, 10, 63)
	if err != nil || point && (decimals == "" || len(decimals) > 9) {
		return at, false
	}
	nanos, err := strconv.ParseUint("0"+decimals+"000000000"[len(decimals):], 10, 63)
	if err != nil || int64(nanos)%r.unit != 0 {
		return at, false
	}
	n := int64(units)
	return time.Unix(n/r.unit, n%r.unit*(1e9/r.unit)+int64(nanos)/r.unit), true
}

// days reads a number of days as spreadsheets have them, to the millisecond.
func (r *dateReader) days(text string) (at time.Time, ok bool) {
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.") != "" || days > 1e6 {
		return at, false
	}
	const epoch = 25569 // 1970-01-01
	return local(time.UnixMilli(int64(math.Round((days-epoch)*86_400_000))).UTC(), r.zone), true
}

// local returns the moment at which clocks of a zone show what a clock of UTC shows
// at the time. Of a time that the clock shows twice it takes the earlier, and a time
// that the clock skips counts as if the clock had not been put forward yet: a day
// that begins with the skipped hour begins all the same.
func local(shown time.Time, zone *time.Location) time.Time {
	if zone == time.UTC {
		return shown
	}
	ahead := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	const margin = 26 * time.Hour // more than any offset, and less than between two changes
	before, after := ahead(shown.Add(-margin)), ahead(shown.Add(margin))
	early, late := shown.Add(-before), shown.Add(-after)
	if ahead(early) != before && ahead(late) == after {
		return late
	}
	return early
}
