package intake

import (
	"cmp"
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

// member writes a member of a table with a value, if there is one.
func (w *mappingWriter) member(name, value, comment string) {
	if value != "" {
		w.line(1, name+": "+scalar(value), comment)
	}
}

// rows writes which rows a member is about: those that have one of the values in a column.
func (w *mappingWriter) rows(member, column, values string, of []string, comment string) {
	w.line(1, member+": {column: "+strconv.Quote(column)+", "+values+": "+list(of)+"}", comment)
}

// scalar writes a value so that it is read back as it is: in quotes, of which
// YAML's are Go's, unless it is one of our own words.
func scalar(value string) string {
	other := func(c rune) bool { return c != '_' && c != '-' && (c < 'a' || c > 'z') }
	notText := []string{"", "null", "true", "false", "yes", "no", "on", "off", "y", "n"}
	if strings.ContainsFunc(value, other) || strings.HasPrefix(value, "-") || slices.Contains(notText, value) {
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
		w.member("delimiter", string(p.layout.delimiter), "")
	}
	if p.layout.charset != nil {
		w.member("encoding", "windows-1252", "it is not UTF-8")
	}
	if p.layout.skipLines > 0 {
		w.line(1, "skip_lines: "+strconv.Itoa(p.layout.skipLines), "before the header")
	}
	p.writeColumns(w)
	p.writeIDs(w)
	clawbacks := p.writeKinds(w)
	p.writeConditions(w)
	if at := p.columns[fieldPostedAt]; at != nil && p.header[at[0]].kind != timeColumn {
		format, local, comment := guessDate(p.of(fieldPostedAt))
		w.member("date_format", format.text, comment)
		if local {
			w.member("time_zone", "UTC", "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
		}
	}
	if p.columns[fieldAmount] != nil || p.columns[fieldPrice] != nil {
		p.writeAmount(w, clawbacks)
	}
	if slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }) {
		w.member("mcc_format", "number", "zeros before the code are missing")
	}
}

// named are the names of columns, as a mapping has them.
func (p *part) named(columns []int) string {
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
	head := "columns: {}"
	if slices.ContainsFunc(p.columns[:], func(at []int) bool { return at != nil }) {
		head = "columns:"
	}
	w.line(1, head, "")
	for _, f := range p.table.fields() {
		switch {
		case p.unsure(f):
			w.line(2, f.String()+": "+p.named(p.columns[f]), "check")
		case p.columns[f] != nil:
			w.line(2, f.String()+": "+p.named(p.columns[f]), "")
		case !p.table.requires(f), f == fieldCurrency, f == p.table.id(), f == fieldAmount && p.columns[fieldPrice] != nil:
		default:
			w.line(2, "# "+f.String()+":", "check: no column looks like it, and there must be one"+map[bool]string{true: ", or a constant"}[f == fieldAccount])
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
		text = cmp.Or(currencySigns[text], text)
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
		w.member("ids", "generated", "check: no column names the rows; file and line do")
		return
	}
	ids := p.of(id)
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(ids)))); distinct < len(ids) && p.columns[fieldArticle] != nil {
		w.member("receipts", "sum", fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct))
	}
}

// writeKinds writes which kind each word is for, and returns the words that take
// a reward back.
func (p *part) writeKinds(w *mappingWriter) (clawbacks []string) {
	if p.columns[fieldKind] == nil || layouts[p.table].kinds == nil {
		return nil
	}
	for i, value := range p.values(p.columns[fieldKind][0], p.rows) {
		if i == 0 {
			w.line(1, "kinds:", "")
		}
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

// valuesOf returns the values of a column, if there is one, that are one of the words.
func (p *part) valuesOf(column int, words string) []string {
	if column < 0 {
		return nil
	}
	return slices.DeleteFunc(p.values(column, p.rows), func(value string) bool { return !isOneOf(value, words) })
}

// writeConditions writes which rows belong to the table, and which did not
// happen.
func (p *part) writeConditions(w *mappingWriter) {
	switch {
	case p.kinds != nil:
		w.rows("only", p.header[p.column(synonyms[fieldKind], nil)].name, "values", p.kinds, "check")
	case p.sign != "":
		w.line(1, "only: {column: "+p.named(p.columns[p.signed])+", "+p.sign+": 0}", p.note)
	}
	if open := p.valuesOf(p.status, openWords); len(open) > 0 {
		w.rows("skip", p.header[p.status].name, "values", open, "check: rows that did not happen, or not yet")
		p.keep(func(row []string) bool { return !slices.Contains(open, row[p.status]) })
	}
}

func (p *part) writeAmount(w *mappingWriter, clawbacks []string) {
	f := fieldAmount
	if p.sign == "" {
		p.guessAmounts() // by the rows that are left
	} else {
		f = p.signed
	}
	if format := &p.amounts; format.decimal {
		w.member("amount_format", "decimal", p.amountsNote)
		w.member("decimal_separator", format.point, "")
	} else {
		w.member("amount_format", "minor", p.amountsNote)
	}
	w.member("thousands_separator", p.amounts.group, "")
	w.member("negatives", []string{"", "trailing_minus", "parentheses"}[p.amounts.negatives], "")
	w.member("symbol", p.amounts.symbol, "")
	above, below := p.signs(f)
	switch debits := p.valuesOf(p.side, debitWords); {
	case p.sign == "below", p.table == transactions && below > 0 && above == 0:
		w.member("sign", "negated", "all are below zero")
	case p.table == refunds && below > 0 && above == 0:
		w.member("sign", "negated", "all amounts are below zero")
	case p.table == refunds && below > 0:
		w.member("sign", "absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", above, below))
	case p.table == redemptions && below > above:
		w.member("sign", "negated", "check: most amounts are below zero")
	case p.table != rewards || below > 0 || p.columns[fieldNegative] != nil:
	case len(debits) > 0: // amounts have no sign, and this column says which rewards are taken back
		w.rows("direction", p.header[p.side].name, "negative", debits, "check: rewards taken back")
	case clawbacks != nil:
		w.rows("direction", p.header[p.columns[fieldKind][0]].name, "negative", clawbacks, "check: rewards taken back")
	}
}
