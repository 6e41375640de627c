package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// change changes records, which has to succeed.
func (s *subject) change(t *testing.T, f func(record.Tx)) {
	t.Helper()
	if err := s.Change(context.Background(), func(tx record.Tx) error { f(tx); return nil }); err != nil {
		t.Fatalf("Change: %v", err)
	}
}

// put writes records whose values name them.
func (s *subject) put(t *testing.T, table string, keys ...string) {
	t.Helper()
	s.change(t, func(tx record.Tx) {
		for _, k := range keys {
			tx.Put(table, k, valueOf(table, k))
		}
	})
}

func valueOf(table, key string) []byte { return fmt.Appendf(nil, `{"is":"%x/%x"}`, table, key) }

// record reads one record.
func (s *subject) record(t *testing.T, table, key string) (value []byte, ok bool) {
	t.Helper()
	err := s.Read(context.Background(), func(r record.Reader) (err error) {
		value, ok, err = r.Get(context.Background(), table, key)
		return err
	})
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return value, ok
}

// scan reads the keys of a span, and wants each to have its own value.
func scan(t *testing.T, r record.Reader, table string, span record.Span) (keys []string) {
	t.Helper()
	err := r.Scan(context.Background(), table, span, func(key string, value []byte) (bool, error) {
		if !sameJSON(value, valueOf(table, key)) {
			t.Errorf("table %q, key %q: %s, want %s", table, key, value, valueOf(table, key))
		}
		keys = append(keys, key)
		return true, nil
	})
	if err != nil {
		t.Fatalf("Scan: %v", err)
	}
	return keys
}

// sameJSON compares values; a database may write the same text with other spaces.
func sameJSON(a, b []byte) bool {
	return bytes.Equal(bytes.ReplaceAll(a, []byte(" "), nil), bytes.ReplaceAll(b, []byte(" "), nil))
}

func recordsComeBack(t *testing.T, s *subject) {
	if _, ok := s.record(t, "keys", "k1"); ok {
		t.Error("an empty database has a record")
	}
	s.put(t, "keys", "k1", "k2")
	s.put(t, "sessions", "k1")
	for _, at := range [][2]string{{"keys", "k1"}, {"keys", "k2"}, {"sessions", "k1"}} {
		if v, ok := s.record(t, at[0], at[1]); !ok || !sameJSON(v, valueOf(at[0], at[1])) {
			t.Errorf("%v is %s (there: %v)", at, v, ok)
		}
	}
	for _, at := range [][2]string{{"keys", "k"}, {"keys", "k11"}, {"key", "sk1"}, {"keysk", "1"}, {"sessions", "k2"}, {"keys", ""}} {
		if v, ok := s.record(t, at[0], at[1]); ok {
			t.Errorf("%v is %s, and was never put", at, v)
		}
	}
	s.change(t, func(tx record.Tx) {
		tx.Delete("keys", "k1")
		tx.Delete("keys", "k9") // which is not there
		tx.Put("keys", "k2", []byte(`{"again":true}`))
	})
	if _, ok := s.record(t, "keys", "k1"); ok {
		t.Error("what was deleted is there")
	}
	if v, _ := s.record(t, "keys", "k2"); !sameJSON(v, []byte(`{"again":true}`)) {
		t.Errorf("what was put again is %s", v)
	}
	if _, ok := s.record(t, "sessions", "k1"); !ok {
		t.Error("a record of another table was deleted")
	}
}

