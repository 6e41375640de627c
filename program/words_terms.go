package program

import (
	"fmt"

	"recoup/reward"
)

// terms says what holds of all rules.
func (w *words) terms() []string {
	p := w.p
	zone, day := "UTC", "the first"
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	if p.StatementDay > 1 {
		day = fmt.Sprintf("day %d", p.StatementDay)
	}
	list := []string{
		fmt.Sprintf("A billing cycle begins with %s of a month in %s, and so do days and periods with midnight there.", day, zone),
		"Where a purchase lists its items, each of them is rated as a purchase of its own.",
	}
	say := func(is bool, yes, no string) {
		if !is {
			yes = no
		}
		if yes != "" {
			list = append(list, yes)
		}
	}
	say(p.Timing.Grant == reward.GrantAtSettlement, "Rewards are granted when a purchase settles.", "Rewards are granted when the statement closes.")
	say(p.Timing.Clawback == reward.ClawbackAtRefund, "A refund takes its reward back when it arrives.", "A refund takes its reward back when the statement closes; until then that is held.")
	say(p.Method == reward.Rerate, "What is taken back is what would not have been earned had the returned part never been bought.", "What is taken back is the returned share of the reward.")
	list = append(list, refundWords(&p.Refunds)...)
	say(p.MaturityDays > 0, fmt.Sprintf("A reward can be redeemed %s after its purchase posted.", dayCount(p.MaturityDays)), "A reward can be redeemed at once.")
	say(p.Redemption.GraceDays > 0, fmt.Sprintf("Nothing is redeemed for %s after a statement closes.", dayCount(p.Redemption.GraceDays)), "")
	say(p.Redemption.MinimumBalance > 0, fmt.Sprintf("A redemption leaves at least %s on the balance.", w.told.Reward(p.Redemption.MinimumBalance)), "")
	say(p.Redemption.AfterClosing, "When an account was closed, what balance appears on it can still be redeemed.", "")
	say(p.ExpiryMonths > 0, fmt.Sprintf("Rewards that nobody uses expire, the oldest first: at the close of the billing cycle that is %s after the one they are of.", counted(int64(p.ExpiryMonths), "month")), "Rewards do not expire.")
	say(p.Reward.Name != "", fmt.Sprintf("Rewards are in %s with %s.", p.Reward.Name, counted(int64(p.Reward.Decimals), "decimal")), "")
	return list
}

// refundWords says within which times refunds are matched.
func refundWords(r *reward.RefundTerms) []string {
	var list []string
	if r.PendingDays > 0 {
		list = append(list, fmt.Sprintf("A refund that is announced holds what it would take until it posts, but for no more than %s.", dayCount(r.PendingDays)))
	}
	park := "A refund that names a purchase which is not there is matched at the next close like one that names none."
	if r.ParkDays > 0 {
		park = fmt.Sprintf("A refund that names a purchase which is not there waits for it %s, and is then matched like one that names none.", dayCount(r.ParkDays))
	}
	window := fmt.Sprintf("A refund that names no purchase is taken to be of those that it takes most from: settled up to %s before it", dayCount(r.WindowDays))
	if r.MatchDays > 0 {
		window += fmt.Sprintf(", or up to %s after it", dayCount(r.MatchDays))
	}
	firm := fmt.Sprintf("What it is taken to be of may change for %s as other facts arrive", dayCount(r.FirmDays))
	if r.Movable > 0 {
		firm += fmt.Sprintf(", for %s at a time", counted(int64(r.Movable), "such refund"))
	}
	return append(list, park, window+".", firm+".")
}

// dayCount is so many days.
func dayCount(n int) string { return counted(int64(n), "day") }
