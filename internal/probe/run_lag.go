package probe

import (
	"fmt"
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

// measureAgain measures how late balances show by the sample, where the first purchases of
// all showed nothing and the sample earns: what shows later than is waited for must not
// look like a missing clawback.
func (r *run) measureAgain() error {
	if r.target.Measure == nil || r.target.Lag().Shown || r.scout.later || r.scout.times > 1 {
		return nil
	}
	s := r.sample
	lag, err := r.target.Measure(sweepFrom, issuer.Settlement{Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
	if err != nil {
		return err
	}
	r.result.Lag = lag.String()
	if r.logf("Changes show %s.", lag); !lag.Shown {
		return fmt.Errorf("probe: %s of a purchase of %s were seen, and nothing within --settle-bound of the same: expected balances that come to rest in that time",
			r.money(r.scout.reward), r.money(s.Amount))
	}
	return nil
}
