package broker

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"recoup/internal/kit/yamltree"
)

// Settings are how brokers want to be spoken to. The zero value is without TLS, as nobody.
type Settings struct {
	TLS            *tls.Config // nil: none
	User, Password string
	Mechanism      string // of Kafka: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	Credentials    string // file of NATS; "": none
}

// Known are the brokers that a file lists. Names and passwords go to these alone, whatever
// address somebody has notices sent to.
type Known struct{ list []known }

type known struct {
	Settings
	hosts []string
}

// Limits of a file.
const maxKnown = 100

var mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

var form = yamltree.Form{Name: "file of brokers", Verbatim: true}

// ReadKnown reads a file of brokers; without a name there are none. Errors name file, line
// and member.
func ReadKnown(name string) (*Known, error) {
	k := new(Known)
	if name == "" {
		return k, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	top, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	err = top.Mapping(yamltree.Required("brokers", "the list of brokers", func(n yamltree.Node) error {
		nodes, err := n.ListOf("brokers", maxKnown)
		for _, node := range nodes {
			one, err := readOne(node)
			if err != nil {
				return err
			}
			k.list = append(k.list, one)
		}
		return err
	}))
	if err != nil {
		return nil, err
	}
	return k, nil
}

func readOne(n yamltree.Node) (k known, err error) {
	var secure bool
	var authority string
	text := func(into *string, what string) func(yamltree.Node) error {
		return func(n yamltree.Node) (err error) {
			*into, err = n.Text(what)
			return err
		}
	}
	err = n.Mapping(
		yamltree.Required("hosts", "brokers as HOST:PORT", func(n yamltree.Node) error {
			nodes, err := n.ListOf("brokers as HOST:PORT", maxHosts)
			for _, node := range nodes {
				host, err := node.Text("a broker as HOST:PORT")
				if err != nil {
					return err
				}
				if !isHost(host) {
					return node.Expected("a broker as HOST:PORT")
				}
				k.hosts = append(k.hosts, host)
			}
			return err
		}),
		yamltree.Optional("tls", func(n yamltree.Node) error {
			text, err := n.Scalar("true or false")
			if secure = text == "true"; err == nil && !secure && text != "false" {
				err = n.Expected("true or false")
			}
			return err
		}),
		yamltree.Optional("ca", text(&authority, "the file of the certificates that sign those of the brokers")),
		yamltree.Optional("user", text(&k.User, "the name to sign in with")),
		yamltree.Optional("password", func(n yamltree.Node) (err error) {
			k.Password, err = n.Secret()
			return err
		}),
		yamltree.Optional("mechanism", func(n yamltree.Node) (err error) {
			what := "one of " + strings.Join(mechanisms, ", ")
			if k.Mechanism, err = n.Text(what); err == nil && !slices.Contains(mechanisms, k.Mechanism) {
				err = n.Expected(what)
			}
			return err
		}),
		yamltree.Optional("credentials", text(&k.Credentials, "the file of credentials of NATS")),
	)
	switch {
	case err != nil:
		return k, err
	case (k.User == "") != (k.Password == ""):
		return k, n.Fail("expected a user and a password, or neither")
	case authority != "" && !secure:
		return k, n.Fail("ca: is of use with tls: true only")
	}
	if secure {
		k.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		if authority != "" {
			certificates, err := os.ReadFile(authority)
			if err != nil {
				return k, n.Fail("ca: %v", err)
			}
			k.TLS.RootCAs = x509.NewCertPool()
			if !k.TLS.RootCAs.AppendCertsFromPEM(certificates) {
				return k, n.Fail("ca: %s: expected certificates in PEM", authority)
			}
		}
	}
	return k, nil
}

// Of returns how to speak to the brokers of an address, and whether all of them are listed.
func (k *Known) Of(a Address) (s Settings, listed bool) {
	if k == nil {
		return s, false
	}
	for i := range k.list {
		one := &k.list[i]
		if !slices.ContainsFunc(a.Hosts, func(h string) bool { return !slices.Contains(one.hosts, h) }) {
			return one.Settings, true
		}
	}
	return s, false
}

// mechanism is how to sign in at Kafka; nil: not at all.
func (s *Settings) mechanism() (sasl.Mechanism, error) {
	switch {
	case s.User == "":
		return nil, nil
	case s.Mechanism == "" || s.Mechanism == "PLAIN":
		return plain.Auth{User: s.User, Pass: s.Password}.AsMechanism(), nil
	case s.Mechanism == "SCRAM-SHA-256":
		return scram.Auth{User: s.User, Pass: s.Password}.AsSha256Mechanism(), nil
	case s.Mechanism == "SCRAM-SHA-512":
		return scram.Auth{User: s.User, Pass: s.Password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("mechanism %q: expected one of %s", s.Mechanism, strings.Join(mechanisms, ", "))
}
