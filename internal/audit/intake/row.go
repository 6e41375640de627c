package intake

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"recoup/internal/audit/history"
	"recoup/program"
	"recoup/reward"
)

// rowReader turns the values of one file's rows into history.Row.
type rowReader struct {
	table    table
	header   []column
	currency string // the program's

	at        [fieldCount]int    // index of each field's column, -1 for none
	constants [fieldCount]string // of fields without a column
	kinds     map[string]history.Kind
	date      dateReader
	amount    amountFormat
	negative  amountFormat
	sign      sign
	direction *direction
	directed  int // index of its column
	skip      []indexed
	only      []indexed
	mccNumber bool
}

// indexed is a condition on the column at an index.
type indexed struct {
	at     int
	values map[string]bool
}

// newRowReader finds the columns of a file. It returns the indexes of those that
// it wants.
func newRowReader(path string, t table, header []column, l *layout, currency string) (*rowReader, []int, error) {
	r := &rowReader{
		table: t, header: header, currency: currency, kinds: t.kindsOf(l.kinds), amount: l.amount, sign: l.sign, direction: l.direction,
		mccNumber: l.mccNumber,
	}
	find := headerOf(path, header)
	wanted := make([]int, 0, len(header))
	for f := range fieldCount {
		r.at[f] = -1
		if !t.has(f) {
			continue
		}
		if constant, ok := l.constants[f]; ok { // before a column named for all tables
			r.constants[f] = constant
			continue
		}
		name, named := l.columns[f]
		if !named {
			name = f.String()
		}
		required := slices.Contains(layouts[t].required, f) && (f != fieldAmount || l.columns[fieldNegative] == "")
		if l.absent[f] && !required {
			continue
		}
		i, err := find(name, required || named && !l.lenient[f])
		if err != nil {
			return nil, nil, err
		}
		if r.at[f] = i; i >= 0 {
			wanted = append(wanted, i)
		}
	}
	if r.at[fieldAmount] < 0 && r.at[fieldNegative] < 0 {
		_, err := find(fieldAmount.String(), true)
		return nil, nil, err
	}
	index := func(name string) (int, error) {
		i, err := find(name, true)
		wanted = append(wanted, i)
		return i, err
	}
	for _, side := range []struct {
		from []condition
		to   *[]indexed
	}{{l.skip, &r.skip}, {l.only, &r.only}} {
		for _, c := range side.from {
			i, err := index(c.column)
			if err != nil {
				return nil, nil, err
			}
			*side.to = append(*side.to, indexed{i, c.values})
		}
	}
	if l.direction != nil {
		var err error
		if r.directed, err = index(l.direction.column); err != nil {
			return nil, nil, err
		}
	}
	return r, wanted, r.formats(path, l)
}

