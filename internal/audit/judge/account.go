package judge

import (
	"recoup/internal/flaw"
	"recoup/reward"
)

// Account is the judgement of one account. Amounts are in minor units.
type Account struct {
	ID          string
	First, Last reward.Instant // of its rows
	Figures     Figures
	Fit         Fit
	Simulation  Simulation
	Refunds     []RefundCase // one for each refund and chargeback, in order of time
	Signs       []Sign
	Waits       []Wait
	Months      []Month
	Rounds      []Round
	// DebtsForgotten counts the debts that a credit for no purchase lifted to just zero,
	// DebtsKept those that outlasted DebtsKeptFor without one.
	DebtsForgotten, DebtsKept int64
	Bonuses                   Bonuses
	AdjustmentsRead           int64 // as rewards, by Options.Adjustments
	TakenByHand               int64 // by those, less what they gave: charges may be among it
	Neglects                  Neglects
	// Purchases whose reward came at once, at the close of their cycle, or otherwise.
	GrantsAtOnce, GrantsAtClose, GrantsOther int64
	Misfit                                   *Example // of Fit.OverBefore; nil where that is zero
	// Tell spells out a refund of Refunds, until the next account is judged.
	Tell func(refund int) *Example
}

// Figures are sums of money over one account, or over many.
type Figures struct {
	Purchases   int64 `json:"purchases"`
	Refunds     int64 `json:"refunds"` // chargebacks too
	Spend       int64 `json:"spend"`
	Refunded    int64 `json:"refunded"`
	NetSpend    int64 `json:"net_spend"`
	Granted     int64 `json:"granted"`    // Σ reward rows above zero
	TakenBack   int64 `json:"taken_back"` // −Σ reward rows below zero
	Adjustments int64 `json:"adjustments"`
	// Forgiven is what of the leakage adjustments lifted debts by to just zero: rewards that
	// stay as if they had never been taken back.
	Forgiven  int64 `json:"forgiven"`
	Redeemed  int64 `json:"redeemed"`
	Balance   int64 `json:"balance"`
	NetReward int64 `json:"net_reward"` // granted less taken back
	// Entitlement is what the published terms promise on net spend (docs/semantics.md,
	// section 10), as Rounding has it or rounded down once. NotDue is the part of it that is granted only after the
	// end of the exports.
	Entitlement int64 `json:"entitlement"`
	NotDue      int64 `json:"not_due"`
	// Beyond is what of other purchases' reward the entitlement leaves out for refunds
	// above the price of theirs. Who does not take it keeps what was published too.
	Beyond int64 `json:"beyond_price"`
	// Leakage is net reward and what was forgiven above the entitlement and Beyond, ShortPaid
	// what is below the entitlement and due. Over many accounts one is not set off against the other.
	Leakage   int64 `json:"leakage"`
	ShortPaid int64 `json:"short_paid"`
	// Rounding is what either may be by rounding: a unit for each refund and, where the program's
	// rounding is not stated, for each purchase.
	Rounding int64 `json:"rounding"`
	Debt     int64 `json:"debt"` // of a negative balance
	// RedeemedOpen was redeemed of rewards whose purchase can still be returned.
	RedeemedOpen int64 `json:"redeemed_in_return_window"`
	// FloatDays is Σ amount × days from a refund to its clawback or, where that is missing,
	// to the end of the exports.
	FloatDays int64 `json:"float_amount_days"`
	// Unearned is what UnearnedRows of the RewardRows above zero granted for no purchase
	// that explains them.
	Unearned     int64 `json:"unearned"`
	UnearnedRows int64 `json:"unearned_rows"`
	RewardRows   int64 `json:"reward_rows"`
	// Unexplained is what of the leakage neither untaken refunds nor what is unearned or in
	// question explain, beyond Rounding.
	Unexplained int64 `json:"unexplained"`
	// InQuestion is what of the leakage rests on which purchase a refund is of that names
	// none. LeakageNamed is left even if such refunds need take nothing.
	InQuestion   int64 `json:"in_question"`
	LeakageNamed int64 `json:"leakage_where_refunds_are_named"`
	// Of the rows that name a purchase, those that name one that the exports lack.
	RefundsNaming int64 `json:"refunds_naming_a_purchase"`
	RefundsAstray int64 `json:"refunds_of_absent_purchases"`
	RewardsNaming int64 `json:"rewards_naming_a_purchase"`
	RewardsAstray int64 `json:"rewards_of_absent_purchases"`
}

// Fit is how the published terms fit what the program grants.
type Fit struct {
	AtStake int64 `json:"at_stake"` // what the terms take for refunds
	// Before is net reward when the first refund came or, without one, at the end: no refund
	// has a part in it. LooseBefore of it no purchase explains; RoundedBefore is above the
	// terms by rounding, and OverBefore beyond that.
	Before        int64 `json:"before"`
	LooseBefore   int64 `json:"loose_before"`
	RoundedBefore int64 `json:"rounded_before"`
	OverBefore    int64 `json:"over_before"`
	GrantedBefore int64 `json:"accounts_before"`      // accounts with something of Before
	AccountsOver  int64 `json:"accounts_over_before"` // and of OverBefore
	// Named is what is due to accounts of which every refund names its purchase, and Short what
	// these have less, beyond rounding and what was taken by hand.
	Named   int64 `json:"named"`
	Short   int64 `json:"short"`
	Left    int64 `json:"left"`    // Figures.LeakageNamed less what is unearned, forgiven and pending
	Pending int64 `json:"pending"` // of the leakage, what clawbacks may still take after the end
}

