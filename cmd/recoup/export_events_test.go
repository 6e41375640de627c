package main

import (
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
)

// What is exported from a ledger and loaded into an empty one with the same programs
// gives the same ledger, whichever database either is: the same log and journal to the byte,
// with what is available and held after each event.
func TestExportedEventsMakeTheSameLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "everyday.yaml", matured)
	writeFile(t, "yen.yaml", strings.NewReplacer("everyday", "yen", "USD", "JPY").Replace(everyday))
	pg := pgtest.Shared(t)
	shardsOf := func(file string) string {
		if _, _, err := recoup("shards", "init", "--file", file, "--shards", "3", "--url", pg.NewDatabase(t)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct{ from, to string }{
		"pebble to postgres": {"data", pg.NewDatabase(t)},
		"postgres to shards": {pg.NewDatabase(t), shardsOf("to.yaml")},
		"shards to pebble":   {shardsOf("from.yaml"), "copy"},
	} {
		t.Run(name, func(t *testing.T) {
			journalOf(t, c.from)
			log, stderr, err := runExport("events", "--db", c.from)
			if err != nil || !strings.Contains(stderr, " events of ") || strings.Count(log, "\n") < 1900 {
				t.Fatalf("%d lines, %q: %v", strings.Count(log, "\n"), stderr, err)
			}
			writeFile(t, "log.jsonl", log)
			succeed(t, "load", "--replay", "--db", c.to, "--program", "everyday.yaml", "--program", "yen.yaml", "log.jsonl")
			again, _, err := runExport("events", "--db", c.to)
			if err != nil || again != log {
				t.Errorf("the log of the copy has %d bytes for %d: %v", len(again), len(log), err)
			}
			journal := func(url string) string {
				until := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
				text, _, err := runExport("journal", "--db", url, "--format", "csv", "--until", until)
				if err != nil {
					t.Fatal(err)
				}
				return strings.ReplaceAll(text, journalSender, "") // which no line of events has
			}
			if was, is := journal(c.from), journal(c.to); was != is {
				t.Errorf("the journal of the copy has %d bytes for %d", len(is), len(was))
			}
		})
	}
}

// What is exported is read by replay too, and beside a service.
func TestEventsAreExportedBesideAService(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1", "acct-2")
	hold(t, "data")
	stdout, _, err := runExport("events", "--db", "data", "--account", "acct-2")
	if err != nil || strings.Count(stdout, "\n") != 1 || !strings.Contains(stdout, `"subject":"acct-2"`) {
		t.Fatalf("of one account it exports %q: %v", stdout, err)
	}
	if _, _, err := runExport("events", "--db", "data", "--out", "log.jsonl"); err != nil {
		t.Fatal(err)
	}
	if after := succeed(t, "replay", "--program", "program.yaml", "--output", "json", "log.jsonl"); !strings.Contains(after, `"acct-1"`) || !strings.Contains(after, `"acct-2"`) {
		t.Errorf("replay of the export prints\n%s", after)
	}
	if got := refuse(t, "export", "events", "--db", "data", "--account", "nobody"); !strings.Contains(got, `--account "nobody": there is none`) {
		t.Errorf("of an account that is not there it says %q", got)
	}
}
