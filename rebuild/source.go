package rebuild

import (
	"context"

	"recoup/store/durable"
	"recoup/store/record"
)

// Source is an older database. It is only read.
type Source interface {
	// EventsOf calls f with every event of the log, by account in byte order and then in
	// order, as of one moment. What f is given is f's only until it returns.
	EventsOf(ctx context.Context, f func(*durable.EventRow) error) error
	// Records calls f with every record of a table. A table that there never was has none.
	Records(ctx context.Context, table string, f func(key string, value []byte) error) error
	// Events says how many events there are, for who wants to see how far it is.
	Events(ctx context.Context) (int64, error)
	Close() error
}

// FromDriver is a database of this program, though its accounts may have been written by
// an earlier one.
func FromDriver(d durable.Driver) Source { return driverSource{d} }

type driverSource struct{ durable.Driver }

// EventsOf implements Source.
func (s driverSource) EventsOf(ctx context.Context, f func(*durable.EventRow) error) error {
	return s.View(ctx, func(r durable.Reader) error { return r.EventsOf(ctx, "", "", f) })
}

// Records implements Source.
func (s driverSource) Records(ctx context.Context, table string, f func(key string, value []byte) error) error {
	return s.Read(ctx, func(r record.Reader) error {
		return r.Scan(ctx, table, record.Span{}, func(key string, value []byte) (bool, error) { return true, f(key, value) })
	})
}

// Events implements Source.
func (s driverSource) Events(ctx context.Context) (events int64, err error) {
	err = s.View(ctx, func(r durable.Reader) (err error) {
		_, events, err = r.Census(ctx)
		return err
	})
	return events, err
}
