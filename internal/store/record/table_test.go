package record_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/store/record"
)

// shelf is a database of one table that is as plain as can be.
type shelf map[string]string

var _ record.Tx = shelf{}

func (s shelf) Get(_ context.Context, _, key string) ([]byte, bool, error) {
	value, ok := s[key]
	return []byte(value), ok, nil
}

func (s shelf) Scan(_ context.Context, _ string, span record.Span, f func(string, []byte) (bool, error)) error {
	keys := slices.Sorted(maps.Keys(s))
	if span.Reversed {
		slices.Reverse(keys)
	}
	for _, key := range keys {
		if !within(span, key) {
			continue
		}
		value := []byte(s[key])
		more, err := f(key, value)
		clear(value) // which may be used until f returns
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (s shelf) Put(_, key string, value []byte) { s[key] = string(value) }
func (s shelf) Delete(_, key string)            { delete(s, key) }

// keys returns the first keys of a span.
func (s shelf) keys(t interface{ Fatal(...any) }, span record.Span, limit int) (keys []string) {
	err := s.Scan(context.Background(), "t", span, func(key string, _ []byte) (bool, error) {
		keys = append(keys, key)
		return len(keys) < limit, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// thing is a value with one of everything that tables have.
type thing struct {
	Text   string   `json:"text"`
	Number int64    `json:"number"`
	Late   int64    `json:"late,omitzero"`
	List   []string `json:"list,omitzero"`
	Other  *thing   `json:"other,omitzero"`
	Bytes  []byte   `json:"bytes,omitzero"`
}

const things record.Table[thing] = "things"

func drawThing(t *rapid.T) *thing {
	v := &thing{
		Text: rapid.String().Draw(t, "text"), Number: rapid.Int64().Draw(t, "number"), Late: rapid.Int64().Draw(t, "late"),
		Bytes: rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "bytes"), List: rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "list"),
	}
	if rapid.Bool().Draw(t, "another") {
		v.Other = &thing{Number: v.Number}
	}
	return v
}

func TestAValueComesBackAsItWasPut(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		s, key, want := make(shelf), text(t, "key"), drawThing(t)
		if _, ok, err := things.Get(ctx, s, key); ok || err != nil {
			t.Fatalf("before it is put it is there: %v, %v", ok, err)
		}
		if err := things.Put(s, key, want); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := things.Get(ctx, s, key); err != nil || !ok || !reflect.DeepEqual(&got, want) {
			t.Fatalf("put was %+v, read %+v (%v, %v)", want, got, ok, err)
		}
		r, err := things.Record(key, want)
		if err != nil || r.Table != "things" || r.Key != key || string(r.Value) != s[key] {
			t.Fatalf("as a record it is %+v (%v), and was put as %s", r, err, s[key])
		}
		things.Delete(s, key)
		things.Delete(s, key)
		if _, ok, err := things.Get(ctx, s, key); ok || err != nil {
			t.Fatalf("deleted it is there: %v, %v", ok, err)
		}
	})
}

// Numbers are read to the last digit: JSON by itself would not promise it.
func TestNumbersAreExact(t *testing.T) {
	s := make(shelf)
	const numbers record.Table[int64] = "numbers"
	for _, want := range []int64{math.MinInt64, -1<<53 - 1, 0, 1<<53 + 1, 1767607200000000001, math.MaxInt64} {
		if err := numbers.Put(s, "n", &want); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := numbers.Get(context.Background(), s, "n"); got != want || !ok || err != nil {
			t.Errorf("put was %d, read %d (%v, %v)", want, got, ok, err)
		}
	}
}

// filled is a shelf of numbers, each under its Key.
func filled(t *testing.T, numbers ...int64) shelf {
	t.Helper()
	s := make(shelf)
	for _, n := range numbers {
		if err := things.Put(s, record.Key(n), &thing{Number: n}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestLists(t *testing.T) {
	ctx, s := context.Background(), filled(t, 3, -2, 0, 5, -7)
	for _, tt := range []struct {
		name  string
		span  record.Span
		limit int
		want  []int64
	}{
		{"all", record.Span{}, 10, []int64{-7, -2, 0, 3, 5}},
		{"the first", record.Span{}, 2, []int64{-7, -2}},
		{"the last", record.Span{}.Reverse(), 2, []int64{5, 3}},
		{"a page on", record.Span{}.After(record.Key(int64(-2))), 2, []int64{0, 3}},
		{"a page back", record.Span{}.Until(record.Key(int64(0))).Reverse(), 2, []int64{-2, -7}},
		{"none of them", record.Span{}, 0, nil},
		{"fewer than none", record.Span{}, -1, nil},
		{"of an empty span", record.Under(int64(4)), 10, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := things.List(ctx, s, tt.span, tt.limit)
			var got []int64
			for _, v := range list {
				got = append(got, v.Number)
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("listed are %d (%v), want %d", got, err, tt.want)
			}
			if n, err := things.Count(ctx, s, tt.span); err != nil || tt.limit == 10 && n != int64(len(tt.want)) {
				t.Errorf("counted are %d (%v), want %d", n, err, len(tt.want))
			}
		})
	}
}

func TestEachGoesOnAsLongAsItIsTold(t *testing.T) {
	ctx, s, stop := context.Background(), filled(t, 1, 2, 3), errors.New("stop")
	for _, tt := range []struct {
		more bool
		err  error
	}{{false, nil}, {true, stop}, {false, stop}} {
		seen := 0
		err := things.Each(ctx, s, record.Span{}, func(key string, v *thing) (bool, error) {
			if seen++; key != record.Key(v.Number) || v.Number != int64(seen) {
				t.Errorf("value %d is %d under %x", seen, v.Number, key)
			}
			return seen < 2 || tt.more, tt.err
		})
		want := 2
		if tt.err != nil {
			want = 1
		}
		if seen != want || !errors.Is(err, tt.err) {
			t.Errorf("told %v, %v after two it goes on to %d (%v)", tt.more, tt.err, seen, err)
		}
	}
}

// What a value does not say is not what the one before it said.
func TestEachValueIsItsOwn(t *testing.T) {
	s := make(shelf)
	s.Put("things", "a", []byte(`{"text":"a","late":5,"list":["x"]}`))
	s.Put("things", "b", []byte(`{"number":1}`))
	list, err := things.List(context.Background(), s, record.Span{}, 10)
	if want := []thing{{Text: "a", Late: 5, List: []string{"x"}}, {Number: 1}}; err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("listed are %+v (%v), want %+v", list, err, want)
	}
}

func TestWhatIsDamagedIsNamed(t *testing.T) {
	ctx := context.Background()
	for _, value := range []string{"", "{", `{"number":"1"}`, `{"number":1.5}`, `{"number":1,"number":2}`, `[]`, "{}{}", "{\"text\":\"\xff\"}"} {
		s := filled(t, 1)
		s.Put("things", "odd", []byte(value))
		_, ok, one := things.Get(ctx, s, "odd")
		_, all := things.List(ctx, s, record.Span{}, 10)
		for _, err := range []error{one, all} {
			if err == nil || ok || !strings.Contains(err.Error(), `table things, record "odd": it is damaged`) {
				t.Errorf("%q: %v, %v, want an error that names it", value, ok, err)
			}
		}
		if n, err := things.Count(ctx, s, record.Span{}); n != 2 || err != nil {
			t.Errorf("%q: counted are %d (%v)", value, n, err)
		}
	}
}

// A later version may have said more.
func TestMembersThatAreNotKnownArePassedOver(t *testing.T) {
	s := shelf{"a": `{"number":1,"more":{"of":["it"]}}`}
	if v, ok, err := things.Get(context.Background(), s, "a"); v.Number != 1 || !ok || err != nil {
		t.Errorf("read is %+v (%v, %v)", v, ok, err)
	}
}

func TestWhatCannotBeWrittenIsNot(t *testing.T) {
	s := make(shelf)
	if err := things.Put(s, "a", &thing{Text: "\xff"}); err == nil || !strings.Contains(err.Error(), "table things") || len(s) != 0 {
		t.Errorf("written is %q (%v)", s, err)
	}
}
