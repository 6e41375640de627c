package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// logged is an event in a database's log.
type logged struct {
	account, source, id string
	line                string
	outcome             reward.Result
}

// logOf reads the log of a database, an account's events in order.
func logOf(t testing.TB, db string) (list []logged) {
	t.Helper()
	snapshot(t, db, func(ctx context.Context, r durable.Reader) error {
		list = list[:0]
		return r.EventsOf(ctx, "", "", func(row *durable.EventRow) error {
			list = append(list, logged{row.Account, row.Source, row.ID, string(row.Event), reward.Result{Outcome: row.Outcome, Code: row.Code}})
			return nil
		})
	})
	return list
}

// keysOf are the keys of a table of records, in order.
func keysOf(t testing.TB, db, table string) (keys []string) {
	t.Helper()
	snapshot(t, db, func(ctx context.Context, r durable.Reader) error {
		keys = keys[:0]
		return r.Scan(ctx, table, record.Span{}, func(key string, _ []byte) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	return keys
}

// snapshot reads a database that no service has.
func snapshot(t testing.TB, db string, f func(context.Context, durable.Reader) error) {
	t.Helper()
	ctx := context.Background()
	var driver interface {
		View(context.Context, func(durable.Reader) error) error
		Close() error
	}
	var err error
	switch {
	case strings.HasPrefix(db, "postgres"):
		driver, err = postgres.Open(ctx, db, postgres.Options{})
	case shards.Is(db):
		f, bad := shards.ReadFile(db)
		noError(t, bad)
		driver, err = shards.Open(ctx, db, f, shards.Options{})
	default:
		driver, err = pebble.Open(ctx, db, pebble.Options{})
	}
	noError(t, err)
	defer driver.Close()
	noError(t, driver.View(ctx, func(r durable.Reader) error { return f(ctx, r) }))
}

// entry is a posting, as the API and as `recoup replay --journal` show it.
type entry struct {
	Number      int64  `json:"number"`
	Time        string `json:"time"`
	Kind        string `json:"kind"`
	Amount      int64  `json:"amount"`
	Balance     int64  `json:"balance"`
	Transaction string `json:"transaction"`
	Fact        string `json:"fact"`
	Rule        string `json:"rule"`
	Program     string `json:"program"`
	Source      string `json:"source"`
	Event       string `json:"event"`
	Explanation string `json:"explanation"`
}

// entries reads an account's journal, the first posting first.
func (c *client) entries(account string, pageSize int) ([]entry, error) {
	var all []entry
	for cursor := ""; ; {
		var page struct {
			Entries []entry
			Next    *string
		}
		query := url.Values{"limit": {fmt.Sprint(pageSize)}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := c.get("/v1/accounts/"+escaped(account)+"/entries?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Entries...)
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return all, nil
}

// order has the service decide something, under a key.
func (c *client) order(path, key, body string) (status int, answer []byte, err error) {
	media := "application/json"
	if body == "" {
		media = ""
	}
	return c.ask(http.MethodPost, path, media, http.Header{"Idempotency-Key": {key}}, []byte(body))
}

// TestTheLogReplaysToTheSameJournal serves everything that becomes an event
// (traffic, what people decide, cycles that the service's clock closes) and then
// replays the log by itself.
func TestTheLogReplaysToTheSameJournal(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, "--program", programFile(t))
		services := []*service{s}
		if strings.HasPrefix(db, "postgres:") {
			services = append(services, serve(t, db, "--program", programFile(t))) // with a clock of its own
		}
		c := s.client(t)
		seed := rand.Uint64()
		draw := rand.New(rand.NewPCG(seed, 0))
		t.Logf("seed %d", seed)
		tr := spending(t, "house", modes()[7], 8, 800, seed)
		shipments, _ := ship(tr.events, draw.IntN)
		for _, shipment := range shipments {
			_, err := c.send(shipment.how, shipment.events)
			noError(t, err)
		}
		want, err := replayOf(house, tr.events)
		noError(t, err)
		accounts := sortedKeys(want.states)
		for i, account := range accounts {
			if i%2 == 0 {
				decide(t, c, "/v1/accounts/"+escaped(account), i)
			}
		}
		// The service closes the cycles of the others by its clock.
		boundary := reward.CycleAt(reward.At(time.Now().Add(-2 * time.Hour))).Start().Time()
		eventually(t, "cycles are closed by the clock", func() error {
			for i := 1; i < len(accounts); i += 2 {
				var a struct{ Latest time.Time }
				if err := c.get("/v1/accounts/"+escaped(accounts[i]), &a); err != nil || !a.Latest.Before(boundary) {
					return err
				}
			}
			return errors.New("no account has reached the turn of the month")
		})
		journals := make(map[string][]entry)
		states := make(map[string]state)
		for _, account := range accounts {
			journals[account], err = c.entries(account, 1+draw.IntN(100))
			noError(t, err)
			states[account], err = c.state(account, 1+draw.IntN(100))
			noError(t, err)
		}
		for _, one := range services {
			one.stop(t)
		}

		var text strings.Builder
		log := logOf(t, db)
		sources := make(map[string]int)
		for _, l := range log {
			text.WriteString(l.line + "\n")
			sources[l.source]++
		}
		if closed := sources[engine.ClockSource]; closed > len(accounts) {
			t.Errorf("%d cycles were closed on %d accounts", closed, len(accounts))
		}
		if len(sources) < 3 || sources[engine.ClockSource] == 0 || sources["api"] == 0 {
			t.Errorf("the log has events of the sources %v, want those of the clock and of the API too", sources)
		}
		dir := t.TempDir()
		events, journal, outcomes := filepath.Join(dir, "events"), filepath.Join(dir, "journal"), filepath.Join(dir, "outcomes")
		noError(t, os.WriteFile(events, []byte(text.String()), 0o644))
		got := command(t, "replay", "--program", programFile(t), "--output", "json", "--journal", journal, "--outcomes", outcomes, events)
		if got.code != 0 {
			t.Fatalf("recoup replay of the log exits %d: %s", got.code, got.stderr)
		}
		compareOutcomes(t, outcomes, log)
		compareJournals(t, journal, journals)
		// Accounts are read as of now, which may be after the last event.
		got = command(t, "replay", "--program", programFile(t), "--output", "json", "--until", end.String(), events)
		if got.code != 0 {
			t.Fatalf("recoup replay of the log up to now exits %d: %s", got.code, got.stderr)
		}
		replayedStates, err := statesIn([]byte(got.stdout))
		noError(t, err)
		for account, want := range replayedStates {
			if d := difference(states[account], want.shown()); d != "" {
				t.Errorf("account %s, after replay of its log, %s", account, d)
			}
		}
		if len(replayedStates) != len(states) {
			t.Errorf("%d accounts, %d after replay of the log", len(states), len(replayedStates))
		}
		verified(t, db)
	})
}

// decide has the service adjust a balance, redeem, deny a redemption (which is
// logged too) and put one back.
func decide(t *testing.T, c *client, path string, i int) {
	t.Helper()
	for j, order := range []struct{ path, body string }{
		{"/adjustments", `{"amount":500000,"currency":"USD","reason":"goodwill","actor":"somebody"}`},
		{"/redemptions", `{"redemption":"r","amount":4000,"currency":"USD"}`},
		{"/redemptions", `{"redemption":"s","amount":1000000000,"currency":"USD"}`},
		{"/redemptions/r/reversal", ``},
	} {
		for _, again := range []bool{false, true} {
			status, answer, err := c.order(path+order.path, fmt.Sprintf("account-%d-order-%d", i, j), order.body)
			if want := []int{201, 201, 409, 201}[j]; status != want {
				t.Errorf("%s (again: %t): %d %s %v, want %d", order.path, again, status, answer, err, want)
			}
		}
	}
}

func compareOutcomes(t *testing.T, file string, log []logged) {
	t.Helper()
	text, err := os.ReadFile(file)
	noError(t, err)
	i := 0
	for line := range strings.Lines(string(text)) {
		got, want := outcomeIn(t, line).String(), strings.TrimSpace(log[i].outcome.Outcome.String()+" "+log[i].outcome.Code.String())
		if got != want {
			t.Errorf("event %s: replayed it is %s, the log says %s", log[i].line, got, want)
		}
		i++
	}
}

func compareJournals(t *testing.T, file string, served map[string][]entry) {
	t.Helper()
	text, err := os.ReadFile(file)
	noError(t, err)
	next := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		var want struct {
			Account string
			entry
		}
		noError(t, json.Unmarshal([]byte(line), &want))
		i := next[want.Account]
		next[want.Account]++
		if i >= len(served[want.Account]) {
			t.Errorf("account %s: replayed, there is an entry %+v", want.Account, want.entry)
		} else if got := served[want.Account][i]; got != want.entry {
			t.Errorf("account %s: entry\n%+v, replayed it is\n%+v", want.Account, got, want.entry)
		}
	}
	for account, entries := range served {
		if len(entries) != next[account] || len(entries) == 0 {
			t.Errorf("account %s has %d entries, replayed %d", account, len(entries), next[account])
		}
	}
}
