package durable

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
	"recoup/reward"
)

// merged reads several lanes as if they were one. What is of an account is read in its
// lane; lists are merged of as many of each lane as may be needed, a page at a time, so
// that what is in memory is bounded by the page and the number of lanes.
type merged struct {
	db *Database
	*layout
}

var _ Reader = (*merged)(nil)

// sideBySide is how many lanes are asked at the same time.
const sideBySide = 16

// each asks all lanes.
func (m *merged) each(ctx context.Context, f func(ctx context.Context, lane int, r Reader) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sideBySide)
	for i, d := range m.lanes {
		g.Go(func() error { return d.View(ctx, func(r Reader) error { return f(ctx, i, r) }) })
	}
	return g.Wait()
}

// gathered asks all lanes for a list and returns them one after the other.
func gathered[T any](ctx context.Context, m *merged, of func(ctx context.Context, r Reader) ([]T, error)) ([]T, error) {
	lists := make([][]T, len(m.lanes))
	err := m.each(ctx, func(ctx context.Context, lane int, r Reader) (err error) {
		lists[lane], err = of(ctx, r)
		return err
	})
	return slices.Concat(lists...), err
}

// firstOf returns the first of all lanes' lists in an order, each of which is in that
// order. A lane is asked for its share and some more, and again only where its share was
// too small; so a page of a hundred lanes is not a hundred pages.
func firstOf[T any](ctx context.Context, m *merged, limit int, order func(a, b T) int, of func(ctx context.Context, r Reader, limit int) ([]T, error)) ([]T, error) {
	lanes := len(m.lanes)
	share := min(limit, 2*limit/lanes+16)
	for {
		lists := make([][]T, lanes)
		err := m.each(ctx, func(ctx context.Context, lane int, r Reader) (err error) {
			lists[lane], err = of(ctx, r, share)
			return err
		})
		if err != nil {
			return nil, err
		}
		all := slices.Concat(lists...)
		slices.SortStableFunc(all, order)
		all = all[:min(len(all), limit)]
		// Whatever a lane has beyond its share comes after the last that it gave.
		whole := true
		for _, list := range lists {
			if len(list) == share && share < limit && (len(all) < limit || order(list[share-1], all[len(all)-1]) < 0) {
				whole = false
			}
		}
		if whole {
			return all, nil
		}
		share = min(limit, 4*share)
	}
}

// in asks the lane of an account.
func (m *merged) in(ctx context.Context, account string, f func(r Reader) error) error {
	return m.lanes[m.laneOf(account)].View(ctx, f)
}

// besideAccounts reports whether a table of records lies in the lanes of the accounts and is
// read beside them in the order of their ids: what is sealed of the log, and with which keys.
func besideAccounts(table string) bool { return table == SealTable || table == erasure.Table }

// Get implements record.Reader: records are those at home.
func (m *merged) Get(ctx context.Context, table, key string) (value []byte, ok bool, err error) {
	err = m.db.Read(ctx, func(r record.Reader) (err error) {
		value, ok, err = r.Get(ctx, table, key)
		return err
	})
	return value, ok, err
}

// Scan implements record.Reader.
func (m *merged) Scan(ctx context.Context, table string, s record.Span, f func(key string, value []byte) (bool, error)) error {
	if !besideAccounts(table) {
		return m.db.Read(ctx, func(r record.Reader) error { return r.Scan(ctx, table, s, f) })
	}
	const page = 1000
	order := func(a, b record.Record) int { return strings.Compare(a.Key, b.Key) }
	if s.Reversed {
		order = func(a, b record.Record) int { return strings.Compare(b.Key, a.Key) }
	}
	for {
		list, err := firstOf(ctx, m, page, order, func(ctx context.Context, r Reader, limit int) (list []record.Record, err error) {
			err = r.Scan(ctx, table, s, func(key string, value []byte) (bool, error) {
				list = append(list, record.Record{Key: key, Value: slices.Clone(value)})
				return len(list) < limit, nil
			})
			return list, err
		})
		if err != nil {
			return err
		}
		for i := range list {
			if more, err := f(list[i].Key, list[i].Value); err != nil || !more {
				return err
			}
		}
		if len(list) < page {
			return nil
		}
		if last := list[len(list)-1].Key; s.Reversed {
			s = s.Until(last)
		} else {
			s = s.After(last)
		}
	}
}

