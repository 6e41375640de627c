package main

import (
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/programs"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/reward"
)

// older is what the program said that made rebuild/testdata/older.db.gz: see make.sh
// beside it.
type older struct {
	Keys     struct{ Sender, Person, Revoked string }
	Secrets  []string // of the endpoint in use, and of the disabled one
	Accounts []struct {
		Account, Program, Currency, Status                       string
		Balance, Held, Available, Redeemed, Adjustments, Version int64
		NetSpend                                                 int64     `json:"net_spend"`
		Latest                                                   time.Time `json:"latest"`
	}
	Reviews struct {
		Reviews []struct {
			Account, Kind, Fact, Transaction, Currency string
			Amount                                     int64
			Since                                      time.Time
		}
	}
}

// readOlder unpacks that file to older.db in the current folder, and reads what was said.
func readOlder(t *testing.T) (said older) {
	t.Helper()
	_, err := os.Stat("older.db")
	if err == nil {
		t.Fatal("older.db is there")
	}
	text, err := os.ReadFile(filepath.Join(testdata, "older.json"))
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(testdata, "older.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "older.db", string(file))
	return said
}

// testdata is the folder of the older ledger, as long as tests change the current one.
var testdata = func() string {
	folder, err := filepath.Abs(filepath.Join("..", "..", "internal", "service", "rebuild", "testdata"))
	if err != nil {
		panic(err)
	}
	return folder
}()

// A ledger in SQLite, in which Recoup had them once, becomes a folder with the same in it.
func TestRebuildOfSQLite(t *testing.T) {
	workspace(t)
	said := readOlder(t)
	before := readFile(t, "older.db")
	r := rebuildJSON(t, "sqlite:older.db", "data")
	if r.Accounts != int64(len(said.Accounts)) || r.Events < 200 || r.Count != 0 || len(r.Changes) != 0 {
		t.Errorf("%+v", r)
	}
	if want := (map[string]int64{"programs": 4, "keys": 3, "endpoints": 2, "proposals": 3, "refused": 2, "exemptions": 0, "program_drafts": 0, "reviews_worked": 0, "source_webhooks": 0}); !maps.Equal(r.Carried, want) {
		t.Errorf("carried over: %v, want %v", r.Carried, want)
	}
	if out := succeed(t, "verify", "--db", "data"); !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("verify prints\n%s", out)
	}
	if readFile(t, "older.db") != before {
		t.Error("the older file was changed")
	}

	in := insider{t, "data"}
	db := in.open()
	defer in.close(db)
	programs, err := programs.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	store := durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	t.Run("accounts", func(t *testing.T) { sameAccounts(t, store, said) })
	t.Run("reviews", func(t *testing.T) { sameReviews(t, store, said) })
	t.Run("programs", func(t *testing.T) { samePrograms(t, programs) })
	t.Run("keys", func(t *testing.T) { sameKeys(t, db, said) })
	t.Run("endpoints", func(t *testing.T) { sameEndpoints(t, db, said) })
	t.Run("proposals", func(t *testing.T) { sameProposals(t, db, store) })
}

func sameAccounts(t *testing.T, store *durable.Store, said older) {
	for _, want := range said.Accounts {
		got, ok, err := store.Account(t.Context(), want.Account)
		if err != nil || !ok {
			t.Errorf("account %s: %t, %v", want.Account, ok, err)
			continue
		}
		is := fmt.Sprint(got.Program, got.Currency, got.Closed, got.Balance, got.Held, got.Available, got.Redeemed, got.Adjustments, got.NetSpend, got.Version, got.Latest.Time())
		was := fmt.Sprint(want.Program, want.Currency, want.Status == "closed", want.Balance, want.Held, want.Available, want.Redeemed, want.Adjustments, want.NetSpend, want.Version, want.Latest)
		if is != was {
			t.Errorf("account %s is\n%s, and was\n%s", want.Account, is, was)
		}
	}
}

