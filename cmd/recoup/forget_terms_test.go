package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
)

// layered are terms that go by labels and attributes, of purchases and of items.
const layered = `
id: everyday
currency: USD
clawback_method: rerate
layers:
  - {id: base, rules: [{id: all, rate: 1%}]}
  - {id: campus, rules: [{id: north, match: {label: {campus: [north]}}, rate: 4%}]}
  - {id: plan, rules: [{id: gold, match: {account: {plan: [gold]}}, rate: 2%}]}
bonuses: [{id: welcome, match: {within: {days: 90, of: opened}}, per: lifetime, spend: [{from: 10000, reward: 300}]}]
expires: {months: 24}
`

// layeredHistory is of an account that has said more of itself than its purchases.
const layeredHistory = `{"specversion":"1.0","id":"e1","source":"core","type":"account.opened","time":"2026-01-01T10:00:00Z","subject":"alice-7731","data":{}}
{"specversion":"1.0","id":"e2","source":"core","type":"attribute.set","time":"2026-01-02T10:00:00Z","subject":"alice-7731","data":{"attribute":"x1","name":"plan","value":"gold"}}
{"specversion":"1.0","id":"e3","source":"core","type":"attribute.set","time":"2026-01-03T10:00:00Z","subject":"alice-7731","data":{"attribute":"x2","name":"nickname","value":"White-Rabbit"}}
{"specversion":"1.0","id":"e4","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"alice-7731","data":{"transaction":"t1","amount":10000,"currency":"USD","merchant":"Corner-Bakery","labels":{"campus":"north","street":"Wonderland-Lane"},"items":[{"item":"i1","amount":6000,"category":"GROCERY","labels":{"for":"Cheshire-Cat"}},{"item":"i2","amount":4000}]}}
{"specversion":"1.0","id":"e5","source":"core","type":"transaction.settled","time":"2026-01-06T10:00:00Z","subject":"alice-7731","data":{"transaction":"t2","amount":5000,"currency":"USD","merchant":"Night-Pharmacy"}}
{"specversion":"1.0","id":"e6","source":"core","type":"transaction.itemized","time":"2026-01-07T10:00:00Z","subject":"alice-7731","data":{"transaction":"t2","items":[{"item":"i1","amount":2000,"labels":{"campus":"north"}},{"item":"i2","amount":3000,"labels":{"for":"Mad-Hatter"}}]}}
{"specversion":"1.0","id":"e7","source":"core","type":"refund.posted","time":"2026-01-08T10:00:00Z","subject":"alice-7731","data":{"refund":"r1","transaction":"t1","amount":1000,"currency":"USD","items":[{"item":"i2","amount":1000}]}}
{"specversion":"1.0","id":"e8","source":"core","type":"redemption.requested","time":"2026-01-09T10:00:00Z","subject":"alice-7731","data":{"redemption":"d1","amount":920,"currency":"USD","method":"IBAN-DE89"}}
{"specversion":"1.0","id":"e9","source":"core","type":"account.closed","time":"2026-01-12T10:00:00Z","subject":"alice-7731","data":{}}
`

// TestALayeredAccountIsForgotten: labels of purchases and items and values of attributes go, but for those that
// the terms name, and what is left of the log leads to the same postings, layer by layer and item by item.
func TestALayeredAccountIsForgotten(t *testing.T) {
	said := []string{"alice-7731", "White-Rabbit", "Corner-Bakery", "Wonderland-Lane", "Cheshire-Cat", "Night-Pharmacy", "Mad-Hatter", "IBAN-DE89"}
	for name, newDatabase := range map[string]func() string{
		"pebble":   func() string { return "data" },
		"postgres": func() string { return pgtest.NewSchema(t) },
	} {
		t.Run(name, func(t *testing.T) {
			workspace(t)
			db := newDatabase()
			writeFile(t, "program.yaml", layered)
			writeFile(t, "events.jsonl", layeredHistory)
			recoupDone(t, "load", "--db", db, "--program", "program.yaml", "events.jsonl")
			before := recoupDone(t, "export", "journal", "--db", db, "--format", "csv")
			for _, of := range []string{"north", "gold", "welcome", "i2"} {
				if !strings.Contains(before, of) {
					t.Fatalf("nothing in the journal is of %s:\n%s", of, before)
				}
			}
			if found := traces(t, db, said); !slices.Equal(found, said) {
				t.Errorf("before, the database has only %q of what was said", found)
			}
			pseudonym := regexp.MustCompile(`forgotten-\S{22}`).FindString(recoupDone(t, "forget", "--db", db, "--reason", "request 18", "alice-7731"))
			if pseudonym == "" {
				t.Fatal("it says no pseudonym")
			}
			if found := traces(t, db, said); len(found) > 0 {
				t.Errorf("the database still has %q", found)
			}
			redacted := recoupDone(t, "export", "journal", "--db", db, "--format", "csv")
			if without(redacted, pseudonym) != without(before, "alice-7731") {
				t.Errorf("the journal was\n%s\nand is\n%s", before, redacted)
			}
			recoupDone(t, "verify", "--db", db)
			writeFile(t, "redacted.jsonl", recoupDone(t, "export", "events", "--db", db))
			recoupDone(t, "load", "--db", "again", "--replay", "--program", "program.yaml", "redacted.jsonl")
			if again := recoupDone(t, "export", "journal", "--db", "again", "--format", "csv"); again != redacted {
				t.Errorf("what is left of the log leads to\n%s, want\n%s", again, redacted)
			}
			recoupDone(t, "account", "rebuild", "--db", db, pseudonym)
			recoupDone(t, "verify", "--db", db)
		})
	}
}
