package audit

import (
	"fmt"
	"slices"
	"strings"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
)

// summary says in a sentence or two what the class is, and from how many refunds
// that is known, and whether the terms fit.
func (j *judgement) summary() string {
	text := j.reasons()
	if n := j.AdjustmentsRead; n > 0 {
		text += fmt.Sprintf(" %s read as rewards and clawbacks, and not as made by hand.", Count(n, "adjustment is", "adjustments are"))
	}
	if !j.unfit || j.bySums {
		return text
	}
	text += " The terms given are not what the program grants by:"
	if len(j.Misfits) > 0 {
		e := &j.Misfits[0]
		text += fmt.Sprintf(" %s above them was there before anything was returned, such as of account %s (%s; the terms promise %s).", j.money(j.Fit.OverBefore), e.Account, e.Found, e.Expected)
	} else {
		text += fmt.Sprintf(" of %s that was there before anything was returned, %s is of rows that they do not explain.", j.money(j.Fit.Before), j.money(j.Fit.LooseBefore))
	}
	return text + fmt.Sprintf(" Of the leakage, %s may be of that; the rest is held against the program only where it is much of what refunds put at stake.", j.money(j.byTerms))
}

// reasons say what the class is.
func (j *judgement) reasons() string {
	if j.bySums {
		return j.sumsSay()
	}
	switch j.Class {
	case flaw.V1:
		never := "never"
		if j.places[judge.SameCycle].taken()+j.places[judge.LaterCycle].taken() > 0 {
			never = "hardly ever"
		}
		return "Refunds " + never + " take the reward back. Of " + j.nothing(judge.SameCycle) + ", of " + j.nothing(judge.LaterCycle) + "."
	case flaw.V2:
		if gone := &j.places[judge.LaterCycle]; j.later == ignores && !(j.cutOff && 20*gone.taken() >= gone.told()) {
			return "Refunds take the reward back only in the cycle of their purchase. Of " + j.nothing(judge.LaterCycle) + "."
		}
		if j.byBonus() {
			return fmt.Sprintf("What single purchases earn is taken back, but refunds count towards a bonus only until it has come: of those after which less was owed than had come, %s took some of it back.",
				OfAll(j.Bonuses.TakenBack, j.Bonuses.NoLongerOwed))
		}
		if r := j.cutOffRule; j.same != ignores {
			return fmt.Sprintf("Refunds take the reward back only for some time. Of refunds %s, %s took too little.", r.Words, OfAll(r.Untaken, r.Refunds))
		}
		return "Refunds take the reward back only in a later cycle than that of their purchase. Of " + j.nothing(judge.SameCycle) + "."
	case flaw.V3a:
		return "Refunds take the reward back as far as there is a balance, and what was redeemed before is not owed: debts are floored or forgotten."
	case flaw.V3b:
		return fmt.Sprintf("Rewards come at settlement and clawbacks wait: %s times a reward was redeemed after its purchase had been refunded. The debt stays, but only future spend repays it.", program.FormatCount(j.redeemed))
	case flaw.Other:
		return j.other()
	case flaw.Robust:
		if len(j.costs) > 0 {
			var texts []string
			for _, code := range j.costs {
				f, _ := flaw.Find(code)
				texts = append(texts, fmt.Sprintf("%s (%s)", f.Title, code))
			}
			return "Refunds take the reward back in whichever cycle they fall, but for less than mistakes can be. " + leaks(texts)
		}
		text := j.sound()
		if j.instant && j.waits {
			text += " Clawbacks of refunds in the cycle of their purchase wait, but what waited was not redeemed."
		}
		return text
	}
	return j.tooFew()
}

// sound says what is left open where there is no leak that can be told.
func (j *judgement) sound() string {
	if j.unfit && j.certain > 0 {
		return fmt.Sprintf("As far as can be told without the terms, refunds take the reward back in whichever cycle they fall; %s more than the terms promise is left.", j.money(j.Figures.Leakage))
	}
	strange := j.Figures.Unearned + j.Figures.Unexplained
	if j.untaken == 0 && j.Figures.InQuestion == 0 && j.Figures.Forgiven == 0 && strange == 0 {
		return "On this data nobody has more reward than the published terms promise, beyond rounding, and refunds take it back in whichever cycle they fall."
	}
	text := "Refunds take the reward back in whichever cycle they fall."
	if j.untaken > 0 {
		text += fmt.Sprintf(" Of all refunds, %s took too little, %s in all, which is not enough to tell a leak from mistakes", OfAll(j.untaken, j.told), j.money(j.untakenAmount))
		if left := j.Figures.Leakage; left < j.untakenAmount {
			text += fmt.Sprintf("; other rows make up for it, so that no more than %s is left", j.money(left))
		}
		text += "."
	}
	if strange > 0 {
		text += fmt.Sprintf(" %s more than the terms promise is left for no reason that rows show, which is not enough to tell a leak from mistakes.", j.money(strange))
	}
	if forgiven := j.Figures.Forgiven; forgiven > 0 {
		text += fmt.Sprintf(" Debts of %s in all were lifted to just zero by hand.", j.money(forgiven))
	}
	if f := &j.Figures; f.InQuestion > 0 { // a range, where some of it rests on a guess
		text += fmt.Sprintf(" Between %s and %s more than the terms promise is left, depending on which purchase a refund is of that names none; whatever they are of, and if they need take nothing, it is %s.",
			j.money(f.Leakage-f.InQuestion), j.money(f.Leakage), j.money(f.LeakageNamed))
	}
	return text
}

