package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// datesGuessed and timesGuessed are tried together, the likelier first; before them
// those of standards, after them months, for totals, and counts.
var (
	firstGuessed = []string{rfc3339.text, iso.text}
	datesGuessed = []string{
		"DD.MM.YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD", "MM/DD/YYYY", "DD/MM/YYYY", "MM-DD-YYYY", "DD-MM-YYYY",
		"D.M.YYYY", "M/D/YYYY", "D/M/YYYY", "DD.MM.YY", "MM/DD/YY", "DD/MM/YY", "DD-Mon-YYYY", "DD Mon YYYY", "DD-Mon-YY", "Mon D, YYYY", "YYYY M D",
	}
	timesGuessed = []string{
		"", " hh:mm:ss", " hh:mm", " h:mm:ss AM", " h:mm AM", "Thh:mm:ss", " hh.mm.ss", "hhmmss", " hhmmss", ", hh:mm:ss", " hh:mm:ssZ", " hh:mm:ss Z",
	}
	lastGuessed = []string{"YYYY-MM", "YYYYMM", "MM/YYYY", "MM.YYYY", "Mon YYYY", "YYYY M", "excel", "unix", "unix_ms", "unix_us", "unix_ns"}
	// The same digits may be either.
	twins = strings.NewReplacer("MM/DD/", "DD/MM/", "MM-DD-", "DD-MM-", "M/D/", "D/M/")
	// Exports are of the time since there are reward programs.
	plausible = [2]reward.Instant{reward.At(time.Date(1985, 1, 1, 0, 0, 0, 0, time.UTC)), reward.At(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))}
)

// likeliest returns the first candidate that reads the most samples, and what is to be
// checked of it.
func likeliest[T any](samples []string, candidates []T, reads func(T, string) bool) (best T, check string) {
	most := -1
	for _, c := range candidates {
		n := 0
		for _, text := range samples {
			if reads(c, text) {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
		if n == len(samples) {
			return best, ""
		}
	}
	return best, fmt.Sprintf("check: %d of %d samples are written so", most, len(samples))
}

// guessDate returns the format of dates, whether these are local times, without an
// offset from UTC, and what is to be checked.
func guessDate(samples []string) (best *dateFormat, local bool, check string) {
	formats := slices.Clone(firstGuessed)
	for _, date := range datesGuessed {
		for _, time := range timesGuessed {
			formats = append(formats, date+time)
		}
	}
	reads := func(r *dateReader, text string) bool {
		at, why := r.read(text)
		return why == "" && at >= plausible[0] && at < plausible[1]
	}
	readers := func(formats ...string) (list []*dateReader) {
		for _, text := range formats {
			if format, err := compileDate(text); err == nil { // not all dates and times go together
				list = append(list, &dateReader{dateFormat: format, zone: time.UTC})
			}
		}
		return list
	}
	r, check := likeliest(samples, readers(append(formats, lastGuessed...)...), reads)
	best = r.dateFormat
	if local = !best.zoned && best.unit == 0; best == iso {
		local = slices.ContainsFunc(samples, func(text string) bool {
			return !strings.ContainsAny(text[min(len(text), len("2026-01-05")):], "Zz+-U")
		})
	}
	twin := twins.Replace(best.text)
	_, unlike := likeliest(samples, readers(twin), reads)
	switch {
	case len(samples) == 0:
		check = "check: there are no samples"
	case check != "":
	case best.monthly:
		check = "check: totals of months, taken to be of their last moment"
	case twin != best.text && unlike == "":
		check = "check: " + twin + " reads all samples too"
	}
	return best, local, check
}

// mostDecimals are the most that any currency has, and fewDecimals a trick: with so many less
// than amounts may have besides, two at most are read.
const (
	mostDecimals = 4
	fewDecimals  = 2 - milliDecimals
)

// oneWord finds the sign or code of a currency beside a number.
var oneWord = regexp.MustCompile(`^[^\pL\p{Sc}]*([\pL\p{Sc}]{1,4})[^\pL\p{Sc}]*$`)

// guessAmounts guesses how the table's amounts are written, the plain ways first: what
// parts three digits from the others parts groups, unless it parts less elsewhere.
func (p *part) guessAmounts() {
	money := slices.Concat(p.at[fieldAmount], p.at[fieldPrice])
	if money != nil && p.sample.kinds[money[0]] == decimalColumn {
		p.amounts = amountFormat{decimal: true, point: ".", decimals: mostDecimals}
		return
	}
	samples := slices.Concat(p.of(fieldAmount), p.of(fieldPrice), p.of(fieldNegative))
	symbols := []string{""}
	for _, text := range samples {
		if found := oneWord.FindStringSubmatch(text); found != nil {
			symbols = []string{"", found[1]}
		}
	}
	var formats []amountFormat
	add := func(f amountFormat) {
		for f.negatives = leadingMinus; f.negatives <= parentheses; f.negatives++ {
			formats = append(formats, f)
		}
	}
	add(amountFormat{point: "."})
	for _, decimals := range []int{fewDecimals, mostDecimals} {
		for _, group := range []string{"", ",", ".", " ", "\u00a0", "\u202f", "'", "’"} {
			for _, point := range []string{".", ","} {
				for _, symbol := range symbols {
					if point != group {
						add(amountFormat{decimal: true, point: point, group: group, symbol: symbol, decimals: decimals})
					}
				}
			}
		}
	}
	best, check := likeliest(samples, formats, func(f amountFormat, text string) bool {
		_, why := f.read(text)
		return why == ""
	})
	best.decimals = mostDecimals
	switch {
	case p.at[fieldPrice] != nil && !best.decimal:
		best.decimal, check = true, "check: no price has decimals"
	case check != "":
	case !best.decimal:
		check = "check: whole numbers; decimal if these are not cents but whole units"
	case !slices.ContainsFunc(samples, func(text string) bool { return strings.Contains(text, best.point) }):
		check = "check: no sample has decimals"
	}
	p.amounts, p.amountsNote = best, check
}

// currency guesses the currency of a file that has no column for it: from the
// name of the column of amounts, or the signs in it.
func (p *part) currency() (code, comment string) {
	var texts []string
	for _, at := range slices.Concat(p.at[fieldPrice], p.at[fieldAmount]) {
		texts = append(texts, strings.FieldsFunc(p.header[at], func(r rune) bool { return strings.ContainsRune(" ()[]/_-", r) })...)
	}
	for _, text := range append(texts, p.amounts.symbol) {
		if code := cmp.Or(currencySigns[text], text); isCurrency(code) {
			return code, "said by the column of amounts"
		}
	}
	return "USD", "check: no column says the currency"
}
