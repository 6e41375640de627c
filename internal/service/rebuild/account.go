package rebuild

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/service/programs"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// ErrLog says that an account cannot be made anew, for its log does not verify.
var ErrLog = errors.New("its log does not verify")

// Account makes an account anew from its log, if that is sound; otherwise the error is
// ErrLog.
func Account(ctx context.Context, d *durable.Database, account string) (done durable.Rebuilt, err error) {
	programs, err := programs.Open(ctx, d)
	if err != nil {
		return done, err
	}
	var wrong []verify.Difference
	err = d.ViewOf(ctx, account, func(r durable.Reader) (err error) {
		wrong, err = verify.Log(ctx, r, programs, account)
		return err
	})
	if err != nil {
		return done, err
	}
	if len(wrong) > 0 {
		return done, fmt.Errorf("account %s cannot be made anew, for %w (%s, event %d: expected %s, found %s): restore the database from a backup, or make a new one by recoup rebuild if an earlier program wrote it",
			account, ErrLog, wrong[0].What, wrong[0].Event, wrong[0].Expected, wrong[0].Found)
	}
	store := durable.Over(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	return store.Rebuild(ctx, account)
}
