package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"recoup/event"
	"recoup/reward"
)

// Load says what to send where. Times are those of the load's own clock.
type Load struct {
	Target   string        // address of the service, such as http://127.0.0.1:8080
	Key      string        // API key, empty for none
	Clients  int           // how many send requests at the same time, each on its own connection
	Batch    int           // events in a request; a single one is sent as such
	Accounts int           // over which the events are spread
	Warmup   time.Duration // before anything counts
	Duration time.Duration // of what counts
	Seed     uint64        // of all draws
}

// The limits of a load: clients have four digits of ids, accounts eight.
const (
	maxClients  = 1 << 16
	maxBatch    = 10_000
	maxAccounts = 100_000_000
)

// Validate says what is wrong with the load, in terms of its flags.
func (l *Load) Validate() error {
	switch {
	case l.Clients < 1 || l.Clients > maxClients:
		return fmt.Errorf("--clients %d: expected 1 to %d", l.Clients, maxClients)
	case l.Batch < 1 || l.Batch > maxBatch:
		return fmt.Errorf("--batch %d: expected 1 to %d", l.Batch, maxBatch)
	case l.Accounts < 1 || l.Accounts > maxAccounts:
		return fmt.Errorf("--accounts %d: expected 1 to %d", l.Accounts, maxAccounts)
	case l.Duration <= 0 || l.Warmup < 0:
		return fmt.Errorf("--duration %v --warmup %v: expected some time to measure, and none or some before", l.Duration, l.Warmup)
	}
	return nil
}

// patience is how long requests may last beyond the end of a load.
const patience = 30 * time.Second

// Run sends the load and measures it. It fails if the service cannot be reached
// or an answer is wrong; requests that the service refuses are counted.
func (l *Load) Run(ctx context.Context) (*Measurement, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	t, err := parseTarget(l.Target, l.Key)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	window := window{start.Add(l.Warmup), start.Add(l.Warmup + l.Duration)}
	clients := make([]client, l.Clients)
	var wg sync.WaitGroup
	for i := range clients {
		c := &clients[i]
		c.load, c.window, c.traffic = l, window, newTraffic(i, l.Accounts, l.Seed)
		wg.Go(func() {
			if err := c.run(ctx, t); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return l.measurement(clients), nil
}

// window is the time in which answers count.
type window struct{ from, to time.Time }

// client is one connection's end of the load.
type client struct {
	load   *Load
	window window
	*traffic
	events  []reward.Event
	body    []byte
	scratch []byte
	tally
}

// tally is what was answered to a client within the window.
type tally struct {
	latencies
	events   int64
	all      int64 // also outside of the window
	outcomes map[reward.Result]int64
	failures map[string]int64 // requests without results, by what came instead
}

// maxRefusals is how many requests in a row may fail before a client gives up.
const maxRefusals = 100

// run sends requests until the window is over.
func (c *client) run(ctx context.Context, t *target) error {
	c.outcomes, c.failures = make(map[reward.Result]int64), make(map[string]int64)
	deadline := c.window.to.Add(patience)
	var conn *connection
	var leave func() bool
	hangUp := func() {
		if conn != nil {
			leave()
			conn.close()
			conn = nil
		}
	}
	defer hangUp()
	for failed := 0; ctx.Err() == nil; {
		now := time.Now()
		if !now.Before(c.window.to) {
			return nil
		}
		if conn == nil {
			fresh, err := dial(ctx, t, deadline)
			if err != nil {
				if failed++; failed > maxRefusals || c.latencies.total == 0 && failed > 3 {
					return fmt.Errorf("connecting to %s: %w", t.address, err)
				}
				c.failures["no connection"]++
				pause(ctx)
				continue
			}
			conn = fresh
			leave = context.AfterFunc(ctx, fresh.close)
		}
		status, answer, err := c.send(conn, now)
		took := time.Since(now)
		counts := !now.Add(took).Before(c.window.from) && now.Add(took).Before(c.window.to)
		switch {
		case err != nil:
			if errors.Is(err, errProtocol) {
				return err
			}
			hangUp()
			err = errors.New("connection lost")
		case status < 200 || status > 299:
			err = fmt.Errorf("status %d", status)
			if status != 429 && status < 500 {
				return fmt.Errorf("%s answers with status %d: %.500s", c.load.Target, status, answer)
			}
		default:
			if err := c.take(answer, counts); err != nil {
				return fmt.Errorf("%w: %w", ErrUnexpected, err)
			}
			failed = 0
			c.tally.all += int64(len(c.events))
			if counts {
				c.latencies.add(took)
				c.tally.events += int64(len(c.events))
			}
			continue
		}
		if failed++; failed > maxRefusals {
			return fmt.Errorf("%d requests in a row failed, the last with %w: %.500s", failed, err, answer)
		}
		c.failures[err.Error()]++
		pause(ctx)
	}
	return nil
}

// pause is what a client that was refused makes before it tries again.
func pause(ctx context.Context) {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// send makes up a request's events, sends them and returns what is answered.
func (c *client) send(conn *connection, now time.Time) (status int, answer []byte, err error) {
	c.events = c.events[:0]
	if c.load.Batch == 1 {
		c.events = append(c.events, c.next(now))
		c.body = event.Append(c.body[:0], &c.events[0])
		return conn.post("application/cloudevents+json", c.body)
	}
	c.body = append(c.body[:0], '[')
	for i := range c.load.Batch {
		if i > 0 {
			c.body = append(c.body, ',')
		}
		c.events = append(c.events, c.next(now))
		c.body = event.Append(c.body, &c.events[i])
	}
	c.body = append(c.body, ']')
	return conn.post("application/cloudevents-batch+json", c.body)
}

// take checks an answer and counts its outcomes if it counts.
func (c *client) take(answer []byte, counts bool) (err error) {
	c.scratch, err = check(answer, c.events, c.load.Batch > 1, c.scratch, func(i int, r reward.Result) error {
		if e := &c.events[i]; !c.answered(e, r) {
			return fmt.Errorf("event %s (%s) of %s is %v %v", e.ID, e.Type, e.Account, r.Outcome, r.Code)
		}
		if counts {
			c.outcomes[r]++
		}
		return nil
	})
	return err
}

// measurement adds up what the clients counted.
func (l *Load) measurement(clients []client) *Measurement {
	m := &Measurement{Seconds: l.Duration.Seconds(), Outcomes: make(map[string]int64), Failures: make(map[string]int64)}
	var all latencies
	for i := range clients {
		c := &clients[i]
		all.merge(&c.latencies)
		m.Events += c.tally.events
		m.Answered += c.tally.all
		for r, n := range c.outcomes {
			m.Outcomes[outcomeName(r)] += n
		}
		for what, n := range c.failures {
			m.Failures[what] += n
			m.Failed += n
		}
	}
	m.Requests = all.total
	m.Rate = perSecond(m.Events, l.Duration)
	m.setLatencies(&all)
	return m
}

func outcomeName(r reward.Result) string {
	if r.Code == reward.NoCode {
		return r.Outcome.String()
	}
	return r.Outcome.String() + ": " + r.Code.String()
}
