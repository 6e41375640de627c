package broker

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// maxKafkaMessage is how large a batch that is sent may be. What a broker takes is the
// broker's own business, and it refuses more.
const maxKafkaMessage = 16 << 20

// deadAfter is how long a consumer that says nothing keeps its partitions.
const deadAfter = 15 * time.Second

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
type kafkaConsumer struct{ client *kgo.Client }

func newKafkaConsumer(a Address, s Settings, group string) (Consumer, error) {
	client, err := newKafka(a, s,
		kgo.ConsumerGroup(group), kgo.ConsumeTopics(a.Topic), kgo.DisableAutoCommit(),
		// Partitions are not given to others while what was taken of them is worked on.
		kgo.BlockRebalanceOnPoll(), kgo.SessionTimeout(deadAfter),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(idle), kgo.FetchMaxBytes(maxKafkaMessage),
	)
	if err != nil {
		return nil, err
	}
	return &kafkaConsumer{client}, nil
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
	if len(list) > 0 {
		return list, nil // what failed besides is met again
	}
	for _, failed := range fetched.Errors() {
		if !errors.Is(failed.Err, context.DeadlineExceeded) {
			err = failed.Err
		}
	}
	return nil, err
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
