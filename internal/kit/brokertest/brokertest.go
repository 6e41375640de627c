// Package brokertest runs message brokers for tests, each a process of its own that can be
// killed and started again with what it has kept: a NATS server, and Kafka as the fake of
// franz-go has it, three brokers in one process, on disk. What is put into them and read from
// them here goes through their own libraries, not through package broker.
package brokertest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/internal/kit/broker"
)

// environment tells a test's own program that it is to be a broker: kind, ports, folder and
// topics.
const environment = "RECOUP_TEST_BROKER"

const patience = time.Minute

// Main is called first by the TestMain of who has brokers: it is the broker, if that is what
// the process was started for, and does not return then.
func Main() {
	told := os.Getenv(environment)
	if told == "" {
		return
	}
	part := strings.Split(told, "|")
	var ports []int
	for _, text := range strings.Split(part[1], ",") {
		n, _ := strconv.Atoi(text)
		ports = append(ports, n)
	}
	serve := serveKafka
	if broker.Kind(part[0]) == broker.NATS {
		serve = serveNATS
	}
	if err := serve(ports, part[2], strings.Split(part[3], ",")); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// Broker is a broker that a test has.
type Broker struct {
	Kind    broker.Kind
	Hosts   []string
	t       testing.TB
	told    string
	process *exec.Cmd
	client
}

// client is what speaks to it.
type client interface {
	// put publishes a message, or says why it may not be there.
	put(ctx context.Context, topic, key string, headers map[string]string, value []byte) error
	// read returns all that a topic has, partition by partition in order.
	read(ctx context.Context, topic string) ([]broker.Record, error)
	close()
}

// Start starts a broker with topics, of JetStream each a subject and a stream of its own. It
// ends with the test.
func Start(t testing.TB, kind broker.Kind, topics ...string) *Broker {
	t.Helper()
	b := &Broker{Kind: kind, t: t}
	count := 1
	if kind == broker.Kafka {
		count = 3
	}
	var ports []string
	var held []net.Listener // all at once, so that they are several
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		b.Hosts = append(b.Hosts, l.Addr().String())
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	for _, l := range held {
		l.Close()
	}
	b.told = strings.Join([]string{string(kind), strings.Join(ports, ","), t.TempDir(), strings.Join(topics, ",")}, "|")
	t.Cleanup(func() {
		if b.client != nil {
			b.client.close()
		}
		b.Kill()
	})
	return b.Up()
}

// Up starts the process, if it does not run.
func (b *Broker) Up() *Broker {
	b.t.Helper()
	if b.process != nil {
		return b
	}
	program, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	b.process = exec.Command(program)
	b.process.Env = append(os.Environ(), environment+"="+b.told)
	b.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := b.process.StdoutPipe()
	if err == nil {
		err = b.process.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "ready\n" {
		b.t.Fatalf("the broker says %q, %v", line, err)
	}
	if b.client == nil {
		if b.client, err = newClient(b); err != nil {
			b.t.Fatal(err)
		}
	}
	return b
}

func newClient(b *Broker) (client, error) {
	if b.Kind == broker.Kafka {
		return newKafkaClient(b.Hosts)
	}
	return newNATSClient(b.Hosts)
}

// Kill kills the process, if it runs.
func (b *Broker) Kill() {
	if b.process == nil {
		return
	}
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
	b.process = nil
}

// Address is a topic of the broker.
func (b *Broker) Address(topic string) string { return string(b.Kind) + "://" + b.At(topic) }

// At is the same without the scheme, as flags have it.
func (b *Broker) At(topic string) string { return strings.Join(b.Hosts, ",") + "/" + topic }

// Put publishes a message, again and again until the broker has taken it: it may be there
// several times.
func (b *Broker) Put(topic, key string, headers map[string]string, value []byte) {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err := b.put(ctx, topic, key, headers, value)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			b.t.Errorf("publishing to %s: %v", topic, err)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Read returns all that a topic has, partition by partition in order.
func (b *Broker) Read(topic string) []broker.Record {
	b.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		list, err := b.read(ctx, topic)
		cancel()
		if err == nil {
			return list
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("reading %s: %v", topic, err)
		}
	}
}
