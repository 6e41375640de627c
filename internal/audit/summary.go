package audit

import (
	"fmt"
	"strings"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
)

// summary says in a sentence or two what the class is, and from how many refunds
// that is known, and whether the terms fit.
func (j *judgement) summary(money func(int64) string) string {
	text := j.reasons(money)
	if !j.unfit {
		return text
	}
	text += " The terms given are not what the program grants by:"
	if len(j.Misfits) > 0 {
		e := &j.Misfits[0]
		text += fmt.Sprintf(" %s above them was there before anything was returned, such as of account %s (%s; the terms promise %s).", money(j.Fit.OverBefore), e.Account, e.Found, e.Expected)
	} else {
		text += fmt.Sprintf(" of %s that was there before anything was returned, %s is of rows that they do not explain.", money(j.Fit.Before), money(j.Fit.LooseBefore))
	}
	return text + fmt.Sprintf(" Of the leakage, %s may be of that; the rest is held against the program only where it is much of what refunds put at stake.", money(j.byTerms))
}

// reasons say what the class is.
func (j *judgement) reasons(money func(int64) string) string {
	same, later := &j.places[judge.SameCycle].Handling, &j.places[judge.LaterCycle].Handling
	switch j.class {
	case flaw.V1:
		never := "never"
		if same.taken()+later.taken() > 0 {
			never = "hardly ever"
		}
		return "Refunds " + never + " take the reward back. " + nothing(same, "in the cycle of their purchase") + ", " + lower(nothing(later, "in a later cycle")) + "."
	case flaw.V2:
		if j.later == ignores {
			return "Refunds take the reward back only in the cycle of their purchase. " + nothing(later, "in a later cycle") + "."
		}
		if j.same == adjusts && !j.cutOff {
			return fmt.Sprintf("What single purchases earn is taken back, but refunds count towards a bonus only until it has come: of those after which less was owed than had come, %s some of it back.",
				took(j.Bonuses.TakenBack, j.Bonuses.NoLongerOwed))
		}
		if r := j.cutOffRule; j.same != ignores {
			return fmt.Sprintf("Refunds take the reward back only for some time. Of refunds %s, %s too little.", r.Words, took(r.Untaken, r.Refunds))
		}
		return "Refunds take the reward back only in a later cycle than that of their purchase. " + nothing(same, "in the cycle of their purchase") + "."
	case flaw.V3a:
		return "Refunds take the reward back as far as there is a balance, and what was redeemed before is not owed: debts are floored or forgotten."
	case flaw.V3b:
		return fmt.Sprintf("Rewards come at settlement and clawbacks wait: %s times a reward was redeemed after its purchase had been refunded. The debt stays, but only future spend repays it.", program.FormatCount(j.redeemed))
	case flaw.Other:
		return j.other(money)
	case flaw.Robust:
		if len(j.costs) > 0 {
			var texts []string
			for _, code := range j.costs {
				f, _ := flaw.Find(code)
				texts = append(texts, fmt.Sprintf("%s (%s)", f.Title, code))
			}
			return "Refunds take the reward back in whichever cycle they fall, but for less than mistakes can be. " + leaks(texts)
		}
		text := j.sound(money)
		if j.instant && j.waits {
			text += " Clawbacks of refunds in the cycle of their purchase wait, but what waited was not redeemed."
		}
		return text
	}
	return j.tooFew()
}

// sound says what is left open where there is no leak that can be told.
func (j *judgement) sound(money func(int64) string) string {
	if j.unfit && j.certain > 0 {
		return fmt.Sprintf("As far as can be told without the terms, refunds take the reward back in whichever cycle they fall; %s more than the terms promise is left.", money(j.Figures.Leakage))
	}
	if j.untaken == 0 && j.Figures.InQuestion == 0 && j.Figures.Forgiven == 0 {
		return "On this data nobody has more reward than the published terms promise, beyond rounding, and refunds take it back in whichever cycle they fall."
	}
	text := "Refunds take the reward back in whichever cycle they fall."
	if j.untaken > 0 {
		text += fmt.Sprintf(" Of all refunds, %s too little, %s in all, which is not enough to tell a leak from mistakes", took(j.untaken, j.told), money(j.untakenAmount))
		if left := j.Figures.Leakage; left < j.untakenAmount {
			text += fmt.Sprintf("; other rows make up for it, so that no more than %s is left", money(left))
		}
		text += "."
	}
	if forgiven := j.Figures.Forgiven; forgiven > 0 {
		text += fmt.Sprintf(" Debts of %s in all were lifted to just zero by hand.", money(forgiven))
	}
	return text + j.ranging(money)
}

