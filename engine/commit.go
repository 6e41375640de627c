package engine

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"recoup/reward"
)

// work commits a lane's batches until the group is closed and none is left.
func (g *Group) work(l *lane) {
	for b := l.next(nil); b != nil; b = l.next(b) {
		g.waiting.Add(-int64(len(b.events)))
		b.result = make([]reward.Result, len(b.events))
		attempts := 1 + 4*bits.Len(uint(len(b.ends)))
		g.commit(b, 0, len(b.ends), &attempts, nil)
		close(b.done)
	}
	if g.working.Add(-1) == 0 {
		g.giveUp() // nothing is left to give up; it frees the context
		close(g.ended)
	}
}

// next takes back the buffer of the batch that was committed and waits for
// another, nil if there is none to come.
func (l *lane) next(before *batch) *batch {
	var buffer []reward.Event
	if before != nil {
		buffer, before.events = before.events, nil
		clear(buffer)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if buffer != nil && len(l.spare) < spares {
		l.spare = append(l.spare, buffer[:0])
	}
	for len(l.queue) == 0 {
		if l.closed {
			return nil
		}
		l.filled.Wait()
	}
	b := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	return b
}

// spares is how many buffers a lane keeps: one is committed while one gathers.
const spares = 2

// commit applies the events of the batch's callers from one to before another.
//
// A batch that fails as a whole may do so because of a single event: a text that
// the database cannot hold, an account whose record is damaged. Those who happen to
// be in the same batch must not pay for that, least of all again and again as the
// event is sent again. So the halves are tried by themselves, and halves of what
// fails, until the caller at fault is alone with its error: two more commits for
// each time that the number of callers can be halved. What would not pass in parts
// either, as the store is unavailable, is not tried; and since that cannot be
// known of every error, attempts are bounded, and those whose turn does not come
// get the error of the batch.
func (g *Group) commit(b *batch, from, to int, attempts *int, cause error) {
	if *attempts == 0 {
		b.fail(from, to, cause)
		return
	}
	*attempts--
	cause = g.attempt(b, from, to)
	switch {
	case cause == nil:
	case to-from == 1, g.unavailable(cause):
		b.fail(from, to, cause)
	default:
		middle := (from + to) / 2
		g.commit(b, from, middle, attempts, cause)
		g.commit(b, middle, to, attempts, cause)
	}
}

// attempt applies the events of some of the batch's callers in one commit.
func (g *Group) attempt(b *batch, from, to int) error {
	first, end := b.first(from), b.ends[to-1]
	start := time.Now()
	_, err := g.engine.Apply(g.context, b.events[first:end], b.result[first:first:end])
	if err != nil && g.context.Err() != nil {
		err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	if g.options.Observe != nil {
		g.options.Observe(Commit{Events: end - first, Callers: to - from, Took: time.Since(start), Err: err})
	}
	return err
}

func (g *Group) unavailable(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		g.options.Unavailable != nil && g.options.Unavailable(err)
}

// first returns where a caller's events begin.
func (b *batch) first(caller int) int {
	if caller == 0 {
		return 0
	}
	return b.ends[caller-1]
}

// fail gives callers from one to before another an error.
func (b *batch) fail(from, to int, cause error) {
	if b.failed == nil {
		b.failed = make(map[int]error, to-from)
	}
	err := fmt.Errorf("applying a batch of events: %w", cause)
	for caller := from; caller < to; caller++ {
		b.failed[b.first(caller)] = err
	}
}
