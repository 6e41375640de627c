package webhook

import (
	"context"
	"crypto/rand"
	"time"

	"recoup/internal/store/record"
)

// LeaseMargin is how much longer than an attempt may take a lease lasts: time to record
// the outcome, and for the clocks of processes to differ.
const LeaseMargin = time.Minute

// renewAfter is how old a lease is when it is renewed. What is sent under it has ended
// that much sooner than the margin.
const renewAfter = LeaseMargin / 4

// leases say who may do what only one at a time does in a lane, by what that is.
const leases record.Table[lease] = "leases"

const sending = "webhooks"

// lease is that somebody may, until a moment in nanoseconds since 1970.
type lease struct {
	Holder string `json:"holder"`
	Until  int64  `json:"until"`
}

// tenure is a dispatcher's part in the lease of a lane. So that nothing is sent twice,
// only the holder sends; so that taking a delivery costs no transaction, the lease is of
// all of them at once.
type tenure struct {
	lane   record.Store
	holder string // this one, as it is named in the lease
	length time.Duration
	alone  bool      // nobody else can have it
	taken  time.Time // when the lease was last taken or renewed; zero: it is not held
	other  lease     // somebody else's, as it was last seen
	since  time.Time // when that was first seen
}

func newTenure(lane record.Store, length time.Duration, alone bool) tenure {
	return tenure{lane: lane, holder: rand.Text(), length: length, alone: alone}
}

// hold takes the lease if nobody else has it, renews it in time, and reports whether it
// is held.
func (t *tenure) hold(ctx context.Context, now time.Time) (bool, error) {
	if t.taken.IsZero() {
		// As long as somebody else has it nothing is written.
		var free bool
		err := t.lane.Read(ctx, func(r record.Reader) (err error) {
			free, err = t.free(ctx, r, now)
			return err
		})
		if err != nil || !free {
			return false, err
		}
	} else if age := now.Sub(t.taken); age >= 0 && age < renewAfter {
		return true, nil
	}
	var held bool
	err := t.lane.Change(ctx, func(tx record.Tx) (err error) {
		if held, err = t.free(ctx, tx, now); err != nil || !held {
			return err
		}
		return leases.Put(tx, sending, &lease{Holder: t.holder, Until: now.Add(t.length).UnixNano()})
	})
	if err != nil {
		return false, err
	}
	t.taken = time.Time{}
	if held {
		t.taken = now
	}
	return held, nil
}

// free reports whether nobody else has the lease, or can have it. Nobody has one that has ended, nor one
// that has not been renewed for its whole length: the clock of who took it may have been
// wrong by years.
func (t *tenure) free(ctx context.Context, r record.Reader, now time.Time) (bool, error) {
	l, ok, err := leases.Get(ctx, r, sending)
	if err != nil {
		return false, err
	}
	if !ok || t.alone || l.Holder == t.holder || now.UnixNano() >= l.Until {
		return true, nil
	}
	if l != t.other {
		t.other, t.since = l, now
	}
	return now.Sub(t.since) >= t.length, nil
}

// end gives the lease back, if it is held.
func (t *tenure) end(ctx context.Context) error {
	if t.taken.IsZero() {
		return nil
	}
	t.taken = time.Time{}
	return t.lane.Change(ctx, func(tx record.Tx) error {
		held, err := holds(ctx, tx, t.holder)
		if held {
			leases.Delete(tx, sending)
		}
		return err
	})
}

// holds reports whether somebody is the last who took the lease.
func holds(ctx context.Context, r record.Reader, holder string) (bool, error) {
	l, ok, err := leases.Get(ctx, r, sending)
	return ok && l.Holder == holder, err
}
