package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/brokertest"
)

// TestStreamsThroughAndThrough is the whole way, from who sends to who listens: events come
// from a broker, and notices and the journal go out to it, while the broker, the service and
// the consumers are killed, one or several at once, some for a while. In the end every
// account has what it is owed, the ledger has every event once, and who listens was told of
// everything, of each account in order: by the sender's own arithmetic.
func TestStreamsThroughAndThrough(t *testing.T) {
	t.Parallel()
	for _, of := range streamKinds {
		t.Run(string(of.kind), func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			p := newPipeline(t, of.kind, of.consumers, seed)
			p.run(often(3, 30))
			p.settled()
		})
	}
}

// pipeline is a broker, a service, consumers, and those who send to them.
type pipeline struct {
	*testing.T
	*brokertest.Broker
	draw        *rand.Rand
	db, address string
	terms       string
	service     *service
	consumers   []*service
	holders     []*holder
	ordered     bool // what is of one account stays in order, whoever dies
	poison      map[string]bool
	faults      map[string]int
}

func newPipeline(t *testing.T, kind broker.Kind, consumers int, seed uint64) *pipeline {
	t.Helper()
	p := &pipeline{
		T: t, Broker: brokertest.Start(t, kind, "events", "dead", "notices", "journal").Restless(),
		draw: rand.New(rand.NewPCG(seed, 9)), db: stores[0].database(t), address: freeAddress(t),
		terms: filepath.Join(t.TempDir(), "program.yaml"), consumers: make([]*service, consumers),
		ordered: kind == broker.Kafka, poison: make(map[string]bool), faults: make(map[string]int),
	}
	noError(t, os.WriteFile(p.terms, []byte(onePercent), 0o600))
	for i := range 12 {
		p.holders = append(p.holders, newHolder(fmt.Sprintf("acct-%d", i), often(60, 400), p.ordered, p.draw))
	}
	// Whoever is told is there before the first process is: what happened earlier is told to
	// nobody.
	for _, args := range [][]string{
		{"migrate", "up", "--db", p.db},
		{"webhooks", "add", "--db", p.db, "--allow-private", p.Address("notices")},
		{"webhooks", "add", "--db", p.db, "--allow-private", "--type", "journal.posted", p.Address("journal")},
	} {
		if got := command(t, args...); got.code != 0 {
			t.Fatalf("recoup %v exits %d: %s", args, got.code, got.stderr)
		}
	}
	return p
}

// The processes of a pipeline that can be killed: consumers have the numbers from here on.
const (
	theBroker = iota
	theService
	aConsumer
)

func (p *pipeline) kill(which int) {
	p.Helper()
	switch which {
	case theBroker:
		p.faults["broker"]++
		p.Kill()
	case theService:
		p.faults["service"]++
		p.service.kill()
	default:
		p.faults["consumer"]++
		p.consumers[which-aConsumer].kill()
	}
}

func (p *pipeline) revive(which int) {
	p.Helper()
	switch which {
	case theBroker:
		p.Up()
	case theService:
		p.service = launch(p, recoup(p), p.db, untimely, "--listen", p.address, "--program", p.terms, "--webhook-allow-private")
	default:
		p.consumers[which-aConsumer] = consuming(p, p.Broker, "http://"+p.address, "--batch", "20")
	}
}

// run sends what the holders do, and kills so often, each time when another share of it has
// arrived. What is sent next is sent meanwhile.
func (p *pipeline) run(kills int) {
	p.revive(theService)
	for i := range p.consumers {
		p.revive(aConsumer + i)
	}
	total := 0
	for _, h := range p.holders {
		total += len(h.owed)
	}
	c := newClient("http://" + p.address)
	defer c.http.CloseIdleConnections()
	var deck []int // who is killed next: each as often
	for n := range kills + 1 {
		sent := p.send(n, kills+1)
		if n == kills {
			<-sent
			break
		}
		want := total * n / (kills + 1)
		eventually(p, "events arrive", func() error {
			if posted := p.posted(c); posted < want {
				return fmt.Errorf("%d rewards are posted, want %d of %d", posted, want, total)
			}
			return nil
		})
		var victims []int
		for range 1 + p.draw.IntN(2) {
			if len(deck) == 0 {
				deck = p.draw.Perm(aConsumer + 1)
			}
			next := deck[0]
			if next == aConsumer {
				next += p.draw.IntN(len(p.consumers))
			}
			if deck = deck[1:]; !slices.Contains(victims, next) {
				victims = append(victims, next)
			}
		}
		for _, which := range victims {
			p.kill(which)
		}
		p.draw.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
		// Nothing can be sent without a broker, and the others stay dead until this share is.
		if i := slices.Index(victims, theBroker); i >= 0 {
			p.revive(theBroker)
			victims = slices.Delete(victims, i, i+1)
		}
		<-sent
		for _, which := range victims {
			p.revive(which)
		}
	}
}

