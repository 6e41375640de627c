package main

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
)

// What is written is asked for in SQL, as people would.
func TestExportSQLite(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, url := range map[string]string{"pebble": "data", "postgres": pgtest.Shared(t).NewDatabase(t)} {
		t.Run(name, func(t *testing.T) {
			kept := journalOf(t, url)
			file := name + ".db"
			stdout, stderr, err := runExport("sqlite", "--db", url, file)
			if err != nil || stdout != "" || !strings.HasSuffix(stderr, " events\n") {
				t.Fatalf("it prints %q and %q: %v", stdout, stderr, err)
			}
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var said string
			if err := db.QueryRow(`SELECT (SELECT count(*) FROM accounts) || ' accounts, ' || (SELECT count(*) FROM entries) || ' entries and ' ||
				(SELECT count(*) FROM events) || ' events'`).Scan(&said); err != nil || said+"\n" != stderr {
				t.Errorf("there are %s, and it says %s: %v", said, stderr, err)
			}
			balances := make(map[string]int64)
			for id := range kept.Accounts() {
				balances[id] = kept.Account(id).Summary().Balance
			}
			balances["tokyo"] = 200
			rows, err := db.Query(`SELECT account, COALESCE((SELECT sum(amount) FROM entries e WHERE e.account = a.account), 0) FROM accounts a WHERE account NOT NULL`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			for rows.Next() {
				var account string
				var sum int64
				if err := rows.Scan(&account, &sum); err != nil {
					t.Fatal(err)
				}
				if want, ok := balances[account]; !ok || sum != want {
					t.Errorf("the entries of %s add up to %d, want %d", account, sum, want)
				}
				delete(balances, account)
			}
			if len(balances) > 0 {
				t.Errorf("missing are %v: %v", balances, rows.Err())
			}
		})
	}
}

func TestExportSQLiteRefuses(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1", "acct-2")
	writeFile(t, "there.db", "something")
	for says, args := range map[string][]string{
		"there.db: exists; name a file that is not there yet": {"--db", "data", "there.db"},
		"there is no folder none;":                            {"--db", "none", "new.db"},
		"expected one argument, the file to make, found 0":    {"--db", "data"},
		`required flag(s) "db" not set`:                       {"new.db"},
		"nowhere/new.db":                                      {"--db", "data", "nowhere/new.db"},
	} {
		if got := refuse(t, append([]string{"export", "sqlite"}, args...)...); !strings.Contains(got, says) {
			t.Errorf("%q: the message is %q, want %q", args, got, says)
		}
	}
	if got := readFile(t, "there.db"); got != "something" {
		t.Errorf("the file that was there has %q", got)
	}
	// What cannot be read is named, and leaves nothing half done.
	in := insider{t, "data"}
	in.events("acct-2", inside[durable.EventRow]{row: func(e *durable.EventRow) { e.Postings = []byte("[") }})
	before := folder(t)
	_, _, err := recoup("export", "sqlite", "--db", "data", "new.db")
	if err == nil || !strings.Contains(err.Error(), `account "acct-2", event 1: `) {
		t.Errorf("of a damaged ledger it ends with %v", err)
	}
	if after := folder(t); !slices.Equal(before, after) {
		t.Errorf("the folder had %q and has %q", before, after)
	}
	// Neither does what an export left behind that was killed.
	writeFile(t, "late.db.part", "half of an earlier one")
	in.events("acct-2", inside[durable.EventRow]{row: func(e *durable.EventRow) { e.Postings = nil }})
	stdout, stderr, err := recoup("export", "sqlite", "--db", "data", "late.db")
	if err != nil || stderr != fmt.Sprintln("2 accounts, 1 entries and 2 events") {
		t.Errorf("it prints %q and %q: %v", stdout, stderr, err)
	}
	if slices.Contains(folder(t), "late.db.part") {
		t.Errorf("the folder has %q", folder(t))
	}
}