// other says which leaks make up the class Other, the costly first.
func (j *judgement) other() string {
	var texts []string
	for i := range j.findingsList {
		f := &j.findingsList[i]
		if slices.Contains(j.plain, f.Code) || slices.Contains(j.beside, f.Code) {
			texts = append(texts, fmt.Sprintf("%s (%s, %s)", f.Title, f.Code, j.money(f.Amount)))
		}
	}
	for place, is := range [...]treatment{j.same, j.later} {
		if is == mixed || is == ignores {
			texts = append(texts, "of "+j.nothing(judge.Place(place)))
		}
	}
	if j.late {
		texts = append(texts, "clawbacks come later than one cycle")
	}
	if j.floored {
		texts = append(texts, "debts are floored or forgotten")
	}
	if j.leaksUnearned() {
		texts = append(texts, fmt.Sprintf("%s was granted in %s rows that no purchase explains", j.money(j.unearned), program.FormatCount(j.Figures.UnearnedRows)))
	}
	if j.leaksLeft() && len(texts) == 0 {
		var left []string // one leak, said in two ways
		if j.untaken > 0 {
			left = append(left, fmt.Sprintf("of all refunds, %s took too little, %s in all", OfAll(j.untaken, j.told), j.money(j.untakenAmount)))
		}
		if j.Figures.Leakage > j.untakenAmount {
			left = append(left, fmt.Sprintf("%s more than the terms promise is left in %s, of which single refunds explain %s", j.money(j.Figures.Leakage), Count(j.Accounts.Above, "account", "accounts"), j.money(j.untakenAmount)))
		}
		texts = append(texts, strings.Join(left, ", and "))
	}
	return leaks(texts)
}

// leaks counts and names leaks.
func leaks(texts []string) string {
	if len(texts) == 1 {
		return "One leak: " + texts[0] + "."
	}
	return fmt.Sprintf("%d leaks: %s.", len(texts), strings.Join(texts, "; "))
}

// tooFew says which refunds are missing, and what the others tell: that they take the reward back,
// since there would be a class if they did not.
func (j *judgement) tooFew() string {
	if j.lavish {
		return fmt.Sprintf("The terms given promise far more than the program grants, so that by them nobody has too much: accounts of which every refund names its purchase are short of %s, of %s. Are all rewards in the exports, in minor units, and are these the terms?",
			j.money(j.Fit.Short), j.money(j.Fit.Named))
	}
	var few, known []string
	for place, is := range [...]treatment{j.same, j.later} {
		h := &j.places[place].Handling
		if is == untold {
			few = append(few, fmt.Sprintf("%d with a reward at stake %s, %d needed", h.told(), where[place], leastCould))
		} else {
			known = append(known, fmt.Sprintf(" Refunds %s take the reward back (%d of %d).", where[place], h.taken(), h.told()))
		}
	}
	return "Not enough refunds to tell: " + strings.Join(few, ", ") + "." + strings.Join(known, "")
}

// where are the places.
var where = [...]string{judge.SameCycle: "in the cycle of their purchase", judge.LaterCycle: "in a later cycle"}

// nothing says, after "of", how many refunds of a place took nothing.
func (j *judgement) nothing(place judge.Place) string {
	h := &j.places[place].Handling
	return fmt.Sprintf("%s refunds %s, %s took nothing", program.FormatCount(h.told()), where[place], OfAll(h.Never, h.told()))
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
	later := j.Refunds.of(in(judge.LaterCycle))
	switch max(later.AtOnce, later.WithinCycle, later.AtClose, later.Late) {
	case later.AtOnce:
		return "Immediate"
	case later.WithinCycle:
		// A tenth may be late postings.
		return fmt.Sprintf("Within %d days", quantile(j.Refunds.Waited, later.WithinCycle, 900))
	case later.AtClose:
		return "Stmt. close"
	}
	return "Late"
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
	case j.Class == flaw.V3b:
		return "Indefinite*"
	}
	return "Indefinite"
}

// Count is a number with what follows it in singular and plural.
func Count(n int64, one, more string) string {
	if n == 1 {
		more = one
	}
	return program.FormatCount(n) + " " + more
}

// OfAll says how many of how many, in words where it is all or none.
func OfAll(n, of int64) string {
	switch {
	case of == 0:
		return "none"
	case n == of && n > 1:
		return "every one of " + program.FormatCount(of)
	case n == 0:
		return "none of " + program.FormatCount(of)
	}
	return program.FormatCount(n) + " of " + program.FormatCount(of)
}
