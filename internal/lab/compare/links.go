package compare

import (
	"cmp"

	"recoup/reward"
)

// unlinking takes from refunds the name of the purchase that they are of, as card
// networks mostly deliver them. What a network says all the same, it goes on
// saying: merchant, code and category are the refund's own or, where it has none of
// them, its purchase's, as far as that was delivered before.
type unlinking struct {
	terms map[[2]string]reward.Terms // by account and purchase
}

func newUnlinking() *unlinking { return &unlinking{make(map[[2]string]reward.Terms)} }

// unlink returns what the designs are given of an event, and whether they are given
// it at all: an announced refund names its purchase, so it goes with the links.
func (u *unlinking) unlink(e reward.Event) (given reward.Event, ok bool) {
	purchase := [2]string{e.Account, e.Transaction}
	switch e.Type {
	case reward.TransactionAuthorized, reward.TransactionSettled:
		t, before := termsOf(&e), u.terms[purchase]
		u.terms[purchase] = reward.Terms{
			Merchant: cmp.Or(t.Merchant, before.Merchant), MCC: cmp.Or(t.MCC, before.MCC), Category: cmp.Or(t.Category, before.Category),
		}
	case reward.RefundPending, reward.RefundCanceled:
		return e, false
	case reward.RefundPosted:
		if e.Transaction == "" {
			break
		}
		if t := u.terms[purchase]; termsOf(&e) == (reward.Terms{}) {
			e.Merchant, e.MCC, e.Category = t.Merchant, t.MCC, t.Category
		}
		e.Transaction = ""
	}
	return e, true
}

func termsOf(e *reward.Event) reward.Terms {
	return reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
}
