package verify

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"golang.org/x/mod/sumdb/note"

	"recoup/reward"
)

// Recorded is what the latest checks have left in a database. Whoever can write
// to the database can write that too: it is for those who look at the service,
// and proves nothing.
type Recorded struct {
	Run        *RecordedRun // nil: there was none
	Checkpoint *Checkpoint  // nil: there was none; its signature is not checked
	Sealed     int64        // events that are sealed
}

// RecordedRun is the latest Run over all accounts.
type RecordedRun struct {
	At                            reward.Instant
	Accounts, Events, Differences int64
}

// ReadRecorded reads what the latest checks have left.
func ReadRecorded(ctx context.Context, db Database) (r Recorded, err error) {
	if r.Run, err = readRun(ctx, db); err == nil {
		r.Checkpoint, err = readCheckpoint(ctx, db)
	}
	if err == nil {
		err = db.DB().QueryRowContext(ctx, `SELECT CAST(COALESCE(sum(sequence), 0) AS BIGINT) FROM seals`).Scan(&r.Sealed)
	}
	if err != nil {
		return Recorded{}, fmt.Errorf("reading what checks have recorded: %w", err)
	}
	return r, nil
}

func readRun(ctx context.Context, db Database) (*RecordedRun, error) {
	at, result, ok, err := recorded(ctx, db, runCheck)
	if err != nil || !ok {
		return nil, err
	}
	var summary struct {
		Accounts int64 `json:"accounts"`
		Events   int64 `json:"events"`
		Count    int64 `json:"difference_count"`
	}
	if err := json.Unmarshal([]byte(result), &summary); err != nil {
		return nil, fmt.Errorf("%s: %w", runCheck, err)
	}
	return &RecordedRun{at, summary.Accounts, summary.Events, summary.Count}, nil
}

func readCheckpoint(ctx context.Context, db Database) (*Checkpoint, error) {
	_, result, ok, err := recorded(ctx, db, checkpointCheck)
	if err != nil || !ok {
		return nil, err
	}
	// Without a verifier's key a note cannot but be unverified.
	_, err = note.Open([]byte(result), note.VerifierList())
	if unverified := (*note.UnverifiedNoteError)(nil); errors.As(err, &unverified) {
		return ParseCheckpoint(unverified.Note.Text)
	}
	return nil, fmt.Errorf("%s: %w", checkpointCheck, err)
}

// recorded reads what record wrote; ok is false if there is nothing.
func recorded(ctx context.Context, db Database, name string) (at reward.Instant, result string, ok bool, err error) {
	err = db.DB().QueryRowContext(ctx, db.Rebind(`SELECT at, result FROM checks WHERE name = $1`), name).Scan(&at, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, "", false, nil
	}
	return at, result, err == nil, err
}
