package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/brokertest"
	"recoup/reward"
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

// regrouped is how long what is published may take to be applied where consumers and brokers die:
// partitions are dealt out anew, and the fake of Kafka forgets a member that waits for that longer
// than it may be silent. Its join is never answered, and it begins again after forty seconds.
const regrouped = 4 * patience

// onEachBroker has a test on each of them, side by side, of a seed that is said.
func onEachBroker(t *testing.T, test func(t *testing.T, kind broker.Kind, consumers int, seed uint64)) {
	t.Parallel()
	for _, of := range streamKinds {
		t.Run(string(of.kind), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			test(t, of.kind, of.consumers, seed)
		})
	}
}

// consuming starts a consumer of the topic events.
func consuming(t testing.TB, b *brokertest.Broker, url string, more ...string) *service {
	t.Helper()
	return start(t, recoup(t), append([]string{"consume", "--" + string(b.Kind), b.At("events"), "--dead-letters", "dead", "--to", url}, more...))
}

// TestStreamsSurvive: events come through a broker while its processes, the consumers and the
// ledger are killed at random. At the end each event is in the ledger once, every account is
// as replay has it, of what was published or, of JetStream, of the ledger's own log, and of what
// can never be applied each is among the dead letters, with its reason.
//
// What a consumer of JetStream had that was killed comes after what followed it, and there the
// order counts: of a cap that binds other purchases get what is left of it, and a redemption is
// denied that would have been granted. TestStreamsThroughAndThrough sends what does not
// depend on it.
func TestStreamsSurvive(t *testing.T) {
	onEachBroker(t, func(t *testing.T, kind broker.Kind, members int, seed uint64) {
		draw := rand.New(rand.NewPCG(seed, 7))
		b := brokertest.Start(t, kind, "events", "dead").Restless()
		db, address := stores[0].database(t), freeAddress(t)
		ledger := func() *service {
			return serveWith(t, recoup(t), db, untimely, "--listen", address, "--program", programFile(t))
		}
		served := ledger()
		url := "http://" + address
		consumers := make([]*service, members)
		for i := range consumers {
			consumers[i] = consuming(t, b, url, "--batch", "50")
		}
		tr := spending(t, "house", modes()[0], 40, often(2000, 20_000), seed)
		poison := make(map[string]bool)
		faults := make(map[string]int)
		var deck []int // each kind of fault as often
		every := len(tr.events) / often(9, 60)
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
		arrived(t, served.client(t), tr.events)
		var found []broker.Record
		eventuallyWithin(t, regrouped, "the dead letters are there", func() error {
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
		log := once(t, db, tr.events)
		verified(t, db)
		if kind == broker.Kafka { // what is of one account stays in order, whoever dies
			log = tr.events
		}
		want, err := replayOf(tr.document, log)
		noError(t, err)
		served = ledger()
		for _, difference := range served.client(t).compareStates(want.states, 100) {
			t.Error("otherwise than replay has it: ", difference)
		}
	})
}

// arrived waits until a ledger has as many events of each account as were published. JetStream
// hands out again after half a minute what a killed consumer had, and may do so to a request
// that the same consumer left behind: another half.
func arrived(t *testing.T, c *client, events []string) {
	t.Helper()
	published := make(map[string]map[string]bool)
	for _, line := range events {
		account := accountOf(t, line)
		if published[account] == nil {
			published[account] = make(map[string]bool)
		}
		published[account][identityOf(t, line)] = true
	}
	eventuallyWithin(t, regrouped, "every event arrives", func() error {
		for account, want := range published {
			var is struct{ Version int }
			if err := c.get("/v1/accounts/"+escaped(account), &is); err != nil || is.Version < len(want) {
				return fmt.Errorf("%s has %d events, want %d (%v)", account, is.Version, len(want), err)
			}
		}
		return nil
	})
}

// identityOf is what names an event.
func identityOf(t testing.TB, line string) string {
	t.Helper()
	var e struct{ Subject, Source, ID string }
	noError(t, json.Unmarshal([]byte(line), &e))
	return e.Subject + " " + e.Source + " " + e.ID
}

func accountOf(t testing.TB, line string) string {
	t.Helper()
	var e struct{ Subject string }
	noError(t, json.Unmarshal([]byte(line), &e))
	return e.Subject
}

// once checks that a ledger has each of some events once, and no other, and returns its log:
// they again, those of an account in the order in which it took them.
func once(t *testing.T, db string, events []string) (log []string) {
	t.Helper()
	got := command(t, "export", "events", "--db", db)
	if got.code != 0 {
		t.Fatalf("recoup export events exits %d: %s", got.code, got.stderr)
	}
	var have, want []string
	for line := range strings.Lines(got.stdout) {
		if !strings.Contains(line, `"source":"recoup:`) {
			log = append(log, strings.TrimSuffix(line, "\n"))
			have = append(have, identityOf(t, line))
		}
	}
	for _, line := range events {
		want = append(want, identityOf(t, line))
	}
	slices.Sort(have)
	slices.Sort(want)
	want = slices.Compact(want)
	if !slices.Equal(have, want) {
		t.Errorf("the ledger has %d events, want %d, each once", len(have), len(want))
	}
	return log
}

// TestStreamsWait: a consumer of a service that is not there, or of a broker that is not,
// waits; it ends at once where a person is needed.
func TestStreamsWait(t *testing.T) {
	onEachBroker(t, func(t *testing.T, kind broker.Kind, _ int, _ uint64) {
		b := brokertest.Start(t, kind, "events", "dead")
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

// TestNoticesToStreams: notices and the journal go to a topic each, while the broker and the
// ledger are killed. Those of an account are there in order, each at least once: by the feed,
// which is another way to the same notices, and by the numbers of postings.
func TestNoticesToStreams(t *testing.T) {
	onEachBroker(t, func(t *testing.T, kind broker.Kind, _ int, seed uint64) {
		draw := rand.New(rand.NewPCG(seed, 8))
		b := brokertest.Start(t, kind, "notices", "journal").Restless()
		db := stores[0].database(t)
		ledger := func() *service {
			return serve(t, db, untimely, "--program", programFile(t), "--webhook-allow-private")
		}
		s := ledger()
		c := s.client(t)
		for _, args := range [][]string{
			{"keep", "--for", "24h"}, {"add", b.Address("notices")}, {"add", "--type", "journal.posted", b.Address("journal")},
		} {
			if got := command(t, append([]string{"webhooks", args[0], "--db", db}, args[1:]...)...); got.code != 0 {
				t.Fatalf("recoup webhooks %v exits %d: %s", args, got.code, got.stderr)
			}
		}
		probes := 0
		eventually(t, "notices are written", func() error {
			probes++
			_, err := c.send(single, linesOf([]reward.Event{{
				Source: "e2e", ID: fmt.Sprint("probe-", probes), Account: fmt.Sprint("probe-", probes), Time: end, Type: reward.AdjustmentPosted, Fact: fmt.Sprint("probe-", probes),
				Amount: 1, HasAmount: true, Currency: "USD", Reason: "probe", Actor: "e2e",
			}}))
			if err == nil && (len(b.Read("notices")) == 0 || len(b.Read("journal")) == 0) {
				err = fmt.Errorf("nothing is published after %d events", probes)
			}
			return err
		})
		tr := spending(t, "house", modes()[0], 15, often(1200, 10_000), seed)
		const chunk = 100
		for from := 0; from < len(tr.events); from += chunk {
			_, err := c.send(batch, tr.events[from:min(from+chunk, len(tr.events))])
			noError(t, err)
			switch draw.IntN(4) {
			case 0:
				b.Kill()
				b.Up()
			case 1:
				s.kill()
				s = ledger()
				c = s.client(t)
			}
		}
		want := make(map[string][]string) // ids of notices by account, as the feed has them
		for after := ""; ; {
			var page struct {
				Notices []struct{ ID, Account string }
				Next    string
			}
			noError(t, c.get("/v1/notices?limit=500&wait=2&after="+after, &page))
			if len(page.Notices) == 0 {
				break
			}
			for _, n := range page.Notices {
				want[n.Account] = append(want[n.Account], n.ID)
			}
			after = page.Next
		}
		if len(want) < 15 {
			t.Fatalf("the feed has notices of %d accounts", len(want))
		}
		eventually(t, "all notices are published, in order", func() error {
			got := make(map[string][]string)
			for _, r := range b.Read("notices") {
				if id := r.Header("webhook-id"); !slices.Contains(got[r.Key], id) {
					got[r.Key] = append(got[r.Key], id)
				}
			}
			for account, ids := range want {
				if !slices.Equal(got[account], ids) && !strings.HasPrefix(account, "probe") {
					return fmt.Errorf("of %s there are %d, want %d: %.200q, want %.200q", account, len(got[account]), len(ids), got[account], ids)
				}
			}
			return nil
		})
		eventually(t, "the journal is published, in order", func() error {
			last := make(map[string]int64)
			for _, r := range b.Read("journal") {
				var n struct {
					Data struct {
						Postings []struct{ Number, Balance int64 }
					}
				}
				if err := json.Unmarshal(r.Value, &n); err != nil {
					return err
				}
				for _, p := range n.Data.Postings {
					switch {
					case p.Number == last[r.Key]+1:
						last[r.Key]++
					case p.Number > last[r.Key]:
						t.Fatalf("posting %d of %s comes after %d", p.Number, r.Key, last[r.Key])
					}
				}
			}
			for account := range want {
				var page struct{ Entries []struct{ Number int64 } }
				if err := c.get("/v1/accounts/"+escaped(account)+"/entries?limit=1", &page); err != nil {
					return err
				}
				if !strings.HasPrefix(account, "probe") && (len(page.Entries) != 1 || page.Entries[0].Number != last[account]) {
					return fmt.Errorf("of %s %d postings are published, want %+v", account, last[account], page)
				}
			}
			return nil
		})
		s.stop(t)
		verified(t, db)
	})
}

// TestThePageOfStreams runs the commands of the page about streams, as they are written, with
// the real program and the fake of Kafka.
func TestThePageOfStreams(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("kcat"); err != nil {
		t.Skip("kcat is not here, which the page uses")
	}
	text, err := os.ReadFile("../docs/integrate/streams.md")
	noError(t, err)
	b := brokertest.Start(t, broker.Kafka, "recoup.events", "recoup.dead", "recoup.journal")
	page := strings.ReplaceAll(string(text), "127.0.0.1:9092", strings.Join(b.Hosts, ","))
	followPage(t, fences.FindAllStringSubmatch(page, -1))
}
