package audit

import (
	"time"

	"recoup/internal/audit/intake"
	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// Report is the outcome of an audit. Amounts are in minor units.
type Report struct {
	Program  string        `json:"program"`
	Currency string        `json:"currency"`
	From     time.Time     `json:"from"` // the earliest row's time
	To       time.Time     `json:"to"`   // the latest's: the end of the exports
	Input    intake.Input  `json:"input"`
	Verdict  Verdict       `json:"verdict"`
	Accounts Accounts      `json:"accounts"`
	Figures  judge.Figures `json:"figures"`
	// Findings has every flaw that exports can show, the costly first, those that
	// were looked for and not found among them.
	Findings []Finding `json:"findings"`
	// NotJudged is what the terms go by and no export says, in words; empty for nothing. What
	// it paid looks like leakage, and is never taken to be due.
	NotJudged string `json:"not_judged,omitzero"`
	// Separation says what the refunds that took too little have in common.
	Separation *Separation `json:"separation"`
	// LeakageRate is the leakage of what was granted, in hundredths of a percent, and
	// LeakagePerYear what it comes to in 365 days.
	LeakageRate    int64 `json:"leakage_rate_basis_points"`
	LeakagePerYear int64 `json:"leakage_per_year"`
	// LeakageByTerms is what of the leakage, beside what is in question, may be no leak: where
	// the terms are not what the program grants by, what they were off by before anything was
	// returned, as a part of all that was granted, and rows that they do not explain.
	LeakageByTerms int64            `json:"leakage_by_terms"`
	Arrival        Arrival          `json:"refund_arrival"`
	Simulation     judge.Simulation `json:"simulation,omitzero"`
	Months         []Month          `json:"months"`
	// Suspects are the accounts whose history looks like the four-phase attack, the
	// clearest first; Worst those with the most leakage.
	Suspects []Suspect `json:"suspects"`
	Worst    []Suspect `json:"worst"`
}

// LeastLeakage is what of the leakage rests on no guess of ours: neither on which purchase a
// refund is of that names none, nor on terms that are not what the program grants by.
func (r *Report) LeastLeakage() int64 {
	return r.Figures.Leakage - r.Figures.InQuestion - r.LeakageByTerms
}

// Accounts counts accounts.
type Accounts struct {
	All   int64 `json:"all"`
	Above int64 `json:"above_entitlement"`
	Below int64 `json:"below_entitlement"`
	// ShortBeyond is how many are below it by more than rounding can be: a minor unit for
	// each purchase and refund.
	ShortBeyond int64 `json:"below_entitlement_beyond_rounding"`
	// Strange is how many have refunds, rewards or redemptions, and no purchase.
	Strange   int64 `json:"without_purchases"`
	InDebt    int64 `json:"in_debt"`
	Suspected int64 `json:"suspected"`
	// Unexplained is how many have leakage that neither refunds nor rewards for nothing
	// explain, beyond rounding.
	Unexplained int64 `json:"with_unexplained_leakage"`
}

// Verdict is the class of the program with what it follows from: the rows of the
// paper's table "Comparative issuer behavior", as seen in data.
type Verdict struct {
	// Found says whether the program leaks, and Exit is the exit code that says so.
	Found bool `json:"found"`
	Exit  int  `json:"exit_code"`
	// Class is empty where there were not enough refunds to tell.
	Class        flaw.Class `json:"class"`
	flaw.Mapping `json:",inline"`
	// Summary says it in a sentence or two.
	Summary                 string       `json:"summary"`
	RewardTiming            string       `json:"reward_timing"`
	RefundAdjustment        string       `json:"refund_adjustment"`
	NegativeBalance         string       `json:"negative_balance"`
	RewardIntegrity         flaw.Verdict `json:"reward_integrity"`
	RefundRewardConsistency flaw.Verdict `json:"refund_reward_consistency"`
	// SameCycle and LaterCycle count the refunds with something at stake by what
	// became of it.
	SameCycle  Handling `json:"same_cycle"`
	LaterCycle Handling `json:"later_cycle"`
}

// Handling counts refunds by outcome.
type Handling struct {
	// Stake is the reward that they should have taken, in minor units, and Untaken what of
	// it they did not.
	Stake       int64 `json:"stake"`
	Untaken     int64 `json:"untaken"`
	Netted      int64 `json:"netted"`
	AtOnce      int64 `json:"at_once"`
	WithinCycle int64 `json:"within_cycle"`
	AtClose     int64 `json:"at_close"`
	Late        int64 `json:"late"`
	Partly      int64 `json:"partly"`
	Never       int64 `json:"never"`
	TooEarly    int64 `json:"too_early"`
}

// Standing says what is to be made of the signs of a flaw.
type Standing string

// The standings.
const (
	Found Standing = "found"
	// Occasional: some show it, most do not: mistakes or a fix in between.
	Occasional Standing = "occasional"
	NotFound   Standing = "not found"
	// TooFew: not enough opportunities to tell.
	TooFew Standing = "not enough to tell"
)

// Finding is what was found out about one flaw.
type Finding struct {
	flaw.Flaw `json:",inline"`
	Standing  Standing `json:"standing"`
	// Shown of Could opportunities show the flaw.
	Shown int64 `json:"shown"`
	Could int64 `json:"could"`
	// Confidence is the lower bound of the 95 % interval of the share that shows it
	// (E. B. Wilson, 1927), in per mille; where it was not found, 1000 less the
	// upper bound.
	Confidence int64 `json:"confidence_permille"`
	// Amount is what the signs cost together.
	Amount   int64           `json:"amount"`
	Examples []judge.Example `json:"examples,omitempty"` // up to five
}

// Arrival is when refunds come, and what waiting for them would bring.
type Arrival struct {
	// Buckets are by days from purchase to refund.
	Buckets []ArrivalBucket `json:"buckets"`
	Refunds int64           `json:"refunds"` // whose purchase is known
	Value   int64           `json:"value"`
	// Coverage is by share of the refunded value.
	Coverage []Coverage `json:"coverage"`
}

// ArrivalBucket holds the refunds that came from..to days after their purchase,
// both counted. The last bucket has no end, and its To is zero.
type ArrivalBucket struct {
	From    int   `json:"from_days"`
	To      int   `json:"to_days"`
	Refunds int64 `json:"refunds"`
	Value   int64 `json:"value"`
}

// Coverage is what it takes to have seen so much of the refunded value before
// the reward can be redeemed.
type Coverage struct {
	Permille int64 `json:"share_permille"`
	// Days is how long that share takes from purchase to refund.
	Days int `json:"days"`
	// MaturityDays counts from the purchase; GraceDays from the close of its cycle
	// on, at most 27, and GraceEnough says whether that suffices.
	MaturityDays int  `json:"maturity_days"`
	GraceDays    int  `json:"grace_days"`
	GraceEnough  bool `json:"grace_enough"`
	// Saved is what was redeemed of rewards that were refunded within that time and
	// never paid back: what the wait would have kept.
	Saved int64 `json:"saved"`
	// HonestWait is how much longer, in days on the average and weighted by amount,
	// rewards of purchases that were kept would have waited for their redemption,
	// compared with when they were redeemed; in hundredths of a day.
	HonestWait int64 `json:"honest_wait_centidays"`
}

// Month is one calendar month of all accounts.
type Month struct {
	Month     string `json:"month"` // as "2026-01"
	Spend     int64  `json:"spend"`
	Refunded  int64  `json:"refunded"`
	Granted   int64  `json:"granted"`
	TakenBack int64  `json:"taken_back"`
	Redeemed  int64  `json:"redeemed"`
	Leakage   int64  `json:"leakage"` // change of net reward above entitlement
}

// Suspect is an account with what speaks against it, in words and figures.
type Suspect struct {
	Account string        `json:"account"`
	Figures judge.Figures `json:"figures"`
	// Rounds of buying, redeeming and returning, the largest first, up to five of
	// RoundsInAll.
	Rounds      []judge.Round `json:"rounds,omitempty"`
	RoundsInAll int64         `json:"rounds_in_all"`
	// KeptInRounds is the reward that they left together.
	KeptInRounds int64 `json:"kept_in_rounds"`
	// ReturnedPermille is refunded of spend.
	ReturnedPermille int64 `json:"returned_permille"`
	// Evidence says what it is about the account, a sentence each.
	Evidence []string `json:"evidence"`
	// Timeline is the account's history, at most so many rows that a person reads.
	Timeline []judge.Step `json:"timeline,omitempty"`
}
