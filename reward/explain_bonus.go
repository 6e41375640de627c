package reward

import (
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
	var end string
	switch {
	case p.Amount < 0:
		end = t.tell("%s is taken back.", t.Reward(-p.Amount))
	case p.Kind == Restore:
		end = t.tell("%s is given back.", t.Reward(p.Amount))
	default:
		end = t.tell("%s is granted.", t.Reward(p.Amount))
	}
	if b == nil {
		return capital(t.tell("%s, which is worth %s as bonus %s; it had paid %s. %s", t.spent(f, PerMonth, p.Period), t.Reward(f.After), p.Rule, t.Reward(f.Before), end))
	}
	text := b.outcome(t, f, b.standing(t, f, p.Period))
	if cause := t.cause(p); cause != "" {
		text = t.tell("%s; %s", cause, text)
	}
	return capital(text) + ". " + end
}

// standing is how far a bonus is.
func (b *Bonus) standing(t *Telling, f *Formula, period string) string {
	when := t.when(b.Per, period)
	others := b.Match
	if x := b.Match.Purchase; x != nil && x.Within != nil {
		days := " " + t.tell("in the first %d days after %s", x.Within.Days, x.Within.Of)
		if x.Within.Of == openedName {
			days = " " + t.tell("in your first %d days", x.Within.Days)
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
	some := !others.Empty() || !b.Except.Empty() || b.Minimum > 0 || b.Unit > 1
	switch bySpend := len(b.Purchases) == 0 && b.Every.Purchases == 0; {
	case bySpend && some:
		return t.tell("your spend that counts%s is now %s", when, t.Spend(f.Spend))
	case bySpend:
		return t.tell("your spend%s is now %s", when, t.Spend(f.Spend))
	case some && f.Purchases == 1:
		return t.tell("you have made 1 purchase that counts%s", when)
	case some:
		return t.tell("you have made %d purchases that count%s", f.Purchases, when)
	}
	return t.tell("you have made %s%s", t.purchases(f.Purchases), when)
}

// outcome is what that makes of a bonus, which paid something else before.
func (b *Bonus) outcome(t *Telling, f *Formula, standing string) string {
	if b.Every.Reward > 0 {
		return t.tell("%s, and %s: bonus %s is %s now, and was %s", standing, b.comes(t), b.ID, t.Reward(f.After), t.Reward(f.Before))
	}
	steps, needed := b.Spend, t.Spend
	if len(b.Purchases) > 0 {
		steps, needed = b.Purchases, t.purchases
	}
	needs := func(paid int64) string {
		i := slices.IndexFunc(steps, func(g Goal) bool { return g.Reward == paid })
		if i < 0 {
			return t.tell("bonus %s is worth %s", b.ID, t.Reward(paid))
		}
		return t.tell("the %s bonus needs %s", t.Reward(paid), needed(steps[i].From))
	}
	switch {
	case f.After > f.Before:
		return t.tell("%s, and %s", standing, needs(f.After))
	case f.After > 0:
		return t.tell("%s, %s, and %s", standing, needs(f.Before), needs(f.After))
	}
	return t.tell("%s, and %s", standing, needs(f.Before))
}

// comes is for what a bonus comes again and again.
func (b *Bonus) comes(t *Telling) string {
	var text string
	switch every := t.Reward(b.Every.Reward); {
	case b.Every.Purchases == 1:
		text = t.tell("a bonus of %s comes for every one of them", every)
	case b.Every.Purchases > 0:
		text = t.tell("a bonus of %s comes for every %d of them", every, b.Every.Purchases)
	default:
		text = t.tell("a bonus of %s comes for every %s", every, t.Spend(b.Every.Spend))
	}
	switch {
	case b.Every.AtMost == 1:
		return t.tell("%s, at most 1 time", text)
	case b.Every.AtMost > 0:
		return t.tell("%s, at most %d times", text, b.Every.AtMost)
	}
	return text
}

// cause says what happened, "" if that is not known or needs no words.
func (t *Telling) cause(p *Posting) string {
	e := t.Cause
	switch {
	case e == nil:
		return ""
	case p.At < e.Time || e.Type == CycleClosed: // the event only moved the account on
		return t.tell("your statement closed")
	}
	what := t.purchase(e)
	of := t.tell("your purchase%s", what)
	if e.HasAmount && e.Amount > 0 {
		of = t.tell("%s of %s", t.Spend(e.Amount), of)
	}
	switch e.Type {
	case TransactionReversed:
		return t.tell("your purchase%s was withdrawn", what)
	case RefundPosted:
		if e.Transaction == "" && what == "" {
			return t.tell("you returned something for %s", t.Spend(e.Amount))
		}
		return t.tell("you returned %s", of)
	case RefundReversed:
		return t.tell("your return%s was undone", what)
	case RefundLinked:
		return t.tell("your return was linked to your purchase%s by hand", what)
	case RefundCounted:
		return t.tell("a refund of %s was made to count by hand", t.Spend(e.Amount))
	case ChargebackPosted:
		return t.tell("%s was charged back", of)
	case ChargebackReversed:
		return t.tell("a chargeback%s was undone", what)
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
		return " " + t.tell("at %s", merchant)
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