// headerOf returns a function that finds columns by name, in any case of letters
// where none is written just so. A missing column is -1, or where it must be
// there an error.
func headerOf(path string, header []column) func(name string, must bool) (int, error) {
	return func(name string, must bool) (int, error) {
		name = strings.TrimSpace(name)
		for _, same := range []func(string) bool{
			func(s string) bool { return s == name },
			func(s string) bool { return strings.EqualFold(s, name) },
		} {
			found := -1
			for i, c := range header {
				switch {
				case !same(c.name):
				case found >= 0:
					return -1, &Error{File: path, Member: "column " + quote(name),
						Reason: fmt.Sprintf("there twice, as number %d and %d; expected it once", found+1, i+1)}
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
		const most = 20
		var names []string
		for _, c := range header[:min(len(header), most)] {
			names = append(names, quote(c.name))
		}
		if len(header) > most {
			names = append(names, "…")
		}
		return -1, &Error{File: path, Member: "column " + quote(name),
			Reason: fmt.Sprintf("missing; the header has %s (a mapping says what columns are called)", strings.Join(names, ", "))}
	}
}

// formats sets how values are read: as the file itself says, or as the mapping
// does.
func (r *rowReader) formats(path string, l *layout) error {
	decimals, known := program.MinorUnits(r.currency)
	kindOf := func(f field) columnKind {
		if r.at[f] < 0 {
			return textColumn
		}
		return r.header[r.at[f]].kind
	}
	r.negative = l.amount
	for f, format := range map[field]*amountFormat{fieldAmount: &r.amount, fieldNegative: &r.negative} {
		if kindOf(f) == decimalColumn {
			*format = amountFormat{decimal: true, point: "."}
		}
		if format.decimals = decimals; format.decimal && !known {
			return &Error{File: path, Reason: fmt.Sprintf("decimal amounts in %s: expected a program in a currency of ISO 4217 that is in use", r.currency)}
		}
	}
	date := l.date
	if kindOf(fieldPostedAt) == timeColumn {
		date = iso
	}
	r.date = date.reader(localTime{zone: l.zone})
	return nil
}

// value returns a field's value without the spaces around it.
func (r *rowReader) value(values []string, f field) string {
	if i := r.at[f]; i >= 0 {
		return trim(values[i])
	}
	return r.constants[f]
}

// trim is strings.TrimSpace for values that mostly have no space.
func trim(s string) string {
	if s == "" || s[0] > ' ' && s[0] < utf8.RuneSelf && s[len(s)-1] > ' ' && s[len(s)-1] < utf8.RuneSelf {
		return s
	}
	return strings.TrimSpace(s)
}

// read reads one row. What it leaves out it says in the fault.
func (r *rowReader) read(values []string, row *history.Row) fault {
	if len(values) != len(r.header) && !(len(values) == len(r.header)+1 && values[len(values)-1] == "") {
		return fault{class: classFields, field: noField}
	}
	if r.unwanted(values) {
		return fault{class: classSkipped, field: noField}
	}
	*row = history.Row{Kind: layouts[r.table].kind}
	if f := r.ours(values); f.class != good {
		return f
	}
	if f := r.names(values, row); f.class != good {
		return f
	}
	var why class
	text := r.value(values, fieldPostedAt)
	if row.At, why = r.date.read(text); why != good {
		return r.fault(fieldPostedAt, why, text)
	}
	if f := r.readAmount(values, row); f.class != good {
		return f
	}
	if f := r.readKind(values, row); f.class != good {
		return f
	}
	return r.readMCC(values, row)
}

func (r *rowReader) fault(f field, why class, found string) fault {
	if found == "" {
		why = classEmpty
	}
	return fault{why, f, found}
}

// unwanted reports whether the mapping leaves the row out.
func (r *rowReader) unwanted(values []string) bool {
	for _, c := range r.skip {
		if c.values[trim(values[c.at])] {
			return true
		}
	}
	for _, c := range r.only {
		if !c.values[trim(values[c.at])] {
			return true
		}
	}
	return false
}

// ours sees to the currency, which only transactions have to name.
func (r *rowReader) ours(values []string) fault {
	switch currency := r.value(values, fieldCurrency); {
	case currency == r.currency, currency == "" && r.table != transactions, strings.EqualFold(currency, r.currency):
		return fault{}
	default:
		return r.fault(fieldCurrency, classCurrency, currency)
	}
}

// names reads ids and other text.
func (r *rowReader) names(values []string, row *history.Row) (f fault) {
	if row.Account, f = r.text(values, fieldAccount, true); f.class != good {
		return f
	}
	switch r.table {
	case transactions:
		row.ID, f = r.text(values, fieldTransaction, true)
	case refunds:
		if row.ID, f = r.text(values, fieldRefund, true); f.class == good {
			row.Transaction, f = r.text(values, fieldTransaction, false)
		}
	case rewards:
		row.Transaction, f = r.text(values, fieldTransaction, false)
	}
	if f.class != good || r.table > refunds {
		return f
	}
	if row.Merchant, f = r.text(values, fieldMerchant, false); f.class == good {
		row.Category, f = r.text(values, fieldCategory, false)
	}
	return f
}

func (r *rowReader) text(values []string, f field, must bool) (string, fault) {
	text := r.value(values, f)
	switch {
	case text == "" && must:
		return "", fault{class: classEmpty, field: f}
	case len(text) > maxText:
		return "", fault{class: classLong, field: f}
	case !utf8.ValidString(text):
		return "", fault{class: classEncoding, field: f}
	}
	return text, fault{}
}

// readAmount reads the amount with its sign.
func (r *rowReader) readAmount(values []string, row *history.Row) fault {
	f, text, format := fieldAmount, "", &r.amount
	if r.at[fieldAmount] >= 0 {
		text = r.value(values, fieldAmount)
	}
	if r.at[fieldNegative] >= 0 {
		switch other := r.value(values, fieldNegative); {
		case other != "" && text != "":
			return fault{class: classBoth, field: fieldNegative}
		case other != "":
			f, text, format = fieldNegative, other, &r.negative
		}
	}
	if len(text) > maxText {
		return fault{class: classLong, field: f}
	}
	amount, why := format.read(text)
	if why != good {
		return r.fault(f, why, text)
	}
	if f == fieldNegative {
		amount = -amount
	}
	if r.sign == negated || r.sign == absolute && amount < 0 {
		amount = -amount
	}
	if r.direction != nil {
		switch way := trim(values[r.directed]); {
		case slices.Contains(r.direction.negative, way):
			amount = -amount
		case len(r.direction.positive) > 0 && !slices.Contains(r.direction.positive, way):
			return fault{classDirection, f, way}
		}
	}
	switch row.Amount = amount; {
	case amount == 0:
		return fault{class: classZero, field: f}
	case amount < 0 && !layouts[r.table].signed:
		return fault{classBelow, f, text}
	}
	return fault{}
}

func (r *rowReader) readKind(values []string, row *history.Row) fault {
	if r.at[fieldKind] < 0 && r.constants[fieldKind] == "" {
		return fault{}
	}
	word := r.value(values, fieldKind)
	kind, ok := r.kinds[word]
	if !ok {
		kind, ok = r.table.kindNamed(word)
	}
	switch {
	case ok:
		row.Kind = kind
	case word != "":
		return fault{classKind, fieldKind, word}
	}
	return fault{}
}

func (r *rowReader) readMCC(values []string, row *history.Row) fault {
	text := r.value(values, fieldMCC)
	if text == "" {
		return fault{}
	}
	digits := text
	if r.mccNumber && len(text) < len("0742") {
		digits = "0000"[len(text):] + text
	}
	code, ok := reward.ParseMCC(digits)
	if !ok {
		return fault{classMCC, fieldMCC, text}
	}
	row.MCC = code
	return fault{}
}
