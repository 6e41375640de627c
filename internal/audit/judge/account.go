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
	// Refunds has one case for each refund and chargeback, in order of time.
	Refunds []RefundCase
	// Signs are the opportunities that the account gave each flaw to show, and what
	// was seen.
	Signs []Sign
	Waits []Wait
	// Months are the changes of the account by calendar month, in order.
	Months []Month
	// Rounds are courses of buying, redeeming and returning (the paper's four
	// phases), in order of time.
	Rounds []Round
	// DebtsForgotten counts the debts that a credit for no purchase lifted to just
	// zero, and DebtsKept those that outlasted DebtsKeptFor without one.
	DebtsForgotten, DebtsKept int64
	// Grants counts the purchases whose reward came at once and at the statement
	// close of their cycle, and the days waited for others.
	GrantsAtOnce, GrantsAtClose, GrantsOther int64
	// Misfit tells of OverBefore; nil where that is zero.
	Misfit *Example
	// Tell spells out a refund of Refunds, until the next account is judged; nil where
	// nobody can.
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
	Redeemed    int64 `json:"redeemed"`
	Balance     int64 `json:"balance"`
	// NetReward is granted less taken back: balance + redeemed − adjustments.
	NetReward int64 `json:"net_reward"`
	// Entitlement is what the published terms promise on net spend: the right-hand
	// side of Reward Integrity (docs/semantics.md, section 10), rounded down. NotDue is the
	// part of it that the program grants only at a close after the last row of the
	// exports; it is no short-payment yet.
	Entitlement int64 `json:"entitlement"`
	NotDue      int64 `json:"not_due"`
	// Beyond is what of other purchases' reward the entitlement leaves out for refunds
	// above the price of theirs. Who does not take it keeps what was published too.
	Beyond int64 `json:"beyond_price"`
	// Leakage is net reward above the entitlement and Beyond, ShortPaid what is below the
	// entitlement and due. Over many accounts one is not set off against the other.
	Leakage   int64 `json:"leakage"`
	ShortPaid int64 `json:"short_paid"`
	// Debt is what a negative balance owes.
	Debt int64 `json:"debt"`
	// RedeemedOpen is what was redeemed of rewards whose purchase can still be
	// returned at the end of the exports.
	RedeemedOpen int64 `json:"redeemed_in_return_window"`
	// FloatDays is Σ over clawbacks of amount × days between the refund and its
	// clawback, and of clawbacks that are missing up to the end of the exports.
	FloatDays int64 `json:"float_amount_days"`
	// Unearned is what reward rows above zero granted for no purchase that explains them,
	// in UnearnedRows rows of RewardRows.
	Unearned     int64 `json:"unearned"`
	UnearnedRows int64 `json:"unearned_rows"`
	RewardRows   int64 `json:"reward_rows"` // above zero
	// Unexplained is what of the leakage neither refunds that took too little nor what is
	// unearned explain, beyond what rounding each purchase and refund may come to.
	Unexplained int64 `json:"unexplained"`
	// InQuestion is what of the leakage rests on which purchase a refund is of that names
	// none, where the program may see it otherwise. LeakageNamed is what is left of the
	// leakage even if refunds that name no purchase, neither themselves nor by the row that
	// took its share of that one's reward, need take nothing: it rests on no guess at all.
	InQuestion   int64 `json:"in_question"`
	LeakageNamed int64 `json:"leakage_where_refunds_are_named"`
	// Of the refunds and reward rows that name a purchase, those that name one that the
	// exports lack.
	RefundsNaming int64 `json:"refunds_naming_a_purchase"`
	RefundsAstray int64 `json:"refunds_of_absent_purchases"`
	RewardsNaming int64 `json:"rewards_naming_a_purchase"`
	RewardsAstray int64 `json:"rewards_of_absent_purchases"`
}

// Fit is how the published terms fit what the program grants.
type Fit struct {
	// AtStake is what the terms take for refunds.
	AtStake int64 `json:"at_stake"`
	// Before is net reward when the first refund came or, without one, at the end: no refund
	// has a part in it. LooseBefore is what of it rows granted that no purchase explains,
	// and OverBefore what it is above the terms, beyond rounding.
	Before int64 `json:"before"`
	// RoundedBefore is what rounding may be of it: no more than a unit for each purchase.
	LooseBefore   int64 `json:"loose_before"`
	RoundedBefore int64 `json:"rounded_before"`
	OverBefore    int64 `json:"over_before"`
	// GrantedBefore counts the accounts that have something of Before, and AccountsOver those
	// of them that have something of OverBefore.
	GrantedBefore int64 `json:"accounts_before"`
	AccountsOver  int64 `json:"accounts_over_before"`
	// Left is Figures.LeakageNamed less what is unearned.
	Left int64 `json:"left"`
}

