package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// post appends an event to an account's log.
func post(tx durable.Tx, account string) error {
	ctx := context.Background()
	found, err := tx.Load(ctx, &durable.Request{Accounts: []string{account}, Held: []int64{-1}, Numbers: 1})
	if err != nil {
		return err
	}
	row := durable.AccountRow{Account: account, Head: []byte("head")}
	if len(found.Accounts) == 1 {
		row = found.Accounts[0]
		row.Base = row.Version
	}
	row.Version++
	e := durable.EventRow{Number: found.Numbers[0], Account: account, Sequence: row.Version, Before: row.Last, ID: fmt.Sprint(row.Version), Event: []byte("{}")}
	row.Last = e.Number
	return tx.Write(ctx, &durable.Changes{Accounts: []durable.AccountRow{row}, Events: []durable.EventRow{e}})
}

// versionOf is how many events an account has, by its row and by the log.
func versionOf(t *testing.T, d *postgres.DB, account string) (version int64) {
	t.Helper()
	err := d.View(context.Background(), func(r durable.Reader) error {
		row, _, err := r.Account(context.Background(), account)
		if err != nil {
			return err
		}
		version = row.Version
		logged := int64(0)
		err = r.EventsOf(context.Background(), account, account, func(*durable.EventRow) error { logged++; return nil })
		if logged != version {
			t.Errorf("%s is at version %d, its log has %d events", account, version, logged)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return version
}

func expectVersion(t *testing.T, d *postgres.DB, account string, want int64) {
	t.Helper()
	if got := versionOf(t, d, account); got != want {
		t.Errorf("%s has %d events, want %d", account, got, want)
	}
}

// meeting lets two units of work, each on its first attempt, wait for each other.
type meeting struct{ there sync.WaitGroup }

func newMeeting() *meeting {
	m := new(meeting)
	m.there.Add(2)
	return m
}

func (m *meeting) wait() {
	m.there.Done()
	m.there.Wait()
}

// both runs two units of work at once; each is told which attempt it is. It
// returns how many attempts the two took.
func both(t *testing.T, d *postgres.DB, unit func(worker, attempt int, tx durable.Tx) error) int64 {
	t.Helper()
	var (
		running  sync.WaitGroup
		attempts atomic.Int64
	)
	for worker := range 2 {
		running.Go(func() {
			attempt := 0
			err := d.Update(context.Background(), func(tx durable.Tx) error {
				attempt++
				attempts.Add(1)
				return unit(worker, attempt, tx)
			})
			if err != nil {
				t.Errorf("unit of work %d: %v", worker, err)
			}
		})
	}
	running.Wait()
	return attempts.Load()
}

func TestOfTwoThatMakeAnAccountOneBeginsAgain(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	m := newMeeting()
	attempts := both(t, d, func(_, attempt int, tx durable.Tx) error {
		if attempt == 1 {
			found, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}})
			if err != nil {
				return err
			}
			if len(found.Accounts) != 0 {
				t.Error("the account is there already")
			}
			defer m.wait() // both are to write it as a new one
			return tx.Write(context.Background(), &durable.Changes{
				Accounts: []durable.AccountRow{{Account: "acct-1", Version: 1, Head: []byte("head")}},
				Events:   []durable.EventRow{{Number: 1 << 40, Account: "acct-1", Sequence: 1, ID: "1", Event: []byte("{}")}},
			})
		}
		return post(tx, "acct-1")
	})
	if attempts != 3 {
		t.Errorf("the two took %d attempts, want 3", attempts)
	}
	expectVersion(t, d, "acct-1", 2)
}

func TestADeadlockIsTriedAgain(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	accounts := []string{"acct-1", "acct-2"}
	for _, account := range accounts {
		if err := d.Update(context.Background(), func(tx durable.Tx) error { return post(tx, account) }); err != nil {
			t.Fatal(err)
		}
	}
	m := newMeeting()
	attempts := both(t, d, func(worker, attempt int, tx durable.Tx) error {
		if err := post(tx, accounts[worker]); err != nil {
			return err
		}
		if attempt == 1 {
			// Writes are sent with what is asked next.
			if _, err := tx.Load(context.Background(), new(durable.Request)); err != nil {
				return err
			}
			m.wait()
		}
		return post(tx, accounts[1-worker])
	})
	// The one that begins again may meet the other a second time.
	if attempts < 3 {
		t.Errorf("the two took %d attempts, want 3 or more", attempts)
	}
	for _, account := range accounts {
		expectVersion(t, d, account, 3)
	}
}

// waiting waits until a session is waiting for a row that another has locked.
func waiting(t *testing.T, url string) {
	t.Helper()
	conn := connect(t, url)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		var n int
		if err := conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody waits for the account")
		}
	}
}

func TestALockedAccountIsWaitedFor(t *testing.T) {
	url := pgtest.NewSchema(t)
	d := open(t, url, postgres.Options{Migrate: true})
	if err := d.Update(context.Background(), func(tx durable.Tx) error { return post(tx, "acct-1") }); err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	err := d.Update(context.Background(), func(tx durable.Tx) error {
		if err := post(tx, "acct-1"); err != nil {
			return err
		}
		go func() {
			second <- d.Update(context.Background(), func(tx durable.Tx) error {
				found, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{1}})
				if err == nil && (found.Accounts[0].Version != 2 || found.Accounts[0].Head == nil) {
					t.Errorf("after waiting, the account is %+v, want what was committed meanwhile", found.Accounts[0])
				}
				return err
			})
		}()
		waiting(t, url)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}

func TestALockIsNotWaitedForWithoutEnd(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true, LockTimeout: 20 * time.Millisecond})
	if err := d.Update(context.Background(), func(tx durable.Tx) error { return post(tx, "acct-1") }); err != nil {
		t.Fatal(err)
	}
	err := d.Update(context.Background(), func(tx durable.Tx) error {
		if err := post(tx, "acct-1"); err != nil {
			return err
		}
		if _, err := tx.Load(context.Background(), new(durable.Request)); err != nil {
			return err
		}
		times := 0
		err := d.Update(context.Background(), func(tx durable.Tx) error { times++; return post(tx, "acct-1") })
		var f *store.Failure
		if !errors.As(err, &f) || f.Reach != store.Locked || !slices.Equal(f.Accounts, []string{"acct-1"}) || times != 1 {
			t.Errorf("the second unit of work ends with %v after %d times", err, times)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	expectVersion(t, d, "acct-1", 2)
}

func TestAUnitThatGivesUpSaysSo(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	err := d.Update(context.Background(), func(durable.Tx) error { return durable.ErrConflict })
	if !errors.Is(err, durable.ErrConflict) || !strings.Contains(err.Error(), "gave up after") {
		t.Errorf("the error is %v", err)
	}
}

// An event whose account, source and id are in the log already cannot be logged
// again, even by a unit of work that did not look.
func TestAnIdentityIsLoggedOnce(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	logIt := func(number int64) error {
		return d.Update(context.Background(), func(tx durable.Tx) error {
			return tx.Write(context.Background(), &durable.Changes{Events: []durable.EventRow{{Number: number, Account: "acct-1", Source: "core", ID: "e1", Event: []byte("{}")}}})
		})
	}
	if err := logIt(1); err != nil {
		t.Fatal(err)
	}
	if err := logIt(2); !errors.Is(err, durable.ErrConflict) {
		t.Errorf("logging an identity again: %v, want a conflict", err)
	}
}
