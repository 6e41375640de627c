package intake

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// newRowReader finds the columns of a file, and has it read those alone.
func newRowReader(from *file, t table, l *layout, unit reward.Unit) (*rowReader, error) {
	r := &rowReader{layout: l, table: t, from: from, unit: unit, numbers: l.amount}
	r.numbers.decimal, r.numbers.decimals = true, boundDecimals
	var of [fieldCount]*fieldReader
	for _, f := range t.fields() {
		x := r.fieldReader(f)
		switch {
		case f == specs[t].id && l.ownIDs && x.at == nil:
			stem, _, _ := strings.Cut(filepath.Base(from.path), ".")
			r.ids = stem + "#"
			continue
		case x.at == nil && x.constant == "":
			continue
		case f == fieldCurrency: // rows in another are not bad, whatever else they say
			r.fields = slices.Insert(r.fields, 0, x)
		default:
			r.fields = append(r.fields, x)
		}
		of[f] = x
	}
	if of[fieldPrice] != nil { // an amount is that of a receipt, say
		r.fields = slices.DeleteFunc(r.fields, func(x *fieldReader) bool { return x.field == fieldAmount })
	}
	r.priced = of[fieldPrice] != nil && of[fieldQuantity] != nil
	r.money = cmp.Or(of[fieldPrice], of[fieldAmount], of[fieldNegative])
	_, known := program.MinorUnits(unit.Name)
	known = known || t != transactions && t != refunds // points have the decimals that the program says
	switch {
	case r.money == nil && r.find(fieldAmount.String(), true) >= 0:
		r.err = cmp.Or(r.err, from.wrong("column", fieldAmount.String(), "left out by the mapping; expected it, or another of amounts that is there"))
	case r.money != nil && !known && r.money.amounts.decimal:
		r.err = cmp.Or[error](r.err, &Error{File: from.path, Reason: fmt.Sprintf("decimal amounts in %s: expected a program in a currency of ISO 4217 that is in use", unit.Name)})
	}
	r.conditions = slices.Concat(l.skip, l.only)
	for i := range r.conditions {
		r.conditions[i].at = r.find(r.conditions[i].column, true)
	}
	if l.direction != nil {
		r.directed = r.find(l.direction.column, true)
	}
	return r, r.err
}

// fieldReader finds the columns of a field, and how they write its values.
func (r *rowReader) fieldReader(f field) *fieldReader {
	to := map[field]*string{
		fieldAccount: &r.line.Account, fieldTransaction: &r.line.Transaction, fieldMerchant: &r.line.Merchant, fieldCategory: &r.line.Category,
		fieldArticle: &r.line.Article,
	}
	to[specs[r.table].id] = &r.line.ID
	x := &fieldReader{
		field: f, name: f.String(), constant: r.layout.fields[f].constant, must: f == fieldPrice || f == fieldQuantity || f != fieldAmount && r.table.requires(f),
		to: to[f], amounts: r.amount, dates: dateReader{dateFormat: r.date, zone: r.zone},
	}
	names, must := r.wanted(r.table, f)
	for _, name := range names {
		if i := r.find(name, must); i >= 0 {
			x.at = append(x.at, i)
		}
	}
	if len(x.at) == 1 {
		switch r.from.kinds[x.at[0]] {
		case timeColumn:
			x.dates.dateFormat = iso
		case decimalColumn:
			x.amounts = amountFormat{decimal: true, point: "."}
		}
		if column := r.from.columns[x.at[0]]; column != x.name {
			x.name += " (column " + quote(column) + ")"
		}
	}
	if x.amounts.decimals = program.Decimals(r.unit); f == fieldQuantity {
		x.amounts = r.numbers
	}
	return x
}

// wanted are the names of a field's columns, none if it is not looked for.
func (l *layout) wanted(t table, f field) (names []string, must bool) {
	o, told := l.fields[f]
	must = t.requires(f) && (f != fieldAmount || !l.names(fieldNegative) && !l.names(fieldPrice))
	switch {
	case o.constant != "":
		return nil, false
	case l.names(f):
		return o.columns, must || o.table != tableCount
	case slices.Contains(byNameOnly, f), l.ownIDs && f == specs[t].id, told && !must:
		return nil, false
	}
	return []string{f.String()}, must
}

// find finds a column by name, in any case of letters where none is written just so,
// and with or without spaces where none is either. A missing column is -1, and wrong
// where it must be there.
func (r *rowReader) find(name string, must bool) int {
	name = strings.TrimSpace(name)
	fail := func(format string, args ...any) int {
		r.err = cmp.Or(r.err, r.from.wrong("column", name, format, args...))
		return -1
	}
	asWritten := func(name string) string { return name }
	spaceless := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }
	for _, form := range []func(string) string{asWritten, strings.ToLower, spaceless} {
		var found []int
		for i, column := range r.from.columns {
			if form(column) == form(name) {
				found = append(found, i)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			r.err = cmp.Or(r.err, r.from.use(found[0]))
			return found[0]
		}
		return fail("there twice, as number %d and %d; expected it once", found[0]+1, found[1]+1)
	}
	if !must {
		return -1
	}
	return fail("missing; the header has %s (a mapping says what columns are called)", quoted(r.from.columns))
}

// quoted lists the first names of many.
func quoted(names []string) string {
	const most = 20
	list := each(names[:min(len(names), most)], quote)
	if len(names) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// each makes something of each item of a list.
func each[T, U any](list []T, of func(T) U) []U {
	made := make([]U, len(list))
	for i, item := range list {
		made[i] = of(item)
	}
	return made
}
