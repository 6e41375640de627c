package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"

	"recoup/internal/intake/history"
)

// draft is a mapping that is being written.
type draft struct{ strings.Builder }

// add adds a line if it is needed, with a comment behind it.
func (d *draft) add(needed bool, line, comment string) {
	if comment != "" {
		line += "  # " + comment
	}
	if needed {
		d.WriteString(line + "\n")
	}
}

// write writes the part of the mapping that is for the table.
func (p *part) write(d *draft) {
	kind, status, side := p.column(synonyms[fieldKind], nil), p.column(statusNames, nil), p.column(sideNames, nil)
	words := values(p.rows, kind)
	open := oneOf(values(p.rows, status), openWords)
	p.keep(func(row []string) bool { return len(open) == 0 || !slices.Contains(open, row[status]) })
	p.guessAmounts() // by the rows that are left

	d.add(true, p.table.String()+":", "")
	d.add(p.layout.delimiter != 0, fmt.Sprintf("  delimiter: %q", string(p.layout.delimiter)), "")
	d.add(p.layout.charset != encoding.Nop, "  encoding: windows-1252", "it is not UTF-8")
	d.add(p.layout.skipLines > 0, fmt.Sprintf("  skip_lines: %d", p.layout.skipLines), "before the header")
	p.writeColumns(d)
	p.writeIDs(d)
	var clawbacks []string
	if p.at[fieldKind] != nil {
		d.add(len(words) > 0, "  kinds:", "")
		for _, word := range words {
			is, unsure := kindOf(word), ""
			if !p.table.takes(is) {
				is, unsure = specs[p.table].kind, "check"
			}
			d.add(true, fmt.Sprintf("    %q: %s", word, is), unsure)
			if is == history.Reward && isOneOf(word, clawbackWords) {
				clawbacks = append(clawbacks, word)
			}
		}
	}
	d.add(p.kinds != nil, "  only: "+p.with(kind, "values", p.kinds), "check")
	d.add(p.sign != "", fmt.Sprintf("  only: {column: %s, %s: 0}", p.named(p.signed()), p.sign), p.signNote)
	d.add(len(open) > 0, "  skip: "+p.with(status, "values", open), "check: rows that did not happen, or not yet")
	p.writeDates(d)
	there, a := p.at[fieldAmount] != nil || p.at[fieldPrice] != nil, p.amounts
	d.add(there && !a.decimal, "  amount_format: minor", p.amountsNote)
	d.add(there && a.decimal, "  amount_format: decimal", p.amountsNote)
	d.add(there && a.decimal, fmt.Sprintf("  decimal_separator: %q", a.point), "")
	d.add(a.group != "", fmt.Sprintf("  thousands_separator: %q", a.group), "")
	d.add(a.negatives != leadingMinus, "  negatives: "+negativeNames[a.negatives], "")
	d.add(a.symbol != "", fmt.Sprintf("  symbol: %q", a.symbol), "")
	above, below := p.signs()
	debits := oneOf(values(p.rows, side), debitWords)
	// Amounts of rewards have no sign where another column says which are taken back.
	unsigned := p.table == rewards && below == 0 && p.at[fieldAmount] != nil && p.at[fieldNegative] == nil
	d.add(p.sign == "below" || p.sign == "" && p.table <= refunds && below > 0 && above == 0, "  sign: negated", "all are below zero")
	d.add(p.sign == "" && p.table == refunds && below > 0 && above > 0, "  sign: absolute", fmt.Sprintf("check: %d amounts are above zero and %d below", above, below))
	d.add(p.table == redemptions && below > above, "  sign: negated", "check: most amounts are below zero")
	d.add(unsigned && len(debits) > 0, "  direction: "+p.with(side, "negative", debits), "check: rewards taken back")
	d.add(unsigned && len(debits) == 0 && clawbacks != nil, "  direction: "+p.with(kind, "negative", clawbacks), "check: rewards taken back")
	d.add(slices.ContainsFunc(p.of(fieldMCC), func(code string) bool { return len(code) < len("0742") }), "  mcc_format: number", "zeros before the code are missing")
}

// writeColumns names the columns, those too whose names need no mapping, and the currency
// that no column says.
func (p *part) writeColumns(d *draft) {
	d.add(true, "  columns:", "")
	d.add(!slices.ContainsFunc(p.at[:], func(at []int) bool { return at != nil }), "    {}", "")
	for _, f := range p.table.fields() {
		check := ""
		if p.unsure(f) {
			check = "check"
		}
		d.add(p.at[f] != nil, fmt.Sprintf("    %s: %s", f, p.named(f)), check)
		needed := p.table.requires(f) && f != fieldCurrency && f != specs[p.table].id && (f != fieldAmount || p.at[fieldPrice] == nil)
		check = "check: no column looks like it, and there must be one"
		if f == fieldAccount {
			check += ", or a constant"
		}
		d.add(needed && p.at[f] == nil, fmt.Sprintf("    # %s:", f), check)
	}
	if p.at[fieldCurrency] == nil && p.table == transactions {
		currency, why := p.currency()
		d.add(true, "  constants:", "")
		d.add(true, fmt.Sprintf("    currency: %q", currency), why)
	}
}

// writeIDs says where ids come from, if not from a column with one for each row.
func (p *part) writeIDs(d *draft) {
	id := specs[p.table].id
	if id == noField {
		return
	}
	ids := p.of(id)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(ids))))
	d.add(p.at[id] == nil, "  ids: generated", "check: no column names the rows; file and line do")
	d.add(distinct < len(ids) && p.at[fieldArticle] != nil, "  receipts: sum",
		fmt.Sprintf("check: %d rows have %d ids; with items, each row is an item of what was bought", len(ids), distinct))
}

// writeDates says how dates are written, unless the file does itself.
func (p *part) writeDates(d *draft) {
	at := p.at[fieldPostedAt]
	if at == nil || p.sample.kinds[at[0]] == timeColumn {
		return
	}
	format, local, check := guessDate(p.of(fieldPostedAt))
	pattern := strconv.Quote(format.text)
	if slices.Contains(fixedFormats, format) {
		pattern = format.text
	}
	d.add(true, "  date_format: "+pattern, check)
	d.add(local, `  time_zone: "UTC"`, "check: statements close by the same clock; if they close by UTC, where the clock is, such as Europe/Berlin")
}

// named are the names of a field's columns, as a mapping has them.
func (p *part) named(f field) string {
	names := each(p.at[f], func(at int) string { return p.header[at] })
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
	return "[" + strings.Join(each(values, strconv.Quote), ", ") + "]"
}

// oneOf returns the values that are one of the words.
func oneOf(values []string, words string) []string {
	return slices.DeleteFunc(values, func(value string) bool { return !isOneOf(value, words) })
}
