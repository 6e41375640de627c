package e2e_test

import (
	"encoding/json"
	"errors"
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
// the consumers are killed, one while another is dead, and the broker is away for longer. In the end every
// account has what it is owed, the ledger has every event once, and who listens was told of
// everything, of each account in order: by the sender's own arithmetic.
func TestStreamsThroughAndThrough(t *testing.T) {
	onEachBroker(t, func(t *testing.T, kind broker.Kind, consumers int, seed uint64) {
		p := newPipeline(t, kind, consumers, seed)
		p.run(often(3, 30))
		p.settled()
	})
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
	holders     []*holder // who send by way of the broker
	visitors    []*holder // who send to the service itself, while there is no broker
	ordered     bool      // what is of one account stays in order, whoever dies
	poison      map[string]bool
	faults      map[string]int
}

func newPipeline(t *testing.T, kind broker.Kind, consumers int, seed uint64) *pipeline {
	t.Helper()
	p := &pipeline{
		T: t, Broker: brokertest.Start(t, kind, "events", "dead", "notices", "journal"),
		draw: rand.New(rand.NewPCG(seed, 9)), db: stores[0].database(t), address: freeAddress(t),
		terms: filepath.Join(t.TempDir(), "program.yaml"), consumers: make([]*service, consumers),
		ordered: kind == broker.Kafka, poison: make(map[string]bool), faults: make(map[string]int),
	}
	if kind == broker.NATS {
		p.Restless() // to sync. The fake of Kafka would hand out everything again, which hides what is lost.
	}
	noError(t, os.WriteFile(p.terms, []byte(onePercent), 0o600))
	for i := range 12 {
		p.holders = append(p.holders, newHolder(fmt.Sprintf("acct-%d", i), often(60, 400), p.ordered, p.draw))
	}
	for i := range 3 {
		p.visitors = append(p.visitors, newHolder(fmt.Sprintf("visitor-%d", i), 30, true, p.draw))
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

// The processes of a pipeline that are killed. Of several consumers only some may be, and that
// is drawn.
const (
	theBroker = iota
	theService
	theConsumers
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
		p.faults["consumers"]++
		spared := p.draw.IntN(2 * len(p.consumers)) // as often as not nobody
		for i, one := range p.consumers {
			if i != spared || len(p.consumers) == 1 {
				one.kill()
				p.consumers[i] = nil
			}
		}
	}
}

// revive starts what is dead.
func (p *pipeline) revive(which int) {
	p.Helper()
	switch which {
	case theBroker:
		p.Up()
	case theService:
		p.service = launch(p, recoup(p), p.db, untimely, "--listen", p.address, "--program", p.terms, "--webhook-allow-private")
	default:
		for i, one := range p.consumers {
			if one == nil {
				p.consumers[i] = consuming(p, p.Broker, "http://"+p.address, "--batch", fmt.Sprint(1+p.draw.IntN(100)))
			}
		}
	}
}

// accidents are what dies: the second while the first is dead, which it stays until the next
// share is sent. So a consumer dies that has taken what it can hand to nobody.
var accidents = [][2]int{
	{theService, theConsumers}, {theConsumers, theBroker}, {theBroker, theService},
	{theConsumers, theService}, {theService, theBroker}, {theBroker, theConsumers},
}

// run sends what the holders do, and has so many accidents, each when another share of it has
// arrived. What is sent next is sent meanwhile.
func (p *pipeline) run(times int) {
	p.revive(theService)
	p.revive(theConsumers)
	total := 0
	for _, h := range p.holders {
		total += len(h.owed)
	}
	c := newClient("http://" + p.address)
	defer c.http.CloseIdleConnections()
	var deck [][2]int
	for n := range times {
		sent := p.send(n, times+1)
		want := total * n / (times + 1)
		eventuallyWithin(p, regrouped, "events arrive", func() error {
			if posted := p.posted(c); posted < want {
				return fmt.Errorf("%d rewards are posted, want %d of %d", posted, want, total)
			}
			return nil
		})
		if len(deck) == 0 {
			deck = slices.Clone(accidents[:min(times, len(accidents))])
			p.draw.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		first, second := deck[0][0], deck[0][1]
		deck = deck[1:]
		p.kill(first)
		if first == theBroker { // without which nothing can be sent
			p.kill(second)
			p.revive(first)
			<-sent
			p.revive(second)
			continue
		}
		<-sent
		p.kill(second)
		order := []int{first, second}
		p.draw.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, which := range order {
			p.revive(which)
		}
	}
	<-p.send(times, times+1)
	p.service.ready(p)
	p.outage(c)
}

// outage is that the broker is away for longer than the service tries to reach it, and has
// things to tell meanwhile.
func (p *pipeline) outage(c *client) {
	p.Helper()
	p.kill(theBroker)
	for _, h := range p.visitors {
		_, err := c.send(lines, h.lines)
		noError(p, err)
	}
	eventually(p, "the service says what it cannot publish", func() error {
		if strings.Count(p.service.said.String(), "notices cannot be published") < 2 {
			return errors.New("it does not")
		}
		return nil
	})
	p.revive(theBroker)
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
	c := p.service.client(p)
	var events []string
	for _, h := range slices.Concat(p.holders, p.visitors) {
		events = append(events, h.first...)
		eventuallyWithin(p, regrouped, h.account+" has what it is owed", func() error {
			var is struct{ Balance int64 }
			if err := c.get("/v1/accounts/"+h.account, &is); err != nil || is.Balance != h.balance {
				return fmt.Errorf("the balance of %s is %d, want %d (%v)", h.account, is.Balance, h.balance, err)
			}
			return nil
		})
	}
	p.Logf("%d events, killed: %v", len(events), p.faults)
	eventuallyWithin(p, regrouped, "the dead letters are there", func() error {
		seen := make(map[string]bool)
		for _, r := range p.Read("dead") {
			seen[string(r.Value)] = true
		}
		if !maps.Equal(seen, p.poison) {
			return fmt.Errorf("%d dead letters are there, want %d", len(seen), len(p.poison))
		}
		return nil
	})
	eventually(p, "the journal is published", func() error { return p.told("journal") })
	eventually(p, "the notices are published", func() error { return p.told("notices") })
	for _, one := range p.consumers {
		one.stop(p)
	}
	p.service.stop(p)
	once(p.T, p.db, events)
	verified(p, p.db)
}

// told compares a topic with what its listeners have to know, each message counting the first
// time that it is there. An error may pass; what can never be right fails the test.
func (p *pipeline) told(topic string) error {
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
	for _, h := range slices.Concat(p.holders, p.visitors) {
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
		got, want := notices[h.account], h.notices
		if !p.ordered { // a refund that came before its purchase is told with it
			got, want = denials(got), denials(want)
		}
		if topic == "notices" && !slices.Equal(got, want) {
			return fmt.Errorf("of %s are published\n%s\nwant\n%s", h.account, strings.Join(got, ", "), strings.Join(want, ", "))
		}
	}
	return nil
}

// denials are those among some notices, sorted.
func denials(notices []string) (list []string) {
	for _, one := range notices {
		if strings.HasPrefix(one, "redemption.denied ") {
			list = append(list, one)
		}
	}
	slices.Sort(list)
	return list
}