// Account implements Reader.
func (m *merged) Account(ctx context.Context, id string) (row AccountRow, ok bool, err error) {
	err = m.in(ctx, id, func(r Reader) (err error) {
		row, ok, err = r.Account(ctx, id)
		return err
	})
	return row, ok, err
}

// Accounts implements Reader.
func (m *merged) Accounts(ctx context.Context, after string, limit int) ([]string, error) {
	return firstOf(ctx, m, limit, strings.Compare, func(ctx context.Context, r Reader, limit int) ([]string, error) {
		return r.Accounts(ctx, after, limit)
	})
}

// Rows implements Reader.
func (m *merged) Rows(ctx context.Context, after string, limit int) ([]AccountRow, error) {
	order := func(a, b AccountRow) int { return strings.Compare(a.Account, b.Account) }
	return firstOf(ctx, m, limit, order, func(ctx context.Context, r Reader, limit int) ([]AccountRow, error) {
		return r.Rows(ctx, after, limit)
	})
}

// Named implements Reader.
func (m *merged) Named(ctx context.Context, id string, limit int) ([]PartKey, error) {
	order := func(a, b PartKey) int {
		return cmp.Or(strings.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind))
	}
	return firstOf(ctx, m, limit, order, func(ctx context.Context, r Reader, limit int) ([]PartKey, error) {
		return r.Named(ctx, id, limit)
	})
}

// Due implements Reader. Lanes do not tell since when their accounts are due, so they
// take turns.
func (m *merged) Due(ctx context.Context, at reward.Instant, limit int) ([]string, error) {
	lists := make([][]string, len(m.lanes))
	share := limit/len(lists) + 1
	err := m.each(ctx, func(ctx context.Context, lane int, r Reader) (err error) {
		lists[lane], err = r.Due(ctx, at, share)
		return err
	})
	var ids []string
	for i := range share {
		for _, list := range lists {
			if i < len(list) && len(ids) < limit {
				ids = append(ids, list[i])
			}
		}
	}
	return ids, err
}

// Find implements Reader.
func (m *merged) Find(ctx context.Context, q Query) (list []Part, err error) {
	err = m.in(ctx, q.Account, func(r Reader) (err error) {
		list, err = r.Find(ctx, q)
		return err
	})
	return list, err
}

// Opened implements Reader.
func (m *merged) Opened(ctx context.Context, accounts []string, others []PartKey) (rows []AccountRow, parts []Part, err error) {
	ids, keys := make([][]string, len(m.lanes)), make([][]PartKey, len(m.lanes))
	for _, id := range accounts {
		lane := m.laneOf(id)
		ids[lane] = append(ids[lane], id)
	}
	for _, k := range others {
		lane := m.laneOf(k.Account)
		keys[lane] = append(keys[lane], k)
	}
	var one sync.Mutex
	err = m.each(ctx, func(ctx context.Context, lane int, r Reader) error {
		if len(ids[lane])+len(keys[lane]) == 0 {
			return nil
		}
		more, theirs, err := r.Opened(ctx, ids[lane], keys[lane])
		one.Lock()
		defer one.Unlock()
		rows, parts = append(rows, more...), append(parts, theirs...)
		return err
	})
	slices.SortFunc(rows, func(a, b AccountRow) int { return strings.Compare(a.Account, b.Account) })
	return rows, parts, err
}

// Event implements Reader.
func (m *merged) Event(ctx context.Context, id Identity) (row EventRow, ok bool, err error) {
	err = m.in(ctx, id.Account, func(r Reader) (err error) {
		row, ok, err = r.Event(ctx, id)
		return err
	})
	return row, ok, err
}

// Numbered implements Reader. An event is where its number was handed out, unless its
// account has moved since.
func (m *merged) Numbered(ctx context.Context, number int64) (row EventRow, ok bool, err error) {
	look := func(ctx context.Context, r Reader) error {
		found, there, err := r.Numbered(ctx, number)
		if there {
			row, ok = found, true
		}
		return err
	}
	if err := m.lanes[m.origin(number)].View(ctx, func(r Reader) error { return look(ctx, r) }); err != nil || ok {
		return row, ok, err
	}
	var one sync.Mutex
	err = m.each(ctx, func(ctx context.Context, _ int, r Reader) error {
		one.Lock()
		defer one.Unlock()
		if ok {
			return nil
		}
		return look(ctx, r)
	})
	return row, ok, err
}

