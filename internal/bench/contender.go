package bench

import (
	"context"
	"math"
	"sync"
	"time"

	"recoup/reward"
)

// contender is something that a round measures.
type contender struct {
	name string
	run  func(ctx context.Context) (*Measurement, error)
}

// loop is a closed loop in this process: each worker works, again and again, until
// the time is over. A work reports how many events it was about.
func loop(ctx context.Context, l *Load, workers int, work func(ctx context.Context, worker int) (events int, err error)) (*Measurement, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	from := time.Now().Add(l.Warmup)
	to := from.Add(l.Duration)
	tallies := make([]tally, workers)
	var wg sync.WaitGroup
	for w := range tallies {
		wg.Go(func() {
			t := &tallies[w]
			for ctx.Err() == nil {
				start := time.Now()
				if !start.Before(to) {
					return
				}
				events, err := work(ctx, w)
				if err != nil {
					cancel(err)
					return
				}
				if end := time.Now(); !end.Before(from) && end.Before(to) {
					t.latencies.add(end.Sub(start))
					t.events += int64(events)
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var all latencies
	m := &Measurement{Seconds: l.Duration.Seconds()}
	for i := range tallies {
		all.merge(&tallies[i].latencies)
		m.Events += tallies[i].events
	}
	m.Requests = all.total
	m.Rate = perSecond(m.Events, l.Duration)
	m.setLatencies(&all)
	return m, nil
}

func perSecond(events int64, in time.Duration) int64 {
	return int64(math.Round(float64(events) / in.Seconds()))
}

// moment is a traffic's next event, now.
func (t *traffic) moment() reward.Event {
	e := t.next(time.Now())
	t.answered(&e, reward.Result{Outcome: reward.Applied})
	return e
}
