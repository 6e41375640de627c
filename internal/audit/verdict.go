package audit

import (
	"fmt"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// treatment is what a program does about the refunds that fall in one place.
type treatment uint8

const (
	// untold: there were too few refunds to tell.
	untold treatment = iota
	// adjusts: refunds take the reward back.
	adjusts
	// mixed: many do, and more than mistakes explain do not.
	mixed
	// ignores: most refunds take nothing.
	ignores
)

// pools are the refunds that a treatment is told from, the plainest first: of the
// first pool that has enough of them. Where the balance could not cover the
// clawback, nothing taken may as well mean that debts are not kept; where only a
// part was returned, that parts are; and chargebacks and refunds that name no
// purchase may have a handling of their own.
var pools = []func(refundKind) bool{
	func(k refundKind) bool { return k.linked && k.covered && k.whole && !k.chargeback },
	func(k refundKind) bool { return k.linked && k.covered && !k.chargeback },
	func(k refundKind) bool { return k.linked && !k.chargeback },
	func(k refundKind) bool { return k.covered && k.whole && !k.chargeback },
	func(k refundKind) bool { return k.covered && !k.chargeback },
	func(k refundKind) bool { return !k.chargeback },
	func(refundKind) bool { return true },
}

// pool returns the refunds of a place that its treatment is told from.
func (r *refundCounts) pool(place judge.Place) (h handling) {
	all := r.of(func(k refundKind) bool { return k.place == place })
	for _, in := range pools {
		h = r.of(func(k refundKind) bool { return k.place == place && in(k) })
		if h.speaksFor(&all, leastPart) {
			break
		}
	}
	return h
}

// leastPart is the share, in per mille, of all refunds of a place that a pool must
// have to speak for them: where one in a hundred names its purchase, it is an odd one.
// leastLinked is the share that must name their purchase for the others not to count.
const (
	leastPart   = 50
	leastLinked = 500
)

// speaksFor reports whether there are enough of these refunds, for themselves and
// among the others.
func (h *handling) speaksFor(all *handling, leastPermille int64) bool {
	return h.told() >= leastCould && 1000*h.told() >= leastPermille*all.told()
}

// at returns the refunds of a place: those that name their purchase or, where
// these are too few, all.
func (r *refundCounts) at(place judge.Place) handling {
	return r.linkedOrAll(func(k refundKind) bool { return k.place == place })
}

// linkedOrAll returns those of the refunds that name their purchase or, where these
// are too few, all of them.
func (r *refundCounts) linkedOrAll(wanted func(refundKind) bool) handling {
	all, linked := r.of(wanted), r.of(func(k refundKind) bool { return k.linked && wanted(k) })
	if linked.speaksFor(&all, leastLinked) {
		return linked
	}
	return all
}

// treatment tells what the program does about such refunds. A majority decides
// between adjusting and ignoring, since a few odd rows are in every export; what
// is short of one, and still more than mistakes explain, is neither.
func (h *handling) treatment() treatment {
	never, told := h[judge.Never], h.told()
	switch {
	case told < leastCould:
		return untold
	case 2*never > told:
		return ignores
	case standing(never, told) == Found:
		return mixed
	}
	return adjusts
}

// judgement is what the verdict follows from.
type judgement struct {
	*sums
	same, later handling // the pools
	sameIs      treatment
	laterIs     treatment
	floored     bool        // debts are not kept
	debts       int64       // how many clawbacks could make one
	others      []flaw.Code // found, and no class of the paper's
	beside      []flaw.Code // found, and no class at all
	cutOff      cutOff
	cuts        bool  // refunds later than the cut-off take nothing
	late        bool  // clawbacks come later than one cycle
	instant     bool  // rewards come at settlement
	waits       bool  // clawbacks of same-cycle refunds wait
	redeemed    int64 // how often what waited was redeemed meanwhile
}

// judgement looks at the sums.
func (s *sums) judgement() *judgement {
	j := &judgement{sums: s, same: s.Refunds.pool(judge.SameCycle), later: s.Refunds.pool(judge.LaterCycle)}
	j.sameIs, j.laterIs = j.same.treatment(), j.later.treatment()
	j.instant = s.Grants.AtOnce > s.Grants.AtClose+s.Grants.Other
	j.debts, j.floored = s.debts()
	j.cutOff, j.cuts = s.Refunds.cutOff()
	j.others, j.beside = s.found(otherwise), s.found(beside)
	j.late = s.leaks(flaw.LateClawback) == Found || isLate(&j.same) || isLate(&j.later)
	atOnce := j.same[judge.Netted] + j.same[judge.AtOnce]
	j.waits = j.same[judge.WithinCycle]+j.same[judge.AtClose]+j.same[judge.Late] > atOnce
	if f := s.Flaws[flaw.CodeOf(flaw.V3b)]; f != nil {
		j.redeemed = f.Shown
	}
	return j
}

// found returns those of the flaws that were found to leave a substantial part.
func (s *sums) found(codes []flaw.Code) (found []flaw.Code) {
	for _, code := range codes {
		if s.leaks(code) == Found && s.substantial(s.Flaws[code]) {
			found = append(found, code)
		}
	}
	return found
}

func isLate(h *handling) bool { return standing(h[judge.Late], h.told()) == Found }

// leastSubstantial is the share, in per mille, of the reward that refunds put at
// stake which a flaw has to keep to be held against the program as a whole; a few
// cents are a finding and no class. It is small, since what a flaw is about (a
// refund above the price, or before its purchase) may be rare, and kept whole.
const leastSubstantial = 2

func (s *sums) substantial(f *flawSums) bool {
	shown, _, amount := f.leaking()
	return shown >= leastCould && times(amount, 1000).Cmp(times(s.Refunds.Stake, leastSubstantial)) >= 0
}

// debts tells whether debts are kept: from the signs of V3(a), from what became of
// debts that stood for long, and from the refunds that the balance did not cover, if
// of these many took just what there was and those that it did cover fall short less
// often.
func (s *sums) debts() (could int64, floored bool) {
	floored = standing(s.Debts.Forgotten, s.Debts.Forgotten+s.Debts.Kept) == Found
	for _, place := range [...]judge.Place{judge.SameCycle, judge.LaterCycle} {
		told, floor := s.Refunds.uncovered(place)
		covered := s.Refunds.linkedOrAll(func(k refundKind) bool { return k.place == place && k.covered })
		could += told
		floored = floored || standing(floor, told) == Found && (covered.told() < leastCould || wilson(floor, told).lower > covered.short().upper)
	}
	if f := s.Flaws[flaw.CodeOf(flaw.V3a)]; f != nil {
		could = max(could, f.Could)
		floored = floored || standing(f.Shown, f.Could) == Found
	}
	return could, floored
}

// short is the share of refunds that took less than theirs of the reward.
func (h *handling) short() interval { return wilson(h[judge.Never]+h[judge.Partly], h.told()) }

// class is the class of the program as examine.Issuer has it, from data: V1 if
// refunds are adjusted neither in their purchase's cycle nor after it, V2 if in
// one of the two only or up to a number of days, V3(a) if they are and debts are not kept, Other if reward
// is left on nothing bought in another way or clawbacks come later than one
// cycle, V3(b) if rewards come at settlement, clawbacks of refunds in the same
// cycle wait, and what waited was redeemed. It is empty where one of the two
// places has too few refunds to tell.
func (j *judgement) class() flaw.Class {
	switch {
	case j.sameIs == untold || j.laterIs == untold:
		return ""
	case j.sameIs == ignores && j.laterIs == ignores:
		return flaw.V1
	case j.sameIs == ignores || j.laterIs == ignores || j.cuts:
		return flaw.V2
	case j.floored:
		return flaw.V3a
	case j.leaksOtherwise() || j.late:
		return flaw.Other
	case j.instant && j.waits && j.redeemed >= leastShown:
		return flaw.V3b
	}
	return flaw.Robust
}

func (j *judgement) leaksOtherwise() bool {
	return len(j.others) > 0 || j.sameIs == mixed || j.laterIs == mixed
}

// verdict says what was found.
func (s *sums) verdict(money func(int64) string) Verdict {
	j := s.judgement()
	same, later := s.Refunds.at(judge.SameCycle), s.Refunds.at(judge.LaterCycle)
	v := Verdict{
		Class:            j.class(),
		Summary:          j.summary(money),
		RewardTiming:     s.rewardTiming(),
		RefundAdjustment: j.adjustment(),
		NegativeBalance:  j.negativeBalance(),
		SameCycle:        same.public(),
		LaterCycle:       later.public(),
	}
	if v.Class != "" {
		v.Mapping = v.Class.Mapping()
	}
	v.Found = j.anything(v.Class)
	v.RewardIntegrity, v.RefundRewardConsistency = j.properties(v.Class)
	return v
}

// anything reports whether there is any flaw: a class, refunds that take nothing
// back in one place while the other cannot be told, or a finding that costs the
// program reward. Exposure alone is none, and short-payment is not a flaw of the
// paper's taxonomy.
func (j *judgement) anything(c flaw.Class) bool {
	if c != "" && c != flaw.Robust || j.sameIs == ignores || j.laterIs == ignores {
		return true
	}
	for code := range j.Flaws {
		if e := effects[code]; (e == leaks || e == repeats || e == pays) && j.leaks(code) == Found {
			return true
		}
	}
	return false
}

// properties are the verdicts on Reward Integrity and Refund Reward Consistency.
func (j *judgement) properties(c flaw.Class) (integrity, consistency flaw.Verdict) {
	switch c {
	case "":
		return "", ""
	case flaw.Robust:
		if len(j.beside) == 0 {
			return flaw.Satisfied, flaw.Satisfied
		}
	case flaw.V3b:
		return flaw.Partial, flaw.Partial
	case flaw.Other:
		if !j.leaksOtherwise() {
			return flaw.Satisfied, flaw.Violated
		}
	}
	return flaw.Violated, flaw.Violated
}

// rewardTiming is when most rewards came.
func (s *sums) rewardTiming() string {
	g := s.Grants
	switch all := g.AtOnce + g.AtClose + g.Other; {
	case all == 0:
		return ""
	case 2*g.AtOnce > all:
		return "Instant"
	case 2*g.AtClose > all:
		return "Stmt. close"
	}
	return "Other"
}

// adjustment is when most refunds in a later cycle than their purchase's took
// the reward back; where these cannot be told, it is empty.
func (j *judgement) adjustment() string {
	switch j.laterIs {
	case untold:
		return ""
	case ignores:
		return "None"
	}
	when := j.Refunds.When[judge.LaterCycle]
	most := judge.AtOnce
	for _, o := range [...]judge.Outcome{judge.WithinCycle, judge.AtClose, judge.Late} {
		if when[o] > when[most] {
			most = o
		}
	}
	switch most {
	case judge.WithinCycle:
		total := int64(0)
		for _, n := range j.Refunds.Waited {
			total += n
		}
		// A tenth may be late postings.
		return fmt.Sprintf("Within %d days", quantile(j.Refunds.Waited, total, 900))
	case judge.AtClose:
		return "Stmt. close"
	case judge.Late:
		return "Late"
	}
	return "Immediate"
}

// negativeBalance is what became of debts.
func (j *judgement) negativeBalance() string {
	switch {
	case j.laterIs == untold:
		return ""
	case j.laterIs == ignores:
		return "N/A"
	case j.floored:
		return "Floored"
	case j.debts < leastCould:
		return "Not reached"
	case j.class() == flaw.V3b:
		return "Indefinite*"
	}
	return "Indefinite"
}
