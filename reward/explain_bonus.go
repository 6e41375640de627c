package reward

import (
	"fmt"
	"slices"
	"strings"
)

// bonusIn returns the bonus that a posting is of, as its version of the terms has it.
func (p *Posting) bonusIn(t *Telling) *Bonus {
	terms := t.Terms.version(p.Version)
	if terms == nil {
		return nil
	}
	i := slices.IndexFunc(terms.Bonuses, func(b Bonus) bool { return b.ID == p.Rule })
	if i < 0 {
		return nil
	}
	return &terms.Bonuses[i]
}

// explainBonus says what happened, how far the account is now, and what that makes of
// the bonus: "You returned $13.00 of your purchase at HEADPHONES-SHOP; your spend in your
// first 90 days is now $499.00, and the $200.00 bonus needs $500.00. $200.00 is taken back."
func (p *Posting) explainBonus(t *Telling) string {
	f, b := &p.Formula, p.bonusIn(t)
	end := p.change(t, "%s is taken back.", "%s is granted.")
	if p.Kind == Restore {
		end = p.change(t, "%s is taken back.", "%s is given back.")
	}
	if b == nil {
		return capital(fmt.Sprintf("%s%s, which is worth %s as bonus %s; it had paid %s. %s", t.spent(f), PerMonth.words(p.Period), t.Reward(f.After), p.Rule, t.Reward(f.Before), end))
	}
	text := t.cause(p)
	if text != "" {
		text += "; "
	}
	text += b.standing(t, f, p.Period) + b.outcome(t, f)
	return capital(text) + ". " + end
}

// standing is how far a bonus is.
func (b *Bonus) standing(t *Telling, f *Formula, period string) string {
	when := b.Per.words(period)
	others := b.Match
	if x := b.Match.Purchase; x != nil && x.Within != nil {
		days := fmt.Sprintf(" in the first %d days after %s", x.Within.Days, x.Within.Of)
		if x.Within.Of == openedName {
			days = fmt.Sprintf(" in your first %d days", x.Within.Days)
		}
		if b.Per == PerLifetime {
			when = days
		} else {
			when = days + "," + when
		}
		rest := *x
		if rest.Within = nil; rest.empty() {
			others.Purchase = nil
		}
	}
	that := ""
	if !others.Empty() || !b.Except.Empty() || b.Minimum > 0 || b.Unit > 1 {
		that = " that counts"
	}
	if len(b.Purchases) == 0 && b.Every.Purchases == 0 {
		return fmt.Sprintf("your spend%s%s is now %s", that, when, t.Spend(f.Spend))
	}
	made := fmt.Sprintf("you have made %s", purchases(f.Purchases))
	if that != "" && f.Purchases != 1 {
		that = " that count"
	}
	return made + that + when
}

// outcome is what that makes of a bonus, which paid something else before.
func (b *Bonus) outcome(t *Telling, f *Formula) string {
	if b.Every.Reward > 0 {
		each := t.Spend(b.Every.Spend)
		switch {
		case b.Every.Purchases == 1:
			each = "one of them"
		case b.Every.Purchases > 0:
			each = fmt.Sprintf("%d of them", b.Every.Purchases)
		}
		text := fmt.Sprintf(", and a bonus of %s comes for every %s", t.Reward(b.Every.Reward), each)
		if b.Every.AtMost > 0 {
			text += ", at most " + numbered(b.Every.AtMost, "time")
		}
		return text + fmt.Sprintf(": bonus %s is %s now, and was %s", b.ID, t.Reward(f.After), t.Reward(f.Before))
	}
	steps, needed := b.Spend, t.Spend
	if len(b.Purchases) > 0 {
		steps, needed = b.Purchases, purchases
	}
	needs := func(paid int64) string {
		i := slices.IndexFunc(steps, func(g Goal) bool { return g.Reward == paid })
		if i < 0 {
			return fmt.Sprintf("bonus %s is worth %s", b.ID, t.Reward(paid))
		}
		return fmt.Sprintf("the %s bonus needs %s", t.Reward(paid), needed(steps[i].From))
	}
	switch {
	case f.After > f.Before:
		return ", and " + needs(f.After)
	case f.After > 0:
		return fmt.Sprintf(", %s, and %s", needs(f.Before), needs(f.After))
	}
	return ", and " + needs(f.Before)
}

// cause says what happened, "" if that is not known or needs no words.
func (t *Telling) cause(p *Posting) string {
	e := t.Cause
	switch {
	case e == nil:
		return ""
	case p.At < e.Time || e.Type == CycleClosed: // the event only moved the account on
		return "your statement closed"
	}
	what := t.purchase(e)
	of := "your purchase" + what
	if e.HasAmount && e.Amount > 0 {
		of = t.Spend(e.Amount) + " of " + of
	}
	switch e.Type {
	case TransactionReversed:
		return "your purchase" + what + " was withdrawn"
	case RefundPosted:
		if e.Transaction == "" && what == "" {
			return "you returned something for " + t.Spend(e.Amount)
		}
		return "you returned " + of
	case RefundReversed:
		return "your return" + what + " was undone"
	case RefundLinked:
		return "your return was linked to your purchase" + what + " by hand"
	case RefundCounted:
		return "a refund of " + t.Spend(e.Amount) + " was made to count by hand"
	case ChargebackPosted:
		return of + " was charged back"
	case ChargebackReversed:
		return "a chargeback" + what + " was undone"
	}
	return ""
}

// purchase says which purchase an event is about, with a space before it: by its
// merchant, if that is known and was not erased.
func (t *Telling) purchase(e *Event) string {
	merchant := e.Merchant
	if merchant == "" && e.Transaction != "" && t.Merchant != nil {
		merchant = t.Merchant(e.Transaction)
	}
	merchant = MatchedText(merchant)
	switch {
	case merchant != "" && !strings.HasPrefix(merchant, ErasedPrefix):
		return " at " + merchant
	case e.Transaction != "":
		return " " + e.Transaction
	}
	return ""
}

// capital has a text begin with a capital letter.
func capital(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