func scanSpans(t *testing.T, s *subject) {
	keys := []string{"", "A", "B", "a", "a-1", "a1", "b", "ä", "\U0001F600"}
	s.put(t, "here", keys...)
	s.put(t, "her", "A", "e")
	s.put(t, "here2", "A")
	spans := []record.Span{
		{}, {From: "a"}, {Before: "a"}, {From: "a", Before: "a1"}, {From: "a", Before: "a"}, {From: "b", Before: "a"}, {From: "x"},
		record.Span{}.After("a"), record.Span{}.Until(""), record.Span{From: "A"}.Until("a1"), record.Span{}.After("\U0001F600"),
	}
	err := s.Read(context.Background(), func(r record.Reader) error {
		for _, span := range spans {
			var want []string
			for _, k := range keys {
				if k >= span.From && (span.Before == "" || k < span.Before) {
					want = append(want, k)
				}
			}
			if got := scan(t, r, "here", span); !slices.Equal(got, want) {
				t.Errorf("%+v: %q, want %q", span, got, want)
			}
			slices.Reverse(want)
			if got := scan(t, r, "here", span.Reverse()); !slices.Equal(got, want) {
				t.Errorf("%+v backwards: %q, want %q", span, got, want)
			}
		}
		if got := scan(t, r, "nothing", record.Span{}); got != nil {
			t.Errorf("a table that nobody wrote to has %q", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func scanStopped(t *testing.T, s *subject) {
	s.put(t, "t", "a", "b", "c", "d")
	enough := errors.New("enough")
	for _, span := range []record.Span{{}, {Reversed: true}} {
		for _, want := range []error{nil, enough} {
			times := 0
			err := s.Read(context.Background(), func(r record.Reader) error {
				return r.Scan(context.Background(), "t", span, func(string, []byte) (bool, error) {
					times++
					if times == 2 {
						return false, want
					}
					return true, nil
				})
			})
			if times != 2 || !errors.Is(err, want) {
				t.Errorf("stopped after 2 with %v: %d records and %v", want, times, err)
			}
		}
	}
}

func recordsOfAnyBytes(t *testing.T, s *subject) {
	odd := []string{"", "\x00", "\x00\x00", "\x00\x01", "\x00\xff", "\x01", "a", "a\x00", "a\x00\x01b", "a\x00b", "a\x01", "a\xff", "b", "\xfe", "\xff", "\xff\x00", "\xff\xff"}
	// Names of tables are text, and may begin with one another's.
	tables := []string{"A", "a", "a\x01", "ab", "b", "ä"}
	for _, table := range tables {
		s.put(t, table, odd...)
	}
	err := s.Read(context.Background(), func(r record.Reader) error {
		for _, table := range tables {
			if got := scan(t, r, table, record.Span{}); !slices.Equal(got, odd) {
				t.Errorf("table %q has %q, want %q", table, got, odd)
			}
			if got := scan(t, r, table, record.Span{From: "a", Before: "a\x01"}); !slices.Equal(got, odd[6:10]) {
				t.Errorf("table %q from %q on before %q has %q, want %q", table, "a", "a\x01", got, odd[6:10])
			}
			for _, k := range odd {
				if v, ok, err := r.Get(context.Background(), table, k); err != nil || !ok || !sameJSON(v, valueOf(table, k)) {
					t.Errorf("table %q, key %q: %s (there: %v, %v)", table, k, v, ok, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func changeReadsItself(t *testing.T, s *subject) {
	s.put(t, "t", "a", "b", "c")
	err := s.Change(context.Background(), func(tx record.Tx) error {
		tx.Put("t", "d", valueOf("t", "d"))
		tx.Delete("t", "b")
		if got := scan(t, tx, "t", record.Span{}); !slices.Equal(got, []string{"a", "c", "d"}) {
			t.Errorf("a change reads %q, and has put d and deleted b", got)
		}
		if _, ok, err := tx.Get(context.Background(), "t", "b"); ok || err != nil {
			t.Errorf("what the change has deleted is there (%v)", err)
		}
		v, ok, err := tx.Get(context.Background(), "t", "d")
		if !ok || !sameJSON(v, valueOf("t", "d")) {
			t.Errorf("what the change has put is %s (there: %v)", v, ok)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func changeIsAtomic(t *testing.T, s *subject) {
	s.put(t, "t", "a")
	failure := errors.New("on second thoughts")
	change := func(tx record.Tx) {
		tx.Delete("t", "a")
		tx.Put("t", "b", []byte("{}"))
	}
	err := s.Change(context.Background(), func(tx record.Tx) error {
		change(tx)
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("Change returns %v, want what the change returned", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.Change(context.Background(), func(tx record.Tx) error {
			change(tx)
			panic("in a change")
		})
	}()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Change(ctx, func(tx record.Tx) error { change(tx); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is cancelled: %v, want it to say so", err)
	}
	if _, ok := s.record(t, "t", "a"); !ok {
		t.Error("a change that failed has deleted something")
	}
	if _, ok := s.record(t, "t", "b"); ok {
		t.Error("a change that failed has put something")
	}
	s.put(t, "t", "c")
}

func countedByMany(t *testing.T, s *subject) {
	ctx := context.Background()
	sideBySide(t, workers, func(int, int) error {
		return s.Change(ctx, func(tx record.Tx) error {
			v, _, err := tx.Get(ctx, "t", "count")
			if err != nil {
				return err
			}
			n := 0
			if v != nil {
				if _, err := fmt.Sscan(string(v), &n); err != nil {
					return err
				}
			}
			for range 50 { // so that others come in between, if they can
				runtime.Gosched()
			}
			tx.Put("t", "count", fmt.Append(nil, n+1))
			return nil
		})
	})
	if v, _ := s.record(t, "t", "count"); string(v) != fmt.Sprint(workers*turns) {
		t.Errorf("counted are %s, want %d", v, workers*turns)
	}
}

func recordSnapshot(t *testing.T, s *subject) {
	s.put(t, "t", "a", "b")
	reads := func(r record.Reader) {
		if got := scan(t, r, "t", record.Span{}); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("first %q, want what was there when the reading began", got)
		}
		s.change(t, func(tx record.Tx) { tx.Put("t", "c", valueOf("t", "c")); tx.Delete("t", "a") })
		if got := scan(t, r, "t", record.Span{}); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("then %q, want what was there when the reading began", got)
		}
		if _, ok, err := r.Get(context.Background(), "t", "c"); ok || err != nil {
			t.Errorf("what came later is there (%v)", err)
		}
		s.change(t, func(tx record.Tx) { tx.Delete("t", "c"); tx.Put("t", "a", valueOf("t", "a")) })
	}
	if err := s.Read(context.Background(), func(r record.Reader) error { reads(r); return nil }); err != nil {
		t.Fatal(err)
	}
	s.view(t, func(r durable.Reader) error { reads(r); return nil })
}

func recordsInUnit(t *testing.T, s *subject) {
	s.put(t, "t", "a", "b")
	s.update(t, func(tx durable.Tx) error {
		if got := scan(t, tx, "t", record.Span{}); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("a unit of work reads %q", got)
		}
		v, ok, err := tx.Get(context.Background(), "t", "b")
		if !ok || !sameJSON(v, valueOf("t", "b")) {
			t.Errorf("a unit of work reads %s (there: %v)", v, ok)
		}
		return err
	})
}

func recordsWithEvents(t *testing.T, s *subject) {
	s.put(t, "notices", "old", "kept")
	c := everything("acct-1", 1)
	c.Records = []record.Record{
		{Table: "notices", Key: "new", Value: valueOf("notices", "new")},
		{Table: "notices", Key: "old"},
		{Table: "deliveries", Key: "\x00\xff", Value: valueOf("deliveries", "\x00\xff")},
	}
	s.write(t, *c)
	err := s.Read(context.Background(), func(r record.Reader) error {
		if got := scan(t, r, "notices", record.Span{}); !slices.Equal(got, []string{"kept", "new"}) {
			t.Errorf("notices are %q", got)
		}
		if got := scan(t, r, "deliveries", record.Span{}); !slices.Equal(got, []string{"\x00\xff"}) {
			t.Errorf("deliveries are %q", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := s.account(t, "acct-1"); !ok {
		t.Errorf("the account is %+v", row)
	}
	// Records alone are a unit of work too.
	s.write(t, durable.Changes{Records: []record.Record{{Table: "notices", Key: "new"}}})
	if _, ok := s.record(t, "notices", "new"); ok {
		t.Error("a record that a unit of work deleted is there")
	}
}
