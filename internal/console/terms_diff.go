package console

import (
	"strings"

	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

// termsDiff is how terms differ from those that they follow: in words, and line by line.
type termsDiff struct {
	Version int32 // that they follow
	Words   []saidDiff
	Year    [2]string // the most that an account can earn in a year, before and after
	Lines   []lineDiff
}

// saidDiff is what one rule, bonus, tier or term says before and after.
type saidDiff struct {
	What, Layer, ID string
	State           locale.Text // new, gone, changed
	Before, After   []piece
}

// piece is a part of a text; Differs: it is only on this side.
type piece struct {
	Text    string
	Differs bool
}

// lineDiff is a line of both files, or a row that stands for lines which agree.
type lineDiff struct {
	Left, Right   line
	Differs       bool
	Same, SameEnd int // how many lines agree, if the row stands for them
}

// line is one of a file; without a number there is none on this side.
type line struct {
	Number int
	Text   string
}

// diffTerms compares terms with those of a version.
func (v *visit) diffTerms(before *versionRow, terms *reward.Program, document string) *termsDiff {
	was, yearBefore := v.describe(before.Terms)
	is, year := v.describe(terms)
	d := &termsDiff{Version: before.Terms.Version, Lines: sideBySide(string(before.Document), document)}
	d.Year = [2]string{yearBefore, year}
	for _, part := range []struct {
		what    string
		was, is []program.Said
	}{{"rule", was.Rules, is.Rules}, {"bonus", was.Bonuses, is.Bonuses}, {"tier", was.Tiers, is.Tiers}} {
		d.Words = append(d.Words, diffSaid(part.what, part.was, part.is)...)
	}
	for _, row := range beside(was.Terms, is.Terms) {
		if row.Differs {
			d.Words = append(d.Words, newSaidDiff("term", program.Said{Says: row.Left.Text}, program.Said{Says: row.Right.Text}))
		}
	}
	return d
}

// diffSaid compares what is said by its ids, in the order of what is now and then what is
// gone.
func diffSaid(what string, was, is []program.Said) (list []saidDiff) {
	type name struct{ layer, id string }
	before := make(map[name]program.Said, len(was))
	for _, s := range was {
		before[name{s.Layer, s.ID}] = s
	}
	for _, s := range is {
		old := before[name{s.Layer, s.ID}]
		delete(before, name{s.Layer, s.ID})
		if old.Says != s.Says {
			list = append(list, newSaidDiff(what, old, s))
		}
	}
	for _, s := range was {
		if old, gone := before[name{s.Layer, s.ID}]; gone {
			list = append(list, newSaidDiff(what, old, program.Said{}))
		}
	}
	return list
}

// newSaidDiff compares two sentences, of which one may be missing.
func newSaidDiff(what string, was, is program.Said) saidDiff {
	d := saidDiff{What: what, Layer: is.Layer, ID: is.ID, State: "changed"}
	switch {
	case was.Says == "":
		d.State, d.After = "new", []piece{{Text: is.Says}}
	case is.Says == "":
		d.State, d.Layer, d.ID, d.Before = "gone", was.Layer, was.ID, []piece{{Text: was.Says}}
	default:
		a, b := strings.Fields(was.Says), strings.Fields(is.Says)
		inA, inB := common(a, b)
		d.Before, d.After = pieces(a, inA), pieces(b, inB)
	}
	return d
}

// pieces joins words that are side by side and alike in being on both sides or not.
func pieces(words []string, both []bool) (list []piece) {
	for i, word := range words {
		if n := len(list); n > 0 && list[n-1].Differs == !both[i] {
			list[n-1].Text += " " + word
			continue
		}
		list = append(list, piece{word, !both[i]})
	}
	return list
}

// linesShown is how many lines that agree are shown before and after those that differ.
const linesShown = 3

// sideBySide compares two files line by line.
func sideBySide(before, after string) []lineDiff {
	linesOf := func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
	return folded(beside(linesOf(before), linesOf(after)))
}

// beside lays two lists beside each other: what is in both, in order, and between that what
// is not.
func beside(a, b []string) (rows []lineDiff) {
	inA, inB := common(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var row lineDiff
		onlyA, onlyB := i < len(a) && !inA[i], j < len(b) && !inB[j]
		row.Differs = onlyA || onlyB
		if onlyA || !row.Differs {
			row.Left = line{i + 1, a[i]}
			i++
		}
		if onlyB || !row.Differs {
			row.Right = line{j + 1, b[j]}
			j++
		}
		rows = append(rows, row)
	}
	return rows
}

// folded puts one row in the place of many that agree and are far from what differs.
func folded(rows []lineDiff) (list []lineDiff) {
	near := make([]bool, len(rows))
	for i := range rows {
		if rows[i].Differs {
			for k := max(0, i-linesShown); k <= min(len(rows)-1, i+linesShown); k++ {
				near[k] = true
			}
		}
	}
	for i, row := range rows {
		n := len(list)
		switch {
		case near[i]:
			list = append(list, row)
		case n > 0 && list[n-1].Same > 0:
			list[n-1].Same++
			list[n-1].SameEnd = row.Left.Number
		default:
			list = append(list, lineDiff{Left: row.Left, Right: row.Right, Same: 1, SameEnd: row.Left.Number})
		}
	}
	return list
}

// mostCompared bounds the work of a comparison: so many pairs of lines.
const mostCompared = 4 << 20

// common marks what two lists have in common in the same order, as much as there is. Where
// that would be too much work, only what they begin and end with.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	from, toA, toB := 0, len(a), len(b)
	for from < toA && from < toB && a[from] == b[from] {
		inA[from], inB[from] = true, true
		from++
	}
	for toA > from && toB > from && a[toA-1] == b[toB-1] {
		toA, toB = toA-1, toB-1
		inA[toA], inB[toB] = true, true
	}
	n, m := toA-from, toB-from
	if n == 0 || m == 0 || n > mostCompared/m {
		return inA, inB
	}
	// longest[i][j] is of what is left from i and j on.
	longest := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &longest[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[from+i] == b[from+j] {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[from+i] == b[from+j]:
			inA[from+i], inB[from+j] = true, true
			i, j = i+1, j+1
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
	return inA, inB
}
