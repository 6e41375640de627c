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
	code := ""
	if c.can.MCC {
		code = "5411"
	}
	tries := []examine.Sample{{Amount: modest, Merchant: "m1", Category: "GROCERY", MCC: code}, {Amount: modest, Merchant: "m1"}}
	if p != nil {
		sample, ok := sampleOf(p, &c.can)
		if ok {
			tries = []examine.Sample{sample}
		}
	}
	var samples []issuer.Settlement
	for _, s := range tries {
		samples = append(samples, issuer.Settlement{Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
	}
	_, err := c.MeasureLag(time.Date(2023, time.January, 5, 10, 0, 0, 0, time.UTC), samples...)
	return err
}
