package audit

import "recoup/internal/flaw"

// evidence is what the class and the verdict follow from, and nothing else: decide is
// the only way from the one to the other, so that no verdict contradicts its figures.
type evidence struct {
	// same and later are what refunds do in the cycle of their purchase and after it.
	same, later treatment
	// cutOff: from some age on, or in a later quarter or year, refunds take nothing, and
	// before it nearly all do.
	cutOff bool
	// bonusOnce: a refund counts until the bonus has come that its purchase earned with others,
	// and never after it, while what single purchases earn is taken at any time.
	bonusOnce bool
	// neglects is the class of a way to leave refunds out that the accounts' sums fit, where rows
	// do not tell by which refunds they leak; empty if there is none.
	neglects flaw.Class
	// floored: debts are not kept.
	floored bool
	// late: clawbacks come later than one cycle, and what waited for them was redeemed.
	late bool
	// window: rewards come at settlement, clawbacks of same-cycle refunds wait, and what
	// waited was redeemed.
	window bool
	// plain are the flaws by which plain refunds leave a substantial part, beside those by
	// which others do, and costs all that cost the program, however little.
	plain, beside, costs []flaw.Code

	// granted is all that was granted, and owed what the terms take for refunds.
	granted, owed int64
	// certain is the leakage if each refund that names no purchase is of the cheapest that it
	// can be of, and left what is there even if these take nothing: no guess is in it, nor
	// rows that nothing explains.
	certain, left int64
	// unnamedRows are those that name no purchase, where most do not, they are the sums of several,
	// and nothing is left beyond rounding: each sum may be rounded by itself.
	unnamedRows int64
	// unnamed: most of what refunds put at stake is of such that name no purchase.
	unnamed bool
	// unfit: the published terms are not what the program grants by, or do not tell its rows apart,
	// as what it granted before anything was returned shows. off is what they are off by then, as a
	// part of all that was granted. nearly: that is next to nothing beside what is left.
	unfit, nearly bool
	off           int64
	// lavish: the published terms promise far more than the program grants, and take far more for
	// refunds than these had at stake. Nobody can have more than such terms promise.
	lavish bool
	// told counts the refunds with something at stake, which is stake in all, untaken those
	// that took too little, and apart says whether something sets these apart from the others.
	told, untaken, stake, untakenAmount int64
	apart                               bool
	// unearned is what was granted for nothing that explains it.
	unearned int64
}

// decide says what the class is, after the paper's definitions (section 4.3): V1 if
// refunds are adjusted neither in their purchase's cycle nor after it, V2 if in one of
// the two only or up to a number of days, V3(a) if they are and debts are not kept, V3(b)
// if what waits for its clawback is redeemed. Other is every leak besides: reward that is
// left on nothing bought in whatever way, told by a flaw or by the money alone, unless the
// accounts' sums are those of V1 or V2. It is
// empty where nothing leaks and one of the two places has too few refunds to tell, or the terms
// cannot.
func (e *evidence) decide() (v Verdict) {
	leaks, both := e.leaks(), e.same != untold && e.later != untold
	switch {
	case e.same == ignores && e.later == ignores:
		v.Class = flaw.V1
	case both && (e.same == ignores || e.later == ignores || e.cutOff && e.leaksLeft()):
		v.Class = flaw.V2
	case both && e.floored:
		v.Class = flaw.V3a
	case e.same == adjusts && e.later == adjusts && e.bonusOnce && !atLeast(e.untakenAmount, leastUntaken, e.stake) && e.leaksLeft():
		v.Class = flaw.V2
	case len(e.plain) > 0 || e.same == mixed || e.later == mixed:
		v.Class = flaw.Other
	case e.window && e.same != untold:
		v.Class = flaw.V3b
	case leaks && e.neglects != "":
		v.Class, v.bySums = e.neglects, true
	case e.late || leaks || len(e.beside) > 0 || e.floored || e.same == ignores || e.later == ignores:
		v.Class = flaw.Other
	case both && !e.lavish:
		v.Class = flaw.Robust
	}
	v.Found = v.Class != "" && v.Class != flaw.Robust || len(e.costs) > 0
	v.RewardIntegrity, v.RefundRewardConsistency = flaw.Violated, flaw.Violated
	switch {
	case v.Class == "":
		v.RewardIntegrity, v.RefundRewardConsistency = "", ""
	case v.Class == flaw.Robust && len(e.costs) == 0:
		v.RewardIntegrity, v.RefundRewardConsistency = flaw.Satisfied, flaw.Satisfied
	case v.Class == flaw.V3b && !leaks:
		v.RewardIntegrity, v.RefundRewardConsistency = flaw.Partial, flaw.Partial
	case v.Class == flaw.Other && e.late && !leaks && len(e.plain)+len(e.beside)+len(e.costs) == 0 && !e.floored && e.same < mixed && e.later < mixed:
		v.RewardIntegrity = flaw.Satisfied
	}
	if v.Class != "" {
		v.Mapping = v.Class.Mapping()
	}
	if v.Found {
		v.Exit = 1
	} else if v.Class == "" { // an audit that saw nothing is none that was passed
		v.Exit = 2
	}
	return v
}

