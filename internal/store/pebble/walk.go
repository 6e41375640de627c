package pebble

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/store/durable"
)

// chunk is how many events EventsOf has in memory.
const chunk = 1 << 15

// walk reads events by account. The log has them in the order of their numbers, so walk
// gathers where the events of some accounts are, reads those in the order of the log,
// and hands them out in the order of the accounts: each block of the log is read once for
// so many accounts.
type walk struct {
	ctx    context.Context
	source *source
	f      func(*durable.EventRow) error
	log    *lsm.Iterator
	// What is gathered: the events of the accounts, in the order to hand them out.
	refs  []located
	text  []byte
	again durable.EventRow
}

// located is where an event is, and what is under its number once it was read.
type located struct {
	reference
	account  string
	from, to int // of walk.text
}

// EventsOf implements durable.Reader.
func (r *reader) EventsOf(ctx context.Context, first, last string, f func(*durable.EventRow) error) (err error) {
	if last != "" && last < first {
		return ctx.Err()
	}
	w := &walk{ctx: ctx, source: &r.source, f: f}
	if w.log, err = r.from.NewIter(&lsm.IterOptions{LowerBound: key{eventSpace}, UpperBound: key{eventSpace + 1}}); err != nil {
		return failure(err)
	}
	defer func() {
		if closing := w.log.Close(); err == nil {
			err = failure(closing)
		}
	}()
	before := key{historySpace + 1}
	if last != "" {
		before = key{historySpace}.text(last).after()
	}
	if err := w.gather(key{historySpace}.text(first), before); err != nil {
		return err
	}
	return w.handOut()
}

// gather goes over the identities of the accounts in a span of keys.
func (w *walk) gather(from, before key) (err error) {
	it, err := w.source.from.NewIter(&lsm.IterOptions{LowerBound: from, UpperBound: before})
	if err != nil {
		return failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = failure(closing)
		}
	}()
	account, start := "", 0
	var prefix key
	for ok := it.First(); ok; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if !bytes.HasPrefix(it.Key(), prefix) || prefix == nil {
			if len(w.refs) >= chunk {
				if err := w.handOut(); err != nil {
					return err
				}
			}
			s := keyOf(it.Key())
			account, start = s.text(), len(w.refs)
			prefix = prefix[:0].account(account, identityTag)
			ok = it.SeekGE(prefix)
			if !ok || !bytes.HasPrefix(it.Key(), prefix) {
				continue
			}
		}
		v, err := it.ValueAndErr()
		if err != nil {
			return ofAccount(prefix, err)
		}
		ref, err := readReference(v)
		if err != nil {
			return damaged(account, err)
		}
		w.refs = append(w.refs, located{reference: ref, account: account})
		if ok = it.Next(); !ok || !bytes.HasPrefix(it.Key(), prefix) {
			slices.SortFunc(w.refs[start:], bySequence)
		}
	}
	return failure(it.Error())
}

func bySequence(a, b located) int {
	return cmp.Or(cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.number, b.number))
}

// handOut reads what was gathered, a chunk at a time.
func (w *walk) handOut() error {
	for refs := w.refs; len(refs) > 0; {
		n := min(len(refs), chunk)
		if err := w.read(refs[:n]); err != nil {
			return err
		}
		for i := range refs[:n] {
			at := &refs[i]
			if err := w.ctx.Err(); err != nil {
				return err
			}
			if err := readEvent(at.number, w.text[at.from:at.to:at.to], &w.again); err != nil {
				return ofEvent(at.number, at.account, err)
			}
			if err := w.f(&w.again); err != nil {
				return err
			}
		}
		refs = refs[n:]
	}
	w.refs = w.refs[:0]
	return nil
}

// read reads events in the order of their numbers.
func (w *walk) read(refs []located) error {
	order := make([]*located, len(refs))
	for i := range refs {
		order[i] = &refs[i]
	}
	slices.SortFunc(order, func(a, b *located) int { return cmp.Compare(a.number, b.number) })
	w.text = w.text[:0]
	scratch := make(key, 0, 9)
	for _, at := range order {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		scratch = scratch[:0].event(at.number)
		if !w.log.SeekGE(scratch) || !bytes.Equal(w.log.Key(), scratch) {
			if err := w.log.Error(); err != nil {
				return ofEvent(at.number, at.account, err)
			}
			return missing(at.number, at.account)
		}
		v, err := w.log.ValueAndErr()
		if err != nil {
			return ofEvent(at.number, at.account, err)
		}
		at.from = len(w.text)
		w.text = append(w.text, v...)
		at.to = len(w.text)
	}
	return nil
}
