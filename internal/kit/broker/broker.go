// Package broker speaks to message brokers: clusters of Kafka, and NATS servers with
// JetStream. What is above it knows messages, in the order of their partition, and no
// protocol.
//
//   - address.go: where a topic is, in one text.
//   - known.go: the file of brokers that want TLS, a name or a password.
//   - kafka.go, jetstream.go: the two.
package broker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits of what is asked of brokers.
const (
	// Patience is how long a broker may take to take a message.
	Patience = 15 * time.Second
	// idle is how long a look for messages waits where there are none.
	idle = 5 * time.Second
)

// ErrRefused says that a broker will not take a message, however often it is sent: it is too
// large, or not of a form that the broker has.
var ErrRefused = errors.New("the broker refuses the message")

// Header is a property of a message. A name may come several times.
type Header struct{ Name, Value string }

// Message is a message on its way to a broker.
type Message struct {
	Topic   string // of Kafka, or a subject of NATS
	Key     string // messages of one key are of one partition
	ID      string // that a broker may know it again by; "": it has none
	Headers []Header
	Value   []byte
}

// Record is a message that a broker has handed out.
type Record struct {
	Topic     string
	Partition string // within which records are in order
	Place     string // in the partition, as people name it
	Key       string
	Headers   []Header
	Value     []byte

	origin any // what the protocol settles it by
}

// Header returns the first header of a name; "" if there is none.
func (r *Record) Header(name string) string {
	for _, h := range r.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

// Publisher hands messages to a broker. It may be used by several goroutines at once.
type Publisher interface {
	// Publish hands messages over and waits until the broker has taken or refused them. It
	// returns an error for each, nil where it was taken: ErrRefused where it is of no use to
	// try again. What was not taken may be there all the same. The order of messages of one
	// call is not kept where some of them are not taken.
	Publish(ctx context.Context, messages []Message) []error
	Close()
}

// Consumer takes messages from a broker, for a group that shares them.
type Consumer interface {
	// Take waits for messages and returns some, at most as many as were asked for, those of
	// a partition in order; none after a while in which none came. An error is one of the
	// broker, which may pass.
	Take(ctx context.Context, most int) ([]Record, error)
	// Settle says that all of these are done with, which were all that Take returned last.
	// What is not settled is handed out again, to this consumer or another of its group.
	Settle(ctx context.Context, records []Record) error
	Close()
}

// NewPublisher returns a publisher to the brokers of an address. It connects when something
// is to be published.
func NewPublisher(a Address, s Settings) (Publisher, error) {
	if a.Kind == Kafka {
		return newKafkaPublisher(a, s)
	}
	return newJetStreamPublisher(a, s), nil
}

// NewConsumer returns a consumer of the topic of an address, for a group. It connects when it
// is asked for messages.
func NewConsumer(a Address, s Settings, group string) (Consumer, error) {
	if a.Kind == Kafka {
		return newKafkaConsumer(a, s, group)
	}
	return newJetStreamConsumer(a, s, group), nil
}

// all returns one error for each of some messages.
func all(n int, err error) []error {
	list := make([]error, n)
	for i := range list {
		list[i] = err
	}
	return list
}

// refused makes an error one that it is of no use to try again after.
func refused(err error) error { return fmt.Errorf("%w: %w", ErrRefused, err) }
