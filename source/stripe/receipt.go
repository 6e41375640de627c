package stripe

import (
	"fmt"

	"recoup/reward"
	"recoup/source"
)

// line is a line of a receipt. How many of it were bought, which may have a fraction, does
// not matter: the total is what was paid.
type line struct {
	Description string `json:"description"`
	Total       *int64 `json:"total"`
}

// receipt tells what a purchase was of. Items are to be the whole of it, so what the lines
// leave, taxes as a rule, is an item too.
func (w *webhook) receipt() source.Translation {
	t, account, _, err := w.subject()
	switch lines := t.Details.Receipt; {
	case err != nil:
		return source.Dead(err.Error())
	case t.Type != "capture" || t.Amount >= 0:
		return source.Ignore("it is the receipt of no purchase")
	case len(lines) == 0:
		return source.Ignore("the receipt has no lines")
	case len(lines) >= reward.MaxItems:
		return source.Dead(fmt.Sprintf("purchase_details.receipt: expected fewer than %d lines, found %d", reward.MaxItems, len(lines)))
	}
	left := -t.Amount
	var items []reward.Item
	for i, l := range t.Details.Receipt {
		at := fmt.Sprintf("purchase_details.receipt[%d].total", i)
		switch {
		case l.Total == nil:
			return source.Dead(at + ": missing")
		case *l.Total == 0:
			continue
		case *l.Total < 0:
			return source.Dead(at + ": expected zero or more: what a discount is of is not known")
		case *l.Total > left:
			return source.Dead(at + ": expected lines that come to no more than the purchase")
		}
		left -= *l.Total
		name := fmt.Sprint(i + 1)
		if source.IsPlain(l.Description) {
			name += " " + l.Description
		}
		items = append(items, reward.Item{ID: name, Amount: *l.Total})
	}
	if left > 0 {
		items = append(items, reward.Item{ID: "rest", Amount: left})
	}
	e := w.event(reward.TransactionItemized, account, w.at)
	e.Transaction, e.Items = w.Prefixed(t.ID), reward.MakeItems(items)
	return source.Translation{Events: []reward.Event{e}}
}
