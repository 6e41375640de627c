package verify

import (
	"context"
	"time"

	"recoup/internal/service/approval"
	"recoup/internal/service/security"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// decisions checks what is kept of what people decided: that proposals and versions of
// programs are what the log says, and that the security log is whole.
func (c *run) decisions(ctx context.Context, db Database) error {
	alone, err := approval.CheckAlone(ctx, db.View, c.options.Programs, reward.At(time.Now()))
	if err != nil && !store.IsDamage(err) { // what is damaged was named, and so nothing more is known of it
		return err
	}
	for _, what := range alone {
		c.differ("limits", "what the log says was done alone", what)
	}
	return db.View(ctx, func(r durable.Reader) error {
		wrong, err := approval.Check(ctx, r)
		if err != nil {
			return err
		}
		broken, err := security.Check(ctx, r)
		if err != nil {
			return err
		}
		for _, what := range wrong {
			c.differ("proposals", "what the log says", what)
		}
		if broken != "" {
			c.differ("security log", "a chain that is whole", broken)
		}
		return nil
	})
}
