package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/record"
)

// worker checks one span after the other.
type worker struct {
	*run
	*examination
	batch batch // what the log and the checkpoint have of the span at hand
	tally tally
}

// tally is what came out of one span.
type tally struct {
	accounts, events, postings, sealed int64

	list  []Difference
	count int64
}

func (w *worker) work(ctx context.Context, s *span) error {
	err := w.lanes[s.lane].Inspect(ctx, func(r durable.Inspector) error {
		w.tally = tally{}
		return w.span(ctx, r, s)
	})
	if err != nil {
		return err
	}
	w.deliver(&w.tally)
	return nil
}

// span checks the accounts of a span. Where what is kept of them cannot be read, each
// account is looked at by itself.
func (w *worker) span(ctx context.Context, r durable.Inspector, s *span) error {
	// Seals are read before the accounts are, and so never ahead of them, even of
	// a database that is several with a snapshot each.
	seals, err := readSeals(ctx, r, s.keys())
	if err != nil {
		return err
	}
	keys, err := erasure.KeysOf(ctx, r, s.keys())
	if err != nil {
		return err
	}
	v := visit{w, ctx, r, s, seals, keys}
	err = r.Kept(ctx, s.first, s.last, v.account)
	if err != nil && ctx.Err() == nil && store.IsDamage(err) {
		if s.first != s.last {
			v.run.differ("what is kept of accounts", fmt.Sprintf("rows from %q to %q that can be read", s.first, s.last), err.Error())
		}
		err = v.oneByOne()
	}
	if err == nil {
		err = v.rest()
	}
	return err
}

// evidence is what an account's events are compared with beside what is kept of it.
type evidence struct {
	seal keptSeal
	key  erasure.Kept
	leaf *Leaf // nil: the checkpoint does not cover it
}

// visit is a span that is looked at, on one snapshot.
type visit struct {
	*worker
	ctx   context.Context
	r     durable.Inspector
	span  *span
	seals map[string]keptSeal     // of accounts that have not come up
	keys  map[string]erasure.Kept // the same
}

// account checks an account that something is kept of.
func (v *visit) account(k *durable.Kept) error {
	a := v.batch.account(k.Account)
	if a == nil {
		a = &account{id: k.Account}
	}
	a.done = true
	key := record.Key(k.Account)
	with := evidence{v.seals[key], v.keys[key], nil}
	var err error
	if with.leaf, err = v.covered.find(nameOf(k.Account, with.key.Key)); err != nil {
		return err
	}
	if err := v.examine(k, a, with); err != nil {
		return err
	}
	if k.Row != nil || k.Damage != nil {
		delete(v.seals, key)
	}
	delete(v.keys, key)
	return nil
}

