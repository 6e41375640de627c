package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/record"
	"recoup/reward"
)

// checks are the latest results of checks, by the name of the check.
const checks record.Table[checked] = "checks"

// The names in the table of checks.
const (
	runCheck        = "verify"     // result: see Report.Record
	checkpointCheck = "checkpoint" // result: the signed note
)

// checked is the result of a check.
type checked struct {
	At     reward.Instant `json:"at"`
	Result string         `json:"result"`
}

// noteCheck notes the latest result of a check.
func noteCheck(ctx context.Context, db Database, name string, c checked) error {
	err := db.Change(ctx, func(tx record.Tx) error { return checks.Put(tx, name, &c) })
	if err != nil {
		return fmt.Errorf("recording the result of %s: %w", name, err)
	}
	return nil
}

// Forget deletes the result of the latest check if it names an account.
func Forget(ctx context.Context, db Database, account string) error {
	name, err := json.Marshal(account)
	if err == nil {
		err = db.Change(ctx, func(tx record.Tx) error {
			c, _, err := checks.Get(ctx, tx, runCheck)
			if err == nil && strings.Contains(c.Result, string(name)) {
				checks.Delete(tx, runCheck)
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("forgetting the result of %s: %w", runCheck, err)
	}
	return nil
}
