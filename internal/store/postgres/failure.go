package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"recoup/internal/store"
	"recoup/internal/store/durable"
)

// failure says how far an error reaches, for those above that keep one account's trouble
// from the others, and ask again later where that helps. account is the one that it must
// be of if it is of one; "" if that is not known.
func failure(err error, account string) error {
	var known *store.Failure
	if err == nil || errors.As(err, &known) {
		return err
	}
	if isDamage(err) && account == "" {
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	reach := reachOf(err)
	switch {
	case reach == store.Unknown, account == "" && (reach == store.OneAccount || reach == store.OneEvent):
		return err
	case reach != store.OneAccount && reach != store.OneEvent:
		account = ""
	}
	return &store.Failure{Reach: reach, Account: account, Err: err}
}

func reachOf(err error) store.Reach {
	var refusal *pgconn.PgError
	switch {
	case errors.Is(err, durable.ErrConflict):
		return store.Busy
	case errors.Is(err, errUnreachable), errors.Is(err, ErrOutcomeUnknown), errors.Is(err, ErrNotDurable):
		return store.Database
	case !errors.As(err, &refusal):
		return store.Unknown
	case refusal.SeverityUnlocalized != "ERROR":
		return store.Database
	}
	switch {
	case refusal.Code == "57014": // it took longer than statement_timeout
		return store.Busy
	case isDamage(err):
		return store.OneAccount
	}
	switch refusal.Code[:2] {
	case "40", "55": // deadlocks, and locks that were waited for too long
		return store.Busy
	case "22", "23", "54": // values that the database does not take, or that are too long
		return store.OneEvent
	case "08", "0A", "25", "28", "3D", "3F", "42", "53", "57", "58":
		// Its connections, its schema, who may use it, its disk and memory, its
		// operator, its files.
		return store.Database
	}
	return store.Unknown
}
