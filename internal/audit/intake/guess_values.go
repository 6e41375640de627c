package intake

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recoup/reward"
)

// dateGuess is how a column seems to write moments.
type dateGuess struct {
	format  *dateFormat
	local   bool // there is no offset from UTC
	comment string
}

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
)

// Exports are of the time since there are reward programs.
var plausible = [2]reward.Instant{reward.At(time.Date(1985, 1, 1, 0, 0, 0, 0, time.UTC)), reward.At(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))}

// guessDate returns the first format that reads the most samples.
func guessDate(samples []string) dateGuess {
	formats := []string{rfc3339.text, iso.text}
	for _, date := range datesGuessed {
		for _, time := range timesGuessed {
			formats = append(formats, date+time)
		}
	}
	best, most := dateGuess{format: rfc3339}, 0
	for _, text := range append(formats, lastGuessed...) {
		format, err := compileDate(text)
		if err != nil {
			continue // a date and a time that do not go together
		}
		if n := readable(format, samples); n > most {
			best, most = dateGuess{format: format}, n
		}
	}
	if best.local = !best.format.zoned && best.format.unit == 0; best.format == iso {
		best.local = slices.ContainsFunc(samples, func(text string) bool {
			return !strings.ContainsAny(text[min(len(text), len("2026-01-05")):], "Zz+-U")
		})
	}
	switch twin, err := compileDate(twins.Replace(best.format.text)); {
	case len(samples) == 0:
		best.comment = "check: there are no samples"
	case most < len(samples):
		best.comment = fmt.Sprintf("check: %d of %d samples are written so", most, len(samples))
	case best.format.monthly:
		best.comment = "check: totals of months, taken to be of their last moment"
	case err == nil && twin.text != best.format.text && readable(twin, samples) == most:
		best.comment = "check: " + twin.text + " reads all samples too"
	}
	return best
}

// readable counts the samples that are moments in the format.
func readable(format *dateFormat, samples []string) (n int) {
	r := dateReader{dateFormat: format, zone: time.UTC}
	for _, text := range samples {
		if at, why := r.read(text); why == "" && at >= plausible[0] && at < plausible[1] {
			n++
		}
	}
	return n
}

// amountGuess is how a column seems to write amounts.
type amountGuess struct {
	format  amountFormat
	comment string
}

// mostDecimals are the most that any currency has.
const mostDecimals = 4

// guessAmounts guesses how the table's amounts are written.
func (p *part) guessAmounts() amountGuess {
	f := fieldAmount
	if p.columns[f] == nil {
		f = fieldPrice
	}
	if p.columns[f] != nil && p.header[p.columns[f][0]].kind == decimalColumn {
		return amountGuess{format: amountFormat{decimal: true, point: ".", decimals: mostDecimals}}
	}
	g := guessAmount(slices.Concat(p.of(f), p.of(fieldNegative)))
	if f == fieldPrice && !g.format.decimal {
		g.format.decimal, g.comment = true, "check: no price has decimals"
	}
	return g
}

// guessAmount returns the format that samples are in.
func guessAmount(samples []string) amountGuess {
	g := amountGuess{format: amountFormat{point: ".", decimals: mostDecimals}}
	point, groups := "", map[string]bool{}
	for _, text := range samples {
		if strings.HasPrefix(text, "(") {
			g.format.negatives = parentheses
		}
		number := strings.Trim(text, "()+-\u00a0 ")
		if strings.HasSuffix(text, "-") {
			g.format.negatives = trailingMinus
		}
		if symbol := symbolOf(number); symbol != "" {
			g.format.symbol = symbol
			number = strings.Trim(strings.TrimSuffix(strings.TrimPrefix(number, symbol), symbol), "()+-\u00a0 ")
		}
		p, group := separators(number)
		if isSeparator(p) {
			point = p
		}
		if isSeparator(group) {
			groups[group] = true
		}
	}
	for group := range groups {
		if group != point {
			g.format.group = group
		}
	}
	if g.format.decimal = point != "" || g.format.group != "" || g.format.symbol != ""; point != "" {
		g.format.point = point
	} else if g.format.group == "." {
		g.format.point = ","
	}
	fits := 0
	for _, text := range samples {
		if _, why := g.format.read(text); why == "" {
			fits++
		}
	}
	switch {
	case fits < len(samples):
		g.comment = fmt.Sprintf("check: %d of %d samples are written so", fits, len(samples))
	case !g.format.decimal:
		g.comment = "check: whole numbers; decimal if these are not cents but whole units"
	case point == "":
		g.comment = "check: no sample has decimals"
	}
	return g
}

// symbolOf returns the sign or code of a currency before or after a number.
func symbolOf(number string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) }
	symbol := number[strings.LastIndexFunc(number, other)+1:]
	if end := strings.IndexFunc(number, other); end > 0 {
		symbol = number[:end]
	}
	if len(symbol) > longestSymbol || !utf8.ValidString(symbol) {
		return ""
	}
	return symbol
}

const longestSymbol = 8 // bytes

// separators returns what parts the decimals of a number and its groups: what
// comes last is before decimals, unless nothing else parts the number and three
// digits follow.
func separators(number string) (point, group string) {
	last := strings.LastIndexFunc(number, func(r rune) bool { return !unicode.IsDigit(r) })
	if last < 0 {
		return "", ""
	}
	text := func(i int) string {
		_, size := utf8.DecodeRuneInString(number[i:])
		return number[i : i+size]
	}
	first := strings.IndexFunc(number, func(r rune) bool { return !unicode.IsDigit(r) })
	a, b := text(first), text(last)
	switch {
	case a != b:
		return b, a
	case len(number)-last-len(b) == 3:
		return "", b
	}
	return b, ""
}

// write writes the format.
func (g *amountGuess) write(w *mappingWriter) {
	if !g.format.decimal {
		w.member(1, "amount_format", "minor", g.comment)
	} else {
		w.member(1, "amount_format", "decimal", g.comment)
		w.member(1, "decimal_separator", g.format.point, "")
		if g.format.group != "" {
			w.member(1, "thousands_separator", g.format.group, "")
		}
	}
	switch g.format.negatives {
	case parentheses:
		w.member(1, "negatives", "parentheses", "")
	case trailingMinus:
		w.member(1, "negatives", "trailing_minus", "")
	}
	if g.format.symbol != "" {
		w.member(1, "symbol", g.format.symbol, "")
	}
}
