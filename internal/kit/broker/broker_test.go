package broker_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/kit/broker"
)

func TestAddresses(t *testing.T) {
	for _, text := range []string{
		"kafka://b1:9092/recoup.events", "kafka://b1:9092,b2:9093,[::1]:9094/a_b-C.9", "nats://127.0.0.1:4222/recoup.events", "nats://n:4222/a.*.b.>",
	} {
		if a, err := broker.Parse(text); err != nil || a.String() != text || !broker.Is(text) {
			t.Errorf("%s is read as %v, %v", text, a, err)
		}
	}
	for _, text := range []string{
		"", "https://b1:9092/t", "kafka://b1:9092", "kafka://b1:9092/", "kafka://b1/t", "kafka://:9092/t", "kafka://b1:0/t", "kafka://b1:99999/t", "kafka://b1:9092,/t",
		"kafka://b1:9092/a/b", "kafka://b1:9092/a b", "kafka://b1:9092/a*", "kafka://b1:9092/t?x=1", "nats://n:4222/a..b", "nats://n:4222/a b", "nats://n:4222/>.a",
		"kafka://b1:9092/" + strings.Repeat("t", 250), "kafka://" + strings.Repeat("b:1,", 16) + "b:1/t",
	} {
		if a, err := broker.Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, a)
		}
	}
	if _, err := broker.Parse("kafka://user:pass@b1:9092/t"); err == nil || strings.Contains(err.Error(), "pass@") {
		t.Errorf("a password is refused with %v", err)
	}
	a, err := broker.Parse("nats://n:4222/a.>")
	if err != nil || a.One() {
		t.Errorf("a.> is one subject: %v", err)
	}
}

// That nobody answers is an error, and not that there is nothing.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, kind := range []string{"kafka", "nats"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			at, err := broker.Parse(kind + "://" + l.Addr().String() + "/events")
			if err != nil {
				t.Fatal(err)
			}
			c, err := broker.NewConsumer(at, broker.Settings{}, "recoup")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if list, err := c.Take(t.Context(), 10); err == nil {
				t.Errorf("%d messages are taken of nobody", len(list))
			}
		})
	}
}

// Names and passwords are for the brokers that the file lists, and for no other.
func TestKnownBrokers(t *testing.T) {
	t.Setenv("BROKER_PASSWORD", "open sesame")
	file := filepath.Join(t.TempDir(), "brokers.yaml")
	read := func(text string) (*broker.Known, error) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return broker.ReadKnown(file)
	}
	known, err := read("brokers:\n  - {hosts: [b1:9093, b2:9093], tls: true, user: recoup, password: {env: BROKER_PASSWORD}, mechanism: SCRAM-SHA-512}\n  - {hosts: [n:4222], credentials: /etc/n.creds}\n")
	if err != nil {
		t.Fatal(err)
	}
	for address, listed := range map[string]bool{
		"kafka://b1:9093/t": true, "kafka://b2:9093,b1:9093/t": true, "kafka://b1:9092/t": false, "kafka://b1:9093,evil:9093/t": false, "nats://n:4222/t": true,
	} {
		a, err := broker.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		s, is := known.Of(a)
		if is != listed || (s.Password != "") != (listed && a.Kind == broker.Kafka) || (s.Credentials != "") != (listed && a.Kind == broker.NATS) {
			t.Errorf("of %s is known %+v, %v", address, s, is)
		}
	}
	for text, want := range map[string]string{
		"brokers:\n  - {hosts: [b1]}\n":                                            "brokers.yaml:2: ",
		"brokers:\n  - {hosts: ['b1:1'], user: x}\n":                               "a user and a password",
		"brokers:\n  - {hosts: ['b1:1'], tls: yes}\n":                              "true or false",
		"brokers:\n  - {hosts: ['b1:1'], ca: x}\n":                                 "tls: true",
		"brokers:\n  - {hosts: ['b1:1'], mechanism: GSSAPI}\n":                     "SCRAM-SHA-512",
		"brokers:\n  - {hosts: ['b1:1'], user: u, password: hunter2}\n":            "brokers.yaml:2: ",
		"brokers:\n  - {hosts: ['b1:1'], user: u, password: {env: NOT_THERE_1}}\n": "NOT_THERE_1",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is read with %v, want an error with %q", text, err, want)
		}
	}
}
