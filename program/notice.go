package program

import (
	"fmt"

	"recoup/reward"
)

// Notices say what terms bring about that somebody who wrote them may not expect.
// None is an error: each is about terms that are lawful and may be meant.
func Notices(p *reward.Program) []string {
	var list []string
	if p.Timing.Clawback == reward.ClawbackAtStatement && p.Redemption.GraceDays == 0 {
		list = append(list, withoutGrace(p.MaturityDays))
	}
	layers := p.Layers
	if layers == nil {
		layers = []reward.Layer{{Rules: p.Rules}}
	}
	for _, l := range layers {
		list = append(list, idle(l.Rules)...)
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
		if r.Match.Empty() && r.Except.Empty() && i+1 < len(rules) {
			list = append(list, fmt.Sprintf("rules.%s: the rules after it never apply, because it matches every purchase: the first that matches does.", r.ID))
			break
		}
	}
	return list
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
