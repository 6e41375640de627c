package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/audit/history"
	"recoup/program"
)

// mappingWriter writes a mapping with comments.
type mappingWriter struct{ strings.Builder }

// line writes a line so many levels deep.
func (w *mappingWriter) line(level int, text, comment string) {
	w.WriteString(strings.Repeat("  ", level) + text)
	if comment != "" {
		w.WriteString("  # " + comment)
	}
	w.WriteByte('\n')
}

// member writes a name and a value, which is quoted unless it is a word.
func (w *mappingWriter) member(level int, name, value, comment string) {
	w.line(level, scalar(name)+": "+scalar(value), comment)
}

// scalar writes a value so that it is read back as it is: in quotes, of which
// YAML's are Go's, unless it is one of our own words.
func scalar(value string) string {
	for i := range len(value) {
		if c := value[i]; c != '_' && c != '-' && (c < 'a' || c > 'z') || i == 0 && c == '-' {
			return strconv.Quote(value)
		}
	}
	switch value {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(value)
	}
	return value
}

// list writes values between brackets.
func list(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// write writes the part of the mapping that is for the table.
func (p *part) write(w *mappingWriter) {
	w.line(0, p.table.String()+":", "")
	if p.layout.delimiter != 0 {
		w.member(1, "delimiter", string(p.layout.delimiter), "")
	}
	if p.layout.charset != nil {
		w.member(1, "encoding", "windows-1252", "it is not UTF-8")
	}
	if p.layout.skipLines > 0 {
		w.line(1, "skip_lines: "+strconv.Itoa(p.layout.skipLines), "before the header")
	}
	p.writeColumns(w)
	p.writeIDs(w)
	clawbacks := p.writeKinds(w)
	p.writeConditions(w)
	if p.columns[fieldPostedAt] != nil && p.header[p.columns[fieldPostedAt][0]].kind != timeColumn {
		format, local, comment := guessDate(p.of(fieldPostedAt))
		w.member(1, "date_format", format.text, comment)
		if local {
			w.member(1, "time_zone", "UTC", "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
		}
	}
	if p.columns[fieldAmount] != nil || p.columns[fieldPrice] != nil {
		p.writeAmount(w, clawbacks)
	}
	if slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }) {
		w.member(1, "mcc_format", "number", "zeros before the code are missing")
	}
}

// names are the names of columns, as a mapping has them.
func (p *part) names(columns []int) string {
	names := make([]string, len(columns))
	for i, at := range columns {
		names[i] = p.header[at].name
	}
	if len(names) == 1 {
		return scalar(names[0])
	}
	return list(names)
}

// writeColumns names the columns, those too whose names need no mapping.
func (p *part) writeColumns(w *mappingWriter) {
	if slices.ContainsFunc(p.columns[:], func(at []int) bool { return at != nil }) {
		w.line(1, "columns:", "")
	} else {
		w.line(1, "columns: {}", "")
	}
	for _, f := range p.table.fields() {
		switch {
		case p.columns[f] != nil:
			comment := ""
			if p.unsure(f) {
				comment = "check"
			}
			w.line(2, f.String()+": "+p.names(p.columns[f]), comment)
		case !p.table.requires(f), f == fieldCurrency, f == p.table.id(), f == fieldAmount && p.columns[fieldPrice] != nil:
		default:
			w.line(2, "# "+f.String()+":", "check: no column looks like it, and there must be one")
		}
	}
	if p.columns[fieldCurrency] == nil && p.table == transactions {
		currency, comment := p.currency()
		w.line(1, "constants:", "")
		w.line(2, "currency: "+strconv.Quote(currency), comment)
	}
}

// currency guesses the currency of a file that has no column for it: from the
// name of the column of amounts, or the signs in it.
func (p *part) currency() (code, comment string) {
	texts := []string{p.amounts.symbol}
	for _, f := range []field{fieldAmount, fieldPrice} {
		if p.columns[f] != nil {
			name := p.header[p.columns[f][0]].name
			texts = append(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" ()[]/_-", r) }), texts...)
		}
	}
	for _, text := range texts {
		if symbol, ok := currencySigns[text]; ok {
			text = symbol
		}
		if _, known := program.MinorUnits(text); known {
			return text, "said by the column of amounts"
		}
	}
	return "USD", "check: no column says the currency"
}

