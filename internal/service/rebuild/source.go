package rebuild

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// Source is an older database. It is only read.
type Source interface {
	// log calls f with every event of the log, by account in byte order and then in order:
	// all as of one moment, but what is of several lanes as durable.InOrder has it.
	log(ctx context.Context, f func(*past) error) error
	// Records calls f with every record of a table. A table that there never was has none.
	Records(ctx context.Context, table string, f func(key string, value []byte) error) error
	// Events says how many events there are, for who wants to see how far it is.
	Events(ctx context.Context) (int64, error)
	Close() error
}

// FromDatabase is a database of this program, though its accounts may have been written by
// an earlier one. What was refused is read of all lanes, everything else at home.
func FromDatabase(db *durable.Database) Source { return databaseSource{db} }

type databaseSource struct{ *durable.Database }

// log implements Source.
func (s databaseSource) log(ctx context.Context, f func(*past) error) error {
	return durable.InOrder(ctx, s.Database, func(ctx context.Context, r durable.Reader, stretch *durable.Stretch, emit func(string, *past) error) error {
		log := newReader()
		return stretch.Events(ctx, r, func(row *durable.EventRow) error {
			p, err := log.read(row)
			if err != nil {
				return err
			}
			return emit(row.Account, p)
		})
	}, f)
}

// Records implements Source.
func (s databaseSource) Records(ctx context.Context, table string, f func(key string, value []byte) error) error {
	from := []record.Store{s.Store}
	if table == durable.RefusedTable {
		from = s.Database.Records()
	}
	for _, records := range from {
		err := records.Read(ctx, func(r record.Reader) error {
			return r.Scan(ctx, table, record.Span{}, func(key string, value []byte) (bool, error) { return true, f(key, value) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Events implements Source.
func (s databaseSource) Events(ctx context.Context) (events int64, err error) {
	err = s.View(ctx, func(r durable.Reader) (err error) {
		_, events, err = r.Census(ctx)
		return err
	})
	return events, err
}
