package audit

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
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

// leakers are in the order of their leakage.
type leakers []Suspect

var worst = top[Suspect]{listed, func(a, b *Suspect) int {
	return cmp.Or(cmp.Compare(b.Figures.Leakage, a.Figures.Leakage), cmp.Compare(a.Account, b.Account))
}}

// addSuspect lists an account that is suspected, or among those with the most
// leakage. A suspect went through at least two rounds of buying, redeeming and
// returning that left it some of the reward, or through one that left it about as
// much as the smallest cap of the program. Who returns much without redeeming
// first, or had the reward taken back, is none.
func (t *Tally) addSuspect(a *judge.Account, h *history.History) {
	var rounds []judge.Round
	kept := int64(0)
	for _, r := range a.Rounds {
		if r.Kept > 0 {
			rounds = append(rounds, r)
			kept += r.Kept
		}
	}
	suspected := len(rounds) >= leastRounds || len(rounds) == 1 && t.Terms.near(kept)
	if !suspected && a.Figures.Leakage <= 0 {
		return
	}
	s := &t.Sums
	s.Accounts.Suspected += oneIf(suspected)
	entry := Suspect{
		Account: a.ID, Figures: a.Figures, Rounds: rounds, RoundsInAll: int64(len(rounds)), KeptInRounds: kept,
		ReturnedPermille: permille(a.Figures.Refunded, a.Figures.Spend),
	}
	asWorst := a.Figures.Leakage > 0 && worst.enters(s.Worst, &entry)
	if !suspected && !asWorst {
		return
	}
	entry.Evidence = t.Terms.evidence(&entry)
	asSuspect := suspected && suspects.enters(s.Suspects, &entry)
	if !asSuspect && !asWorst {
		return
	}
	entry.Account = strings.Clone(a.ID)
	slices.SortStableFunc(rounds, func(a, b judge.Round) int { return cmp.Compare(b.Kept, a.Kept) })
	entry.Rounds = slices.Clone(rounds[:min(len(rounds), roundsShown)])
	for i := range entry.Rounds {
		entry.Rounds[i].Purchase = strings.Clone(entry.Rounds[i].Purchase)
	}
	if h != nil {
		entry.Timeline = timeline(h, a.Refunds)
	}
	if asSuspect {
		s.Suspects = suspects.add(s.Suspects, entry)
	}
	if asWorst {
		s.Worst = worst.add(s.Worst, entry)
	}
}

// evidence says what speaks against an account, a sentence each.
func (t terms) evidence(s *Suspect) (list []string) {
	say := func(holds bool, format string, args ...any) {
		if holds {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	prompt, slowest, close := 0, 0, 0
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if days := daysBegun(r.RedeemedAt, r.ReturnedAt); days >= 0 && days <= promptDays {
			prompt++
			slowest = max(slowest, days)
		}
		close += int(oneIf(t.near(r.Reward)))
	}
	f, rounds, run := &s.Figures, len(s.Rounds), consecutive(s.Rounds)
	say(rounds > 0, "In %s the purchase was returned after its reward had been redeemed, and %s of reward was kept.", count(rounds, "round"), t.money(s.KeptInRounds))
	say(prompt > 0, "In %d of them the return came within %s of the redemption.", prompt, count(slowest, "day"))
	say(run > 1, "Rounds began in %d consecutive cycles.", run)
	say(close > 0, "In %s the reward was near the cap of %s.", count(close, "round"), t.money(t.Cap))
	say(s.ReturnedPermille >= mostlyReturned, "It returned %d.%d %% of what it bought: %s of %s.", s.ReturnedPermille/10, s.ReturnedPermille%10, t.money(f.Refunded), t.money(f.Spend))
	say(f.Leakage > 0, "It has %s of net reward above its entitlement of %s.", t.money(f.Leakage), t.money(f.Entitlement))
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
	began := map[reward.Cycle]bool{}
	for i := range rounds {
		began[reward.CycleAt(rounds[i].BoughtAt)] = true
	}
	for c := range began {
		run := 1
		for began[c+reward.Cycle(run)] {
			run++
		}
		longest = max(longest, run)
	}
	return longest
}

// ratio is part of whole in so many parts of it, rounded down and at most what 64 bits
// hold; zero of nothing.
func ratio(scale, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	if r := times(part, scale); r.Div(r, big.NewInt(whole)).IsInt64() {
		return r.Int64()
	}
	return math.MaxInt64
}

func permille(part, whole int64) int64 { return ratio(1000, part, whole) }

// daysBegun is how many days of 24 hours have begun between two instants.
func daysBegun(from, to reward.Instant) int { return int((to - from + reward.Day - 1) / reward.Day) }
