package durable

import (
	"context"
	"fmt"
	"slices"

	"recoup/event"
	"recoup/internal/store"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/reward"
)

// unit is one batch of events at work in one transaction.
type unit struct {
	store  *Store
	ctx    context.Context
	tx     Tx
	events []reward.Event
	// presume: try without asking the database what is there; presumed: there is
	// something that it was not asked for.
	presume, presumed bool
	unseen            int   // events that were not sighted before
	timeline          int64 // that the transaction goes on with

	entries map[string]*entry
	of      []*entry // by event
	lines   [][]byte // by event, as it is written on the wire; nil until asked for
	text    []byte   // that lines and postings are pieces of
	asked   []int    // the events whose identities were looked up
	logged  [][]byte // by event: the line under its identity in the log
	now     reward.Instant
	// received is when the events were, by event; nil: now.
	received []reward.Instant
	seen     map[Identity]int // events recorded in this unit
	read     map[PartKey][]byte
	numbers  []int64
	tell     outbox.Audience // who is to be told of what happens

	rows       []EventRow
	statements []StatementRow
	notices    []outbox.Notice
	untold     error // why a notice could not be written
	refused    []int // events that were refused and are to be kept
	endings    map[string]record.Record
}

var (
	_ store.Unit      = (*unit)(nil)
	_ store.Versioned = (*unit)(nil)
)

// load locks the accounts of the batch and reads what its events are likely to
// need, so that the rest is read one by one only where it is rarely needed.
//
// The common event is of an account at hand, is new, and names new things. Where
// the driver wants that, it is presumed, and the database's keys decide when the
// unit is written: that saves an exchange, and look-ups of what is not there.
func (u *unit) load() error {
	if err := u.learn(); err != nil {
		return err
	}
	ids := u.accounts()
	var err error
	if u.timeline, err = u.tx.Timeline(u.ctx); err != nil {
		return err
	}
	held := u.store.cache.take(ids, u.timeline)
	for i, e := range held {
		u.entries[ids[i]] = e
	}
	r := u.request(ids, held)
	found, err := u.tx.Load(u.ctx, r)
	if err != nil {
		return err
	}
	u.numbers = found.Numbers
	u.logged = make([][]byte, len(u.events))
	for i, at := range u.asked {
		u.logged[at] = found.Logged[i]
	}
	u.lines = make([][]byte, len(u.events))
	u.text = make([]byte, 0, 700*len(u.events))
	u.rows = make([]EventRow, 0, len(u.events))
	u.seen = make(map[Identity]int, len(u.events))
	u.of = make([]*entry, len(u.events))
	u.now = u.store.now()
	return u.open(r, found)
}

