package reward

import "fmt"

// Telling is what explanations are told with.
type Telling struct {
	// Spend renders minor units of the program's currency, and Reward of the unit that
	// rewards are in.
	Spend, Reward func(minor int64) string
	// Terms are a version of the program that the posting was made under, or a later
	// one: what a bonus needs is said in its words. Nil: in numbers alone.
	Terms *Program
	// Cause is the event that the posting is of, as far as it is known; otherwise nil.
	Cause *Event
	// Merchant is where a purchase was made, "" if that is not known. It may be nil.
	Merchant func(transaction string) string
}

// OfBonus reports whether a bonus changed, which is none of any purchase.
func (p *Posting) OfBonus() bool {
	return p.Period != "" && p.Transaction == "" && p.Layer == "" && !p.ofExpiry()
}

// Explain says in words that a cardholder could follow why the balance changed,
// with the numbers that the amount follows from.
func (p *Posting) Explain(t Telling) string {
	text := p.explain(&t)
	if p.Actor != "" && p.Kind != Adjustment {
		text += fmt.Sprintf(" Decided by %s: %s.", p.Actor, p.Reason)
	}
	return text
}

func (p *Posting) explain(t *Telling) string {
	f := &p.Formula
	switch {
	case p.ofExpiry():
		return p.explainExpiry(t)
	case p.OfBonus():
		return p.explainBonus(t)
	case p.Layer != "" && p.Transaction == "":
		return p.explainOthers(t)
	}
	switch p.Kind {
	case Grant:
		return fmt.Sprintf("Reward for purchase %s under rule %s: %s.", p.purchase(), p.Rule, p.grant(t))
	case Clawback:
		return fmt.Sprintf("%s of purchase %s came back: %s. %s is taken back.",
			t.Spend(f.Reversed), p.purchase(), p.keep(t), t.Reward(-p.Amount))
	case Restore:
		return fmt.Sprintf("A return of purchase %s was undone, %s of it stays returned: %s. %s is given back.",
			p.purchase(), t.Spend(f.Reversed), p.keep(t), t.Reward(p.Amount))
	case Reallocation:
		if p.movedByTier() {
			return fmt.Sprintf("Purchase %s is at another tier now, under rule %s: %s. ", p.purchase(), p.Rule, p.keep(t)) + p.change(t, "It is %s less.", "It is %s more.")
		}
		if p.Amount < 0 {
			return fmt.Sprintf("Another change moved reward away from purchase %s: %s. It is %s less.",
				p.purchase(), p.keep(t), t.Reward(-p.Amount))
		}
		return fmt.Sprintf("Another change made room for the reward of purchase %s: %s. It is %s more.",
			p.purchase(), p.keep(t), t.Reward(p.Amount))
	case RedemptionPaid:
		return fmt.Sprintf("Redemption %s paid out %s.", p.Fact, t.Reward(-p.Amount))
	case RedemptionReturned:
		return fmt.Sprintf("Redemption %s came back: %s.", p.Fact, t.Reward(p.Amount))
	case Adjustment:
		by := p.Actor
		if p.Approver != "" {
			by += ", approved by " + p.Approver
		}
		return fmt.Sprintf("Adjustment %s by %s, %s: %s.", p.Fact, by, p.Reason, t.Reward(p.Amount))
	}
	return ""
}

// movedByTier reports whether a tier changed what a purchase earns: nothing else moves
// what is under no limit.
func (p *Posting) movedByTier() bool {
	return p.Kind == Reallocation && p.Layer != "" && p.Period == "" && p.Formula.Method == Rerate
}

// purchase names the purchase whose reward changed.
func (p *Posting) purchase() string {
	if p.Item == "" {
		return p.Transaction
	}
	return fmt.Sprintf("%s (item %s)", p.Transaction, p.Item)
}

// grant shows how an original reward was computed.
func (p *Posting) grant(t *Telling) string {
	f := &p.Formula
	text := ""
	if f.Base != f.Purchase {
		text = fmt.Sprintf("%s of the %s purchase was returned before the statement; ", t.Spend(f.Purchase-f.Base), t.Spend(f.Purchase))
	}
	if p.Layer != "" {
		return text + p.earns(t, f.Base, "")
	}
	full := f.Rate.Of(f.Base)
	text += fmt.Sprintf("%s of %s is %s, rounded down", f.Rate, t.Spend(f.Base), t.Reward(full))
	if f.After < full {
		text += fmt.Sprintf("; the cycle's cap of %s leaves %s", t.Reward(f.Cap), t.Reward(f.After))
	}
	return text
}

// keep shows how a retained reward was computed.
func (p *Posting) keep(t *Telling) string {
	f := &p.Formula
	left, rate := f.Purchase-f.Reversed, fraction(f.Rate, f.Exact)
	if f.Method == Proportional && (left <= f.Base || f.Original != rate.of(f.Base)) {
		full := mulDiv(f.Original, left, f.Base)
		text := fmt.Sprintf("its reward of %s × %s ÷ %s leaves %s, rounded down", t.Reward(f.Original), t.Spend(left), t.Spend(f.Base), t.Reward(full))
		return text + p.capNote(full, t)
	}
	if p.Layer != "" {
		return p.earns(t, left, " kept")
	}
	full := f.Rate.Of(left)
	return fmt.Sprintf("%s of the %s kept is %s, rounded down", f.Rate, t.Spend(left), t.Reward(full)) + p.capNote(full, t)
}

// capNote says that the cap allows less than the formula.
func (p *Posting) capNote(full int64, t *Telling) string {
	f := &p.Formula
	if f.After >= full {
		return ""
	}
	of := "the cycle's cap"
	if p.Layer != "" {
		of = "the cap" + p.period(t)
	}
	return fmt.Sprintf(", of which %s of %s leaves %s", of, t.Reward(f.Cap), t.Reward(f.After))
}
