package security_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/security"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
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

func TestARefusalThatIsTakenOutShows(t *testing.T) {
	for table, principal := range map[string]string{"security_log_refused": "key1", "security_log_anonymous": ""} {
		for number := range int64(3) {
			store := pebbletest.Open(t)
			log := security.New(store, time.Now)
			for range 3 {
				if err := log.Note(t.Context(), security.Entry{What: security.Refused, Principal: principal}); err != nil {
					t.Fatal(err)
				}
			}
			err := store.Change(t.Context(), func(tx record.Tx) error {
				tx.Delete(table, record.Key(number+1))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if check(t, store) == "" {
				t.Errorf("entry %d of %s is gone, and nothing shows it", number+1, table)
			}
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

// Who has no key is refused as often as they like, and pushes out neither what people did
// nor that others were refused, nor keeps that from being noted.
func TestWhoeverHasNoKeyHidesNothing(t *testing.T) {
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	store := pebbletest.Open(t)
	log := security.New(store, func() time.Time { return now })
	note := func(e security.Entry) {
		t.Helper()
		if err := log.Note(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	note(security.Entry{What: security.KeyMade, Principal: "local:ada", Detail: "key1"})
	note(security.Entry{What: security.Refused, Principal: "key1", Detail: "scope admin"})
	for n := range security.MaxAnonymous + 100 {
		if n%60 == 0 {
			now = now.Add(time.Minute)
		}
		note(security.Entry{What: security.SignInRefused, Address: "192.0.2.1"})
	}
	note(security.Entry{What: security.SignInRefused, Address: "192.0.2.1"})
	note(security.Entry{What: security.Refused, Principal: "key1", Detail: "scope approve"})
	for range 61 {
		note(security.Entry{What: security.Refused, Principal: "key2", Detail: "scope read"})
	}
	note(security.Entry{What: security.Refused, Principal: "key3", Detail: "scope read"})

	var all []security.Entry
	for after := int64(0); ; after = all[len(all)-1].Number {
		page, err := log.After(t.Context(), after, security.MaxPage)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, page...); len(page) < security.MaxPage {
			break
		}
	}
	of := make(map[string]int)
	for i, e := range all {
		if of[e.Principal]++; i > 0 && e.Number <= all[i-1].Number {
			t.Fatalf("after entry %d comes %d", all[i-1].Number, e.Number)
		}
	}
	want := map[string]int{"local:ada": 1, "key1": 2, "": security.MaxAnonymous, "key2": 60, "key3": 1}
	if !maps.Equal(of, want) || all[0].What != security.KeyMade {
		t.Errorf("the log has %v of each principal and begins with %+v, want %v", of, all[0], want)
	}
	back, err := log.Before(t.Context(), 0, 62)
	if err != nil || len(back) != 62 || back[0].Principal != "key3" || back[61].Detail != "scope approve" {
		t.Errorf("the latest are %+v (%v)", back, err)
	}
	if wrong := check(t, store); wrong != "" {
		t.Error(wrong)
	}
}

// A log in which all entries are in one chain goes on.
func TestALogOfOneChainGoesOn(t *testing.T) {
	eachStore(t, func(t *testing.T, store record.Store) {
		ctx := context.Background()
		log := security.New(store, time.Now)
		for range 3 {
			if err := log.Note(ctx, security.Entry{What: security.KeyMade, Principal: "local:ada"}); err != nil {
				t.Fatal(err)
			}
		}
		err := store.Change(ctx, func(tx record.Tx) error { // as it was kept then
			type bound struct {
				Number int64  `json:"number"`
				Hash   string `json:"hash"`
			}
			const bounds record.Table[bound] = "security_log_bounds"
			last, _, err := bounds.Get(ctx, tx, "last")
			if err != nil {
				return err
			}
			return bounds.Put(tx, "last", &last)
		})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := check(t, store); wrong != "" {
			t.Fatal(wrong)
		}
		for _, e := range []security.Entry{{What: security.Refused, Principal: "key1"}, {What: security.KeyRevoked, Principal: "local:ada"}, {What: security.SignInRefused}} {
			if err := log.Note(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		list, err := log.After(ctx, 2, 10)
		if err != nil || len(list) != 4 || list[3].Number != 6 || list[3].What != security.SignInRefused {
			t.Errorf("the log has %+v (%v)", list, err)
		}
		if wrong := check(t, store); wrong != "" {
			t.Error(wrong)
		}
	})
}
