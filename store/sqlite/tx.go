package sqlite

import (
	"context"
	"fmt"
	"math"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

// tx is a unit of work. It holds the lock on the database, so that the tables and
// the backlog are as they are until it ends.
type tx struct {
	source
	db    *DB
	state state
	// versions of the accounts that were looked up, 0 for those that are not
	// there; and of identities whether they are free.
	versions map[string]int64
	free     map[durable.Identity]bool
	wrote    bool
	row      []byte // of the backlog, what was written so far
	changes  int    // in it
	// own has what was written so far, on top of the overlay, once something is
	// looked up after a write.
	own      *layer
	ownBytes int // of row that are in own
}

// begin prepares the unit of work for a transaction that has just begun.
func (t *tx) begin(st state) {
	clear(t.versions)
	clear(t.free)
	t.state = st
	t.overlay = overlay{backlog: &t.db.backlog, layers: t.db.backlog.layersNow(), upTo: math.MaxInt64}
	t.fresh, t.wrote, t.row, t.changes, t.own, t.ownBytes = nil, false, nil, 0, nil, 0
}

// look makes what this unit of work has written visible to its look-ups.
func (t *tx) look() error {
	if t.ownBytes == len(t.row) {
		return nil
	}
	if t.own == nil {
		t.own = newLayer(t.state.last + 1)
		t.layers = append(t.layers[:len(t.layers):len(t.layers)], t.own)
	}
	err := t.own.add(t.row[t.ownBytes:], nil)
	t.ownBytes, t.fresh = len(t.row), nil
	return err
}

// Load implements durable.Tx.
func (t *tx) Load(ctx context.Context, r *durable.Request) (*durable.Loaded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.look(); err != nil {
		return nil, err
	}
	l := &durable.Loaded{}
	for i, id := range r.Accounts {
		row, ok, err := t.source.row(id, r.Held[i])
		if err != nil {
			return nil, fmt.Errorf("load account: %w", err)
		}
		t.versions[id] = row.Version
		if !ok {
			continue
		}
		l.Accounts = append(l.Accounts, row)
		if row.Version != r.Held[i] {
			if l.Parts, err = t.appendWorking(l.Parts, id); err != nil {
				return nil, fmt.Errorf("load working parts: %w", err)
			}
		}
	}
	if err := t.loadIdentities(l, r.Identities); err != nil {
		return nil, fmt.Errorf("load identities: %w", err)
	}
	var err error
	for _, key := range r.Parts {
		if l.Parts, err = t.appendPart(l.Parts, key); err != nil {
			return nil, fmt.Errorf("load parts: %w", err)
		}
	}
	if l.Numbers, err = t.numbers(r.Numbers); err != nil {
		return nil, fmt.Errorf("allot event numbers: %w", err)
	}
	q := t.conn.query(`SELECT EXISTS (SELECT 1 FROM endpoints WHERE disabled_at IS NULL)`)
	l.Notify = q.next() && q.intAt(0) == 1
	return l, q.end()
}

func (t *tx) loadIdentities(l *durable.Loaded, identities []durable.Identity) error {
	l.Logged = make([][]byte, len(identities))
	for i, id := range identities {
		number, err := t.numberOf(id)
		if err != nil {
			return err
		}
		if number == 0 {
			t.free[id] = true
			continue
		}
		if l.Logged[i], err = t.conn.line(number); err != nil {
			return err
		}
	}
	return nil
}

// numbers allots n event numbers: above those in the log, and above those that
// this process allotted for nothing.
func (t *tx) numbers(n int) ([]int64, error) {
	if n == 0 {
		return nil, nil
	}
	q := t.conn.query(newestQuery)
	if q.next() {
		t.db.allotted = max(t.db.allotted, q.intAt(0))
	}
	if err := q.end(); err != nil {
		return nil, err
	}
	list := make([]int64, n)
	for i := range list {
		t.db.allotted++
		list[i] = t.db.allotted
	}
	return list, nil
}

// Find implements durable.Tx.
func (t *tx) Find(ctx context.Context, q durable.Query) ([]durable.Part, error) {
	if err := t.look(); err != nil {
		return nil, err
	}
	return t.source.Find(ctx, q)
}

// Write implements durable.Tx. Events are appended to the log at once; accounts,
// parts and identities go into the backlog when the unit of work commits.
func (t *tx) Write(ctx context.Context, c *durable.Changes) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.makeRoom(c)
	for i := range c.Accounts {
		if err := t.checkVersion(&c.Accounts[i]); err != nil {
			return err
		}
	}
	for i := range c.Events {
		e := &c.Events[i]
		if err := t.claim(durable.Identity{Account: e.Account, Source: e.Source, ID: e.ID}); err != nil {
			return err
		}
		if err := t.conn.writeEvent(e); err != nil {
			return fmt.Errorf("append to the log: %w", err)
		}
	}
	for i := range c.Statements {
		if err := t.conn.writeStatement(&c.Statements[i]); err != nil {
			return fmt.Errorf("write statement: %w", err)
		}
	}
	if err := t.writeNotices(c); err != nil {
		return fmt.Errorf("write notices: %w", err)
	}
	t.row = appendChanges(t.row, c)
	n := len(c.Accounts) + len(c.Parts) + len(c.Events)
	t.changes += n
	t.wrote = t.wrote || n+len(c.Statements)+len(c.Notices) > 0
	return nil
}

