package pebble

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/reward"
	"recoup/store/durable"
)

// Census implements durable.Inspector.
func (r *reader) Census(ctx context.Context) (last, events int64, err error) {
	err = r.scan(ctx, key{eventSpace}, key{eventSpace + 1}, func(k, _ []byte) (bool, error) {
		last = keyOf(k).int()
		events++
		return true, nil
	})
	return last, events, err
}

// Loose implements durable.Inspector.
func (r *reader) Loose(ctx context.Context, account string) (list []durable.EventRow, err error) {
	err = r.EventsOf(ctx, account, account, func(e *durable.EventRow) error {
		row := *e
		row.Event, row.Postings = bytes.Clone(e.Event), bytes.Clone(e.Postings)
		list = append(list, row)
		return nil
	})
	return list, err
}

// Orphans implements durable.Inspector.
func (r *reader) Orphans(ctx context.Context, upTo int64, f func(*durable.EventRow) error) error {
	led := make(numberSet)
	err := r.eachAccount(ctx, "", 1<<62, func(id string, v []byte) error {
		row, err := readRow(id, v, -1)
		led.add(row.Last)
		return err
	})
	if err != nil {
		return err
	}
	if err := r.eachEvent(ctx, func(e *durable.EventRow) { led.add(e.Before) }); err != nil {
		return err
	}
	var orphans []durable.EventRow
	err = r.eachEvent(ctx, func(e *durable.EventRow) {
		if e.Number <= upTo && !led.has(e.Number) {
			orphans = append(orphans, durable.EventRow{Number: e.Number, Account: e.Account, Sequence: e.Sequence})
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(orphans, func(a, b durable.EventRow) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Number, b.Number))
	})
	for i := range orphans {
		if err := f(&orphans[i]); err != nil {
			return err
		}
	}
	return nil
}

// eachEvent calls f with every event of the log.
func (r *reader) eachEvent(ctx context.Context, f func(*durable.EventRow)) (err error) {
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: key{eventSpace}, UpperBound: key{eventSpace + 1}})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	var e durable.EventRow
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := eventOn(it, &e); err != nil {
			return err
		}
		f(&e)
	}
	return nil
}

// numberSet is a set of numbers, most of which lie close together: a bit each.
type numberSet map[int64]*[1 << 10]uint64

func (n numberSet) add(number int64) {
	page := n[number>>16]
	if page == nil {
		page = new([1 << 10]uint64)
		n[number>>16] = page
	}
	page[number>>6&(1<<10-1)] |= 1 << (number & 63)
}

func (n numberSet) has(number int64) bool {
	page := n[number>>16]
	return page != nil && page[number>>6&(1<<10-1)]&(1<<(number&63)) != 0
}

// Strays implements durable.Inspector.
func (r *reader) Strays(ctx context.Context, f func(kind, account string, rows int64) error) error {
	type place struct{ kind, account string }
	found := make(map[place]int64)
	account := ""
	counts := make(map[string]int64)
	end := func() error {
		if len(counts) == 0 {
			return nil
		}
		_, there, err := r.get(make(key, 0, 64).account(account, headTag))
		if !there && err == nil {
			for kind, rows := range counts {
				found[place{kind, account}] += rows
			}
		}
		clear(counts)
		return err
	}
	for _, space := range []byte{accountSpace, historySpace} {
		err := r.scan(ctx, key{space}, key{space + 1}, func(k, _ []byte) (bool, error) {
			s := keyOf(k)
			if id := s.text(); id != account {
				if err := end(); err != nil {
					return false, err
				}
				account = id
			}
			switch s.byte() {
			case workingTag, restingTag:
				counts[reward.PartKind(s.byte()).String()+"s"]++
			case statementTag:
				counts["statements"]++
			}
			return true, s.err()
		})
		if err == nil {
			err = end()
		}
		if err != nil {
			return err
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(found), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.account, b.account))
	}) {
		if err := f(p.kind, p.account, found[p]); err != nil {
			return err
		}
	}
	return nil
}