// writeIDs says where ids come from, if not from a column with one for each row.
func (p *part) writeIDs(w *mappingWriter) {
	id := p.table.id()
	if id == noField {
		return
	}
	if p.columns[id] == nil {
		w.member(1, "ids", "generated", "check: no column names the rows; file and line do")
		return
	}
	ids := p.of(id)
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(ids)))); distinct < len(ids) && p.columns[fieldArticle] != nil {
		w.member(1, "receipts", "sum", fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct))
	}
}

// writeKinds writes which kind each word is for, and returns the words that take
// a reward back.
func (p *part) writeKinds(w *mappingWriter) (clawbacks []string) {
	if p.columns[fieldKind] == nil || layouts[p.table].kinds == nil {
		return nil
	}
	values := p.values(p.columns[fieldKind][0], p.rows)
	if len(values) > 0 {
		w.line(1, "kinds:", "")
	}
	for _, value := range values {
		kind, known := kindOf(value)
		comment := ""
		if !known || tableOf(kind) != p.table {
			kind, comment = layouts[p.table].kind, "check"
		}
		w.line(2, strconv.Quote(value)+": "+kind.String(), comment)
		if kind == history.Reward && isOneOf(value, clawbackWords) {
			clawbacks = append(clawbacks, value)
		}
	}
	return clawbacks
}

// valuesOf returns the values of a column that are one of the words, nil for none.
func (p *part) valuesOf(column int, words string) []string {
	found := slices.DeleteFunc(p.values(column, p.rows), func(value string) bool { return !isOneOf(value, words) })
	if len(found) == 0 {
		return nil
	}
	return found
}

// writeConditions writes which rows belong to the table, and which did not
// happen.
func (p *part) writeConditions(w *mappingWriter) {
	switch {
	case p.kinds != nil:
		w.line(1, "only: {column: "+strconv.Quote(p.header[p.column(synonyms[fieldKind], nil)].name)+", values: "+list(p.kinds)+"}", "check")
	case p.sign != "":
		w.line(1, "only: {column: "+p.names(p.columns[p.signed])+", "+p.sign+": 0}", p.note)
	}
	if p.status < 0 {
		return
	}
	if open := p.valuesOf(p.status, openWords); open != nil {
		w.line(1, "skip: {column: "+strconv.Quote(p.header[p.status].name)+", values: "+list(open)+"}", "check: rows that did not happen, or not yet")
		p.keep(func(row []string) bool { return !slices.Contains(open, row[p.status]) })
	}
}

func (p *part) writeAmount(w *mappingWriter, clawbacks []string) {
	if p.sign == "" {
		p.guessAmounts() // by the rows that are left
	}
	p.writeFormat(w)
	f := fieldAmount
	if p.sign != "" {
		f = p.signed
	}
	above, below := p.signs(f)
	switch {
	case p.sign == "below", p.table == transactions && below > 0 && above == 0:
		w.member(1, "sign", "negated", "all are below zero")
	case p.table == refunds && below > 0 && above == 0:
		w.member(1, "sign", "negated", "all amounts are below zero")
	case p.table == refunds && below > 0:
		w.member(1, "sign", "absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", above, below))
	case p.table == redemptions && below > above:
		w.member(1, "sign", "negated", "check: most amounts are below zero")
	case p.table == rewards && below == 0 && p.columns[fieldNegative] == nil:
		p.writeDirection(w, clawbacks)
	}
}

// writeFormat writes how amounts are written.
func (p *part) writeFormat(w *mappingWriter) {
	format := &p.amounts
	if !format.decimal {
		w.member(1, "amount_format", "minor", p.amountsNote)
	} else {
		w.member(1, "amount_format", "decimal", p.amountsNote)
		w.member(1, "decimal_separator", format.point, "")
	}
	for _, m := range [][2]string{{"thousands_separator", format.group}, {"negatives", []string{"", "trailing_minus", "parentheses"}[format.negatives]}, {"symbol", format.symbol}} {
		if m[1] != "" {
			w.member(1, m[0], m[1], "")
		}
	}
}

// writeDirection finds the column that says which rewards are taken back where
// amounts have no sign.
func (p *part) writeDirection(w *mappingWriter, clawbacks []string) {
	if p.side >= 0 {
		if debits := p.valuesOf(p.side, debitWords); debits != nil {
			w.line(1, "direction: {column: "+strconv.Quote(p.header[p.side].name)+", negative: "+list(debits)+"}", "check: rewards taken back")
			return
		}
	}
	if clawbacks != nil {
		w.line(1, "direction: {column: "+p.names(p.columns[fieldKind])+", negative: "+list(clawbacks)+"}", "check: rewards taken back")
	}
}
