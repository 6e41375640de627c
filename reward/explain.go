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
	// Say writes a sentence from its format and values, in another language. Nil: fmt.Sprintf.
	Say func(format string, args ...any) string
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
		text = t.tell("%s Decided by %s: %s.", text, p.Actor, p.Reason)
	}
	return text
}

// tell writes a whole sentence, or a part that stands by itself in one.
func (t *Telling) tell(format string, args ...any) string {
	if t.Say != nil {
		return t.Say(format, args...)
	}
	return fmt.Sprintf(format, args...)
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
		return t.tell("Reward for purchase %s under rule %s: %s.", p.purchase(t), p.Rule, p.grant(t))
	case Clawback:
		return t.tell("%s of purchase %s came back: %s. %s is taken back.",
			t.Spend(f.Reversed), p.purchase(t), p.keep(t), t.Reward(-p.Amount))
	case Restore:
		return t.tell("A return of purchase %s was undone, %s of it stays returned: %s. %s is given back.",
			p.purchase(t), t.Spend(f.Reversed), p.keep(t), t.Reward(p.Amount))
	case Reallocation:
		if p.movedByTier() {
			if p.Amount < 0 {
				return t.tell("Purchase %s is at another tier now, under rule %s: %s. It is %s less.", p.purchase(t), p.Rule, p.keep(t), t.Reward(-p.Amount))
			}
			return t.tell("Purchase %s is at another tier now, under rule %s: %s. It is %s more.", p.purchase(t), p.Rule, p.keep(t), t.Reward(p.Amount))
		}
		if p.Amount < 0 {
			return t.tell("Another change moved reward away from purchase %s: %s. It is %s less.",
				p.purchase(t), p.keep(t), t.Reward(-p.Amount))
		}
		return t.tell("Another change made room for the reward of purchase %s: %s. It is %s more.",
			p.purchase(t), p.keep(t), t.Reward(p.Amount))
	case RedemptionPaid:
		return t.tell("Redemption %s paid out %s.", p.Fact, t.Reward(-p.Amount))
	case RedemptionReturned:
		return t.tell("Redemption %s came back: %s.", p.Fact, t.Reward(p.Amount))
	case Adjustment:
		if p.Approver != "" {
			return t.tell("Adjustment %s by %s, approved by %s, %s: %s.", p.Fact, p.Actor, p.Approver, p.Reason, t.Reward(p.Amount))
		}
		return t.tell("Adjustment %s by %s, %s: %s.", p.Fact, p.Actor, p.Reason, t.Reward(p.Amount))
	}
	return ""
}

// movedByTier reports whether a tier changed what a purchase earns: nothing else moves
// what is under no limit.
func (p *Posting) movedByTier() bool {
	return p.Kind == Reallocation && p.Layer != "" && p.Period == "" && p.Formula.Method == Rerate
}

// purchase names the purchase whose reward changed.
func (p *Posting) purchase(t *Telling) string {
	if p.Item == "" {
		return p.Transaction
	}
	return t.tell("%s (item %s)", p.Transaction, p.Item)
}

// grant shows how an original reward was computed.
func (p *Posting) grant(t *Telling) string {
	f := &p.Formula
	var text string
	if p.Layer != "" {
		text = p.earns(t, f.Base, false)
	} else if full := f.Rate.Of(f.Base); f.After < full {
		text = t.tell("%s of %s is %s, rounded down; the cycle's cap of %s leaves %s", f.Rate, t.Spend(f.Base), t.Reward(full), t.Reward(f.Cap), t.Reward(f.After))
	} else {
		text = t.tell("%s of %s is %s, rounded down", f.Rate, t.Spend(f.Base), t.Reward(full))
	}
	if f.Base != f.Purchase {
		text = t.tell("%s of the %s purchase was returned before the statement; %s", t.Spend(f.Purchase-f.Base), t.Spend(f.Purchase), text)
	}
	return text
}

// keep shows how a retained reward was computed.
func (p *Posting) keep(t *Telling) string {
	f := &p.Formula
	left, rate := f.Purchase-f.Reversed, fraction(f.Rate, f.Exact)
	if f.Method == Proportional && (left <= f.Base || f.Original != rate.of(f.Base)) {
		full := mulDiv(f.Original, left, f.Base)
		text := t.tell("its reward of %s × %s ÷ %s leaves %s, rounded down", t.Reward(f.Original), t.Spend(left), t.Spend(f.Base), t.Reward(full))
		return p.capNote(text, full, t)
	}
	if p.Layer != "" {
		return p.earns(t, left, true)
	}
	full := f.Rate.Of(left)
	return p.capNote(t.tell("%s of the %s kept is %s, rounded down", f.Rate, t.Spend(left), t.Reward(full)), full, t)
}

// capNote adds to a formula that the cap allows less.
func (p *Posting) capNote(text string, full int64, t *Telling) string {
	f := &p.Formula
	switch {
	case f.After >= full:
		return text
	case p.Layer != "":
		return t.tell("%s, of which the cap%s of %s leaves %s", text, p.period(t), t.Reward(f.Cap), t.Reward(f.After))
	}
	return t.tell("%s, of which the cycle's cap of %s leaves %s", text, t.Reward(f.Cap), t.Reward(f.After))
}
