package verify_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// vault is a database that can be opened again and again, and that an insider has
// access to while it is closed.
type vault interface {
	open(testing.TB) durable.Driver
	// tamper has accounts be what the functions make of them.
	tamper(testing.TB, map[string]func(*holdings))
}

// onEveryDatabase runs a test on each kind of database.
func onEveryDatabase(t *testing.T, test func(*testing.T, vault)) {
	t.Run("pebble", func(t *testing.T) { test(t, &pebbleVault{vfs.NewMem()}) })
	t.Run("postgres", func(t *testing.T) { test(t, postgresVault{pgtest.Shared(t).NewDatabase(t)}) })
}

func close(t testing.TB, db durable.Driver) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// service puts events into a database the way a service does.
type service struct {
	testing.TB
	store  *durable.Store
	engine *engine.Engine
}

// serve opens a service with two programs, everyday and gold.
func serve(t testing.TB, db durable.Driver) service {
	t.Helper()
	programs := storedPrograms(t, db)
	document, err := os.ReadFile("../../../program/everyday.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"everyday", "gold"} {
		document := bytes.Replace(document, []byte("id: everyday"), []byte("id: "+id), 1)
		if _, _, err := programs.Put(context.Background(), id, document, 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	received := reward.At(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	now := func() reward.Instant { received++; return received }
	store := durable.New(db, durable.Options{Programs: programs, Now: now})
	return service{t, store, engine.New(store)}
}

func (s service) apply(events []reward.Event) {
	s.Helper()
	if _, err := s.engine.Apply(engine.By(context.Background(), engine.System), events, nil); err != nil {
		s.Fatal(err)
	}
}

// advance closes all cycles up to June 2027.
func (s service) advance() {
	s.Helper()
	to := reward.At(time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC))
	var closings []reward.Event
	err := s.store.EachAccount(context.Background(), func(id string) error {
		closings = append(closings, reward.Event{Source: engine.ClockSource, ID: "close", Account: id, Time: to, Type: reward.CycleClosed})
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	s.apply(closings)
}

// spend applies random traffic.
func (s service) spend(accounts, events int) {
	s.Helper()
	var batch []reward.Event
	for e := range traffic.Generate(traffic.Options{
		Accounts: accounts, Events: events, Seed: 7, Program: program.Everyday(), ReturnShare: 200, OverRefunds: 100, Duplicates: 20, Disorder: 50,
	}) {
		if batch = append(batch, e); len(batch) == 500 {
			s.apply(batch)
			batch = batch[:0]
		}
	}
	s.apply(batch)
}

func storedPrograms(t testing.TB, db durable.Driver) *durable.Programs {
	t.Helper()
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("stored", document) }
	programs, err := durable.OpenPrograms(context.Background(), db, parse, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

// checkStored checks a database under the programs that it has.
func checkStored(t testing.TB, db durable.Driver) *verify.Report {
	t.Helper()
	return check(t, db, verify.Options{Programs: storedPrograms(t, db), PerAccount: 100, Most: 10_000})
}

func TestAnUntouchedStoreHasNoDifferences(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		s := serve(t, db)
		s.spend(30, 4_000)
		expectOnly(t, checkStored(t, db))
		c, leaves := checkpoint(t, db)

		s.apply(eventful("golden"))
		s.advance()
		report := checkStored(t, db)
		expectOnly(t, report)
		if report.Accounts != 31 || report.Events < 3_900 || report.Postings < 2_000 || report.Sealed != c.Events {
			t.Errorf("%+v was checked", report)
		}
		close(t, db)

		db = v.open(t)
		defer db.Close()
		expectOnly(t, check(t, db, verify.Options{Programs: storedPrograms(t, db), Checkpoint: c, Leaves: reader(t, leaves), Workers: 3}))
		sealAll(t, db)
		if report = checkStored(t, db); report.Sealed != report.Events {
			t.Errorf("%d of %d events are sealed", report.Sealed, report.Events)
		}
		expectOnly(t, report)
		if err := report.Record(context.Background(), db); err != nil {
			t.Fatal(err)
		}
		err := db.Read(context.Background(), func(r record.Reader) error {
			text, _, err := r.Get(context.Background(), "checks", "verify")
			if !strings.Contains(string(text), `\"difference_count\":0`) {
				t.Errorf("the result on record is %s", text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// While units of work go on, what is read fits together.
func TestAServiceThatRunsHasNoDifferences(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		defer db.Close()
		s := serve(t, db)
		ctx, stop := context.WithCancel(context.Background())
		served := make(chan error)
		go func() {
			var err error
			for e := range traffic.Generate(traffic.Options{Accounts: 300, Events: 1_000_000, Seed: 8, Program: program.Everyday(), Disorder: 50}) {
				if _, err = s.engine.Apply(ctx, []reward.Event{e}, nil); err != nil {
					break
				}
			}
			served <- err
		}()
		for range 8 {
			expectOnly(t, checkStored(t, db))
			if _, err := verify.Seal(ctx, db, 1<<20); err != nil {
				t.Error(err)
			}
			checkpoint(t, db)
		}
		stop()
		if err := <-served; ctx.Err() == nil || err == nil {
			t.Error(err)
		}
		expectOnly(t, checkStored(t, db))
	})
}
