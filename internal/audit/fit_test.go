package audit_test

import (
	"strings"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
)

// Where the terms given are not what a program grants by, they accuse nobody by
// themselves; what refunds leave does, and so does more than terms that are off explain.
func TestTermsThatDoNotFit(t *testing.T) {
	// Nothing is known of 40 accounts but sums: a dollar is at stake at each.
	lumps := func(b *book, left, over, loose int64) {
		for range 40 {
			a := b.account()
			a.Figures = judge.Figures{Granted: 1000, NetReward: 1000, RewardRows: 2, Leakage: left, Unearned: left, UnearnedRows: 1}
			a.Fit = judge.Fit{AtStake: 100, Before: 500, GrantedBefore: 1, LooseBefore: loose, OverBefore: over}
			if over > 0 {
				a.Fit.AccountsOver = 1
			}
			a.Refunds = []judge.RefundCase{
				{ID: a.ID, Place: judge.SameCycle, Owed: 50, Outcome: judge.NothingAtStake}, {ID: a.ID, Place: judge.LaterCycle, Owed: 50, Outcome: judge.NothingAtStake},
			}
			if over > 0 {
				a.Misfit = &judge.Example{Account: a.ID, Amount: over, Found: "$5.00 was granted", Expected: "$4.95 by then"}
			}
		}
	}
	// A third of the refunds of a later cycle are read to take nothing.
	ignored := func(b *book) {
		for i, a := range *b {
			if i%3 == 0 {
				a.Refunds[1].Linked, a.Refunds[1].Expected, a.Refunds[1].Outcome = true, 50, judge.Never
			}
		}
	}
	for _, c := range []struct {
		name              string
		left, over, loose int64
		class             flaw.Class
		saying            string
	}{
		{"sums that the terms do not tell apart, and a little is left", 1, 0, 500, flaw.Robust, "whichever cycle"},
		{"they do not fit, and a little is left", 9, 5, 500, flaw.Robust, "The terms given are not what the program grants by: $2.00 above them"},
		{"they do not fit, and half of what is at stake is left", 50, 5, 500, flaw.Other, "more than the terms promise is left in 40 accounts"},
		{"sums that the terms do not tell apart, and a tenth of what is at stake is left", 9, 0, 500, flaw.Robust, "of $200.00 that was there before anything was returned, $200.00 is of rows"},
		{"sums that the terms do not tell apart, and half of what is at stake is left", 50, 0, 500, flaw.Other, "more than the terms promise is left in 40 accounts"},
		{"sums that the terms do not tell apart, and that are what they come to, and a fifth is left", 20, 0, 500, flaw.Other, "more than the terms promise is left in 40 accounts"},
		{"they fit row by row, and there are rows besides", 50, 0, 0, flaw.Other, "in 40 rows that no purchase explains"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b book
			lumps(&b, c.left, c.over, c.loose)
			if c.loose > 0 && c.over > 0 {
				ignored(&b)
			}
			r := b.report(t)
			v := r.Verdict
			if least := r.LeastLeakage(); least < 0 || (least == r.Figures.Leakage) != (c.loose == 0) {
				t.Errorf("%d of the leakage of %d rests on no guess", least, r.Figures.Leakage)
			}
			if v.Class != c.class || v.Found != (c.class != flaw.Robust) {
				t.Errorf("class %q, found %t; want %q", v.Class, v.Found, c.class)
			}
			if !strings.Contains(v.Summary, c.saying) {
				t.Errorf("summary %q does not say %q", v.Summary, c.saying)
			}
		})
	}
}

// What a few accounts have too much before anything was returned is no fault of the terms: the
// program may grant twice.
func TestAFewAccountsAreNoMisfit(t *testing.T) {
	for _, c := range []struct {
		over  int // of 40 accounts
		class flaw.Class
	}{{3, flaw.Other}, {4, flaw.Robust}} {
		var b book
		for i := range 40 {
			a := b.account()
			a.Figures = judge.Figures{Granted: 1000, NetReward: 1000, RewardRows: 2, RewardsNaming: 2, Leakage: 9}
			a.Fit = judge.Fit{AtStake: 100, Before: 500, GrantedBefore: 1, Left: 9}
			if i < c.over {
				a.Fit.OverBefore, a.Fit.AccountsOver = 50, 1
				a.Misfit = &judge.Example{Account: a.ID, Amount: 50, Found: "$5.50 was granted", Expected: "$5.00 by then"}
			}
			a.Refunds = []judge.RefundCase{
				{ID: a.ID, Place: judge.SameCycle, Owed: 50, Outcome: judge.NothingAtStake}, {ID: a.ID, Place: judge.LaterCycle, Owed: 50, Outcome: judge.NothingAtStake},
			}
		}
		if v := b.report(t).Verdict; v.Class != c.class {
			t.Errorf("%d of 40 accounts: class %q, want %q: %s", c.over, v.Class, c.class, v.Summary)
		}
	}
}

