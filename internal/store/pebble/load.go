package pebble

import (
	"bytes"
	"context"
	"slices"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
)

// Load implements durable.Tx.
func (t *tx) Load(ctx context.Context, r *durable.Request) (*durable.Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.lock(ctx, r.Accounts); err != nil {
		return nil, err
	}
	if err := t.reading(); err != nil {
		return nil, err
	}
	found := new(durable.Loaded)
	if err := t.loadAccounts(r, found); err != nil {
		return nil, err
	}
	if err := t.loadNamed(r, found); err != nil {
		return nil, err
	}
	var err error
	found.Numbers, err = t.db.numbers.allot(t.db.tree, t.db.disk, r.Numbers)
	return found, err
}

// loadAccounts reads the rows, and with the head of one its working parts.
func (t *tx) loadAccounts(r *durable.Request, found *durable.Loaded) error {
	if t.accounts == nil {
		t.accounts = make(map[string]standing, len(r.Accounts))
	}
	if t.parts == nil {
		t.parts = make(map[durable.PartKey]partState, len(r.Parts)+len(r.Accounts))
	}
	for i, id := range r.Accounts {
		if at, known := t.db.standings.get(id); known && at.version == r.Held[i] && t.batch == nil {
			t.accounts[id] = at
			found.Accounts = append(found.Accounts, durable.AccountRow{Account: id, Program: at.program, Version: at.version, Last: at.last, Due: at.due})
			continue
		}
		row, ok, err := t.loadAccount(id, r.Held[i], found)
		if err != nil {
			return err
		}
		t.accounts[id] = standingOf(&row)
		if !ok {
			continue
		}
		if t.batch == nil {
			t.db.standings.put(id, t.accounts[id])
		}
		found.Accounts = append(found.Accounts, row)
	}
	return nil
}

// loadAccount reads the row of an account that is locked, and its working parts, which
// lie after it, if the row comes with its head.
func (t *tx) loadAccount(id string, held int64, found *durable.Loaded) (row durable.AccountRow, ok bool, err error) {
	before := len(found.Parts)
	prefix := make(key, 0, 64).byte(accountSpace).text(id)
	err = t.under(prefix, func(k, v []byte) (more bool, err error) {
		at := scanner{packed.Reader{Left: k[len(prefix):]}}
		switch at.Byte() {
		case headTag:
			row, err = readRow(id, v, held)
			ok = err == nil
			return row.Head != nil, err
		case workingTag:
			found.Parts, err = appendWorking(found.Parts, id, at.Left, v)
		}
		return ok, err
	})
	if !ok {
		found.Parts = found.Parts[:before]
	}
	for i := range found.Parts[before:] {
		t.saw(&found.Parts[before+i])
	}
	return row, ok, err
}

func standingOf(a *durable.AccountRow) standing {
	return standing{a.Program, a.Version, a.Last, a.Due}
}

// loadNamed looks up identities and parts, all in the order of their keys, so that what
// lies next to each other is read at once. The working parts of the request's accounts
// have come with their heads, or are at hand.
func (t *tx) loadNamed(r *durable.Request, found *durable.Loaded) error {
	list := make(lookups, 0, len(r.Identities)+len(r.Parts))
	for _, id := range r.Identities {
		list.add(func(k key) key { return k.identity(id) })
	}
	for _, p := range r.Parts {
		list.add(func(k key) key { return k.part(p, restingTag) })
	}
	if err := t.look(list); err != nil {
		return err
	}
	found.Logged = make([][]byte, len(r.Identities))
	for i, at := range list[:len(r.Identities)] {
		if !at.ok {
			continue
		}
		var e durable.EventRow
		if err := t.eventAt(at.value, r.Identities[i].Account, &e); err != nil {
			return err
		}
		found.Logged[i] = e.Event
	}
	for i, p := range r.Parts {
		part, ok, err := partOf(p, nil, &list[len(r.Identities)+i])
		if err != nil {
			return err
		}
		if ok {
			found.Parts = append(found.Parts, part)
			t.parts[p] = stateOf(&part.Part)
		} else if _, working := t.parts[p]; !working {
			t.parts[p] = partState{}
		}
	}
	return nil
}

// partOf is the part that was looked up among the resting ones and, unless it is nil, the
// working ones.
func partOf(k durable.PartKey, working, resting *lookup) (p durable.Part, ok bool, err error) {
	at := resting
	if working != nil && working.ok {
		at = working
	}
	if !at.ok {
		return p, false, nil
	}
	if p, err = readPart(k, at == working, at.value); err != nil {
		return p, false, damagedPart(k, err)
	}
	return p, true, nil
}

// lookup is a key that is looked up, and what is under it.
type lookup struct {
	key   key
	value []byte
	ok    bool
}

type lookups []lookup

func (l *lookups) add(put func(key) key) {
	*l = append(*l, lookup{key: put(make(key, 0, 64))})
}

// look looks keys up in their order.
func (s *source) look(list lookups) error {
	order := make([]*lookup, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortFunc(order, func(a, b *lookup) int { return bytes.Compare(a.key, b.key) })
	for _, at := range order {
		v, ok, err := s.get(at.key)
		if err != nil {
			return err
		}
		if ok {
			at.value, at.ok = bytes.Clone(v), true
		}
	}
	return nil
}
