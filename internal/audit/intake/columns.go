package intake

import (
	"fmt"
	"slices"
	"strings"

	"recoup/program"
)

// newRowReader finds the columns of a file. It returns the indexes of those that
// it wants.
func newRowReader(path string, t table, header []column, l *layout, currency string) (*rowReader, []int, error) {
	r := &rowReader{layout: l, table: t, texts: textFields(t), path: path, header: header, currency: currency, amounts: l.amount}
	var wanted []int
	find := func(name string, must bool) (int, error) {
		i, err := findColumn(path, header, name, must)
		if i >= 0 {
			wanted = append(wanted, i)
		}
		return i, err
	}
	for _, f := range t.fields() {
		c, told := l.columns[f]
		names, named := c.names, len(c.names) > 0
		if _, constant := l.constants[f]; constant || !named && slices.Contains(byNameOnly, f) || l.ownIDs && f == t.id() && !named {
			continue // a constant goes before a column named for all tables
		}
		required := t.requires(f) && (f != fieldAmount || !l.names(fieldNegative) && !l.names(fieldPrice))
		switch {
		case named:
		case told && !required:
			continue
		default:
			names = []string{f.String()}
		}
		for _, name := range names {
			i, err := find(name, required || named && !c.lenient)
			if err != nil {
				return nil, nil, err
			}
			if i >= 0 {
				r.at[f] = append(r.at[f], i)
			}
		}
	}
	if r.at[fieldAmount] == nil && r.at[fieldNegative] == nil && r.at[fieldPrice] == nil {
		_, err := find(fieldAmount.String(), true)
		return nil, nil, err
	}
	r.conditions = slices.Concat(l.skip, l.only)
	for i := range r.conditions {
		var err error
		if r.conditions[i].at, err = find(r.conditions[i].column, true); err != nil {
			return nil, nil, err
		}
	}
	if l.direction != nil {
		var err error
		if r.directed, err = find(l.direction.column, true); err != nil {
			return nil, nil, err
		}
	}
	return r, wanted, r.formats()
}

// findColumn finds a column by name, in any case of letters where none is written
// just so, and with or without spaces where none is either. A missing column is -1,
// or where it must be there an error.
func findColumn(path string, header []column, name string, must bool) (int, error) {
	name = strings.TrimSpace(name)
	fail := func(format string, args ...any) error {
		return &Error{File: path, Member: "column " + quote(name), Reason: fmt.Sprintf(format, args...)}
	}
	spaceless := func(a, b string) bool {
		return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold, spaceless} {
		found := -1
		for i, c := range header {
			switch {
			case !same(c.name, name):
			case found >= 0:
				return -1, fail("there twice, as number %d and %d; expected it once", found+1, i+1)
			default:
				found = i
			}
		}
		if found >= 0 {
			return found, nil
		}
	}
	if !must {
		return -1, nil
	}
	return -1, fail("missing; the header has %s (a mapping says what columns are called)", quoted(namesOf(header)))
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

// formats sets how values are read: as the file itself says, or as the mapping
// does.
func (r *rowReader) formats() error {
	decimals, known := program.MinorUnits(r.currency)
	is := func(f field, kind columnKind) bool { return len(r.at[f]) == 1 && r.header[r.at[f][0]].kind == kind }
	r.negatives, r.numbers = r.amount, r.amount
	r.numbers.decimal, r.numbers.decimals = true, inBounds
	if r.at[fieldPrice] != nil {
		r.at[fieldAmount] = r.at[fieldPrice]
	}
	for f, format := range map[field]*amountFormat{fieldAmount: &r.amounts, fieldNegative: &r.negatives} {
		if is(f, decimalColumn) {
			*format = amountFormat{decimal: true, point: "."}
		}
		if format.decimals = decimals; format.decimal && !known {
			return &Error{File: r.path, Reason: fmt.Sprintf("decimal amounts in %s: expected a program in a currency of ISO 4217 that is in use", r.currency)}
		}
	}
	r.dates = dateReader{dateFormat: r.date, zone: r.zone}
	if is(fieldPostedAt, timeColumn) {
		r.dates.dateFormat = iso
	}
	return nil
}
