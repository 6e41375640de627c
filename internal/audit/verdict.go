package audit

import (
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// judgement is the evidence with the sums that it is from.
type judgement struct {
	*sums
	terms
	evidence
	Verdict
	places       [3]refundSums // the pools
	separation   *Separation
	instant      bool
	waits        bool // clawbacks of same-cycle refunds wait
	debts        int64
	redeemed     int64 // how often what waited was redeemed meanwhile
	cutOffRule   *SeparatingRule
	byTerms      int64 // Report.LeakageByTerms
	findingsList []Finding
}

// judgement looks at the sums.
func (t *Tally) judgement() *judgement {
	j := &judgement{sums: &t.Sums, terms: t.Terms}
	j.weigh()
	if len(j.Misfits) > 0 && j.unfit && 2*j.Figures.RewardsNaming < j.Figures.RewardRows {
		j.sums = j.unread()
	}
	for place := range j.places {
		j.places[place] = j.Refunds.first(plainest, leastPart, in(judge.Place(place)))
	}
	same, later := &j.places[judge.SameCycle], &j.places[judge.LaterCycle]
	all := j.Refunds.of(func(refundKind) bool { return true })
	j.told, j.untaken, j.stake, j.untakenAmount = all.told(), all.Never+all.Partly, all.Stake, all.Untaken
	j.separation = separate(j.Refunds.Seen, j.told, j.spend)
	j.lavish = j.Fit.Short > 0 && atLeast(j.Fit.Short, leastLavish, j.Fit.Named) && !j.heard()
	j.lookApart()
	j.same, j.later = j.treatment(judge.SameCycle), j.treatment(judge.LaterCycle)
	j.debts, j.floored = j.debtsLost()
	way, neglects := j.neglect()
	j.neglects = neglects
	if neglects == flaw.V2 && standing(j.Debts.Forgotten, j.Debts.Forgotten+j.Debts.Kept) != Found {
		j.floored = false // whoever takes nothing after a payout finds nothing there either
	}
	j.instant = j.Grants.AtOnce > j.Grants.AtClose+j.Grants.Other
	waited := same.WithinCycle + same.AtClose + same.Late
	j.waits = waited > same.Netted+same.AtOnce
	inWindow := j.Flaws.of(flaw.CodeOf(flaw.V3b))
	j.redeemed = inWindow.Shown
	// A few are rows misread, or refunds of which the program heard days later. Where most refunds
	// do not wait, those of some purchases may.
	j.window = j.instant && (j.waits || 10*waited >= same.told() && 2*j.redeemed >= inWindow.Could) && j.redeemed >= leastShown && atLeast(inWindow.Amount, leastAhead, j.Figures.TakenBack)
	flaws := j.byKind()
	j.plain, j.beside = j.against(plainly, flaws), j.against(besides, flaws)
	b := &j.Bonuses
	j.bonusOnce = b.AfterRefunds >= leastCould && b.NoLongerOwed >= leastShown && 20*b.TakenBack < b.NoLongerOwed
	for code, f := range flaws {
		if j.costly() && !harmless[code] && !ofClasses[code] && f.leaks(code) == Found {
			j.costs = append(j.costs, code)
		}
	}
	slices.Sort(j.costs)
	isLate := func(r *refundSums) bool { return standing(r.Late, r.told()) == Found }
	// What waits may be withheld: then next to none of the redemptions meanwhile touches it.
	g10 := flaws.of(flaw.G10)
	touched := g10.leaks(flaw.G10)
	j.late = (isLate(same) || isLate(later)) && touched != NotFound && touched != Occasional && (g10.Could == 0 || atLeast(g10.Amount, leastTouched, same.Stake+later.Stake))
	j.Verdict = j.decide()
	if j.bySums { // the terms are a measure, then
		j.byTerms = 0
		n := j.Neglects.Refunds[way]
		flaws[flaw.CodeOf(j.Class)] = &flawSums{Shown: n, Could: n, Amount: j.Neglects.Of - j.Neglects.Left[way]}
	}
	if j.byBonus() { // single refunds show nothing of it
		flaws[flaw.CodeOf(flaw.V2)] = &flawSums{
			Shown: b.NoLongerOwed - b.TakenBack, Could: b.NoLongerOwed, Amount: j.certain, Examples: flaws.of(flaw.SpendBonusKept).Examples,
		}
	}
	j.findingsList = j.findings(flaws)
	j.Summary, j.RewardTiming, j.RefundAdjustment, j.NegativeBalance = j.summary(), j.rewardTiming(), j.adjustment(), j.negativeBalance()
	j.SameCycle, j.LaterCycle = j.Refunds.named(in(judge.SameCycle)).Handling, j.Refunds.named(in(judge.LaterCycle)).Handling
	return j
}

// byBonus reports whether the class is V2 for what becomes of bonuses.
func (j *judgement) byBonus() bool {
	return j.Class == flaw.V2 && !j.bySums && j.same == adjusts && j.later == adjusts && !j.cutOff
}

// weigh looks at the money, and whether the terms are what the program grants by, as far as
// it granted anything before refunds came: no account has more than they promise, and they
// explain most of its rows. Where they do not, such rows are how the program grants, and
// nothing that it gives away.
func (j *judgement) weigh() {
	f, fit := &j.Figures, &j.Fit
	j.granted, j.owed, j.certain, j.left = f.Granted, fit.AtStake, max(0, f.Leakage-f.InQuestion-f.Forgiven-fit.Pending), fit.Left // debts have a test of their own
	named := j.Refunds.of(func(k refundKind) bool { return k.is(linked) })
	j.unnamed = 2*named.Owed < fit.AtStake
	// The terms may come to what the accounts have in the end, in whichever rows it came: next to
	// nothing is above them, and little is below.
	hold := !atLeast(j.certain, leastLeft, j.owed) && !atLeast(f.ShortPaid, mostShort, j.granted)
	loose := fit.LooseBefore > 0 && 2*fit.LooseBefore >= fit.Before && !hold
	j.unfit = loose || j.over()
	if !loose {
		j.unearned = f.Unearned
	}
	if j.overBy(fit.OverBefore, 4) { // what so many got before anything was returned is the program's, such as a welcome
		j.unearned = max(0, j.unearned-fit.OverBefore)
	}
	// Rounding goes on as it was before refunds: grants that match to the unit allow for none.
	j.left = max(0, j.left-min(ratio(f.Granted, fit.RoundedBefore, fit.Before), f.Rounding))
	if 2*f.RewardsNaming < f.RewardRows && 2*f.RewardRows <= f.Purchases && f.Unexplained == 0 {
		j.unnamedRows = f.RewardRows - f.RewardsNaming
	}
	if j.unfit {
		j.off = ratio(f.Granted, fit.OverBefore, fit.Before)
		j.byTerms = min(j.certain, j.off+f.Unearned)
		// Sums of which no row tells what it is for may be just what the terms come to all the same.
		j.nearly = (!loose || fit.OverBefore == 0 && !atLeast(f.ShortPaid, mostShort, j.granted)) && j.off <= j.certain/nearlyIn
		if j.off >= j.owed { // terms that are off by more than refunds can leave are no measure
			j.off = 0
		}
		j.off += j.unearned
	}
}

const (
	// nearlyIn is the part of what is left that terms may be off by, to be nearly those that the
	// program grants by.
	nearlyIn = 20
	// Of ten thousand of what was granted: mostShort may be below the terms where they hold, and
	// leastMisfit is above them, before anything was returned, where they do not fit. Of what is
	// due to accounts of which every refund names its purchase, leastLavish is what they lack
	// where the terms promise too much.
	mostShort   = 200
	leastMisfit = 3
	leastLavish = 1500
)

// over reports whether more was granted before anything was returned than the terms promise,
// of a quarter of the accounts. Of a tenth of them, it may be of odd rows or a flaw that refunds
// have no part in: there the rows that no purchase explains do not count.
func (j *judgement) over() bool {
	fit := &j.Fit
	return j.overBy(fit.OverBefore, 4) || j.overBy(fit.OverBefore-fit.LooseBefore, 10)
}

// overBy reports whether that is above the terms for real, and one in so many accounts has some.
func (j *judgement) overBy(amount, oneIn int64) bool {
	fit := &j.Fit
	return amount > 0 && atLeast(amount, leastMisfit, fit.Before) && fit.AccountsOver*oneIn >= fit.GrantedBefore
}

// unread are the sums without what became of single refunds: where rows name no purchase,
// that is read by the terms, and rests on nothing if these do not fit.
func (s *sums) unread() *sums {
	c := *s
	c.Refunds.Seen, c.Flaws = nil, seenFlaws{}
	for i := range c.Refunds.Kinds {
		k := &c.Refunds.Kinds[i]
		*k = refundSums{Owed: k.Owed, Owing: k.Owing}
	}
	return &c
}

// ends are the traits by which a program ends what it takes back: at an age, with a period of
// the calendar that is longer than a cycle, or once the reward is reckoned and not yet posted.
var ends = map[string]bool{"age": true, "later quarter": true, "later year": true, "ahead": true}

// lookApart looks whether something sets the untaken refunds apart: clear conditions that hold for
// half of them. An age, or the end of a period, that the others come before is a cut-off, where
// next to nothing is taken of what comes after it, and that is a third of what is left in all: what
// comes before it is missed of a twentieth at most, or of a tenth where that is three fifths.
func (j *judgement) lookApart() {
	rules, all := j.separation.Rules, &j.separation.all
	var apart SeparatingRule
	for i := range rules {
		// Whether a grant left a refund out is read by the terms.
		if r := &rules[i]; r.clear() && !(j.unfit && r.about == "ahead") {
			apart.Untaken += r.Untaken
			apart.missed += r.missed
		}
	}
	j.apart = apart.Untaken >= leastCould && 2*apart.missed >= all.missed
	if len(rules) == 0 {
		return
	}
	first := &rules[0]
	others := first.without(all)
	part := ratio(first.Amount, j.told, all.Refunds) // of what is left in all
	before := 20*others.missed <= others.stake && atLeast(part, 3333, j.certain) || 10*others.missed <= others.stake && atLeast(part, 6000, j.certain)
	if ends[first.about] && first.older && first.Untaken >= leastCould && atLeast(first.Amount, 8000, first.stake) &&
		others.Refunds >= leastCould && before && 2*first.missed >= all.missed {
		j.cutOff, j.cutOffRule = true, first
	}
}

// leastTouched is the share, of ten thousand, of the reward that refunds put at stake which is
// redeemed while it waits for clawbacks that are late, for these to be a leak.
const leastTouched = 100

// leastAhead is the share, of ten thousand, of what is taken back for refunds that is redeemed
// before it is, in the cycle of its purchase, for that to be the program's way (V3(b)).
const leastAhead = 75

// leastSubstantial is the share, of ten thousand, of the reward that refunds put at
// stake which a flaw has to keep to be held against the program as a whole; a few
// cents are a finding and no class. It is small, since what a flaw is about (a
// refund above the price, or before its purchase) may be rare, and kept whole.
const leastSubstantial = 20

// against are those of the codes that are held against the program. A flaw can have cost no more
// than is left in all, whatever its signs say; where the terms take nothing for refunds, they
// set no bound.
func (j *judgement) against(codes []flaw.Code, flaws seenFlaws) (list []flaw.Code) {
	for _, code := range codes {
		f, least := flaws.of(code), int64(leastSubstantial)
		if code == flaw.UnlinkedIgnored { // which of them had something at stake is a guess
			least = leastUnnamed
		}
		shown, _, amount := f.leaking()
		if j.owed != 0 {
			amount = min(amount, max(0, j.certain))
		}
		if shown >= leastCould && f.leaks(code) == Found && atLeast(amount, least, j.stake) {
			list = append(list, code)
		}
	}
	return list
}

// costly reports whether the money shows that something was left, however little, besides
// what is a guess. Of terms that do not fit, only that it leaks says so: they make a flaw of
// what they do not know.
func (j *judgement) costly() bool {
	switch {
	case j.owed == 0:
		return true
	case j.unfit:
		return j.leaksLeft()
	}
	return j.left > 0
}

// debtsLost tells whether debts are kept: from what became of debts that stood for long,
// and from the refunds that the balance did not cover, if of these many took just what
// there was and those that it did cover fall short less often, and something is left in
// all. Where refunds take nothing anyway, that says nothing of debts, nor do parts where whole
// ones tell: these may be taken for nothing themselves.
func (j *judgement) debtsLost() (could int64, floored bool) {
	of := func(kind refundKind) (open, held refundSums) {
		named := func(is refundKind) refundSums {
			return j.Refunds.named(func(k refundKind) bool {
				return k.place() != judge.Early && k.is(kind) && k&covered == is && [...]treatment{j.same, j.later}[k.place()] != ignores
			})
		}
		return named(0), named(covered)
	}
	open, held := of(whole)
	if min(open.told(), held.told()) < leastCould {
		open, held = of(0)
	}
	clawed, told := open.taken()+held.taken()-open.Netted-held.Netted, open.told()
	floored = standing(j.Debts.Forgotten, j.Debts.Forgotten+j.Debts.Kept) == Found || j.leaksLeft() && !j.setApart() && clawed >= leastCould && standing(open.Floored, told) == Found &&
		(held.told() < leastCould || wilson(open.Floored, told) > 1000-wilson(held.taken()-held.Partly, held.told()))
	return told, floored
}

// setApart reports whether something else than what had been redeemed sets most untaken
// refunds apart.
func (j *judgement) setApart() bool {
	rules := j.separation.Rules
	return len(rules) > 0 && rules[0].clear() && rules[0].about != "spent" && 2*rules[0].Untaken >= j.separation.Untaken
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
