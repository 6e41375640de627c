package pebble_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"recoup/internal/store/pebble"
)

// small are options with which files are written and merged all the time.
var small = pebble.Options{Create: true, Cache: 1 << 20, MemTable: 64 << 10}

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
	db, err := pebble.Open(context.Background(), path, small)
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
	path := filepath.Join(t.TempDir(), "ledger")
	var least int64
	rounds := 3
	if os.Getenv("RECOUP_LONG") == "1" {
		rounds = 60
	}
	for range rounds {
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

		db, err := pebble.Open(context.Background(), path, small)
		if err != nil {
			t.Fatal(err)
		}
		found := units(t, db)
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
