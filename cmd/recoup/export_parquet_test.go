package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
)

// parquetRows reads all files of a table, as whoever follows the pattern in a warehouse does.
func parquetRows(t *testing.T, folder, table string) (rows []map[string]any) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, table, "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		names := file.Schema().Columns()
		for _, group := range file.RowGroups() {
			reader := group.Rows()
			defer reader.Close()
			buffer := make([]parquet.Row, 100)
			for {
				n, err := reader.ReadRows(buffer)
				for _, row := range buffer[:n] {
					one := make(map[string]any)
					row.Range(func(column int, values []parquet.Value) bool {
						switch v := values[0]; {
						case v.IsNull():
							one[names[column][0]] = nil
						case v.Kind() == parquet.ByteArray:
							one[names[column][0]] = string(v.ByteArray())
						default:
							one[names[column][0]] = v.Int64()
						}
						return true
					})
					rows = append(rows, one)
				}
				if err != nil {
					break
				}
			}
		}
	}
	return rows
}

// columnsOf are some columns of rows, sorted.
func columnsOf(rows []map[string]any, columns ...string) (list []string) {
	for _, row := range rows {
		text := ""
		for _, c := range columns {
			v, there := row[c]
			if !there {
				text += "no column " + c
			}
			if v == nil {
				v = ""
			}
			text += fmt.Sprint(v, "|")
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// parquetLikeSQLite compares an export with what the same ledger has by another way.
func parquetLikeSQLite(t *testing.T, url, folder string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "export.db")
	if _, _, err := runExport("sqlite", "--db", url, file); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, columns := range map[string][]string{
		"accounts": {"account", "program", "currency", "status", "events", "balance", "held", "available", "redeemed"},
		"entries":  {"account", "number", "cycle", "kind", "amount", "balance", "source", "event", "transaction", "fact", "program", "version", "rule", "reason", "actor", "approver", "item"},
		"events":   {"number", "account", "sequence", "source", "id", "type", "outcome", "code", "event", "principal"},
	} {
		rows, err := db.Query(`SELECT "` + strings.Join(columns, `" || '|' || "`) + `" || '|' FROM ` + table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var want []string
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			want = append(want, text)
		}
		slices.Sort(want)
		if got := columnsOf(parquetRows(t, folder, table), columns...); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: the files have %d rows, the ledger %d\n%.300q\n%.300q", table, len(got), len(want), got, want)
		}
	}
}

func filesIn(t *testing.T, folder string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, _ = filepath.Rel(folder, path)
			list = append(list, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What several runs have written together is what the ledger has, each row once, and a run
// after nothing happened writes nothing.
func TestExportParquet(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, url := range map[string]string{"pebble": "data", "postgres": pgtest.Shared(t).NewDatabase(t)} {
		t.Run(name, func(t *testing.T) {
			folder := name + "-export"
			journalOf(t, url)
			for run := 1; run <= 3; run++ {
				if run > 1 {
					lines := ""
					for i := range 1500 { // of one account more than is read from its end
						account := "late"
						if i%3 == 0 || run == 2 {
							account = fmt.Sprint("acct-", i)
						}
						lines += fmt.Sprintf(`{"specversion":"1.0","id":"run-%d-%d","source":"late","type":"transaction.settled","time":"2026-03-0%dT10:00:00Z","subject":%q,"data":{"transaction":"late-%d-%d","amount":%d,"currency":"USD"}}`+"\n", run, i, run, account, run, i, 1000+i)
					}
					writeFile(t, "late.jsonl", lines)
					if _, _, err := recoup("load", "--db", url, "late.jsonl"); err != nil {
						t.Fatal(err)
					}
				}
				stdout, stderr, err := runExport("parquet", "--db", url, folder)
				if err != nil || stdout != "" || !strings.HasSuffix(stderr, " events\n") {
					t.Fatalf("it prints %q and %q: %v", stdout, stderr, err)
				}
				parquetLikeSQLite(t, url, folder)
				before := filesIn(t, folder)
				if _, stderr, err := runExport("parquet", "--db", url, folder); err != nil || !strings.HasSuffix(stderr, "new 0 entries and 0 events\n") || !slices.Equal(filesIn(t, folder), before) {
					t.Errorf("a run after nothing happened prints %q: %v", stderr, err)
				}
			}
			want := []string{
				"accounts/000003.parquet", "entries/000001.parquet", "entries/000002.parquet", "entries/000003.parquet",
				"events/000001.parquet", "events/000002.parquet", "events/000003.parquet", "lock", "manifest.json",
			}
			if got := filesIn(t, folder); !slices.Equal(got, want) {
				t.Errorf("the folder has %q", got)
			}
			var m struct {
				Runs []struct {
					Files []struct {
						Table string
						Rows  int64
					}
				}
			}
			if err := json.Unmarshal([]byte(readFile(t, folder+"/manifest.json")), &m); err != nil || len(m.Runs) != 3 {
				t.Errorf("the manifest has %+v, %v", m, err)
			}
			sums := make(map[string]int64)
			for _, run := range m.Runs {
				for _, f := range run.Files {
					sums[f.Table] += f.Rows
				}
			}
			if n := int64(len(parquetRows(t, folder, "events"))); sums["events"] != n {
				t.Errorf("the manifest has %v rows, the files %d events", sums, n)
			}
		})
	}
}

// A run that is broken off leaves what was there; what it has left is gone after the next.
func TestExportParquetIsWholeOrNotAtAll(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1", "acct-2")
	in := insider{t, "data"}
	in.events("acct-2", inside[durable.EventRow]{row: func(e *durable.EventRow) { e.Postings = []byte("[") }})
	if _, _, err := runExport("parquet", "--db", "data", "out"); err == nil || !strings.Contains(err.Error(), `account "acct-2", event 1: `) {
		t.Errorf("of a damaged ledger it ends with %v", err)
	}
	if got := filesIn(t, "out"); !slices.Equal(got, []string{"lock"}) {
		t.Errorf("the folder has %q", got)
	}
	in.events("acct-2", inside[durable.EventRow]{row: func(e *durable.EventRow) { e.Postings = nil }})
	writeFile(t, "out/events/000001.parquet.part", "half")
	writeFile(t, "out/events/000001.parquet", "a run that was killed before its manifest")
	for range 2 {
		if _, _, err := runExport("parquet", "--db", "data", "out"); err != nil {
			t.Fatal(err)
		}
		writeFile(t, "out/accounts/000002.parquet", "another")
	}
	if rows := parquetRows(t, "out", "events"); len(rows) != 2 {
		t.Errorf("there are %d events", len(rows))
	}
}

func TestExportParquetRefuses(t *testing.T) {
	workspace(t)
	stored(t, "data", "acct-1", "acct-2")
	stored(t, "other", "acct-1", "acct-2", "acct-3")
	stored(t, "less", "acct-1")
	if err := os.Mkdir("mine", 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "mine/photo.jpg", "x")
	export := func(db string) error {
		_, _, err := runExport("parquet", "--db", db, "out")
		return err
	}
	if err := export("data"); err != nil {
		t.Fatal(err)
	}
	if err := export("less"); err == nil || !strings.Contains(err.Error(), "not in the ledger any more") {
		t.Errorf("of a ledger without an account that was exported: %v", err)
	}
	for says, args := range map[string][]string{
		"mine: expected an empty folder or one that was exported to, found photo.jpg": {"--db", "data", "mine"},
		"expected one argument, the folder to export to, found 0":                      {"--db", "data"},
	} {
		if got := refuse(t, append([]string{"export", "parquet"}, args...)...); !strings.Contains(got, says) {
			t.Errorf("%q: the message is %q, want %q", args, got, says)
		}
	}
	// The same accounts with as many events, of another ledger.
	in := insider{t, "other"}
	before := maps.Collect(func(yield func(string, bool) bool) {
		for _, f := range filesIn(t, "out") {
			yield(f, true)
		}
	})
	in.account("acct-1", inside[durable.AccountRow]{row: func(a *durable.AccountRow) { a.Last += 1000 }})
	if err := export("other"); err == nil || !strings.Contains(err.Error(), "another ledger") {
		t.Errorf("of another ledger: %v", err)
	}
	for _, f := range filesIn(t, "out") {
		if !before[f] {
			t.Errorf("%s is left", f)
		}
	}
	writeFile(t, "out/manifest.json", `{"format":2,"runs":[]}`)
	if err := export("data"); err == nil || !strings.Contains(err.Error(), "expected 1, found 2") {
		t.Errorf("of another format: %v", err)
	}
}
