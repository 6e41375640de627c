package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"golang.org/x/mod/sumdb/note"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
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
	err = db.View(ctx, func(in durable.Reader) (err error) {
		if r.Run, err = readRun(ctx, in); err != nil {
			return err
		}
		r.Checkpoint, err = readCheckpoint(ctx, in)
		return err
	})
	if err == nil {
		r.Sealed, err = readSealTotal(ctx, db)
	}
	if err != nil {
		return Recorded{}, fmt.Errorf("reading what checks have recorded: %w", err)
	}
	return r, nil
}

func readRun(ctx context.Context, in record.Reader) (*RecordedRun, error) {
	c, ok, err := checks.Get(ctx, in, runCheck)
	if err != nil || !ok {
		return nil, err
	}
	var summary struct {
		Accounts int64 `json:"accounts"`
		Events   int64 `json:"events"`
		Count    int64 `json:"difference_count"`
	}
	if err := json.Unmarshal([]byte(c.Result), &summary); err != nil {
		return nil, fmt.Errorf("%s: %w", runCheck, err)
	}
	return &RecordedRun{c.At, summary.Accounts, summary.Events, summary.Count}, nil
}

func readCheckpoint(ctx context.Context, in record.Reader) (*Checkpoint, error) {
	c, ok, err := checks.Get(ctx, in, checkpointCheck)
	if err != nil || !ok {
		return nil, err
	}
	// Without a verifier's key a note cannot but be unverified.
	_, err = note.Open([]byte(c.Result), note.VerifierList())
	if unverified := (*note.UnverifiedNoteError)(nil); errors.As(err, &unverified) {
		return ParseCheckpoint(unverified.Note.Text)
	}
	return nil, fmt.Errorf("%s: %w", checkpointCheck, err)
}
