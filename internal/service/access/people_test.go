package access_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// eachStore runs a test on a database of each kind.
func eachStore(t *testing.T, test func(*testing.T, record.Store)) {
	t.Run("pebble", func(t *testing.T) { test(t, open(t)) })
	t.Run("postgres", func(t *testing.T) {
		db, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		test(t, db)
	})
}

func TestNamesThatLookAlikeAreOne(t *testing.T) {
	for _, alike := range [][2]string{
		{"approver", "approver\u200b"}, {"approver", "APPROVER"}, {"approver", " approver\u00a0"}, {"Anna Li", "Anna\u2003 Li"},
		{"office", "of\u00adfice"}, {"\uff21nna", "anna"}, {"ﬁn", "FIN"}, {"Jos\u00e9", "jose\u0301"},
		{"Anna", "An\u034fna"}, {"Anna", "Anna\u115f"}, {"Anna", "\u1160Anna"}, {"Anna", "Anna\u3164"}, {"Anna", "An\uffa0na"}, {"Anna", "Anna\u17b4\u17b5"},
		{"Anna", "Anna\u2800"}, {"Anna Li", "Anna\u2800Li"}, {"Anna", "Anna\ufe0f"}, {"Anna", "Anna\U000e0001\U000e0fff"},
	} {
		if access.Fold(alike[0]) != access.Fold(alike[1]) {
			t.Errorf("%q and %q are two names", alike[0], alike[1])
		}
	}
	for _, nothing := range []string{"\u3164", "\u2800 \u2800", "\u034f\u200b"} {
		if got := access.Normal(nothing); got != "" {
			t.Errorf("of %q, which nobody sees, %q is left", nothing, got)
		}
	}
	if access.Fold("Anna") == access.Fold("Anne") {
		t.Error("Anna and Anne are one")
	}
}

func TestAPersonHasKeysAndSignIns(t *testing.T) {
	eachStore(t, func(t *testing.T, store record.Store) {
		ctx := context.Background()
		people := access.NewPeople(store, time.Now)
		who := func(principal, name string) string {
			t.Helper()
			id, err := people.Who(ctx, principal, name)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		anna, err := people.Add(ctx, "Anna\u200b")
		if err != nil || anna.Name != "Anna" {
			t.Fatalf("Anna is %+v (%v)", anna, err)
		}
		if _, err := people.Add(ctx, "ANNA"); !errors.Is(err, access.ErrNameTaken) {
			t.Errorf("a second Anna: %v", err)
		}
		bob, err := people.Add(ctx, "Bob")
		if err != nil {
			t.Fatal(err)
		}
		for _, principal := range []string{"key1", "oidc:https://id.example.com#anna@example.com"} {
			if _, err := people.Link(ctx, anna.ID, principal); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := people.Link(ctx, bob.ID, "key1"); !errors.Is(err, access.ErrLinked) {
			t.Errorf("Anna's key became Bob's: %v", err)
		}
		if who("key1", "core") != who(access.Subject("https://id.example.com", "anna@example.com"), "anna@example.com") || who("key1", "core") != who("key2", "aNNa\u200d") {
			t.Error("a key, a sign-in and a name of Anna's are several people")
		}
		if who("key1", "core") == who("key3", "Bob") || who("key4", "Carl") == who("key5", "Dora") {
			t.Error("two people are one")
		}
		for _, name := range []string{"Anna", "Carl", "core"} { // they choose it themselves
			if is := who("oidc:eve", name); is != who("oidc:eve", "Eve") || is == who("key1", "core") || is == who("key9", name) {
				t.Errorf("somebody of a provider who calls themself %s is %s", name, is)
			}
		}
		if who(access.Subject("https://other.example.com", "anna@example.com"), "Anna") == who("key1", "core") {
			t.Error("who has Anna's subject at another provider is Anna")
		}
		if _, err := people.Link(ctx, anna.ID, "oidc:anna@example.com"); err == nil || !strings.Contains(err.Error(), "oidc:ISSUER#SUBJECT") {
			t.Errorf("a subject of no provider was linked: %v", err)
		}
		if name, ok, err := people.NameOf(ctx, "key1"); name != "Anna" || !ok || err != nil {
			t.Errorf("key1 is %q's (%v, %v)", name, ok, err)
		}
		if _, err := people.Unlink(ctx, "key1"); err != nil {
			t.Fatal(err)
		}
		if who("key1", "core") == who(access.Subject("https://id.example.com", "anna@example.com"), "x") {
			t.Error("a key that is nobody's any more is Anna's")
		}
	})
}

// A key that is somebody's has their name, whatever it was called when it was made.
func TestAKeyHasTheNameOfItsPerson(t *testing.T) {
	o := open(t)
	key, text := o.create(t, "laptop", access.Operator.Scopes())
	people := access.NewPeople(o, time.Now)
	anna, err := people.Named(context.Background(), "Anna")
	if err == nil {
		_, err = people.Link(context.Background(), anna.ID, key.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := letIn(t, o.process(), text); p.Name != "Anna" {
		t.Errorf("the key is %q's", p.Name)
	}
	again, _, err := o.Rotate(context.Background(), key.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if name, ok, err := people.NameOf(context.Background(), again.ID); name != "Anna" || !ok || err != nil {
		t.Errorf("the key that follows is %q's (%v)", name, err)
	}
}
