package console

import (
	"net/url"
	"strconv"

	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// resolvedPage is reviews that were resolved here, the latest first.
type resolvedPage struct {
	Account, Text string
	Rows          []resolvedRow
	Next, CSV     string
}

type resolvedRow struct {
	triage.Resolved
	Path string
	What string
	How  string
}

// howWords say how a review was resolved.
var howWords = map[string]string{
	reward.RefundLinked.String(): "linked", reward.RefundReversed.String(): "not ours", reward.RefundCounted.String(): "made to count",
	reward.RefundDismissed.String(): "confirmed or dismissed", reward.ChargebackDismissed.String(): "dismissed", reward.TransactionDismissed.String(): "dismissed", reward.RedemptionDismissed.String(): "dismissed",
	reward.AttributeDismissed.String(): "dismissed",
	string(triage.Settled):             "looked at again", "count": "made to count", "admit": "let in", "dismiss": "dismissed",
}

func (c *Console) resolvedAsked(v *visit) triage.Asked {
	before, err := strconv.ParseInt(v.given("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	return triage.Asked{Account: v.given("account"), Text: v.given("text"), Before: before}
}

func (c *Console) resolved(v *visit) error {
	a := c.resolvedAsked(v)
	body := resolvedPage{Account: a.Account, Text: a.Text}
	list, next, err := c.triage.Resolutions(v.ctx(), a, pageLength)
	if err != nil {
		return err
	}
	for i := range list {
		row := resolvedRow{Resolved: list[i], What: v.locale.Say(partName(list[i].Kind)), How: v.say(howWords[list[i].How])}
		if row.Path, err = reviewPath(durable.ReviewView{Part: list[i].Part()}); err != nil {
			return err
		}
		body.Rows = append(body.Rows, row)
	}
	q := url.Values{}
	for name, value := range map[string]string{"account": a.Account, "text": a.Text} {
		if value != "" {
			q.Set(name, value)
		}
	}
	body.CSV = Path + "reviews/resolved.csv?" + q.Encode()
	if next != 0 {
		q.Set("before", strconv.FormatInt(next, 10))
		body.Next = Path + "reviews/resolved?" + q.Encode()
	}
	return v.show("resolved", "reviews", "Resolved reviews", body)
}