// By terms that promise far more than is granted nobody has too much: the class is told by single
// refunds alone, and never that a program is robust.
func TestTermsThatPromiseTooMuch(t *testing.T) {
	for _, c := range []struct {
		name    string
		short   int64 // of 1000 that are due to each account
		atStake int64 // by single refunds, of 500 that the terms take
		outcome judge.Outcome
		class   flaw.Class
		exit    int
	}{
		{"hardly", 140, 250, judge.AtOnce, flaw.Robust, 0},
		{"by half, and refunds take their share", 500, 250, judge.AtOnce, "", 2},
		{"by half, and refunds take nothing", 500, 250, judge.Never, flaw.V1, 1},
		{"by half, and yet all is at stake that should be", 500, 450, judge.AtOnce, flaw.Robust, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b book
			for range 40 {
				a := b.account()
				a.Figures = judge.Figures{Purchases: 20, Refunds: 2, Granted: 1000, NetReward: 1000 - c.short, Entitlement: 1000, RewardRows: 20, RewardsNaming: 20, ShortPaid: c.short}
				a.Fit = judge.Fit{AtStake: 500, Before: 500, GrantedBefore: 1, Named: 1000, Short: c.short}
				for _, place := range []judge.Place{judge.SameCycle, judge.LaterCycle} {
					half := c.atStake / 2
					rf := judge.RefundCase{ID: a.ID, Linked: true, Place: place, Owed: 250, Amount: 100, Bought: 100, Granted: half, Expected: half, Balance: 500, Outcome: c.outcome}
					if c.outcome != judge.Never {
						rf.Taken = half
					} else {
						rf.Unrecovered = half
					}
					a.Refunds = append(a.Refunds, rf)
				}
			}
			v := b.report(t).Verdict
			if v.Class != c.class || v.Exit != c.exit {
				t.Errorf("class %q, exit code %d, want %q and %d: %s", v.Class, v.Exit, c.class, c.exit, v.Summary)
			}
			if c.class == "" && !strings.Contains(v.Summary, "promise far more than the program grants") {
				t.Errorf("summary: %s", v.Summary)
			}
		})
	}
}

// Sums of many purchases may each be rounded up, where single refunds leave nothing.
func TestRoundingOfSums(t *testing.T) {
	for rows, class := range map[int64]flaw.Class{3: flaw.Other, 9: flaw.Robust} {
		var b book
		for range 40 {
			a := b.account()
			a.Figures = judge.Figures{Purchases: 30, Refunds: 2, Granted: 1000, NetReward: 1000, RewardRows: rows, Leakage: 9, LeakageNamed: 9}
			a.Fit = judge.Fit{AtStake: 100, Before: 500, GrantedBefore: 1, Left: 9}
			a.Refunds = []judge.RefundCase{
				{ID: a.ID, Linked: true, Place: judge.SameCycle, Owed: 50, Outcome: judge.NothingAtStake}, {ID: a.ID, Linked: true, Place: judge.LaterCycle, Owed: 50, Outcome: judge.NothingAtStake},
			}
		}
		if v := b.report(t).Verdict; v.Class != class {
			t.Errorf("%d rows for each: class %q, want %q: %s", rows, v.Class, class, v.Summary)
		}
	}
}

// What grants were above the terms by rounding before anything was returned they are above them
// by later; where they match to the unit, as much is a leak.
func TestRoundingIsNoLeak(t *testing.T) {
	for _, c := range []struct {
		rounded int64 // of each of 40 accounts
		class   flaw.Class
	}{{0, flaw.Other}, {5, flaw.Robust}} {
		var b book
		for range 40 {
			a := b.account()
			a.Figures = judge.Figures{Purchases: 20, Refunds: 2, Rounding: 22, Granted: 1000, NetReward: 1000, RewardRows: 20, Leakage: 9, LeakageNamed: 9}
			a.Fit = judge.Fit{AtStake: 100, Before: 500, GrantedBefore: 1, RoundedBefore: c.rounded, Left: 9}
			a.Refunds = []judge.RefundCase{
				{ID: a.ID, Linked: true, Place: judge.SameCycle, Owed: 50, Outcome: judge.NothingAtStake}, {ID: a.ID, Linked: true, Place: judge.LaterCycle, Owed: 50, Outcome: judge.NothingAtStake},
			}
		}
		if v := b.report(t).Verdict; v.Class != c.class {
			t.Errorf("%d units of rounding before: class %q, want %q: %s", c.rounded, v.Class, c.class, v.Summary)
		}
	}
}
