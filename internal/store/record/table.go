package record

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
)

// Table is a table of values of one type, by its name. Its values are kept as JSON.
type Table[T any] string

// Get returns the value under a key; ok is false if there is none.
func (t Table[T]) Get(ctx context.Context, r Reader, key string) (v T, ok bool, err error) {
	text, ok, err := r.Get(ctx, string(t), key)
	if err != nil || !ok {
		return v, false, err
	}
	err = t.decode(text, key, &v)
	return v, err == nil, err
}

// Each calls f with the values of a span of keys, in the order of the span, until it
// returns false or an error, which it then returns.
func (t Table[T]) Each(ctx context.Context, r Reader, s Span, f func(key string, v *T) (more bool, err error)) error {
	return r.Scan(ctx, string(t), s, func(key string, text []byte) (bool, error) {
		var v T
		if err := t.decode(text, key, &v); err != nil {
			return false, err
		}
		return f(key, &v)
	})
}

// List returns up to limit values of a span of keys, in the order of the span.
func (t Table[T]) List(ctx context.Context, r Reader, s Span, limit int) (list []T, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = t.Each(ctx, r, s, func(_ string, v *T) (bool, error) {
		list = append(list, *v)
		return len(list) < limit, nil
	})
	return list, err
}

// Count counts the records of a span of keys.
func (t Table[T]) Count(ctx context.Context, r Reader, s Span) (n int64, err error) {
	err = r.Scan(ctx, string(t), s, func(string, []byte) (bool, error) {
		n++
		return true, nil
	})
	return n, err
}

// Record is a value to be written under a key.
func (t Table[T]) Record(key string, v *T) (Record, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return Record{}, fmt.Errorf("table %s: %w", t, err)
	}
	return Record{Table: string(t), Key: key, Value: text}, nil
}

// Put writes a value under a key.
func (t Table[T]) Put(tx Tx, key string, v *T) error {
	r, err := t.Record(key, v)
	if err != nil {
		return err
	}
	tx.Put(r.Table, r.Key, r.Value)
	return nil
}

// Delete deletes what is under a key, if there is anything.
func (t Table[T]) Delete(tx Tx, key string) { tx.Delete(string(t), key) }

func (t Table[T]) decode(text []byte, key string, v *T) error {
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("table %s, record %q: it is damaged, or of a later version of recoup: %w", t, key, err)
	}
	return nil
}
