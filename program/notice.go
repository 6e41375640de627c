package program

import "recoup/reward"

// Notices say what terms bring about that somebody who wrote them may not expect.
// None is an error: each is about terms that are lawful and may be meant.
func Notices(p *reward.Program) []string { return NoticesAs(p, Telling(p)) }

// NoticesAs says it in the words of who reads it.
func NoticesAs(p *reward.Program, told reward.Telling) []string {
	w := &words{p, told}
	return w.notices()
}

func (w *words) notices() (list []string) {
	p := w.p
	if p.Timing.Clawback == reward.ClawbackAtStatement && p.Redemption.GraceDays == 0 {
		list = append(list, w.withoutGrace())
	}
	for _, l := range layersOf(p) {
		list = append(list, w.idle(l.Rules)...)
	}
	list = append(list, w.loose()...)
	if len(p.Bonuses) > 0 && p.MaturityDays == 0 {
		list = append(list, w.tell("bonuses.%s: with maturity_days: 0 a bonus can be redeemed as soon as the purchases for it settle. Who returns them then owes it, and who never comes back keeps it: maturity_days of the return window hold a bonus until the purchases for it have matured.", p.Bonuses[0].ID))
	}
	for i := range p.Bonuses {
		if b := &p.Bonuses[i]; never(&b.Match, &b.Except) {
			list = append(list, w.tell("bonuses.%s: it pays nothing, because %s.", b.ID, w.whyNever(&b.Match)))
		}
	}
	return append(list, w.expiry()...)
}

// withoutGrace is about the days behind a statement (paper, Algorithm 3, guard (a)).
// docs/semantics.md, sections 5 to 7: what is deferred is held from its delivery on,
// grace or not; what is not known yet cannot be held.
func (w *words) withoutGrace() string {
	terms := w.tell("redemption.grace_days: 0 with timing.clawback: statement: a close does not shut redemption. " +
		"Refunds that were delivered need no grace: what they take is taken back by the close or, if they come after it, held from their delivery until the next close, so it cannot be redeemed in between. " +
		"But a reward that is redeemed before its refund is delivered leaves nothing to hold: the next close, up to a cycle later, posts a debt, and who never comes back keeps it.")
	if mature := w.p.MaturityDays; mature > 0 {
		return terms + " " + w.tell("maturity_days: %d keeps that to refunds that are delivered more than %d days after their purchase posted.", mature, mature)
	}
	return terms + " " + w.tell("A grace of 7 to 14 days keeps redemption shut while the refunds come that follow the close; maturity_days of the return window, and of the days that a refund takes to post, covers all of them.")
}
