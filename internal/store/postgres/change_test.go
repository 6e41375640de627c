package postgres_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

const counted record.Table[int64] = "counted"

func count(d *postgres.DB) error {
	return d.Change(context.Background(), func(tx record.Tx) error {
		n, _, err := counted.Get(context.Background(), tx, "n")
		if err != nil {
			return err
		}
		n++
		return counted.Put(tx, "n", &n)
	})
}

func TestChangesOfSeveralProcessesRunOneAfterTheOther(t *testing.T) {
	url := pgtest.NewSchema(t)
	open(t, url, postgres.Options{Migrate: true})
	var running sync.WaitGroup
	for range 4 {
		d := open(t, url, postgres.Options{}) // as another process would
		for range 2 {
			running.Go(func() {
				for range 20 {
					if err := count(d); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	running.Wait()
	var n string
	if err := connect(t, url).QueryRow(context.Background(), `SELECT value FROM records WHERE tab = 'counted'`).Scan(&n); err != nil || n != strconv.Itoa(4*2*20) {
		t.Errorf("%s were counted (%v), want %d", n, err, 4*2*20)
	}
}

func TestAChangeWaitsForNoOtherSchemaAndNotWithoutEnd(t *testing.T) {
	url := pgtest.NewSchema(t)
	d := open(t, url, postgres.Options{Migrate: true})
	same := open(t, url, postgres.Options{LockTimeout: 20 * time.Millisecond})
	other := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	err := d.Change(context.Background(), func(tx record.Tx) error {
		if _, _, err := tx.Get(context.Background(), "t", "k"); err != nil {
			return err
		}
		if err := count(other); err != nil {
			t.Errorf("a change in another schema: %v", err)
		}
		if err := count(same); store.ReachOf(err) != store.Busy {
			t.Errorf("a change in the same one: %v, want that somebody is at it", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Text comes back as it was written, also what PostgreSQL has no text for.
func TestARecordIsKeptToTheByte(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	value := `{"b" : "\u0000\ud800", "a":1.50,"a":2}`
	err := d.Change(context.Background(), func(tx record.Tx) error {
		tx.Put("t", "k", []byte(value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Read(context.Background(), func(r record.Reader) error {
		got, _, err := r.Get(context.Background(), "t", "k")
		if string(got) != value {
			t.Errorf("it is %s, want %s", got, value)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What a scan writes, it does not come upon: it would have no end.
func TestAScanDoesNotChaseWhatItWrites(t *testing.T) {
	d := open(t, pgtest.NewSchema(t), postgres.Options{Migrate: true})
	ctx := context.Background()
	const n = 300 // several pages
	seen := 0
	err := d.Change(ctx, func(tx record.Tx) error {
		for i := range int64(n) {
			tx.Put("t", record.Key(i), []byte("1"))
		}
		return tx.Scan(ctx, "t", record.Span{}, func(key string, value []byte) (bool, error) {
			seen++
			tx.Delete("t", key)
			tx.Put("t", "\xff"+key, value)
			_, ok, err := tx.Get(ctx, "t", key)
			if ok {
				t.Errorf("%q is there, though it was deleted", key)
			}
			return true, err
		})
	})
	if err != nil || seen != n {
		t.Errorf("the scan came upon %d records (%v), want %d", seen, err, n)
	}
}
