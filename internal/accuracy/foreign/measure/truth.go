package measure

import (
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
	// Accounts is how many leak more than rounding could (a minor unit for each fact that
	// takes a purchase back), Rounding what all the others leak.
	Accounts int   `json:"accounts"`
	Rounding int64 `json:"rounding"`
	// Ahead is Σ over accounts of the most that was paid out, at any redemption, beyond
	// what the purchases not returned by then ever earn: what is lost if the customer
	// leaves. It is the window of V3(b).
	Ahead int64 `json:"paid_ahead"`
	// Granted is all that was granted, Returned how many facts took purchases back.
	Granted  int64 `json:"granted"`
	Returned int   `json:"returned"`

	promised map[string]int64 // by account
	leaks    map[string]int64
}

// truthOf plays the design on what was kept.
func truthOf(d *foreign.Design, real *course) (*Truth, error) {
	h := real.history
	without, err := play(d, h.Kept())
	if err != nil {
		return nil, fmt.Errorf("without what was returned: %w", err)
	}
	t := &Truth{promised: map[string]int64{}, leaks: map[string]int64{}}
	returns := make(map[string]int)
	for i := range h.Moves {
		if m := &h.Moves[i]; m.TakesBack() {
			returns[m.Account]++
			t.Returned++
		}
	}
	for _, account := range h.Accounts {
		for _, p := range real.postings[account] {
			if p.Kind == foreign.Earned {
				t.Granted += p.Amount
			}
		}
		t.promised[account] = without.granted(account)
		over := real.kept(account) - t.promised[account]
		t.leaks[account] = max(0, over)
		t.Leak += max(0, over)
		t.Short += max(0, -over)
		if over > int64(returns[account]) {
			t.Accounts++
		} else {
			t.Rounding += max(0, over)
		}
		ahead, err := aheadOf(d, real, account)
		if err != nil {
			return nil, err
		}
		t.Ahead += ahead
	}
	return t, nil
}

// window is for how long before a redemption a return is looked for: a clawback that
// comes later than this is no matter of a billing cycle.
const window = 62 * 24 * time.Hour

// aheadOf is the most that an account was paid beyond what its purchases earn that were
// not returned by then.
func aheadOf(d *foreign.Design, real *course, account string) (most int64, err error) {
	all := real.history.Of(account)
	for _, p := range real.redeemed[account] {
		recent := slices.ContainsFunc(all.Moves, func(m people.Move) bool {
			return m.TakesBack() && !m.Delivered.After(p.at) && p.at.Sub(m.Delivered) < window
		})
		if !recent {
			continue
		}
		kept, err := play(d, all.Until(p.at).Kept())
		if err != nil {
			return 0, fmt.Errorf("without what was returned by %s: %w", p.at.Format(time.DateOnly), err)
		}
		most = max(most, real.cash(account, p.at)-kept.granted(account))
	}
	return most, nil
}
