package access_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/service/access"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

// office is a database with keys, a line to it that may be cut, and a clock that the
// test sets.
type office struct {
	*access.Keys
	record.Store
	cut bool
	now time.Time
}

func open(t testing.TB) *office {
	t.Helper()
	o := &office{Store: pebbletest.Open(t), now: time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)}
	o.Keys = o.process()
	return o
}

// process is another process at the same database.
func (o *office) process() *access.Keys {
	return access.New(o, func() time.Time { return o.now })
}

var errCut = errors.New("the line to the database is cut")

func (o *office) Read(ctx context.Context, f func(record.Reader) error) error {
	if o.cut {
		return errCut
	}
	return o.Store.Read(ctx, f)
}

// kept is a key as the database has it.
type kept struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Scopes  string `json:"scopes"`
	Hash    string `json:"hash"`
	Created int64  `json:"created_at"`
	Revoked int64  `json:"revoked_at,omitzero"`
}

const table record.Table[kept] = "keys"

// inDatabase returns a key as the database has it, and the text of its record.
func (o *office) inDatabase(t *testing.T, id string) (k kept, text string) {
	t.Helper()
	err := o.Store.Read(context.Background(), func(r record.Reader) error {
		value, ok, err := r.Get(context.Background(), "keys", id)
		if err != nil || !ok {
			t.Fatalf("the key %s is not stored (%v)", id, err)
		}
		text = string(value)
		return json.Unmarshal(value, &k, json.RejectUnknownMembers(true))
	})
	if err != nil {
		t.Fatalf("stored is %s: %v", text, err)
	}
	return k, text
}

// meddle changes what the database has of a key.
func (o *office) meddle(t *testing.T, id string, change func(*kept)) {
	t.Helper()
	k, _ := o.inDatabase(t, id)
	change(&k)
	o.store(t, func(tx record.Tx) error { return table.Put(tx, id, &k) })
}

func (o *office) store(t *testing.T, f func(record.Tx) error) {
	t.Helper()
	if err := o.Change(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func (o *office) create(t *testing.T, name string, scopes scope.Set) (access.Key, string) {
	t.Helper()
	key, text, err := o.Create(context.Background(), access.Key{Name: name, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key, text
}

// letIn has the key let in, and returns the principal.
func letIn(t *testing.T, k *access.Keys, key string) access.Principal {
	t.Helper()
	p, err := k.Authenticate(context.Background(), "Bearer "+key)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return p
}

// refused has a header refused for the reason.
func refused(t *testing.T, k *access.Keys, header string, why access.Refusal) {
	t.Helper()
	p, err := k.Authenticate(context.Background(), header)
	if !errors.Is(err, why) {
		t.Errorf("header %q gives %+v and %v, want the refusal %q", header, p, err, why)
	}
	ended := why == access.Revoked || why == access.Expired // logs say whose it was
	if p.Scopes != 0 || (p.ID != "") != ended {
		t.Errorf("header %q is refused, and gives the principal %+v", header, p)
	}
}
