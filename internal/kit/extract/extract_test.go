package extract_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/extract"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// now is the clock of the ledger.
var now = reward.At(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC))

// ledger is a ledger with traffic of ten accounts, a closed one, and one with a receipt.
func ledger(t *testing.T) *durable.Store {
	t.Helper()
	ctx := t.Context()
	db := durable.One(pebbletest.Open(t))
	programs, err := durable.OpenPrograms(ctx, db, func(document []byte) (*reward.Program, error) { return program.Parse("program", document) }, now.Time)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := programs.Put(ctx, "everyday", []byte(everyday), 0, "test"); err != nil {
		t.Fatal(err)
	}
	store := durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return now }})
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 10, Events: 1500, Seed: 7, Program: program.Everyday(), Days: 60, ReturnShare: 200, OverRefunds: 100, Duplicates: 20, Disorder: 50,
	}))
	closed := reward.Event{Source: "core", ID: "end", Account: "gone", Time: events[0].Time, Type: reward.AccountClosed}
	opened := reward.Event{Source: "core", ID: "begin", Account: "gone", Time: events[0].Time, Type: reward.AccountOpened, Fact: "everyday"}
	pan, milk := reward.Item{ID: "pan", Amount: 40_00}, reward.Item{ID: "milk", Amount: 60_00, Category: "GROCERY"}
	bought := reward.Event{Source: "till", ID: "receipt", Account: "cook", Time: events[0].Time, Type: reward.TransactionSettled, Transaction: "receipt",
		Amount: 100_00, HasAmount: true, Currency: "USD", Items: reward.MakeItems([]reward.Item{milk, pan})}
	pan.Amount = 10_00
	back := reward.Event{Source: "till", ID: "back", Account: "cook", Time: events[0].Time + 1, Type: reward.RefundPosted, Transaction: "receipt", Fact: "back",
		Amount: 10_00, HasAmount: true, Currency: "USD", Items: reward.MakeItems([]reward.Item{pan})}
	if _, err := engine.New(store).Apply(ctx, append(events, opened, closed, bought, back), nil); err != nil {
		t.Fatal(err)
	}
	return store
}

// everyday has rewards that mature, so that some are held.
const everyday = "id: everyday\ncurrency: USD\nmaturity_days: 30\nrules: [{id: base, rate: 2%}]\n"

