package intake

import (
	"path/filepath"
	"slices"
	"strings"

	"recoup/internal/audit/history"
)

// part is what of a file belongs to one table.
type part struct {
	*sample
	table   table
	rows    [][]string
	columns [fieldCount]int // -1 for none
	status  int
	side    int
	// only are the kinds that belong to the table, of a file with several.
	only []string
}

// parts guesses which tables the file holds.
func (s *sample) parts() []*part {
	kinds := s.column(synonyms[fieldKind], nil)
	if kinds >= 0 {
		var of [tableCount][]string
		for _, value := range s.values(kinds, s.rows) {
			if kind, ok := kindOf(value); ok {
				t := tableOf(kind)
				of[t] = append(of[t], value)
			}
		}
		if of[transactions] != nil && of[refunds] != nil || of[rewards] != nil && of[redemptions] != nil {
			var parts []*part
			for t, values := range of {
				if values != nil {
					parts = append(parts, s.part(table(t), values))
				}
			}
			return parts
		}
	}
	return []*part{s.part(s.table(), nil)}
}

// others are the kinds of rows that no part takes, of a file with several.
func (s *sample) others(parts []*part) []string {
	if parts[0].only == nil {
		return nil
	}
	return slices.DeleteFunc(s.values(s.column(synonyms[fieldKind], nil), s.rows), func(kind string) bool {
		return slices.ContainsFunc(parts, func(p *part) bool { return slices.Contains(p.only, kind) })
	})
}

// tableOf is the table that rows of a kind belong to.
func tableOf(kind history.Kind) table {
	switch kind {
	case history.Purchase:
		return transactions
	case history.Reward, history.Adjustment:
		return rewards
	case history.Redemption:
		return redemptions
	}
	return refunds
}

// table guesses the one table of the file from its name and those of columns.
func (s *sample) table() table {
	name := plain(filepath.Base(s.path))
	for _, t := range []table{redemptions, refunds, rewards} { // a redemption redeems rewards
		for word := range strings.FieldsSeq(tableWords[t]) {
			if strings.Contains(name, word) {
				return t
			}
		}
	}
	for _, t := range []table{redemptions, refunds, rewards} {
		for _, c := range s.header {
			for word := range strings.FieldsSeq(tableWords[t]) {
				if strings.HasPrefix(plain(c.name), word) {
					return t
				}
			}
		}
	}
	if s.column(synonyms[fieldTransaction], nil) < 0 {
		return rewards
	}
	return transactions
}

// part finds the columns of a table, those that a row cannot do without first.
func (s *sample) part(t table, only []string) *part {
	p := &part{sample: s, table: t, only: only}
	taken := map[int]bool{}
	find := func(words string) int {
		i := s.column(words, taken)
		if i >= 0 {
			taken[i] = true
		}
		return i
	}
	for f := range p.columns {
		p.columns[f] = -1
	}
	for _, f := range slices.Concat(layouts[t].required, layouts[t].optional) {
		switch {
		case f == fieldRefund && only != nil: // a ledger has one id for all its rows
			p.columns[f] = find(synonyms[fieldTransaction])
		case f == fieldTransaction && t != transactions && (only != nil || t == rewards):
			p.columns[f] = find(linkNames(t))
		case f == fieldKind && only != nil:
			p.columns[f] = s.column(synonyms[fieldKind], nil)
		default:
			p.columns[f] = find(synonyms[f])
		}
	}
	if layouts[t].signed && p.columns[fieldAmount] < 0 {
		p.columns[fieldAmount], p.columns[fieldNegative] = find(creditNames), find(debitNames)
	}
	if t == refunds && p.columns[fieldRefund] < 0 {
		p.columns[fieldRefund], p.columns[fieldTransaction] = p.columns[fieldTransaction], -1
	}
	p.status, p.side = find(statusNames), find(sideNames)
	p.rows = s.rows
	if only != nil {
		kinds := s.column(synonyms[fieldKind], nil)
		p.rows = nil
		for _, row := range s.rows {
			if slices.Contains(only, row[kinds]) {
				p.rows = append(p.rows, row)
			}
		}
	}
	return p
}

// linkNames are the names of the column that says which purchase a row is of.
func linkNames(t table) string {
	words := strings.Fields(synonyms[fieldTransaction])
	unsure := []string{"id", "reference", "ref", "referenz", "referencenumber"}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		return slices.Contains(unsure, w) || t == refunds && !strings.HasPrefix(w, "orig") && !strings.HasPrefix(w, "ursprung")
	}), " ")
}
