package verify_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// check runs a check that can be done.
func check(t testing.TB, db verify.Database, o verify.Options) *verify.Report {
	t.Helper()
	report, err := verify.Run(context.Background(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAnUntouchedDatabaseHasNoDifferences(t *testing.T) {
	p, events := spending(150, 6_000)
	db := newMemory(t, p, events)
	report := check(t, db, verify.Options{Programs: programs{p}})
	for _, d := range report.Differences {
		t.Error(d)
	}
	if int(report.Accounts) != len(db.rows) || int(report.Events) != len(db.byNumber) || report.Postings == 0 {
		t.Errorf("%d accounts with %d events and %d postings were checked; there are %d with %d", report.Accounts, report.Events, report.Postings, len(db.rows), len(db.byNumber))
	}
}

func TestALongAccountIsReadInPages(t *testing.T) {
	p, events := purchases("b", 2_500)
	for _, id := range []string{"a", "c"} {
		_, more := purchases(id, 5)
		events = append(events, more...)
	}
	db := newMemory(t, p, events)
	expectOnly(t, check(t, db, verify.Options{Programs: programs{p}}))
	db.parts["b"][2_400].Working = !db.parts["b"][2_400].Working
	expectOnly(t, check(t, db, verify.Options{Programs: programs{p}}), `account "b": transaction "t2401", whether it is worked on: expected `)
}

// What no database lets happen by itself, and no replay can tell.
func TestTheLogIsRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func([]durable.EventRow)
		want   string
	}{
		{"an identity used twice", func(log []durable.EventRow) {
			log[4].Source, log[4].ID, log[4].Event = log[3].Source, log[3].ID, log[3].Event
		},
			`account "a", event 5: identity: expected an event of its own, found another event of source "core" and id "t0004"`},
		{"bad input that was logged", func(log []durable.EventRow) {
			log[4].Event = bytes.Replace(log[4].Event, []byte("USD"), []byte("EUR"), 1)
		},
			`account "a", event 5: event: expected no trace of one that is rejected: currency_mismatch, found one in the log`},
		{"another program", func(log []durable.EventRow) {
			log[0].Event = bytes.Replace(log[0].Event, []byte(`transaction.settled`), []byte(`account.opened`), 1)
			log[0].Event = append(log[0].Event[:bytes.Index(log[0].Event, []byte(`"data"`))], `"data":{"program":"unheard of"}}`...)
		}, `account "a", event 1: program: expected one that is in the database, found "unheard of"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, events := purchases("a", 10)
			db := newMemory(t, p, events)
			c.change(db.log["a"])
			expectFound(t, check(t, db, verify.Options{Programs: programs{p}, PerAccount: 100}), c.want)
		})
	}
}

func TestDifferencesAreCountedBeyondThoseListed(t *testing.T) {
	p, events := purchases("a", 30)
	for _, id := range []string{"b", "c"} {
		_, more := purchases(id, 30)
		events = append(events, more...)
	}
	db := newMemory(t, p, events)
	for _, log := range db.log {
		for i := range log {
			log[i].Code = reward.Matched
		}
	}
	report := check(t, db, verify.Options{Programs: programs{p}, PerAccount: 7, Most: 15})
	of := make(map[string]int)
	for _, d := range report.Differences {
		of[d.Account]++
	}
	if report.Count != 90 || len(report.Differences) != 15 || max(of["a"], of["b"], of["c"]) != 7 {
		t.Errorf("of 90 differences %d are counted and %d listed: %v", report.Count, len(report.Differences), of)
	}
}

func TestReports(t *testing.T) {
	r := verify.Report{
		Accounts: 2, Events: 30, Postings: 28, Sealed: 20, Count: 3, Took: 1_500_000_000,
		Differences: []verify.Difference{{Account: "a", Event: 5, What: "outcome", Expected: "applied", Found: "ignored"}, {What: "log", Expected: "x", Found: "y"}},
		Checkpoint:  &verify.Checkpoint{Origin: "me", Accounts: 1, Events: 9, At: reward.At(time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC))},
	}
	var table, json bytes.Buffer
	if err := errors.Join(r.WriteTable(&table), r.WriteJSON(&json)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"│ a       │     5 │ outcome │ applied  │ ignored │", "and 1 more.\n", "2 accounts, 30 events, 28 postings checked in 1.5s; 20 events are sealed.\n",
		"The checkpoint of 2026-11-21T03:00:00Z by me covers 9 events of 1 accounts.\n", "Differences: 3.\n",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
	want := `{"accounts":2,"events":30,"postings":28,"sealed_events":20,"checkpoint":{"origin":"me","time":"2026-11-21T03:00:00Z","accounts":1,"events":9},` +
		`"difference_count":3,"differences":[{"account":"a","event":5,"what":"outcome","expected":"applied","found":"ignored"},` +
		`{"account":"","event":0,"what":"log","expected":"x","found":"y"}],"milliseconds":1500}`
	if got := strings.NewReplacer("\n", "", "  ", "", ": ", ":").Replace(json.String()); got != want {
		t.Errorf("the JSON is\n%s, want\n%s", got, want)
	}

	table.Reset()
	if err := (&verify.Report{Accounts: 1}).WriteTable(&table); err != nil || !strings.HasSuffix(table.String(), "No differences.\n") {
		t.Errorf("without differences it says %q: %v", table.String(), err)
	}
}
