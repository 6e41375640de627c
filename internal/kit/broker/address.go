package broker

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// Kind is which protocol brokers speak: the scheme of an address.
type Kind string

// The kinds.
const (
	Kafka Kind = "kafka"
	NATS  Kind = "nats"
)

// Address is a topic of Kafka, or a subject of NATS, and where it is.
type Address struct {
	Kind  Kind
	Hosts []string // host:port, to begin with
	Topic string
}

// Limits of an address.
const (
	maxHosts = 16
	maxTopic = 249 // bytes, which is Kafka's own limit
)

var (
	kafkaTopic  = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	natsSubject = regexp.MustCompile(`^[^\s.*>]+(\.([^\s.*>]+|\*))*(\.>)?$`)
	hostName    = regexp.MustCompile(`^[A-Za-z0-9._:-]+$`)
)

// Is reports whether a text is meant as the address of a topic.
func Is(text string) bool {
	return strings.HasPrefix(text, string(Kafka)+"://") || strings.HasPrefix(text, string(NATS)+"://")
}

// Parse reads an address: kafka://HOST:PORT[,HOST:PORT…]/TOPIC, or the same with nats and a
// subject. It has no user and no password, for it is shown in lists.
func Parse(text string) (a Address, err error) {
	scheme, rest, _ := strings.Cut(text, "://")
	a.Kind = Kind(scheme)
	fail := func(what string) (Address, error) {
		return Address{}, fmt.Errorf("%q: expected %s, such as kafka://broker:9092/topic or nats://server:4222/subject", text, what)
	}
	if a.Kind != Kafka && a.Kind != NATS {
		return fail("the address of a topic")
	}
	hosts, topic, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return Address{}, fmt.Errorf("expected the address of a topic without a user and password: it is shown in lists; --brokers names a file that has them")
	}
	a.Hosts, a.Topic = strings.Split(hosts, ","), topic
	if len(a.Hosts) > maxHosts {
		return fail(fmt.Sprintf("at most %d brokers", maxHosts))
	}
	for _, h := range a.Hosts {
		if !isHost(h) {
			return fail("brokers as HOST:PORT, with commas between")
		}
	}
	if err := a.Check(topic); err != nil {
		return Address{}, err
	}
	return a, nil
}

func isHost(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || !hostName.MatchString(host) {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// Check reports whether something is a topic of the kind.
func (a *Address) Check(topic string) error {
	form, what := kafkaTopic, "a topic of letters, digits, dots, hyphens and underscores"
	if a.Kind == NATS {
		form, what = natsSubject, "a subject of words with dots between"
	}
	if len(topic) > maxTopic || !form.MatchString(topic) {
		return fmt.Errorf("topic %q: expected %s, of at most %d bytes", topic, what, maxTopic)
	}
	return nil
}

// One reports whether the address is of a single topic, to which something can be published,
// rather than of all subjects of a form.
func (a *Address) One() bool { return a.Kind == Kafka || !strings.ContainsAny(a.Topic, "*>") }

// String is the address as Parse reads it.
func (a *Address) String() string { return a.Brokers() + "/" + a.Topic }

// Brokers is the address without its topic.
func (a *Address) Brokers() string { return string(a.Kind) + "://" + strings.Join(a.Hosts, ",") }
