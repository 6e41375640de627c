package webhook

import (
	"context"
	"fmt"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// Remove forgets an endpoint, with everything that waits for it and its dead
// letters.
func (o *Outbox) Remove(ctx context.Context, id string) error {
	var there bool
	err := o.home.Change(ctx, func(tx record.Tx) (err error) {
		_, there, err = tx.Get(ctx, string(outbox.Endpoints), id)
		outbox.Endpoints.Delete(tx, id)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("removing endpoint %s: %w", id, err)
	case !there:
		return unknownEndpoint(id)
	}
	for _, lane := range o.lanes() {
		for _, table := range waiting {
			for more := true; more; {
				if more, err = deleteSome(ctx, lane, table, id); err != nil {
					return fmt.Errorf("removing the deliveries of endpoint %s: %w", id, err)
				}
			}
		}
	}
	return nil
}

// sweep deletes some of what is in a lane for endpoints that were removed: a store
// goes on writing for an endpoint for a second after that, and a removal may have been
// broken off.
func (o *Outbox) sweep(ctx context.Context, lane record.Store) error {
	for _, table := range waiting {
		ids, err := served(ctx, lane, table)
		if err != nil {
			return err
		}
		// Only now: one that was added in between is not to be taken for a removed one.
		listed, err := o.listed(ctx)
		if err != nil {
			return err
		}
		for i := range listed {
			delete(ids, listed[i].ID)
		}
		for id := range ids {
			if _, err := deleteSome(ctx, lane, table, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// served returns the endpoints that a table has something for. It reads one record of
// each.
func served(ctx context.Context, lane record.Store, table record.Table[outbox.Delivery]) (map[string]bool, error) {
	ids := map[string]bool{}
	err := lane.Read(ctx, func(r record.Reader) error {
		for rest := (record.Span{}); ; {
			id := ""
			err := table.Each(ctx, r, rest, func(_ string, d *outbox.Delivery) (bool, error) {
				id = d.Endpoint
				return false, nil
			})
			if err != nil || id == "" {
				return err
			}
			ids[id] = true
			rest.From = outbox.To(id).Before
		}
	})
	return ids, err
}

// deleteSome deletes a page of what a table has for an endpoint, and reports whether
// there is perhaps more.
func deleteSome(ctx context.Context, lane record.Store, table record.Table[outbox.Delivery], endpoint string) (more bool, err error) {
	err = lane.Change(ctx, func(tx record.Tx) error {
		var keys []string
		err := tx.Scan(ctx, string(table), outbox.To(endpoint), func(key string, _ []byte) (bool, error) {
			keys = append(keys, key)
			return len(keys) < page, nil
		})
		for _, key := range keys {
			table.Delete(tx, key)
		}
		more = len(keys) == page
		return err
	})
	return more, err
}
