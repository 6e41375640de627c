package broker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxKafkaMessage is how large a batch that is sent may be. What a broker takes is the
// broker's own business, and it refuses more.
const maxKafkaMessage = 16 << 20

// deadAfter is how long a consumer that says nothing keeps its partitions.
const deadAfter = 15 * time.Second

// dealtWithin is for how long the others wait, when partitions are dealt out anew, for one that
// does not answer: it is dead, or has in hand what nobody takes. The library would have them
// wait for a minute.
const dealtWithin = 2 * deadAfter

// newKafka returns a client of the brokers of an address.
func newKafka(a Address, s Settings, more ...kgo.Opt) (*kgo.Client, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(a.Hosts...), kgo.ClientID("recoup"), kgo.DialTimeout(Patience),
		kgo.AllowAutoTopicCreation(), // where the broker allows it
	}
	if s.TLS != nil {
		options = append(options, kgo.DialTLSConfig(s.TLS))
	}
	mechanism, err := s.mechanism()
	if err != nil {
		return nil, err
	}
	if mechanism != nil {
		options = append(options, kgo.SASL(mechanism))
	}
	return kgo.NewClient(append(options, more...)...)
}

type kafkaPublisher struct{ client *kgo.Client }

func newKafkaPublisher(a Address, s Settings) (Publisher, error) {
	client, err := newKafka(a, s,
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordDeliveryTimeout(Patience), kgo.ProduceRequestTimeout(Patience/3),
		// A message that may or may not be there is sent again, by whoever publishes it.
		kgo.AllowIdempotentProduceCancellation(),
		kgo.ProducerBatchMaxBytes(maxKafkaMessage), kgo.ProducerLinger(0), kgo.UnknownTopicRetries(3),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // as Kafka's own clients have it
	)
	if err != nil {
		return nil, err
	}
	return &kafkaPublisher{client}, nil
}

func (p *kafkaPublisher) Publish(ctx context.Context, messages []Message) []error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	records := make([]*kgo.Record, len(messages))
	place := make(map[*kgo.Record]int, len(messages))
	for i := range messages {
		m := &messages[i]
		r := &kgo.Record{Topic: m.Topic, Value: m.Value}
		if m.Key != "" {
			r.Key = []byte(m.Key)
		}
		for _, h := range m.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: h.Name, Value: []byte(h.Value)})
		}
		records[i], place[r] = r, i
	}
	errs := make([]error, len(messages))
	for _, result := range p.client.ProduceSync(ctx, records...) {
		err := result.Err
		if errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) || errors.Is(err, kerr.InvalidRecord) {
			err = refused(err)
		}
		errs[place[result.Record]] = err
	}
	return errs
}

func (p *kafkaPublisher) Close() { p.client.Close() }

// kafkaConsumer is a member of a group of consumers, among which the brokers deal out
// partitions.
type kafkaConsumer struct {
	client       *kgo.Client
	topic, group string
}

func newKafkaConsumer(a Address, s Settings, group string) (Consumer, error) {
	client, err := newKafka(a, s,
		kgo.ConsumerGroup(group), kgo.ConsumeTopics(a.Topic), kgo.DisableAutoCommit(),
		// Partitions are not given to others while what was taken of them is worked on.
		kgo.BlockRebalanceOnPoll(), kgo.SessionTimeout(deadAfter), kgo.RebalanceTimeout(dealtWithin),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(idle), kgo.FetchMaxBytes(maxKafkaMessage),
	)
	if err != nil {
		return nil, err
	}
	return &kafkaConsumer{client, a.Topic, group}, nil
}

func (c *kafkaConsumer) Take(ctx context.Context, most int) (list []Record, err error) {
	c.client.AllowRebalance()
	waiting, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	fetched := c.client.PollRecords(waiting, most)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fetched.EachRecord(func(r *kgo.Record) {
		one := Record{
			Topic: r.Topic, Partition: strconv.Itoa(int(r.Partition)), Place: strconv.FormatInt(r.Offset, 10),
			Key: string(r.Key), Value: r.Value, origin: r,
		}
		for _, h := range r.Headers {
			one.Headers = append(one.Headers, Header{h.Key, string(h.Value)})
		}
		list = append(list, one)
	})
	for _, failed := range fetched.Errors() {
		if !errors.Is(failed.Err, context.DeadlineExceeded) {
			err = failed.Err
		}
	}
	if err == nil && len(list) == 0 {
		err = c.reached(ctx)
	}
	return list, err
}

// reached returns why there may be more than what was found, which was nothing: the library
// tries again by itself whatever fails, and says nothing of it.
func (c *kafkaConsumer) reached(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	about := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = &c.topic
	about.Topics = append(about.Topics, topic)
	answer, err := about.RequestWith(asking, c.client)
	if err != nil {
		return fmt.Errorf("no broker answers: %w", err)
	}
	for i := range answer.Topics {
		if err := kerr.ErrorForCode(answer.Topics[i].ErrorCode); err != nil {
			return fmt.Errorf("the topic %s: %w", c.topic, err)
		}
	}
	if _, generation := c.client.GroupMetadata(); generation < 0 {
		return fmt.Errorf("the group %s is not joined yet", c.group)
	}
	return nil
}

func (c *kafkaConsumer) Settle(ctx context.Context, records []Record) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	list := make([]*kgo.Record, len(records))
	for i := range records {
		list[i] = records[i].origin.(*kgo.Record)
	}
	return c.client.CommitRecords(ctx, list...)
}

func (c *kafkaConsumer) Close() {
	c.client.AllowRebalance()
	c.client.Close()
}
