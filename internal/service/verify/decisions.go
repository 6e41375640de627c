package verify

import (
	"context"

	"recoup/internal/service/approval"
	"recoup/internal/service/security"
	"recoup/internal/store/durable"
)

// decisions checks what is kept of what people decided: that proposals and versions of
// programs are what the log says, and that the security log is whole.
func (c *run) decisions(ctx context.Context, db Database) error {
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
