package sqlite

import (
	"cmp"
	"context"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

// Named implements durable.Reader. The tables have an index by id, the backlog in
// memory is looked through.
func (s *source) Named(ctx context.Context, id string, limit int) ([]durable.PartKey, error) {
	var keys []durable.PartKey
	for _, key := range s.partsNamed(id) {
		switch key.Kind {
		case reward.TransactionPart, reward.RefundPart, reward.ChargebackPart:
			keys = append(keys, key)
		}
	}
	for _, kind := range []reward.PartKind{reward.TransactionPart, reward.RefundPart, reward.ChargebackPart} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q := s.conn.query(queriesOf[kind].named).text(id).int(int64(limit))
		for q.next() {
			keys = append(keys, durable.PartKey{Account: q.textAt(0), Kind: kind, ID: id})
		}
		if err := q.end(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(keys, func(a, b durable.PartKey) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind))
	})
	keys = slices.Compact(keys)
	return keys[:min(len(keys), limit)], nil
}
