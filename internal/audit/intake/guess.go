package intake

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// part is what of a file belongs to one table.
type part struct {
	*sample
	table       table
	rows        [][]string
	columns     [fieldCount][]int
	status      int // -1 for none
	side        int
	amounts     amountFormat
	amountsNote string // what is to be checked of it
	// kinds are those that belong to the table, of a file with a column of kinds for
	// several.
	kinds []string
	// sign is the side of zero that belongs to the table, of a file that says by the
	// sign of a number what is a refund; signed is the field that the number is of.
	sign   string // "", above or below
	signed field
	note   string // how sure that is
}

// guessParts guesses which tables the file holds.
func (s *sample) guessParts() (parts []*part) {
	if kinds := s.column(synonyms[fieldKind], nil); kinds >= 0 {
		var of [tableCount][]string
		for _, value := range s.values(kinds, s.rows) {
			if kind, ok := kindOf(value); ok {
				of[tableOf(kind)] = append(of[tableOf(kind)], value)
			}
		}
		if of[transactions] != nil && of[refunds] != nil || of[rewards] != nil && of[redemptions] != nil {
			for t, values := range of {
				if values != nil {
					parts = append(parts, s.part(table(t), values))
				}
			}
			return parts
		}
	}
	p := s.part(s.table(), nil)
	if p.table != transactions {
		return []*part{p}
	}
	return p.bySign()
}

// bySign makes two parts of purchases and refunds that only the sign tells apart.
// The more frequent sign is that of purchases.
func (p *part) bySign() []*part {
	f := fieldAmount
	if p.columns[f] == nil {
		f = fieldQuantity
	}
	above, below := p.signs(f)
	if above == 0 || below == 0 {
		return []*part{p}
	}
	back := p.sample.part(refunds, []string{})
	p.sign, back.sign = "above", "below"
	if below > above {
		p.sign, back.sign = back.sign, p.sign
	}
	note := fmt.Sprintf("check: %d are above zero and %d below, of %d sampled; the fewer are taken for refunds", above, below, len(p.rows))
	for _, x := range []*part{p, back} {
		x.signed, x.note = f, note
		x.keep(func(row []string) bool {
			n, why := x.amounts.read(row[x.columns[f][0]])
			return why != "" || n != 0 && n > 0 == (x.sign == "above")
		})
	}
	if back.columns[fieldRefund] == nil {
		back.columns[fieldRefund] = p.columns[fieldTransaction]
	}
	return []*part{p, back}
}

// keep leaves rows out of the part alone.
func (p *part) keep(wanted func(row []string) bool) {
	p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool { return !wanted(row) })
}

// signs counts the values of a field on either side of zero.
func (p *part) signs(f field) (above, below int) {
	for _, text := range p.of(f) {
		switch n, _ := p.amounts.read(text); {
		case n > 0:
			above++
		case n < 0:
			below++
		}
	}
	return above, below
}

// others are the kinds of rows that no part takes, of a file with several.
func (s *sample) others() []string {
	if s.parts[0].kinds == nil {
		return nil
	}
	return slices.DeleteFunc(s.values(s.column(synonyms[fieldKind], nil), s.rows), func(kind string) bool {
		return slices.ContainsFunc(s.parts, func(p *part) bool { return slices.Contains(p.kinds, kind) })
	})
}

// table guesses the one table of the file from its name and those of columns.
func (s *sample) table() table {
	name := plain(filepath.Base(s.path))
	named := func(t table) bool {
		return slices.ContainsFunc(strings.Fields(tableWords[t]), func(word string) bool { return strings.Contains(name, word) })
	}
	begun := func(t table) bool {
		return slices.ContainsFunc(strings.Fields(tableWords[t]), func(word string) bool {
			return slices.ContainsFunc(s.header, func(c column) bool { return strings.HasPrefix(plain(c.name), word) })
		})
	}
	for _, is := range []func(table) bool{named, begun} {
		for _, t := range []table{redemptions, refunds, rewards} { // a redemption redeems rewards
			if is(t) {
				return t
			}
		}
	}
	for _, f := range []field{fieldTransaction, fieldMerchant, fieldMCC, fieldPrice} {
		if s.column(synonyms[f], nil) >= 0 {
			return transactions
		}
	}
	return rewards
}

