package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/audit/history"
)

// write writes the part of the mapping that is for the table.
func (p *part) write(w *mappingWriter) {
	w.line(0, p.table.String()+":", "")
	if p.layout.delimiter != 0 {
		w.member(1, "delimiter", string(p.layout.delimiter), "")
	}
	if p.layout.latin1 {
		w.member(1, "encoding", "latin-1", "it is not UTF-8")
	}
	if p.layout.skipLines > 0 {
		w.line(1, "skip_lines: "+strconv.Itoa(p.layout.skipLines), "before the header")
	}
	p.writeColumns(w)
	kinds := p.writeKinds(w)
	p.writeConditions(w)
	p.writeDate(w)
	p.writeAmount(w, kinds)
	p.writeMCC(w)
}

// name is what a field's column is called.
func (p *part) name(f field) string { return p.header[p.columns[f]].name }

// of returns the values that the table's rows have in a field's column, empty
// ones aside.
func (p *part) of(f field) []string {
	if p.columns[f] < 0 {
		return nil
	}
	return p.at(p.columns[f])
}

func (p *part) at(column int) []string {
	var values []string
	for _, row := range p.rows {
		if row[column] != "" {
			values = append(values, row[column])
		}
	}
	return values
}

// vague are names that columns of any content have.
const vague = `id code art value points summe cents cashback ref reference referenz type vorgang time date created createdat epoch activity card`

// unsure reports whether the column of a field may well be another.
func (p *part) unsure(f field) bool {
	known := 0
	for _, c := range p.header {
		if isOneOf(c.name, synonyms[f]) {
			known++
		}
	}
	return known != 1 || isOneOf(p.name(f), vague)
}

// writeColumns names the columns, those too whose names need no mapping, and
// keeps others with the name of a field from being taken for it.
func (p *part) writeColumns(w *mappingWriter) {
	if slices.Max(p.columns[:]) >= 0 {
		w.line(1, "columns:", "")
	} else {
		w.line(1, "columns: {}", "")
	}
	for _, f := range slices.Concat(layouts[p.table].required, layouts[p.table].optional) {
		required := slices.Contains(layouts[p.table].required, f)
		switch i := p.columns[f]; {
		case i >= 0:
			comment := ""
			if p.unsure(f) {
				comment = "check"
			}
			w.member(2, f.String(), p.header[i].name, comment)
		case f == fieldCurrency && required:
		case required:
			w.line(2, "# "+f.String()+":", "check: no column looks like it, and there must be one")
		}
	}
	if p.columns[fieldCurrency] < 0 && p.table == transactions {
		w.line(1, "constants:", "")
		currency, comment := "USD", "check: no column says the currency"
		for _, value := range p.of(fieldAmount) {
			for symbol, code := range map[string]string{"€": "EUR", "£": "GBP"} {
				if strings.Contains(value, symbol) || strings.Contains(value, code) {
					currency = code
				}
			}
		}
		w.line(2, "currency: "+strconv.Quote(currency), comment)
	}
}

// writeKinds writes which kind each word is for, and returns the words that take
// a reward back.
func (p *part) writeKinds(w *mappingWriter) (clawbacks []string) {
	column := p.columns[fieldKind]
	if column < 0 || layouts[p.table].kinds == nil {
		return nil
	}
	values := p.values(column, p.rows)
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
	if p.only != nil {
		w.line(1, "only: {column: "+strconv.Quote(p.header[p.column(synonyms[fieldKind], nil)].name)+", values: "+list(p.only)+"}", "check")
	}
	if p.status < 0 {
		return
	}
	if open := p.valuesOf(p.status, openWords); open != nil {
		w.line(1, "skip: {column: "+strconv.Quote(p.header[p.status].name)+", values: "+list(open)+"}", "check: rows that did not happen, or not yet")
		p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool { return slices.Contains(open, row[p.status]) })
	}
}

func (p *part) writeDate(w *mappingWriter) {
	if p.columns[fieldPostedAt] < 0 || p.header[p.columns[fieldPostedAt]].kind == timeColumn {
		return
	}
	g := guessDate(p.of(fieldPostedAt))
	w.member(1, "date_format", g.format.text, g.comment)
	if g.local {
		w.member(1, "time_zone", "UTC", "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
	}
}

func (p *part) writeAmount(w *mappingWriter, clawbacks []string) {
	if p.columns[fieldAmount] < 0 {
		return
	}
	samples := slices.Concat(p.of(fieldAmount), p.of(fieldNegative))
	g := guessAmount(samples)
	if p.header[p.columns[fieldAmount]].kind == decimalColumn {
		g = amountGuess{format: amountFormat{decimal: true, point: ".", decimals: mostDecimals}}
	}
	g.write(w)
	positive, negative := 0, 0
	for _, text := range samples {
		switch amount, _ := g.format.read(text); {
		case amount > 0:
			positive++
		case amount < 0:
			negative++
		}
	}
	switch {
	case !layouts[p.table].signed && negative > 0 && positive > 0:
		w.member(1, "sign", "absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", positive, negative))
	case p.table != rewards && negative > 0 && positive == 0:
		w.member(1, "sign", "negated", "all amounts are below zero")
	case p.table == redemptions && negative > positive:
		w.member(1, "sign", "negated", "check: most amounts are below zero")
	case p.table == rewards && negative == 0 && p.columns[fieldNegative] < 0:
		p.writeDirection(w, clawbacks)
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
		w.line(1, "direction: {column: "+strconv.Quote(p.name(fieldKind))+", negative: "+list(clawbacks)+"}", "check: rewards taken back")
	}
}

func (p *part) writeMCC(w *mappingWriter) {
	if slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }) {
		w.member(1, "mcc_format", "number", "zeros before the code are missing")
	}
}