// Bonuses counts what the terms owe for a period and no single purchase: rows that came after
// some refund, and just as the terms say; refunds of a named purchase that left less owed than
// had come; and rows that took it back.
type Bonuses struct {
	AfterRefunds int64 `json:"after_refunds"`
	NoLongerOwed int64 `json:"no_longer_owed"`
	TakenBack    int64 `json:"taken_back"`
}

// Simulation is the same history under Recoup with the same program.
type Simulation struct {
	Granted   int64 `json:"granted"`
	TakenBack int64 `json:"taken_back"`
	NetReward int64 `json:"net_reward"`
	// NextClose is what the close after the end of the exports adds to NetReward.
	NextClose int64 `json:"next_close"`
	// Held may not be redeemed at the end, HeldMost is the most of it at any row.
	Held     int64 `json:"held"`
	HeldMost int64 `json:"held_most"`
	// Redemptions of the history that would have been refused, and their sum.
	Refused       int64 `json:"redemptions_refused"`
	RefusedAmount int64 `json:"redemptions_refused_amount"`
}

// Outcome is what became of the reward when its purchase was refunded.
type Outcome uint8

// The outcomes.
const (
	NothingAtStake Outcome = iota // the refunded part had earned nothing
	TooEarly                      // nothing was taken yet, and the next close is still to come
	Netted                        // the refund came before the grant, which left its part out
	AtOnce                        // taken within a day of the refund
	WithinCycle                   // taken later than that, before the next close
	AtClose                       // taken with the first close after the refund
	Late                          // taken, but later than that
	Partly                        // less was taken than the refund's share
	Never                         // nothing was taken by the end of the exports
)

// Place is where a refund falls as seen from its purchase.
type Place uint8

// The places.
const (
	SameCycle  Place = iota // the cycle in which the purchase settled
	LaterCycle              // any later one
	Early                   // before its purchase
)

// RefundCase is one refund or chargeback and what it did to the reward.
type RefundCase struct {
	ID         string
	Chargeback bool
	Linked     bool
	Over       bool // it exceeds what was left of the purchase
	// Floored: it took less than its share, and just what the balance was, or what of its
	// purchase's reward had not been redeemed. Spent: too much of that had.
	Floored, Spent bool
	Ahead          bool // it came before the reward, which did not leave it out
	// Number counts the refunds that name the purchase, from one; Bought is the purchase's
	// amount, Category, MCC and Rule are what it was of. Merchant is what the refund says.
	Number                   int
	MCC                      reward.MCC
	Bought                   int64
	Category, Rule, Merchant string
	OtherMerchant            bool // than its purchase's
	// Tenure is the days since the account's first row, CycleDay the day of the cycle, from
	// one.
	Tenure, CycleDay int64
	// Purchase is the one that the refund names or, if none, is taken to be of.
	Purchase                string
	PurchasedAt, RefundedAt reward.Instant
	Amount                  int64
	Place                   Place
	Balance                 int64 // the account's, just before
	Granted                 int64 // what the purchase had earned when the refund came
	Owed                    int64 // what the terms take for it, of whatever purchases
	// Expected is the refund's share of the reward, Taken what was taken for it and
	// TakenAt when the last of it was.
	Expected, Taken int64
	TakenAt         reward.Instant
	Outcome         Outcome
	// Unrecovered is what of Expected the program lacks at the end: not taken, or taken and
	// part of a debt, which counts against the latest refunds.
	Unrecovered int64
}

// Wait is reward that was redeemed so many days after its purchase, first earned, first
// redeemed; of purchases that were kept.
type Wait struct {
	Days   int
	Amount int64
}

// Sign is one opportunity for a flaw to show.
type Sign struct {
	Flaw   flaw.Code
	At     reward.Instant // when it showed or would have
	Shown  bool
	Amount int64 // what it cost the program or, if it short-pays, the cardholder
	// Shorts: this sign cost the cardholder, or would, of a flaw that can cost either.
	Shorts  bool
	Example *Example // nil if it was not shown
}

// Example spells a sign out.
type Example struct {
	Account  string `json:"account"`
	Purchase string `json:"purchase,omitzero"`
	Steps    []Step `json:"steps"` // what happened, in order of time
	// Expected is what the terms ask for, Found what the rows say.
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Amount   int64  `json:"amount"`
}

// Step is one row in an example's words.
type Step struct {
	At     reward.Instant `json:"at"`
	What   string         `json:"what"`
	Amount int64          `json:"amount"`
	Spend  bool           `json:"spend,omitzero"` // Amount is of a purchase or refund, and no reward
}

// Month is what changed in one month. Leakage is the change of net reward less entitlement,
// below zero where a later month takes back.
type Month struct {
	Cycle     reward.Cycle `json:"month"`
	Spend     int64        `json:"spend"`
	Refunded  int64        `json:"refunded"`
	Granted   int64        `json:"granted"`
	TakenBack int64        `json:"taken_back"`
	Redeemed  int64        `json:"redeemed"`
	Leakage   int64        `json:"leakage"`
}

// Round is one course of the paper's four phases: buy, redeem, return, keep.
type Round struct {
	Purchase                           string
	BoughtAt, RedeemedAt, ReturnedAt   reward.Instant
	Bought, Reward, Redeemed, Returned int64
	Kept                               int64 // of the reward, after the return
}