// ranging says between which sums the leakage is where some of it rests on a guess, and
// why it is no leak that can be told.
func (j *judgement) ranging(money func(int64) string) string {
	f := &j.Figures
	if f.InQuestion == 0 {
		return ""
	}
	text := fmt.Sprintf(" Between %s and %s more than the terms promise is left, depending on which purchase a refund is of that names none", money(f.Leakage-f.InQuestion), money(f.Leakage))
	return text + fmt.Sprintf("; whatever they are of, and if they need take nothing, it is %s.", money(f.LeakageNamed))
}

// counted is a count with its noun.
func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return program.FormatCount(n) + " " + noun + "s"
}

// other says which leaks make up the class Other, the costly first.
func (j *judgement) other(money func(int64) string) string {
	var texts []string
	for i := range j.findingsList {
		f := &j.findingsList[i]
		for _, code := range append(append([]flaw.Code{}, j.plain...), j.beside...) {
			if f.Code == code {
				texts = append(texts, fmt.Sprintf("%s (%s, %s)", f.Title, code, money(f.Amount)))
			}
		}
	}
	for place, is := range [...]treatment{j.same, j.later} {
		if h := &j.places[place].Handling; is == mixed || is == ignores {
			texts = append(texts, lower(nothing(h, [...]string{"in the cycle of their purchase", "in a later cycle"}[place])))
		}
	}
	if j.late {
		texts = append(texts, "clawbacks come later than one cycle")
	}
	if j.floored {
		texts = append(texts, "debts are floored or forgotten")
	}
	if j.leaksUnearned() {
		texts = append(texts, fmt.Sprintf("%s was granted in %s rows that no purchase explains", money(j.unearned), program.FormatCount(j.Figures.UnearnedRows)))
	}
	if j.leaksLeft() && len(texts) == 0 {
		var left []string // one leak, said in two ways
		if j.untaken > 0 {
			left = append(left, fmt.Sprintf("of all refunds, %s too little, %s in all", took(j.untaken, j.told), money(j.untakenAmount)))
		}
		if j.Figures.Leakage > j.untakenAmount {
			left = append(left, fmt.Sprintf("%s more than the terms promise is left in %s, of which single refunds explain %s", money(j.Figures.Leakage), counted(j.Accounts.Above, "account"), money(j.untakenAmount)))
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

// took says how many refunds took something, in words.
func took(n, of int64) string {
	switch {
	case n == of && n > 1:
		return "every one of " + program.FormatCount(of) + " took"
	case n == 0:
		return "none of " + program.FormatCount(of) + " took"
	}
	return program.FormatCount(n) + " of " + program.FormatCount(of) + " took"
}

// tooFew says which refunds are missing, and what the others tell.
func (j *judgement) tooFew() string {
	var few, known []string
	for place, is := range [...]treatment{j.same, j.later} {
		where := [...]string{"in the cycle of their purchase", "in a later cycle"}[place]
		switch h := &j.places[place].Handling; is {
		case untold:
			few = append(few, fmt.Sprintf("%d with a reward at stake %s, %d needed", h.told(), where, leastCould))
		case adjusts:
			known = append(known, fmt.Sprintf(" Refunds %s take the reward back (%d of %d).", where, h.taken(), h.told()))
		default:
			known = append(known, " "+nothing(h, where)+".")
		}
	}
	return "Not enough refunds to tell: " + strings.Join(few, ", ") + "." + strings.Join(known, "")
}

// nothing says how many refunds took nothing.
func nothing(h *Handling, where string) string {
	return fmt.Sprintf("Of %s refunds %s, %s nothing", program.FormatCount(h.told()), where, took(h.Never, h.told()))
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }
