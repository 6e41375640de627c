package verify

import (
	"context"

	"recoup/approval"
	"recoup/security"
	"recoup/store/durable"
)

// decisions checks what is kept of what people decided: that proposals and versions of
// programs are what the log says, and that the security log is whole.
func (c *run) decisions(ctx context.Context) error {
	var t tally
	err := c.db.View(ctx, func(r durable.Reader) error {
		t = tally{}
		wrong, err := approval.Check(ctx, r)
		if err != nil {
			return err
		}
		for _, what := range wrong {
			c.astray(&t, Difference{What: "proposals", Expected: "what the log says", Found: what})
		}
		broken, err := security.Check(ctx, r)
		if broken != "" {
			c.astray(&t, Difference{What: "security log", Expected: "a chain that is whole", Found: broken})
		}
		return err
	})
	c.found.add(t.list, t.count)
	return err
}
