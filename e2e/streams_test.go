package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/brokertest"
)

// streamKinds are the brokers that streams are tested with, and how many consumers share a group
// on each.
var streamKinds = []struct {
	kind      broker.Kind
	consumers int
}{
	{broker.Kafka, 2},
	{broker.NATS, 1},
}

// consuming starts a consumer of the topic events.
func consuming(t testing.TB, b *brokertest.Broker, url string, more ...string) *service {
	t.Helper()
	return start(t, recoup(t), append([]string{"consume", "--" + string(b.Kind), b.At("events"), "--dead-letters", "dead", "--to", url}, more...))
}

// TestStreamsSurvive: events come through a broker while its processes, the consumers and the
// ledger are killed at random. At the end each event is in the ledger once, every account is
// as replay of what was published has it, and of what can never be applied each is among the
// dead letters, with its reason.
func TestStreamsSurvive(t *testing.T) {
	t.Parallel()
	for _, of := range streamKinds {
		t.Run(string(of.kind), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			draw := rand.New(rand.NewPCG(seed, 7))
			b := brokertest.Start(t, of.kind, "events", "dead")
			db, address := stores[0].database(t), freeAddress(t)
			ledger := func() *service {
				return serveWith(t, recoup(t), db, untimely, "--listen", address, "--program", programFile(t))
			}
			served := ledger()
			url := "http://" + address
			consumers := make([]*service, of.consumers)
			for i := range consumers {
				consumers[i] = consuming(t, b, url, "--batch", "50")
			}
			tr := spending(t, "house", modes()[0], 40, often(3000, 20_000), seed)
			// Whether a redemption is granted depends on what came before it, and what a consumer had
			// that was killed is handed out again after what came later.
			tr.events = slices.DeleteFunc(tr.events, func(line string) bool { return strings.Contains(line, `"type":"redemption.`) })
			poison := make(map[string]bool)
			faults := make(map[string]int)
			var deck []int // each kind of fault as often
			every := len(tr.events) / often(12, 60)
			for i, line := range tr.events {
				if i%199 == 17 {
					bad := fmt.Sprintf(`{"specversion":"1.0","id":"bad-%d","type":"transaction.paid"}`, i)
					poison[bad] = true
					b.Put("events", "nobody", nil, []byte(bad))
				}
				b.Put("events", accountOf(t, line), nil, []byte(line))
				if i%every != every-1 {
					continue
				}
				if len(deck) == 0 {
					deck = draw.Perm(3)
				}
				fault := deck[0]
				deck = deck[1:]
				switch fault {
				case 0:
					faults["broker"]++
					b.Kill()
					b.Up()
				case 1:
					faults["ledger"]++
					served.kill()
					served = ledger()
				default:
					faults["consumer"]++
					j := draw.IntN(len(consumers))
					consumers[j].kill()
					consumers[j] = consuming(t, b, url, "--batch", "50")
				}
			}
			t.Logf("%d events, %d that can never be applied, killed: %v", len(tr.events), len(poison), faults)
			c := served.client(t)
			want, err := replayOf(tr.document, tr.events)
			noError(t, err)
			eventually(t, "every account is as after replay", func() error {
				if differences := c.compareStates(want.states, 100); len(differences) > 0 {
					return fmt.Errorf("%s", strings.Join(differences[:1], "\n"))
				}
				return nil
			})
			var found []broker.Record
			eventually(t, "the dead letters are there", func() error {
				found = b.Read("dead")
				seen := make(map[string]bool)
				for i := range found {
					seen[string(found[i].Value)] = true
				}
				if !maps.Equal(seen, poison) {
					return fmt.Errorf("%d dead letters are there, want %d", len(seen), len(poison))
				}
				return nil
			})
			for i := range found {
				if r := &found[i]; r.Header("recoup-code") != "malformed" || r.Header("recoup-reason") == "" || r.Header("recoup-topic") != "events" || r.Header("recoup-place") == "" {
					t.Errorf("a dead letter has the headers %v", r.Headers)
				}
			}
			for _, one := range consumers {
				one.stop(t)
			}
			served.stop(t)
			once(t, db, tr.events)
			verified(t, db)
		})
	}
}

func accountOf(t testing.TB, line string) string {
	t.Helper()
	var e struct{ Subject string }
	noError(t, json.Unmarshal([]byte(line), &e))
	return e.Subject
}

// once checks that a ledger has each of some events once, and no other.
func once(t *testing.T, db string, events []string) {
	t.Helper()
	identity := func(line string) string {
		var e struct{ Subject, Source, ID string }
		noError(t, json.Unmarshal([]byte(line), &e))
		return e.Subject + " " + e.Source + " " + e.ID
	}
	got := command(t, "export", "events", "--db", db)
	if got.code != 0 {
		t.Fatalf("recoup export events exits %d: %s", got.code, got.stderr)
	}
	var have []string
	for line := range strings.Lines(got.stdout) {
		if !strings.Contains(line, `"source":"recoup:`) {
			have = append(have, identity(line))
		}
	}
	var want []string
	for _, line := range events {
		want = append(want, identity(line))
	}
	slices.Sort(have)
	slices.Sort(want)
	want = slices.Compact(want)
	if !slices.Equal(have, want) {
		t.Errorf("the ledger has %d events, want %d, each once", len(have), len(want))
	}
}

// TestStreamsWait: a consumer of a service that is not there, or of a broker that is not,
// waits; it ends at once where a person is needed.
func TestStreamsWait(t *testing.T) {
	t.Parallel()
	for _, of := range streamKinds {
		t.Run(string(of.kind), func(t *testing.T) {
			t.Parallel()
			b := brokertest.Start(t, of.kind, "events", "dead")
			address := freeAddress(t)
			consumer := consuming(t, b, "http://"+address)
			b.Kill()
			line := `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1","data":{"transaction":"t1","amount":10000,"currency":"USD"}}`
			b.Up()
			b.Put("events", "acct-1", nil, []byte(line))
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				conn.Close()
				t.Fatal("somebody listens where nobody should")
			}
			s := serveWith(t, recoup(t), stores[0].database(t), untimely, "--listen", address, "--program", programFile(t))
			eventually(t, "the event is applied", func() error {
				_, err := s.client(t).state("acct-1", 10)
				return err
			})
			consumer.alive(t)
			consumer.stop(t)
		})
	}
}
