package webhook_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// What an endpoint is told of a purchase, a redemption and a return: these are
// the examples of docs/webhooks.md.
func TestWhatIsTold(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		r := answering(t, 200)
		p := dispatch(t, d.outbox(), onThisMachine)
		apply := issuer(t, d)
		// Nobody is told what was before there was anybody to tell.
		apply(`{"specversion":"1.0","id":"e0","source":"core","type":"adjustment.posted","time":"2026-01-01T00:00:00Z","subject":"acct-1",
			"data":{"adjustment":"a0","amount":100,"currency":"USD","reason":"welcome","actor":"ann"}}`)
		add(t, d.outbox(), r.URL)

		const posted = `{"type":"reward.posted","timestamp":"2026-01-05T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"core","id":"e1","type":"transaction.settled"},"outcome":"applied","code":null,"currency":"USD",` +
			`"postings":[{"number":2,"at":"2026-01-05T10:00:00Z","cycle":"2026-01","kind":"grant","source":"core","event":"e1","transaction":"t1",` +
			`"program":"everyday","version":1,"rule":"grocery","amount":500,"balance":600,` +
			`"formula":{"method":"proportional","purchase":10000,"base":10000,"original":500,"after":500,"rate":"5%","cap":5000,"used":500}}],` +
			`"postings_omitted":0,"balance":600,"available":600}}`
		const denied = `{"type":"redemption.denied","timestamp":"2026-01-06T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"app","id":"e2","type":"redemption.requested"},"outcome":"rejected","code":"insufficient_balance","currency":"USD",` +
			`"redemption":"r1","amount":700,"balance":600,"available":600}}`
		const paid = `{"type":"reward.posted","timestamp":"2026-01-06T11:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"app","id":"e3","type":"redemption.requested"},"outcome":"applied","code":null,"currency":"USD",` +
			`"postings":[{"number":3,"at":"2026-01-06T11:00:00Z","cycle":"2026-01","kind":"redemption","source":"app","event":"e3","fact":"r2",` +
			`"program":"everyday","version":1,"amount":-600,"balance":0}],` +
			`"postings_omitted":0,"balance":0,"available":0}}`
		const clawedBack = `{"type":"reward.posted","timestamp":"2026-01-07T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"core","id":"e4","type":"refund.posted"},"outcome":"applied","code":"over_refund","currency":"USD",` +
			`"postings":[{"number":4,"at":"2026-01-07T10:00:00Z","cycle":"2026-01","kind":"clawback","source":"core","event":"e4","transaction":"t1",` +
			`"program":"everyday","version":1,"rule":"grocery","amount":-500,"balance":-500,` +
			`"formula":{"method":"proportional","purchase":10000,"reversed":10000,"base":10000,"original":500,"before":500,"rate":"5%","cap":5000}}],` +
			`"postings_omitted":0,"balance":-500,"available":-500}}`
		const overRefunded = `{"type":"review.opened","timestamp":"2026-01-07T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"core","id":"e4","type":"refund.posted"},"outcome":"applied","code":"over_refund","currency":"USD",` +
			`"review":"over_refunded","fact":null,"transaction":"t1","amount":500,"since":"2026-01-05T10:00:00Z"}}`
		const negative = `{"type":"balance.negative","timestamp":"2026-01-07T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"core","id":"e4","type":"refund.posted"},"outcome":"applied","code":"over_refund","currency":"USD",` +
			`"balance_before":0,"balance":-500,"available":-500}}`
		const waits = `{"type":"review.opened","timestamp":"2026-01-08T10:00:00Z","data":{"account":"acct-1",` +
			`"event":{"source":"core","id":"e5","type":"chargeback.posted"},"outcome":"parked","code":"transaction_unknown","currency":"USD",` +
			`"review":"waits_for_transaction","fact":"c1","transaction":"t2","amount":null,"since":"2026-01-08T10:00:00Z"}}`
		for _, c := range []struct {
			event string
			told  []string
		}{
			{`{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",
				"data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}`, []string{posted}},
			// The same event again, and the same fact under another id.
			{`{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",
				"data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}`, nil},
			{`{"specversion":"1.0","id":"e1b","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",
				"data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}`, nil},
			{`{"specversion":"1.0","id":"e2","source":"app","type":"redemption.requested","time":"2026-01-06T10:00:00Z","subject":"acct-1",
				"data":{"redemption":"r1","amount":700,"currency":"USD"}}`, []string{denied}},
			// Bad input leaves no trace.
			{`{"specversion":"1.0","id":"e2b","source":"app","type":"redemption.requested","time":"2026-01-06T10:00:00Z","subject":"acct-1",
				"data":{"redemption":"r1","amount":0,"currency":"USD"}}`, nil},
			{`{"specversion":"1.0","id":"e3","source":"app","type":"redemption.requested","time":"2026-01-06T11:00:00Z","subject":"acct-1",
				"data":{"redemption":"r2","amount":600,"currency":"USD"}}`, []string{paid}},
			{`{"specversion":"1.0","id":"e4","source":"core","type":"refund.posted","time":"2026-01-07T10:00:00Z","subject":"acct-1",
				"data":{"refund":"f1","transaction":"t1","amount":10500,"currency":"USD"}}`, []string{clawedBack, overRefunded, negative}},
			{`{"specversion":"1.0","id":"e5","source":"core","type":"chargeback.posted","time":"2026-01-08T10:00:00Z","subject":"acct-1",
				"data":{"chargeback":"c1","transaction":"t2"}}`, []string{waits}},
			// A balance that is negative already does not become it.
			{`{"specversion":"1.0","id":"e6","source":"core","type":"transaction.authorized","time":"2026-01-09T10:00:00Z","subject":"acct-1",
				"data":{"transaction":"t3","amount":10000,"currency":"USD"}}`, nil},
		} {
			apply(c.event)
			p.Wake()
			got := map[string]bool{}
			for range c.told {
				if a := p.next(t); a.Fate != webhook.Delivered {
					t.Fatalf("the attempt is %+v", a)
				}
				got[r.next(t).body] = true
			}
			for _, want := range c.told {
				if !got[want] {
					t.Errorf("after\n%s\nmissing is\n%s\nin\n%s", c.event, want, strings.Join(slices.Collect(maps.Keys(got)), "\n"))
				}
			}
			if left := d.left(t); len(left) != 0 {
				t.Errorf("after\n%s\nthere is more to tell: %+v", c.event, left)
			}
		}
	})
}

// issuer is the engine over the database: it applies an event given as a line.
func issuer(t *testing.T, d *database) (apply func(line string)) {
	t.Helper()
	return issuerWatching(t, d, durable.Velocity{})
}

// issuerWatching is issuer with quick returns told.
func issuerWatching(t *testing.T, d *database, v durable.Velocity) (apply func(line string)) {
	t.Helper()
	parse := func([]byte) (*reward.Program, error) { p := *program.Everyday(); return &p, nil }
	programs, err := durable.OpenPrograms(t.Context(), d.Driver, parse, d.now)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(t.Context(), program.Everyday().ID, []byte("everyday"), 0, "test"); err != nil {
		t.Fatal(err)
	}
	en := engine.New(durable.New(d.Driver, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(d.now()) }, Fresh: -1, Velocity: v}))
	decoder := event.NewDecoder()
	return func(line string) {
		t.Helper()
		events := make([]reward.Event, 1)
		if err := decoder.Decode([]byte(strings.ReplaceAll(line, "\n", " ")), &events[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := en.Apply(t.Context(), events, nil); err != nil {
			t.Fatal(err)
		}
	}
}
