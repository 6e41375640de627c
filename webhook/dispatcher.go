package webhook

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"
)

// LeaseMargin is how much longer than an attempt may take nobody else makes one:
// time to record the outcome, and for the clocks of processes to differ.
const LeaseMargin = time.Minute

// sweepEvery is the pause between looks for what nobody will ever send.
const sweepEvery = time.Minute

// lastRecord is how long a dispatcher that stops tries to record what ended.
const lastRecord = 5 * time.Second

// Options say how a Dispatcher works. Zero values stand for those given.
type Options struct {
	// AllowPrivate allows deliveries to private addresses, and with them plain
	// HTTP.
	AllowPrivate bool
	// TLS is for receivers whose certificates the system does not know; nil.
	TLS *tls.Config
	// Schedule has the pauses after each failed attempt; when it is used up, the
	// delivery is dead. DefaultSchedule.
	Schedule []time.Duration
	// Timeout is what one attempt may take, from connecting to the end of the
	// answer; 15 seconds.
	Timeout time.Duration
	// Concurrency is how many attempts run at once, 64, and PerEndpoint how many
	// of them to one endpoint, 4.
	Concurrency, PerEndpoint int
	// Poll is how often to look for what is due; one second.
	Poll time.Duration
	// Grace is how long attempts that run when the dispatcher is told to stop
	// may go on; five seconds.
	Grace time.Duration
	// Log is for errors of the database and for endpoints that are gone; the
	// default logger.
	Log *slog.Logger
	// Observe, if there is one, is called with every attempt when its outcome is
	// recorded, one at a time.
	Observe func(Attempt)
}

// DefaultSchedule makes ten attempts within about three days and a half.
var DefaultSchedule = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Fate is what became of an attempt.
type Fate string

// The fates.
const (
	Delivered Fate = "delivered" // taken, and done with
	Retried   Fate = "retried"   // not taken, and will be tried again
	Dead      Fate = "dead"      // not taken, the last time
	Gone      Fate = "gone"      // dead, and the endpoint said that it is gone for good
	Released  Fate = "released"  // broken off because the dispatcher stops; it does not count
)

// Attempt is one attempt to deliver.
type Attempt struct {
	Endpoint string
	Type     string // of the notice
	Number   int64  // from one
	Fate     Fate
	Status   int   // that was answered; zero: none
	Err      error // nil if it was delivered
	Took     time.Duration

	delivery delivery
	pause    time.Duration // until the next one
}

// Dispatcher sends what is due.
type Dispatcher struct {
	outbox  *Outbox
	options Options
	client  *http.Client
	woken   chan struct{}

	// The rest belongs to the goroutine of Run.
	ended   chan Attempt
	running map[string]int // attempts by endpoint
	total   int            // of them
	done    []Attempt      // to be recorded
	swept   time.Time      // when the last sweep was
	sweptTo int64          // the notice that it came to
}

