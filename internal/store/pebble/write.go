package pebble

import (
	"context"
	"fmt"
	"slices"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// Write implements durable.Tx. What it refuses it refuses before anything is written.
func (t *tx) Write(ctx context.Context, c *durable.Changes) error {
	err := t.admit(ctx, c)
	if err == nil {
		err = t.write(c)
	}
	if err != nil {
		t.refused = err
	}
	return err
}

// admit makes sure that the accounts are locked and as they were read, and that it is
// known of each part where it is.
func (t *tx) admit(ctx context.Context, c *durable.Changes) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.lock(ctx, t.strange(c)); err != nil {
		return err
	}
	for i := range c.Accounts {
		a := &c.Accounts[i]
		state, err := t.account(a.Account)
		if err != nil {
			return err
		}
		if state.version != a.Base {
			return durable.ErrConflict
		}
	}
	return t.locate(c.Parts)
}

// strange are the accounts of the changes that the unit has not loaded.
func (t *tx) strange(c *durable.Changes) (list []string) {
	add := func(account string) {
		if !t.locked[account] {
			list = append(list, account)
		}
	}
	for i := range c.Accounts {
		add(c.Accounts[i].Account)
	}
	for i := range c.Events {
		add(c.Events[i].Account)
	}
	for i := range c.Parts {
		add(c.Parts[i].Account)
	}
	for i := range c.Statements {
		add(c.Statements[i].Account)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// account is what is known of an account's row.
func (t *tx) account(id string) (standing, error) {
	if state, known := t.accounts[id]; known {
		return state, nil
	}
	if err := t.reading(); err != nil {
		return standing{}, err
	}
	row, _, err := t.row(id)
	if err != nil {
		return standing{}, err
	}
	if t.accounts == nil {
		t.accounts = make(map[string]standing)
	}
	state := standingOf(&row)
	t.accounts[id] = state
	return state, nil
}

// locate finds out where parts are that the unit has not seen.
func (t *tx) locate(parts []durable.Part) error {
	var unseen []durable.PartKey
	var list lookups
	for i := range parts {
		k := durable.PartKey{Account: parts[i].Account, Kind: parts[i].Kind, ID: parts[i].ID}
		if _, known := t.parts[k]; !known {
			unseen = append(unseen, k)
			list.add(func(b key) key { return b.part(k, workingTag) })
			list.add(func(b key) key { return b.part(k, restingTag) })
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	if err := t.reading(); err != nil {
		return err
	}
	if err := t.look(list); err != nil {
		return err
	}
	for i, k := range unseen {
		p, ok, err := partOf(k, &list[2*i], &list[2*i+1])
		if err != nil {
			return err
		}
		if ok {
			t.saw(&p)
		}
	}
	return nil
}

// write puts everything into the batch.
func (t *tx) write(c *durable.Changes) error {
	if t.batch == nil {
		t.batch = t.db.tree.NewBatchWithSize(800*len(c.Events) + 200*len(c.Parts) + 400*len(c.Accounts))
	}
	t.unread = true
	// What lies next to each other is put in one after the other: its place is then found
	// sooner.
	for i := range c.Events {
		e := &c.Events[i]
		t.value = appendEvent(t.value[:0], e)
		t.set(t.scratch[:0].event(e.Number), t.value)
	}
	for i := range c.Accounts {
		t.putAccount(&c.Accounts[i])
	}
	for i := range c.Events {
		e := &c.Events[i]
		t.value = appendReference(t.value[:0], reference{e.Number, e.Sequence})
		t.set(t.scratch[:0].identity(durable.Identity{Account: e.Account, Source: e.Source, ID: e.ID}), t.value)
	}
	for i := range c.Parts {
		t.putPart(&c.Parts[i])
	}
	for i := range c.Statements {
		st := &c.Statements[i]
		of, err := t.account(st.Account)
		if err != nil {
			return err
		}
		t.value = appendStatement(t.value[:0], st, of.program)
		t.set(t.scratch[:0].statement(st.Cycle, st.Account), t.value)
		t.set(t.scratch[:0].statementOf(st.Account, st.Cycle), t.value)
	}
	for i := range c.Records {
		r := &c.Records[i]
		t.records = true
		k := t.scratch[:0].record(r.Table, r.Key)
		if r.Value == nil {
			t.delete(k)
		} else {
			t.set(k, r.Value)
		}
	}
	return nil
}

func (t *tx) putAccount(a *durable.AccountRow) {
	before := t.accounts[a.Account]
	if before.due != a.Due {
		if before.due != 0 {
			t.delete(t.scratch[:0].due(before.due, a.Account))
		}
		if a.Due != 0 {
			t.set(t.scratch[:0].due(a.Due, a.Account), nil)
		}
	}
	t.value = appendAccount(t.value[:0], a)
	t.set(t.scratch[:0].account(a.Account, headTag), t.value)
	t.accounts[a.Account] = standingOf(a)
	t.written = append(t.written, a.Account)
}

// putPart writes a part with the keys that it is found by, and takes those away that it
// had before.
func (t *tx) putPart(p *durable.Part) {
	k := durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID}
	before, now := t.parts[k], stateOf(&p.Part)
	tag := restingTag
	if now.working {
		tag = workingTag
	}
	t.value = appendPart(t.value[:0], &p.Part)
	t.set(t.scratch[:0].part(k, tag), t.value)
	if !before.there {
		if p.Kind <= reward.ChargebackPart {
			t.set(t.scratch[:0].name(era(t.db.numbers.latest()), k), nil)
		}
	} else if before.working != now.working {
		t.delete(t.scratch[:0].part(k, workingTag+restingTag-tag))
	}
	if before.bucket != now.bucket {
		if before.bucket != 0 {
			t.delete(t.scratch[:0].bucket(k, before.bucket))
		}
		if now.bucket != 0 {
			t.set(t.scratch[:0].bucket(k, now.bucket), nil)
		}
	}
	if before.settled != now.settled {
		if before.settled != 0 {
			t.delete(t.scratch[:0].settled(k, before.settled))
		}
		if now.settled != 0 {
			t.set(t.scratch[:0].settled(k, now.settled), nil)
		}
	}
	if before.review != now.review {
		if before.review != 0 {
			place := durable.ReviewPlace{Since: before.review, Account: p.Account, Kind: p.Kind, ID: p.ID}
			t.delete(t.scratch[:0].review(place))
			t.delete(t.scratch[:0].reviewOf(place))
		}
		if now.review != 0 {
			place := durable.ReviewPlace{Since: now.review, Account: p.Account, Kind: p.Kind, ID: p.ID}
			t.set(t.scratch[:0].review(place), nil)
			t.set(t.scratch[:0].reviewOf(place), nil)
		}
	}
	if t.parts == nil {
		t.parts = make(map[durable.PartKey]partState)
	}
	t.parts[k] = now
}

// set and delete change the batch, which fails only if it is not a batch of the tree.
func (t *tx) set(k key, v []byte) {
	t.scratch = k
	must(t.batch.Set(k, v, nil))
}

func (t *tx) delete(k key) {
	t.scratch = k
	must(t.batch.Delete(k, nil))
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("a batch cannot be written: %v", err))
	}
}