// Among the reviews are the facts that were refused for their currency.
func sameReviews(t *testing.T, store *durable.Store, said older) {
	list, _, more, err := store.Reviews(t.Context(), durable.ReviewFilter{}, durable.ReviewPlace{}, 100)
	if err != nil || more {
		t.Fatal(more, err)
	}
	var is, was []string
	for _, v := range list {
		is = append(is, fmt.Sprint(v.Account, v.Kind, v.Fact, v.Transaction, v.Amount, v.Currency, v.Since.Time()))
	}
	for _, v := range said.Reviews.Reviews {
		was = append(was, fmt.Sprint(v.Account, v.Kind, v.Fact, v.Transaction, v.Amount, v.Currency, v.Since))
	}
	if !slices.Equal(is, was) || len(was) < 3 {
		t.Errorf("to be reviewed is\n%q, and was\n%q", is, was)
	}
}

func samePrograms(t *testing.T, programs *durable.Programs) {
	if p, ok := programs.Default(); !ok || p.ID != "everyday" {
		t.Errorf("the default program is %v", p)
	}
	for _, id := range []string{"everyday", "yen"} {
		versions := programs.Versions(id)
		if len(versions) != 2 || versions[0].Terms.From != 0 || versions[1].Terms.From.Start().Time().Format(time.DateOnly) != "2027-06-01" ||
			!strings.Contains(string(versions[0].Document), "rate: 1%") || !strings.Contains(string(versions[1].Document), "rate: 2%") {
			t.Errorf("program %s has the versions %+v", id, versions)
		}
	}
}

func sameKeys(t *testing.T, db *durable.Database, said older) {
	keys := access.New(db, time.Now)
	for _, c := range []struct {
		key, name string
		scopes    scope.Set
		refused   error
	}{
		{said.Keys.Sender, "bank", scope.Ingest | scope.Read, nil},
		{said.Keys.Person, "Oscar", access.Operator.Scopes(), nil},
		{said.Keys.Revoked, "intern", 0, access.Revoked}, // it is told whose it was
		{said.Keys.Sender[:len(said.Keys.Sender)-4] + "0000", "", 0, access.Mismatch},
	} {
		p, err := keys.Authenticate(t.Context(), "Bearer "+c.key)
		if !errors.Is(err, c.refused) || p.Name != c.name || p.Scopes != c.scopes {
			t.Errorf("the key of %q lets in %+v: %v", c.name, p, err)
		}
	}
}

func sameEndpoints(t *testing.T, db *durable.Database, said older) {
	byURL := make(map[string]outbox.Endpoint)
	err := db.Read(t.Context(), func(r record.Reader) error {
		list, err := outbox.Listed(t.Context(), r)
		for _, e := range list {
			byURL[e.URL] = e
		}
		return err
	})
	one, two := byURL["https://one.example/hooks"], byURL["https://two.example/hooks"]
	if err != nil || one.Disabled != 0 || !slices.Equal(one.Types, []string{"redemption.denied", "reward.posted"}) || one.Secrets != said.Secrets[0] {
		t.Errorf("the endpoint in use is %+v, %v", one, err)
	}
	// Its secret was rotated: the one before signs for a while longer.
	if two.Disabled == 0 || len(two.Types) != 0 || !strings.HasPrefix(two.Secrets, said.Secrets[1]+",whsec_") {
		t.Errorf("the disabled endpoint is %+v", two)
	}
}

