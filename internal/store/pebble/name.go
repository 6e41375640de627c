package pebble

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// era is that of the names of parts which are made beside the event with a number: one
// for a million numbers. Names are asked for by people, and written with every purchase.
// Ids are as good as random, so in one order for all of them each new one would have to
// be merged with all others; within eras they are merged with those of their own time,
// and who asks looks into each era.
func era(number int64) int64 { return number >> 20 }

// Named implements durable.Reader.
func (r *reader) Named(ctx context.Context, id string, limit int) (keys []durable.PartKey, err error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: key{nameSpace}, UpperBound: key{nameSpace + 1}})
	if err != nil {
		return nil, failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	scratch := make(key, 0, 64)
	for ok := it.First(); ok; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := keyOf(it.Key())
		of := k.int()
		if k.Bad {
			return nil, failure(errDamaged)
		}
		scratch = scratch[:0].nameOf(of, id)
		found := 0
		for ok = it.SeekGE(scratch); ok && found < limit; ok = it.Next() {
			at := keyOf(it.Key())
			if at.int() != of || at.text() != id {
				break
			}
			keys = append(keys, durable.PartKey{ID: id, Account: at.text(), Kind: reward.PartKind(at.Byte())})
			if at.Bad {
				return nil, failure(errDamaged)
			}
			found++
		}
		slices.SortFunc(keys, func(a, b durable.PartKey) int {
			return cmp.Or(strings.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind))
		})
		keys = keys[:min(len(keys), limit)]
		if ok && bytes.HasPrefix(it.Key(), scratch[:9]) {
			ok = it.SeekGE(scratch[:0].byte(nameSpace).int(of + 1))
		}
	}
	return keys, failure(it.Error())
}
