package audit

import (
	"fmt"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// neglectedWords say which refunds are left out.
var neglectedWords = [...]string{
	judge.NeglectAll:           "Refunds take nothing back",
	judge.NeglectSame:          "Refunds in the cycle of their purchase take nothing back",
	judge.NeglectLater:         "Refunds in a later cycle than their purchase's take nothing back",
	judge.NeglectAfterNext:     "Refunds after the cycle that follows their purchase's take nothing back",
	judge.NeglectMonthPosted:   "Refunds take nothing back once the reward of their purchase's cycle has come",
	judge.NeglectQuarterPosted: "Refunds take nothing back once the reward of their purchase's quarter has come",
	judge.NeglectYearPosted:    "Refunds take nothing back once the reward of their purchase's year has come",
}

// neglect finds the way to leave refunds out that explains the most of what leaks in rows that
// nothing explains, and its class: if that is most of all that leaks, and all but a fifth of it.
func (j *judgement) neglect() (way judge.Neglect, class flaw.Class) {
	n := &j.Neglects
	for other := range neglectedWords {
		if n.Left[other] < n.Left[way] {
			way = judge.Neglect(other)
		}
	}
	switch {
	case n.Accounts < leastShown || !atLeast(n.Of, 50_000, n.Left[way]) || !atLeast(n.Of, 5000, j.certain):
		return way, ""
	case way == judge.NeglectAll:
		return way, flaw.V1
	}
	return way, flaw.V2
}

// sumsSay says what the accounts' sums show.
func (j *judgement) sumsSay() string {
	way, _ := j.neglect()
	n := &j.Neglects
	return fmt.Sprintf("%s. Rows do not tell what they are for, but what accounts have in all does: with %s left out, the terms come to within %s of the %s that %s leak.",
		neglectedWords[way], Count(n.Refunds[way], "such refund", "such refunds"), j.money(n.Left[way]), j.money(n.Of), Count(n.Accounts, "account", "accounts"))
}
