package pebble

import (
	"bytes"
	"context"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// Replace implements durable.Driver. What cannot be read of the account is taken away as a
// span, and what of it is found by other keys, as far as these are known.
func (db *DB) Replace(ctx context.Context, account string, f func(log []durable.EventRow) (*durable.Changes, error)) error {
	return db.replace(ctx, account, func(t *tx, log []durable.EventRow) (*durable.Changes, error) {
		c, err := f(log)
		if err == nil {
			err = t.clear(ctx, account)
		}
		if err != nil {
			return nil, err
		}
		t.named(c.Parts)
		return c, nil
	})
}

// Forget implements durable.Driver.
func (db *DB) Forget(ctx context.Context, account string, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	return db.replace(ctx, account, func(t *tx, log []durable.EventRow) (*durable.Changes, error) {
		c, err := f(t, log)
		if err == nil {
			err = t.clear(ctx, account)
		}
		if err == nil {
			err = t.lock(ctx, t.strange(c))
		}
		if err != nil {
			return nil, err
		}
		t.named(nil)
		for i := range log {
			t.delete(t.scratch[:0].event(log[i].Number))
		}
		identities := key{}.account(account, identityTag)
		must(t.batch.DeleteRange(identities, identities.after(), nil))
		t.written = append(t.written, account) // that there is none
		t.parts = nil
		return c, nil
	})
}

// replace runs f on the log of an account, with a lock on it, and writes what it returns as
// if nothing were kept of the account.
func (db *DB) replace(ctx context.Context, account string, f func(t *tx, log []durable.EventRow) (*durable.Changes, error)) error {
	return db.Update(ctx, func(in durable.Tx) error {
		t := in.(*tx)
		if err := t.lock(ctx, []string{account}); err != nil {
			return err
		}
		var log []durable.EventRow
		r := &reader{source{from: t.from}, db}
		defer r.source.close()
		err := r.EventsOf(ctx, account, account, func(e *durable.EventRow) error {
			row := *e
			row.Event, row.Postings = bytes.Clone(e.Event), bytes.Clone(e.Postings)
			log = append(log, row)
			return nil
		})
		if err != nil {
			return err
		}
		t.batch = t.db.tree.NewBatch()
		c, err := f(t, log)
		if err != nil {
			return err
		}
		t.accounts = map[string]standing{account: {}}
		for i := range c.Accounts {
			t.accounts[c.Accounts[i].Account] = standing{}
		}
		return t.write(c)
	})
}

// named takes away the names of the parts that were there and are not to be any more.
func (t *tx) named(parts []durable.Part) {
	kept := make(map[durable.PartKey]bool, len(parts))
	for i := range parts {
		kept[durable.PartKey{Account: parts[i].Account, Kind: parts[i].Kind, ID: parts[i].ID}] = true
	}
	for k := range t.parts {
		if kept[k] || k.Kind > reward.ChargebackPart {
			continue
		}
		for e := range era(t.db.numbers.latest()) + 1 {
			t.delete(t.scratch[:0].name(e, k))
		}
	}
}

// clear takes away all that is kept of an account but its log and the names of its parts,
// and notes which parts there were.
func (t *tx) clear(ctx context.Context, account string) error {
	err := t.scan(ctx, key{dueSpace}, key{dueSpace + 1}, func(k, _ []byte) (bool, error) {
		s := keyOf(k)
		if s.int(); s.text() == account {
			t.delete(bytes.Clone(k))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	t.parts = make(map[durable.PartKey]partState)
	for _, tag := range []byte{workingTag, restingTag, reviewTag, statementTag} {
		prefix := key{}.account(account, tag)
		// What cannot be read of it here will be written again as it was.
		_ = t.scan(ctx, prefix, prefix.after(), func(k, _ []byte) (bool, error) {
			s := &scanner{packed.Reader{Left: bytes.Clone(k[len(prefix):])}}
			switch tag {
			case workingTag, restingTag:
				p := durable.PartKey{Account: account, Kind: reward.PartKind(s.Byte()), ID: s.rest()}
				t.parts[p] = partState{there: true, working: tag == workingTag}
			case reviewTag:
				at := durable.ReviewPlace{Since: reward.Instant(s.int()), Account: account}
				at.Kind, at.ID = reward.PartKind(s.Byte()), s.rest()
				t.delete(t.scratch[:0].review(at))
			case statementTag:
				t.delete(t.scratch[:0].statement(reward.Cycle(s.int()), account))
			}
			return true, nil
		})
	}
	for _, span := range [][2]key{
		{key{}.account(account, headTag), key{}.account(account, workingTag).after()},
		{key{}.account(account, restingTag), key{}.account(account, identityTag)},
	} {
		must(t.batch.DeleteRange(span[0], span[1], nil))
	}
	return nil
}
