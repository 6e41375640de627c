package durable

import (
	"bytes"
	"context"
	"slices"

	"recoup/event"
	"recoup/reward"
)

// What happened to one purchase is found by walking back through its account's log,
// which has no index by what its events are about: nearly nobody asks, and everybody
// who sends an event would pay for it. So that an account with a long history is
// looked at as fast as others, only a part of that is walked.

const (
	// maxWalked bounds how many events of an account are looked at.
	maxWalked = 4_000
	// maxTimes bounds around how many times that is.
	maxTimes = 7
	// nearEnough is how many events a walk may begin too late.
	nearEnough = 64
	// maxScanned bounds how many numbers of the log are looked at for an event of
	// the account.
	maxScanned = 16_000
)

// walk calls f with an account's events, the newest first, if there are at most
// maxWalked. Of an account with more it calls f with as many: the newest, and those
// that were logged at some times of the account and before; cut says so. Each comes
// once.
func walk(ctx context.Context, r Reader, row *AccountRow, times []reward.Instant, f func(*EventRow) error) (cut bool, err error) {
	if row.Version <= maxWalked {
		return false, eventsBack(ctx, r, row.Last, func(e *EventRow) (bool, error) { return true, f(e) })
	}
	times = slices.DeleteFunc(times, func(at reward.Instant) bool { return at == 0 })
	slices.Sort(times)
	times = slices.Compact(times)
	times = times[:min(len(times), maxTimes)]
	from := []int64{row.Last}
	for _, at := range times {
		number, err := seek(ctx, r, row, at)
		if err != nil {
			return true, err
		}
		from = append(from, number)
	}
	seen := make(map[int64]bool)
	for _, number := range from {
		left := maxWalked / len(from)
		err := eventsBack(ctx, r, number, func(e *EventRow) (bool, error) {
			if left == 0 || seen[e.Number] {
				return false, nil
			}
			left--
			seen[e.Number] = true
			return true, f(e)
		})
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// seek returns the number of an event of an account from which to walk back to what
// was logged at a time of the account: a few later than that if it can. The
// statements say where in the log a cycle is; within one that has many events it
// looks for one in the middle, which may belong to any account, again and again.
func seek(ctx context.Context, r Reader, row *AccountRow, at reward.Instant) (number int64, err error) {
	cycle := reward.CycleAt(at)
	statements, err := r.Statements(ctx, row.Account, cycle+3, 4)
	if err != nil {
		return 0, err
	}
	before, after := EventRow{}, EventRow{Number: row.Last, Sequence: row.Version}
	for i := range statements {
		if s := &statements[i]; s.Cycle > cycle {
			after, _, err = r.Numbered(ctx, s.Last)
		} else if s.Cycle < cycle {
			before, _, err = r.Numbered(ctx, s.Last)
			break
		}
		if err != nil {
			return 0, err
		}
	}
	decoder := event.NewDecoder()
	for after.Sequence-before.Sequence > nearEnough && err == nil {
		numbers := after.Number - before.Number
		middle, far := before.Number+numbers/2, 16*(numbers/(after.Sequence-before.Sequence)+1)
		if far > maxScanned {
			break
		}
		e, ok, err := r.NewestIn(ctx, row.Account, max(before.Number, middle-far), middle)
		if err != nil {
			return 0, err
		}
		// Where several processes number events, an account's do not always rise.
		if !ok || e.Sequence <= before.Sequence || e.Sequence >= after.Sequence {
			break
		}
		var logged reward.Event
		if err := decoder.Decode(e.Event, &logged); err != nil {
			return 0, err
		}
		// An event is dated at the account's time or before.
		if logged.Time > at {
			after = e
		} else {
			before = e
		}
	}
	return after.Number, err
}

// mentions finds rows of the log in which one of some ids may be, without decoding
// them.
type mentions struct {
	ids [][]byte
	all bool // an id may be written in several ways: it may be in each
}

func (m *mentions) add(id string) {
	// Of these every writer of JSON writes the same.
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':'
	}
	for _, c := range id {
		m.all = m.all || !plain(c)
	}
	m.ids = append(m.ids, []byte(id))
}

// in reports whether one may be in a row.
func (m *mentions) in(row *EventRow) bool {
	return m.all || slices.ContainsFunc(m.ids, func(id []byte) bool { return bytes.Contains(row.Event, id) || bytes.Contains(row.Postings, id) })
}
