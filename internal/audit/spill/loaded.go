package spill

import (
	"context"

	"recoup/internal/audit/history"
)

// loaded is the rows of a partition in memory, and which account each is of.
type loaded struct {
	rows     []history.Row
	accounts []account // in order of their first row
	numbers  map[string]int
	of       []int // each row's account
}

type account struct {
	name string
	rows int
}

// reset makes it empty, with room for so many rows.
func (l *loaded) reset(rows int) {
	if cap(l.rows) < rows {
		l.rows = make([]history.Row, 0, rows)
		l.of = make([]int, 0, rows)
	}
	if l.numbers == nil {
		l.numbers = map[string]int{}
	}
	clear(l.numbers)
	l.rows, l.of, l.accounts = l.rows[:0], l.of[:0], l.accounts[:0]
}

// add takes a row of the account of that name. All rows of an account share one
// copy of its name.
func (l *loaded) add(r *history.Row, name []byte) {
	n, known := l.numbers[string(name)]
	if !known {
		n = len(l.accounts)
		l.accounts = append(l.accounts, account{name: string(name)})
		l.numbers[l.accounts[n].name] = n
	}
	a := &l.accounts[n]
	a.rows++
	r.Account = a.name
	l.rows = append(l.rows, *r)
	l.of = append(l.of, n)
}

// each calls give with each account. It can be called once.
func (l *loaded) each(ctx context.Context, give func(h *history.History) error) error {
	l.group()
	start := 0
	for _, a := range l.accounts {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := history.History{Account: a.name, Rows: l.rows[start : start+a.rows : start+a.rows]}
		start += a.rows
		history.Sort(h.Rows)
		if err := give(&h); err != nil {
			return err
		}
	}
	return nil
}

// group puts the rows of each account side by side, in the order they had. It
// moves them within their memory, for rows are large.
func (l *loaded) group() {
	next := make([]int, len(l.accounts))
	for n, start := 0, 0; n < len(next); n++ {
		next[n] = start
		start += l.accounts[n].rows
	}
	place := l.of // where each row belongs
	for i, n := range l.of {
		place[i] = next[n]
		next[n]++
	}
	for i := range place {
		for place[i] != i {
			j := place[i]
			l.rows[i], l.rows[j] = l.rows[j], l.rows[i]
			place[i], place[j] = place[j], place[i]
		}
	}
}
