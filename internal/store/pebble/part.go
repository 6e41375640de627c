package pebble

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// appendWorking appends a working part, of which the end of the key is its kind and id.
func appendWorking(dst []durable.Part, account string, k, v []byte) ([]durable.Part, error) {
	if len(k) == 0 {
		return dst, damaged(account, errDamaged)
	}
	at := durable.PartKey{Account: account, Kind: reward.PartKind(k[0]), ID: string(k[1:])}
	p, err := readPart(at, true, v)
	if err != nil {
		return dst, damagedPart(at, err)
	}
	return append(dst, p), nil
}

// partsOf reads those of the parts that are there.
func (s *source) partsOf(keys []durable.PartKey) (found []durable.Part, err error) {
	scratch := make(key, 0, 64)
	for _, k := range keys {
		for _, tag := range []byte{workingTag, restingTag} {
			v, ok, err := s.get(scratch[:0].part(k, tag))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			p, err := readPart(k, tag == workingTag, v)
			if err != nil {
				return nil, damagedPart(k, err)
			}
			found = append(found, p)
			break
		}
	}
	return found, nil
}

// Find implements durable.Reader and durable.Tx.
func (s *source) Find(ctx context.Context, q durable.Query) ([]durable.Part, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	of := make(key, 0, 64)
	switch {
	case q.IDs != nil:
		keys := make([]durable.PartKey, len(q.IDs))
		for i, id := range q.IDs {
			keys[i] = durable.PartKey{Account: q.Account, Kind: q.Kind, ID: id}
		}
		return s.partsOf(keys)
	case q.Working:
		prefix := of.account(q.Account, workingTag).byte(byte(q.Kind))
		return s.partsIn(ctx, q, workingTag, len(prefix), prefix, prefix.after(), -1)
	case q.Bucket != 0:
		prefix := of.account(q.Account, bucketTag).byte(byte(q.Kind)).int(q.Bucket)
		return s.partsOfIndex(ctx, q, len(prefix), prefix, prefix.after())
	case q.Settled:
		prefix := of.account(q.Account, settledTag).byte(byte(q.Kind))
		n := len(prefix)
		return s.partsOfIndex(ctx, q, n+8, prefix.int(int64(q.From)), append(key{}, prefix...).int(int64(q.To)))
	default:
		return s.page(ctx, q)
	}
}

// partsIn reads up to limit parts (below zero: all) whose keys, before their ids, are so
// long, and lie in a span.
func (s *source) partsIn(ctx context.Context, q durable.Query, tag byte, length int, from, before key, limit int) (found []durable.Part, err error) {
	if limit == 0 {
		return nil, nil
	}
	err = s.scan(ctx, from, before, func(k, v []byte) (bool, error) {
		at := durable.PartKey{Account: q.Account, Kind: q.Kind, ID: string(k[length:])}
		p, err := readPart(at, tag == workingTag, v)
		if err != nil {
			return false, damagedPart(at, err)
		}
		found = append(found, p)
		return len(found) != limit, nil
	})
	return found, err
}

// partsOfIndex reads the parts that keys of an index lead to.
func (s *source) partsOfIndex(ctx context.Context, q durable.Query, length int, from, before key) ([]durable.Part, error) {
	var keys []durable.PartKey
	err := s.scan(ctx, from, before, func(k, _ []byte) (bool, error) {
		keys = append(keys, durable.PartKey{Account: q.Account, Kind: q.Kind, ID: string(k[length:])})
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return s.partsAt(keys)
}

// partsAt reads parts that something leads to, in the order of the keys. It goes over
// the parts in their own order, so that of an account with many each block is read once.
func (s *source) partsAt(keys []durable.PartKey) ([]durable.Part, error) {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &keys[a], &keys[b]
		return cmp.Or(strings.Compare(x.Account, y.Account), cmp.Compare(x.Kind, y.Kind), strings.Compare(x.ID, y.ID))
	})
	parts := make([]durable.Part, len(keys))
	scratch := make(key, 0, 64)
	for _, i := range order {
		k := keys[i]
		scratch = scratch[:0].part(k, restingTag)
		v, ok, err := s.seek(scratch)
		working := err == nil && !ok
		if working {
			scratch = scratch[:0].part(k, workingTag)
			v, ok, err = s.get(scratch)
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, damagedPart(k, errMissing)
		}
		if parts[i], err = readPart(k, working, v); err != nil {
			return nil, damagedPart(k, err)
		}
	}
	return parts, nil
}

// page reads a page in the order of ids, from the working parts and the others.
func (s *source) page(ctx context.Context, q durable.Query) ([]durable.Part, error) {
	var both [2][]durable.Part
	for i, tag := range []byte{workingTag, restingTag} {
		prefix := make(key, 0, 64).account(q.Account, tag).byte(byte(q.Kind))
		from := append(key{}, prefix...)
		if q.After != "" {
			from = from.rest(q.After).byte(0)
		}
		var err error
		if both[i], err = s.partsIn(ctx, q, tag, len(prefix), from, prefix.after(), max(q.Limit, 0)); err != nil {
			return nil, err
		}
	}
	working, resting := both[0], both[1]
	found := make([]durable.Part, 0, min(q.Limit, len(working)+len(resting)))
	for len(found) < q.Limit && len(working)+len(resting) > 0 {
		from := &resting
		if len(resting) == 0 || len(working) > 0 && working[0].ID < resting[0].ID {
			from = &working
		}
		found = append(found, (*from)[0])
		*from = (*from)[1:]
	}
	return found, nil
}

// Opened implements durable.Reader.
func (r *reader) Opened(ctx context.Context, accounts []string, others []durable.PartKey) (rows []durable.AccountRow, parts []durable.Part, err error) {
	for _, id := range accounts {
		row, ok, err := r.Account(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		rows = append(rows, row)
		for kind := reward.TransactionPart; kind <= reward.LastPart; kind++ {
			more, err := r.Find(ctx, durable.Query{Account: id, Kind: kind, Working: true})
			if err != nil {
				return nil, nil, err
			}
			parts = append(parts, more...)
		}
	}
	for _, k := range others {
		more, err := r.Find(ctx, durable.Query{Account: k.Account, Kind: k.Kind, IDs: []string{k.ID}})
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, more...)
	}
	return rows, parts, nil
}

// Reviews implements durable.Reader.
func (r *reader) Reviews(ctx context.Context, account string, after durable.ReviewPlace, limit int) ([]durable.Part, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	from, before := key{}.review(after).byte(0), key{reviewSpace + 1}
	if account != "" {
		from, before = key{}.account(account, reviewTag), key{}.account(account, reviewTag+1)
		switch {
		case account == after.Account:
			from = key{}.reviewOf(after).byte(0)
		case account < after.Account:
			from = from.int(int64(after.Since)).after()
		default:
			from = from.int(int64(after.Since))
		}
	}
	var keys []durable.PartKey
	err := r.scan(ctx, from, before, func(k, _ []byte) (bool, error) {
		s := keyOf(k)
		p := durable.PartKey{Account: account}
		if account != "" {
			s.text()
			s.Byte()
		}
		s.int()
		if account == "" {
			p.Account = s.text()
		}
		p.Kind, p.ID = reward.PartKind(s.Byte()), s.rest()
		keys = append(keys, p)
		return len(keys) < limit, s.err()
	})
	if err != nil {
		return nil, err
	}
	return r.partsAt(keys)
}