// makeRoom makes the row of the backlog as large as it may get: it is kept as it
// is for as long as it is in the backlog, and should not be copied on the way.
func (t *tx) makeRoom(c *durable.Changes) {
	n := 0
	for i := range c.Accounts {
		a := &c.Accounts[i]
		n += 40 + len(a.Account) + len(a.Program) + len(a.Head)
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		n += 45 + len(p.Account) + len(p.ID) + len(p.Data)
	}
	for i := range c.Events {
		e := &c.Events[i]
		n += 25 + len(e.Account) + len(e.Source) + len(e.ID)
	}
	t.row = slices.Grow(t.row, n)
}

// checkVersion returns a conflict unless the account is as the row's base says.
func (t *tx) checkVersion(a *durable.AccountRow) error {
	version, known := t.versions[a.Account]
	if !known {
		if err := t.look(); err != nil {
			return err
		}
		row, _, err := t.source.row(a.Account, -1)
		if err != nil {
			return fmt.Errorf("look up account: %w", err)
		}
		version = row.Version
	}
	if version != a.Base {
		return fmt.Errorf("an account is at version %d, not at %d: %w", version, a.Base, durable.ErrConflict)
	}
	t.versions[a.Account] = a.Version
	return nil
}

// claim takes an identity for an event.
func (t *tx) claim(id durable.Identity) error {
	free, known := t.free[id]
	if !known {
		if err := t.look(); err != nil {
			return err
		}
		number, err := t.numberOf(id)
		if err != nil {
			return fmt.Errorf("look up identity: %w", err)
		}
		free = number == 0
	}
	if !free {
		return fmt.Errorf("event %q of source %q is in the log of its account already: look it up before it is written", id.ID, id.Source)
	}
	t.free[id] = false
	return nil
}

// writeNotices puts notices into the outbox, with a delivery for each endpoint
// that wants them, due at once.
func (t *tx) writeNotices(c *durable.Changes) error {
	if len(c.Notices) == 0 {
		return nil
	}
	var now reward.Instant
	for i := range c.Events {
		now = max(now, c.Events[i].Received)
	}
	for i := range c.Notices {
		n := &c.Notices[i]
		q := t.conn.query(`INSERT INTO notices (account, type, body, created_at) VALUES (?, ?, ?, ?) RETURNING number`).
			text(n.Account).text(n.Type).blob(n.Body).int(int64(now))
		var number int64
		for q.next() {
			number = q.intAt(0)
		}
		if err := q.end(); err != nil {
			return err
		}
		err := t.conn.query(`INSERT INTO deliveries (notice, endpoint, next_at)
			SELECT ?, id, ? FROM endpoints WHERE disabled_at IS NULL AND (types = '' OR instr(',' || types || ',', ',' || ? || ',') > 0)`).
			int(number).int(int64(now)).text(n.Type).run()
		if err != nil {
			return err
		}
	}
	return nil
}

// finish writes what is left to write before the transaction commits.
func (t *tx) finish() error {
	if len(t.row) == 0 {
		return nil
	}
	if err := t.conn.query(`INSERT INTO backlog (number, changes) VALUES (?, ?)`).int(t.state.last + 1).blob(t.row).run(); err != nil {
		return fmt.Errorf("write the backlog: %w", err)
	}
	return nil
}