// extracted is a ledger as tables.
func extracted(t *testing.T, s *durable.Store) *sql.DB {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a ledger?.db") // a name that has to be escaped
	n, err := extract.SQLite(t.Context(), file, s)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer(" ", "%20", "?", "%3f").Replace(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for table, want := range map[string]int64{"accounts": n.Accounts, "entries": n.Entries, "events": n.Events} {
		if got := ask(t, db, `SELECT count(*) FROM `+table); want == 0 || !slices.Equal(got, []string{fmt.Sprint(want)}) {
			t.Errorf("there are %v %s, and %d were counted", got, table, want)
		}
	}
	return db
}

// ask is what a query answers: a line for each row.
func ask(t *testing.T, db *sql.DB, query string) (lines []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, v := range values {
			if line = append(line, v.String); !v.Valid {
				line[len(line)-1] = "NULL"
			}
		}
		lines = append(lines, strings.Join(line, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// The rows of accounts are what the store says of them, one by one.
func TestAccountsAreWhatTheStoreSays(t *testing.T) {
	s := ledger(t)
	var want []string
	held := int64(0)
	for id := range ids(t, s) {
		v, _, err := s.AccountAsOf(t.Context(), id, 0) // as its last event left it, as is exported
		if err != nil {
			t.Fatal(err)
		}
		status := map[bool]string{false: "open", true: "closed"}[v.Closed]
		want = append(want, fmt.Sprintln(v.Account, v.Program, v.Currency, status, v.Latest, v.Version, v.Balance, v.Held, v.Available, v.Redeemed))
		held += v.Held
	}
	var got []string
	for _, line := range ask(t, extracted(t, s), `SELECT * FROM accounts ORDER BY account`) {
		got = append(got, line+"\n")
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(got) != 12 || held == 0 || !strings.Contains(strings.Join(got, ""), "gone everyday USD closed") {
		t.Errorf("the accounts are\n%s, want\n%s", got, want)
	}
}

func ids(t *testing.T, s *durable.Store) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	if err := s.EachAccount(t.Context(), func(id string) error { all[id] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// The tables add up: the entries of each account to its balance, at each entry; its
// redemptions to what was redeemed; and each entry has the event that caused it.
func TestTablesAddUp(t *testing.T) {
	db := extracted(t, ledger(t))
	for name, query := range map[string]string{
		"balances that entries do not add up to": `SELECT account FROM accounts a
			WHERE balance <> (SELECT COALESCE(sum(amount), 0) FROM entries e WHERE e.account = a.account) OR available <> balance - held`,
		"entries whose balance is not that of those up to it": `SELECT account, number FROM
			(SELECT account, number, balance, sum(amount) OVER (PARTITION BY account ORDER BY number) AS running FROM entries) WHERE balance <> running`,
		"entries that are not counted from 1": `SELECT account FROM entries GROUP BY account HAVING min(number) <> 1 OR max(number) <> count(*)`,
		"redemptions": `SELECT account FROM accounts a
			WHERE redeemed <> (SELECT COALESCE(-sum(amount), 0) FROM entries e WHERE e.account = a.account AND kind LIKE 'redemption%')`,
		"events that are not counted from 1": `SELECT account FROM accounts a
			WHERE events <> (SELECT count(*) FROM events e WHERE e.account = a.account) OR events <> (SELECT max(sequence) FROM events e WHERE e.account = a.account)`,
		"entries of no event": `SELECT account, number FROM entries n WHERE NOT EXISTS
			(SELECT 1 FROM events e WHERE e.account = n.account AND e.source = n.source AND e.id = n.event)`,
		"events whose columns are not their text": `SELECT number FROM events WHERE event ->> 'id' <> id OR event ->> 'source' <> source OR
			event ->> 'subject' <> account OR event ->> 'type' <> type OR substr(event ->> 'time', 1, 19) <> substr(time, 1, 19)`,
	} {
		if found := ask(t, db, query); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
	}
	if kinds := ask(t, db, `SELECT DISTINCT kind FROM entries`); len(kinds) < 3 {
		t.Errorf("the entries are of the kinds %q, too few to matter", kinds)
	}
}

// Items stand beside the events that list them, and entries name theirs: what the pan
// and the milk earned, and what of the pan came back.
func TestItems(t *testing.T) {
	db := extracted(t, ledger(t))
	for query, want := range map[string]string{
		`SELECT e.id, i.position, i.account, i."transaction", i.refund, i.item, i.amount, i.category FROM items i JOIN events e ON e.number = i.event ORDER BY 1, 2`: "back 1 cook receipt back pan 1000 , receipt 1 cook receipt  milk 6000 GROCERY, receipt 2 cook receipt  pan 4000 ",
		`SELECT item, sum(amount) FROM entries WHERE account = 'cook' GROUP BY item ORDER BY item`:                                                                   "milk 120, pan 60",
		`SELECT count(*) FROM entries WHERE item <> '' AND account <> 'cook'`:                                                                                        "0",
	} {
		if got := strings.Join(ask(t, db, query), ", "); got != want {
			t.Errorf("%s\n got %q\nwant %q", query, got, want)
		}
	}
}

// What people have queries for stays: a column that is gone or renamed fails here.
func TestSchema(t *testing.T) {
	db := extracted(t, ledger(t))
	want := map[string]string{
		"accounts": "account TEXT, program TEXT, currency TEXT, status TEXT, latest TEXT, events INTEGER, balance INTEGER, held INTEGER, available INTEGER, redeemed INTEGER",
		"entries": "account TEXT, number INTEGER, at TEXT, cycle TEXT, kind TEXT, amount INTEGER, balance INTEGER, source TEXT, event TEXT, transaction TEXT, fact TEXT, " +
			"program TEXT, version INTEGER, rule TEXT, reason TEXT, actor TEXT, approver TEXT, item TEXT",
		"items":  "event INTEGER, position INTEGER, account TEXT, transaction TEXT, refund TEXT, item TEXT, amount INTEGER, category TEXT, mcc TEXT",
		"events": "number INTEGER, account TEXT, sequence INTEGER, received TEXT, time TEXT, source TEXT, id TEXT, type TEXT, outcome TEXT, code TEXT, event TEXT, principal TEXT",
	}
	got := make(map[string]string)
	for _, table := range ask(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table'`) {
		got[table] = strings.Join(ask(t, db, `SELECT name, type FROM pragma_table_info('`+table+`')`), ", ")
	}
	if !maps.Equal(got, want) {
		t.Errorf("the tables are\n%v, want\n%v", got, want)
	}
	sample := ask(t, db, `SELECT latest GLOB '20??-??-??T??:??:??*Z' FROM accounts UNION SELECT at GLOB '20??-??-??T??:??:??*Z' FROM entries UNION
		SELECT received GLOB '20??-??-??T??:??:??*Z' FROM events`)
	if !slices.Equal(sample, []string{"1"}) {
		t.Errorf("that times are texts in UTC is %q", sample)
	}
}

// An error passes through, and so does being told to stop.
func TestErrors(t *testing.T) {
	s := ledger(t)
	if _, err := extract.SQLite(t.Context(), filepath.Join(t.TempDir(), "nowhere", "x.db"), s); err == nil {
		t.Error("a file in a folder that is not there was made")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extract.SQLite(ctx, filepath.Join(t.TempDir(), "x.db"), s); !errors.Is(err, context.Canceled) {
		t.Errorf("told to stop, it ends with %v", err)
	}
}
