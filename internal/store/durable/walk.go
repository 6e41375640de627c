package durable

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"recoup/event"
	"recoup/reward"
)

// What happened to one purchase is found by walking back through its account's log,
// which has no index by what its events are about: nearly nobody asks, and everybody
// who sends an event would pay for it. So that an account with a long history is
// looked at as fast as others, only a part of that is walked.

const (
	// maxWalked bounds how many events of an account are looked at.
	maxWalked = 3_000
	// maxTimes bounds around how many times that is.
	maxTimes = 3
	// maxSkipped bounds how many events are passed over to come to a time.
	maxSkipped = 6_000
	// late is how many events a walk begins after a time, for those that were
	// delivered late.
	late = 64
)

// walk calls f with an account's events, the newest first, if there are at most
// maxWalked. Of an account with more it calls f with as many: the newest, and those
// that were logged at some times of the account and before; cut says so. Each comes
// once.
func walk(ctx context.Context, r Reader, p *reward.Program, row *AccountRow, times []reward.Instant, f func(*EventRow) error) (cut bool, err error) {
	if row.Version <= maxWalked {
		return false, eventsBack(ctx, r, row.Last, mostEvents, func(e *EventRow) (bool, error) { return true, f(e) })
	}
	times = slices.DeleteFunc(times, func(at reward.Instant) bool { return at == 0 })
	slices.Sort(times)
	times = slices.Compact(times)
	times = times[:min(len(times), maxTimes)]
	from := []int64{row.Last}
	for _, at := range times {
		number, err := seek(ctx, r, p, row, at)
		if err != nil {
			return true, err
		}
		from = append(from, number)
	}
	var ends []int64            // before each walk
	seen := make(map[int64]int) // in which walk
	for n, number := range from {
		for {
			earlier, was := seen[number]
			if !was {
				break
			}
			number = ends[earlier]
		}
		ends = append(ends, number)
		left := maxWalked / len(from)
		err := eventsBack(ctx, r, number, min(left, mostEvents), func(e *EventRow) (bool, error) {
			if _, was := seen[e.Number]; was {
				return false, nil
			}
			left--
			seen[e.Number], ends[n] = n, e.Before
			return left > 0, f(e)
		})
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// seek returns the number of an event of an account from which to walk back to what
// was logged at a time of the account: a few later than that. The statements say
// where in the log a cycle is, and in the cycle it looks in the middle of what is
// left, again and again. It stops short in a cycle of more than maxSkipped events.
func seek(ctx context.Context, r Reader, p *reward.Program, row *AccountRow, at reward.Instant) (number int64, err error) {
	cycle := p.CycleAt(at)
	const year = 12 // within which a cycle with postings is looked for
	statements, err := r.Statements(ctx, row.Account, cycle+year, year+1)
	if err != nil {
		return 0, err
	}
	// The events of the cycle are after before and not after after.
	before, after := EventRow{}, EventRow{Number: row.Last, Sequence: row.Version}
	for i := range statements {
		if s := &statements[i]; s.Cycle >= cycle {
			after, _, err = r.Numbered(ctx, s.Last)
		} else {
			before, _, err = r.Numbered(ctx, s.Last)
			break
		}
		if err != nil {
			return 0, err
		}
	}
	if err != nil {
		return 0, err
	}
	numbers, err := r.Numbers(ctx, after.Number, int(min(maxSkipped, after.Sequence-before.Sequence)))
	if err != nil {
		return 0, err
	}
	decoder := event.NewDecoder()
	i := sort.Search(len(numbers), func(i int) bool {
		e, _, failed := r.Numbered(ctx, numbers[i])
		var logged reward.Event
		if failed == nil {
			failed = decoder.Decode(e.Event, &logged)
		}
		if failed != nil {
			err = failed
		}
		return logged.Time <= at
	})
	if err != nil || len(numbers) == 0 {
		return after.Number, err
	}
	return numbers[min(max(0, i-late), len(numbers)-1)], nil
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
