package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/audit/history"
)

// mappingWriter writes a mapping with comments.
type mappingWriter struct{ strings.Builder }

// line writes a line so many levels deep.
func (w *mappingWriter) line(level int, comment, format string, args ...any) {
	w.WriteString(strings.Repeat("  ", level) + fmt.Sprintf(format, args...))
	if comment != "" {
		w.WriteString("  # " + comment)
	}
	w.WriteByte('\n')
}

// member writes a member of a table with a value, if there is one. YAML's quotes are Go's.
func (w *mappingWriter) member(name, value, comment string) {
	if value != "" {
		w.line(1, comment, "%s: %q", name, value)
	}
}

// rows writes which rows a member is about: those that have one of the values in a column.
func (w *mappingWriter) rows(member, column, values string, of []string, comment string) {
	w.line(1, comment, "%s: {column: %q, %s: %s}", member, column, values, list(of))
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
	w.line(0, "", "%s:", p.table)
	if p.layout.delimiter != 0 {
		w.member("delimiter", string(p.layout.delimiter), "")
	}
	if p.layout.charset != utf8Text {
		w.line(1, "it is not UTF-8", "encoding: windows-1252")
	}
	if p.layout.skipLines > 0 {
		w.line(1, "before the header", "skip_lines: %d", p.layout.skipLines)
	}
	kinds := p.valuesOf(synonyms[fieldKind], "")
	open := p.valuesOf(statusNames, openWords)
	status := p.column(statusNames, nil)
	p.keep(func(row []string) bool { return status < 0 || !slices.Contains(open, row[status]) })
	p.guessAmounts() // by the rows that are left
	p.writeColumns(w)
	clawbacks := p.writeKinds(w, kinds)
	switch {
	case p.kinds != nil:
		w.rows("only", p.header[p.column(synonyms[fieldKind], nil)], "values", p.kinds, "check")
	case p.sign != "":
		w.line(1, p.signNote, "only: {column: %s, %s: 0}", p.named(p.signed()), p.sign)
	}
	if len(open) > 0 {
		w.rows("skip", p.header[status], "values", open, "check: rows that did not happen, or not yet")
	}
	if at := p.at[fieldPostedAt]; at != nil && p.sample.kinds[at[0]] != timeColumn {
		p.writeDate(w)
	}
	if p.at[fieldAmount] != nil || p.at[fieldPrice] != nil {
		p.writeAmount(w, clawbacks)
	}
	if slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }) {
		w.line(1, "zeros before the code are missing", "mcc_format: number")
	}
}

// named are the names of a field's columns, as a mapping has them.
func (p *part) named(f field) string {
	var names []string
	for _, at := range p.at[f] {
		names = append(names, p.header[at])
	}
	if len(names) == 1 {
		return strconv.Quote(names[0])
	}
	return list(names)
}

// writeColumns names the columns, those too whose names need no mapping, and says where
// the currency and ids come from otherwise.
func (p *part) writeColumns(w *mappingWriter) {
	if w.line(1, "", "columns:"); slices.IndexFunc(p.at[:], func(at []int) bool { return at != nil }) < 0 {
		w.line(2, "", "{}")
	}
	id := specs[p.table].id
	for _, f := range p.table.fields() {
		switch {
		case p.unsure(f):
			w.line(2, "check", "%s: %s", f, p.named(f))
		case p.at[f] != nil:
			w.line(2, "", "%s: %s", f, p.named(f))
		case p.table.requires(f) && f != fieldCurrency && f != id && (f != fieldAmount || p.at[fieldPrice] == nil):
			w.line(2, "check: no column looks like it, and there must be one", "# %s:", f)
		}
	}
	if p.at[fieldCurrency] == nil && p.table == transactions {
		currency, comment := p.currency()
		w.line(1, "", "constants:")
		w.line(2, comment, "currency: %q", currency)
	}
	if id == noField {
		return
	}
	ids := p.of(id)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	switch {
	case p.at[id] == nil:
		w.line(1, "check: no column names the rows; file and line do", "ids: generated")
	case distinct < len(ids) && p.at[fieldArticle] != nil:
		w.line(1, fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct), "receipts: sum")
	}
}

// writeKinds writes which kind each word is for, and returns the words that take
// a reward back.
func (p *part) writeKinds(w *mappingWriter, words []string) (clawbacks []string) {
	if p.at[fieldKind] == nil || len(words) == 0 {
		return nil
	}
	w.line(1, "", "kinds:")
	for _, word := range words {
		kind, known := kindOf(word)
		comment := ""
		if !known || !p.table.takes(kind) {
			kind, comment = specs[p.table].kind, "check"
		}
		w.line(2, comment, "%q: %s", word, kind)
		if kind == history.Reward && isOneOf(word, clawbackWords) {
			clawbacks = append(clawbacks, word)
		}
	}
	return clawbacks
}

// valuesOf returns the values of a column, if there is one, that are one of the words.
func (p *part) valuesOf(names, words string) []string {
	return slices.DeleteFunc(values(p.rows, p.column(names, nil)), func(value string) bool { return words != "" && !isOneOf(value, words) })
}

func (p *part) writeDate(w *mappingWriter) {
	format, local, comment := guessDate(p.of(fieldPostedAt))
	if slices.Contains(fixedFormats, format) {
		w.line(1, comment, "date_format: %s", format.text)
	} else {
		w.member("date_format", format.text, comment)
	}
	if local {
		w.member("time_zone", "UTC", "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
	}
}

func (p *part) writeAmount(w *mappingWriter, clawbacks []string) {
	if p.amounts.decimal {
		w.line(1, p.amountsNote, "amount_format: decimal")
		w.member("decimal_separator", p.amounts.point, "")
	} else {
		w.line(1, p.amountsNote, "amount_format: minor")
	}
	w.member("thousands_separator", p.amounts.group, "")
	if p.amounts.negatives != leadingMinus {
		w.line(1, "", "negatives: %s", negativeNames[p.amounts.negatives])
	}
	w.member("symbol", p.amounts.symbol, "")
	above, below := p.signs()
	debits := p.valuesOf(sideNames, debitWords)
	switch {
	case p.sign == "below", p.sign == "" && p.table <= refunds && below > 0 && above == 0:
		w.line(1, "all are below zero", "sign: negated")
	case p.sign != "":
	case p.table == refunds && below > 0:
		w.line(1, fmt.Sprintf("check: %d amounts are above zero and %d below", above, below), "sign: absolute")
	case p.table == redemptions && below > above:
		w.line(1, "check: most amounts are below zero", "sign: negated")
	case p.table != rewards || below > 0 || p.at[fieldNegative] != nil:
	case len(debits) > 0: // amounts have no sign, and this column says which rewards are taken back
		w.rows("direction", p.header[p.column(sideNames, nil)], "negative", debits, "check: rewards taken back")
	case clawbacks != nil:
		w.rows("direction", p.header[p.at[fieldKind][0]], "negative", clawbacks, "check: rewards taken back")
	}
}
