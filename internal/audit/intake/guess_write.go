package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"recoup/internal/audit/history"
)

// mappingLine is a line of a mapping, if it is needed, with a comment.
type mappingLine struct {
	needed        bool
	text, comment string
}

// lines are the part of the mapping that is for the table.
func (p *part) lines() (list []mappingLine) {
	add := func(lines ...mappingLine) { list = append(list, lines...) }
	kind, status, side := p.column(synonyms[fieldKind], nil), p.column(statusNames, nil), p.column(sideNames, nil)
	words := values(p.rows, kind)
	open := oneOf(values(p.rows, status), openWords)
	p.keep(func(row []string) bool { return len(open) == 0 || !slices.Contains(open, row[status]) })
	p.guessAmounts() // by the rows that are left

	add(
		mappingLine{true, p.table.String() + ":", ""},
		mappingLine{p.layout.delimiter != 0, fmt.Sprintf("  delimiter: %q", string(p.layout.delimiter)), ""},
		mappingLine{p.layout.charset != encoding.Nop, "  encoding: windows-1252", "it is not UTF-8"},
		mappingLine{p.layout.skipLines > 0, fmt.Sprintf("  skip_lines: %d", p.layout.skipLines), "before the header"},
	)
	add(p.columnLines()...)
	add(p.idLine())
	var clawbacks []string
	if p.at[fieldKind] != nil && len(words) > 0 {
		add(mappingLine{true, "  kinds:", ""})
		for _, word := range words {
			is, known := kindOf(word)
			unsure := ""
			if !known || !p.table.takes(is) {
				is, unsure = specs[p.table].kind, "check"
			}
			add(mappingLine{true, fmt.Sprintf("    %q: %s", word, is), unsure})
			if is == history.Reward && isOneOf(word, clawbackWords) {
				clawbacks = append(clawbacks, word)
			}
		}
	}
	add(
		mappingLine{p.kinds != nil, "  only: " + p.with(kind, "values", p.kinds), "check"},
		mappingLine{p.sign != "", fmt.Sprintf("  only: {column: %s, %s: 0}", p.named(p.signed()), p.sign), p.signNote},
		mappingLine{len(open) > 0, "  skip: " + p.with(status, "values", open), "check: rows that did not happen, or not yet"},
	)
	if at := p.at[fieldPostedAt]; at != nil && p.sample.kinds[at[0]] != timeColumn {
		format, local, check := guessDate(p.of(fieldPostedAt))
		pattern := strconv.Quote(format.text)
		if slices.Contains(fixedFormats, format) {
			pattern = format.text
		}
		add(
			mappingLine{true, "  date_format: " + pattern, check},
			mappingLine{local, `  time_zone: "UTC"`, "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin"},
		)
	}
	add(p.amountLines()...)
	above, below := p.signs()
	debits := oneOf(values(p.rows, side), debitWords)
	// Amounts of rewards have no sign where another column says which are taken back.
	unsigned := p.table == rewards && below == 0 && p.at[fieldAmount] != nil && p.at[fieldNegative] == nil
	add(
		mappingLine{p.sign == "below" || p.sign == "" && p.table <= refunds && below > 0 && above == 0, "  sign: negated", "all are below zero"},
		mappingLine{p.sign == "" && p.table == refunds && below > 0 && above > 0, "  sign: absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", above, below)},
		mappingLine{p.table == redemptions && below > above, "  sign: negated", "check: most amounts are below zero"},
		mappingLine{unsigned && len(debits) > 0, "  direction: " + p.with(side, "negative", debits), "check: rewards taken back"},
		mappingLine{unsigned && len(debits) == 0 && clawbacks != nil, "  direction: " + p.with(kind, "negative", clawbacks), "check: rewards taken back"},
		mappingLine{slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }), "  mcc_format: number", "zeros before the code are missing"},
	)
	return list
}

// columnLines name the columns, those too whose names need no mapping, and the currency
// that no column says.
func (p *part) columnLines() []mappingLine {
	lines := []mappingLine{
		{true, "  columns:", ""},
		{!slices.ContainsFunc(p.at[:], func(at []int) bool { return at != nil }), "    {}", ""},
	}
	for _, f := range p.table.fields() {
		lacks := p.table.requires(f) && f != fieldCurrency && f != specs[p.table].id && (f != fieldAmount || p.at[fieldPrice] == nil)
		line := mappingLine{p.at[f] != nil, fmt.Sprintf("    %s: %s", f, p.named(f)), ""}
		switch {
		case p.unsure(f):
			line.comment = "check"
		case lacks && p.at[f] == nil:
			line = mappingLine{true, fmt.Sprintf("    # %s:", f), "check: no column looks like it, and there must be one"}
			if f == fieldAccount {
				line.comment += ", or a constant"
			}
		}
		lines = append(lines, line)
	}
	currency, why := p.currency()
	none := p.at[fieldCurrency] == nil && p.table == transactions
	return append(lines, mappingLine{none, "  constants:", ""}, mappingLine{none, fmt.Sprintf("    currency: %q", currency), why})
}

// idLine says where ids come from, if not from a column with one for each row.
func (p *part) idLine() mappingLine {
	id := specs[p.table].id
	if id == noField {
		return mappingLine{}
	}
	if p.at[id] == nil {
		return mappingLine{true, "  ids: generated", "check: no column names the rows; file and line do"}
	}
	ids := p.of(id)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	return mappingLine{
		distinct < len(ids) && p.at[fieldArticle] != nil, "  receipts: sum",
		fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct),
	}
}

// amountLines say how amounts are written, if there are any.
func (p *part) amountLines() []mappingLine {
	there, a := p.at[fieldAmount] != nil || p.at[fieldPrice] != nil, p.amounts
	return []mappingLine{
		{there && !a.decimal, "  amount_format: minor", p.amountsNote},
		{there && a.decimal, "  amount_format: decimal", p.amountsNote},
		{there && a.decimal, fmt.Sprintf("  decimal_separator: %q", a.point), ""},
		{a.group != "", fmt.Sprintf("  thousands_separator: %q", a.group), ""},
		{a.negatives != leadingMinus, "  negatives: " + negativeNames[a.negatives], ""},
		{a.symbol != "", fmt.Sprintf("  symbol: %q", a.symbol), ""},
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
	return quotedList(names)
}

// with are the rows that have one of the values in a column, as a mapping says it.
func (p *part) with(column int, member string, values []string) string {
	if column < 0 {
		return ""
	}
	return fmt.Sprintf("{column: %q, %s: %s}", p.header[column], member, quotedList(values))
}

// quotedList writes values between brackets. YAML's quotes are Go's.
func quotedList(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// oneOf returns the values that are one of the words.
func oneOf(values []string, words string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return !isOneOf(value, words) })
}
