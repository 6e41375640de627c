package webhook

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// sweepEvery is the pause between looks for what nobody will ever send.
const sweepEvery = time.Minute

// lastRecord is how long a dispatcher that stops tries to record what ended.
const lastRecord = 5 * time.Second

// Options say how a Dispatcher works. Zero values stand for those given.
type Options struct {
	// Lane is which of the outbox's lanes to send from, by its place among them.
	Lane int
	// Alone: no other process can have the database, so who has the lease has died.
	Alone bool
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
	// Concurrency is how many attempts run at once from the lane, 64, and
	// PerEndpoint how many of them to one endpoint, 4.
	Concurrency, PerEndpoint int
	// Poll is how often to look for what is due; one second.
	Poll time.Duration
	// Grace is how long attempts that run when the dispatcher is told to stop
	// may go on; five seconds.
	Grace time.Duration
	// Log is for errors of the database and for endpoints that are gone; the
	// default logger.
	Log *slog.Logger
	// Brokers are those that notices may go to besides what AllowPrivate allows, and how to
	// speak to them; nil: none.
	Brokers *broker.Known
	// Observe, if there is one, is called with every attempt when its outcome is
	// recorded, one at a time of a lane.
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
	Waiting   Fate = "waiting"   // not taken, and stays where it is in the order of a topic
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

	sent  outbox.Delivery // as it was before
	pause time.Duration   // until the next one
}

// Dispatcher sends what is due in one lane, for as long as no other does.
type Dispatcher struct {
	outbox  *Outbox
	lane    record.Store
	options Options
	client  *http.Client
	woken   chan struct{}

	// The rest belongs to the goroutine of Run.
	lease   tenure
	queues  map[string][]outbox.Delivery // that are due, as they were last looked for, by endpoint
	flying  map[string]bool              // keys of what was sent and is not recorded
	running map[string]int               // that run, by endpoint: attempts, or a series of a topic
	total   int                          // of them
	ended   chan []Attempt
	reached map[string]string           // how far the last look for a topic came, by endpoint
	resting map[string]rest             // topics of which something was not taken, by endpoint
	topics  map[string]broker.Publisher // by address
	done    []Attempt                   // to be recorded
	swept   time.Time                   // when the last sweep was
}

// NewDispatcher returns a dispatcher of an outbox; Run runs it.
func NewDispatcher(from *Outbox, o Options) *Dispatcher {
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
	lane := from.lanes()[o.Lane]
	return &Dispatcher{
		outbox: from, lane: lane, options: o, client: newClient(&o), woken: make(chan struct{}, 1),
		lease:  newTenure(lane, o.Timeout+LeaseMargin, o.Alone),
		queues: map[string][]outbox.Delivery{}, flying: map[string]bool{}, running: map[string]int{}, ended: make(chan []Attempt, o.Concurrency),
		reached: map[string]string{}, resting: map[string]rest{}, topics: map[string]broker.Publisher{},
	}
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// Dispatch runs a dispatcher for each lane of an outbox, also for those that come later,
// until the context ends.
func Dispatch(ctx context.Context, from *Outbox, o Options) {
	setDefault(&o.Poll, time.Second)
	look := time.NewTicker(o.Poll)
	defer look.Stop()
	var all sync.WaitGroup
	defer all.Wait()
	for ctx.Err() == nil {
		for ; o.Lane < len(from.lanes()); o.Lane++ {
			d := NewDispatcher(from, o)
			all.Go(func() { d.Run(ctx) })
		}
		select {
		case <-look.C:
		case <-ctx.Done():
		}
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
	defer d.leave(nil)
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

// round records what has ended and starts what is due, if it is for this dispatcher
// to do that.
func (d *Dispatcher) round(ctx, sending context.Context) error {
	if err := d.record(ctx); err != nil {
		return err
	}
	now := d.outbox.now()
	if now.Sub(d.swept) >= sweepEvery {
		if err := d.outbox.sweep(ctx, d.lane); err != nil {
			return fmt.Errorf("sweeping up webhooks: %w", err)
		}
		d.swept = now
	}
	targets, err := d.outbox.targets(ctx)
	if err != nil || len(targets) == 0 {
		return err // without anywhere to send, there is nothing to hold a lease for
	}
	held, err := d.lease.hold(ctx, now)
	if err != nil {
		return fmt.Errorf("taking the lease of webhooks: %w", err)
	}
	if !held {
		clear(d.queues) // others send it
		clear(d.reached)
		return nil
	}
	return d.start(ctx, sending, targets, now)
}

// start starts attempts, as many as there is room for.
func (d *Dispatcher) start(ctx, sending context.Context, targets []target, now time.Time) error {
	if d.total >= d.options.Concurrency {
		return nil
	}
	found, err := d.fill(ctx, targets, now)
	if err != nil {
		return fmt.Errorf("looking for due webhooks: %w", err)
	}
	if !found {
		return nil
	}
	// Once more: what was written since a secret was rotated out must not be signed
	// with it.
	if targets, err = d.outbox.targets(ctx); err != nil {
		return err
	}
	d.leave(targets)
	// No endpoint is always the one that finds no room.
	rand.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	for i := range targets {
		t := &targets[i]
		queue := d.queues[t.id]
		n := min(d.atOnce(t)-d.running[t.id], d.options.Concurrency-d.total, len(queue))
		if t.inOrder {
			d.publish(sending, t, n)
			continue
		}
		for _, one := range queue[:n] {
			d.flying[one.Key()] = true
			go func() { d.ended <- []Attempt{d.attempt(sending, t, &one)} }()
		}
		d.running[t.id] += n
		d.total += n
		d.queues[t.id] = queue[n:]
	}
	return nil
}

// atOnce is how many attempts to a target may run: series of a topic come one after the
// other.
func (d *Dispatcher) atOnce(t *target) int {
	if t.inOrder {
		return 1
	}
	return d.options.PerEndpoint
}

// attempt makes one and judges it.
func (d *Dispatcher) attempt(ctx context.Context, to *target, one *outbox.Delivery) Attempt {
	start := time.Now()
	a := Attempt{Endpoint: to.id, Type: one.Type, Number: one.Attempts + 1, sent: *one}
	a.Status, a.Err = d.send(ctx, to, one.Body, d.outbox.now())
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

// end takes note of an attempt that has ended, or of a series, and of all others that have.
func (d *Dispatcher) end(a []Attempt) {
	for {
		d.total--
		endpoint := a[0].Endpoint
		if d.running[endpoint]--; d.running[endpoint] == 0 {
			delete(d.running, endpoint)
		}
		d.rest(a)
		d.done = append(d.done, a...)
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
	held, err := d.outbox.record(ctx, d.lane, d.lease.holder, d.done)
	if err != nil {
		return fmt.Errorf("recording webhooks: %w", err)
	}
	if !held {
		d.lease.taken = time.Time{} // and has to be taken anew
	}
	for i := range d.done {
		a := &d.done[i]
		delete(d.flying, a.sent.Key())
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

// stop lets what runs end, breaks it off after the grace, and records it. Then
// somebody else may send.
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
		return
	}
	if err := d.lease.end(ctx); err != nil {
		d.options.Log.Error("others wait with webhooks until the lease ends, because it could not be given back", "error", err)
	}
}