// Of ten thousand: what a leak has to be of what the terms take for refunds, to be more than
// the mistakes that are in every export.
const (
	// leastLeft is of what rests on no guess.
	leastLeft = 3
	// leastGuessed is of what is left even if each refund that names no purchase is of the
	// cheapest: a program's guess costs less.
	leastGuessed = 1000
	// leastUnnamed is of what single refunds left where most of them name no purchase: some
	// may be of another than they are taken for.
	leastUnnamed = 200
	// leastDespite is where the terms do not fit: these are off by more than before refunds.
	leastDespite = 4000
	// leastApart is what refunds that something sets apart left then, of what all had at stake,
	// and leastShare what refunds did that nothing does.
	leastApart = 200
	leastShare = 1200
	// leastUntaken is what single refunds left, of what they had at stake, where there is
	// nothing else to go by.
	leastUntaken = 20
	// leastHeard is what single refunds had at stake, of what the terms take for them, where they
	// speak for all.
	leastHeard = 8000
	// leastUnearned is what nothing explains, of all that was granted.
	leastUnearned = 100
)

// heard reports whether single refunds had most of that at stake which the terms take for them.
func (e *evidence) heard() bool { return atLeast(e.stake, leastHeard, e.owed) }

// leaks reports whether more money is out than mistakes and rounding explain.
func (e *evidence) leaks() bool { return e.leaksLeft() || e.leaksUnearned() }

// leaksLeft reports whether what refunds should have taken is left, as the money says it, and
// not single rows: what came by hand, or under another purchase, is taken all the same. Only
// where the terms say nothing of the money, single refunds have to.
func (e *evidence) leaksLeft() bool {
	explained := e.certain - e.unearned
	switch {
	case e.owed == 0:
		return (standing(e.untaken, e.told) == Found || e.apart) && atLeast(e.untakenAmount, leastUntaken, e.stake)
	case e.unfit && e.told >= leastShown && e.untaken == 0 && e.heard():
		return false // every refund took its share of what there really was
	case e.unfit:
		least := int64(leastDespite)
		if e.nearly {
			least = leastGuessed
		}
		return atLeast(e.certain-e.off, least, e.owed) || e.refundsLeave()
	case e.unnamed && atLeast(min(e.untakenAmount, explained), leastUnnamed, e.owed):
		return true
	}
	left := e.left
	if standing(e.untaken, e.told) != Found {
		left = max(0, left-e.unnamedRows)
	}
	return atLeast(left, leastLeft, e.owed) || atLeast(explained, leastGuessed, e.owed)
}

// refundsLeave reports whether single refunds left what their purchases had really been granted,
// whatever the terms promise: clearly where something sets them apart, else much of it.
func (e *evidence) refundsLeave() bool {
	least := int64(leastShare)
	if e.apart {
		least = leastApart
	}
	return e.untaken >= leastCould && atLeast(e.untakenAmount, least, e.stake)
}

func (e *evidence) leaksUnearned() bool {
	return e.unearned > 0 && atLeast(e.unearned, leastUnearned, e.granted)
}

// atLeast reports whether a part is that share of a whole, of ten thousand.
func atLeast(part, share, whole int64) bool {
	return times(part, 10_000).Cmp(times(whole, share)) >= 0
}
