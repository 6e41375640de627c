package sources

import (
	"context"
	"slices"

	"recoup/internal/store/record"
	"recoup/internal/store/seal"
)

// Forget forgets what is kept of an account: the webhooks from which events of it followed,
// and what was kept of them for others.
func Forget(ctx context.Context, records record.Store, account string) error {
	return each(ctx, records, func(d *Delivery) bool { return slices.Contains(d.Accounts, account) }, func(tx record.Tx, d *Delivery) error {
		drop(tx, d)
		return nil
	}, func(n *note) bool { return n.Account == account })
}

// Keys counts the webhooks that are kept, by the id of the key that they are sealed with,
// "" for those that are not.
func Keys(ctx context.Context, records record.Store) (map[string]int, error) {
	counts := make(map[string]int)
	err := records.Read(ctx, func(r record.Reader) error {
		clear(counts)
		return deliveries.Each(ctx, r, record.Span{}, func(_ string, d *Delivery) (bool, error) {
			counts[seal.KeyOf(string(d.Body))]++
			return true, nil
		})
	})
	return counts, err
}

// Reseal seals with the first key what is sealed with another, or not at all, and returns
// how many webhooks that was.
func Reseal(ctx context.Context, records record.Store, keys *seal.Keys) (n int, err error) {
	err = each(ctx, records, func(d *Delivery) bool { return seal.KeyOf(string(d.Body)) != keys.ID() }, func(tx record.Tx, d *Delivery) error {
		body, err := keys.Open(d.sealPlace(), string(d.Body))
		if err != nil {
			return err
		}
		n++
		d.Body = []byte(keys.Seal(d.sealPlace(), body))
		return deliveries.Put(tx, d.key(), d)
	}, nil)
	return n, err
}

// each does something with the deliveries that are wanted, some at a time so that those that
// come meanwhile need not wait for all, and deletes the notes that are; nil: none is.
func each(ctx context.Context, records record.Store, wanted func(*Delivery) bool, do func(record.Tx, *Delivery) error, gone func(*note) bool) error {
	var found, forgotten []string
	err := records.Read(ctx, func(r record.Reader) error {
		found, forgotten = nil, nil
		err := deliveries.Each(ctx, r, record.Span{}, func(key string, d *Delivery) (bool, error) {
			if wanted(d) {
				found = append(found, key)
			}
			return true, nil
		})
		if err != nil || gone == nil {
			return err
		}
		return notes.Each(ctx, r, record.Span{}, func(key string, n *note) (bool, error) {
			if gone(n) {
				forgotten = append(forgotten, key)
			}
			return true, nil
		})
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(found, page) {
		err := records.Change(ctx, func(tx record.Tx) error {
			for _, key := range some {
				d, there, err := deliveries.Get(ctx, tx, key)
				if err == nil && there && wanted(&d) {
					err = do(tx, &d)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(forgotten, page) {
		err := records.Change(ctx, func(tx record.Tx) error {
			for _, key := range some {
				notes.Delete(tx, key)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
