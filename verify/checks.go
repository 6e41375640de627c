package verify

import (
	"context"
	"fmt"

	"recoup/reward"
)

// The names in the table of checks.
const (
	runCheck        = "verify"     // result: see Report.summary
	checkpointCheck = "checkpoint" // result: the signed note
)

// record notes the latest result of a check.
func record(ctx context.Context, db Database, name string, at reward.Instant, result string) error {
	_, err := db.DB().ExecContext(ctx, db.Rebind(
		`INSERT INTO checks (name, at, result) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET at = excluded.at, result = excluded.result`),
		name, int64(at), result)
	if err != nil {
		return fmt.Errorf("recording the result of %s: %w", name, err)
	}
	return nil
}
