package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/reward"
	"recoup/store/durable"
	"recoup/verify"
)

// sealAll seals until nothing is left.
func sealAll(t testing.TB, db verify.Database) (sealed int) {
	t.Helper()
	for {
		n, err := verify.Seal(context.Background(), db, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return sealed
		}
		sealed += n
	}
}

// expectOnly checks that the differences are as many as the descriptions, and
// each says what is described.
func expectOnly(t *testing.T, report *verify.Report, want ...string) {
	t.Helper()
	var found []string
	for _, d := range report.Differences {
		found = append(found, d.String())
	}
	ok := len(found) == len(want) && report.Count == int64(len(want))
	for i := range min(len(found), len(want)) {
		ok = ok && strings.Contains(found[i], want[i])
	}
	if !ok {
		t.Errorf("%d differences:\n%s\nwant\n%s", report.Count, strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// expectFound checks that one of the differences says what is described.
func expectFound(t *testing.T, report *verify.Report, want string) {
	t.Helper()
	for _, d := range report.Differences {
		if strings.Contains(d.String(), want) {
			return
		}
	}
	t.Errorf("of %d differences none is %s:\n%v", report.Count, want, report.Differences)
}

func TestEveryEventIsSealedOnce(t *testing.T) {
	p, events := spending(50, 3_000)
	db := newMemory(t, p, events)
	if n := sealAll(t, db); n != len(db.byNumber) {
		t.Errorf("%d events were sealed, want %d", n, len(db.byNumber))
	}
	if n := sealAll(t, db); n != 0 {
		t.Errorf("%d events were sealed again", n)
	}
	report := check(t, db, verify.Options{Programs: programs{p}})
	expectOnly(t, report)
	if report.Sealed != report.Events {
		t.Errorf("%d of %d events are sealed", report.Sealed, report.Events)
	}
}

// However the log is cut into runs, the seals are the same, so processes that
// seal at the same time write the same.
func TestSealsDoNotDependOnWhenTheyAreMade(t *testing.T) {
	p, events := spending(3, 2_000)
	whole := newMemory(t, p, events)
	sealAll(t, whole)
	for account, log := range whole.log {
		if len(log) < 3*64 {
			t.Fatalf("account %s has %d events, too few to matter", account, len(log))
		}
	}

	pieces := newMemory(t, p, events)
	for through := 7; through < len(pieces.byNumber)+37; through += 37 {
		rows := pieces.rewind(int64(through))
		sealAll(t, pieces)
		pieces.rows = rows
	}
	want, got := whole.records["seals"], pieces.records["seals"]
	for account := range want {
		if !bytes.Equal(got[account], want[account]) {
			t.Errorf("account %q is sealed as %s in pieces, as %s at once", account, got[account], want[account])
		}
	}
}

// A process that was slow has a seal that another has passed.
func TestASealNeverGoesBack(t *testing.T) {
	p, events := purchases("a", 30)
	db := newMemory(t, p, events)
	rows := db.rewind(10)
	_, err := verify.Seal(context.Background(), &overtaken{db, func() {
		db.rows = rows
		sealAll(t, db)
	}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	report := check(t, db, verify.Options{Programs: programs{p}})
	expectOnly(t, report)
	if report.Sealed != 30 {
		t.Errorf("%d events are sealed, want the 30 that were", report.Sealed)
	}
}

// overtaken is a database where something happens between what is read of it and
// what is written.
type overtaken struct {
	*memory
	between func()
}

func (o *overtaken) View(_ context.Context, f func(durable.Reader) error) error {
	return f(&slow{o.memory, o.between})
}

// slow has something happen after the events are read.
type slow struct {
	*memory
	between func()
}

func (s *slow) Events(ctx context.Context, from int64, limit int) ([]durable.EventRow, error) {
	defer s.between()
	return s.memory.Events(ctx, from, limit)
}

// What comes after a gap is no part of a chain.
func TestABrokenLogIsSealedUpToWhereItIsBroken(t *testing.T) {
	p, events := purchases("a", 1_500)
	db := newMemory(t, p, events)
	db.log["a"] = slices.Delete(db.log["a"], 700, 701)
	if n := sealAll(t, db); n != 700 {
		t.Errorf("%d events were sealed, want the 700 before the gap", n)
	}
}

func TestASealerGoesRound(t *testing.T) {
	p, events := spending(1_200, 8_000)
	db := newMemory(t, p, events)
	s := verify.NewSealer(db)
	total := 0
	for i, want := range []bool{true, true, true, false, false, false} {
		n, err := s.Seal(context.Background(), 1)
		if err != nil || n > 0 != want {
			t.Errorf("round %d: %d events were sealed: %v", i, n, err)
		}
		total += n
	}
	if total != len(db.byNumber) {
		t.Errorf("%d events were sealed, want %d", total, len(db.byNumber))
	}
}

func TestSealingGoesOnlySoFar(t *testing.T) {
	p, events := spending(1_200, 8_000)
	db := newMemory(t, p, events)
	n, err := verify.Seal(context.Background(), db, 1)
	if err != nil || n < 1 || n > len(db.byNumber)-1 {
		t.Errorf("%d of %d events were sealed, want some: %v", n, len(db.byNumber), err)
	}
}

// Received has no effect on rewards, so that only the chain can tell.
func TestAChangeOfASealedEventIsNamed(t *testing.T) {
	for _, c := range []struct{ length, event, named, from int }{
		{20, 1, 1, 1}, {20, 7, 7, 7}, {20, 20, 20, 20}, {64, 33, 33, 33}, {65, 33, 34, 33}, {65, 65, 65, 65}, {100, 100, 100, 99}, {200, 1, 4, 1},
	} {
		t.Run(fmt.Sprintf("event %d of %d", c.event, c.length), func(t *testing.T) {
			p, events := purchases("a", c.length)
			db := newMemory(t, p, events)
			sealAll(t, db)
			expectOnly(t, check(t, db, verify.Options{Programs: programs{p}}))
			db.log["a"][c.event-1].Received++
			what := fmt.Sprintf("account \"a\", event %d: ", c.named)
			if c.named == c.from {
				what += "sealed event: expected as it was sealed"
			} else {
				what += fmt.Sprintf("one of the sealed events %d to %d: ", c.from, c.named)
			}
			expectOnly(t, check(t, db, verify.Options{Programs: programs{p}}), what)
		})
	}
}

func TestASealedEventThatIsGoneIsNamed(t *testing.T) {
	p, events := purchases("a", 20)
	db := newMemory(t, p, events)
	sealAll(t, db)
	delete(db.byNumber, db.log["a"][19].Number)
	db.log["a"] = db.log["a"][:19]
	report := check(t, db, verify.Options{Programs: programs{p}})
	expectFound(t, report, `account "a", event 20: sealed events: expected events up to 20, found the last is 19`)
}

func TestADamagedSealIsNamed(t *testing.T) {
	p, events := purchases("a", 20)
	for _, c := range []struct{ name, old, new, want string }{
		{"its sequence", `"sequence":20,`, `"sequence":19,`, `account "a": seal: `},
		{"its number", `"number":20,`, `"number":19,`, `account "a", event 20: number of the last sealed event: expected 19, found 20`},
		{"no sequence", `"sequence":20,`, `"sequence":0,`, `account "a": seal: expected a record of the table of seals, found expected a sequence of 1 or more`},
		{"no seal", `{"sequence":20,`, `{"sequence":20,,`, `account "a": seal: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newMemory(t, p, events)
			sealAll(t, db)
			for key, text := range db.records["seals"] {
				db.Put("seals", key, bytes.Replace(text, []byte(c.old), []byte(c.new), 1))
			}
			expectOnly(t, check(t, db, verify.Options{Programs: programs{p}}), c.want)
			db.keep(purchases("a", 30))
			if n, err := verify.Seal(t.Context(), db, 100); c.name != "its number" && (n != 0 || err != nil) {
				t.Errorf("%d events were sealed on top of it: %v", n, err)
			}
		})
	}
}

// Seals are found among those of accounts with names much like it.
func TestSealsOfAccountsWithSimilarNames(t *testing.T) {
	var p *reward.Program
	var events []reward.Event
	for _, account := range []string{"a", "a ", "a!", "aa", "ab", "é", "☃"} {
		var more []reward.Event
		p, more = purchases(account, 3)
		events = append(events, more...)
	}
	db := newMemory(t, p, events)
	if n := sealAll(t, db); n != 21 {
		t.Errorf("%d events were sealed, want 21", n)
	}
	report := check(t, db, verify.Options{Programs: programs{p}})
	if expectOnly(t, report); report.Sealed != 21 {
		t.Errorf("%d events are sealed, want 21", report.Sealed)
	}
	for account := range db.log {
		expectOnly(t, check(t, db, verify.Options{Programs: programs{p}, Account: account}))
	}
	delete(db.rows, "aa")
	delete(db.log, "aa")
	gone := verify.Difference{Account: "aa", What: "rows in seals", Expected: "none, as there is no account", Found: "1"}
	for _, account := range []string{"", "aa"} {
		if found := check(t, db, verify.Options{Programs: programs{p}, Account: account}).Differences; !slices.Contains(found, gone) {
			t.Errorf("of an account that is gone there is %v", found)
		}
	}
}

// The total is what all seals add up to, however they came about.
func TestHowMuchIsSealedIsKeptInTotal(t *testing.T) {
	p, events := spending(1_200, 8_000)
	db := newMemory(t, p, events)
	for through := 1_000; through < len(db.byNumber)+1_000; through += 1_000 {
		rows := db.rewind(int64(through))
		sealAll(t, db)
		db.rows = rows
		r, err := verify.ReadRecorded(t.Context(), db)
		if want := int64(min(through, len(db.byNumber))); err != nil || r.Sealed != want {
			t.Errorf("%d events are sealed: %v; want %d", r.Sealed, err, want)
		}
	}
}