// oneByOne checks the accounts that the log or the checkpoint has and that have not come
// up yet.
func (v *visit) oneByOne() error {
	for _, a := range v.others() {
		var kept *durable.Kept
		err := v.r.Kept(v.ctx, a.id, a.id, func(k *durable.Kept) error {
			kept = k
			return v.account(k)
		})
		switch {
		case err != nil && store.ReachOf(err) != store.OneAccount:
			return err
		case err != nil:
			err = v.account(&durable.Kept{Account: a.id, Row: &durable.AccountRow{Account: a.id}, Damage: err})
		case kept == nil:
			err = v.account(&durable.Kept{Account: a.id})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rest checks what nothing is kept of, and names seals that are of no account.
func (v *visit) rest() error {
	for _, a := range v.others() {
		if err := v.account(&durable.Kept{Account: a.id}); err != nil {
			return err
		}
	}
	for key := range v.seals {
		v.stray(accountIn(key), sealTable, 1)
	}
	for key := range v.keys {
		if err := v.account(&durable.Kept{Account: accountIn(key)}); err != nil { // the checkpoint may cover it
			return err
		}
	}
	if came := v.tally.events; v.span.long && v.batch.counted > came {
		v.astray(Difference{v.span.last, 0, "events that nothing leads to", "none", strconv.FormatInt(v.batch.counted-came, 10)})
	}
	return nil
}

// others are the accounts of the batch that have not come up, by their names.
func (v *visit) others() (list []*account) {
	for i := range v.batch.all {
		if a := &v.batch.all[i]; !a.done {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *account) int { return strings.Compare(a.id, b.id) })
	return list
}

// examine examines an account with its events.
func (v *visit) examine(k *durable.Kept, a *account, with evidence) error {
	x := v.examination
	x.start(k, with)
	var err error
	if v.span.long && a.id == v.span.last {
		err = v.stream(k, a, with)
	} else {
		v.batch.each(a, x.event)
		err = v.catchUp(k)
	}
	if err != nil {
		return err
	}
	v.end(k)
	return nil
}

// stream has the examination read the events of an account that are not piled up. If its
// log is damaged it begins anew, with what can be found of it.
func (v *visit) stream(k *durable.Kept, a *account, with evidence) error {
	damage := v.r.EventsOf(v.ctx, a.id, a.id, func(row *durable.EventRow) error {
		if row.Account != a.id {
			return &store.Failure{Reach: store.OneAccount, Account: a.id, Err: fmt.Errorf("its log leads to event %d, which is of account %q", row.Number, row.Account)}
		}
		v.event(row)
		return nil
	})
	if damage == nil {
		return nil
	}
	if v.ctx.Err() != nil || !store.IsDamage(damage) {
		return damage
	}
	v.start(k, with)
	events, err := v.r.Loose(v.ctx, a.id)
	if err != nil && store.ReachOf(err) != store.OneAccount {
		return errors.Join(damage, err)
	}
	for i := range events {
		v.event(&events[i])
	}
	v.examination.differ(0, "log", "one event that leads to the next", damage.Error())
	return nil
}

// catchUp examines the events that an account has got since the log was read.
func (v *visit) catchUp(k *durable.Kept) error {
	x := v.examination
	if k.Row == nil || k.Row.Version <= x.sequence {
		return nil
	}
	var late []durable.EventRow
	for from := k.Row.Last; ; {
		page, err := v.r.Events(v.ctx, from, pageSize)
		if err != nil && !store.IsDamage(err) {
			return err
		}
		if err != nil {
			x.differ(0, "log", "one event that leads to the next", err.Error())
			break
		}
		known := slices.IndexFunc(page, func(e durable.EventRow) bool { return e.Account != k.Account || e.Sequence <= x.sequence })
		if known >= 0 {
			late = append(late, page[:known]...)
			break
		}
		if late = append(late, page...); len(page) < pageSize {
			break
		}
		from = page[len(page)-1].Before
	}
	for i := range late {
		x.event(&late[len(late)-1-i])
	}
	return nil
}

// end ends the account at hand and adds it to the tally.
func (v *visit) end(k *durable.Kept) {
	x, t := v.examination, &v.tally
	x.finish()
	if x.events > 0 || k.Row != nil {
		t.accounts++
	}
	t.events += x.events
	t.postings += x.journal.book.Entries
	if x.seal != nil {
		t.sealed += min(x.seal.sequence, x.events)
	}
	t.list, t.count = append(t.list, x.list...), t.count+x.count
	if k.Row == nil && k.Damage == nil {
		v.strays(k)
	}
}

// strays names what is kept of an account that has no row.
func (v *visit) strays(k *durable.Kept) {
	counts := make(map[string]int)
	for i := range k.Parts {
		counts[k.Parts[i].Kind.String()+"s"]++
	}
	counts["statements"] += len(k.Statements)
	if v.trail.chain.key != nil {
		counts[erasure.Table]++
	}
	for kind, rows := range counts {
		v.stray(k.Account, kind, rows)
	}
}

func (v *visit) stray(account, kind string, rows int) {
	if rows > 0 {
		v.astray(Difference{account, 0, "rows in " + kind, "none, as there is no account", strconv.Itoa(rows)})
	}
}

func (v *visit) astray(d Difference) {
	v.tally.list, v.tally.count = append(v.tally.list, d), v.tally.count+1
}

// deliver adds the tally of a span to the report.
func (c *run) deliver(t *tally) {
	c.found.add(t.list, t.count)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.report
	r.Accounts += t.accounts
	r.Events += t.events
	r.Postings += t.postings
	r.Sealed += t.sealed
	if c.options.Checked != nil {
		c.options.Checked(r.Accounts)
	}
}
