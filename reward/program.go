package reward

import (
	"strings"
	"time"
)

// Program is one version of a published reward program: its rates, caps and
// timing. It does not change once accounts use it; what changes is published as a
// new version.
type Program struct {
	ID string
	// Version counts the program's versions from one.
	Version int32
	// From is the first billing cycle in which the version is in force. A version
	// comes with a cycle since caps are counted by cycle. The first version of all
	// is in force from the beginning of time, whatever it says here.
	From Cycle
	// Earlier is the version before this one, nil for the first.
	Earlier  *Program
	Currency string // ISO 4217; every amount is in its minor units
	Timing   Timing
	Method   ClawbackMethod
	// MaturityDays after posting, a purchase's reward may not be redeemed yet.
	MaturityDays int
	Refunds      RefundTerms
	Redemption   RedemptionTerms
	// ExpiryMonths after the cycle that they are of, rewards that were not used expire;
	// zero is never.
	ExpiryMonths int
	// Rules in order; the first that matches a purchase applies. They are those of a
	// plain program, whose rules have a rate and a cap on the rewards of a cycle.
	Rules []Rule
	// Layers are the rules of any other program, Rules then being empty: in each
	// layer the first rule that matches applies, and a purchase's reward is the sum.
	Layers []Layer
	// Bonuses are rewards of a period and of no single purchase. A program with
	// bonuses has Layers, perhaps an empty one.
	Bonuses []Bonus
	// Tiers are what rules and bonuses may match by the spend of a period. A program
	// with tiers has Layers, and Method Rerate.
	Tiers []Tier
	// Zone is where days begin, nil for UTC. All versions of a program share it.
	Zone *time.Location
	// StatementDay is the day of the month, from 1 to 28, with which a billing cycle
	// begins; zero is the first. All versions of a program share it.
	StatementDay int
	// Reward is what rewards are in; the zero Unit is the program's currency. All
	// versions of a program share it.
	Reward Unit
	// Categories gives the category of a merchant category code, "" for none.
	// Nil knows no codes.
	Categories func(MCC) string
}

// In returns the version that is in force in a billing cycle.
func (p *Program) In(c Cycle) *Program {
	for p.Earlier != nil && c < p.From {
		p = p.Earlier
	}
	return p
}

// Timing says when rewards are granted and when they are clawed back.
type Timing struct {
	Grant    GrantTiming
	Clawback ClawbackTiming
}

// GrantTiming is when a purchase's reward is granted.
type GrantTiming uint8

// The grant timings.
const (
	GrantAtSettlement GrantTiming = iota
	GrantAtStatement
)

// ClawbackTiming is when a refund's clawback is posted. Until then it is held.
type ClawbackTiming uint8

// The clawback timings.
const (
	ClawbackAtRefund ClawbackTiming = iota
	ClawbackAtStatement
)

// ClawbackMethod is how much of a reward is retained after a reversal.
type ClawbackMethod uint8

// The clawback methods.
const (
	// Proportional is the paper's Algorithm 2: the reversed share of the
	// original reward goes.
	Proportional ClawbackMethod = iota
	// Rerate computes the bucket as if the reversed part had never been bought.
	Rerate
)

// RefundTerms are the periods, in days, within which refunds are matched.
type RefundTerms struct {
	PendingDays int // an announced refund holds this long
	MatchDays   int // an unlinked refund may be of a purchase settled this much later
	ParkDays    int // a refund waits this long for its purchase to post
	WindowDays  int // an unlinked refund may be of a purchase settled this much earlier
	FirmDays    int // an unlinked refund's placement stays for good after this
	// Movable is how many unlinked refunds may move at a time, from 1 to 1,000:
	// what bounds the cost of an event. The first of more become firm at once. Zero
	// stands for 32.
	Movable int
}

// defaultMovable is how many unlinked refunds may move where nothing is said.
const defaultMovable = 32

// movable is Movable with its default.
func (t RefundTerms) movable() int {
	if t.Movable == 0 {
		return defaultMovable
	}
	return t.Movable
}

