package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/signing"
	"recoup/internal/store/outbox"
)

// Notices to a topic go out in the order of their accounts. A series of them is published in
// waves, of each account one notice a wave: so a later one is not there before the broker has
// taken the one before it, whatever the broker does with several that are on their way. What
// is not taken stays where it is and stops the topic for a while: it is not given up because
// a broker cannot be reached, for what comes after it would then overtake it. Only what the
// broker refuses for good becomes a dead letter.

// streamAhead is how many notices a series has at most.
const streamAhead = 1000

// Pauses of a topic of which something was not taken: the first, and what it grows to.
const (
	firstRest = 200 * time.Millisecond
	mostRest  = time.Minute
)

// rest is that nothing is published to a topic for a while.
type rest struct {
	until time.Time
	pause time.Duration
}

// publish starts a series to a topic if there is room for it: what lies first in its queue.
func (d *Dispatcher) publish(sending context.Context, t *target, room int) {
	queue := d.queues[t.id]
	if room < 1 || len(queue) == 0 {
		return
	}
	topic, publisher, err := d.topic(t)
	for i := range queue {
		d.flying[queue[i].Key()] = true
	}
	go func() { d.ended <- d.series(sending, t, topic, publisher, err, queue) }()
	d.running[t.id]++
	d.total++
	d.queues[t.id] = nil
}

// topic returns the topic of an endpoint, with what publishes to it, if it may be spoken to.
func (d *Dispatcher) topic(t *target) (string, broker.Publisher, error) {
	address, err := parseTopic(t.url)
	if err != nil {
		return "", nil, err
	}
	if p := d.topics[t.url]; p != nil {
		return address.Topic, p, nil
	}
	settings, known := d.options.Brokers.Of(address)
	if !known && !d.options.AllowPrivate {
		return "", nil, fmt.Errorf("%s: not among the brokers that --brokers lists", address.Brokers())
	}
	p, err := broker.NewPublisher(address, settings)
	if err == nil {
		d.topics[t.url] = p
	}
	return address.Topic, p, err
}

// leave closes what publishes to topics that none of the targets is. What is under way there
// fails.
func (d *Dispatcher) leave(targets []target) {
	for url, p := range d.topics {
		used := false
		for i := range targets {
			used = used || targets[i].url == url
		}
		if !used {
			delete(d.topics, url)
			p.Close()
		}
	}
}

// series publishes a series. After failed nothing is tried.
func (d *Dispatcher) series(ctx context.Context, to *target, topic string, p broker.Publisher, failed error, queue []outbox.Delivery) []Attempt {
	attempts := make([]Attempt, 0, len(queue))
	began := time.Now()
	fate := func(one *outbox.Delivery, err error) {
		a := Attempt{Endpoint: to.id, Type: one.Type, Number: one.Attempts + 1, Err: err, Took: time.Since(began), sent: *one}
		switch {
		case err == nil:
			a.Fate = Delivered
		case errors.Is(err, broker.ErrRefused):
			a.Fate = Dead
		case ctx.Err() != nil:
			a.Fate = Released
		default:
			a.Fate = Waiting
			failed = err
		}
		attempts = append(attempts, a)
	}
	// The lease lasts for longer than a wave that is begun in time.
	for len(queue) > 0 && failed == nil && ctx.Err() == nil && time.Since(began) < d.options.Timeout {
		wave, rest := oneOfEach(queue)
		messages := make([]broker.Message, len(wave))
		for i := range wave {
			messages[i], failed = d.message(to, topic, &wave[i])
			if failed != nil {
				break
			}
		}
		if failed != nil {
			break
		}
		for i, err := range p.Publish(ctx, messages) {
			fate(&wave[i], err)
		}
		queue = rest
	}
	// What was not tried is as it was; with why, if there is a reason.
	for i := range queue {
		a := Attempt{Endpoint: to.id, Type: queue[i].Type, Number: queue[i].Attempts + 1, Fate: Released, Err: failed, sent: queue[i]}
		if failed != nil && ctx.Err() == nil {
			a.Fate = Waiting
		}
		attempts = append(attempts, a)
	}
	return attempts
}

// oneOfEach takes the first notice of each account out of a queue.
func oneOfEach(queue []outbox.Delivery) (wave, rest []outbox.Delivery) {
	seen := make(map[string]bool)
	for i := range queue {
		if account := queue[i].Account; !seen[account] {
			seen[account] = true
			wave = append(wave, queue[i])
		} else {
			rest = append(rest, queue[i])
		}
	}
	return wave, rest
}

// message is a notice as it is published: its account is its key.
func (d *Dispatcher) message(to *target, topic string, one *outbox.Delivery) (broker.Message, error) {
	m := broker.Message{Topic: topic, Key: one.Account, Value: one.Body}
	var err error
	if m.Headers, err = to.headers(one.Body, d.outbox.now()); err != nil {
		return m, err
	}
	for _, h := range m.Headers {
		if h.Name == signing.HeaderID {
			m.ID = h.Value
		}
	}
	return m, nil
}

// rest has a topic rest of which something was not taken, for longer each time in a row. What
// was not published comes first again.
func (d *Dispatcher) rest(series []Attempt) {
	endpoint := series[0].Endpoint
	if last := series[len(series)-1].Fate; last == Waiting || last == Released {
		delete(d.reached, endpoint)
	}
	for i := range series {
		switch a := &series[i]; a.Fate {
		case Waiting:
			delete(d.reached, endpoint)
			pause := min(max(2*d.resting[endpoint].pause, firstRest), mostRest)
			d.resting[endpoint] = rest{d.outbox.now().Add(pause), pause}
			d.options.Log.Warn("notices cannot be published, and wait", "endpoint", endpoint, "error", a.Err, "pause", pause.String())
			return
		case Delivered:
			delete(d.resting, endpoint)
		}
	}
}
