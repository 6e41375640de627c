package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"recoup/reward"
	"recoup/store/durable"
	"recoup/store/sqlite"
)

// TestMain has the test binary stand in for another process with the database
// open: see process.
func TestMain(m *testing.M) {
	if path := os.Getenv("RECOUP_TEST_PROCESS"); path != "" {
		if err := otherProcess(path, os.Getenv("RECOUP_TEST_UNITS")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// otherProcess opens the database and does units of work, each an event of each
// of some accounts. It prints a line when it is open, and one for every unit that
// is committed.
func otherProcess(path, units string) error {
	n, err := strconv.Atoi(units)
	if err != nil {
		return err
	}
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{Migrate: true, Backlog: 50})
	if err != nil {
		return err
	}
	fmt.Println("open")
	for range n {
		if err := db.Update(context.Background(), oneEach); err != nil {
			return err
		}
		fmt.Println("committed")
	}
	return db.Close()
}

var someAccounts = []string{"acct-1", "acct-2", "acct-3", "acct-4", "acct-5"}

// oneEach appends an event to the log of each account, with a part for it.
func oneEach(tx durable.Tx) error {
	r := &durable.Request{Accounts: someAccounts, Held: []int64{-1, -1, -1, -1, -1}, Numbers: len(someAccounts)}
	found, err := tx.Load(context.Background(), r)
	if err != nil {
		return err
	}
	rows := make(map[string]durable.AccountRow)
	for _, row := range found.Accounts {
		rows[row.Account] = row
	}
	var c durable.Changes
	for i, account := range someAccounts {
		row := rows[account]
		row.Account, row.Program, row.Base = account, "everyday", row.Version
		row.Version++
		c.Events = append(c.Events, durable.EventRow{
			Number: found.Numbers[i], Account: account, Sequence: row.Version, Before: row.Last, Source: "core",
			ID: fmt.Sprint("e", row.Version), Type: "transaction.settled", Outcome: reward.Applied, Event: make([]byte, 300),
		})
		row.Last, row.Head = found.Numbers[i], fmt.Append(nil, row.Version)
		c.Accounts = append(c.Accounts, row)
		c.Parts = append(c.Parts, durable.Part{Account: account, Part: reward.Part{
			Kind: reward.TransactionPart, ID: fmt.Sprintf("t%06d", row.Version), Data: fmt.Append(nil, row.Version), Working: row.Version%7 == 0,
		}})
	}
	return tx.Write(context.Background(), &c)
}

// expectUnits wants the database to hold what n units of oneEach leave, whole.
func expectUnits(t *testing.T, db *sqlite.DB, n int64) {
	t.Helper()
	err := db.View(context.Background(), func(r durable.Reader) error {
		for _, account := range someAccounts {
			expectAccount(t, r, account, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func expectAccount(t *testing.T, r durable.Reader, account string, n int64) {
	t.Helper()
	ctx := context.Background()
	row, _, err := r.Account(ctx, account)
	if err != nil || row.Version != n {
		t.Fatalf("%s is at version %d (%v), want %d", account, row.Version, err, n)
	}
	var events int64
	err = r.EventsOf(ctx, account, account, func(e *durable.EventRow) error {
		events++
		if e.Sequence != events {
			t.Errorf("event %d of %s has sequence %d", events, account, e.Sequence)
		}
		if _, ok, err := r.Event(ctx, durable.Identity{Account: account, Source: "core", ID: e.ID}); !ok || err != nil {
			t.Errorf("event %s of %s is not found by its identity (%v)", e.ID, account, err)
		}
		return nil
	})
	if err != nil || events != n {
		t.Fatalf("%s has %d events (%v), want %d", account, events, err, n)
	}
	parts, err := r.Find(ctx, durable.Query{Account: account, Kind: reward.TransactionPart, Page: true, Limit: 1 << 20})
	if err != nil || int64(len(parts)) != n {
		t.Fatalf("%s has %d transactions (%v), want %d", account, len(parts), err, n)
	}
	for i, p := range parts {
		if string(p.Data) != fmt.Sprint(i+1) {
			t.Errorf("transaction %s of %s is %q", p.ID, account, p.Data)
		}
	}
	working, err := r.Find(ctx, durable.Query{Account: account, Kind: reward.TransactionPart, Working: true})
	if err != nil || int64(len(working)) != n/7 {
		t.Errorf("%s has %d working transactions (%v), want %d", account, len(working), err, n/7)
	}
}

// process starts another process that does units of work, and returns it with
// its lines.
func process(t *testing.T, path string, units int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECOUP_TEST_PROCESS="+path, "RECOUP_TEST_UNITS="+strconv.Itoa(units))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestKilled kills a process in the middle of its work, again and again. What it
// said it had committed is there, and at most the one unit besides that it could
// not speak of any more.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recoup.db")
	var least int64
	for range 12 {
		cmd, lines := process(t, path, 1<<30)
		lines.Scan()
		for range 1 + rand.IntN(40) {
			if !lines.Scan() {
				t.Fatal("the process ended by itself")
			}
			least++
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before it died
			least++
		}
		cmd.Wait()

		db, err := sqlite.Open(context.Background(), path, sqlite.Options{Migrate: true, Backlog: 50})
		if err != nil {
			t.Fatal(err)
		}
		var found int64
		if err := db.View(context.Background(), func(r durable.Reader) error {
			row, _, err := r.Account(context.Background(), "acct-1")
			found = row.Version
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if found < least || found > least+1 {
			t.Fatalf("%d units are there, %d were acknowledged", found, least)
		}
		expectUnits(t, db, found)
		least = found
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSeveralProcesses has processes start at once on a file that is not there
// yet, so that one of them migrates, and then work on the same accounts.
func TestSeveralProcesses(t *testing.T) {
	const processes, units = 4, 60
	path := filepath.Join(t.TempDir(), "recoup.db")
	var running sync.WaitGroup
	for range processes {
		cmd, lines := process(t, path, units)
		running.Go(func() {
			for lines.Scan() {
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("a process failed: %v", err)
			}
		})
	}
	running.Wait()
	db := open(t, path, sqlite.Options{})
	expectUnits(t, db, processes*units)
}

// TestReadsWhileOthersWrite reads in one process what another one writes: always
// whole units.
func TestReadsWhileOthersWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recoup.db")
	db := open(t, path, sqlite.Options{Backlog: 30})
	cmd, lines := process(t, path, 150)
	var latest int64
	for lines.Scan() {
		var version int64
		err := db.View(context.Background(), func(r durable.Reader) error {
			row, _, err := r.Account(context.Background(), "acct-3")
			if err != nil {
				return err
			}
			version = row.Version
			if version > 0 {
				expectAccount(t, r, "acct-1", version)
				expectAccount(t, r, "acct-5", version)
			}
			return nil
		})
		if err != nil || version < latest || t.Failed() {
			t.Fatalf("at version %d after %d (%v)", version, latest, err)
		}
		latest = version
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	expectUnits(t, db, 150)
}
