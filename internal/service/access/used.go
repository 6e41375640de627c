package access

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"recoup/internal/store/record"
	"recoup/reward"
)

// uses are when keys were used since it was written down last. Writing it with each
// request would be one more write for each.
type uses struct {
	mu sync.Mutex
	at map[string]reward.Instant // by id
}

func (u *uses) note(id string, at reward.Instant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[string]reward.Instant)
	}
	u.at[id] = max(u.at[id], at)
}

// take returns what was noted and forgets it.
func (u *uses) take() map[string]reward.Instant {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := u.at
	u.at = nil
	return at
}

// NoteUses writes down which keys were used since it was called last. A service calls it
// every minute or so.
func (k *Keys) NoteUses(ctx context.Context) error {
	used := k.used.take()
	if len(used) == 0 {
		return nil
	}
	err := k.records.Change(ctx, func(tx record.Tx) error {
		for id := range maps.Keys(used) {
			row, ok, err := table.Get(ctx, tx, id)
			if err != nil {
				return err
			}
			if !ok || row.Used >= int64(used[id]) {
				continue
			}
			row.Used = int64(used[id])
			if err := table.Put(tx, id, &row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for id, at := range used { // the next time, then
			k.used.note(id, at)
		}
		return fmt.Errorf("noting which keys were used: %w", err)
	}
	return nil
}
