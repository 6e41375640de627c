package verify

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// Database is what this package needs of a durable.Driver: a consistent snapshot
// of the accounts, their log and the records, and to change records, which are the
// seals and the results of checks.
type Database interface {
	View(ctx context.Context, f func(durable.Reader) error) error
	Change(ctx context.Context, f func(record.Tx) error) error
}
