package verify

import (
	"cmp"
	"context"
	"fmt"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

// backlog is an account with what of it is sealed, and what is not.
type backlog struct {
	account       string
	key           *erasure.Key
	sealed        keptSeal // sequence 0: nothing is
	last, version int64    // of its row
	damage        error    // why its row or its key cannot be read
}

// sealPassed seals what is not sealed of the accounts after one, or if a Sealer is given
// what that has passed by, and returns the accounts, and how many events it sealed. Of
// those whose log cannot be read, it tells the Sealer.
func sealPassed(ctx context.Context, db Database, after string, s *Sealer) (page []backlog, sealed int, err error) {
	var fresh []freshSeal
	err = db.View(ctx, func(r durable.Reader) (err error) {
		if page, err = readBacklog(ctx, r, after); err != nil {
			return err
		}
		for i := range page {
			b := &page[i]
			if s.ahead(b) {
				continue
			}
			n, err := b.extend(ctx, r)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil && !store.IsDamage(err) {
				return err
			}
			if err != nil {
				s.fail(fmt.Errorf("sealing account %q: %w; run recoup verify", b.account, err))
			}
			if n > 0 {
				fresh = append(fresh, freshSeal{b.account, b.key, b.sealed.seal})
				delete(s.trails, b.account)
			}
			sealed += n
		}
		return nil
	})
	if err == nil {
		err = putSeals(ctx, db, fresh, 0)
	}
	return page, sealed, err
}

// ahead reports whether a Sealer has sealed what there is of an account, or will when it
// comes to it.
func (s *Sealer) ahead(b *backlog) bool {
	if s.db == nil {
		return false
	}
	c := s.trails[b.account]
	if c != nil && !sameKey(c.chain.key, b.key) { // it was forgotten, and there is another one
		delete(s.trails, b.account)
		c = nil
	}
	if c != nil && (c.broken || c.sequence >= b.version || c.sequence > c.sealed) {
		return true
	}
	return b.last > s.position
}

// readBacklog reads what is sealed of the next accounts, and what is not.
func readBacklog(ctx context.Context, r durable.Reader, after string) ([]backlog, error) {
	rows, err := readRows(ctx, r, after, sealPage)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	seals, err := readSeals(ctx, r, accountSpan(after, rows[len(rows)-1].Account))
	if err != nil {
		return nil, err
	}
	keys, err := erasure.KeysOf(ctx, r, accountSpan(after, rows[len(rows)-1].Account))
	if err != nil {
		return nil, err
	}
	page := make([]backlog, len(rows))
	for i := range rows {
		r, name := &rows[i], record.Key(rows[i].Account)
		page[i] = backlog{r.Account, keys[name].Key, seals[name], r.Last, r.Version, cmp.Or(r.damage, keys[name].Damage)}
	}
	return page, nil
}

// extend brings the seal of an account up to its latest event, or to where its log is
// broken: Run names that, and also a seal that makes no sense.
func (b *backlog) extend(ctx context.Context, r durable.Reader) (added int, err error) {
	if b.damage != nil || b.sealed.damage != nil || b.version <= b.sealed.sequence {
		return 0, b.damage
	}
	var t trail
	t.start(b.account, b.key)
	if b.sealed.sequence > 0 {
		t.resume(&b.sealed.seal, b.key)
	}
	if added, err = t.extend(ctx, r, b.account, b.last, b.version); added > 0 {
		b.sealed.seal = t.seal()
	}
	return added, err
}
