package console

import (
	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// aboutReview says in a few words what a row of the list is about.
func aboutReview(l *locale.Locale, v *durable.ReviewView) string {
	thing := l.Say(partName(v.Part.Kind))
	switch v.Kind {
	case reward.WaitsForTransaction:
		if v.Part.Kind == reward.TransactionPart {
			return l.Say("A clearing was withdrawn that has not posted")
		}
		return l.Sprintf("%s of a purchase that has not posted", thing)
	case reward.WaitsForFact:
		return l.Sprintf("%s that was undone and has not arrived", thing)
	case reward.FoundNoSpend:
		return l.Sprintf("%s that found no purchase", thing)
	case reward.MatchedWithoutLink:
		return l.Sprintf("%s without a purchase, placed where it fits best", thing)
	case reward.DoubtedLink:
		return l.Sprintf("%s of which somebody guessed the purchase, which does not fit", thing)
	case reward.OverRefunded:
		return l.Say("More came back than was paid")
	case reward.Contested:
		return l.Sprintf("%s of which two deliveries disagree", thing)
	case reward.CertainWithoutLink:
		return l.Sprintf("%s without a purchase, of which it can only be one", thing)
	case reward.ReversedBefore:
		return l.Sprintf("%s that came again after it was undone", thing)
	case reward.ForeignCurrency:
		return l.Sprintf("%s in another currency than the account", thing)
	case reward.HasCardNumber:
		return l.Say("Something in it looks like the number of a card")
	case reward.WaitsForAuthorization:
		return l.Sprintf("%s that was captured and never authorised", thing)
	case reward.WaitsForAttribute:
		return l.Say("An attribute was withdrawn that was never set")
	}
	return thing
}

// partName is what a part is called at the beginning of a sentence.
func partName(kind reward.PartKind) locale.Text {
	switch kind {
	case reward.RefundPart:
		return "Refund"
	case reward.ChargebackPart:
		return "Chargeback"
	case reward.RedemptionPart:
		return "Redemption"
	case reward.AttributePart:
		return "Attribute"
	case durable.RefusedFact:
		return "Fact"
	}
	return "Purchase"
}

// partWord is what a part is called within a sentence.
func partWord(kind reward.PartKind) locale.Text {
	if kind == reward.TransactionPart {
		return "purchase"
	}
	return locale.Text(kind.String())
}

// reviewWords says at length what is open, and what happens if it is left alone.
type reviewWords struct {
	l        *locale.Locale
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
		return w.l.Sprintf("This %s was undone or cancelled, and has not arrived itself. If it still comes, it has no effect.", w.l.Say(partWord(v.Part.Kind)))
	case reward.FoundNoSpend:
		return w.l.Sprintf("This refund names no purchase, and for %s of it none was found. That part takes no reward back. If it is of a purchase that is here, link it; if its purchase was never rewarded here, dismiss it.", w.money(v.Amount))
	case reward.MatchedWithoutLink:
		return w.l.Sprintf("This refund names no purchase. %s of it was placed where it fits best, which takes the reward of those purchases back. Say whether that is right, of which other purchase it is, or that it is of nothing here.", w.money(v.Amount))
	case reward.DoubtedLink:
		return w.l.Sprintf("Who sent this refund guessed that it is of purchase %s. That does not fit: it is of another merchant, cost less than came back, or is too long ago. So %s of it was placed where it fits best. If it is of that purchase after all, link it; if not, dismiss it.", tabular.Visible(v.Transaction), w.money(v.Amount))
	case reward.OverRefunded:
		return w.l.Sprintf("%s more came back for this purchase than was paid. All of its reward is taken back, and what is beyond it counts on other purchases at the same merchant, as far as there are any.", w.money(v.Amount))
	case reward.Contested:
		return w.contested(v)
	case reward.CertainWithoutLink:
		return w.l.Sprintf("This refund names no purchase, and %s of it lies on the only one that it can be of by its merchant, kind and amount. There is nothing to decide.", w.money(v.Amount))
	case reward.ReversedBefore:
		return w.reversedBefore(v)
	case reward.WaitsForAuthorization:
		return w.awaited(v)
	case reward.WaitsForAttribute:
		return w.l.Say("This attribute was withdrawn, and was never set here. If it is still set, that has no effect. If it will not come, dismiss it.")
	}
	return ""
}

