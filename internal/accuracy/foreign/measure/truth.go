package measure

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
)

// Truth is what a history's customers gained by returning, in money. It owes nothing to
// the reward engine, the auditor or the prober: the design itself says what it grants to
// who never bought what went back.
type Truth struct {
	// Leak is Σ over accounts of what was kept above what the same design grants on the
	// same history without what was returned; Short is what was kept below it. No account
	// is set off against another.
	Leak  int64 `json:"leak"`
	Short int64 `json:"short"`
	// Accounts is how many leak more than rounding could: a minor unit for each fact that
	// takes a purchase back.
	Accounts int `json:"accounts"`
	// Named is the leak if every refund had named its purchase, and NamedAccounts of how
	// many accounts: a program that is told nothing has to guess, and its published terms
	// may say how.
	Named         int64 `json:"leak_if_named"`
	NamedAccounts int   `json:"accounts_if_named"`
	// Ahead is Σ over accounts of the most that was paid out, at a redemption soon after a
	// return, beyond what the purchases not returned by then ever earn, of AheadAccounts
	// more than rounding could be. It is lost if the customer leaves: the window of V3(b).
	// It is of the history with names.
	Ahead         int64 `json:"paid_ahead"`
	AheadAccounts int   `json:"accounts_paid_ahead"`
	// Granted is all that was granted, Returned how many facts took purchases back.
	Granted  int64 `json:"granted"`
	Returned int   `json:"returned"`

	promised map[string]int64 // by account
	leaks    map[string]int64
}

// truthOf plays the design on what was kept, and with names.
func truthOf(d *foreign.Design, real *course) (*Truth, error) {
	h := real.history
	without, err := play(d, h.Kept())
	if err != nil {
		return nil, fmt.Errorf("without what was returned: %w", err)
	}
	named, err := play(d, h.Named())
	if err != nil {
		return nil, fmt.Errorf("with names: %w", err)
	}
	t := &Truth{promised: map[string]int64{}, leaks: map[string]int64{}}
	returns := make(map[string]int64)
	for i := range h.Moves {
		if m := &h.Moves[i]; m.TakesBack() {
			returns[m.Account]++
			t.Returned++
		}
	}
	for _, alone := range named.history.Apart() {
		account := alone.Accounts[0]
		// add counts what is above zero, and whether rounding could be all of it.
		add := func(over int64, sum *int64, accounts *int) {
			*sum += max(0, over)
			if over > returns[account] {
				*accounts++
			}
		}
		for _, p := range real.postings[account] {
			if p.Kind == foreign.Earned {
				t.Granted += p.Amount
			}
		}
		promised := without.granted(account)
		over := real.kept(account) - promised
		t.promised[account], t.leaks[account] = promised, max(0, over)
		t.Short += max(0, -over)
		add(over, &t.Leak, &t.Accounts)
		add(named.kept(account)-promised, &t.Named, &t.NamedAccounts)
		ahead, err := aheadOf(d, named, alone)
		if err != nil {
			return nil, err
		}
		add(ahead, &t.Ahead, &t.AheadAccounts)
	}
	return t, nil
}

// aheadOf is the most that an account was paid beyond what its purchases earn that were
// not returned by then, at the redemptions that followed a return soonest.
func aheadOf(d *foreign.Design, real *course, all *people.History) (most int64, err error) {
	account := all.Accounts[0]
	for _, at := range soonAfterReturns(all, real.redeemed[account]) {
		kept, err := play(d, all.Until(at).Kept())
		if err != nil {
			return 0, fmt.Errorf("without what was returned by %s: %w", at.Format(time.DateOnly), err)
		}
		most = max(most, real.cash(account, at)-kept.granted(account))
	}
	return most, nil
}

// A clawback that comes later than the window is no matter of a billing cycle, and of the
// redemptions that are within it a few show what all would.
const (
	window        = 62 * 24 * time.Hour
	mostAtAccount = 8
)

// soonAfterReturns are the times of those redemptions.
func soonAfterReturns(h *people.History, redeemed []payout) (times []time.Time) {
	since := make(map[time.Time]time.Duration)
	for _, p := range redeemed {
		for i := range h.Moves {
			m := &h.Moves[i]
			if ago := p.at.Sub(m.Delivered); m.TakesBack() && ago >= 0 && ago < window {
				if _, there := since[p.at]; !there {
					times = append(times, p.at)
				}
				since[p.at] = ago // moves are in order: the last one counts
			}
		}
	}
	slices.SortStableFunc(times, func(a, b time.Time) int { return cmp.Compare(since[a], since[b]) })
	return times[:min(len(times), mostAtAccount)]
}
