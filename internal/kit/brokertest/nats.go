package brokertest

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"recoup/internal/kit/broker"
)

// Tiny is a subject of which no message has more than MaxTiny bytes, headers included.
const (
	Tiny    = "tiny"
	MaxTiny = 600
)

func serveNATS(ports []int, folder string, topics []string) error {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: ports[0], JetStream: true, StoreDir: folder, SyncAlways: true, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		return errors.New("the NATS server does not start")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, topic := range topics {
		most := int32(1 << 20)
		if topic == Tiny {
			most = MaxTiny
		}
		if _, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: streamOf(topic), Subjects: []string{topic}, Storage: jetstream.FileStorage, MaxMsgSize: most}); err != nil {
			return err
		}
	}
	return nil
}

// streamOf is the stream that has a subject.
func streamOf(topic string) string { return strings.ReplaceAll(topic, ".", "_") }

type natsClient struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

func newNATSClient(hosts []string) (*natsClient, error) {
	conn, err := nats.Connect(strings.Join(hosts, ","), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn)
	return &natsClient{conn, js}, err
}

func (c *natsClient) close() { c.conn.Close() }

func (c *natsClient) put(ctx context.Context, topic, key string, headers map[string]string, value []byte) error {
	m := nats.NewMsg(topic)
	m.Data = value
	for name, value := range headers {
		m.Header.Set(name, value)
	}
	if key != "" {
		m.Header.Set("Recoup-Key", url.PathEscape(key))
	}
	_, err := c.js.PublishMsg(ctx, m)
	return err
}

func (c *natsClient) read(ctx context.Context, topic string) (list []broker.Record, err error) {
	stream, err := c.js.Stream(ctx, streamOf(topic))
	if err != nil {
		return nil, err
	}
	state := stream.CachedInfo().State
	for n := state.FirstSeq; state.Msgs > 0 && n <= state.LastSeq; n++ {
		m, err := stream.GetMsg(ctx, n)
		if err != nil {
			return nil, err
		}
		key, err := url.PathUnescape(m.Header.Get("Recoup-Key"))
		if err != nil {
			return nil, err
		}
		one := broker.Record{Topic: topic, Place: strconv.FormatUint(n, 10), Key: key, Value: m.Data}
		for name, values := range m.Header {
			one.Headers = append(one.Headers, broker.Header{Name: name, Value: values[0]})
		}
		list = append(list, one)
	}
	return list, nil
}
