// Package consume takes events, or the webhooks of a processor as they are, from a broker and
// hands them to a running service over HTTP.
//
// The service is where events are screened: which key may send what, which numbers look like
// a card's, what takes two people. It also has its ledger to itself, makes one commit of what
// many senders send, and outlives who reads a broker. So there is no second way in: a
// consumer is one more sender, and as many of them run as there are partitions.
//
// # What is lost and what is doubled
//
// What was taken is settled with the broker only after the service has answered for it, and
// the service answers when it is durable. A process that dies in between, whichever it is,
// has the same messages handed out again, and the ledger knows their events: they are
// duplicates. What can never be applied goes to the dead letters, with its reason, before it
// is settled. Only these may be there twice.
//
//   - consume.go: the loop.
//   - door.go: requests to the service, and what stops a consumer.
//   - events.go: messages that are events.
//   - raw.go: messages that are bodies of webhooks.
package consume

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"recoup/internal/kit/broker"
)

// DefaultBatch is how many messages are taken at once, if nobody says.
const DefaultBatch = 2000

// MaxBatch is the most that may be asked for.
const MaxBatch = 10_000

// Pauses after a failure: the first, and the longest that it grows to.
const (
	firstPause = 200 * time.Millisecond
	mostPause  = 10 * time.Second
)

// Options say what is consumed and where it goes.
type Options struct {
	In   broker.Consumer
	Dead broker.Publisher
	// DeadTopic is where what cannot be applied goes.
	DeadTopic string
	Service   string // its address
	Key       string // "": none
	// Source is whose webhooks the messages are; "": they are events.
	Source string
	Batch  int // messages at once, at most
	// UntilIdle has Run return when there is nothing more to take for now.
	UntilIdle bool
	Log       *slog.Logger
}

// Counts are what became of messages.
type Counts struct {
	Taken int64 `json:"taken"` // in all
	Dead  int64 `json:"dead"`  // put among the dead letters
	// Outcomes are how the service answered for the others: applied, duplicate and so on of
	// events; of webhooks received, or listed where something of them could not be mapped.
	Outcomes map[string]int64 `json:"outcomes"`
}

// poison is a message that can never be applied, with why.
type poison struct {
	at           int // in the batch
	code, detail string
}

// deliver hands some messages over until each is answered for, and returns those that can
// never be. An error ends the consumer: nothing is lost, for nothing is settled.
type deliver func(ctx context.Context, batch []broker.Record, count func(outcome string)) ([]poison, error)

// Run consumes until the context ends, or with UntilIdle until there is nothing. The error is
// then nil, and otherwise of what needs a person.
func Run(ctx context.Context, o Options) (Counts, error) {
	counts := Counts{Outcomes: make(map[string]int64)}
	d, err := newDoor(o.Service, o.Key, o.Log)
	if err != nil {
		return counts, err
	}
	defer d.client.CloseIdleConnections()
	hand := d.events
	if o.Source != "" {
		hand = d.webhooksOf(o.Source)
	}
	tired := patience{log: o.Log}
	for ctx.Err() == nil {
		batch, err := o.In.Take(ctx, o.Batch)
		if err != nil {
			tired.wait(ctx, "taking messages of the broker", err, 0)
			continue
		}
		tired.rested()
		if len(batch) == 0 {
			if o.UntilIdle {
				break
			}
			continue
		}
		dead, err := hand(ctx, batch, func(outcome string) { counts.Outcomes[outcome]++ })
		if err == nil {
			err = o.bury(ctx, batch, dead)
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return counts, err
		}
		counts.Taken += int64(len(batch))
		counts.Dead += int64(len(dead))
		if err := o.In.Settle(ctx, batch); err != nil && ctx.Err() == nil {
			// They are handed out again, and are duplicates then.
			o.Log.Warn("what was applied could not be settled with the broker", "messages", len(batch), "error", err)
		}
	}
	return counts, nil
}

// bury puts messages among the dead letters, however long that takes.
func (o *Options) bury(ctx context.Context, batch []broker.Record, dead []poison) error {
	left := make([]broker.Message, len(dead))
	for i, p := range dead {
		left[i] = letter(o.DeadTopic, &batch[p.at], p)
		o.Log.Warn("a message cannot be applied and goes to the dead letters", "topic", batch[p.at].Topic,
			"partition", batch[p.at].Partition, "place", batch[p.at].Place, "code", p.code, "reason", p.detail)
	}
	tired := patience{log: o.Log}
	for len(left) > 0 && ctx.Err() == nil {
		var again []broker.Message
		var failed error
		for i, err := range o.Dead.Publish(ctx, left) {
			switch {
			case err == nil:
			case errors.Is(err, broker.ErrRefused) && len(left[i].Value) > 0:
				// Where it lies in its own topic is among the headers.
				o.Log.Error("the dead letters do not take a message as large, so only its headers are kept there", "error", err)
				left[i].Value = nil
				again = append(again, left[i])
			default:
				again, failed = append(again, left[i]), err
			}
		}
		if left = again; failed != nil {
			tired.wait(ctx, "putting messages among the dead letters", failed, 0)
		}
	}
	return ctx.Err()
}

// letter is a message as it is among the dead letters: as it was, with why. It can be
// consumed again from there.
func letter(topic string, r *broker.Record, p poison) broker.Message {
	m := broker.Message{Topic: topic, Key: r.Key, Value: r.Value}
	for _, h := range r.Headers {
		if !isOurs(h.Name) {
			m.Headers = append(m.Headers, h)
		}
	}
	m.Headers = append(m.Headers,
		broker.Header{Name: headerCode, Value: p.code}, broker.Header{Name: headerReason, Value: p.detail},
		broker.Header{Name: headerTopic, Value: r.Topic}, broker.Header{Name: headerPartition, Value: r.Partition}, broker.Header{Name: headerPlace, Value: r.Place},
		broker.Header{Name: headerAt, Value: strconv.FormatInt(time.Now().Unix(), 10)})
	return m
}

// The headers of a dead letter: the code of what was wrong and a sentence about it, where the
// message lies, and when it was given up, in seconds since 1970.
const (
	headerCode      = "recoup-code"
	headerReason    = "recoup-reason"
	headerTopic     = "recoup-topic"
	headerPartition = "recoup-partition"
	headerPlace     = "recoup-place"
	headerAt        = "recoup-at"
)

func isOurs(name string) bool {
	switch name {
	case headerCode, headerReason, headerTopic, headerPartition, headerPlace, headerAt:
		return true
	}
	return false
}

// patience is pauses that grow with each failure in a row.
type patience struct {
	log   *slog.Logger
	pause time.Duration
}

// wait says what failed and waits, as long as was asked for or as is its turn.
func (p *patience) wait(ctx context.Context, what string, err error, asked time.Duration) {
	p.pause = min(max(2*p.pause, firstPause), mostPause)
	pause := max(p.pause, min(asked, time.Minute))
	if ctx.Err() == nil {
		p.log.Warn(what+" failed and is tried again", "error", err, "in", pause.String())
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (p *patience) rested() { p.pause = 0 }
