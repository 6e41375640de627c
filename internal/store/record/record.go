// Package record is what is kept beside the accounts: API keys, sessions, proposals,
// endpoints, what waits to be sent, what checks have found. Each is a table of values by
// key. A database keeps them in order and knows nothing of what is in them; the packages
// whose tables they are do. So there is one way to keep such things, however many
// databases there are.
package record

import "context"

// Store is a database that keeps records.
type Store interface {
	// Read runs f on one consistent snapshot of what is committed.
	Read(ctx context.Context, f func(Reader) error) error
	// Change runs f in a transaction, one at a time in the whole database, and commits it
	// durably if f returns nil. What f reads is as it stands then, with what f itself has
	// written. f may be run again where the database asks for it.
	Change(ctx context.Context, f func(Tx) error) error
}

// Reader reads records.
type Reader interface {
	// Get returns the value under a key; ok is false if there is none. The value is the
	// caller's.
	Get(ctx context.Context, table, key string) (value []byte, ok bool, err error)
	// Scan calls f with the records of a table whose keys are in a span, in byte order or,
	// if the span is reversed, against it, until f returns false or an error, which it then
	// returns. The value may be used until f returns.
	Scan(ctx context.Context, table string, s Span, f func(key string, value []byte) (more bool, err error)) error
}

// Tx changes records. What it is given belongs to it until the transaction has ended.
// Failures to write show when it commits.
type Tx interface {
	Reader
	Put(table, key string, value []byte)
	Delete(table, key string)
}

// Record is a value under a key of a table, as it is to be written; a nil Value: it is
// to be deleted. Values are JSON, so that people can read a table with what the database
// has for it.
type Record struct {
	Table, Key string
	Value      []byte
}

// Span selects keys of a table, in byte order: those at or after From and before Before.
// "" is no bound. Where From is not before Before there are none.
type Span struct {
	From, Before string
	Reversed     bool
}

// After leaves out the keys up to one, that one included. It is for going on where a scan
// that is not reversed has ended.
func (s Span) After(key string) Span {
	s.From = max(s.From, key+"\x00")
	return s
}

// Until leaves out the keys from one on, that one included. It is for going on where a
// reversed scan has ended.
func (s Span) Until(key string) Span {
	if key == "" {
		// Nothing is before it, but "" would be no bound.
		s.From, key = max(s.From, "\x00"), "\x00"
	}
	if s.Before == "" || key < s.Before {
		s.Before = key
	}
	return s
}

// Reverse turns the order round.
func (s Span) Reverse() Span {
	s.Reversed = !s.Reversed
	return s
}