// Proposals are as they were, and what is open can be decided.
func sameProposals(t *testing.T, db *durable.Database, store *durable.Store) {
	ctx := t.Context()
	en := engine.New(store)
	book := approval.New(approval.Options{Records: db, Now: time.Now, Accounts: store, Apply: func(ctx context.Context, e reward.Event) (reward.Result, error) {
		results, err := en.Apply(ctx, []reward.Event{e}, nil)
		if err != nil {
			return reward.Result{}, err
		}
		return results[0], nil
	}})
	open, err := book.Open(ctx, 0, 10)
	if err != nil || len(open) != 0 {
		t.Fatalf("open are %+v, %v", open, err)
	}
	// The older log does not say who proposed: what waited is to be proposed again.
	decided, err := book.Recent(ctx, 0, 10)
	if err != nil || len(decided) != 3 || decided[0].Amount != 6000 || decided[0].Reason != "a year of loyalty" || decided[0].Proposer.Name != "Oscar (operator)" || decided[0].State != approval.Rejected {
		t.Fatalf("decided are %+v, %v", decided, err)
	}
	if decided = decided[1:]; len(decided) != 2 || decided[0].State != approval.Rejected || decided[0].Note != "that was in the first one" ||
		decided[1].State != approval.Approved || decided[1].Decider.Name != "Anna (approver)" || decided[1].Decided == 0 {
		t.Errorf("decided are %+v, %v", decided, err)
	}
	if all, err := book.OfAccount(ctx, "anna"); err != nil || len(all) != 3 {
		t.Errorf("of the account are %+v, %v", all, err)
	}
	before, _, _ := store.Account(ctx, "anna")
	if _, _, err := book.Approve(ctx, decided[1].Number, approval.Person{ID: "as:approver", Name: "Anna (approver)"}); !errors.Is(err, approval.ErrUnlogged) {
		t.Errorf("approved: %v", err)
	}
	after, _, err := store.Account(ctx, "anna")
	if err != nil || after.Balance != before.Balance {
		t.Errorf("the balance is %d and was %d: %v", after.Balance, before.Balance, err)
	}
	// New ones go on where the older book stopped.
	p, _, waits, err := book.Propose(ctx, approval.Proposal{Account: "anna", Amount: 100, Reason: "one more", Proposer: approval.Person{ID: "x", Name: "X"}}, approval.Limits{Of: map[string]int64{"USD": 50}})
	if err != nil || !waits || p.Number != 4 {
		t.Errorf("proposed is %+v, %v", p, err)
	}
}

// TestRebuildReadsOlderSchemas: an older database lacks what later schemas have, and
// nothing of it is made of accounts as they were kept.
func TestRebuildReadsOlderSchemas(t *testing.T) {
	workspace(t)
	said := readOlder(t)
	db, err := sql.Open("sqlite", "older.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`DROP TABLE proposals`, `DROP TABLE refused`, `DROP TABLE sessions`, `ALTER TABLE keys DROP COLUMN revoked_at`, `UPDATE accounts SET head = x'ff'`,
		`DROP TABLE transactions`, `DROP TABLE backlog`, `DELETE FROM goose_db_version WHERE version_id > 1`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r := rebuildJSON(t, "sqlite:older.db", "data")
	if r.Count != 0 || r.Accounts != int64(len(said.Accounts)) {
		t.Errorf("%+v", r)
	}
	if want := (map[string]int64{"programs": 4, "keys": 3, "endpoints": 2, "proposals": 0, "refused": 0, "exemptions": 0, "program_drafts": 0, "reviews_worked": 0, "source_webhooks": 0}); !maps.Equal(r.Carried, want) {
		t.Errorf("carried over: %v, want %v", r.Carried, want)
	}
	succeed(t, "verify", "--db", "data")
}

// TestRebuildOfSQLiteThatIsNotWhole: a log with a gap is no log, and is not taken for one.
func TestRebuildOfSQLiteThatIsNotWhole(t *testing.T) {
	workspace(t)
	readOlder(t)
	db, err := sql.Open("sqlite", "older.db")
	if err == nil {
		_, err = db.Exec(`DELETE FROM events WHERE account = 'anna' AND sequence = 3`)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, err = recoup("rebuild", "--from", "sqlite:older.db", "--to", "data")
	if err == nil || !strings.Contains(err.Error(), `event 4 of account "anna" in the older log: expected event 3: the log is not whole`) {
		t.Errorf("it ends with %v", err)
	}
}
