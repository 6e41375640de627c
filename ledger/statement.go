package ledger

import "recoup/reward"

// Statement is what one account's journal adds up to over one billing cycle.
// Closing = Opening + Granted − ClawedBack − Redeemed + Adjusted. Amounts are
// minor units.
type Statement struct {
	Cycle   reward.Cycle
	Opening int64 // balance when the cycle began
	// Granted adds up what raised rewards: grants, restored rewards and
	// reallocations towards a purchase; ClawedBack what lowered them, without sign.
	Granted    int64
	ClawedBack int64
	Redeemed   int64 // paid out less what came back
	Adjusted   int64 // by hand; may be negative
	Closing    int64 // balance when the cycle ended, or now if it is open
}
