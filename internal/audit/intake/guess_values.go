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

// datesGuessed and timesGuessed are tried together, the likelier first; after
// them months, for totals, and counts.
var (
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

// guessDate returns the first format that reads the most samples, whether these are local
// times, without an offset from UTC, and what is to be checked.
func guessDate(samples []string) (best *dateFormat, local bool, comment string) {
	formats := []string{rfc3339.text, iso.text}
	for _, date := range datesGuessed {
		for _, time := range timesGuessed {
			formats = append(formats, date+time)
		}
	}
	reads := func(format *dateFormat) int {
		r := dateReader{dateFormat: format, zone: time.UTC}
		return readable(samples, func(text string) bool {
			at, why := r.read(text)
			return why == "" && at >= plausible[0] && at < plausible[1]
		})
	}
	best, most := rfc3339, 0
	for _, text := range append(formats, lastGuessed...) {
		if format, err := compileDate(text); err == nil { // not all dates and times go together
			if n := reads(format); n > most {
				best, most = format, n
			}
		}
	}
	if local = !best.zoned && best.unit == 0; best == iso {
		local = slices.ContainsFunc(samples, func(text string) bool {
			return !strings.ContainsAny(text[min(len(text), len("2026-01-05")):], "Zz+-U")
		})
	}
	switch twin, err := compileDate(twins.Replace(best.text)); {
	case len(samples) == 0:
		comment = "check: there are no samples"
	case most < len(samples):
		comment = fmt.Sprintf("check: %d of %d samples are written so", most, len(samples))
	case best.monthly:
		comment = "check: totals of months, taken to be of their last moment"
	case err == nil && twin.text != best.text && reads(twin) == most:
		comment = "check: " + twin.text + " reads all samples too"
	}
	return best, local, comment
}

// readable counts the samples that are read.
func readable(samples []string, reads func(string) bool) (n int) {
	for _, text := range samples {
		if reads(text) {
			n++
		}
	}
	return n
}

// mostDecimals are the most that any currency has, and fewDecimals a trick: with so many less
// than amounts may have besides, two at most are read.
const (
	mostDecimals = 4
	fewDecimals  = 2 - milliDecimals
)

// guessAmounts guesses how the table's amounts are written.
func (p *part) guessAmounts() {
	f := fieldAmount
	if p.at[f] == nil {
		f = fieldPrice
	}
	if p.at[f] != nil && p.header[p.at[f][0]].kind == decimalColumn {
		p.amounts = amountFormat{decimal: true, point: ".", decimals: mostDecimals}
		return
	}
	p.amounts, p.amountsNote = guessAmount(slices.Concat(p.of(f), p.of(fieldNegative)))
	if f == fieldPrice && !p.amounts.decimal {
		p.amounts.decimal, p.amountsNote = true, "check: no price has decimals"
	}
}

// oneWord finds the sign or code of a currency beside a number.
var oneWord = regexp.MustCompile(`^[^\pL\p{Sc}]*([\pL\p{Sc}]{1,4})[^\pL\p{Sc}]*$`)

// guessAmount returns the first format that reads the most samples, the plain ones first: what
// parts three digits from the others parts groups, unless it parts less elsewhere.
func guessAmount(samples []string) (best amountFormat, comment string) {
	symbols := []string{""}
	for _, text := range samples {
		if found := oneWord.FindStringSubmatch(text); found != nil {
			symbols = []string{"", found[1]}
		}
	}
	formats := []amountFormat{{point: ".", decimals: mostDecimals}}
	for _, decimals := range []int{fewDecimals, mostDecimals} {
		for _, group := range []string{"", ",", ".", " ", "\u00a0", "\u202f", "'", "’"} {
			for _, point := range []string{".", ","} {
				for _, symbol := range symbols {
					if point != group {
						formats = append(formats, amountFormat{decimal: true, point: point, group: group, symbol: symbol, decimals: decimals})
					}
				}
			}
		}
	}
	best = formats[0]
	most := 0
	for _, f := range formats {
		for f.negatives = leadingMinus; f.negatives <= parentheses && most < len(samples); f.negatives++ {
			if n := readable(samples, func(text string) bool { _, why := f.read(text); return why == "" }); n > most {
				best, most = f, n
			}
		}
	}
	best.decimals = mostDecimals
	switch {
	case most < len(samples):
		comment = fmt.Sprintf("check: %d of %d samples are written so", most, len(samples))
	case !best.decimal:
		comment = "check: whole numbers; decimal if these are not cents but whole units"
	case !slices.ContainsFunc(samples, func(text string) bool { return strings.Contains(text, best.point) }):
		comment = "check: no sample has decimals"
	}
	return best, comment
}

// currency guesses the currency of a file that has no column for it: from the
// name of the column of amounts, or the signs in it.
func (p *part) currency() (code, comment string) {
	texts := []string{p.amounts.symbol}
	for _, at := range slices.Concat(p.at[fieldPrice], p.at[fieldAmount]) {
		texts = append(texts, strings.FieldsFunc(p.header[at].name, func(r rune) bool { return strings.ContainsRune(" ()[]/_-", r) })...)
	}
	for _, text := range texts {
		if code := cmp.Or(currencySigns[text], text); isCurrency(code) {
			return code, "said by the column of amounts"
		}
	}
	return "USD", "check: no column says the currency"
}
