package console

import (
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// moment is one event and what became of it, in words.
type moment struct {
	At      reward.Instant
	What    string
	Amount  int64 // of what happened, in minor units
	Money   bool  // there is an amount
	Rewards bool  // the amount is of rewards, not of spend
	// Refused is why it had no effect, or what is to be known besides; empty:
	// nothing.
	Refused string
	Tone    string // good, bad, part or none, for the mark
	Changes []balanceChange
	Event   reward.Event
	By      string // id of who sent it; empty: the log does not say
	Raw     *rawEvent
}

// balanceChange is a posting with its reason.
type balanceChange struct {
	reward.Posting
	Why   any  // as text has it
	Other bool // it is about another purchase than the event
}

// purchaseOf is the purchase that an event is about: the one that it names, or the
// only one whose reward it changed.
func purchaseOf(v *durable.LoggedView) string {
	if v.Event.Transaction != "" {
		return v.Event.Transaction
	}
	if len(v.Postings) == 0 {
		return ""
	}
	only := v.Postings[0].Transaction
	for i := range v.Postings {
		if v.Postings[i].Transaction != only {
			return ""
		}
	}
	return only
}

// momentOfEvent tells an event of the log.
func momentOfEvent(l *locale.Locale, v *durable.LoggedView, purchase string, told reward.Telling) moment {
	told.Cause = &v.Event
	m := moment{
		At: v.Event.Time, What: l.Say(eventWords[v.Event.Type]), Amount: v.Event.Amount, Money: v.Event.HasAmount, Rewards: ofRewards(v.Event.Type), Event: v.Event, By: v.Principal, Raw: rawOf(v),
		Refused: resultWords(l, v.Result), Tone: tones[v.Event.Type],
	}
	if m.What == "" {
		m.What = v.Event.Type.String()
	}
	if v.Event.Type == reward.AttributeSet {
		m.What = l.Sprintf("%s: %s is %s", m.What, tabular.Visible(v.Event.Category), tabular.Visible(v.Event.Method))
	}
	if v.Result.Outcome == reward.Rejected {
		m.Tone = "bad"
	}
	for i := range v.Postings {
		p := v.Postings[i]
		m.Changes = append(m.Changes, balanceChange{p, explained(l, &p, told), purchase != "" && p.Transaction != purchase})
	}
	return m
}

// ofRewards reports whether the amounts of events of a type are of rewards.
func ofRewards(t reward.Type) bool {
	switch t {
	case reward.RedemptionRequested, reward.RedemptionAuthorized, reward.RedemptionCaptured, reward.AdjustmentPosted, reward.ProposalMade:
		return true
	}
	return false
}

// eventWords say what happened.
var eventWords = map[reward.Type]locale.Text{
	reward.TransactionAuthorized: "Authorised", reward.TransactionSettled: "Settled", reward.TransactionCanceled: "Authorisation cancelled",
	reward.TransactionReversed: "Clearing withdrawn", reward.TransactionItemized: "Items of the receipt",
	reward.RefundPending: "Refund announced", reward.RefundPosted: "Refunded", reward.RefundCanceled: "Announced refund cancelled", reward.RefundReversed: "Refund undone",
	reward.ChargebackPosted: "Charged back", reward.ChargebackReversed: "Chargeback undone",
	reward.RedemptionRequested: "Redemption", reward.RedemptionReversed: "Redemption came back",
	reward.RedemptionAuthorized: "Redemption authorised", reward.RedemptionCaptured: "Redemption captured", reward.RedemptionReleased: "Redemption released",
	reward.ProposalMade: "Adjustment proposed", reward.ProposalRejected: "Proposed adjustment not posted",
	reward.AdjustmentPosted: "Adjusted by hand", reward.CycleClosed: "Statement closed", reward.AccountClosed: "Account closed", reward.AccountOpened: "Account opened",
	reward.AttributeSet: "Attribute set", reward.AttributeWithdrawn: "Attribute withdrawn",
	reward.RefundLinked: "Refund linked by hand", reward.RefundCounted: "Refund made to count by hand", reward.RefundDismissed: "Review of a refund dismissed",
	reward.ChargebackDismissed: "Review of a chargeback dismissed", reward.TransactionDismissed: "Review of a purchase dismissed",
	reward.RedemptionDismissed: "Review of a redemption dismissed", reward.AttributeDismissed: "Review of an attribute dismissed",
}

// tones mark what gives and what takes.
var tones = map[reward.Type]string{
	reward.TransactionSettled: "good", reward.RefundPosted: "bad", reward.ChargebackPosted: "bad", reward.TransactionReversed: "bad",
	reward.RefundPending: "part", reward.RedemptionRequested: "blue", reward.RedemptionAuthorized: "part", reward.RedemptionCaptured: "blue", reward.ChargebackReversed: "good", reward.RefundReversed: "good",
}

// resultWords say what became of an event that was not simply applied.
func resultWords(l *locale.Locale, r reward.Result) string {
	if text, ok := unknownWords[r.Code]; ok && r.Outcome == reward.Rejected {
		return l.Say(text)
	}
	if text, ok := codeWords[r.Code]; ok {
		return l.Say(text)
	}
	switch {
	case r.Outcome == reward.Applied && r.Code == reward.NoCode:
		return ""
	case r.Code == reward.NoCode:
		return l.Say(locale.Text(r.Outcome.String()))
	}
	return l.Say(locale.Text(r.Outcome.String())) + ": " + words(r.Code)
}

// codeWords are what the codes of outcomes mean to somebody who reads an account.
var codeWords = map[reward.Code]locale.Text{
	reward.OverRefund:                 "more came back than was paid; what is beyond the purchase counts on others of the merchant, if there are any",
	reward.Matched:                    "it names no purchase, and was placed on those that fit best",
	reward.Unmatched:                  "it names no purchase, and for a part of it none was found",
	reward.TransactionUnknown:         "waits for its purchase, which has not posted",
	reward.AlreadyFinal:               "came too late to count",
	reward.AlreadyReversed:            "had been undone before it came",
	reward.IDReused:                   "refused: another event came under this id",
	reward.TransactionConflict:        "refused: the purchase is there with other contents",
	reward.RefundConflict:             "refused: the refund is there with other contents",
	reward.ChargebackConflict:         "refused: the chargeback is there with other contents",
	reward.RedemptionConflict:         "refused: the redemption is there with other contents",
	reward.OverCapture:                "refused: it is more than was authorised",
	reward.AuthorizationExpired:       "refused: what was authorised has expired",
	reward.AuthorizationReleased:      "refused: what was authorised was released before",
	reward.AuthorizationLimit:         "denied: too many authorisations are open",
	reward.AdjustmentConflict:         "refused: the adjustment is there with other contents",
	reward.RefundUnknown:              "waits for its refund",
	reward.ChargebackUnknown:          "waits for its chargeback",
	reward.RedemptionUnknown:          "refused: there is no such redemption",
	reward.InvalidAmount:              "refused: the amount is none that is possible",
	reward.CurrencyMismatch:           "refused: the amount is in another currency than the account",
	reward.LimitExceeded:              "refused: the account would pass the largest amount",
	reward.InvalidTime:                "refused: the time is none that is possible",
	reward.ProgramUnknown:             "refused: there is no such program",
	reward.ProgramConflict:            "refused: the account belongs to another program",
	reward.AttributeConflict:          "refused: the attribute is there with another value",
	reward.AttributeUnknown:           "waits for its attribute",
	reward.InvalidItems:               "refused: the items do not add up to the amount, or are none that can be",
	reward.ItemsConflict:              "refused: the purchase has other items, or another amount",
	reward.AccountIsClosed:            "denied: the account is closed",
	reward.GraceHold:                  "denied: no redemptions for some days after a statement, so that refunds can arrive",
	reward.InsufficientBalance:        "denied: not enough that may be redeemed",
	reward.OutstandingNegativeBalance: "refused: rewards are owed",
}

// unknownWords are for what names something that is not there, and does not wait
// for it.
var unknownWords = map[reward.Code]locale.Text{
	reward.TransactionUnknown: "refused: there is no such purchase",
	reward.RefundUnknown:      "refused: there is no such refund",
	reward.ChargebackUnknown:  "refused: there is no such chargeback",
}

// holdReason says why a reward is held.
func holdReason(why reward.HoldReason) locale.Text {
	switch why {
	case reward.HeldForMaturity:
		return "it has not matured"
	case reward.HeldForDeferredRefund:
		return "a refund takes it at the next statement"
	case reward.HeldForAnnouncedRefund:
		return "a refund is announced"
	case reward.HeldForWaitingRefund:
		return "a refund waits for a purchase that has not posted, and may turn out to be of this one"
	}
	return locale.Text(why.String())
}

// statusWords say what became of a purchase.
func statusWords(s reward.Status) locale.Text {
	switch s {
	case reward.Pending:
		return "pending"
	case reward.Settled:
		return "settled"
	case reward.PartRefunded:
		return "partly refunded"
	case reward.Refunded:
		return "refunded"
	case reward.ChargedBack:
		return "charged back"
	}
	return locale.Text(strings.ToLower(s.String()))
}
