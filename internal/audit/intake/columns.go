package intake

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recoup/internal/audit/history"
	"recoup/program"
)

// newRowReader finds the columns of a file, and has it read those alone.
func newRowReader(from *file, t table, l *layout, currency string) (*rowReader, error) {
	r := &rowReader{layout: l, table: t, from: from, currency: currency, price: fieldAmount}
	for _, f := range t.fields() {
		names, must := l.wanted(t, f)
		for _, name := range names {
			i, err := r.find(name, must)
			if err != nil {
				return nil, err
			}
			if i >= 0 {
				r.at[f] = append(r.at[f], i)
			}
		}
	}
	if r.at[fieldPrice] != nil {
		r.price = fieldPrice
	}
	var err error
	if r.at[r.price] == nil && r.at[fieldNegative] == nil {
		_, err = r.find(fieldAmount.String(), true)
		return nil, err
	}
	r.conditions = slices.Concat(l.skip, l.only)
	for i := range r.conditions {
		if r.conditions[i].at, err = r.find(r.conditions[i].column, true); err != nil {
			return nil, err
		}
	}
	if l.direction != nil {
		if r.directed, err = r.find(l.direction.column, true); err != nil {
			return nil, err
		}
	}
	if err := r.setFormats(); err != nil {
		return nil, err
	}
	r.setFields()
	return r, from.use(r.used)
}

// wanted are the names of a field's columns, none if it is not looked for.
func (l *layout) wanted(t table, f field) (names []string, must bool) {
	c, told := l.columns[f]
	_, constant := l.constants[f]
	must = t.requires(f) && (f != fieldAmount || !l.names(fieldNegative) && !l.names(fieldPrice))
	switch {
	case constant: // which goes before a column named for all tables
		return nil, false
	case l.names(f):
		return c.names, must || !c.lenient
	case slices.Contains(byNameOnly, f), l.ownIDs && f == specs[t].id, told && !must:
		return nil, false
	}
	return []string{f.String()}, must
}

// find finds a column by name, in any case of letters where none is written just so,
// and with or without spaces where none is either. A missing column is -1, or where it
// must be there an error.
func (r *rowReader) find(name string, must bool) (int, error) {
	name = strings.TrimSpace(name)
	asWritten := func(name string) string { return name }
	spaceless := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }
	for _, form := range []func(string) string{asWritten, strings.ToLower, spaceless} {
		var found []int
		for i, c := range r.from.columns {
			if form(c.name) == form(name) {
				found = append(found, i)
			}
		}
		if len(found) > 1 {
			return -1, r.from.wrong("column", name, "there twice, as number %d and %d; expected it once", found[0]+1, found[1]+1)
		}
		if len(found) == 1 {
			r.used = append(r.used, found[0])
			return found[0], nil
		}
	}
	if !must {
		return -1, nil
	}
	return -1, r.from.wrong("column", name, "missing; the header has %s (a mapping says what columns are called)", quoted(namesOf(r.from.columns)))
}

// namesOf are the names of columns.
func namesOf(columns []column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return names
}

// quoted lists the first names of many.
func quoted(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, quote(name))
	}
	if len(names) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// setFormats sets how values are read: as the file itself says, or as the mapping
// does.
func (r *rowReader) setFormats() error {
	decimals, known := program.MinorUnits(r.currency)
	is := func(f field, kind columnKind) bool {
		return len(r.at[f]) == 1 && r.from.columns[r.at[f][0]].kind == kind
	}
	r.amounts, r.negatives, r.numbers = r.amount, r.amount, r.amount
	r.numbers.decimal, r.numbers.decimals = true, boundDecimals
	for f, format := range map[field]*amountFormat{r.price: &r.amounts, fieldNegative: &r.negatives} {
		if is(f, decimalColumn) {
			*format = amountFormat{decimal: true, point: "."}
		}
		if format.decimals = decimals; format.decimal && !known {
			return &Error{File: r.from.path, Reason: fmt.Sprintf("decimal amounts in %s: expected a program in a currency of ISO 4217 that is in use", r.currency)}
		}
	}
	r.dates = dateReader{dateFormat: r.date, zone: r.zone}
	if is(fieldPostedAt, timeColumn) {
		r.dates.dateFormat = iso
	}
	return nil
}

// setFields sets which fields are read of each row: the currency first, for rows in
// another are not bad whatever else they say.
func (r *rowReader) setFields() {
	id := specs[r.table].id
	for _, f := range r.table.fields() {
		if r.at[f] == nil && r.constants[f] == "" {
			continue
		}
		x := fieldReader{f, r.table.requires(f), r.readerOf(f)}
		switch {
		case f == fieldCurrency:
			r.fields = slices.Insert(r.fields, 0, x)
		case x.read != nil:
			r.fields = append(r.fields, x)
		}
	}
	r.kinds = maps.Clone(r.layout.kinds)
	maps.DeleteFunc(r.kinds, func(_ string, kind history.Kind) bool { return !r.table.takes(kind) })
	if r.ownIDs && id != noField && r.at[id] == nil {
		stem, _, _ := strings.Cut(filepath.Base(r.from.path), ".")
		r.ids = stem + "#"
	}
}
