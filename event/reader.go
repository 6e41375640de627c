package event

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"

	"recoup/reward"
)

// A Reader reads a stream of lines, once. A newline at the end is optional; an
// empty line is an error.
type Reader struct {
	// Workers is how many goroutines decode for Batches; 0 stands for one a
	// processor.
	Workers int

	file     string
	lines    cutter
	line     int64 // lines handed over
	consumed atomic.Int64
}

// NewReader returns a reader of the stream, which errors call by the file name.
func NewReader(in io.Reader, file string) *Reader {
	return &Reader{file: file, lines: cutter{in: in}}
}

// Consumed returns how many bytes of the stream the consumer is done with. It
// may be called at any time from any goroutine.
func (r *Reader) Consumed() int64 { return r.consumed.Load() }

// Batches yields the events of the stream in order. They are read and decoded
// ahead by other goroutines, in memory that does not grow with the stream. A
// batch is never empty and is valid until the next is asked for.
//
// An error is the last thing to be yielded, after all events before it: an
// *Error with its place if a line is bad, else that of the stream or of ctx.
//
// When the sequence ends, early or not, its goroutines have ended. A Read that
// is under way is waited for: to abandon a stream that may block, close it.
func (r *Reader) Batches(ctx context.Context) iter.Seq2[[]reward.Event, error] {
	return func(yield func([]reward.Event, error) bool) {
		workers := r.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		// Per worker one block at work and one in wait; one more each for the
		// goroutine that reads and for the consumer.
		blocks := 2*workers + 2
		var (
			free    = make(chan *block, blocks)
			ordered = make(chan *block, blocks)
			work    = make(chan *block, blocks)
		)
		for range blocks {
			free <- newBlock()
		}

		ctx, stop := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		running.Go(func() { r.read(ctx, free, ordered, work) })
		for range workers {
			running.Go(func() { decode(ctx, work) })
		}

		for {
			b, err := next(ctx, ordered)
			if err != nil {
				yield(nil, err)
				return
			}
			if !r.deliver(b, yield) {
				return
			}
			free <- b
		}
	}
}

// Sequential is Batches without goroutines: everything is done by the caller's,
// when it asks for the next batch.
func (r *Reader) Sequential(ctx context.Context) iter.Seq2[[]reward.Event, error] {
	return func(yield func([]reward.Event, error) bool) {
		d, b := NewDecoder(), newBlock()
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			r.lines.fill(b)
			b.decode(d)
			if !r.deliver(b, yield) {
				return
			}
		}
	}
}

// read fills free blocks and puts each on both channels, which have room for
// all the blocks there are.
func (r *Reader) read(ctx context.Context, free <-chan *block, ordered, work chan<- *block) {
	defer close(work)
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-free:
			r.lines.fill(b)
			// Once the block is on its way it is no longer ours to look at.
			last := b.last
			ordered <- b
			work <- b
			if last {
				return
			}
		}
	}
}

// decode does the work that comes, but none that nobody waits for any more.
func decode(ctx context.Context, work <-chan *block) {
	d := NewDecoder()
	for b := range work {
		if ctx.Err() == nil {
			b.decode(d)
			b.decoded <- struct{}{}
		}
	}
}

// next waits for the next block in the order of the stream.
func next(ctx context.Context, ordered <-chan *block) (*block, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case b := <-ordered:
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.decoded:
			return b, nil
		}
	}
}

// deliver hands a block over and reports whether there is to be another.
func (r *Reader) deliver(b *block, yield func([]reward.Event, error) bool) bool {
	if len(b.events) > 0 {
		if !yield(b.events, nil) {
			return false
		}
		r.line += int64(len(b.events))
	}
	if b.err != nil {
		yield(nil, r.locate(b.err))
		return false
	}
	r.consumed.Add(int64(len(b.lines)))
	return !b.last
}

// locate adds the place to an error that comes after all the lines handed over.
func (r *Reader) locate(err error) error {
	var bad *Error
	if errors.As(err, &bad) {
		return &Error{File: r.file, Line: r.line + 1, Member: bad.Member, Problem: bad.Problem}
	}
	return fmt.Errorf("%s: reading line %d: %w", r.file, r.line+1, err)
}
