package security_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/pgtest"
	"recoup/security"
	"recoup/store/pebble/pebbletest"
	"recoup/store/postgres"
	"recoup/store/record"
)

func eachStore(t *testing.T, test func(*testing.T, record.Store)) {
	t.Run("pebble", func(t *testing.T) { test(t, pebbletest.Open(t)) })
	t.Run("postgres", func(t *testing.T) {
		db, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		test(t, db)
	})
}

func check(t *testing.T, store record.Store) (wrong string) {
	t.Helper()
	err := store.Read(context.Background(), func(r record.Reader) (err error) {
		wrong, err = security.Check(context.Background(), r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return wrong
}

func TestAnEntryThatIsChangedShows(t *testing.T) {
	for name, tamper := range map[string]func(tx record.Tx, key string, value []byte){
		"changed": func(tx record.Tx, key string, value []byte) {
			var e map[string]any
			_ = json.Unmarshal(value, &e)
			e["name"] = "somebody else"
			value, _ = json.Marshal(e)
			tx.Put("security_log", key, value)
		},
		"gone": func(tx record.Tx, key string, _ []byte) { tx.Delete("security_log", key) },
	} {
		for _, number := range []int64{1, 2, 3} {
			eachStore(t, func(t *testing.T, store record.Store) {
				ctx := context.Background()
				log := security.New(store, time.Now)
				for _, who := range []string{"key1", "oidc:anna", "key2"} {
					if err := log.Note(ctx, security.Entry{What: security.KeyMade, Principal: who, Name: "Änna", Address: "192.0.2.1", Detail: "a key"}); err != nil {
						t.Fatal(err)
					}
				}
				if wrong := check(t, store); wrong != "" {
					t.Fatalf("untouched: %s", wrong)
				}
				err := store.Change(ctx, func(tx record.Tx) error {
					value, _, err := tx.Get(ctx, "security_log", record.Key(number))
					tamper(tx, record.Key(number), value)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if check(t, store) == "" {
					t.Errorf("entry %d is %s, and nothing shows it", number, name)
				}
			})
		}
	}
}

// Whoever tries keys all day long pushes nothing out of the log.
func TestRefusalsAreBounded(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	store := pebbletest.Open(t)
	log := security.New(store, func() time.Time { return now })
	refuse := func(n int) {
		for range n {
			if err := log.Note(t.Context(), security.Entry{What: security.SignInRefused, Address: "192.0.2.1"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	refuse(1000)
	now = now.Add(time.Minute)
	refuse(1)
	list, err := log.Before(t.Context(), 0, 100)
	if err != nil || len(list) != 61 || list[0].Missed != 940 {
		t.Fatalf("%d entries, the last of which says that %d are missing (%v)", len(list), list[0].Missed, err)
	}
	if after, err := log.After(t.Context(), 60, 10); err != nil || len(after) != 1 || after[0].Number != 61 {
		t.Errorf("after 60 there is %+v (%v)", after, err)
	}
	if wrong := check(t, store); wrong != "" {
		t.Error(wrong)
	}
}
