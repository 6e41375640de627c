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
	at          [fieldCount][]int // indexes of each field's columns
	amounts     amountFormat
	amountsNote string   // what is to be checked of it
	kinds       []string // of the table, where a column says them for several
	sign        string   // above or below: the side of zero that is the table's, where that alone tells
	signNote    string   // how sure that is
}

// parts guesses which tables the file holds.
func (s *sample) parts() (parts []*part) {
	var of [tableCount][]string
	for _, value := range values(s.rows, s.column(synonyms[fieldKind], nil)) {
		for t := range tableCount {
			if t.takes(kindOf(value)) {
				of[t] = append(of[t], value)
			}
		}
	}
	if (of[transactions] == nil || of[refunds] == nil) && (of[rewards] == nil || of[redemptions] == nil) {
		return s.part(s.table(), nil, false).bySign()
	}
	for t, kinds := range of {
		if kinds != nil {
			parts = append(parts, s.part(table(t), kinds, true))
		}
	}
	return parts
}

// bySign makes two parts of purchases and refunds that only the sign tells apart.
// The more frequent sign is that of purchases.
func (p *part) bySign() []*part {
	p.guessAmounts()
	above, below := p.signs()
	if p.table != transactions || above == 0 || below == 0 {
		return []*part{p}
	}
	back := p.sample.part(refunds, nil, true)
	p.sign, back.sign = "above", "below"
	if below > above {
		p.sign, back.sign = back.sign, p.sign
	}
	p.signNote = fmt.Sprintf("check: %d are above zero and %d below, of %d sampled; the fewer are taken for refunds", above, below, len(p.rows))
	back.signNote = p.signNote
	return []*part{p, back}
}

// signed is the field that has the sign.
func (p *part) signed() field {
	if p.at[fieldAmount] == nil {
		return fieldQuantity
	}
	return fieldAmount
}

// signs counts the amounts on either side of zero.
func (p *part) signs() (above, below int) {
	for _, text := range p.of(p.signed()) {
		switch n, _ := p.amounts.read(text); {
		case n > 0:
			above++
		case n < 0:
			below++
		}
	}
	return above, below
}

// table guesses the one table of the file from its name and those of columns.
func (s *sample) table() table {
	file := plain(filepath.Base(s.path))
	inName := func(word string) bool { return strings.Contains(file, word) }
	inHeader := func(word string) bool {
		return slices.ContainsFunc(s.header, func(name string) bool { return strings.HasPrefix(plain(name), word) })
	}
	for _, is := range []func(word string) bool{inName, inHeader} {
		for _, t := range []table{redemptions, refunds, rewards} { // a redemption redeems rewards
			if slices.ContainsFunc(strings.Fields(tableWords[t]), is) {
				return t
			}
		}
	}
	if slices.ContainsFunc([]field{fieldTransaction, fieldMerchant, fieldMCC, fieldPrice}, s.has) {
		return transactions
	}
	return rewards
}

// part finds the columns of a table, those that a row cannot do without first. A
// ledger holds several tables, and kinds are those of the table, if a column says them.
func (s *sample) part(t table, kinds []string, ledger bool) *part {
	p := &part{sample: s, table: t, rows: s.rows, kinds: kinds}
	taken := map[int]bool{}
	find := func(lists ...string) (found []int) {
		for _, words := range lists {
			if i := s.column(words, taken); i >= 0 {
				found, taken[i] = append(found, i), true
			}
		}
		return found
	}
	for _, f := range t.fields() {
		words := synonyms[f]
		switch {
		case f == fieldRefund && ledger: // which has one id for all its rows
			words = synonyms[fieldTransaction]
		case f == fieldTransaction && t == refunds && ledger:
			words = originNames
		case f == fieldTransaction && t == rewards:
			words = linkNames + originNames
		case f == fieldPostedAt && s.column(yearNames, nil) >= 0 && s.column(monthNames, nil) >= 0:
			p.at[f] = find(yearNames, monthNames, dayNames, clockNames)
			continue
		case f == fieldKind && ledger && kinds == nil, f == fieldPrice && p.at[fieldAmount] != nil,
			(f == fieldQuantity || f == fieldArticle) && p.at[fieldPrice] == nil:
			continue
		}
		p.at[f] = find(words)
		if f == fieldPostedAt {
			p.at[f] = append(p.at[f], find(p.clock(taken))...)
		}
	}
	if p.at[fieldQuantity] == nil {
		p.at[fieldPrice] = nil
	}
	if specs[t].signed && p.at[fieldAmount] == nil {
		p.at[fieldAmount], p.at[fieldNegative] = find(creditNames), find(debitNames)
	}
	if t == refunds && p.at[fieldRefund] == nil {
		p.at[fieldRefund], p.at[fieldTransaction] = p.at[fieldTransaction], nil
	}
	if kinds != nil {
		at := s.column(synonyms[fieldKind], nil)
		p.keep(func(row []string) bool { return slices.Contains(kinds, row[at]) })
	}
	if codes := p.of(fieldMCC); p.at[fieldCategory] == nil && len(codes) > 0 && !isDigits(codes[0]) {
		p.at[fieldCategory], p.at[fieldMCC] = p.at[fieldMCC], nil // it is said in words
	}
	return p
}

// clock are the names of the column of the time of day, where it is beside that of the date.
func (p *part) clock(taken map[int]bool) string {
	date, at := p.of(fieldPostedAt), p.column(clockNames, taken)
	if at < 0 || len(date) == 0 || !strings.ContainsAny(date[0], "./-") || strings.Contains(date[0], ":") || !strings.Contains(p.rows[0][at], ":") {
		return ""
	}
	return clockNames
}

// keep leaves other rows out of the part.
func (p *part) keep(wanted func(row []string) bool) {
	p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(row []string) bool { return !wanted(row) })
}

// of returns the values of a field in the table's rows, empty ones aside.
func (p *part) of(f field) (values []string) {
	for _, row := range p.rows {
		if value := joined(row, p.at[f]); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// unsure reports whether the column of a field may well be another.
func (p *part) unsure(f field) bool {
	named := slices.DeleteFunc(slices.Clone(p.header), func(name string) bool { return rank(name, synonyms[f]) < 0 })
	return len(p.at[f]) == 1 && (len(named) != 1 || isOneOf(p.header[p.at[f][0]], vague))
}
