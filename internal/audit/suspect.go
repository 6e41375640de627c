package audit

import (
	"cmp"
	"fmt"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/intake/history"
	"recoup/reward"
)

const (
	listed         = 20   // how many suspects, and how many of the worst accounts, a report has
	roundsShown    = 5    // of each
	timelineRows   = 60   // of each
	leastRounds    = 2    // make an account suspected: one may happen to anybody
	nearCap        = 9000 // of ten thousand of the cap: from there on a reward counts as near it
	promptDays     = 14   // after the redemption: until then a return is said to be prompt
	mostlyReturned = 500  // per mille of spend: who returns as much is said to return most
)

// suspects come first who have the most things against them.
var suspects = top[Suspect]{listed, func(a, b Suspect) int {
	return cmp.Or(
		cmp.Compare(len(b.Evidence), len(a.Evidence)), cmp.Compare(b.KeptInRounds, a.KeptInRounds), cmp.Compare(b.RoundsInAll, a.RoundsInAll),
		cmp.Compare(a.Account, b.Account),
	)
}}

// leakers are in the order of worst, by their leakage.
type leakers []Suspect

var worst = top[Suspect]{listed, func(a, b Suspect) int {
	return cmp.Or(cmp.Compare(b.Figures.Leakage, a.Figures.Leakage), cmp.Compare(a.Account, b.Account))
}}

// addSuspect lists an account that is suspected, or among those with the most leakage. A suspect
// went through at least two rounds of buying, redeeming and returning that left it some of the
// reward, or through one that left it about as much as the smallest cap of the program. Who returns
// much without redeeming first, or had the reward taken back, is none.
func (t *Tally) addSuspect(a *judge.Account, h *history.History) {
	s, f := &t.Sums, &a.Figures
	entry := Suspect{Account: a.ID, Figures: *f, ReturnedPermille: permille(f.Refunded, f.Spend)}
	for _, r := range a.Rounds {
		if r.Kept > 0 {
			entry.Rounds = append(entry.Rounds, r)
			entry.RoundsInAll++
			entry.KeptInRounds += r.Kept
		}
	}
	suspected := entry.RoundsInAll >= leastRounds || entry.RoundsInAll == 1 && t.Terms.near(entry.KeptInRounds)
	spell := func(e *Suspect) {
		e.Evidence = t.Terms.evidence(e)
		slices.SortStableFunc(e.Rounds, func(a, b judge.Round) int { return cmp.Compare(b.Kept, a.Kept) })
		e.Rounds = e.Rounds[:min(len(e.Rounds), roundsShown)]
		if h != nil {
			e.Timeline = timeline(h, a.Refunds)
		}
	}
	if f.Leakage > 0 {
		worst.keep((*[]Suspect)(&s.Worst), entry, spell)
	}
	if suspected {
		s.Accounts.Suspected++
		entry.Evidence = t.Terms.evidence(&entry) // what suspects are ranked by
		suspects.keep(&s.Suspects, entry, spell)
	}
}

// evidence says what speaks against an account.
func (t terms) evidence(s *Suspect) (list []string) {
	say := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	f, rounds, run := &s.Figures, s.RoundsInAll, consecutive(s.Rounds)
	prompt, slowest, close := int64(0), int64(0), int64(0)
	for _, r := range s.Rounds {
		if days := int64(daysBegun(r.RedeemedAt, r.ReturnedAt)); days >= 0 && days <= promptDays {
			prompt++
			slowest = max(slowest, days)
		}
		close += oneIf(t.near(r.Reward))
	}
	say(rounds > 0, "In %s the purchase was returned after its reward had been redeemed, and %s of reward was kept.", Count(rounds, "round", "rounds"), t.money(s.KeptInRounds))
	say(prompt > 0, "In %d of them the return came within %s of the redemption.", prompt, Count(slowest, "day", "days"))
	say(run > 1, "Rounds began in %d consecutive cycles.", run)
	say(close > 0, "In %s the reward was near the cap of %s.", Count(close, "round", "rounds"), t.money(t.Cap))
	say(s.ReturnedPermille >= mostlyReturned, "It returned %d.%d %% of what it bought: %s of %s.", s.ReturnedPermille/10, s.ReturnedPermille%10, t.money(f.Refunded), t.money(f.Spend))
	say(f.Leakage > 0, "It has %s of net reward above its entitlement of %s.", t.money(f.Leakage), t.money(f.Entitlement))
	return list
}

// consecutive is the longest run of cycles in each of which a round began.
func consecutive(rounds []judge.Round) (longest int) {
	began := map[reward.Cycle]bool{}
	for _, r := range rounds {
		began[reward.CycleAt(r.BoughtAt)] = true
	}
	for first := range began {
		end := first
		for began[end] {
			end++
		}
		longest = max(longest, int(end-first))
	}
	return longest
}

// daysBegun is how many days of 24 hours have begun between two instants.
func daysBegun(from, to reward.Instant) int { return int((to - from + reward.Day - 1) / reward.Day) }

// timeline tells an account's history. Where there are too many rows, purchases that were
// kept and their rewards are left out, then the latest rows, and the last step says how
// many. The refunds are the account's.
func timeline(h *history.History, refunds []judge.RefundCase) (steps []judge.Step) {
	returned := map[string]bool{"": true}
	for i := range refunds {
		returned[refunds[i].Purchase] = true
	}
	all := len(h.Rows) <= timelineRows
	for i := range h.Rows {
		r := &h.Rows[i]
		kept := r.Kind == history.Purchase && !returned[r.ID] || r.Kind == history.Reward && !returned[r.Transaction]
		if all || !kept && len(steps) < timelineRows-1 {
			steps = append(steps, judge.StepOf(r))
		}
	}
	if left := len(h.Rows) - len(steps); left > 0 {
		steps = append(steps, judge.Step{At: h.Rows[len(h.Rows)-1].At, What: fmt.Sprintf("and %d more rows that are not shown", left)})
	}
	return steps
}
