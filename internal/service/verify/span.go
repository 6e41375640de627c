package verify

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// span is a piece of work: the accounts of a lane from one to another.
type span struct {
	lane        int
	first, last string // "": no bound
	events      int64
	// long: its last account has more events than are piled up, and the others, if there
	// are any, have come since.
	long bool
}

// A span has about so many events, which a worker has at hand; a longer account is taken
// alone. There are to be some spans for each worker, so that all have something to do
// until the end.
const (
	fewestAtATime  = 4 << 10
	mostAtATime    = 64 << 10
	spansPerWorker = 8
)

// accountsAtATime is how many rows of accounts are read at once.
const accountsAtATime = 1000

// lane is a lane with its spans.
type lane struct {
	Lane
	spans []span // by account
	place int    // of the first of them among those of all lanes
	last  int64  // the highest number of an event that an account leads to
}

// divide divides the accounts of a lane into spans.
func (c *run) divide(ctx context.Context, place int, l *lane) error {
	var sizes []size
	var total int64
	err := c.sizes(ctx, l, func(s size, last int64) {
		l.last, total = max(l.last, last), total+s.events
		if n := len(sizes); n > 0 && sizes[n-1].events+s.events <= fewestAtATime/2 {
			sizes[n-1].account, sizes[n-1].events = s.account, sizes[n-1].events+s.events
			return
		}
		sizes = append(sizes, s)
	})
	if err != nil {
		return err
	}
	atATime := max(fewestAtATime, min(mostAtATime, total/int64(spansPerWorker*c.options.Workers)))
	open := span{lane: place}
	end := func(at string) {
		open.last = at
		l.spans = append(l.spans, open)
		open = span{lane: place, first: at + "\x01"} // no name of an account comes between
	}
	for i, s := range sizes {
		if open.events > 0 && (open.events+s.events > atATime || s.events > mostAtATime) {
			end(sizes[i-1].account)
		}
		if open.events += s.events; s.events > mostAtATime {
			open.long = true
			end(s.account)
		}
	}
	open.last = ""
	l.spans = append(l.spans, open)
	return nil
}

// size is how many events some accounts have, the last of which is the one named.
type size struct {
	account string
	events  int64
}

// sizes calls f with the number of events of each account, and the number of its last. It
// passes over rows that cannot be read: their accounts come up with what else there is of
// them.
func (c *run) sizes(ctx context.Context, l *lane, f func(s size, last int64)) error {
	after, limit, passed := "", accountsAtATime, 0
	for {
		var rows []durable.AccountRow
		err := l.View(ctx, func(r durable.Reader) (err error) {
			rows, err = r.Rows(ctx, after, limit)
			return err
		})
		switch {
		case err == nil:
			for i := range rows {
				f(size{rows[i].Account, max(rows[i].Version, 1)}, rows[i].Last)
			}
			if len(rows) < limit {
				return nil
			}
			after, limit, passed = rows[len(rows)-1].Account, min(2*limit, accountsAtATime), 0
		case ctx.Err() != nil || !store.IsDamage(err):
			return err
		case limit > 1:
			limit = 1
		case accountOf(err) > after:
			after = accountOf(err)
		default:
			if passed == 0 {
				c.differ("rows of accounts", fmt.Sprintf("one after %q that can be read", after), err.Error())
			}
			if after, passed = beyond(after, passed), passed+1; after == "" {
				return nil
			}
		}
	}
}

// accountOf is the account that an error is of, "" if it is of none.
func accountOf(err error) string {
	var f *store.Failure
	if errors.As(err, &f) {
		return f.Account
	}
	return ""
}

// beyond is a name that comes after one, the further the more often it was asked.
func beyond(name string, times int) string {
	for times > 0 && name != "" {
		name, times = name[:len(name)-1], times-1
	}
	for name != "" && name[len(name)-1] >= 0x7f {
		name = name[:len(name)-1]
	}
	if name == "" {
		return ""
	}
	return name[:len(name)-1] + string(name[len(name)-1]+1)
}

// spanOf returns the place of the span that an account is in.
func (l *lane) spanOf(account string) int {
	n := len(l.spans) - 1
	return sort.Search(n, func(i int) bool { return account <= l.spans[i].last })
}

// keys is the span of the keys of seals of a span.
func (s *span) keys() (keys record.Span) {
	if s.first != "" {
		keys.From = record.Key(s.first)
	}
	if s.last != "" {
		keys = keys.Until(record.Key(s.last) + "\x00")
	}
	return keys
}
