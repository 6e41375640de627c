package program

import "recoup/reward"

// terms says what holds of all rules.
func (w *words) terms() []string {
	p := w.p
	zone := "UTC"
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	begins := w.tell("A billing cycle begins with the first of a month in %s, and so do days and periods with midnight there.", zone)
	if p.StatementDay > 1 {
		begins = w.tell("A billing cycle begins with day %d of a month in %s, and so do days and periods with midnight there.", p.StatementDay, zone)
	}
	list := []string{begins, w.tell("Where a purchase lists its items, each of them is rated as a purchase of its own.")}
	say := func(is bool, yes, no string) {
		if !is {
			yes = no
		}
		if yes != "" {
			list = append(list, yes)
		}
	}
	say(p.Timing.Grant == reward.GrantAtSettlement, w.tell("Rewards are granted when a purchase settles."), w.tell("Rewards are granted when the statement closes."))
	say(p.Timing.Clawback == reward.ClawbackAtRefund, w.tell("A refund takes its reward back when it arrives."), w.tell("A refund takes its reward back when the statement closes; until then that is held."))
	say(p.Method == reward.Rerate, w.tell("What is taken back is what would not have been earned had the returned part never been bought."), w.tell("What is taken back is the returned share of the reward."))
	list = append(list, w.refunds(&p.Refunds)...)
	say(p.MaturityDays > 0, w.tell("A reward can be redeemed %s after its purchase posted.", w.days(p.MaturityDays)), w.tell("A reward can be redeemed at once."))
	say(p.Redemption.GraceDays > 0, w.tell("Nothing is redeemed for %s after a statement closes.", w.days(p.Redemption.GraceDays)), "")
	say(p.Redemption.MinimumBalance > 0, w.tell("A redemption leaves at least %s on the balance.", w.told.Reward(p.Redemption.MinimumBalance)), "")
	say(p.Redemption.AfterClosing, w.tell("When an account was closed, what balance appears on it can still be redeemed."), "")
	say(p.ExpiryMonths > 0, w.tell("Rewards that nobody uses expire, the oldest first: at the close of the billing cycle that is %s after the one they are of.", w.months(p.ExpiryMonths)), w.tell("Rewards do not expire."))
	say(p.Reward.Name != "", w.tell("Rewards are in %s with %s.", p.Reward.Name, w.decimals(p.Reward.Decimals)), "")
	return list
}

// refunds says within which times refunds are matched.
func (w *words) refunds(r *reward.RefundTerms) []string {
	var list []string
	if r.PendingDays > 0 {
		list = append(list, w.tell("A refund that is announced holds what it would take until it posts, but for no more than %s.", w.days(r.PendingDays)))
	}
	park := w.tell("A refund that names a purchase which is not there is matched at the next close like one that names none.")
	if r.ParkDays > 0 {
		park = w.tell("A refund that names a purchase which is not there waits for it %s, and is then matched like one that names none.", w.days(r.ParkDays))
	}
	window := w.tell("A refund that names no purchase is taken to be of those that it takes most from: settled up to %s before it.", w.days(r.WindowDays))
	if r.MatchDays > 0 {
		window = w.tell("A refund that names no purchase is taken to be of those that it takes most from: settled up to %s before it, or up to %s after it.", w.days(r.WindowDays), w.days(r.MatchDays))
	}
	firm := w.tell("What it is taken to be of may change for %s as other facts arrive.", w.days(r.FirmDays))
	switch {
	case r.Movable == 1:
		firm = w.tell("What it is taken to be of may change for %s as other facts arrive, for 1 such refund at a time.", w.days(r.FirmDays))
	case r.Movable > 0:
		firm = w.tell("What it is taken to be of may change for %s as other facts arrive, for %s such refunds at a time.", w.days(r.FirmDays), w.count(int64(r.Movable)))
	}
	return append(list, park, window, firm)
}

// months are so many months.
func (w *words) months(n int) string {
	if n == 1 {
		return w.tell("1 month")
	}
	return w.tell("%s months", w.count(int64(n)))
}

// decimals are so many digits after the point.
func (w *words) decimals(n int) string {
	if n == 1 {
		return w.tell("1 decimal")
	}
	return w.tell("%s decimals", w.count(int64(n)))
}
