package program

import "recoup/reward"

// Notices say what terms bring about that somebody who wrote them may not expect.
// None is an error: each is about terms that are lawful and may be meant.
func Notices(p *reward.Program) []string {
	var list []string
	if p.Timing.Clawback == reward.ClawbackAtStatement && p.Redemption.GraceDays == 0 && p.MaturityDays == 0 {
		list = append(list, graceless)
	}
	return list
}

// graceless is about the days behind a statement (paper, Algorithm 3, guard (a)).
// docs/semantics.md, sections 5 to 7: what is deferred is held from its delivery on,
// grace or not; what is not known yet cannot be held.
const graceless = "redemption.grace_days: 0 with timing.clawback: statement: rewards can be redeemed from the moment of the close on. " +
	"No grace is needed for refunds that were delivered: theirs is taken back by the close, or, if they come after it, held from their delivery until the next close, so it cannot be redeemed in between. " +
	"But of a reward that was redeemed before its refund is delivered there is nothing left to hold: the next close posts a debt, up to a cycle later, and who never comes back keeps it. " +
	"A grace of 7 to 14 days keeps redemption shut while the refunds come that follow the close; maturity_days of the return window, and of the days that a refund takes to post, cover all of them."
