package durable_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/program"
	"recoup/reward"
)

// What is published can be withdrawn, by the terms before it from the same cycle, until an
// hour before it is in force. It stays listed, in no account's past.
func TestAVersionIsWithdrawnBeforeItIsInForce(t *testing.T) {
	june := since(2026, 6, 1)
	yearly := func(rate string) []byte {
		return fmt.Appendf(nil, "id: a\ncurrency: USD\nrules: [{id: base, rate: %s}, {id: gone, rate: 1%%, cap: {reward: 100, per: year}}]\n", rate)
	}
	for name, now := range map[string]time.Time{"at once": midnight(2026, 1, 15), "in the last moment": june.Time().Add(-time.Hour)} {
		t.Run(name, func(t *testing.T) {
			s := openShelf(t)
			first := s.put(t, "a", yearly("5%"), 0)
			second := s.put(t, "a", paying("a", "USD", "2%"), june) // the yearly cap ends in the middle of a year
			s.now = now
			third := s.put(t, "a", yearly("5%"), june)
			if third.Terms.Earlier != first.Terms || third.Terms.From != second.Terms.From || third.Terms.Version != 3 {
				t.Errorf("the third follows version %d from %v", third.Terms.Earlier.Version, third.Terms.From)
			}
			for _, p := range []*durable.Programs{s.Programs, s.process(t)} {
				refresh(t, p)
				versions := p.Versions("a")
				latest, _ := p.Get("a")
				for c := range reward.Cycle(12) {
					if v := latest.In(first.Terms.CycleAt(since(2026, 1, 15)) + c); v.Version == 2 {
						t.Errorf("version 2 is in force in %v", c)
					}
				}
				if len(versions) != 3 || durable.Replaced(versions, 0) || !durable.Replaced(versions, 1) || durable.Replaced(versions, 2) {
					t.Errorf("of %d versions not the second alone is replaced", len(versions))
				}
			}
			next := s.put(t, "a", paying("a", "USD", "3%"), 0)
			if at, _ := next.Effective(); at != since(2026, 7, 1) || next.Terms.Earlier != third.Terms {
				t.Errorf("the next is from %v after version %d", at, next.Terms.Earlier.Version)
			}
		})
	}
	s := openShelf(t)
	s.put(t, "a", yearly("5%"), 0)
	s.put(t, "a", paying("a", "USD", "2%"), june)
	s.now = june.Time().Add(1 - time.Hour)
	s.refuse(t, "a", yearly("5%"), june, durable.EffectiveInvalid)
}

// shelf is a database with programs and a clock that the test sets.
type shelf struct {
	*durable.Programs
	db  record.Store
	now time.Time
}

// openShelf opens an empty one, in the middle of January 2026.
func openShelf(t *testing.T) *shelf {
	t.Helper()
	return newShelf(t, pebbletest.Open(t))
}

// openPostgresShelf opens an empty one in PostgreSQL.
func openPostgresShelf(t *testing.T) *shelf {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return newShelf(t, db)
}

func newShelf(t *testing.T, db record.Store) *shelf {
	t.Helper()
	s := &shelf{db: db, now: midnight(2026, 1, 15)}
	s.Programs = s.process(t)
	return s
}

