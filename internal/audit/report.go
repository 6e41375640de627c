package audit

import (
	"time"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake"
)

// Report is the outcome of an audit. Amounts are in minor units.
type Report struct {
	Program  string `json:"program"`
	Currency string `json:"currency"`
	// Unit is what rewards are in: the currency, or points, whose decimals are in Decimals.
	Unit     string       `json:"reward_unit"`
	Decimals int          `json:"reward_decimals"`
	From     time.Time    `json:"from"` // the earliest row's time
	To       time.Time    `json:"to"`   // the latest's: the end of the exports
	Input    intake.Input `json:"input"`
	// Adjustments is what rows by hand were read as, one of judge.AdjustmentsNamed; empty
	// where none takes something.
	Adjustments string        `json:"adjustments_read_as,omitempty"`
	Rounding    string        `json:"rounding_stated,omitempty"`
	Verdict     Verdict       `json:"verdict"`
	Accounts    Accounts      `json:"accounts"`
	Figures     judge.Figures `json:"figures"`
	// Findings has every flaw that exports can show, the costly first, also those that
	// were not found.
	Findings []Finding `json:"findings"`
	// NotJudged is what the terms go by and no export says, in words. What it paid looks
	// like leakage, and is never taken to be due.
	NotJudged      string      `json:"not_judged,omitzero"`
	Separation     *Separation `json:"separation"`                // of the refunds that took too little
	LeakageRate    int64       `json:"leakage_rate_basis_points"` // of what was granted
	LeakagePerYear int64       `json:"leakage_per_year"`          // of 365 days
	// LeakageByTerms is what of the leakage, beside what is in question, may be no leak: where
	// the terms are not what the program grants by, what they were off by before anything was
	// returned, as a part of all that was granted, and rows that they do not explain.
	LeakageByTerms int64            `json:"leakage_by_terms"`
	Arrival        Arrival          `json:"refund_arrival"`
	Simulation     judge.Simulation `json:"simulation,omitzero"`
	Months         []Month          `json:"months"`
	Suspects       []Suspect        `json:"suspects"` // whose history looks like the four-phase attack, the clearest first
	Worst          []Suspect        `json:"worst"`    // with the most leakage
}

// Money is an amount of rewards in words.
func (r *Report) Money(minor int64) string {
	return terms{Currency: r.Currency, Unit: r.Unit, Decimals: r.Decimals}.money(minor)
}

// LeastLeakage is what of the leakage rests on no guess of ours: neither on which purchase a
// refund is of that names none, nor on terms that are not what the program grants by.
func (r *Report) LeastLeakage() int64 {
	return r.Figures.Leakage - r.Figures.InQuestion - r.LeakageByTerms
}

// Accounts counts accounts.
type Accounts struct {
	All         int64 `json:"all"`
	Above       int64 `json:"above_entitlement"`
	Below       int64 `json:"below_entitlement"`
	ShortBeyond int64 `json:"below_entitlement_beyond_rounding"` // by more than a minor unit for each purchase and refund
	Strange     int64 `json:"without_purchases"`                 // which have refunds, rewards or redemptions
	InDebt      int64 `json:"in_debt"`
	Suspected   int64 `json:"suspected"`
	Unexplained int64 `json:"with_unexplained_leakage"` // see judge.Figures
}

// Verdict is the class of the program with what it follows from: the rows of the
// paper's table "Comparative issuer behavior", as seen in data.
type Verdict struct {
	Found                   bool       `json:"found"`     // that the program leaks
	Exit                    int        `json:"exit_code"` // 1 if so, 2 if there was too little to tell, which is no pass
	bySums                  bool       // the class is told from what accounts have in all
	Class                   flaw.Class `json:"class"` // empty where there were not enough refunds to tell
	flaw.Mapping            `json:",inline"`
	Summary                 string       `json:"summary"` // in a sentence or two
	RewardTiming            string       `json:"reward_timing"`
	RefundAdjustment        string       `json:"refund_adjustment"`
	NegativeBalance         string       `json:"negative_balance"`
	RewardIntegrity         flaw.Verdict `json:"reward_integrity"`
	RefundRewardConsistency flaw.Verdict `json:"refund_reward_consistency"`
	SameCycle               Handling     `json:"same_cycle"`
	LaterCycle              Handling     `json:"later_cycle"`
}

// Handling counts the refunds with something at stake by what became of it.
type Handling struct {
	Stake       int64 `json:"stake"`   // the reward that they should have taken, in minor units
	Untaken     int64 `json:"untaken"` // what of it they did not
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
	Found      Standing = "found"
	Occasional Standing = "occasional" // some show it, most do not: mistakes or a fix in between
	NotFound   Standing = "not found"
	TooFew     Standing = "not enough to tell" // opportunities
)

// Finding is what was found out about one flaw.
type Finding struct {
	flaw.Flaw `json:",inline"`
	Standing  Standing `json:"standing"`
	Shown     int64    `json:"shown"` // of Could opportunities
	Could     int64    `json:"could"`
	// Confidence is the lower bound of the 95 % interval of the share that shows the flaw
	// (E. B. Wilson, 1927), in per mille; where it was not found, 1000 less the upper bound.
	Confidence int64           `json:"confidence_permille"`
	Amount     int64           `json:"amount"`             // what the signs cost together
	Examples   []judge.Example `json:"examples,omitempty"` // up to five
}

// Arrival is when refunds whose purchase is known come, and what waiting for them would bring.
type Arrival struct {
	Buckets  []ArrivalBucket `json:"buckets"` // by days from purchase to refund
	Refunds  int64           `json:"refunds"`
	Value    int64           `json:"value"`
	Coverage []Coverage      `json:"coverage"` // by share of the refunded value
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
	// Days is the smallest d such that refunds of at most d whole days after their
	// purchase have that share, and MaturityDays is d + 1: all of them have come then.
	Days         int `json:"days"`
	MaturityDays int `json:"maturity_days"`
	// GraceDays is the same from the close of the purchase's cycle on, at most 27, and
	// GraceEnough says whether that suffices.
	GraceDays   int  `json:"grace_days"`
	GraceEnough bool `json:"grace_enough"`
	// Saved is what refunds of at most Days left unrecovered: what the wait would have kept.
	Saved int64 `json:"saved"`
	// HonestWait is how much longer, in hundredths of a day, rewards of kept purchases would
	// have waited for their redemption: ⌊100 · Σ amount · max(0, MaturityDays − days) / Σ amount⌋
	// over those rewards, redeemed so many days after the purchase.
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
	// Rounds of buying, redeeming and returning that left some reward, the largest first,
	// up to five of RoundsInAll, and KeptInRounds what all of them left.
	Rounds           []judge.Round `json:"rounds,omitempty"`
	RoundsInAll      int64         `json:"rounds_in_all"`
	KeptInRounds     int64         `json:"kept_in_rounds"`
	ReturnedPermille int64         `json:"returned_permille"` // refunded of spend
	Evidence         []string      `json:"evidence"`          // a sentence each
	Timeline         []judge.Step  `json:"timeline,omitempty"`
}
