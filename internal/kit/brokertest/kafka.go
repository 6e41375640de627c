package brokertest

import (
	"context"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"recoup/internal/kit/broker"
)

// partitions is how many a topic has.
const partitions = 6

// restless is how often the leaders of partitions change.
const restless = 700 * time.Millisecond

func serveKafka(ports []int, folder string, topics []string) error {
	cluster, err := kfake.NewCluster(
		kfake.Ports(ports...), kfake.DataDir(folder), kfake.SyncWrites(), kfake.AllowAutoTopicCreation(),
		kfake.SeedTopics(partitions, topics...), kfake.GroupMinSessionTimeout(time.Second),
	)
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(restless) {
			cluster.ShufflePartitionLeaders()
		}
	}()
	return nil
}

type kafkaClient struct {
	hosts []string
	*kgo.Client
}

func newKafkaClient(hosts []string) (*kafkaClient, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(hosts...), kgo.AllowIdempotentProduceCancellation(), kgo.UnknownTopicRetries(10))
	return &kafkaClient{hosts, client}, err
}

func (c *kafkaClient) close() { c.Close() }

func (c *kafkaClient) put(ctx context.Context, topic, key string, headers map[string]string, value []byte) error {
	r := &kgo.Record{Topic: topic, Key: []byte(key), Value: value}
	for name, value := range headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: name, Value: []byte(value)})
	}
	return c.ProduceSync(ctx, r).FirstErr()
}

func (c *kafkaClient) read(ctx context.Context, topic string) (list []broker.Record, err error) {
	ends, err := c.ends(ctx, topic)
	if err != nil {
		return nil, err
	}
	from := map[string]map[int32]kgo.Offset{topic: {}}
	left := make(map[int32]int64)
	for p, end := range ends {
		if end > 0 {
			from[topic][p], left[p] = kgo.NewOffset().AtStart(), end
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	reader, err := kgo.NewClient(kgo.SeedBrokers(c.hosts...), kgo.ConsumePartitions(from))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	sorted := make([][]broker.Record, partitions)
	for len(left) > 0 {
		fetched := reader.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fetched.EachRecord(func(r *kgo.Record) {
			one := broker.Record{Topic: topic, Partition: strconv.Itoa(int(r.Partition)), Place: strconv.FormatInt(r.Offset, 10), Key: string(r.Key), Value: r.Value}
			for _, h := range r.Headers {
				one.Headers = append(one.Headers, broker.Header{Name: h.Key, Value: string(h.Value)})
			}
			sorted[r.Partition] = append(sorted[r.Partition], one)
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	for _, some := range sorted {
		list = append(list, some...)
	}
	return list, nil
}

// ends returns where the partitions of a topic end.
func (c *kafkaClient) ends(ctx context.Context, topic string) (map[int32]int64, error) {
	ends := make(map[int32]int64)
	for p := range int32(partitions) {
		request := kmsg.NewListOffsetsRequest()
		request.ReplicaID = -1
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic = topic
		one := kmsg.NewListOffsetsRequestTopicPartition()
		one.Partition, one.Timestamp, one.CurrentLeaderEpoch = p, -1, -1
		t.Partitions = append(t.Partitions, one)
		request.Topics = append(request.Topics, t)
		for _, shard := range c.RequestSharded(ctx, &request) {
			if shard.Err != nil {
				return nil, shard.Err
			}
			for _, topic := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics {
				for _, found := range topic.Partitions {
					ends[found.Partition] = found.Offset
				}
			}
		}
	}
	return ends, nil
}