// Simulation is the same history under Recoup with the same program.
type Simulation struct {
	Granted   int64 `json:"granted"`
	TakenBack int64 `json:"taken_back"`
	NetReward int64 `json:"net_reward"`
	// NextClose is what the close after the end of the exports adds to NetReward: what
	// waits for it there, as NotDue does in the exports. Below zero where more is to
	// be taken back.
	NextClose int64 `json:"next_close"`
	// Held is what may not be redeemed at the end, HeldMost the most of it at any
	// row of the account.
	Held     int64 `json:"held"`
	HeldMost int64 `json:"held_most"`
	// Refused counts the redemptions of the history that would have been refused,
	// and RefusedAmount is their sum.
	Refused       int64 `json:"redemptions_refused"`
	RefusedAmount int64 `json:"redemptions_refused_amount"`
}

// Outcome is what became of the reward when its purchase was refunded.
type Outcome uint8

// The outcomes.
const (
	// NothingAtStake: the refunded part had earned nothing.
	NothingAtStake Outcome = iota
	// TooEarly: nothing was taken yet, and the next close is still to come.
	TooEarly
	// Netted: the refund came before the grant, which left its part out.
	Netted
	// AtOnce: taken within a day of the refund.
	AtOnce
	// WithinCycle: taken later than that, before the next close.
	WithinCycle
	// AtClose: taken with the first close after the refund.
	AtClose
	// Late: taken, but later than that.
	Late
	// Partly: less was taken than the refund's share.
	Partly
	// Never: nothing was taken by the end of the exports, more than one close later.
	Never
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
	// Over: it exceeds what was left of the purchase.
	Over bool
	// Floored: it took less than its share, and just what the balance was, or what of its
	// purchase's reward had not been redeemed. Spent: too much of that had.
	Floored, Spent bool
	// Ahead: it came before the reward, which did not leave it out.
	Ahead bool
	// Number is which of the refunds that name the purchase it is, from one; Bought is
	// the purchase's amount, Category and Rule are what it was of, and Merchant is what
	// the refund says.
	Number                   int
	Bought                   int64
	Category, Rule, Merchant string
	// OtherMerchant: the refund names another merchant than its purchase.
	OtherMerchant bool
	// Tenure is how many days after the account's first row it came, CycleDay on which
	// day of its cycle, from one.
	Tenure, CycleDay int64
	// Purchase is the one that the refund names or, if none, the one that it is
	// taken to be of; empty if there is none.
	Purchase                string
	PurchasedAt, RefundedAt reward.Instant
	Amount                  int64 // of the refund
	Place                   Place
	// Balance is the account's reward balance just before the refund: where it is
	// below Expected, a clawback makes a debt.
	Balance int64
	// Granted is what the purchase had earned when the refund came, as granted.
	Granted int64
	// Owed is what the published terms take for it, of whatever purchases.
	Owed int64
	// Expected is the refund's share of the reward, Taken what was taken for it and
	// TakenAt when the last of it was.
	Expected, Taken int64
	TakenAt         reward.Instant
	Outcome         Outcome
	// Unrecovered is what of Expected the program is still without at the end: not
	// taken, or taken and part of a debt, which counts against the latest refunds.
	Unrecovered int64
}

// Wait is an amount of reward that was redeemed so many days after the purchase
// that earned it, first earned, first redeemed; of purchases that were kept.
type Wait struct {
	Days   int
	Amount int64
}

// Sign is one opportunity for a flaw to show.
type Sign struct {
	Flaw flaw.Code
	// At is when it showed or would have.
	At    reward.Instant
	Shown bool
	// Amount is what it cost the program, or the cardholder where the flaw
	// short-pays; zero if it was not shown.
	Amount int64
	// Shorts: this sign cost the cardholder, or would, of a flaw that can cost either.
	Shorts  bool
	Example *Example // nil if it was not shown
}

// Example spells a sign out.
type Example struct {
	Account  string `json:"account"`
	Purchase string `json:"purchase,omitzero"`
	// Steps are what happened, in order of time.
	Steps []Step `json:"steps"`
	// Expected is what the terms ask for, Found what the rows say, in words with
	// figures.
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Amount   int64  `json:"amount"`
}

// Step is one row in an example's words.
type Step struct {
	At     reward.Instant `json:"at"`
	What   string         `json:"what"`
	Amount int64          `json:"amount"`
}

// Month is what changed in one calendar month. Leakage is the change of net
// reward less entitlement, below zero where a later month takes back.
type Month struct {
	Cycle     reward.Cycle `json:"month"`
	Spend     int64        `json:"spend"`
	Refunded  int64        `json:"refunded"`
	Granted   int64        `json:"granted"`
	TakenBack int64        `json:"taken_back"`
	Redeemed  int64        `json:"redeemed"`
	Leakage   int64        `json:"leakage"`
}

// Round is one course of the four phases: buy, redeem, return, keep.
type Round struct {
	Purchase                           string
	BoughtAt, RedeemedAt, ReturnedAt   reward.Instant
	Bought, Reward, Redeemed, Returned int64
	Kept                               int64 // of the reward, after the return
}
