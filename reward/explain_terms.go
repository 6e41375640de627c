package reward

import "fmt"

// explainBonus says what a bonus pays, and for what.
func (p *Posting) explainBonus(money func(int64) string) string {
	f := &p.Formula
	text := fmt.Sprintf("Bonus %s of %s: the spend that counts for it is now %s, in %s, which is worth %s",
		p.Rule, p.Period, money(f.Spend), purchases(f.Purchases), money(f.After))
	if f.Before != 0 {
		text += fmt.Sprintf("; it had paid %s", money(f.Before))
	}
	return text + ". " + p.change(money)
}

// explainShare says what a purchase earns in a layer, alone or beside others.
func (p *Posting) explainShare(money func(int64) string) string {
	f := &p.Formula
	text := fmt.Sprintf("Purchase %s under rule %s", p.Transaction, p.Rule)
	if p.Transaction == "" {
		text = fmt.Sprintf("All other purchases under rule %s", p.Rule)
	}
	if p.Period != "" {
		text += fmt.Sprintf(" in %s, of which the spend that counts is %s in %s", p.Period, money(f.Spend), purchases(f.Purchases))
	}
	if p.Kind == Reallocation && p.Period == "" && f.Method == Rerate { // nothing else moves what is under no limit
		text += ", by the tier that it is at now"
	}
	switch {
	case p.Transaction == "":
		text += ", as the rate is now of all of it"
	case f.Reversed > 0:
		text += fmt.Sprintf(": %s of its %s came back, and what is kept earns %s; it had %s", money(f.Reversed), money(f.Purchase), money(f.After), money(f.Before))
	default:
		text += fmt.Sprintf(": its %s earn %s; it had %s", money(f.Purchase), money(f.After), money(f.Before))
	}
	return text + ". " + p.change(money)
}

// change is how the balance changes.
func (p *Posting) change(money func(int64) string) string {
	if p.Amount < 0 {
		return money(-p.Amount) + " is taken back."
	}
	return money(p.Amount) + " is granted."
}

func purchases(n int64) string {
	if n == 1 {
		return "1 purchase"
	}
	return fmt.Sprintf("%d purchases", n)
}
