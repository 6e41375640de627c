package program

import (
	"fmt"
	"slices"

	"recoup/reward"
)

// Notices say what terms bring about that somebody who wrote them may not expect.
// None is an error: each is about terms that are lawful and may be meant.
func Notices(p *reward.Program) []string {
	var list []string
	if p.Timing.Clawback == reward.ClawbackAtStatement && p.Redemption.GraceDays == 0 {
		list = append(list, withoutGrace(p.MaturityDays))
	}
	for _, l := range layersOf(p) {
		list = append(list, idle(l.Rules)...)
		for i := range l.Rules {
			list = append(list, loose("rules."+l.Rules[i].ID, &l.Rules[i])...)
		}
	}
	list = append(list, alone(p)...)
	if len(p.Bonuses) > 0 && p.MaturityDays == 0 {
		list = append(list, fmt.Sprintf("bonuses.%s: with maturity_days: 0 a bonus can be redeemed as soon as the purchases for it settle. Who returns them then owes it, and who never comes back keeps it: maturity_days of the return window hold a bonus until the purchases for it have matured.", p.Bonuses[0].ID))
	}
	for i := range p.Bonuses {
		if b := &p.Bonuses[i]; never(&b.Match) {
			list = append(list, fmt.Sprintf("bonuses.%s.match: no purchase is on or after %s and before %s, so it pays nothing: until is the first date on which it does not hold.",
				b.ID, b.Match.Purchase.From, b.Match.Purchase.Until))
		}
	}
	return append(list, expiryNotice(p)...)
}

// idle is about rules of a layer that apply to no purchase.
func idle(rules []reward.Rule) (list []string) {
	for i := range rules {
		r := &rules[i]
		if never(&r.Match) {
			list = append(list, fmt.Sprintf("rules.%s.match: no purchase is on or after %s and before %s, so it never applies: until is the first date on which it does not hold.",
				r.ID, r.Match.Purchase.From, r.Match.Purchase.Until))
		}
		if j := slices.IndexFunc(rules[:i], func(earlier reward.Rule) bool { return shadows(&earlier, r) }); j >= 0 {
			list = append(list, fmt.Sprintf("rules.%s: it never applies, because %s before it matches every purchase that it does: the first that matches does.", r.ID, rules[j].ID))
		}
		if r.Match.Empty() && r.Except.Empty() && i+1 < len(rules) {
			list = append(list, fmt.Sprintf("rules.%s: the rules after it never apply, because it matches every purchase: the first that matches does.", r.ID))
			break
		}
	}
	return list
}

// loose is about what a rule says that can make no difference.
func loose(path string, r *reward.Rule) (list []string) {
	nothing := r.Rate == 0 && r.Exact.Num == 0 && len(r.Steps) == 0
	say := func(is bool, format string, figures ...any) {
		if is {
			list = append(list, fmt.Sprintf(path+"."+format, figures...))
		}
	}
	say(nothing && r.Cap != reward.NoCap, "cap: a rate of nothing never reaches it.")
	say(nothing && r.AtMost > 0, "at_most: a rate of nothing never reaches it.")
	say(r.AtMost > 0 && r.Cap != reward.NoCap && r.AtMost >= r.Cap && r.Cap > 0, "at_most: it never binds, because the cap of %d minor units is less for all purchases of a period together.", r.Cap)
	say(r.Minimum > 0 && r.Minimum <= r.Unit, "minimum: it makes no difference, because nothing below the unit of %d minor units counts anyway.", r.Unit)
	return list
}

// alone is about limits that only one rule counts in, though they have a name to share.
func alone(p *reward.Program) (list []string) {
	rules := make(map[string]int)
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			rules[l.Rules[i].Shared]++
		}
	}
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			if r := &l.Rules[i]; r.Shared != "" && rules[r.Shared] == 1 {
				list = append(list, fmt.Sprintf("rules.%s.cap.shared: no other rule shares %s, so it is a cap of this rule alone.", r.ID, r.Shared))
			}
		}
	}
	return list
}

// shadows reports whether every purchase that a rule matches is one of an earlier rule of
// its layer, as far as categories, codes and merchants say.
func shadows(earlier, r *reward.Rule) bool {
	e, m := &earlier.Match, &r.Match
	if e.Purchase != nil || !earlier.Except.Empty() || e.Empty() {
		return false
	}
	for _, category := range m.Categories {
		if e.Categories != nil && !slices.Contains(e.Categories, category) {
			return false
		}
	}
	for merchant := range m.Merchants {
		if e.Merchants != nil && !e.Merchants[merchant] {
			return false
		}
	}
	for _, codes := range m.MCCs {
		if e.MCCs != nil && !slices.ContainsFunc(e.MCCs, func(x reward.MCCRange) bool { return x.First <= codes.First && codes.Last <= x.Last }) {
			return false
		}
	}
	return (e.Categories == nil || m.Categories != nil) && (e.Merchants == nil || m.Merchants != nil) && (e.MCCs == nil || m.MCCs != nil)
}

// never reports whether a match holds for no purchase, for its dates.
func never(m *reward.Match) bool {
	x := m.Purchase
	return x != nil && x.From != nil && x.Until != nil && *x.From >= *x.Until
}

// withoutGrace is about the days behind a statement (paper, Algorithm 3, guard (a)).
// docs/semantics.md, sections 5 to 7: what is deferred is held from its delivery on,
// grace or not; what is not known yet cannot be held.
func withoutGrace(maturityDays int) string {
	const terms = "redemption.grace_days: 0 with timing.clawback: statement: a close does not shut redemption. " +
		"Refunds that were delivered need no grace: what they take is taken back by the close or, if they come after it, held from their delivery until the next close, so it cannot be redeemed in between. " +
		"But a reward that is redeemed before its refund is delivered leaves nothing to hold: the next close, up to a cycle later, posts a debt, and who never comes back keeps it. "
	if maturityDays > 0 {
		return terms + fmt.Sprintf("maturity_days: %d keeps that to refunds that are delivered more than %d days after their purchase posted.", maturityDays, maturityDays)
	}
	return terms + "A grace of 7 to 14 days keeps redemption shut while the refunds come that follow the close; maturity_days of the return window, and of the days that a refund takes to post, covers all of them."
}