// send publishes a share of what the holders do, side by side and of each in order, and
// closes what it returns when all of it is there.
func (p *pipeline) send(share, of int) <-chan struct{} {
	bad := fmt.Sprintf(`{"specversion":"1.0","id":"bad-%d","type":"transaction.paid"}`, share)
	p.poison[bad] = true
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Put("events", "nobody", nil, []byte(bad))
		each := make(chan struct{})
		for _, h := range p.holders {
			go func() {
				for _, line := range h.lines[len(h.lines)*share/of : len(h.lines)*(share+1)/of] {
					p.Put("events", h.account, nil, []byte(line))
				}
				each <- struct{}{}
			}()
		}
		for range p.holders {
			<-each
		}
	}()
	return done
}

// posted returns how many rewards the ledger has posted, as far as it answers.
func (p *pipeline) posted(c *client) (n int) {
	for _, h := range p.holders {
		if list, err := entriesOf(c, h.account, 1); err == nil && len(list) > 0 {
			n += int(list[0].Number)
		}
	}
	return n
}

// booked is a posting, as the ledger and the journal's topic have it.
type booked struct {
	Number, Amount, Balance int64
	Event                   string
}

// entriesOf returns the latest postings of an account, the latest first.
func entriesOf(c *client, account string, limit int) ([]booked, error) {
	var page struct{ Entries []booked }
	err := c.get(fmt.Sprintf("/v1/accounts/%s/entries?limit=%d", escaped(account), limit), &page)
	return page.Entries, err
}

// settled waits until everything is through, and compares it with what the sender knows.
func (p *pipeline) settled() {
	p.Helper()
	c := p.service.ready(p).client(p)
	var events []string
	for _, h := range p.holders {
		events = append(events, h.first...)
		eventually(p, h.account+" has what it is owed", func() error {
			var is struct{ Balance int64 }
			if err := c.get("/v1/accounts/"+h.account, &is); err != nil || is.Balance != h.balance {
				return fmt.Errorf("the balance of %s is %d, want %d (%v)", h.account, is.Balance, h.balance, err)
			}
			return nil
		})
	}
	p.Logf("%d events of %d accounts, killed: %v", len(events), len(p.holders), p.faults)
	eventually(p, "the dead letters are there", func() error {
		seen := make(map[string]bool)
		for _, r := range p.Read("dead") {
			seen[string(r.Value)] = true
		}
		if !maps.Equal(seen, p.poison) {
			return fmt.Errorf("%d dead letters are there, want %d", len(seen), len(p.poison))
		}
		return nil
	})
	eventually(p, "the journal is published", func() error { return p.told("journal", false) })
	eventually(p, "the notices are published", func() error { return p.told("notices", p.ordered) })
	for _, one := range p.consumers {
		one.stop(p)
	}
	p.service.stop(p)
	once(p.T, p.db, events)
	verified(p, p.db)
}

// told compares a topic with what its listeners have to know, each message counting the first
// time that it is there. An error may pass; what can never be right fails the test.
func (p *pipeline) told(topic string, everything bool) error {
	p.Helper()
	ids := make(map[string]bool)
	notices := make(map[string][]string)
	postings := make(map[string][]booked)
	for _, r := range p.Read(topic) {
		id := r.Header("webhook-id")
		if ids[id] {
			continue
		}
		ids[id] = true
		var n struct {
			Type string
			Data struct {
				Event    struct{ ID string }
				Postings []booked
			}
		}
		noError(p, json.Unmarshal(r.Value, &n))
		if n.Type == "reward.posted" || n.Type == "redemption.denied" {
			notices[r.Key] = append(notices[r.Key], n.Type+" "+n.Data.Event.ID)
		}
		postings[r.Key] = append(postings[r.Key], n.Data.Postings...)
	}
	for _, h := range p.holders {
		balance := int64(0)
		for i, one := range postings[h.account] {
			balance += one.Amount
			if one.Number != int64(i+1) || one.Balance != balance {
				p.Fatalf("%s: posting %d of %s comes as number %d, of %d, with the balance %d, want %d", topic, one.Number, h.account, i+1, one.Amount, one.Balance, balance)
			}
			if p.ordered && (i >= len(h.owed) || one.Amount != h.owed[i]) {
				p.Fatalf("%s: posting %d of %s is %d for %s, want %v", topic, one.Number, h.account, one.Amount, one.Event, h.owed)
			}
		}
		if balance != h.balance {
			return fmt.Errorf("of %s %d postings are published, which make %d, want %d", h.account, len(postings[h.account]), balance, h.balance)
		}
		if everything && !slices.Equal(notices[h.account], h.notices) {
			return fmt.Errorf("of %s are published\n%s\nwant\n%s", h.account, strings.Join(notices[h.account], ", "), strings.Join(h.notices, ", "))
		}
	}
	return nil
}
