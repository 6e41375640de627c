package verify_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
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
		forget := pieces.rewind(int64(through))
		sealAll(t, pieces)
		forget()
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
	forget := db.rewind(10)
	_, err := verify.Seal(context.Background(), &overtaken{db, func() {
		forget()
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

func (o *overtaken) Inspect(_ context.Context, f func(durable.Inspector) error) error {
	defer o.between()
	return f(o.memory)
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

// counted counts how events are read.
type counted struct {
	*memory
	inOrder, byChain int
}

func (c *counted) Inspect(_ context.Context, f func(durable.Inspector) error) error { return f(c) }

func (c *counted) View(_ context.Context, f func(durable.Reader) error) error { return f(c) }

func (c *counted) Log(ctx context.Context, after, upTo int64, f func(*durable.EventRow) error, damaged func(error) error) error {
	return c.memory.Log(ctx, after, upTo, func(row *durable.EventRow) error {
		c.inOrder++
		return f(row)
	}, damaged)
}

func (c *counted) Events(ctx context.Context, from int64, limit int) ([]durable.EventRow, error) {
	list, err := c.memory.Events(ctx, from, limit)
	c.byChain += len(list)
	return list, err
}

// seal has a Sealer seal until there is nothing new, and so until the seals are written.
func seal(t *testing.T, s *verify.Sealer, events int) (sealed int) {
	t.Helper()
	for {
		n, err := s.Seal(t.Context(), events)
		if err != nil {
			t.Fatal(err)
		}
		if sealed += n; n == 0 {
			return sealed
		}
	}
}

// What is new is read once, in the order of the log, however many accounts it is of.
func TestASealerReadsTheLogOnce(t *testing.T) {
	p, events := spending(1_200, 8_000)
	db := &counted{memory: newMemory(t, p, events)}
	all := len(db.byNumber)
	s := verify.NewSealer(db)
	for _, through := range []int{all / 3, all / 2, all} {
		forget := db.rewind(int64(through))
		seal(t, s, 700)
		forget()
		if pauses := through/700 + 9; db.byChain > 0 || db.inOrder < through || db.inOrder > through+pauses {
			t.Errorf("of %d events %d were read in order and %d by account", through, db.inOrder, db.byChain)
		}
	}
	report := check(t, db, verify.Options{Programs: programs{p}})
	if expectOnly(t, report); report.Sealed != report.Events {
		t.Errorf("%d of %d events are sealed", report.Sealed, report.Events)
	}
	db.inOrder = 0
	if sealed := seal(t, verify.NewSealer(db), 700); sealed != 0 || db.inOrder > 0 {
		t.Errorf("another one read %d events again and sealed %d", db.inOrder, sealed)
	}
}

// A process that is killed leaves events that it has read and not sealed; the next one
// reads them again.
func TestASealerThatIsKilledIsFollowedByAnother(t *testing.T) {
	p, events := spending(50, 3_000)
	whole, db := newMemory(t, p, events), newMemory(t, p, events)
	sealAll(t, whole)
	for range 12 {
		s := verify.NewSealer(db)
		for range 3 {
			if _, err := s.Seal(t.Context(), 200); err != nil {
				t.Fatal(err)
			}
		}
	}
	seal(t, verify.NewSealer(db), 200)
	for account, want := range whole.records["seals"] {
		if got := db.records["seals"][account]; !bytes.Equal(got, want) {
			t.Errorf("account %q is sealed as %s, without kills as %s", account, got, want)
		}
	}
}

// Of several processes one may commit an event under a number that it was given long
// before, when the log has been read past it.
func TestAnEventThatWasPassedByIsSealed(t *testing.T) {
	for _, later := range []int{0, 1} { // events of the account after it
		p, events := purchases("a", 20)
		for _, id := range []string{"b", "c"} {
			_, more := purchases(id, 20)
			events = append(events, more...)
		}
		db := newMemory(t, p, events)
		late := db.log["a"][12 : 13+later]
		whole, row := db.log["a"], db.rows["a"]
		db.log["a"] = db.log["a"][:12]
		before := row
		before.Version, before.Last = 12, db.log["a"][11].Number
		db.rows["a"] = before
		s := verify.NewSealer(db)
		seal(t, s, 1_000)
		if later > 0 { // the account goes on, with numbers above
			late[1].Number += 1_000
			db.byNumber[late[1].Number] = &late[1]
		}
		db.log["a"] = whole[:13+later]
		row.Version, row.Last = int64(13+later), late[later].Number
		db.rows["a"] = row
		if sealed := seal(t, s, 1_000); sealed != 1+later {
			t.Errorf("%d events were sealed, want the %d that were passed by or came after", sealed, 1+later)
		}
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
		forget := db.rewind(int64(through))
		sealAll(t, db)
		forget()
		r, err := verify.ReadRecorded(t.Context(), db)
		if want := int64(min(through, len(db.byNumber))); err != nil || r.Sealed != want {
			t.Errorf("%d events are sealed: %v; want %d", r.Sealed, err, want)
		}
	}
}
