package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/access"
	"recoup/engine"
	"recoup/internal/pgtest"
	"recoup/program"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/traffic"
)

// lived makes a database with a history, and with a key, an endpoint and a proposal.
func lived(t *testing.T, url string) {
	t.Helper()
	ctx := context.Background()
	db, err := openOrCreate(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	programs, err := durable.OpenPrograms(ctx, db, parseStored, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(ctx, program.Everyday().ID, program.EverydayDocument(), 0, "test"); err != nil {
		t.Fatal(err)
	}
	past := func() reward.Instant { return reward.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) }
	en := engine.New(durable.Over(db, durable.Options{Programs: programs, Now: past}))
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 9, Events: 2500, Seed: 3, Program: program.Everyday(), Days: 60, ReturnShare: 200, OverRefunds: 100, Duplicates: 50, Disorder: 100,
	}))
	for chunk := range slices.Chunk(events, 300) {
		if _, err := en.Apply(ctx, chunk, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := access.New(db, time.Now).Create(ctx, "bank", access.Ingest); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO endpoints (id, url, types, secrets, created_at) VALUES ('w1', 'https://one.example', '', 's', 1)`,
		`INSERT INTO proposals (account, adjustment, amount, currency, reason, proposer, proposed_at) VALUES ('a', 'adj-1', 100, 'USD', 'late', 'maria', 5)`,
		`INSERT INTO refused (account, source, id, refused_at, event) VALUES ('a', 'core', 'e9', 7, x'7b7d')`,
	} {
		if _, err := db.DB().Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// rebuilt is what the report in JSON says.
type rebuilt struct {
	Accounts    int64
	Events      int64
	Count       int64 `json:"difference_count"`
	Differences []struct {
		Account  string
		Old, New struct {
			Balance   int64
			NetReward int64 `json:"net_reward"`
			Postings  int64
		}
		Outcomes int64 `json:"changed_outcomes"`
	}
	Changes []struct {
		Type, Old, New string
		Events         int64
	} `json:"changed_outcomes"`
	Carried map[string]int64 `json:"carried_over"`
}

func rebuildJSON(t *testing.T, from, to string) (r rebuilt) {
	t.Helper()
	if err := json.Unmarshal([]byte(succeed(t, "rebuild", "--from", from, "--to", to, "--output", "json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// rows is what a query gives, as text.
func rows(t *testing.T, url, query string) (list []string) {
	t.Helper()
	db, err := openRows(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var text string
		if err := found.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

func TestRebuildMakesTheSameOfTheSameMeaning(t *testing.T) {
	workspace(t)
	lived(t, "old.db")
	pg := pgtest.Shared(t)
	first, back := pg.NewDatabase(t), "sqlite:back.db"
	for _, step := range []struct{ from, to string }{{"old.db", "sqlite:new.db"}, {"old.db", first}, {first, back}} {
		r := rebuildJSON(t, step.from, step.to)
		if r.Accounts != 9 || r.Events < 2000 || r.Count != 0 || len(r.Changes) != 0 {
			t.Errorf("%+v", r)
		}
		if r.Carried["keys"] != 1 || r.Carried["endpoints"] != 1 || r.Carried["proposals"] != 1 || r.Carried["refused"] != 1 || r.Carried["programs"] != 2 {
			t.Errorf("carried over: %v", r.Carried)
		}
		if out := succeed(t, "verify", "--db", step.to); !strings.HasSuffix(out, "No differences.\n") {
			t.Errorf("verify prints\n%s", out)
		}
		if told := rows(t, step.to, `SELECT CAST(count(*) AS TEXT) FROM notices`); told[0] != "0" {
			t.Errorf("webhooks would be told %s things that are past", told[0])
		}
	}
	// Nothing of the log is lost on the way through both databases, and neither is when it was received.
	const log = `SELECT account || ' ' || sequence || ' ' || received || ' ' || source || ' ' || id || ' ' || outcome || ' ' || code FROM events ORDER BY account, sequence`
	if before, after := rows(t, "old.db", log), rows(t, back, log); !slices.Equal(before, after) {
		t.Errorf("the log has %d events, and had %d", len(after), len(before))
	}
}

func TestRebuildSaysWhatDiffers(t *testing.T) {
	workspace(t)
	stored(t, "acct-1", "acct-2", "acct-3")
	// What an older program may have made of the same events.
	inDatabase(t, `UPDATE events SET postings = CAST(replace(replace(CAST(postings AS TEXT), '"amount":500', '"amount":700'), '"rule":', '"old_member":7,"rule":') AS BLOB) WHERE account = 'acct-2'`)
	inDatabase(t, `UPDATE events SET outcome = 5, code = 1, postings = NULL WHERE account = 'acct-3'`)
	r := rebuildJSON(t, "recoup.db", "new.db")
	if r.Count != 2 || len(r.Differences) != 2 {
		t.Fatalf("%+v", r)
	}
	two, three := r.Differences[0], r.Differences[1]
	if two.Account != "acct-2" || two.Old.Balance != 700 || two.New.Balance != 500 || two.New.NetReward != 500 || two.Outcomes != 0 {
		t.Errorf("%+v", two)
	}
	if three.Account != "acct-3" || three.Old.Postings != 0 || three.New.Postings != 1 || three.Outcomes != 1 {
		t.Errorf("%+v", three)
	}
	if len(r.Changes) != 1 || r.Changes[0].Old != "rejected: over_refund" || r.Changes[0].New != "applied" || r.Changes[0].Events != 1 {
		t.Errorf("%+v", r.Changes)
	}
	if out := succeed(t, "verify", "--db", "new.db"); !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("verify prints\n%s", out)
	}
	out := succeed(t, "rebuild", "--from", "recoup.db", "--to", "table.db")
	for _, part := range []string{"acct-2", "Accounts that differ: 2.", "3 events of 3 accounts applied again", "programs 2"} {
		if !strings.Contains(out, part) {
			t.Errorf("it does not say %q:\n%s", part, out)
		}
	}
}

// TestRebuildReadsOlderSchemas: an older database lacks what later schemas have, and
// nothing of it is made of accounts as they were kept.
func TestRebuildReadsOlderSchemas(t *testing.T) {
	workspace(t)
	stored(t, "acct-1")
	for _, statement := range []string{
		`DROP TABLE proposals`, `DROP TABLE sessions`, `ALTER TABLE keys DROP COLUMN revoked_at`, `UPDATE accounts SET head = x'ff'`, `DELETE FROM backlog`,
		`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`,
	} {
		inDatabase(t, statement)
	}
	if r := rebuildJSON(t, "recoup.db", "new.db"); r.Count != 0 || r.Accounts != 1 {
		t.Errorf("%+v", r)
	}
}

// TestServeSaysWhatIsWrong: what keeps the service from starting is one sentence.
func TestServeSaysWhatIsWrong(t *testing.T) {
	workspace(t)
	if err := refuse(t, "serve", "--db", "sqlite:none/x.db"); !strings.Contains(err, "must be writable") {
		t.Errorf("serve says %q", err)
	}
}

func TestRebuildRefuses(t *testing.T) {
	workspace(t)
	stored(t, "acct-1")
	for _, c := range []struct {
		name, says string
		args       []string
	}{
		{"the same database", "the new database is not empty", []string{"--from", "recoup.db", "--to", "recoup.db"}},
		{"a database that is not there", "no such file", []string{"--from", "none.db", "--to", "new.db"}},
		{"no list", "above zero", []string{"--from", "recoup.db", "--to", "new.db", "--list", "0"}},
	} {
		if err := refuse(t, append([]string{"rebuild"}, c.args...)...); !strings.Contains(err, c.says) {
			t.Errorf("%s: %s", c.name, err)
		}
	}
}
