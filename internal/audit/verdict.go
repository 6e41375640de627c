package audit

import (
	"fmt"
	"math"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// evidence is what the class and the verdict follow from, and nothing else: decide is
// the only way from the one to the other, so that no verdict contradicts its figures.
type evidence struct {
	// same and later are what refunds do in the cycle of their purchase and after it.
	same, later treatment
	// cutOff: from some age on, or in a later quarter or year, refunds take nothing, and
	// before it nearly all do.
	cutOff bool
	// floored: debts are not kept.
	floored bool
	// late: clawbacks come later than one cycle.
	late bool
	// window: rewards come at settlement, clawbacks of same-cycle refunds wait, and what
	// waited was redeemed.
	window bool
	// plain are the flaws by which plain refunds leave a substantial part, beside those by
	// which others do, and costs all that cost the program, however little.
	plain, beside, costs []flaw.Code

	granted, stake int64
	// told counts the refunds with something at stake, untaken those that took too little,
	// linked and linkedUntaken those of them that name their purchase, and apart says whether
	// something sets the untaken apart from the others.
	told, untaken, untakenAmount int64
	linked, linkedUntaken        int64
	// linkedStake and linkedLeft are what these had at stake, and what of it was not taken.
	linkedStake, linkedLeft int64
	// certain is the leakage whatever refunds that name no purchase are of: a clawback that
	// came by hand, or under another purchase, is none.
	certain int64
	apart   bool
	// unearned is what was granted for nothing that explains it, in so many of the rows.
	unearned, unearnedRows, rewardRows int64
	// unexplained is leakage that no refund and no such row explains, and that is more
	// than rounding can be, of so many accounts.
	unexplained, unexplainedAccounts int64
	// unexplainedNamed is the same of accounts of which each refund is known to be of one
	// purchase, and no other.
	unexplainedNamed int64
	// unfit: the published terms are not what the program grants by, or do not tell its rows
	// apart, as what it granted before anything was returned shows. owed is what they take for refunds.
	unfit bool
	owed  int64
}

// decision is what the evidence comes to.
type decision struct {
	class flaw.Class
	// found says that the program leaks: exit code 1.
	found                  bool
	integrity, consistency flaw.Verdict
}

// exit is the exit code.
func (d *decision) exit() int { return int(oneIf(d.found)) }

// decide says what the class is, after the paper's definitions (section 4.3): V1 if
// refunds are adjusted neither in their purchase's cycle nor after it, V2 if in one of
// the two only or up to a number of days, V3(a) if they are and debts are not kept, V3(b)
// if what waits for its clawback is redeemed. Other is every leak besides: reward that is
// left on nothing bought in whatever way, told by a flaw or by the money alone. It is
// empty where one of the two places has too few refunds to tell, and nothing leaks.
func (e *evidence) decide() (d decision) {
	leaks := e.leaks()
	switch {
	case e.same == ignores && e.later == ignores:
		d.class = flaw.V1
	case e.same != untold && e.later != untold && (e.same == ignores || e.later == ignores || e.cutOff && e.leaksUntaken()):
		d.class = flaw.V2
	case e.same != untold && e.later != untold && e.floored:
		d.class = flaw.V3a
	case len(e.plain) > 0 || e.same == mixed || e.later == mixed:
		d.class = flaw.Other
	case e.window && e.same != untold:
		d.class = flaw.V3b
	case e.late || leaks || len(e.beside) > 0 || e.floored || e.same == ignores || e.later == ignores:
		d.class = flaw.Other
	case e.same != untold && e.later != untold:
		d.class = flaw.Robust
	}
	d.found = d.class != "" && d.class != flaw.Robust || len(e.costs) > 0
	d.integrity, d.consistency = flaw.Violated, flaw.Violated
	switch {
	case d.class == "":
		d.integrity, d.consistency = "", ""
	case d.class == flaw.Robust && len(e.costs) == 0:
		d.integrity, d.consistency = flaw.Satisfied, flaw.Satisfied
	case d.class == flaw.V3b && !leaks:
		d.integrity, d.consistency = flaw.Partial, flaw.Partial
	case d.class == flaw.Other && e.late && !leaks && len(e.plain)+len(e.beside)+len(e.costs) == 0 && !e.floored && e.same < mixed && e.later < mixed:
		d.integrity = flaw.Satisfied
	}
	return d
}

// Of ten thousand: what a leak has to be of all that was granted, or of what refunds put
// at stake, to be more than the mistakes that are in every export.
const (
	leastUnexplained = 3
	leastUnearned    = 100
	leastUntaken     = 20
	// leastLeft is what refunds that name their purchase left of what they had at stake:
	// of these nothing is a guess, so that the money alone is enough.
	leastLeft = 40
	// leastLeftOfAny is the same of all refunds, of which some may be of another purchase
	// than they are taken for, or of none.
	leastLeftOfAny = 200
	// leastMisfit is what is above the terms of what was granted before anything was returned,
	// and leastDespite what has to be left of what the terms take for refunds where they do
	// not fit: terms that are off do not explain so much.
	leastMisfit  = 3
	leastDespite = 2500
)

// mostOdd is of how many accounts one may be above the terms before anything was returned by
// odd rows, or a flaw that refunds have no part in: terms that do not fit are off for more.
const mostOdd = 10

// oftenAbove is the share, in per mille, of the refunds that name their purchase from which
// on too little taken is more than odd rows, at 95 % confidence.
const oftenAbove = 100

// leaks reports whether more money is out than mistakes and rounding explain.
func (e *evidence) leaks() bool { return e.leaksUntaken() || e.leaksUnearned() || e.leaksUnexplained() }

func (e *evidence) leaksUntaken() bool {
	leaves := func(untaken, left, share, stake int64) bool {
		return untaken >= leastCould && left > 0 && atLeast(left, share, stake)
	}
	if leaves(e.linkedUntaken, min(e.linkedLeft, e.certain), leastLeft, e.linkedStake) ||
		leaves(e.untaken, min(e.untakenAmount, e.certain), leastLeftOfAny, e.stake) {
		return true
	}
	often := e.linkedUntaken >= leastCould && 2*e.linked >= e.told && wilson(e.linkedUntaken, e.linked).lower > oftenAbove
	return (standing(e.untaken, e.told) == Found || often || e.apart) && atLeast(e.untakenAmount, leastUntaken, e.stake)
}

func (e *evidence) leaksUnearned() bool {
	return standing(e.unearnedRows, e.rewardRows) == Found || e.unearned > 0 && atLeast(e.unearned, leastUnearned, e.granted)
}

// leaksUnexplained: where nothing rests on a guess, all that is more than rounding is a
// leak; elsewhere it has to be of some accounts, and of some weight.
func (e *evidence) leaksUnexplained() bool {
	if e.unfit {
		return e.unexplained > 0 && e.unexplainedAccounts >= leastShown && atLeast(e.unexplained, leastDespite, e.owed)
	}
	return e.unexplainedNamed > 0 || e.unexplained > 0 && e.unexplainedAccounts >= leastShown && atLeast(e.unexplained, leastUnexplained, e.granted)
}

// atLeast reports whether a part is that share of a whole, of ten thousand.
func atLeast(part, share, whole int64) bool {
	return times(part, 10_000).Cmp(times(whole, share)) >= 0
}

// judgement is the evidence with the sums that it is from.
type judgement struct {
	*sums
	evidence
	decision
	places       [3]refundSums // the pools
	separation   *Separation
	instant      bool
	waits        bool // clawbacks of same-cycle refunds wait
	debts        int64
	redeemed     int64 // how often what waited was redeemed meanwhile
	cutOffRule   *SeparatingRule
	findingsList []Finding
}

// judgement looks at the sums.
func (s *sums) judgement(money func(int64) string) *judgement {
	j := &judgement{sums: s}
	j.holdTerms()
	if len(s.Misfits) > 0 && j.unfit && 2*s.Figures.RewardsNaming < s.Figures.RewardRows {
		s = s.unread()
		j.sums = s
	}
	for place := range j.places {
		j.places[place] = s.Refunds.pool(judge.Place(place))
	}
	same, later := &j.places[judge.SameCycle].Outcomes, &j.places[judge.LaterCycle].Outcomes
	j.same, j.later = j.treatment(judge.SameCycle), j.treatment(judge.LaterCycle)
	all := s.Refunds.of(func(refundKind) bool { return true })
	j.told, j.untaken, j.untakenAmount = all.Outcomes.told(), all.Outcomes[judge.Never]+all.Outcomes[judge.Partly], all.Untaken
	linked := s.Refunds.of(func(k refundKind) bool { return k.linked })
	j.linked, j.linkedUntaken = linked.Outcomes.told(), linked.Outcomes[judge.Never]+linked.Outcomes[judge.Partly]
	j.linkedStake, j.linkedLeft = max(linked.Stake, linked.Owed), linked.Untaken
	j.separation = separate(s.Refunds.Seen, j.told, money)
	j.lookApart()
	j.debts, j.floored = j.debtsLost()
	j.instant = s.Grants.AtOnce > s.Grants.AtClose+s.Grants.Other
	j.waits = same[judge.WithinCycle]+same[judge.AtClose]+same[judge.Late] > same[judge.Netted]+same[judge.AtOnce]
	if f := s.Flaws[flaw.CodeOf(flaw.V3b)]; f != nil {
		j.redeemed = f.Shown
	}
	j.window = j.instant && j.waits && j.redeemed >= leastShown
	flaws := j.byKind()
	found := func(codes []flaw.Code) (list []flaw.Code) {
		for _, code := range codes {
			if f := flaws[code]; f != nil && f.leaks() == Found && f.substantial(all.Stake, j.atMost()) {
				list = append(list, code)
			}
		}
		return list
	}
	j.plain, j.beside = found(plainly), found(besides)
	for code, f := range flaws {
		if _, _, amount := f.leaking(); !harmless[code] && !ofClasses[code] && f.leaks() == Found && amount/2 <= j.atMost() {
			j.costs = append(j.costs, code)
		}
	}
	slices.Sort(j.costs)
	isLate := func(h *handling) bool { return standing(h[judge.Late], h.told()) == Found }
	if f := flaws[flaw.LateClawback]; f != nil {
		j.late = f.leaks() == Found
	}
	j.late = j.late || isLate(same) || isLate(later)
	f := &s.Figures
	j.granted, j.stake = f.Granted, max(all.Stake, j.owed)
	j.decision = j.decide()
	j.findingsList = j.findings(flaws)
	return j
}

// holdTerms looks whether the terms are what the program grants by, as far as it granted
// anything before refunds came: no account has more than they promise, and they explain most
// of its rows. Where they do not, such rows are how the program grants, and nothing that it
// gives away.
func (j *judgement) holdTerms() {
	f, fit := &j.Figures, &j.Fit
	j.owed, j.certain, j.rewardRows = fit.AtStake, f.Leakage-f.InQuestion, f.RewardRows
	j.unearned, j.unearnedRows = f.Unearned, f.UnearnedRows
	j.unexplained, j.unexplainedAccounts, j.unexplainedNamed = f.Unexplained, j.Accounts.Unexplained, f.UnexplainedNamed
	j.unfit = fit.OverBefore > 0 && atLeast(fit.OverBefore, leastMisfit, fit.Before) && fit.AccountsOver*mostOdd >= fit.GrantedBefore
	if fit.LooseBefore > 0 && 2*fit.LooseBefore >= fit.Before {
		j.unfit = true
		j.unearned, j.unearnedRows = 0, 0
		j.unexplained, j.unexplainedAccounts = fit.Unexplained, fit.Accounts
	}
}

// unread are the sums without what became of single refunds: where rows name no purchase,
// that is read by the terms, and rests on nothing if these do not fit.
func (s *sums) unread() *sums {
	c := *s
	c.Refunds.Seen, c.Flaws = nil, map[flaw.Code]*flawSums{}
	for i := range c.Refunds.Kinds {
		k := &c.Refunds.Kinds[i]
		*k = refundSums{Owed: k.Owed, Owing: k.Owing}
	}
	return &c
}

// atMost is how much a flaw can have cost, whatever its signs say: no more than is left in
// all. Where the terms take nothing for refunds, they set no bound.
func (j *judgement) atMost() int64 {
	if j.owed == 0 {
		return math.MaxInt64
	}
	return max(0, j.certain)
}

// ends are the traits by which a program ends what it takes back: at an age, or with a
// period of the calendar that is longer than a cycle.
var ends = map[string]bool{"age": true, "later quarter": true, "later year": true}

// lookApart looks whether something sets the untaken refunds apart: clear conditions that
// hold for half of them. An age, or the end of a period, that the others come before is a
// cut-off.
func (j *judgement) lookApart() {
	sep := j.separation
	var refunds, untaken int64
	for i := range sep.Rules {
		if r := &sep.Rules[i]; r.clear() {
			refunds += r.Refunds
			untaken += r.Untaken
		}
	}
	j.apart = untaken >= leastCould && 2*untaken >= sep.Untaken
	if len(sep.Rules) == 0 {
		return
	}
	first := &sep.Rules[0]
	others, missed := sep.Refunds-first.Refunds, sep.Untaken-first.Untaken
	if ends[first.about] && first.older && first.clear() && first.Untaken >= leastCould && others >= leastCould && 20*missed <= others && 2*first.Untaken >= sep.Untaken {
		j.cutOff, j.cutOffRule = true, first
	}
}

// leastSubstantial is the share, of ten thousand, of the reward that refunds put at
// stake which a flaw has to keep to be held against the program as a whole; a few
// cents are a finding and no class. It is small, since what a flaw is about (a
// refund above the price, or before its purchase) may be rare, and kept whole.
const leastSubstantial = 20

func (f *flawSums) substantial(stake, most int64) bool {
	shown, _, amount := f.leaking()
	return shown >= leastCould && atLeast(min(amount, most), leastSubstantial, stake)
}

// debtsLost tells whether debts are kept: from what became of debts that stood for long,
// and from the refunds that the balance did not cover, if of these many took just what
// there was and those that it did cover fall short less often. Where refunds take
// nothing anyway, that says nothing of debts.
func (j *judgement) debtsLost() (could int64, floored bool) {
	in := func(k refundKind) bool {
		return k.place != judge.Early && [...]treatment{j.same, j.later}[k.place] != ignores
	}
	open := j.Refunds.linkedOrAll(func(k refundKind) bool { return in(k) && !k.covered })
	covered := j.Refunds.linkedOrAll(func(k refundKind) bool { return in(k) && k.covered })
	clawed := open.Outcomes.taken() + covered.Outcomes.taken() - open.Outcomes[judge.Netted] - covered.Outcomes[judge.Netted]
	told, short := open.Outcomes.told(), covered.Outcomes[judge.Never]+covered.Outcomes[judge.Partly]
	floored = standing(j.Debts.Forgotten, j.Debts.Forgotten+j.Debts.Kept) == Found || !j.setApart() && clawed >= leastCould && standing(open.Floored, told) == Found &&
		(covered.Outcomes.told() < leastCould || wilson(open.Floored, told).lower > wilson(short, covered.Outcomes.told()).upper)
	return told, floored
}

// setApart reports whether something else than what had been redeemed sets most untaken
// refunds apart.
func (j *judgement) setApart() bool {
	if len(j.separation.Rules) == 0 {
		return false
	}
	r := &j.separation.Rules[0]
	return r.clear() && r.about != "spent" && 2*r.Untaken >= j.separation.Untaken
}

// verdict says what was found.
func (j *judgement) verdict(money func(int64) string) Verdict {
	at := func(place judge.Place) Handling {
		refunds := j.Refunds.linkedOrAll(func(k refundKind) bool { return k.place == place })
		return refunds.public()
	}
	v := Verdict{
		Class: j.class, Found: j.found, Exit: j.exit(), RewardIntegrity: j.integrity, RefundRewardConsistency: j.consistency,
		Summary: j.summary(money), RewardTiming: j.rewardTiming(), RefundAdjustment: j.adjustment(), NegativeBalance: j.negativeBalance(),
		SameCycle: at(judge.SameCycle), LaterCycle: at(judge.LaterCycle),
	}
	if v.Class != "" {
		v.Mapping = v.Class.Mapping()
	}
	return v
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
	switch j.later {
	case untold:
		return ""
	case ignores:
		return "None"
	}
	later := j.Refunds.of(func(k refundKind) bool { return k.place == judge.LaterCycle }).Outcomes
	most := judge.AtOnce
	for _, o := range [...]judge.Outcome{judge.WithinCycle, judge.AtClose, judge.Late} {
		if later[o] > later[most] {
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
	case j.later == untold:
		return ""
	case j.later == ignores:
		return "N/A"
	case j.floored:
		return "Floored"
	case j.debts < leastCould:
		return "Not reached"
	case j.class == flaw.V3b:
		return "Indefinite*"
	}
	return "Indefinite"
}

// Flaws are the codes of what was found: of the class, and of the findings.
func (r *Report) Flaws() []string {
	if !r.Verdict.Found {
		return nil
	}
	var codes []string
	if r.Verdict.Class != "" && r.Verdict.Class != flaw.Robust {
		codes = append(codes, string(r.Verdict.Class))
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Standing == Found && !slices.Contains(codes, string(f.Code)) {
			codes = append(codes, string(f.Code))
		}
	}
	return codes
}
