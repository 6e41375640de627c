package probe

import (
	"time"

	"recoup/internal/issuer"
	"recoup/internal/lab/examine"
	"recoup/reward"
)

// FindLag measures how late balances show, with purchases that earn under the
// terms if these are known. Without terms it tries groceries and, where these
// change nothing, purchases in no category. A target at which nothing ever changes
// stays unknown, and is read patiently.
func (c *Client) FindLag(p *reward.Program) error {
	tries := []examine.Sample{{Amount: modest, Merchant: "m1", Category: "GROCERY"}, {Amount: modest, Merchant: "m1"}}
	if p != nil {
		sample, ok := sampleOf(p, &c.can)
		if !ok {
			return nil
		}
		tries = []examine.Sample{sample}
	}
	for _, s := range tries {
		from := time.Date(2023, time.January, 5, 10, 0, 0, 0, time.UTC)
		lag, err := c.MeasureLag(issuer.Settlement{Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category}, from)
		if err != nil || lag.Known {
			return err
		}
	}
	return nil
}
