package pebble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store"
	"recoup/internal/store/durable"
)

// Census implements durable.Reader.
func (r *reader) Census(ctx context.Context) (last, events int64, err error) {
	err = r.scan(ctx, key{eventSpace}, key{eventSpace + 1}, func(k, _ []byte) (bool, error) {
		last = keyOf(k).int()
		events++
		return true, nil
	})
	return last, events, err
}

// Log implements durable.Inspector.
func (r *reader) Log(ctx context.Context, after, upTo int64, f func(*durable.EventRow) error, damaged func(error) error) (err error) {
	if after >= upTo {
		return ctx.Err()
	}
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: key{}.event(after + 1), UpperBound: key{}.event(upTo).after()})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil && !lsm.IsCorruptionError(closing) {
			err = failure(closing)
		}
	}()
	var e durable.EventRow
	last := after
	for ok := it.First(); ; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !ok {
			if ok, err = pastDamage(it, last, upTo, damaged); err != nil || !ok {
				return err
			}
		}
		err := eventOn(it, &e)
		last = e.Number
		switch {
		case err == nil:
			err = f(&e)
		case lsm.IsCorruptionError(err), errors.Is(err, errDamaged):
			err = damaged(err)
		}
		if err != nil {
			return err
		}
	}
}

// pastDamage has an iterator that has come to an end, after a number, go on after what it
// could not read; ok is false if that was all there is. It may leave out events between
// two places that are damaged.
func pastDamage(it *lsm.Iterator, last, upTo int64, damaged func(error) error) (ok bool, err error) {
	found := it.Error()
	if found == nil || !lsm.IsCorruptionError(found) {
		return false, failure(found)
	}
	unreadable, readable, step := last, upTo+1, int64(1)
	for ; unreadable+step < readable; step *= 2 {
		if it.SeekGE(key{}.event(unreadable + step)); it.Error() == nil {
			readable = unreadable + step
			break
		}
		unreadable += step
	}
	for readable-unreadable > 1 {
		middle := unreadable + (readable-unreadable)/2
		if it.SeekGE(key{}.event(middle)); it.Error() == nil {
			readable = middle
		} else {
			unreadable = middle
		}
	}
	if err := damaged(fmt.Errorf("events %d to %d cannot be read: %w", last+1, unreadable, found)); err != nil || readable > upTo {
		return false, err
	}
	return it.SeekGE(key{}.event(readable)), failure(it.Error())
}

// Loose implements durable.Inspector. Where nothing leads, it does not look: that would
// be to read the whole log.
func (r *reader) Loose(ctx context.Context, account string) (list []durable.EventRow, err error) {
	row, _, err := r.row(account)
	if err != nil && store.ReachOf(err) != store.OneAccount {
		return nil, err
	}
	leads := []int64{row.Last}
	prefix := make(key, 0, 64).account(account, identityTag)
	err = r.scan(ctx, prefix, prefix.after(), func(_, v []byte) (bool, error) {
		if ref, err := readReference(v); err == nil {
			leads = append(leads, ref.number)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{0: true}
	for len(leads) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		number := leads[len(leads)-1]
		leads = leads[:len(leads)-1]
		if seen[number] {
			continue
		}
		seen[number] = true
		var e durable.EventRow
		switch ok, err := r.numbered(number, account, &e); {
		case err != nil && store.ReachOf(err) != store.OneAccount:
			return nil, err
		case err == nil && ok && e.Account == account:
			list = append(list, e)
			leads = append(leads, e.Before)
		}
	}
	slices.SortFunc(list, func(a, b durable.EventRow) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Number, b.Number))
	})
	return list, nil
}
