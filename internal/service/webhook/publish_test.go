package webhook_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/broker"
	"recoup/internal/kit/brokertest"
	"recoup/internal/kit/signing"
	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// tell writes notices for the endpoints that there are.
func (d *database) tell(t *testing.T, notices ...outbox.Notice) {
	t.Helper()
	d.change(t, func(tx record.Tx) error {
		endpoints, err := outbox.Listed(t.Context(), tx)
		if err != nil {
			return err
		}
		var list []record.Record
		for _, n := range notices {
			if list, err = outbox.Write(list, endpoints, n); err != nil {
				return err
			}
		}
		for _, r := range list {
			tx.Put(r.Table, r.Key, r.Value)
		}
		return nil
	})
}

// of is a notice of an account that is about its event with a sequence.
func of(account string, sequence int64, more ...string) outbox.Notice {
	return outbox.Notice{
		Account: account, Sequence: sequence, Event: 1000 - sequence, Type: outbox.RewardPosted, Created: 1_000_000 - sequence,
		Body: fmt.Appendf(nil, `{"account":%q,"sequence":%d,"more":%q}`, account, sequence, strings.Join(more, "")),
	}
}

func published(list []broker.Record, account string) (found []string) {
	for _, r := range list {
		if r.Key == account {
			found = append(found, string(r.Value))
		}
	}
	return found
}

// Several processes give out numbers of events and look at clocks of their own: what counts
// is the order of the account.
func TestTopicsAreInOrderOfAccounts(t *testing.T) {
	b := brokertest.Start(t, broker.NATS, "notices")
	databases(t, func(t *testing.T, d *database) {
		_, secret := add(t, d.outbox(), b.Address("notices"))
		accounts := []string{"a " + t.Name(), "b é " + t.Name(), "c\nd% " + t.Name()}
		want := make(map[string][]string)
		var notices []outbox.Notice
		for sequence := range int64(40) {
			for _, account := range accounts {
				n := of(account, sequence+1)
				want[account] = append(want[account], string(n.Body))
				if sequence%7 == 3 { // of time alone, after the event
					n.Moment, n.Event, n.Body = sequence, 5_000+sequence, []byte(fmt.Sprintf(`{"moment":%d,"of":%q}`, sequence, account))
					want[account] = append(want[account], string(n.Body))
					notices = append(notices, n)
					n = of(account, sequence+1)
				}
				notices = append(notices, n)
			}
		}
		rand.Shuffle(len(notices), func(i, j int) { notices[i], notices[j] = notices[j], notices[i] })
		d.tell(t, notices...)
		p := dispatch(t, d.outbox(), onThisMachine)
		for range notices {
			if a := p.next(t); a.Fate != webhook.Delivered {
				t.Fatalf("the attempt is %+v", a)
			}
		}
		list := b.Read("notices")
		for _, account := range accounts {
			if got := published(list, account); !slices.Equal(got, want[account]) {
				t.Errorf("of %q the topic has %v, want %v", account, got, want[account])
			}
		}
		header := make(http.Header)
		last := list[len(list)-1]
		for _, h := range last.Headers {
			header.Add(h.Name, h.Value)
		}
		if err := signing.Verify(header, last.Value, secret, d.now(), 0); err != nil {
			t.Error(err)
		}
		if left := d.left(t); len(left) != 0 {
			t.Errorf("what is left is %+v", left)
		}
	})
}

// What the broker never takes becomes a dead letter, and what comes after it goes on. A
// replay has it tried again.
func TestWhatABrokerRefusesIsDead(t *testing.T) {
	b := brokertest.Start(t, broker.NATS, brokertest.Tiny)
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), b.Address(brokertest.Tiny))
		d.tell(t, of("a1", 1), of("a1", 2, strings.Repeat("x", brokertest.MaxTiny)), of("a1", 3))
		p := dispatch(t, d.outbox(), onThisMachine)
		var fates []webhook.Fate
		for range 3 {
			fates = append(fates, p.next(t).Fate)
		}
		if want := []webhook.Fate{webhook.Delivered, webhook.Dead, webhook.Delivered}; !slices.Equal(fates, want) {
			t.Fatalf("what becomes of them is %v, want %v", fates, want)
		}
		dead, err := d.outbox().Dead(t.Context(), "", 0, 10)
		if err != nil || len(dead) != 1 || !strings.Contains(dead[0].Error, "refuses") {
			t.Fatalf("dead are %+v, %v", dead, err)
		}
		if err := d.outbox().Replay(t.Context(), dead[0].Number); err != nil {
			t.Fatal(err)
		}
		p.Wake()
		if a := p.next(t); a.Fate != webhook.Dead {
			t.Errorf("after a replay it is %+v", a)
		}
	})
}

// Where a broker cannot be reached everything waits, in its order, for however long.
func TestTopicsWaitForTheirBroker(t *testing.T) {
	b := brokertest.Start(t, broker.NATS, "notices")
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), b.Address("notices"))
		b.Kill()
		d.tell(t, of("a1", 1), of("a1", 2))
		o := onThisMachine
		o.Schedule = []time.Duration{}
		p := dispatch(t, d.outbox(), o)
		for range 3 {
			for range 2 {
				if a := p.next(t); a.Fate != webhook.Waiting || a.Err == nil {
					t.Fatalf("the attempt is %+v", a)
				}
			}
			d.advance(time.Minute)
			p.Wake()
		}
		b.Up()
		for delivered := 0; delivered < 2; {
			if a := p.next(t); a.Fate == webhook.Delivered {
				delivered++
			} else {
				d.advance(time.Minute)
				p.Wake()
			}
		}
		if got := published(b.Read("notices"), "a1"); len(got) != 2 || got[0] != string(of("a1", 1).Body) {
			t.Errorf("the topic has %v", got)
		}
	})
}

// Brokers that no file lists are for who may deliver to private addresses.
func TestBrokersMustBeKnown(t *testing.T) {
	b := brokertest.Start(t, broker.NATS, "notices")
	inPebble(t, func(t *testing.T, d *database) {
		add(t, d.outbox(), b.Address("notices"))
		d.tell(t, of("a1", 1))
		if a := dispatch(t, d.outbox(), webhook.Options{}).next(t); a.Fate != webhook.Waiting || !strings.Contains(fmt.Sprint(a.Err), "--brokers") {
			t.Errorf("the attempt is %+v", a)
		}
		if got := b.Read("notices"); len(got) != 0 {
			t.Errorf("the topic has %v", got)
		}
	})
}

// What is no topic, or of another kind than before, is refused.
func TestAddressesOfTopics(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		for _, address := range []string{"nats://n:4222/a.>", "kafka://b:9092/", "kafka://b/t", "nats://u:p@n:4222/a"} {
			if _, _, err := d.outbox().Add(t.Context(), address, nil, true); err == nil {
				t.Errorf("%s is added", address)
			}
		}
		topic, _ := add(t, d.outbox(), "kafka://b:9092/t")
		server, _ := add(t, d.outbox(), "https://example.com/")
		other, another := "https://example.com/recoup", "nats://n:4222/t"
		for id, address := range map[string]*string{topic.ID: &other, server.ID: &another} {
			if err := d.outbox().Alter(t.Context(), id, webhook.Alteration{URL: address}, true); err == nil {
				t.Errorf("%s becomes %s", id, *address)
			}
		}
		if err := d.outbox().Alter(t.Context(), topic.ID, webhook.Alteration{URL: &another}, true); err != nil {
			t.Error(err)
		}
	})
}
