// Package replay runs the engine over a stream of events in memory and shows
// what it ends with. It is the way of an event of every other program, from
// bytes to postings, with nothing kept afterwards.
package replay

import (
	"bufio"
	"context"
	"io"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/reward"
)

// Options say what to replay under and what to write besides the final state.
type Options struct {
	Program *reward.Program
	// Until moves every account's time on to it in the end; zero: no further
	// than its last event.
	Until reward.Instant
	// Outcomes, if not nil, gets one JSON line per event, in order.
	Outcomes io.Writer
	// Journal, if not nil, gets one JSON line per posting, with its explanation.
	Journal io.Writer
}

// Result is what a replay ends with.
type Result struct {
	Program  *reward.Program
	Store    *memory.Store
	Events   int64
	Outcomes map[reward.Result]int64
}

// Run replays a stream. An error of the stream names file, line and member;
// what was written to Outcomes and Journal by then means nothing. Memory grows
// with accounts and transactions, never with the stream's text.
func Run(ctx context.Context, in *event.Reader, o Options) (*Result, error) {
	r := &Result{Program: o.Program, Store: memory.New(o.Program), Outcomes: make(map[reward.Result]int64)}
	outcomes, journal := buffered(o.Outcomes), buffered(o.Journal)
	if o.Journal != nil {
		r.Store.Observe(newJournal(journal, o.Program).write)
	}
	en := engine.New(r.Store)
	var results []reward.Result
	var line []byte
	for batch, err := range in.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		if results, err = en.Apply(ctx, batch, results[:0]); err != nil {
			return nil, err
		}
		r.Events += int64(len(batch))
		for i := range results {
			r.Outcomes[results[i]]++
			if o.Outcomes != nil {
				line = appendOutcome(line[:0], &batch[i], results[i])
				outcomes.Write(line)
			}
		}
	}
	if o.Until != 0 {
		if err := en.Advance(ctx, o.Until); err != nil {
			return nil, err
		}
	}
	if err := outcomes.Flush(); err != nil {
		return nil, err
	}
	return r, journal.Flush()
}

// buffered buffers a writer, which may be nil if nothing is written to it. The
// first error is kept for Flush.
func buffered(w io.Writer) *bufio.Writer {
	if w == nil {
		w = io.Discard
	}
	return bufio.NewWriterSize(w, 1<<16)
}
