package pebble

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"recoup/internal/store/record"
)

// remoteView reads records through the process that holds them, on one snapshot, and
// remembers what it was answered and what is to be written.
type remoteView struct {
	a       *Attached
	id      string
	release func() error
	read    []query
	written map[string]map[string][]byte // by table and key; nil: deleted
}

var _ record.Tx = (*remoteView)(nil)

func (v *remoteView) ask(ctx context.Context, q query) (a answer, err error) {
	q.View = v.id
	got, err := v.a.post(ctx, "/read", q)
	if err != nil {
		return a, err
	}
	defer got.Body.Close()
	if err := json.NewDecoder(got.Body).Decode(&a); err != nil {
		return a, err
	}
	q.Sum = a.Sum
	v.read = append(v.read, q)
	return a, nil
}

// Get implements record.Reader.
func (v *remoteView) Get(ctx context.Context, table, key string) ([]byte, bool, error) {
	if value, written := v.written[table][key]; written {
		return slices.Clone(value), value != nil, nil
	}
	a, err := v.ask(ctx, query{Table: []byte(table), From: []byte(key), To: []byte(key + "\x00"), Limit: 1})
	if err != nil || len(a.Records) == 0 {
		return nil, false, err
	}
	return append([]byte{}, a.Records[0].Value...), true, nil
}

// Scan implements record.Reader.
func (v *remoteView) Scan(ctx context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) error {
	own := v.ownKeys(table, s)
	// give calls f with a record, or with what was written in its place, after those
	// that were written before it.
	give := func(key string, value []byte, last bool) (bool, error) {
		for len(own) > 0 && (last || comes(own[0], key, s.Reversed)) {
			k := own[0]
			own = own[1:]
			if value := v.written[table][k]; value != nil {
				if more, err := f(k, value); !more || err != nil {
					return false, err
				}
			}
		}
		if last {
			return false, nil
		}
		if len(own) > 0 && own[0] == key {
			value = v.written[table][key]
			own = own[1:]
		}
		if value == nil {
			return true, nil
		}
		return f(key, value)
	}
	for {
		a, err := v.ask(ctx, query{Table: []byte(table), From: []byte(s.From), To: []byte(s.Before), Back: s.Reversed, Limit: page})
		if err != nil {
			return err
		}
		for _, r := range a.Records {
			if more, err := give(string(r.Key), append([]byte{}, r.Value...), false); !more || err != nil {
				return err
			}
		}
		if !a.More {
			_, err := give("", nil, true)
			return err
		}
		last := string(a.Records[len(a.Records)-1].Key)
		if s.Reversed {
			s = s.Until(last)
		} else {
			s = s.After(last)
		}
	}
}

// comes reports whether a key comes before another.
func comes(key, other string, reversed bool) bool {
	if reversed {
		return key > other
	}
	return key < other
}

// ownKeys are the keys of a span that something was written under, in its order.
func (v *remoteView) ownKeys(table string, s record.Span) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(v.written[table])) {
		if key >= s.From && (s.Before == "" || key < s.Before) {
			keys = append(keys, key)
		}
	}
	if s.Reversed {
		slices.Reverse(keys)
	}
	return keys
}

// Put implements record.Tx.
func (v *remoteView) Put(table, key string, value []byte) {
	v.write(table, key, append([]byte{}, value...))
}

// Delete implements record.Tx.
func (v *remoteView) Delete(table, key string) { v.write(table, key, nil) }

func (v *remoteView) write(table, key string, value []byte) {
	if v.written[table] == nil {
		v.written[table] = make(map[string][]byte)
	}
	v.written[table][key] = value
}

// rows are what is to be written.
func (v *remoteView) rows() (list []row) {
	for table, values := range v.written {
		for key, value := range values {
			list = append(list, row{Table: []byte(table), Key: []byte(key), Value: value, Gone: value == nil})
		}
	}
	return list
}