func (w *reviewWords) waits(v *durable.ReviewView) string {
	purchase := tabular.Visible(v.Transaction)
	switch {
	case v.Part.Kind == reward.TransactionPart:
		return w.l.Say("The clearing of this purchase was withdrawn, and has not posted itself. If it still posts, it earns nothing.")
	case v.Part.Kind == reward.ChargebackPart && v.Amount == 0:
		return w.l.Sprintf("This chargeback names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", purchase)
	case v.Part.Kind == reward.ChargebackPart:
		return w.l.Sprintf("This chargeback of %s names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", w.money(v.Amount), purchase)
	}
	text := w.l.Sprintf("This refund of %s names purchase %s, which has not posted, so it takes nothing back yet. It counts once the purchase posts.", w.money(v.Amount), purchase)
	if w.parkDays > 0 {
		text = w.l.Sprintf("%s From the first statement on after %d {2:day|days} of waiting, it is placed where it fits best instead. What it would take there is held from now on, and cannot be redeemed.", text, w.parkDays)
	}
	return text
}

// awaited is about a payout that was reported before it was granted.
func (w *reviewWords) awaited(v *durable.ReviewView) string {
	amount := w.l.Say("all that was authorised")
	if v.Amount != 0 {
		amount = w.rewards(v.Amount)
	}
	return w.l.Sprintf("This redemption was captured, of %s, and no authorisation of it was granted here, so nothing was posted. It is posted once the authorisation comes and is granted. If somebody was paid without one, that is settled with them, not here: dismiss it.", amount)
}

// reversedBefore is about what came again after its undo.
func (w *reviewWords) reversedBefore(v *durable.ReviewView) string {
	text := w.l.Sprintf("This %s came again after it was undone, or its undoing came first, so it does not count. Dismiss it if that is right.", w.l.Say(partWord(v.Part.Kind)))
	if v.Part.Kind != reward.RefundPart {
		return w.l.Sprintf("%s If it is another one, have it sent again under a new id.", text)
	}
	if v.Amount != 0 {
		text = w.l.Sprintf("This refund came again, of %s, after it was undone, or its undoing came first, so it does not count. Dismiss it if that is right.", w.money(v.Amount))
	}
	return w.l.Sprintf("%s If a refund was paid out again under its old number, have it count as a refund of its own.", text)
}

// contested compares the delivery that stands with the latest that disagrees.
func (w *reviewWords) contested(v *durable.ReviewView) string {
	end := w.l.Say("Dismiss it if the first one is right. If it is not, have it undone and sent again under a new id.")
	if v.Part.Kind == reward.RefundPart {
		end = w.l.Say("Dismiss it if the first one is right. If both are, have the later one count as a refund of its own.")
	}
	first, known := w.stands()
	if !known || first == v.Amount || v.Amount == 0 {
		return w.l.Sprintf("Two deliveries disagree. The first one stands, a later one has other contents: compare them below. %s", end)
	}
	return w.l.Sprintf("Two deliveries disagree: the first said %s and stands, a later one said %s. %s", w.money(first), w.money(v.Amount), end)
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
func candidateOf(l *locale.Locale, refund *reward.RefundDetail, c *reward.Candidate, money func(int64) string) candidate {
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
		say(true, l.Say("same merchant"))
	case refund.Merchant != "" && c.Merchant != "":
		say(false, l.Say("another merchant"))
	}
	switch {
	case c.Exact:
		say(true, l.Say("the amount fits exactly"))
	case c.Covers:
		say(true, l.Say("covers the amount"))
	default:
		say(false, l.Sprintf("only %s of it is left", money(c.Left)))
	}
	switch {
	case c.SameKind:
		say(true, l.Say("same kind of purchase"))
	case refund.SpendKind != "" && c.SpendKind != "":
		say(false, l.Say("another kind of purchase"))
	}
	say(c.Settled <= refund.At, settledWords(l, c.Settled, refund.At))
	if !c.InWindow {
		say(false, l.Say("outside the time in which refunds are placed by themselves"))
	}
	return row
}

// settledWords says how long before or after a refund a purchase settled.
func settledWords(l *locale.Locale, settled, refunded reward.Instant) string {
	switch days := int64((refunded - settled) / reward.Day); {
	case days >= 1:
		return l.Sprintf("settled %s before", l.Days(days))
	case days <= -1:
		return l.Sprintf("settled %s after", l.Days(-days))
	}
	return l.Say("settled within a day of it")
}
