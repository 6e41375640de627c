package console

import (
	"fmt"
	"strings"

	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// aboutReview says in a few words what a row of the list is about.
func aboutReview(v *durable.ReviewView) string {
	thing := partName(v.Part.Kind)
	switch v.Kind {
	case reward.WaitsForTransaction:
		if v.Part.Kind == reward.TransactionPart {
			return "A clearing was withdrawn that has not posted"
		}
		return thing + " of a purchase that has not posted"
	case reward.WaitsForFact:
		return thing + " that was undone and has not arrived"
	case reward.FoundNoSpend:
		return thing + " that found no purchase"
	case reward.MatchedWithoutLink:
		return thing + " without a purchase, placed where it fits best"
	case reward.DoubtedLink:
		return thing + " of which somebody guessed the purchase, which does not fit"
	case reward.OverRefunded:
		return "More came back than was paid"
	case reward.Contested:
		return thing + " of which two deliveries disagree"
	case reward.CertainWithoutLink:
		return thing + " without a purchase, of which it can only be one"
	case reward.ReversedBefore:
		return thing + " that came again after it was undone"
	case reward.ForeignCurrency:
		return thing + " in another currency than the account"
	case reward.HasCardNumber:
		return "Something in it looks like the number of a card"
	case reward.WaitsForAuthorization:
		return thing + " that was captured and never authorised"
	}
	return thing
}

// partName is what a part is called at the beginning of a sentence.
func partName(kind reward.PartKind) string {
	switch kind {
	case reward.RefundPart:
		return "Refund"
	case reward.ChargebackPart:
		return "Chargeback"
	case reward.RedemptionPart:
		return "Redemption"
	case durable.RefusedFact:
		return "Fact"
	}
	return "Purchase"
}

// reviewWords says at length what is open, and what happens if it is left alone.
type reviewWords struct {
	money    func(int64) string // of the currency
	rewards  func(int64) string
	page     *reviewPage
	parkDays int // how long a refund waits for its purchase; 0: not known
}

func (w *reviewWords) of(v *durable.ReviewView) string {
	switch v.Kind {
	case reward.WaitsForTransaction:
		return w.waits(v)
	case reward.WaitsForFact:
		return fmt.Sprintf("This %s was undone or cancelled, and has not arrived itself. If it still comes, it has no effect.", v.Part.Kind)
	case reward.FoundNoSpend:
		return fmt.Sprintf("This refund names no purchase, and for %s of it none was found. That part takes no reward back. If it is of a purchase that is here, link it; if its purchase was never rewarded here, dismiss it.", w.money(v.Amount))
	case reward.MatchedWithoutLink:
		return fmt.Sprintf("This refund names no purchase. %s of it was placed where it fits best, which takes the reward of those purchases back. Say whether that is right, of which other purchase it is, or that it is of nothing here.", w.money(v.Amount))
	case reward.DoubtedLink:
		return fmt.Sprintf("Who sent this refund guessed that it is of purchase %s. That does not fit: it is of another merchant, cost less than came back, or is too long ago. So %s of it was placed where it fits best. If it is of that purchase after all, link it; if not, dismiss it.", tabular.Visible(v.Transaction), w.money(v.Amount))
	case reward.OverRefunded:
		return fmt.Sprintf("%s more came back for this purchase than was paid. All of its reward is taken back, and what is beyond it counts on other purchases at the same merchant, as far as there are any.", w.money(v.Amount))
	case reward.Contested:
		return w.contested(v)
	case reward.CertainWithoutLink:
		return fmt.Sprintf("This refund names no purchase, and %s of it lies on the only one that it can be of by its merchant, kind and amount. There is nothing to decide.", w.money(v.Amount))
	case reward.ReversedBefore:
		return w.reversedBefore(v)
	case reward.WaitsForAuthorization:
		return w.awaited(v)
	}
	return ""
}

func (w *reviewWords) waits(v *durable.ReviewView) string {
	purchase := tabular.Visible(v.Transaction)
	switch {
	case v.Part.Kind == reward.TransactionPart:
		return "The clearing of this purchase was withdrawn, and has not posted itself. If it still posts, it earns nothing."
	case v.Part.Kind == reward.ChargebackPart && v.Amount == 0:
		return fmt.Sprintf("This chargeback names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", purchase)
	case v.Part.Kind == reward.ChargebackPart:
		return fmt.Sprintf("This chargeback of %s names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", w.money(v.Amount), purchase)
	}
	text := fmt.Sprintf("This refund of %s names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", w.money(v.Amount), purchase)
	if w.parkDays > 0 {
		text += fmt.Sprintf(" From the first statement on after %d days of waiting, it is placed where it fits best instead. What it would take there is held from now on, and cannot be redeemed.", w.parkDays)
	}
	return text
}

// awaited is about a payout that was reported before it was granted.
func (w *reviewWords) awaited(v *durable.ReviewView) string {
	amount := "all that was authorised"
	if v.Amount != 0 {
		amount = w.rewards(v.Amount)
	}
	return fmt.Sprintf("This redemption was captured, of %s, and no authorisation of it was granted here, so nothing was posted. It is posted once the authorisation comes and is granted. If somebody was paid without one, that is settled with them, not here: dismiss it.", amount)
}

// reversedBefore is about what came again after its undo.
func (w *reviewWords) reversedBefore(v *durable.ReviewView) string {
	text := fmt.Sprintf("This %s came again after it was undone, or its undoing came first, so it does not count. Dismiss it if that is right.", strings.ToLower(partName(v.Part.Kind)))
	if v.Part.Kind != reward.RefundPart {
		return text + " If it is another one, have it sent again under a new id."
	}
	if v.Amount != 0 {
		text = fmt.Sprintf("This refund came again, of %s, after it was undone, or its undoing came first, so it does not count. Dismiss it if that is right.", w.money(v.Amount))
	}
	return text + " If a refund was paid out again under its old number, have it count as a refund of its own."
}

// contested compares the delivery that stands with the latest that disagrees.
func (w *reviewWords) contested(v *durable.ReviewView) string {
	end := " Dismiss it if the first one is right. If it is not, have it undone and sent again under a new id."
	if v.Part.Kind == reward.RefundPart {
		end = " Dismiss it if the first one is right. If both are, have the later one count as a refund of its own."
	}
	first, known := w.stands()
	if !known || first == v.Amount || v.Amount == 0 {
		return "Two deliveries disagree. The first one stands, a later one has other contents: compare them below." + end
	}
	return fmt.Sprintf("Two deliveries disagree: the first said %s and stands, a later one said %s.", w.money(first), w.money(v.Amount)) + end
}

// stands is the amount that what is under review has.
func (w *reviewWords) stands() (amount int64, known bool) {
	switch p := w.page; {
	case p.Refund != nil:
		return p.Refund.Amount, true
	case p.Purchase == nil:
		return 0, false
	case p.Part.Kind == reward.TransactionPart:
		return p.Purchase.Amount, true
	default:
		for _, c := range p.Purchase.Chargebacks() {
			if c.ID == p.Part.ID {
				return c.Amount, true
			}
		}
	}
	return 0, false
}

// candidateOf says what speaks for a purchase, and what against it.
func candidateOf(refund *reward.RefundDetail, c *reward.Candidate, money func(int64) string) candidate {
	row := candidate{Candidate: *c}
	say := func(speaksFor bool, text string) {
		if speaksFor {
			row.For = append(row.For, text)
		} else {
			row.Against = append(row.Against, text)
		}
	}
	switch {
	case c.SameMerchant:
		say(true, "same merchant")
	case refund.Merchant != "" && c.Merchant != "":
		say(false, "another merchant")
	}
	switch {
	case c.Exact:
		say(true, "the amount fits exactly")
	case c.Covers:
		say(true, "covers the amount")
	default:
		say(false, "only "+money(c.Left)+" of it is left")
	}
	switch {
	case c.SameKind:
		say(true, "same kind of purchase")
	case refund.SpendKind != "" && c.SpendKind != "":
		say(false, "another kind of purchase")
	}
	say(c.Settled <= refund.At, settledWords(c.Settled, refund.At))
	if !c.InWindow {
		say(false, "outside the time in which refunds are placed by themselves")
	}
	return row
}

// settledWords says how long before or after a refund a purchase settled.
func settledWords(settled, refunded reward.Instant) string {
	switch days := int64((refunded - settled) / reward.Day); {
	case days == 1:
		return "settled 1 day before"
	case days > 1:
		return fmt.Sprintf("settled %d days before", days)
	case days == -1:
		return "settled 1 day after"
	case days < -1:
		return fmt.Sprintf("settled %d days after", -days)
	}
	return "settled within a day of it"
}
