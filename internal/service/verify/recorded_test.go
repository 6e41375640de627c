package verify_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"recoup/internal/service/verify"
	"recoup/internal/store/record"
	"recoup/reward"
)

func TestWhatChecksLeaveCanBeRead(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		defer db.Close()
		ctx := context.Background()
		if r, err := verify.ReadRecorded(ctx, db); err != nil || r != (verify.Recorded{}) {
			t.Fatalf("before any check there is %+v, %v", r, err)
		}
		serve(t, db).spend(20, 500)
		before := reward.At(time.Now())
		report := check(t, db, verify.Options{Programs: storedPrograms(t, db)})
		if err := report.Record(ctx, db); err != nil {
			t.Fatal(err)
		}
		taken, _ := checkpoint(t, db)
		key, _, err := note.GenerateKey(rand.Reader, "rewards.example.com")
		if err != nil {
			t.Fatal(err)
		}
		signed, err := taken.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := verify.RecordCheckpoint(ctx, db, taken, signed); err != nil {
			t.Fatal(err)
		}
		r, err := verify.ReadRecorded(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		if r.Run == nil || r.Run.At < before || r.Run.Accounts != report.Accounts || r.Run.Events != report.Events || r.Run.Differences != report.Count {
			t.Errorf("the run is %+v, want that of %+v", r.Run, report)
		}
		if r.Checkpoint == nil || *r.Checkpoint != *taken {
			t.Errorf("the checkpoint is %+v, want %+v", r.Checkpoint, taken)
		}
		if r.Sealed != report.Events || r.Sealed == 0 { // taking a checkpoint seals everything
			t.Errorf("%d events are sealed, want %d", r.Sealed, report.Events)
		}

		for _, name := range []string{"verify", "checkpoint"} {
			err := db.Change(ctx, func(tx record.Tx) error {
				tx.Put("checks", name, []byte(`{"at":1,"result":"x"}`))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := verify.ReadRecorded(ctx, db); err == nil || r != (verify.Recorded{}) {
				t.Errorf("a result of %s that means nothing is read as %+v", name, r)
			}
			if err := report.Record(ctx, db); err != nil {
				t.Fatal(err)
			}
		}
	})
}