// part finds the columns of a table, those that a row cannot do without first. Of a
// file that holds several tables, kinds are those of the table; none, but not nil,
// where the kind is said otherwise.
func (s *sample) part(t table, kinds []string) *part {
	p := &part{sample: s, table: t, rows: s.rows}
	taken := map[int]bool{}
	find := func(words string) []int {
		i := s.column(words, taken)
		if i < 0 {
			return nil
		}
		taken[i] = true
		return []int{i}
	}
	ledger := kinds != nil
	for _, f := range t.fields() {
		switch {
		case f == fieldNegative:
		case f == fieldRefund && ledger: // a ledger has one id for all its rows
			p.columns[f] = find(synonyms[fieldTransaction])
		case f == fieldTransaction && t != transactions && (ledger || t == rewards):
			p.columns[f] = find(linkNames(t))
		case f == fieldKind && ledger:
			if i := s.column(synonyms[fieldKind], nil); i >= 0 && len(kinds) > 0 {
				p.columns[f] = []int{i}
			}
		case f == fieldPostedAt:
			if p.columns[f] = s.calendar(taken); p.columns[f] == nil {
				p.columns[f] = find(synonyms[f])
				p.clock(taken)
			}
		case f == fieldPrice && p.columns[fieldAmount] != nil, f == fieldQuantity && p.columns[fieldPrice] == nil,
			f == fieldArticle && p.columns[fieldPrice] == nil:
		default:
			p.columns[f] = find(synonyms[f])
		}
	}
	if p.columns[fieldQuantity] == nil {
		p.columns[fieldPrice] = nil
	}
	if layouts[t].signed && p.columns[fieldAmount] == nil {
		p.columns[fieldAmount], p.columns[fieldNegative] = find(creditNames), find(debitNames)
	}
	if t == refunds && p.columns[fieldRefund] == nil {
		p.columns[fieldRefund], p.columns[fieldTransaction] = p.columns[fieldTransaction], nil
	}
	p.status, p.side = s.column(statusNames, taken), s.column(sideNames, taken)
	if len(kinds) > 0 {
		p.kinds = kinds
		at := s.column(synonyms[fieldKind], nil)
		p.keep(func(row []string) bool { return slices.Contains(kinds, row[at]) })
	}
	if codes := p.of(fieldMCC); p.columns[fieldCategory] == nil && len(codes) > 0 && strings.Trim(codes[0], "0123456789") != "" {
		p.columns[fieldCategory], p.columns[fieldMCC] = p.columns[fieldMCC], nil // it is said in words
	}
	p.guessAmounts()
	return p
}

// calendar finds the columns of a date that is in several.
func (s *sample) calendar(taken map[int]bool) (columns []int) {
	for _, words := range []string{yearNames, monthNames, dayNames, clockNames} {
		i := s.column(words, taken)
		if i < 0 {
			break
		}
		columns = append(columns, i)
	}
	if len(columns) < 2 {
		return nil
	}
	for _, i := range columns {
		taken[i] = true
	}
	return columns
}

// clock adds the column of the time of day, where it is beside that of the date.
func (p *part) clock(taken map[int]bool) {
	i := p.column(clockNames, taken)
	if i < 0 || len(p.rows) == 0 || len(p.columns[fieldPostedAt]) != 1 {
		return
	}
	date, time := p.of(fieldPostedAt), p.rows[0][i]
	if len(date) > 0 && strings.ContainsAny(date[0], "./-") && !strings.Contains(date[0], ":") && strings.Contains(time, ":") {
		taken[i] = true
		p.columns[fieldPostedAt] = append(p.columns[fieldPostedAt], i)
	}
}

// linkNames are the names of the column that says which purchase a row is of.
func linkNames(t table) string {
	words := strings.Fields(synonyms[fieldTransaction])
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		return isOneOf(w, vague) || t == refunds && !strings.HasPrefix(w, "orig") && !strings.HasPrefix(w, "ursprung")
	}), " ")
}

// of returns the values that the table's rows have in a field's columns, empty
// ones aside.
func (p *part) of(f field) (values []string) {
	for _, row := range p.rows {
		if value := joined(row, p.columns[f]); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// unsure reports whether the column of a field may well be another.
func (p *part) unsure(f field) bool {
	known := 0
	for _, c := range p.header {
		if isOneOf(c.name, synonyms[f]) {
			known++
		}
	}
	return len(p.columns[f]) == 1 && (known != 1 || isOneOf(p.header[p.columns[f][0]].name, vague))
}