// of runs f on the lane that has an event.
func (m *merged) of(ctx context.Context, number int64, f func(r Reader) error) error {
	row, ok, err := m.Numbered(ctx, number)
	if err != nil || !ok {
		return err
	}
	return m.in(ctx, row.Account, f)
}

// Numbers implements Reader.
func (m *merged) Numbers(ctx context.Context, from int64, limit int) (list []int64, err error) {
	err = m.of(ctx, from, func(r Reader) (err error) {
		list, err = r.Numbers(ctx, from, limit)
		return err
	})
	return list, err
}

// Events implements Reader.
func (m *merged) Events(ctx context.Context, from int64, limit int) (list []EventRow, err error) {
	err = m.of(ctx, from, func(r Reader) (err error) {
		list, err = r.Events(ctx, from, limit)
		return err
	})
	return list, err
}

// EventsOf implements Reader: account by account, each in its lane.
func (m *merged) EventsOf(ctx context.Context, first, last string, f func(*EventRow) error) error {
	const page = 1000
	one := func(id string) error {
		return m.in(ctx, id, func(r Reader) error { return r.EventsOf(ctx, id, id, f) })
	}
	if first != "" {
		if err := one(first); err != nil {
			return err
		}
	}
	for after := first; last == "" || after < last; {
		ids, err := m.Accounts(ctx, after, page)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if last != "" && id > last {
				return nil
			}
			if err := one(id); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
	return nil
}

// LogBack implements Reader. Lanes hand out numbers by themselves, so the whole is in
// order of numbers, which is that of time only roughly.
func (m *merged) LogBack(ctx context.Context, before, after int64, types []reward.Type, f func(*EventRow) (bool, error)) error {
	const page = 2000
	order := func(a, b EventRow) int { return cmp.Compare(b.Number, a.Number) }
	for {
		rows, err := firstOf(ctx, m, page, order, func(ctx context.Context, r Reader, limit int) (list []EventRow, err error) {
			err = r.LogBack(ctx, before, after, types, func(row *EventRow) (bool, error) {
				list = append(list, *row.Clone())
				return len(list) < limit, nil
			})
			return list, err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			if more, err := f(&rows[i]); err != nil || !more {
				return err
			}
			before = rows[i].Number
		}
		if len(rows) < page {
			return nil
		}
	}
}

// Statements implements Reader.
func (m *merged) Statements(ctx context.Context, account string, before reward.Cycle, limit int) (list []StatementRow, err error) {
	err = m.in(ctx, account, func(r Reader) (err error) {
		list, err = r.Statements(ctx, account, before, limit)
		return err
	})
	return list, err
}

// StatementsOf implements Reader.
func (m *merged) StatementsOf(ctx context.Context, cycle reward.Cycle, after, last string) ([]StatementRow, error) {
	list, err := gathered(ctx, m, func(ctx context.Context, r Reader) ([]StatementRow, error) {
		return r.StatementsOf(ctx, cycle, after, last)
	})
	slices.SortFunc(list, func(a, b StatementRow) int { return strings.Compare(a.Account, b.Account) })
	return list, err
}

// StatementSums implements Reader.
func (m *merged) StatementSums(ctx context.Context, from reward.Cycle) ([]ProgramSum, error) {
	return gathered(ctx, m, func(ctx context.Context, r Reader) ([]ProgramSum, error) { return r.StatementSums(ctx, from) })
}

// Reviews implements Reader.
func (m *merged) Reviews(ctx context.Context, account string, after ReviewPlace, limit int) (list []Part, err error) {
	if account != "" {
		err = m.in(ctx, account, func(r Reader) (err error) {
			list, err = r.Reviews(ctx, account, after, limit)
			return err
		})
		return list, err
	}
	order := func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.ReviewSince, b.ReviewSince), strings.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.ID, b.ID))
	}
	return firstOf(ctx, m, limit, order, func(ctx context.Context, r Reader, limit int) ([]Part, error) {
		return r.Reviews(ctx, "", after, limit)
	})
}

// Census implements Reader.
func (m *merged) Census(ctx context.Context) (last, events int64, err error) {
	var one sync.Mutex
	err = m.each(ctx, func(ctx context.Context, _ int, r Reader) error {
		l, n, err := r.Census(ctx)
		one.Lock()
		defer one.Unlock()
		last, events = max(last, l), events+n
		return err
	})
	return last, events, err
}
