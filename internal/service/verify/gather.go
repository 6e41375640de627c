package verify

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/durable"
)

// mostRead is how many events are piled up at a time: so many take some gigabytes on the
// disk. A longer log is read once for each so many.
const mostRead = 16 << 20

// readAtOnce returns up to which span events are piled up at a time, from one on.
func (c *run) readAtOnce(from int) (upTo int) {
	var events int64
	for upTo = from; upTo < len(c.spans); upTo++ {
		if s := &c.spans[upTo]; !s.long {
			if events += s.events; events > mostRead && upTo > from {
				break
			}
		}
	}
	return upTo
}

// A log is read in about so many pieces by each worker, none of which has fewer numbers
// than that.
const (
	piecesPerWorker = 16
	leastRead       = 1 << 12
)

// pileLog reads the log and piles up the events of the spans from one on and before
// another. Of a span that is a long account they are only counted.
func (c *run) pileLog(ctx context.Context, piles *piles, from, before int) error {
	type piece struct {
		lane        *lane
		after, upTo int64
	}
	pieces := make(chan piece)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(pieces)
		for _, l := range c.lanes {
			if l.place >= before || l.place+len(l.spans) <= from {
				continue
			}
			n := max(1, min(int64(piecesPerWorker*c.options.Workers), l.last/leastRead))
			after := int64(math.MinInt64)
			for i := range n {
				upTo := l.last / n * (i + 1)
				if i == n-1 {
					upTo = math.MaxInt64
				}
				select {
				case pieces <- piece{l, after, upTo}:
				case <-ctx.Done():
					return ctx.Err()
				}
				after = upTo
			}
		}
		return nil
	})
	for range c.options.Workers {
		group.Go(func() error {
			out := piles.sender()
			for p := range pieces {
				err := p.lane.Inspect(ctx, func(r durable.Inspector) error {
					return r.Log(ctx, p.after, p.upTo, func(e *durable.EventRow) error {
						switch to := p.lane.place + p.lane.spanOf(e.Account); {
						case to < from || to >= before:
							return nil
						case c.spans[to].long && c.spans[to].last == e.Account:
							out.count[to]++
							return nil
						default:
							return out.event(to, e)
						}
					}, func(err error) error {
						c.differ("log", "events that can be read", err.Error())
						return nil
					})
				})
				if err != nil {
					return err
				}
			}
			return out.close()
		})
	}
	return group.Wait()
}