// RedemptionTerms limit redemptions.
type RedemptionTerms struct {
	MinimumBalance int64 // what must be left after a redemption, minor units, ≥ 0
	GraceDays      int   // no redemption for this long after a close, at most 27
	AfterClosing   bool  // a closed account may redeem what balance appears after closing
}

// Layer is rules of which one applies to a purchase, beside those of other layers.
type Layer struct {
	ID    string
	Rules []Rule
}

// Unit is what rewards are in where that is not money: points or miles.
type Unit struct {
	Name     string // three capital letters, such as PTS
	Decimals int    // of an amount in the unit, from 0 to 6
}

// RewardUnit is the currency of rewards: what redemptions and adjustments are in.
func (p *Program) RewardUnit() string {
	if p.Reward.Name != "" {
		return p.Reward.Name
	}
	return p.Currency
}

// plain reports whether all that the program says is rules with a rate and a cap on
// the rewards of a cycle. Such a program needs none of terms.go.
func (p *Program) plain() bool { return p.Layers == nil }

// everLayered reports whether a version so far was not plain.
func (p *Program) everLayered() bool {
	for ; p != nil; p = p.Earlier {
		if !p.plain() {
			return true
		}
	}
	return false
}

// Rule grants a rate on the purchases that it matches.
type Rule struct {
	ID    string
	Match Match
	Rate  Rate
	// Cap bounds the rewards of one cycle under this rule, in minor units;
	// NoCap where there is none.
	Cap int64
	// Earning is what a rule of a Layer may say besides. Cap is then of its period.
	Earning
}

// NoCap is the cap of a rule without one.
const NoCap int64 = -1

// Match selects purchases. What is given must hold, all of it; an empty Match
// always holds.
type Match struct {
	Categories []string
	MCCs       []MCCRange
	Merchants  map[string]bool
	// Purchase is what a match of a Layer or a Bonus may ask besides; nil for nothing.
	Purchase *PurchaseMatch
}

// MCCRange is an inclusive range of merchant category codes.
type MCCRange struct{ First, Last MCC }

// Terms are what a rule is matched on: what a purchase or a refund says of where
// it was made. Zero members were left out.
type Terms struct {
	Merchant string
	MCC      MCC
	Category string
}

// ErasedPrefix begins what stands for a merchant, the value of a label or that of an
// attribute once the account was forgotten. A token follows, which tells those of the
// account apart, and after a space the text itself if the terms name it: what is earned
// must stay what it was.
const ErasedPrefix = "forgotten:"

// MatchedText is the merchant, or the value of a label or attribute, that rules are
// matched on.
func MatchedText(text string) string {
	if token, erased := strings.CutPrefix(text, ErasedPrefix); erased {
		if _, name, named := strings.Cut(token, " "); named {
			return name
		}
	}
	return text
}

func (m *Match) holds(t Terms) bool {
	if m.Categories != nil && !contains(m.Categories, t.Category) {
		return false
	}
	if m.Merchants != nil && !m.Merchants[MatchedText(t.Merchant)] {
		return false
	}
	if m.MCCs == nil {
		return true
	}
	for _, r := range m.MCCs {
		if t.MCC >= r.First && t.MCC <= r.Last {
			return true
		}
	}
	return false
}

// contains is slices.Contains without its call through an equality function;
// it runs for every purchase.
func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// RuleFor returns the index of the first rule that matches, or NoRule. A category
// that is given wins over the one of the merchant category code.
func (p *Program) RuleFor(t Terms) int {
	if t.Category == "" && t.MCC != 0 && p.Categories != nil {
		t.Category = p.Categories(t.MCC)
	}
	for i := range p.Rules {
		if p.Rules[i].Match.holds(t) {
			return i
		}
	}
	return NoRule
}

// kind is what a purchase or refund was of: its category, else the category of its
// merchant category code, else the code, else "".
func (p *Program) kind(code MCC, category string) string {
	if category == "" && code != 0 {
		if p.Categories != nil {
			category = p.Categories(code)
		}
		if category == "" {
			category = code.String()
		}
	}
	return category
}

// NoRule is the index of the rule of a purchase that no rule matches.
const NoRule = -1
