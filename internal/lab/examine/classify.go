// Package examine finds out what a design does about refunds, from its balances and
// answers alone: the paper's table "Comparative issuer behavior" (section 5.3), and
// its taxonomy of flaws (section 4.3). Whoever stands behind the port can be examined.
package examine

import (
	"fmt"
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
)

// Behaviour is what can be said of an issuer after an examination: the paper's
// rows of the table "Comparative issuer behavior" and its class, and what they
// follow from. Amounts are in minor units.
type Behaviour struct {
	RewardTiming            string       `json:"reward_timing"`
	RefundAdjustment        string       `json:"refund_adjustment"`
	NegativeBalance         string       `json:"negative_balance"`
	RewardIntegrity         flaw.Verdict `json:"reward_integrity"`
	RefundRewardConsistency flaw.Verdict `json:"refund_reward_consistency"`
	Class                   flaw.Class   `json:"class"`
	flaw.Mapping            `json:",inline"`
	// Notes say what the words above leave out.
	Notes []string `json:"notes,omitempty"`

	// Reward is what the sample purchase earned.
	Reward int64 `json:"reward"`
	// Float is what could be redeemed of a reward whose purchase had been refunded
	// already, and FloatDays how long it was out before it was owed; -1 for ever.
	Float     int64 `json:"residual_float"`
	FloatDays int   `json:"residual_float_days"`
	// WalkAway is what somebody keeps who redeems, returns everything within 30
	// days and never comes back; WalkAwayRounds the same after three rounds in one
	// cycle.
	WalkAway       int64 `json:"walk_away_loss"`
	WalkAwayRounds int64 `json:"walk_away_loss_three_rounds"`

	Evidence  Evidence   `json:"evidence"`
	Sequences []Sequence `json:"sequences"`
}

// Evidence is the moment in a sequence at which the class became clear: so much
// net reward on so much net spend.
type Evidence struct {
	Sequence  string `json:"sequence"`
	NetSpend  int64  `json:"net_spend"`
	NetReward int64  `json:"net_reward"`
}

// Issuer plays sequences of purchases, returns and redemptions against an
// issuer, each in an account of its own, and derives from its balances and
// answers how it behaves. Nothing else of the issuer is looked at, so that it
// may be anybody's, behind any adapter of the port; one that pays rewards out by
// itself should be an issuer.Payer. The issuer's clock must stand before January of the
// year, and will be moved on by a dozen years.
//
// In every sequence that is judged, all that was bought is returned in the end.
// The entitlement is then zero under any rates and caps, and what there is of net
// reward (balance and all payouts) is too much. What was found, and how:
//
// Reward timing is Instant if a purchase that is kept earns before the statement
// close of its cycle, and Stmt. close if at it.
//
// Refund adjustment is how long after the delivery of a full refund in the cycle
// after the purchase's the net reward is down to zero, nothing having been
// redeemed: Immediate, Within n days, Stmt. close, Late, or if not for three
// closes Partial where some of it was taken and None where nothing was. If refunds in the purchase's own cycle differ, a note says how.
//
// Negative balance support is told by redeeming at the first chance, returning
// all of it in a later cycle, staying away for six closes from the clawback on,
// and buying the same again. Indefinite: the net reward is zero all that time, so
// what was redeemed is owed, and the new reward repays it and cannot be redeemed.
// Floored: it is not owed within three closes. Partly: most of it is, and the rest is not. Lapses: it is owed and then
// forgotten. Not offset: it is owed, and the new reward can be had all the same.
// N/A: refunds of an earlier cycle are not adjusted at all. Not reached: nothing
// could be redeemed for 90 days.
//
// Reward Integrity is violated if some sequence leaves net reward on nothing
// kept, three closes after the last refund: refunded within the cycle, after it,
// in parts before and after the close, after a redemption; or if the debt is
// forgotten. Refund Reward Consistency is violated if in one of these the net
// reward is not down to zero by the close after the last refund; or if the debt is
// forgotten. What is not violated is Partial if there is a window: a reward that
// was granted and refunded within one cycle can be redeemed before its clawback.
// That is, rewards come on a shorter cadence than clawbacks, so that within one
// cycle the same money can be turned over again and again, and only future spend
// brings back what went out. Where rewards come at the close as the clawbacks do,
// nothing is granted before everything delivered until then is taken back. What
// such an issuer lets be redeemed of an earlier cycle's reward while its clawback
// waits (the paper's residual window) is bounded by what was granted by then; it
// is told as Float, and the paper does not hold it against them.
//
// The class is V1 if refunds are adjusted neither in their purchase's cycle nor
// after it, V2 if in one of the two only, V3(a) if they are and the debt is
// forgotten, V3(b) if there is the window and no other flaw; Other if net reward
// is left in another way. A walk-away loss alone makes no class: the paper's
// robust issuers have it too.
func Issuer(i issuer.Issuer, sample Sample, year int) (*Behaviour, error) {
	e, err := gather(i, sample, year)
	if err != nil {
		return nil, fmt.Errorf("lab: examination: %w", err)
	}
	b := &Behaviour{
		RewardTiming:     e.rewardTiming(),
		RefundAdjustment: e.nextCycle.adjustment(),
		NegativeBalance:  e.negativeBalance(),
		Class:            e.class(),
		Reward:           e.reward,
		WalkAway:         e.walkedAway, WalkAwayRounds: e.walkedAwayAfterRounds,
		Notes:     e.notes(),
		Evidence:  e.decisive(),
		Sequences: e.sequences,
	}
	b.RewardIntegrity, b.RefundRewardConsistency = e.verdicts()
	b.Mapping = b.Class.Mapping()
	b.Float, b.FloatDays = e.float()
	return b, nil
}