// process is another process at the same database.
func (s *shelf) process(t *testing.T) *durable.Programs {
	t.Helper()
	p, err := durable.OpenPrograms(t.Context(), s.db, parseProgram, func() time.Time { return s.now })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parseProgram(document []byte) (*reward.Program, error) {
	return program.Parse("program.yaml", document)
}

func midnight(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func since(year int, month time.Month, day int) reward.Instant {
	return reward.At(midnight(year, month, day))
}

// paying is a program document with one rule.
func paying(id, currency, rate string) []byte {
	return fmt.Appendf(nil, "id: %s\ncurrency: %s\nrules: [{id: base, rate: %s}]\n", id, currency, rate)
}

func (s *shelf) put(t *testing.T, id string, document []byte, effective reward.Instant) durable.ProgramVersion {
	t.Helper()
	v, added, err := s.Put(t.Context(), id, document, effective, "ann")
	if err != nil || !added {
		t.Fatalf("putting %s: added %v, %v", id, added, err)
	}
	return v
}

// refuse has a version refused for the reason, and returns the message.
func (s *shelf) refuse(t *testing.T, id string, document []byte, effective reward.Instant, code string) string {
	t.Helper()
	before := len(s.Versions(id))
	v, added, err := s.Put(t.Context(), id, document, effective, "ann")
	problem := (*durable.ProgramError)(nil)
	if !errors.As(err, &problem) || problem.Code != code || added || v.Terms != nil {
		t.Fatalf("putting %s from %v: %+v, added %v, %v; want the code %s", id, effective, v, added, err, code)
	}
	if after := len(s.process(t).Versions(id)); after != before {
		t.Errorf("what was refused left %d versions, there were %d", after, before)
	}
	return err.Error()
}

func TestFirstVersionIsInForceFromTheBeginning(t *testing.T) {
	s := openShelf(t)
	document := paying("a", "USD", "5%")
	v := s.put(t, "a", document, 0)
	if at, later := v.Effective(); later || v.Terms.Version != 1 || v.Terms.From != 0 || v.Terms.Earlier != nil {
		t.Errorf("the first version is %d from %v (%v), after %v", v.Terms.Version, v.Terms.From, at, v.Terms.Earlier)
	}
	if string(v.Document) != string(document) || v.Actor != "ann" || v.Created != reward.At(s.now) {
		t.Errorf("kept of it: %q by %s at %v", v.Document, v.Actor, v.Created)
	}
	if p, ok := s.Get("a"); !ok || p.Rules[0].Rate.String() != "5%" {
		t.Errorf("the program is %+v, %v", p, ok)
	}
	if p, ok := s.Get("b"); ok {
		t.Errorf("program b, which nobody put, is %+v", p)
	}
	message := s.refuse(t, "b", paying("b", "USD", "1%"), since(2026, 3, 1), durable.EffectiveInvalid)
	if !strings.Contains(message, "from the beginning of time") {
		t.Errorf("the message is %q", message)
	}
}

func TestLaterVersionIsInForceFromItsCycleOn(t *testing.T) {
	s := openShelf(t)
	first := s.put(t, "a", paying("a", "USD", "5%"), 0)
	second := s.put(t, "a", paying("a", "USD", "2%"), since(2026, 3, 1))
	third := s.put(t, "a", paying("a", "USD", "3%"), since(2026, 4, 1))
	if at, later := second.Effective(); !later || at != since(2026, 3, 1) || second.Terms.Version != 2 {
		t.Errorf("the second version is %d from %v, %v", second.Terms.Version, at, later)
	}
	latest, _ := s.Get("a")
	if latest != third.Terms || latest.Earlier != second.Terms || latest.Earlier.Earlier != first.Terms {
		t.Errorf("the latest version does not lead to those before it")
	}
	for at, want := range map[reward.Instant]int32{since(1999, 1, 1): 1, since(2026, 3, 1) - 1: 1, since(2026, 3, 1): 2, since(2026, 4, 1): 3, since(2030, 1, 1): 3} {
		if got := latest.In(reward.CycleAt(at)).Version; got != want {
			t.Errorf("at %v version %d is in force, want %d", at, got, want)
		}
	}
	if v, ok := s.Version("a", 2); !ok || v.Terms != second.Terms {
		t.Errorf("version 2 is %+v, %v", v, ok)
	}
	for _, n := range []int32{0, -1, 4} {
		if v, ok := s.Version("a", n); ok {
			t.Errorf("version %d is %+v", n, v)
		}
	}
}

func TestFromWhenAVersionCanBeInForce(t *testing.T) {
	tests := []struct {
		name      string
		now       time.Time
		effective reward.Instant
		want      string // from when, or a part of the refusal
	}{
		{"the next cycle", midnight(2026, 1, 15), since(2026, 2, 1), "2026-02-01"},
		{"left out", midnight(2026, 1, 15), 0, "2026-02-01"},
		{"just an hour before", midnight(2026, 2, 1).Add(-time.Hour), since(2026, 2, 1), "2026-02-01"},
		{"less than an hour before", midnight(2026, 2, 1).Add(1 - time.Hour), since(2026, 2, 1), "can be in force from 2026-03-01T00:00:00Z at the soonest, not from 2026-02-01T00:00:00Z"},
		{"left out less than an hour before", midnight(2026, 2, 1).Add(1 - time.Hour), 0, "2026-03-01"},
		{"a cycle that has begun", midnight(2026, 1, 15), since(2026, 1, 1), "at the soonest"},
		{"the past", midnight(2026, 1, 15), since(2025, 1, 1), "at the soonest"},
		{"the middle of a cycle", midnight(2026, 1, 15), since(2026, 3, 2), "expected the start of one, such as 2026-04-01T00:00:00Z, not 2026-03-02"},
		{"a nanosecond after the start", midnight(2026, 1, 15), since(2026, 3, 1) + 1, "expected the start of one"},
		{"after the end of times", midnight(2026, 1, 15), since(2200, 1, 1), "before 2199-12-31"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openShelf(t)
			s.put(t, "a", paying("a", "USD", "5%"), 0)
			s.now = tt.now
			if _, err := time.Parse(time.DateOnly, tt.want); err != nil {
				if message := s.refuse(t, "a", paying("a", "USD", "1%"), tt.effective, durable.EffectiveInvalid); !strings.Contains(message, tt.want) {
					t.Errorf("refused with %q, want %q in it", message, tt.want)
				}
				return
			}
			v := s.put(t, "a", paying("a", "USD", "1%"), tt.effective)
			if at, _ := v.Effective(); at.Time().Format(time.DateOnly) != tt.want {
				t.Errorf("in force from %v, want %s", at, tt.want)
			}
		})
	}
}

func TestVersionsFollowEachOther(t *testing.T) {
	s := openShelf(t)
	s.put(t, "a", paying("a", "USD", "5%"), 0)
	s.put(t, "a", paying("a", "USD", "2%"), since(2026, 6, 1))
	s.refuse(t, "a", paying("a", "USD", "3%"), since(2026, 3, 1), durable.EffectiveInvalid)
	v := s.put(t, "a", paying("a", "USD", "3%"), 0)
	if at, _ := v.Effective(); at != since(2026, 7, 1) {
		t.Errorf("as soon as can be is %v, want the cycle after that of version 2", at)
	}
}

func TestTheSameDocumentIsNoNewVersion(t *testing.T) {
	s := openShelf(t)
	five, two := paying("a", "USD", "5%"), paying("a", "USD", "2%")
	s.put(t, "a", five, 0)
	second := s.put(t, "a", two, since(2026, 3, 1))
	for _, effective := range []reward.Instant{0, since(2026, 3, 1), since(2026, 5, 1)} {
		if v, added, err := s.Put(t.Context(), "a", two, effective, "bob"); err != nil || added || v.Terms != second.Terms || v.Actor != "ann" {
			t.Errorf("put again from %v: %+v, added %v, %v", effective, v, added, err)
		}
	}
	// Going back to what was before the latest is a change.
	if v := s.put(t, "a", five, since(2026, 4, 1)); v.Terms.Version != 3 {
		t.Errorf("going back is version %d, want 3", v.Terms.Version)
	}
}

func TestWhatIsNoVersionOfTheProgram(t *testing.T) {
	s := openShelf(t)
	s.put(t, "a", paying("a", "USD", "5%"), 0)
	message := s.refuse(t, "a", []byte("id: a\ncurrency: USD\nrules:\n  - {id: base, rate: 500}\n"), 0, durable.ProgramInvalid)
	if !strings.HasPrefix(message, "program.yaml:4: rules[0].rate: ") {
		t.Errorf("the message is %q, want it to name line and member", message)
	}
	s.refuse(t, "a", paying("b", "USD", "5%"), 0, durable.ProgramMisnamed)
	s.refuse(t, "b", paying("a", "USD", "5%"), 0, durable.ProgramMisnamed)
	s.refuse(t, "", paying(`""`, "USD", "5%"), 0, durable.ProgramInvalid)
	s.refuse(t, "a", paying("a", "EUR", "5%"), 0, durable.CurrencyChanged)
}

func TestTheFirstProgramIsTheDefault(t *testing.T) {
	s := openShelf(t)
	if p, ok := s.Default(); ok {
		t.Errorf("without a program the default is %v", p.ID)
	}
	s.put(t, "z", paying("z", "USD", "5%"), 0)
	s.put(t, "a", paying("a", "EUR", "1%"), 0)
	latest := s.put(t, "z", paying("z", "USD", "2%"), 0)
	if p, ok := s.Default(); !ok || p != latest.Terms {
		t.Errorf("the default is %+v, want the latest version of z", p)
	}
	if p, ok := s.process(t).Default(); !ok || p.ID != "z" || p.Version != 2 {
		t.Errorf("another process has the default %+v", p)
	}
	var ids []string
	for _, v := range s.List() {
		ids = append(ids, fmt.Sprintf("%s %d", v.Terms.ID, v.Terms.Version))
	}
	if got := strings.Join(ids, ", "); got != "a 1, z 2" {
		t.Errorf("the programs are %s", got)
	}
}

func TestRefreshLearnsOfOtherProcesses(t *testing.T) {
	s := openShelf(t)
	there := s.process(t)
	first := s.put(t, "a", paying("a", "USD", "5%"), 0)
	if _, ok := there.Get("a"); ok {
		t.Error("the other process knows before it looks")
	}
	refresh(t, there)
	old, ok := there.Get("a")
	if !ok || old.Version != 1 {
		t.Fatalf("the other process has %+v", old)
	}
	s.put(t, "a", paying("a", "USD", "2%"), 0)
	refresh(t, there)
	if latest, _ := there.Get("a"); latest.Version != 2 || latest.Earlier != old {
		t.Errorf("the other process has %+v; version 1 must stay the one it was", latest)
	}
	if v, _ := s.Version("a", 1); v.Terms != first.Terms {
		t.Error("what is there was replaced")
	}
	// Without anything new the versions are not read, or this one would be missed.
	s.remove(t, "a", 1)
	refresh(t, s.Programs)
}

func refresh(t *testing.T, p *durable.Programs) {
	t.Helper()
	if err := p.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Put looks before it adds, so a version put elsewhere is no reason to fail.
func TestPutKnowsWhatOtherProcessesPut(t *testing.T) {
	s := openShelf(t)
	there := s.process(t)
	s.put(t, "a", paying("a", "USD", "5%"), 0)
	v, added, err := there.Put(t.Context(), "a", paying("a", "USD", "2%"), 0, "bob")
	if err != nil || !added || v.Terms.Version != 2 {
		t.Errorf("the other process puts %+v, added %v, %v", v.Terms, added, err)
	}
	if _, added, err := s.Put(t.Context(), "a", paying("a", "USD", "2%"), 0, "ann"); err != nil || added {
		t.Errorf("the same again, put here: added %v, %v", added, err)
	}
}

// Of many processes that put a version at a time each either adds one, and no
// two the same, or is told of the conflict.
func TestProcessesPutAtATime(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { putAtATime(t, openShelf(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { putAtATime(t, openPostgresShelf(t)) })
}

func putAtATime(t *testing.T, s *shelf) {
	s.put(t, "a", paying("a", "USD", "5%"), 0)
	const processes = 8
	var together, done sync.WaitGroup
	together.Add(1)
	var mu sync.Mutex
	added := map[int32]int{}
	for i := range processes {
		p := s.process(t)
		done.Go(func() {
			together.Wait()
			v, new, err := p.Put(t.Context(), "a", paying("a", "USD", fmt.Sprintf("%d%%", i+10)), 0, "ann")
			mu.Lock()
			defer mu.Unlock()
			problem := (*durable.ProgramError)(nil)
			switch {
			case err == nil && new:
				added[v.Terms.Version]++
			case errors.As(err, &problem) && problem.Code == durable.ProgramConflict:
			default:
				t.Errorf("process %d: added %v, %v", i, new, err)
			}
		})
	}
	together.Done()
	done.Wait()
	refresh(t, s.Programs)
	if len(added) == 0 || len(s.Versions("a")) != len(added)+1 {
		t.Errorf("added were %v, and there are %d versions", added, len(s.Versions("a")))
	}
	for version, n := range added {
		if n != 1 {
			t.Errorf("version %d was added %d times", version, n)
		}
	}
}

// Another process puts a version after this one has looked and before it adds its
// own, when it reads the clock.
func TestAConflictSaysWhatToDo(t *testing.T) {
	s := openShelf(t)
	s.put(t, "a", paying("a", "USD", "5%"), 0)
	once := sync.OnceFunc(func() {
		if _, _, err := s.Put(t.Context(), "a", paying("a", "USD", "2%"), 0, "ann"); err != nil {
			t.Error(err)
		}
	})
	slow, err := durable.OpenPrograms(t.Context(), s.db, parseProgram, func() time.Time { once(); return s.now })
	if err != nil {
		t.Fatal(err)
	}
	_, added, err := slow.Put(t.Context(), "a", paying("a", "USD", "3%"), 0, "bob")
	problem := (*durable.ProgramError)(nil)
	if added || !errors.As(err, &problem) || problem.Code != durable.ProgramConflict || !strings.Contains(err.Error(), "put yours again") {
		t.Fatalf("the slower of two: added %v, %v", added, err)
	}
	if v, added, err := slow.Put(t.Context(), "a", paying("a", "USD", "3%"), 0, "bob"); err != nil || !added || v.Terms.Version != 3 {
		t.Errorf("put again: %+v, added %v, %v", v.Terms, added, err)
	}
}

// Who puts the very first programs at a time agrees on which is the default.
func TestProcessesAgreeOnTheDefault(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *shelf{"SQLite": openShelf, "PostgreSQL": openPostgresShelf} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			var done sync.WaitGroup
			processes := make([]*durable.Programs, 4)
			for i := range processes {
				p := s.process(t)
				processes[i] = p
				done.Go(func() {
					id := fmt.Sprintf("p%d", i)
					if _, _, err := p.Put(t.Context(), id, paying(id, "USD", "5%"), 0, "ann"); err != nil {
						t.Error(err)
					}
				})
			}
			done.Wait()
			want, ok := s.process(t).Default()
			if !ok {
				t.Fatal("there is no default")
			}
			for i, p := range processes {
				refresh(t, p)
				if got, _ := p.Default(); got.ID != want.ID || len(p.List()) != len(processes) {
					t.Errorf("process %d has the default %s of %d programs, want %s of %d", i, got.ID, len(p.List()), want.ID, len(processes))
				}
			}
		})
	}
}

func TestDamagedProgramsAreNamed(t *testing.T) {
	tests := []struct {
		name   string
		damage func(s *shelf, t *testing.T)
		want   string
	}{
		{"not a program", func(s *shelf, t *testing.T) {
			s.change(t, func(tx record.Tx) {
				tx.Put("programs", record.Key("a", int64(2)), []byte(`{"program":"a","version":2,"document":"id: a"}`))
			})
		}, "program a, version 2: program.yaml:1"},
		{"a version is missing", func(s *shelf, t *testing.T) { s.remove(t, "a", 1) }, "program a: expected version 1, found 2"},
		{"the latest version is missing", func(s *shelf, t *testing.T) { s.remove(t, "a", 2) }, "expected 2 versions of programs, found 1"},
		{"a record is no JSON", func(s *shelf, t *testing.T) {
			s.change(t, func(tx record.Tx) { tx.Put("programs", record.Key("a", int64(2)), []byte(`{`)) })
		}, "table programs"},
		{"the default is missing", func(s *shelf, t *testing.T) {
			s.change(t, func(tx record.Tx) { tx.Put("programs_summary", "all", []byte(`{"versions":2,"default":"b"}`)) })
		}, "the default program is b, which is not there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := openShelf(t)
			s.put(t, "a", paying("a", "USD", "5%"), 0)
			s.put(t, "a", paying("a", "USD", "2%"), 0)
			tt.damage(s, t)
			_, err := durable.OpenPrograms(t.Context(), s.db, parseProgram, time.Now)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("opening gives %v, want %q in it", err, tt.want)
			}
		})
	}
}

// change changes records behind the programs' back.
func (s *shelf) change(t *testing.T, f func(record.Tx)) {
	t.Helper()
	err := s.db.Change(t.Context(), func(tx record.Tx) error {
		f(tx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// remove removes a version.
func (s *shelf) remove(t *testing.T, program string, version int64) {
	t.Helper()
	s.change(t, func(tx record.Tx) { tx.Delete("programs", record.Key(program, version)) })
}
