package event

import (
	"recoup/internal/kit/card"
	"recoup/reward"
)

// CardNumber reports whether there is the number of a payment card in a text of the
// event, and in which member of its line: "subject", "data.merchant". A service keeps
// such an event apart, so that no card number comes to rest in a database by somebody's
// mistake in mapping members. Members that exempt names are not looked at; nil: all are.
func CardNumber(e *reward.Event, exempt func(member string) bool) (member string, ok bool) {
	for _, of := range envelope {
		if card.Has(*of.text(e)) && (exempt == nil || !exempt(of.name)) {
			return of.name, true
		}
	}
	for _, m := range cardCandidates {
		if !card.Has(*textOf(m, e)) {
			continue
		}
		switch {
		case m == program: // stands for all that are kept in Fact
			m = facts & (musts[e.Type] | mays[e.Type])
		case m == category && e.Type == reward.AttributeSet:
			m = factName
		case m == method && e.Type == reward.AttributeSet:
			m = value
		}
		if name := "data." + m.name(); exempt == nil || !exempt(name) {
			return name, true
		}
	}
	if name := "data." + labels.name(); card.Has(string(e.Labels)) && (exempt == nil || !exempt(name)) {
		return name, true
	}
	if name := "data." + items.name(); exempt == nil || !exempt(name) {
		for x := range e.Items.All() {
			if card.Has(x.ID) || card.Has(x.Category) || card.Has(string(x.Labels)) {
				return name, true
			}
		}
	}
	return "", false
}

// Names returns which members of a decision of a type name what is there already, for
// CardNumber: ids that were let in although they look like the number of a card.
func Names(t reward.Type) func(member string) bool {
	return func(member string) bool {
		switch member {
		case "subject":
			return true
		case "data.refund", "data.chargeback":
			return t == reward.RefundLinked || t == reward.RefundCounted || t == reward.RefundDismissed || t == reward.ChargebackDismissed
		case "data.redemption":
			return t == reward.RedemptionReversed || t == reward.RedemptionCaptured || t == reward.RedemptionReleased || t == reward.RedemptionDismissed
		case "data.attribute":
			return t == reward.AttributeDismissed
		case "data.transaction":
			return t == reward.RefundLinked || t == reward.TransactionDismissed
		}
		return false
	}
}

// MaskCards masks the card numbers in all texts of an event, as card.Mask does.
func MaskCards(e *reward.Event) {
	for _, of := range envelope {
		mask(of.text(e))
	}
	for _, m := range cardCandidates {
		mask(textOf(m, e))
	}
	e.Labels = reward.Labels(card.Mask(string(e.Labels)))
	e.Items = maskItems(e.Items)
}

func maskItems(l reward.Items) reward.Items {
	if l == "" {
		return ""
	}
	var list []reward.Item
	for x := range l.All() {
		x.ID, x.Category, x.Labels = card.Mask(x.ID), card.Mask(x.Category), reward.Labels(card.Mask(string(x.Labels)))
		list = append(list, x)
	}
	return reward.MakeItems(list)
}

func mask(text *string) { *text = card.Mask(*text) }

// IsTextMember reports whether a member of a line may have a card number in it:
// "subject", "data.merchant".
func IsTextMember(name string) bool {
	for _, of := range envelope {
		if of.name == name {
			return true
		}
	}
	for _, m := range append(cardCandidates[:], refund, chargeback, redemption, adjustment, fact, factName, value, labels, items) {
		if "data."+m.name() == name {
			return true
		}
	}
	return false
}

// envelope are the texts of an event outside its data, by the names of their members.
var envelope = [...]struct {
	name string
	text func(*reward.Event) *string
}{
	{id.name(), func(e *reward.Event) *string { return &e.ID }},
	{source.name(), func(e *reward.Event) *string { return &e.Source }},
	{subject.name(), func(e *reward.Event) *string { return &e.Account }},
}

// cardCandidates are the members of data whose text might be a card number, one
// of them for each that an event keeps.
var cardCandidates = [...]member{transaction, program, merchant, category, method, reason, actor, approver, as}
