package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recoup/internal/audit/history"
	"recoup/internal/audit/judge"
	"recoup/reward"
)

const (
	// listed is how many suspects, and how many of the worst accounts, a report has.
	listed = 20
	// roundsShown is how many rounds are shown of each.
	roundsShown = 5
	// leastRounds is how many rounds make an account suspected: one may happen to
	// anybody.
	leastRounds = 2
	// nearCap is the share of the cap, in per mille, from which on a reward counts
	// as near it.
	nearCap = 900
	// promptDays is how soon after the redemption a return is said to be prompt.
	promptDays = 14
	// mostlyReturned is the share of spend, in per mille, from which on an account
	// is said to return most of what it buys.
	mostlyReturned = 500
)

// suspects are in the order of what speaks against them: by the number of things
// that do, then by the reward that was kept in rounds, then by the number of
// rounds.
var suspects = top[Suspect]{listed, func(a, b *Suspect) int {
	return cmp.Or(
		cmp.Compare(len(b.Evidence), len(a.Evidence)), cmp.Compare(b.KeptInRounds, a.KeptInRounds), cmp.Compare(b.RoundsInAll, a.RoundsInAll),
		cmp.Compare(a.Account, b.Account),
	)
}}

// worst are in the order of their leakage.
var worst = top[Suspect]{listed, func(a, b *Suspect) int {
	return cmp.Or(cmp.Compare(b.Figures.Leakage, a.Figures.Leakage), cmp.Compare(a.Account, b.Account))
}}

// addSuspect lists an account that is suspected, or among those with the most
// leakage. A suspect went through at least two rounds of buying, redeeming and
// returning that left it some of the reward, or through one that left it about as
// much as the smallest cap of the program. Who returns much without redeeming
// first, or had the reward taken back, is none.
func (t *Tally) addSuspect(a *judge.Account, h *history.History) {
	s := &t.sums
	rounds, kept := roundsThatPaid(a.Rounds)
	suspected := len(rounds) >= leastRounds || len(rounds) == 1 && t.terms.near(rounds[0].Kept)
	if !suspected && a.Figures.Leakage <= 0 {
		return
	}
	s.Accounts.Suspected += oneIf(suspected)
	entry := Suspect{
		Account: a.ID, Figures: a.Figures, RoundsInAll: int64(len(rounds)), KeptInRounds: kept,
		ReturnedPermille: permille(a.Figures.Refunded, a.Figures.Spend),
	}
	entry.Evidence = t.terms.evidence(&entry, rounds)
	asSuspect := suspected && suspects.enters(s.Suspects, &entry)
	asWorst := a.Figures.Leakage > 0 && worst.enters(s.Worst, &entry)
	if !asSuspect && !asWorst {
		return
	}
	entry.Account = strings.Clone(a.ID)
	entry.Rounds = largest(rounds)
	if h != nil {
		entry.Timeline = timeline(h, a.Refunds, timelineRows)
	}
	if asSuspect {
		s.Suspects = suspects.add(s.Suspects, entry)
	}
	if asWorst {
		s.Worst = worst.add(s.Worst, entry)
	}
}

// roundsThatPaid are the rounds that left some of the reward, and how much.
func roundsThatPaid(rounds []judge.Round) (paid []judge.Round, kept int64) {
	for _, r := range rounds {
		if r.Kept > 0 {
			paid = append(paid, r)
			kept += r.Kept
		}
	}
	return paid, kept
}

// largest returns the rounds that left the most, with their texts copied.
func largest(rounds []judge.Round) []judge.Round {
	list := slices.Clone(rounds)
	slices.SortStableFunc(list, func(a, b judge.Round) int { return cmp.Compare(b.Kept, a.Kept) })
	list = slices.Clone(list[:min(len(list), roundsShown)])
	for i := range list {
		list[i].Purchase = strings.Clone(list[i].Purchase)
	}
	return list
}

// near reports whether an amount is about as much as the smallest cap.
func (t terms) near(amount int64) bool {
	return t.Cap > 0 && times(amount, 1000).Cmp(times(t.Cap, nearCap)) >= 0
}

// evidence says what speaks against an account, a sentence each.
func (t terms) evidence(s *Suspect, rounds []judge.Round) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var prompt, close int
	slowest := 0
	for i := range rounds {
		if days := daysBegun(rounds[i].RedeemedAt, rounds[i].ReturnedAt); days >= 0 && days <= promptDays {
			prompt++
			slowest = max(slowest, days)
		}
		if t.near(rounds[i].Reward) {
			close++
		}
	}
	if n := len(rounds); n > 0 {
		say("In %s the purchase was returned after its reward had been redeemed, and %s of reward was kept.", count(n, "round"), t.money(s.KeptInRounds))
	}
	if prompt > 0 {
		say("In %d of them the return came within %s of the redemption.", prompt, count(slowest, "day"))
	}
	if n := consecutive(rounds); n > 1 {
		say("Rounds began in %d consecutive cycles.", n)
	}
	if close > 0 {
		say("In %s the reward was near the cap of %s.", count(close, "round"), t.money(t.Cap))
	}
	if s.ReturnedPermille >= mostlyReturned {
		say("It returned %d.%d %% of what it bought: %s of %s.", s.ReturnedPermille/10, s.ReturnedPermille%10, t.money(s.Figures.Refunded), t.money(s.Figures.Spend))
	}
	if s.Figures.Leakage > 0 {
		say("It has %s of net reward above its entitlement of %s.", t.money(s.Figures.Leakage), t.money(s.Figures.Entitlement))
	}
	return list
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// consecutive is the longest run of cycles in each of which a round began.
func consecutive(rounds []judge.Round) (longest int) {
	cycles := make([]reward.Cycle, len(rounds))
	for i := range rounds {
		cycles[i] = reward.CycleAt(rounds[i].BoughtAt)
	}
	slices.Sort(cycles)
	cycles = slices.Compact(cycles)
	run := 0
	for i, c := range cycles {
		if i > 0 && c == cycles[i-1]+1 {
			run++
		} else {
			run = 1
		}
		longest = max(longest, run)
	}
	return longest
}

// permille is part of whole, rounded down; zero of nothing.
func permille(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	p := times(part, 1000)
	return p.Div(p, times(whole, 1)).Int64()
}

// daysBegun is how many days of 24 hours have begun between two instants.
func daysBegun(from, to reward.Instant) int { return int((to - from + day - 1) / day) }
