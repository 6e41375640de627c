package broker

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ackWait is for how long a message that was handed out is not handed out again: what a
// consumer had that has died waits for so long, and what takes longer comes twice.
const ackWait = 30 * time.Second

// keyHeader is what messages of NATS, which have no key, have it as, escaped as in a URL: a
// header ends with its line.
const keyHeader = "Recoup-Key"

// link is a connection to NATS, made when it is needed, and made again by itself.
type link struct {
	address  Address
	settings Settings

	mu   sync.Mutex
	conn *nats.Conn
	js   jetstream.JetStream
}

func (l *link) up() (jetstream.JetStream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.js != nil {
		return l.js, nil
	}
	options := []nats.Option{
		nats.Name("recoup"), nats.Timeout(Patience), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.NoCallbacksAfterClientClose(),
		// What breaks is met by whoever waits for an answer.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if s := &l.settings; s.TLS != nil {
		options = append(options, nats.Secure(s.TLS))
	}
	switch s := &l.settings; {
	case s.Credentials != "":
		options = append(options, nats.UserCredentials(s.Credentials))
	case s.User != "":
		options = append(options, nats.UserInfo(s.User, s.Password))
	}
	conn, err := nats.Connect(strings.Join(l.address.Hosts, ","), options...)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncTimeout(Patience))
	if err != nil {
		conn.Close()
		return nil, err
	}
	l.conn, l.js = conn, js
	return js, nil
}

func (l *link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		l.conn.Close()
	}
}

type jetStreamPublisher struct{ link }

func newJetStreamPublisher(a Address, s Settings) *jetStreamPublisher {
	return &jetStreamPublisher{link{address: a, settings: s}}
}

func (p *jetStreamPublisher) Publish(ctx context.Context, messages []Message) []error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	js, err := p.up()
	if err != nil {
		return all(len(messages), err)
	}
	errs := make([]error, len(messages))
	taken := make([]jetstream.PubAckFuture, len(messages))
	for i := range messages {
		m := &messages[i]
		out := nats.NewMsg(m.Topic)
		out.Data = m.Value
		for _, h := range m.Headers {
			out.Header.Add(h.Name, oneLine(h.Value))
		}
		if m.Key != "" {
			out.Header.Set(keyHeader, url.PathEscape(m.Key))
		}
		if m.ID != "" {
			out.Header.Set(nats.MsgIdHdr, m.ID)
		}
		taken[i], errs[i] = js.PublishMsgAsync(out)
	}
	for i, one := range taken {
		if errs[i] == nil {
			select {
			case <-one.Ok():
			case err := <-one.Err():
				errs[i] = err
			case <-ctx.Done():
				errs[i] = ctx.Err()
			}
		}
		var api *jetstream.APIError
		switch err := errs[i]; {
		case errors.Is(err, nats.ErrMaxPayload), errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum:
			errs[i] = refused(err)
		case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
			errs[i] = fmt.Errorf("no stream of JetStream has the subject %s: %w", messages[i].Topic, err)
		}
	}
	return errs
}

// oneLine is a text as a header may have it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// jetStreamConsumer is a durable consumer of a stream, by the name of its group.
type jetStreamConsumer struct {
	link
	group    string
	consumer jetstream.Consumer // nil: not asked for yet
}

func newJetStreamConsumer(a Address, s Settings, group string) *jetStreamConsumer {
	return &jetStreamConsumer{link: link{address: a, settings: s}, group: group}
}

// ready has the stream and the consumer there. The stream is somebody else's to make.
func (c *jetStreamConsumer) ready(ctx context.Context, most int) error {
	if c.consumer != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	js, err := c.up()
	if err != nil {
		return err
	}
	stream, err := js.StreamNameBySubject(ctx, c.address.Topic)
	if err != nil {
		return fmt.Errorf("the stream that has the subject %s: %w", c.address.Topic, err)
	}
	c.consumer, err = js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: c.group, FilterSubject: c.address.Topic, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait,
		MaxAckPending: most, MaxDeliver: -1, DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("the consumer %s of stream %s: %w", c.group, stream, err)
	}
	return nil
}

func (c *jetStreamConsumer) Take(ctx context.Context, most int) ([]Record, error) {
	if err := c.ready(ctx, most); err != nil {
		return nil, err
	}
	list, err := c.fetched(func() (jetstream.MessageBatch, error) { return c.consumer.FetchNoWait(most) })
	if err != nil || len(list) > 0 {
		return list, err
	}
	waiting, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	list, err = c.fetched(func() (jetstream.MessageBatch, error) {
		return c.consumer.Fetch(1, jetstream.FetchContext(waiting))
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return list, err
}

// fetched reads the messages of an answer.
func (c *jetStreamConsumer) fetched(fetch func() (jetstream.MessageBatch, error)) (list []Record, err error) {
	batch, err := fetch()
	if err == nil {
		for m := range batch.Messages() {
			if one, err := recordOf(m); err == nil {
				list = append(list, one)
			}
		}
		err = batch.Error()
	}
	switch {
	case len(list) > 0: // what failed besides is met again
		return list, nil
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrNoMessages):
		return nil, nil
	case err != nil:
		c.consumer = nil // it may be gone, or be another one's by now
	}
	return nil, err
}

func recordOf(m jetstream.Msg) (Record, error) {
	about, err := m.Metadata()
	if err != nil {
		return Record{}, err
	}
	r := Record{Topic: m.Subject(), Partition: about.Stream, Place: strconv.FormatUint(about.Sequence.Stream, 10), Value: m.Data(), origin: m}
	for name, values := range m.Headers() {
		for _, value := range values {
			if name == keyHeader {
				var err error
				if r.Key, err = url.PathUnescape(value); err != nil {
					r.Key = value // somebody else's
				}
				continue
			}
			r.Headers = append(r.Headers, Header{name, value})
		}
	}
	return r, nil
}

func (c *jetStreamConsumer) Settle(ctx context.Context, records []Record) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	for i := range records {
		if err := records[i].origin.(jetstream.Msg).Ack(); err != nil {
			return err
		}
	}
	return c.conn.FlushWithContext(ctx)
}
