package access_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/postgres"
)

// Two processes have one PostgreSQL.
func TestKeysInPostgreSQL(t *testing.T) {
	ctx := context.Background()
	schema := pgtest.NewSchema(t)
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	process := func() *access.Keys {
		db, err := postgres.Open(ctx, schema, postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return access.New(db, func() time.Time { return now })
	}
	here, there := process(), process()
	key, text, err := here.Create(ctx, access.Key{Name: "core banking", Scopes: scope.Ingest})
	if err != nil {
		t.Fatal(err)
	}
	if p := letIn(t, there, text); p.ID != key.ID || p.Name != "core banking" || p.Scopes != scope.Ingest {
		t.Errorf("the key is of %+v", p)
	}
	refused(t, there, "Bearer rk_aaaaaaaaaaaa_"+text[len(text)-43:], access.Unknown)
	gone, err := here.Revoke(ctx, key.ID)
	if err != nil || gone.Revoked == 0 {
		t.Fatalf("revoked: %+v, %v", gone, err)
	}
	now = now.Add(access.Freshness)
	refused(t, there, "Bearer "+text, access.Revoked)
	if list, err := there.List(ctx); err != nil || !reflect.DeepEqual(list, []access.Key{gone}) {
		t.Errorf("the list is %+v (%v)", list, err)
	}
	if _, err := here.Revoke(ctx, "nosuchkeyyyy"); !errors.Is(err, access.ErrUnknownKey) {
		t.Errorf("revoking what there is not: %v", err)
	}
}
