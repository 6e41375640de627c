package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/programs"
	"recoup/internal/service/scope"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/exempt"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
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
	programs, err := programs.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(ctx, program.Everyday().ID, program.EverydayDocument(), 0, "test"); err != nil {
		t.Fatal(err)
	}
	past := func() reward.Instant { return reward.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) }
	store := durable.Over(db, durable.Options{Programs: programs, Now: past})
	en := engine.New(store)
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 9, Events: 2500, Seed: 3, Program: program.Everyday(), Days: 60, ReturnShare: 200, OverRefunds: 100, Duplicates: 50, Disorder: 100,
	}))
	for chunk := range slices.Chunk(events, 300) {
		if _, err := en.Apply(ctx, chunk, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := access.New(db, time.Now).Create(ctx, access.Key{Name: "bank", Scopes: scope.Ingest}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := webhook.New(db, db.Records, time.Now).Add(ctx, "https://one.example", nil, true); err != nil {
		t.Fatal(err)
	}
	account := events[0].Account
	foreign := reward.Event{Source: "core", ID: "e9", Account: account, Time: past(), Type: reward.TransactionSettled, Transaction: "t9", Amount: 5, HasAmount: true, Currency: "JPY"}
	if results, err := en.Apply(ctx, []reward.Event{foreign}, nil); err != nil || results[0].Code != reward.CurrencyMismatch {
		t.Fatal(results, err)
	}
	foreign.Merchant, foreign.ID = "4111111111111111", "e10"
	if err := store.KeepApart(ctx, []durable.Suspect{{Event: foreign, Member: "data.merchant"}}); err != nil {
		t.Fatal(err)
	}
	rules, err := exempt.Open(ctx, db, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := rules.Set(ctx, exempt.Change{Source: "core", Member: "subject", Exempt: true, Actor: "maria", Reason: "tokens"}); err != nil {
		t.Fatal(err)
	}
	apply := func(ctx context.Context, e reward.Event) (reward.Result, error) {
		results, err := en.Apply(ctx, []reward.Event{e}, nil)
		if err != nil {
			return reward.Result{}, err
		}
		return results[0], nil
	}
	book := approval.New(approval.Options{Records: db, Now: time.Now, Accounts: store, Apply: apply})
	late := approval.Proposal{Account: account, Adjustment: "adj-1", Amount: 100, Reason: "late", Proposer: approval.Person{ID: "maria", Name: "Maria"}}
	if _, _, waits, err := book.Propose(ctx, late, approval.Limits{Of: map[string]int64{"USD": 50}}); err != nil || !waits {
		t.Fatal(waits, err)
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

func TestRebuildMakesTheSameOfTheSameMeaning(t *testing.T) {
	workspace(t)
	lived(t, "old")
	pg := pgtest.Shared(t)
	first, back := pg.NewDatabase(t), "back"
	for _, step := range []struct{ from, to string }{{"old", "new"}, {"old", first}, {first, back}} {
		r := rebuildJSON(t, step.from, step.to)
		if r.Accounts != 9 || r.Events < 2000 || r.Count != 0 || len(r.Changes) != 0 {
			t.Errorf("%+v", r)
		}
		if want := (map[string]int64{"keys": 1, "endpoints": 1, "proposals": 1, "refused": 2, "exemptions": 1, "program_drafts": 0, "reviews_worked": 0, "source_webhooks": 0, "programs": 1}); !maps.Equal(r.Carried, want) {
			t.Errorf("carried over: %v, want %v", r.Carried, want)
		}
		if out := succeed(t, "verify", "--db", step.to); !strings.HasSuffix(out, "No differences.\n") {
			t.Errorf("verify prints\n%s", out)
		}
		if told := (insider{t, step.to}).table("deliveries"); len(told) != 0 {
			t.Errorf("webhooks would be told %d things that are past", len(told))
		}
	}
	// Nothing of the log is lost on the way through both databases, and neither is when it
	// was received; nor is anything of what people did.
	whole := func(e *durable.EventRow) string {
		return fmt.Sprintln(e.Account, e.Sequence, e.Received, e.Source, e.ID, e.Outcome, e.Code, string(e.Event), string(e.Postings))
	}
	if before, after := (insider{t, "old"}).log(whole), (insider{t, back}).log(whole); !slices.Equal(before, after) {
		t.Errorf("the log has %d events, and had %d", len(after), len(before))
	}
	for _, table := range []string{"keys", "endpoints", "proposals", "proposals_open", "proposals_decided", "proposals_of", "proposals_adjustment", "proposals_last", "programs", "programs_summary"} {
		if before, after := (insider{t, "old"}).table(table), (insider{t, back}).table(table); !maps.Equal(before, after) {
			t.Errorf("the table %s has\n%v, and had\n%v", table, after, before)
		}
	}
}

func TestRebuildSaysWhatDiffers(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		stored(t, db, "acct-1", "acct-2", "acct-3")
		in := insider{t, db}
		// What an older program may have made of the same events.
		in.events("acct-2", inside[durable.EventRow]{func(e *durable.EventRow) {
			e.Postings = []byte(strings.NewReplacer(`"amount":500`, `"amount":700`, `"rule":`, `"old_member":7,"rule":`).Replace(string(e.Postings)))
		}, `postings = convert_to(replace(replace(convert_from(postings, 'UTF8'), '"amount":500', '"amount":700'), '"rule":', '"old_member":7,"rule":'), 'UTF8')`})
		in.events("acct-3", inside[durable.EventRow]{func(e *durable.EventRow) {
			e.Outcome, e.Code, e.Postings = reward.Rejected, reward.OverRefund, nil
		}, `outcome = 5, code = 1, postings = NULL`})
		r := rebuildJSON(t, db, "new")
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
		if out := succeed(t, "verify", "--db", "new"); !strings.HasSuffix(out, "No differences.\n") {
			t.Errorf("verify prints\n%s", out)
		}
		out := succeed(t, "rebuild", "--from", db, "--to", "table")
		for _, part := range []string{"acct-2", "Accounts that differ: 2.", "3 events of 3 accounts applied again", "programs 1"} {
			if !strings.Contains(out, part) {
				t.Errorf("it does not say %q:\n%s", part, out)
			}
		}
	})
}

// TestServeSaysWhatIsWrong: what keeps the service from starting is one sentence, and
// nothing is made by a typo.
func TestServeSaysWhatIsWrong(t *testing.T) {
	workspace(t)
	for db, want := range map[string]string{
		"dtaa":              "--db: there is no ledger at dtaa: name its program with --program FILE to make one",
		"none/data":         "--db: there is no ledger at none/data",
		"program.yaml":      "program.yaml:1: id: unknown member; expected one of home, shards",
		"events.jsonl":      "events.jsonl is a file, and a ledger is a folder",
		".":                 " is no ledger: it has no recoup.json",
		"sqlite:ledger.db":  "--db: Recoup keeps no ledger in SQLite any more: make a folder of ledger.db with recoup rebuild --from sqlite:ledger.db --to ./data",
		"mysql://localhost": `--db: "mysql" is no kind of database that this can use; expected a folder such as ./data, postgres://USER:PASSWORD@HOST/NAME, or a file of shards such as shards.yaml`,
		"":                  "--db: expected a folder such as ./data, postgres://",
	} {
		if err := refuse(t, "serve", "--listen", "127.0.0.1:0", "--db", db); !strings.Contains(err, want) {
			t.Errorf("serve --db %q says %q, want %q", db, err, want)
		}
	}
}

func TestRebuildRefuses(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1")
	stored(t, "full")
	writeFile(t, "text.db", "no database\n")
	for _, c := range []struct {
		name, says string
		args       []string
	}{
		{"the same folder", "--to: ./data is the older database itself", []string{"--from", "data", "--to", "./data"}},
		{"a database with something in it", "--to: the new database is not empty", []string{"--from", "data", "--to", "full"}},
		{"a database that is not there", "--from: --db: there is no folder none", []string{"--from", "none", "--to", "new"}},
		{"a file that is not there", "--from: stat none.db: no such file", []string{"--from", "sqlite:none.db", "--to", "new"}},
		{"a file of something else", "--from: text.db is no ledger of Recoup", []string{"--from", "sqlite:text.db", "--to", "new"}},
		{"a file to go to", "Recoup keeps no ledger in SQLite any more", []string{"--from", "data", "--to", "sqlite:new.db"}},
		{"no list", "above zero", []string{"--from", "data", "--to", "new", "--list", "0"}},
	} {
		if err := refuse(t, append([]string{"rebuild"}, c.args...)...); !strings.Contains(err, c.says) {
			t.Errorf("%s: %s", c.name, err)
		}
	}
}