func (e *evidence) rewardTiming() string {
	if e.atSettlement {
		return "Instant"
	}
	return "Stmt. close"
}

func (r *returned) adjustment() string {
	switch r.delay.kind {
	case atOnce, netted:
		return "Immediate"
	case withinCycle:
		return fmt.Sprintf("Within %d days", r.delay.days)
	case atStatement:
		return "Stmt. close"
	case late:
		return "Late"
	}
	if r.taken {
		return "Partial"
	}
	return "None"
}

// adjusted reports whether the refund was reflected at all.
func (r *returned) adjusted() bool { return r.delay.kind != never || r.taken }

func (e *evidence) negativeBalance() string {
	if e.nextCycle.delay.kind == never {
		return "N/A"
	}
	switch e.debt.kind {
	case unreached:
		return "Not reached"
	case forgiven:
		return "Floored"
	case partly:
		return "Partly"
	case lapsed:
		return fmt.Sprintf("Lapses after %d closes", e.debt.closes)
	case notOffset:
		return "Not offset"
	}
	if e.class() == flaw.V3b {
		return "Indefinite*"
	}
	return "Indefinite"
}

// debtForgotten reports whether what was redeemed and returned is not owed for
// good. It is not known where a refund takes but a part of the reward.
func (e *evidence) debtForgotten() bool {
	if e.nextCycle.delay.kind == never {
		return false
	}
	switch e.debt.kind {
	case forgiven, lapsed, notOffset:
		return true
	}
	return false
}

// window reports whether a reward that was granted and refunded within one cycle
// could be redeemed before its clawback.
func (e *evidence) window() bool { return e.windowSameCycle.amount > 0 }

func (e *evidence) verdicts() (integrity, consistency flaw.Verdict) {
	integrity, consistency = flaw.Satisfied, flaw.Satisfied
	if e.window() {
		integrity, consistency = flaw.Partial, flaw.Partial
	}
	for _, r := range e.returned() {
		if r.end.NetReward() > 0 {
			integrity = flaw.Violated
		}
		if !r.delay.bounded() {
			consistency = flaw.Violated
		}
	}
	if e.debtForgotten() || e.debt.kind == partly {
		return flaw.Violated, flaw.Violated
	}
	return integrity, consistency
}

func (e *evidence) class() flaw.Class {
	adjustsSame, adjustsNext := e.sameCycle.adjusted(), e.nextCycle.adjusted()
	integrity, consistency := e.verdicts()
	switch {
	case !adjustsSame && !adjustsNext:
		return flaw.V1
	case !adjustsSame || !adjustsNext:
		return flaw.V2
	case e.debtForgotten():
		return flaw.V3a
	case integrity == flaw.Violated || consistency == flaw.Violated:
		return flaw.Other
	case e.window():
		return flaw.V3b
	}
	return flaw.Robust
}

// float is the larger of the two windows; of equal ones the longer.
func (e *evidence) float() (amount int64, days int) {
	same, next := e.windowSameCycle, e.windowNextCycle
	if next.amount > same.amount || next.amount == same.amount && same.days >= 0 && (next.days < 0 || next.days > same.days) {
		same = next
	}
	if same.amount == 0 {
		return 0, 0
	}
	return same.amount, same.days
}

func (e *evidence) notes() []string {
	var notes []string
	switch same, next := e.sameCycle.adjusted(), e.nextCycle.adjusted(); {
	case same && !next:
		notes = append(notes, "refunds in the purchase's own cycle are netted")
	case next && !same:
		notes = append(notes, "refunds in the purchase's own cycle are never adjusted")
	}
	switch {
	case e.redeemableAfter < 0:
		notes = append(notes, fmt.Sprintf("nothing can be redeemed within %d days", patienceDays))
	case e.atSettlement && e.redeemableAfter > 0:
		notes = append(notes, fmt.Sprintf("rewards can be redeemed after %d days", e.redeemableAfter))
	}
	if e.class() == flaw.V3b {
		notes = append(notes, "* the debt stays, but only future spend repays it, which the cardholder can withhold")
	}
	return notes
}

// returned are the sequences whose end the verdicts are about.
func (e *evidence) returned() []*returned {
	return []*returned{&e.sameCycle, &e.nextCycle, &e.inParts, &e.dipped}
}

// decisive is the evidence for the class: where reward was left on nothing
// bought, or where none was although one might have expected it.
func (e *evidence) decisive() Evidence {
	r := &e.dipped
	switch e.class() {
	case flaw.V1:
	case flaw.V2:
		if r = &e.nextCycle; r.delay.kind != never {
			r = &e.sameCycle
		}
	case flaw.V3b:
		return evidenceOf(e.windowSameCycle.name, &e.windowSameCycle.paid)
	case flaw.Other:
		violates := func(r *returned) bool { return r.end.NetReward() > 0 || !r.delay.bounded() }
		i := slices.IndexFunc(e.returned(), violates)
		if i < 0 {
			return evidenceOf(e.debt.name, &e.debt.judged)
		}
		r = e.returned()[i]
	default:
		return evidenceOf(e.debt.name, &e.debt.judged)
	}
	return evidenceOf(r.name, &r.end)
}

func evidenceOf(sequence string, seen *Observation) Evidence {
	return Evidence{sequence, seen.NetSpend, seen.NetReward()}
}