// NewDispatcher returns a dispatcher of an outbox; Run runs it.
func NewDispatcher(outbox *Outbox, o Options) *Dispatcher {
	if o.Schedule == nil {
		o.Schedule = DefaultSchedule
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	setDefault(&o.Timeout, 15*time.Second)
	setDefault(&o.Concurrency, 64)
	setDefault(&o.PerEndpoint, 4)
	setDefault(&o.Poll, time.Second)
	setDefault(&o.Grace, 5*time.Second)
	return &Dispatcher{
		outbox: outbox, options: o, client: newClient(&o),
		woken: make(chan struct{}, 1), ended: make(chan Attempt, o.Concurrency), running: map[string]int{},
	}
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// Wake has the dispatcher look for what is due now. Whoever commits a notice
// may call it; it never waits.
func (d *Dispatcher) Wake() {
	select {
	case d.woken <- struct{}{}:
	default:
	}
}

// Run sends what is due until the context ends; then it gives what runs the
// grace to end, records it, and returns. Errors of the database are logged, and
// it goes on. It may be called once.
func (d *Dispatcher) Run(ctx context.Context) {
	defer d.client.CloseIdleConnections()
	sending, breakOff := context.WithCancel(context.WithoutCancel(ctx))
	defer breakOff()
	poll := time.NewTicker(d.options.Poll)
	defer poll.Stop()
	for ctx.Err() == nil {
		if err := d.round(ctx, sending); err != nil && ctx.Err() == nil {
			d.options.Log.Error("webhooks are held up", "error", err)
			// Not at once again, whatever ends in between.
			select {
			case <-ctx.Done():
			case <-poll.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-poll.C:
		case <-d.woken:
		case a := <-d.ended:
			d.end(a)
		}
	}
	d.stop(breakOff)
}

// round records what has ended and starts what is due.
func (d *Dispatcher) round(ctx, sending context.Context) error {
	if err := d.record(ctx); err != nil {
		return err
	}
	now := d.outbox.now()
	if now.Sub(d.swept) >= sweepEvery {
		to, err := d.outbox.sweep(ctx, d.sweptTo)
		if err != nil {
			return err
		}
		d.swept, d.sweptTo = now, to
	}
	if d.total >= d.options.Concurrency {
		return nil
	}
	targets, err := d.outbox.targets(ctx, now)
	if err != nil {
		return err
	}
	// No endpoint is always the one that finds no room.
	rand.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	for _, t := range targets {
		room := min(d.options.PerEndpoint-d.running[t.id], d.options.Concurrency-d.total)
		if room <= 0 {
			continue
		}
		claimed, err := d.outbox.claim(ctx, t, now, d.options.Timeout+LeaseMargin, room)
		if err != nil {
			return err
		}
		for _, one := range claimed {
			d.running[t.id]++
			d.total++
			go func() { d.ended <- d.attempt(sending, one) }()
		}
	}
	return nil
}

// attempt makes one and judges it.
func (d *Dispatcher) attempt(ctx context.Context, one delivery) Attempt {
	start := time.Now()
	a := Attempt{Endpoint: one.id, Type: one.typ, Number: one.attempts + 1, delivery: one}
	a.Status, a.Err = d.send(ctx, &one, d.outbox.now())
	a.Took = time.Since(start)
	switch {
	case a.Err == nil:
		a.Fate = Delivered
	case a.Status == 0 && ctx.Err() != nil:
		a.Fate = Released
	case a.Status == http.StatusGone:
		a.Fate = Gone
	case a.Number > int64(len(d.options.Schedule)):
		a.Fate = Dead
	default:
		a.Fate = Retried
		a.pause = jittered(d.options.Schedule[a.Number-1])
	}
	return a
}

// jittered makes a pause up to a fifth longer, so that what failed together is
// not tried again together.
func jittered(pause time.Duration) time.Duration {
	return pause + rand.N(pause/5+1)
}

// end takes note of an attempt that has ended, and of all others that have.
func (d *Dispatcher) end(a Attempt) {
	for {
		d.total--
		if d.running[a.Endpoint]--; d.running[a.Endpoint] == 0 {
			delete(d.running, a.Endpoint)
		}
		d.done = append(d.done, a)
		select {
		case a = <-d.ended:
		default:
			return
		}
	}
}

// record records what has ended. If it fails, it is still to be recorded.
func (d *Dispatcher) record(ctx context.Context) error {
	if len(d.done) == 0 {
		return nil
	}
	if err := d.outbox.record(ctx, d.done, d.outbox.now()); err != nil {
		return err
	}
	for i := range d.done {
		a := &d.done[i]
		if a.Fate == Gone {
			d.options.Log.Warn("a webhook endpoint said that it is gone, and is disabled", "endpoint", a.Endpoint)
		}
		if d.options.Observe != nil {
			d.options.Observe(*a)
		}
	}
	clear(d.done)
	d.done = d.done[:0]
	return nil
}

// stop lets what runs end, breaks it off after the grace, and records it.
func (d *Dispatcher) stop(breakOff func()) {
	timer := time.AfterFunc(d.options.Grace, breakOff)
	defer timer.Stop()
	for d.total > 0 {
		d.end(<-d.ended)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastRecord)
	defer cancel()
	if err := d.record(ctx); err != nil {
		d.options.Log.Error("webhooks that were sent will be sent again, because that could not be recorded", "error", err)
	}
}
