package audit

import (
	"fmt"
	"strings"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// summary says in a sentence or two what the class is, and from how many refunds
// that is known.
func (j *judgement) summary(money func(int64) string) string {
	switch j.class() {
	case flaw.V1:
		return "Refunds never take the reward back. " + nothing(&j.same, "in the cycle of their purchase") + ", " + lower(nothing(&j.later, "in a later cycle")) + "."
	case flaw.V2:
		if j.laterIs == ignores {
			return "Refunds take the reward back only in the cycle of their purchase. " + nothing(&j.later, "in a later cycle") + "."
		}
		if j.sameIs != ignores {
			return fmt.Sprintf("Refunds take the reward back only within %d days of their purchase. Of %d refunds after that, %d took nothing.", j.cutOff.days, j.cutOff.late, j.cutOff.never)
		}
		return "Refunds take the reward back only in a later cycle than that of their purchase. " + nothing(&j.same, "in the cycle of their purchase") + "."
	case flaw.V3a:
		return "Refunds take the reward back as far as there is a balance, and what was redeemed before is not owed: debts are floored or forgotten."
	case flaw.V3b:
		return fmt.Sprintf("Rewards come at settlement and clawbacks wait: %d times a reward was redeemed after its purchase had been refunded. The debt stays, but only future spend repays it.", j.redeemed)
	case flaw.Other:
		return j.other(money)
	case flaw.Robust:
		text := "Refunds take the reward back in whichever cycle they fall."
		if j.instant && j.waits {
			text += " Clawbacks of refunds in the cycle of their purchase wait, but what waited was not redeemed."
		}
		return text
	}
	return j.tooFew()
}

// other says which flaws make up the class Other.
func (j *judgement) other(money func(int64) string) string {
	var texts []string
	for _, code := range j.others {
		f, _ := flaw.Find(code)
		_, _, amount := j.Flaws[code].leaking()
		texts = append(texts, fmt.Sprintf("%s (%s, %s)", f.Title, code, money(amount)))
	}
	for _, place := range [...]struct {
		is treatment
		*handling
		words string
	}{{j.sameIs, &j.same, "in the cycle of their purchase"}, {j.laterIs, &j.later, "in a later cycle"}} {
		if place.is == mixed {
			texts = append(texts, lower(nothing(place.handling, place.words)))
		}
	}
	if j.late {
		texts = append(texts, "clawbacks come later than one cycle")
	}
	return "Refunds take the reward back, but not all of it or not in time: " + strings.Join(texts, "; ") + "."
}

// tooFew says which refunds are missing, and what the others tell.
func (j *judgement) tooFew() string {
	same, later := few(&j.same, "in the cycle of their purchase"), few(&j.later, "in a later cycle")
	switch {
	case j.sameIs == untold && j.laterIs == untold:
		return "Not enough refunds to tell: " + same + ", " + later + "."
	case j.sameIs == untold:
		return "Not enough refunds to tell: " + same + ". " + known(j.laterIs, &j.later, "in a later cycle") + "."
	}
	return "Not enough refunds to tell: " + later + ". " + known(j.sameIs, &j.same, "in the cycle of their purchase") + "."
}

func few(h *handling, where string) string {
	return fmt.Sprintf("%d with a reward at stake %s, %d needed", h.told(), where, leastCould)
}

// known is what can be said of the one place that has enough refunds.
func known(is treatment, h *handling, where string) string {
	if is == adjusts {
		return fmt.Sprintf("Refunds %s take the reward back (%d of %d)", where, h.told()-h[judge.Never], h.told())
	}
	return nothing(h, where)
}

// nothing says how many refunds took nothing.
func nothing(h *handling, where string) string {
	return fmt.Sprintf("Of %d refunds %s, %d took nothing", h.told(), where, h[judge.Never])
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }
