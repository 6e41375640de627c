package demo

import (
	"context"
	"crypto/rand"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
)

// origin names the key that the checkpoint is signed with.
const origin = "demo.recoup.example"

// check verifies the database and takes a checkpoint of it, and records both. The
// key is thrown away: it is to show what a checkpoint looks like.
func check(ctx context.Context, d *durable.Database, programs *durable.Programs) error {
	report, err := verify.Run(ctx, d, verify.Options{Programs: programs})
	if err != nil {
		return err
	}
	if report.Count > 0 {
		return fmt.Errorf("%d differences, of which the first is: %v", report.Count, report.Differences[0])
	}
	if err := report.Record(ctx, d); err != nil {
		return err
	}
	key, _, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return err
	}
	checkpoint, err := verify.TakeCheckpoint(ctx, d, func(*verify.Leaf) error { return nil })
	if err != nil {
		return err
	}
	signed, err := checkpoint.Sign(key)
	if err != nil {
		return err
	}
	return verify.RecordCheckpoint(ctx, d, checkpoint, signed)
}
