package intake

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// part is what of a file belongs to one table.
type part struct {
	*sample
	table       table
	rows        [][]string
	at          [fieldCount][]int // indexes of each field's columns
	amounts     amountFormat
	amountsNote string   // what is to be checked of it
	kinds       []string // of the table, where a column says them for several
	sign        string   // above or below: the side of zero that is the table's, where that alone tells
	signNote    string   // how sure that is
}

// parts guesses which tables the file holds.
func (s *sample) parts() (parts []*part) {
	var of [tableCount][]string
	words := values(s.rows, s.column(synonyms[fieldKind], nil))
	for i, value := range words {
		kind := kindOf(value)
		if kind == 0 && len(words) == 2 && s.table() == transactions { // of two the other one
			kind = map[history.Kind]history.Kind{history.Purchase: history.Refund, history.Refund: history.Purchase}[kindOf(words[1-i])]
		}
		for t := range tableCount {
			if t.takes(kind) {
				of[t] = append(of[t], value)
			}
		}
	}
	if (of[transactions] == nil || of[refunds] == nil) && (of[rewards] == nil || of[redemptions] == nil) {
		return s.part(s.table(), nil, false).bySign()
	}
	for t, kinds := range of {
		if kinds != nil {
			parts = append(parts, s.part(table(t), kinds, true))
		}
	}
	return parts
}

// bySign makes two parts of purchases and refunds that only the sign tells apart.
// The more frequent sign is that of purchases.
func (p *part) bySign() []*part {
	p.guessAmounts()
	above, below := p.signs()
	if p.table != transactions || above == 0 || below == 0 {
		return []*part{p}
	}
	back := p.sample.part(refunds, nil, true)
	p.sign, back.sign = "above", "below"
	if below > above {
		p.sign, back.sign = back.sign, p.sign
	}
	p.signNote = fmt.Sprintf("check: %d are above zero and %d below, of %d sampled; the fewer are taken for refunds", above, below, len(p.rows))
	back.signNote = p.signNote
	return []*part{p, back}
}

// signed is the field that has the sign.
func (p *part) signed() field {
	if p.at[fieldAmount] == nil {
		return fieldQuantity
	}
	return fieldAmount
}

// signs counts the amounts on either side of zero.
func (p *part) signs() (above, below int) {
	for _, text := range p.of(p.signed()) {
		switch n, _ := p.amounts.read(text); {
		case n > 0:
			above++
		case n < 0:
			below++
		}
	}
	return above, below
}

// table guesses the one table of the file from its name and those of columns.
func (s *sample) table() table {
	file := plain(filepath.Base(s.path))
	inName := func(word string) bool { return strings.Contains(file, word) }
	inHeader := func(word string) bool {
		return slices.ContainsFunc(s.header, func(name string) bool { return strings.HasPrefix(plain(name), word) })
	}
	for _, is := range []func(word string) bool{inName, inHeader} {
		for _, t := range []table{redemptions, refunds, rewards} { // a redemption redeems rewards
			if slices.ContainsFunc(strings.Fields(tableWords[t]), is) {
				return t
			}
		}
	}
	// Rewards are of many accounts, and a statement of purchases is of one.
	if slices.ContainsFunc([]field{fieldTransaction, fieldMerchant, fieldMCC, fieldPrice}, s.has) || !s.has(fieldAccount) {
		return transactions
	}
	return rewards
}

// part finds the columns of a table, those that a row cannot do without first. A
// ledger holds several tables, and kinds are those of the table, if a column says them.
func (s *sample) part(t table, kinds []string, ledger bool) *part {
	p := &part{sample: s, table: t, rows: s.rows, kinds: kinds}
	taken := map[int]bool{}
	find := func(lists ...string) (found []int) {
		for _, words := range lists {
			if i := s.column(words, taken); i >= 0 {
				found, taken[i] = append(found, i), true
			}
		}
		return found
	}
	for _, f := range t.fields() {
		words := synonyms[f]
		switch {
		case f == fieldRefund && ledger: // which has one id for all its rows
			words = synonyms[fieldTransaction]
		case f == fieldTransaction && t == refunds && ledger:
			words = originNames
		case f == fieldTransaction && t == rewards:
			words = linkNames + originNames
		case f == fieldPostedAt && s.column(yearNames, nil) >= 0 && s.column(monthNames, nil) >= 0:
			p.at[f] = find(yearNames, monthNames, dayNames, clockNames)
			continue
		case f == fieldKind && ledger && kinds == nil, f == fieldPrice && p.at[fieldAmount] != nil,
			(f == fieldQuantity || f == fieldArticle) && p.at[fieldPrice] == nil:
			continue
		}
		p.at[f] = find(words)
		if f == fieldPostedAt {
			p.at[f] = append(p.at[f], find(p.clock(taken))...)
		}
	}
	if p.at[fieldQuantity] == nil {
		p.at[fieldPrice] = nil
	}
	if specs[t].signed && p.at[fieldAmount] == nil {
		p.at[fieldAmount], p.at[fieldNegative] = find(creditNames), find(debitNames)
	}
	if t == refunds && p.at[fieldRefund] == nil {
		p.at[fieldRefund], p.at[fieldTransaction] = p.at[fieldTransaction], nil
	}
	if kinds != nil {
		at := s.column(synonyms[fieldKind], nil)
		p.keep(func(row []string) bool { return slices.Contains(kinds, row[at]) })
	}
	if codes := p.of(fieldMCC); p.at[fieldCategory] == nil && len(codes) > 0 && !isDigits(codes[0]) {
		p.at[fieldCategory], p.at[fieldMCC] = p.at[fieldMCC], nil // it is said in words
	}
	return p
}

// clock are the names of the column of the time of day, where it is beside that of the date.
func (p *part) clock(taken map[int]bool) string {
	date, at := p.of(fieldPostedAt), p.column(clockNames, taken)
	if at < 0 || len(date) == 0 || !strings.ContainsAny(date[0], "./-") || strings.Contains(date[0], ":") || !strings.Contains(p.rows[0][at], ":") {
		return ""
	}
	return clockNames
}

// keep leaves other rows out of the part.
func (p *part) keep(wanted func(row []string) bool) {
	p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool { return !wanted(row) })
}

// of returns the values of a field in the table's rows, empty ones aside.
func (p *part) of(f field) (values []string) {
	for _, row := range p.rows {
		if value := joined(row, p.at[f]); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// unsure reports whether the column of a field may well be another.
func (p *part) unsure(f field) bool {
	named := slices.DeleteFunc(slices.Clone(p.header), func(name string) bool { return rank(name, synonyms[f]) < 0 })
	return len(p.at[f]) == 1 && (len(named) != 1 || isOneOf(p.header[p.at[f][0]], vague))
}

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