// accounts are those of the batch, in byte order.
func (u *unit) accounts() []string {
	u.entries = make(map[string]*entry, len(u.events))
	var ids []string
	for i := range u.events {
		id := u.events[i].Account
		if _, there := u.entries[id]; !there {
			u.entries[id] = nil
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// request asks for what the events name, as far as it is not at hand, of all
// accounts of which not everything is presumed.
func (u *unit) request(ids []string, held []*entry) *Request {
	u.read = make(map[PartKey][]byte, len(u.events))
	uncertain := u.uncertain()
	r := &Request{Numbers: len(u.events)}
	for i, id := range ids {
		if e := held[i]; uncertain == nil || uncertain[id] {
			r.Accounts, r.Held = append(r.Accounts, id), append(r.Held, -1)
			if e != nil {
				r.Held[len(r.Held)-1] = e.version
			}
		} else {
			u.presumed = true
			u.bind(e)
		}
	}
	for i := range u.events {
		e := &u.events[i]
		parts := &r.Presumed
		if uncertain == nil || uncertain[e.Account] {
			parts = &r.Parts
			u.asked = append(u.asked, i)
			r.Identities = append(r.Identities, Identity{e.Account, e.Source, e.ID})
		}
		u.ask(parts, PartKey{e.Account, reward.TransactionPart, e.Transaction})
		if kind, ok := reward.PartOf(e.Type); ok {
			u.ask(parts, PartKey{e.Account, kind, e.Fact})
		}
	}
	return r
}

// ask adds a part to a list, once, unless it is at hand.
func (u *unit) ask(list *[]PartKey, k PartKey) {
	if _, asked := u.read[k]; k.ID == "" || asked {
		return
	}
	if e := u.entries[k.Account]; e != nil && e.account.Has(k.Kind, k.ID) {
		return
	}
	u.read[k] = nil
	*list = append(*list, k)
}

// uncertain are the accounts that are not at hand, or of which an event names
// something that is neither at hand nor made by an event of the batch. nil:
// nothing is to be presumed.
func (u *unit) uncertain() map[string]bool {
	if !u.presume {
		return nil
	}
	uncertain := make(map[string]bool)
	made := make(map[PartKey]bool, len(u.events))
	atHand := func(k PartKey) bool {
		return k.ID == "" || made[k] || u.entries[k.Account].account.Has(k.Kind, k.ID)
	}
	for i := range u.events {
		e := &u.events[i]
		if u.entries[e.Account] == nil {
			uncertain[e.Account] = true
			continue
		}
		purchase := PartKey{e.Account, reward.TransactionPart, e.Transaction}
		kind, _ := reward.PartOf(e.Type)
		other := PartKey{e.Account, kind, e.Fact}
		switch e.Type {
		case reward.TransactionSettled, reward.TransactionAuthorized:
			made[purchase] = true
		case reward.RefundPosted, reward.RefundPending, reward.ChargebackPosted, reward.RedemptionRequested, reward.RedemptionAuthorized, reward.AdjustmentPosted:
			made[other] = true
			uncertain[e.Account] = uncertain[e.Account] || !atHand(purchase)
		default:
			uncertain[e.Account] = uncertain[e.Account] || !atHand(purchase) || kind != 0 && !atHand(other)
		}
	}
	return uncertain
}

// bind has an account that is at hand read from this unit's transaction, and know
// the latest version of its program.
func (u *unit) bind(e *entry) {
	if p, ok := u.store.programs.Get(e.program); ok && e.account.Program() != p {
		e.account.Adopt(p)
	}
	e.shelf.bind(u.ctx, u.tx, u.read)
}

// learn has programs known that accounts are opened under, if another process
// has put them a moment ago.
func (u *unit) learn() error {
	for i := range u.events {
		if e := &u.events[i]; e.Type == reward.AccountOpened && e.Fact != "" {
			if _, known := u.store.programs.Get(e.Fact); !known {
				return u.store.programs.Refresh(u.ctx)
			}
		}
	}
	return nil
}

// open has every account that was asked for at hand, if it is in the database.
// What is in the cache is used if its version is still the same.
func (u *unit) open(r *Request, found *Loaded) error {
	working := make(map[string][]reward.Part)
	parts := make(map[string]bool)
	for i := range found.Parts {
		p := &found.Parts[i]
		parts[p.Account] = true
		k := PartKey{p.Account, p.Kind, p.ID}
		if _, asked := u.read[k]; asked {
			u.read[k] = p.Data
		}
		if p.Working {
			working[p.Account] = append(working[p.Account], p.Part)
		}
	}
	rows := found.Accounts
	for i, id := range r.Accounts {
		if len(rows) == 0 || rows[0].Account != id {
			if parts[id] {
				return ErrConflict // somebody made it between the reading of its row and of its parts
			}
			u.entries[id] = nil
			continue
		}
		row := &rows[0]
		rows = rows[1:]
		if row.Version == r.Held[i] {
			if row.Last != u.entries[id].last {
				return ErrConflict // the one at hand was forgotten, and there is another
			}
			u.bind(u.entries[id])
			continue
		}
		program, err := u.store.programOf(u.ctx, row)
		if err != nil {
			return err
		}
		if u.entries[id], err = openEntry(u.ctx, row, program, working[id], u.tx, u.read); err != nil {
			return err
		}
	}
	return nil
}

// openEntry opens an account from its row.
func openEntry(ctx context.Context, row *AccountRow, p *reward.Program, working []reward.Part, from finder, read map[PartKey][]byte) (*entry, error) {
	e := &entry{
		id: row.Account, shelf: &shelf{account: row.Account}, program: row.Program,
		version: row.Version, base: row.Version, baseLast: row.Last, last: row.Last,
	}
	head, err := readTally(row.Head, &e.tally)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", row.Account, err)
	}
	e.shelf.bind(ctx, from, read)
	e.account, err = reward.Open(row.Account, p, head, working, e.shelf)
	return e, err
}

// line returns an event as it is written on the wire.
func (u *unit) line(i int) []byte {
	if u.lines[i] == nil {
		start := len(u.text)
		u.text = event.Append(u.text, &u.events[i])
		u.lines[i] = u.text[start:len(u.text):len(u.text)]
	}
	return u.lines[i]
}

// Sighting implements store.Unit. Events are compared, not how they are written: that
// may change from one version to the next.
func (u *unit) Sighting(i int) store.Sighting {
	e := &u.events[i]
	var before reward.Event
	switch at, seen := u.seen[Identity{e.Account, e.Source, e.ID}]; {
	case seen:
		before = u.events[at]
	case u.logged[i] == nil:
		u.unseen++
		return store.Unseen
	default:
		if err := event.NewDecoder().Decode(u.logged[i], &before); err != nil {
			err = fmt.Errorf("account %s: the event that is logged under source %q, id %q: %w", e.Account, e.Source, e.ID, err)
			panic(unreadable{&store.Failure{Reach: store.OneAccount, Account: e.Account, Err: err}})
		}
	}
	if before == *e {
		return store.SameContent
	}
	return store.OtherContent
}

// Account implements store.Unit.
func (u *unit) Account(i int) *reward.Account {
	e := &u.events[i]
	at := u.entries[e.Account]
	if at == nil {
		at = u.newEntry(e)
	}
	u.of[i] = at
	at.grace = at.account.NotBefore()
	return at.account
}

// Version implements store.Versioned.
func (u *unit) Version(i int) int64 { return u.of[i].version }

// newEntry is an account that is not there yet, of the program that its first
// event names, if it names one, or of the default program.
func (u *unit) newEntry(e *reward.Event) *entry {
	program, _ := u.store.programs.Default()
	if e.Type == reward.AccountOpened {
		if named, ok := u.store.programs.Get(e.Fact); ok {
			program = named
		}
	}
	at := &entry{id: e.Account, shelf: &shelf{account: e.Account}, program: program.ID}
	at.shelf.bind(u.ctx, nowhere{}, nil)
	at.account, _ = reward.Open(e.Account, program, nil, nil, at.shelf) // without a head there is nothing to be damaged
	u.entries[e.Account] = at
	return at
}
