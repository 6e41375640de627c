package reward

import "fmt"

// Explain says in words that a cardholder could follow why the balance changed,
// with the numbers that the amount follows from. The function renders an amount
// of minor units in the program's currency.
func (p *Posting) Explain(money func(int64) string) string {
	text := p.explain(money)
	if p.Actor != "" && p.Kind != Adjustment {
		text += fmt.Sprintf(" Decided by %s: %s.", p.Actor, p.Reason)
	}
	return text
}

func (p *Posting) explain(money func(int64) string) string {
	f := &p.Formula
	switch {
	case p.Kind == Expiry, p.Kind == ExpiryRestored:
		return p.explainExpiry(money)
	case p.Period != "" && p.Transaction == "":
		return p.explainBonus(money)
	case p.Layer != "":
		return p.explainShare(money)
	}
	switch p.Kind {
	case Grant:
		return fmt.Sprintf("Reward for purchase %s under rule %s: %s.", p.Transaction, p.Rule, f.grant(money))
	case Clawback:
		return fmt.Sprintf("%s of purchase %s came back: %s. %s is taken back.",
			money(f.Reversed), p.Transaction, f.keep(money), money(-p.Amount))
	case Restore:
		return fmt.Sprintf("A return of purchase %s was undone, %s of it stays returned: %s. %s is given back.",
			p.Transaction, money(f.Reversed), f.keep(money), money(p.Amount))
	case Reallocation:
		if p.Amount < 0 {
			return fmt.Sprintf("Another change moved reward away from purchase %s: %s. It is %s less.",
				p.Transaction, f.keep(money), money(-p.Amount))
		}
		return fmt.Sprintf("Another change made room for the reward of purchase %s: %s. It is %s more.",
			p.Transaction, f.keep(money), money(p.Amount))
	case RedemptionPaid:
		return fmt.Sprintf("Redemption %s paid out %s.", p.Fact, money(-p.Amount))
	case RedemptionReturned:
		return fmt.Sprintf("Redemption %s came back: %s.", p.Fact, money(p.Amount))
	case Adjustment:
		by := p.Actor
		if p.Approver != "" {
			by += ", approved by " + p.Approver
		}
		return fmt.Sprintf("Adjustment %s by %s, %s: %s.", p.Fact, by, p.Reason, money(p.Amount))
	}
	return ""
}

// grant shows how an original reward was computed.
func (f *Formula) grant(money func(int64) string) string {
	full := f.Rate.Of(f.Base)
	text := fmt.Sprintf("%s of %s is %s, rounded down", f.Rate, money(f.Base), money(full))
	if f.Base != f.Purchase {
		text = fmt.Sprintf("%s of the %s purchase was returned before the statement; ", money(f.Purchase-f.Base), money(f.Purchase)) + text
	}
	if f.After < full {
		text += fmt.Sprintf("; the cycle's cap of %s leaves %s", money(f.Cap), money(f.After))
	}
	return text
}

// keep shows how a retained reward was computed.
func (f *Formula) keep(money func(int64) string) string {
	left := f.Purchase - f.Reversed
	full := f.Rate.Of(left)
	if f.Method == Proportional && (left <= f.Base || f.Original != f.Rate.Of(f.Base)) {
		full = mulDiv(f.Original, left, f.Base)
		text := fmt.Sprintf("its reward of %s × %s ÷ %s leaves %s, rounded down", money(f.Original), money(left), money(f.Base), money(full))
		return text + f.capNote(full, money)
	}
	return fmt.Sprintf("%s of the %s kept is %s, rounded down", f.Rate, money(left), money(full)) + f.capNote(full, money)
}

// capNote says that the cap allows less than the formula.
func (f *Formula) capNote(full int64, money func(int64) string) string {
	if f.After >= full {
		return ""
	}
	return fmt.Sprintf(", of which the cycle's cap of %s leaves %s", money(f.Cap), money(f.After))
}
