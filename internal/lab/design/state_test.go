package design

import (
	"bytes"
	"testing"

	"recoup/internal/kit/vary"
	"recoup/reward"
)

// sameFuture says why positions may differ in a member of an account's state and go on
// alike, in the courses that Stater is about.
var sameFuture = map[string]string{
	"Account":     "whoever asks names it",
	"Closed":      "nothing in these courses closes an account",
	"Reserved":    "nothing in these courses authorises a redemption",
	"Available":   "it is the balance less what is held and reserved",
	"Redeemed":    "what was paid out decides nothing after it",
	"Adjustments": "nothing in these courses adjusts a balance",
	"NetSpend":    "it is what the purchases come to",
	"NetReward":   "a sum for whoever reads it",
	"Entitlement": "it is what the purchases and the terms come to",

	"Reservations.Redemption": "nothing in these courses authorises a redemption",
	"Reservations.Amount":     "nothing in these courses authorises a redemption",
	"Reservations.Expires":    "nothing in these courses authorises a redemption",

	"Transactions.Status":                 "of what is not gone, amounts and the time of posting say it",
	"Transactions.Rewards.Layer":          "layers come in the order of the program",
	"Transactions.Items.Item":             "items come in the order of the receipt",
	"Transactions.Items.Amount":           "amounts and the time of posting say which receipt it is",
	"Transactions.Items.Rewards.Layer":    "layers come in the order of the program",
	"Transactions.Items.Rewards.Rule":     "a search knows what is on each receipt that it keeps",
	"Transactions.Items.Rewards.Original": "of an item, it is what the item has",
	"Transactions.Items.Rewards.Retained": "of an item, it is what the item has",
	"Expiring.At":                         "it is the cycle's",
	"Tiers.Tier":                          "it is what the purchases come to",
	"Tiers.Period":                        "it is what the purchases come to",
	"Tiers.Spend":                         "it is what the purchases come to",
	"Tiers.Level":                         "it is what the purchases come to",
}

// Positions that differ in a member of the state are two to a search, or the list above
// says why they go on alike: a search would leave out courses that begin at one of them.
func TestEveryMemberOfAStateTellsPositionsApart(t *testing.T) {
	l := logged{program: new(reward.Program), posted: map[string]reward.Instant{"a": reward.EarliestInstant}, now: reward.EarliestInstant}
	key := func(s reward.State) State { return l.append(nil, s, []string{"a"}) }
	full := key(vary.Full[reward.State]())
	members := make(map[string]bool)
	for member, s := range vary.Each[reward.State]() {
		members[member] = true
		why, listed := sameFuture[member]
		switch told := !bytes.Equal(key(s), full); {
		case told && listed:
			t.Errorf("State.%s tells positions apart, and is on the list of what does not: %s", member, why)
		case !told && !listed:
			t.Errorf("positions that differ in State.%s are one to a search: expected it in logged.append, or here with the reason why they go on alike", member)
		}
	}
	for member := range sameFuture {
		if !members[member] {
			t.Errorf("there is no State.%s", member)
		}
	}
}
