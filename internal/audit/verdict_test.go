package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/program"
	"recoup/reward"
)

const (
	same  = judge.SameCycle
	later = judge.LaterCycle
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(*book)
		class flaw.Class
		found bool
		// timing, adjustment and negative balance
		words  [3]string
		ri     flaw.Verdict
		rrc    flaw.Verdict
		saying string // in the summary
	}{
		{"issuer A: refunds take nothing", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.Never).refunds(20, later, judge.Never)
		}, flaw.V1, true, [3]string{"Instant", "None", "N/A"}, flaw.Violated, flaw.Violated, "never take the reward back"},
		{"issuer A, with a few that a person took", func(b *book) {
			b.grants(100, 0).refunds(2, same, judge.AtOnce).refunds(50, same, judge.Never).refunds(50, later, judge.Never)
		}, flaw.V1, true, [3]string{"Instant", "None", "N/A"}, flaw.Violated, flaw.Violated, "hardly ever take the reward back"},
		{"issuer B: refunds after the close take nothing", func(b *book) {
			b.grants(0, 100).refunds(20, same, judge.Netted).refunds(20, later, judge.Never)
		}, flaw.V2, true, [3]string{"Stmt. close", "None", "N/A"}, flaw.Violated, flaw.Violated, "Of 20 refunds in a later cycle, every one of 20 took nothing"},
		{"refunds of a month or more take nothing, and rows leave open of a few others what they took", func(b *book) {
			b.grants(100, 0).refunds(60, same, judge.AtOnce).refunds(8, same, judge.Never).refunds(20, later, judge.Never).refunds(40, later, judge.AtOnce)
			for _, a := range (*b)[len(*b)-40:] {
				a.Refunds[0].PurchasedAt = a.Refunds[0].RefundedAt - 14*reward.Day
			}
		}, flaw.V2, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "only for some time. Of refunds 40 days or more after their purchase (none of 15 to 39), every one of 20 took too little"},
		{"refunds of more than two weeks take nothing", func(b *book) {
			b.grants(100, 0).refunds(60, same, judge.AtOnce).refunds(20, later, judge.AtOnce).refunds(15, later, judge.Never)
			for i, a := range (*b)[len(*b)-35:] {
				if i < 20 {
					a.Refunds[0].PurchasedAt = a.Refunds[0].RefundedAt - 14*reward.Day
				}
			}
		}, flaw.V2, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "only for some time. Of refunds 40 days or more after their purchase (none of 15 to 39), every one of 15 took too little"},
		{"refunds of more than two weeks take nothing now and then", func(b *book) {
			b.grants(100, 0).refunds(60, same, judge.AtOnce).refunds(60, later, judge.AtOnce).refunds(4, later, judge.Never)
			for i, a := range (*b)[len(*b)-64:] {
				if i < 55 {
					a.Refunds[0].PurchasedAt = a.Refunds[0].RefundedAt - 14*reward.Day
				}
			}
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"four refunds of more than two weeks, of few, take nothing", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).refunds(4, later, judge.Never)
			for i, a := range (*b)[len(*b)-24:] {
				if i < 20 {
					a.Refunds[0].PurchasedAt = a.Refunds[0].RefundedAt - 14*reward.Day
				}
			}
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"debts are forgotten after a while", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).signs("V3(a)", 0, 300)
			b.account().DebtsForgotten = 8
			b.account().DebtsKept = 2
		}, flaw.V3a, true, [3]string{"Instant", "Immediate", "Floored"}, flaw.Violated, flaw.Violated, "floored or forgotten"},
		{"some debts are forgiven", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).signs("V3(a)", 0, 300)
			b.account().DebtsForgotten = 4
			b.account().DebtsKept = 40
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"the hybrid: refunds before the close take nothing", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.Never).refunds(20, later, judge.AtClose).signs(flaw.G6, 20, 20)
		}, flaw.V2, true, [3]string{"Instant", "Stmt. close", "Not reached"}, flaw.Violated, flaw.Violated, "only in a later cycle"},
		{"issuer C: clawbacks at once, debts kept", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce)
			b.cases(10, judge.RefundCase{Linked: true, Place: later, Outcome: judge.AtOnce, Balance: 100}).signs("V3(a)", 0, 10)
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Indefinite"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"issuers D and E: all at the close", func(b *book) {
			b.grants(0, 100).refunds(20, same, judge.Netted).refunds(20, later, judge.AtClose)
			b.cases(10, judge.RefundCase{Linked: true, Place: later, Outcome: judge.AtClose}).signs(flaw.G10, 9, 20)
		}, flaw.Robust, false, [3]string{"Stmt. close", "Stmt. close", "Indefinite"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"issuer F: instant rewards, clawbacks that wait", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtClose).refunds(20, later, judge.AtClose)
			b.cases(10, judge.RefundCase{Linked: true, Place: later, Outcome: judge.AtClose}).signs("V3(b)", 6, 60)
		}, flaw.V3b, true, [3]string{"Instant", "Stmt. close", "Indefinite*"}, flaw.Partial, flaw.Partial, "6 times a reward was redeemed"},
		{"the same with a hold: nothing that waits is redeemed", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtClose).refunds(20, later, judge.AtClose).signs("V3(b)", 0, 60)
		}, flaw.Robust, false, [3]string{"Instant", "Stmt. close", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "what waited was not redeemed"},
		{"V3(a), by refunds that the balance does not cover, which are most", func(b *book) {
			b.grants(100, 0).refunds(8, same, judge.AtOnce).refunds(8, later, judge.AtOnce)
			b.cases(40, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Floored: true}).cases(20, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Partly, Balance: 200, Floored: true})
		}, flaw.V3a, true, [3]string{"Instant", "Immediate", "Floored"}, flaw.Violated, flaw.Violated, "floored or forgotten"},
		{"V3(a), where all that the balance covers is partial", func(b *book) {
			b.grants(100, 0).partial(8, same, judge.AtOnce).partial(8, later, judge.AtOnce)
			b.cases(30, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Floored: true}).cases(30, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Never, Floored: true})
		}, flaw.V3a, true, [3]string{"Instant", "Immediate", "Floored"}, flaw.Violated, flaw.Violated, "floored or forgotten"},
		{"V3(a), where the balance covers what is of rewards that were redeemed", func(b *book) {
			b.grants(100, 0).refunds(30, same, judge.AtOnce).refunds(12, later, judge.AtOnce)
			b.cases(20, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Balance: 500, Spent: true, Floored: true})
		}, flaw.V3a, true, [3]string{"Instant", "Immediate", "Floored"}, flaw.Violated, flaw.Violated, "floored or forgotten"},
		{"what comes second takes nothing, redeemed or not", func(b *book) {
			b.grants(100, 0).refunds(30, same, judge.AtOnce).refunds(30, later, judge.AtOnce)
			b.cases(12, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Balance: 500, Spent: true, Floored: true, Number: 2})
			b.cases(8, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Balance: 500, Number: 2})
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Indefinite"}, flaw.Violated, flaw.Violated, "took too little"},
		{"parts that take nothing say nothing of debts, where whole ones are owed", func(b *book) {
			b.grants(100, 0).refunds(30, same, judge.AtOnce).refunds(30, later, judge.AtOnce).cases(30, judge.RefundCase{Linked: true, Place: later, Outcome: judge.AtOnce})
			b.partial(60, same, judge.AtOnce).parts(60, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Never, Floored: true}).parts(10, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Never, Balance: 500})
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Indefinite"}, flaw.Violated, flaw.Violated, "partial refunds take nothing"},
		{"netted without a balance: no debt is made", func(b *book) {
			b.grants(0, 100).cases(20, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Netted}).refunds(20, later, judge.AtClose).signs("V3(b)", 10, 10)
		}, flaw.Robust, false, [3]string{"Stmt. close", "Stmt. close", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"rewards come at the close: what is redeemed is of earlier cycles", func(b *book) {
			b.grants(10, 100).refunds(20, same, judge.AtClose).refunds(20, later, judge.AtClose).signs("V3(b)", 10, 10)
		}, flaw.Robust, false, [3]string{"Stmt. close", "Stmt. close", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"clawbacks wait, and nearly none of what waits is redeemed", func(b *book) {
			b.grants(100, 0).refunds(250, same, judge.AtClose).refunds(250, later, judge.AtClose).signs("V3(b)", 3, 40)
		}, flaw.Robust, false, [3]string{"Instant", "Stmt. close", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"the reward of some purchases waits, and is redeemed", func(b *book) {
			b.grants(100, 0).refunds(40, same, judge.AtOnce).refunds(10, same, judge.AtClose).refunds(20, later, judge.AtOnce).signs("V3(b)", 10, 10)
		}, flaw.V3b, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Partial, flaw.Partial, "clawbacks wait"},
		{"instant rewards and clawbacks leave no window", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtClose).signs("V3(b)", 10, 10)
		}, flaw.Robust, false, [3]string{"Instant", "Stmt. close", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"two odd refunds of whole purchases say less than many of parts", func(b *book) {
			b.grants(100, 0).refunds(2, same, judge.Never).refunds(2, later, judge.Never).partial(60, same, judge.AtOnce).partial(60, later, judge.AtOnce)
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"everybody redeems first, and nothing comes back", func(b *book) {
			b.grants(100, 0).cases(20, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never}).cases(20, judge.RefundCase{Linked: true, Place: same, Outcome: judge.Never})
		}, flaw.V1, true, [3]string{"Instant", "None", "N/A"}, flaw.Violated, flaw.Violated, "never"},
		{"parts before and after the close leave some", func(b *book) {
			b.grants(0, 100).refunds(20, same, judge.Netted).refunds(20, later, judge.AtClose).signs(flaw.G1, 10, 10)
		}, flaw.Other, true, [3]string{"Stmt. close", "Stmt. close", "Not reached"}, flaw.Violated, flaw.Violated, "G1"},
		{"three in seven refunds take nothing, wherever they fall", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).refunds(15, same, judge.Never).refunds(15, later, judge.Never)
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "of 35 refunds"},
		{"clawbacks two cycles late", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.Late).refunds(20, later, judge.Late)
		}, flaw.Other, true, [3]string{"Instant", "Late", "Not reached"}, flaw.Satisfied, flaw.Violated, "later than one cycle"},
		{"clawbacks two cycles late, and next to nothing is redeemed meanwhile", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.Late).refunds(20, later, judge.Late).signs(flaw.G10, 3, 30)
		}, flaw.Robust, false, [3]string{"Instant", "Late", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"clawbacks two cycles late, and of what waits a few cents are redeemed", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.Late).refunds(20, later, judge.Late).signs(flaw.G10, 20, 30)
			for i := range 20 {
				(*b)[len(*b)-1].Signs[i].Amount = 1
			}
		}, flaw.Robust, false, [3]string{"Instant", "Late", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"partial refunds take nothing, and most refunds are partial", func(b *book) {
			b.grants(100, 0).refunds(10, same, judge.AtOnce).refunds(10, later, judge.AtOnce)
			b.partial(30, same, judge.Never).partial(30, later, judge.Never)
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "partial refunds take nothing"},
		{"clawbacks within days", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.WithinCycle).refunds(20, later, judge.WithinCycle)
			b.refunds(1, later, judge.WithinCycle)
			(*b)[len(*b)-1].Refunds[0].TakenAt += 9 * reward.Day // posted late
			b.refunds(1, later, judge.WithinCycle)
			(*b)[len(*b)-1].Refunds[0].TakenAt -= 2 * reward.Day
		}, flaw.Robust, false, [3]string{"Instant", "Within 3 days", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"cardholders short-paid: the class stays", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).signs(flaw.G11, 20, 20).signs(flaw.OverClawed, 20, 20)
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"refunds that name no purchase take nothing, among few", func(b *book) {
			b.grants(100, 0).refunds(2000, same, judge.AtOnce).refunds(2000, later, judge.AtOnce)
			b.cases(6, judge.RefundCase{Place: later, Outcome: judge.Never, Balance: 500})
		}, flaw.Robust, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "refunds that name no purchase take nothing (unlinked-ignored)"},
		{"lost disputes do not give back: cardholders pay", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).signs(flaw.G9, 20, 30)
			for i := range 18 {
				(*b)[len(*b)-1].Signs[i].Shorts = true
			}
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"refunds above the price take nothing: reward is kept, and no class of the paper's", func(b *book) {
			b.grants(100, 0).refunds(200, same, judge.AtOnce).refunds(200, later, judge.AtOnce).signs(flaw.G2, 30, 30)
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "One leak: a refund above"},
		{"clawbacks fall short whether the balance covers them or not: that is no floor", func(b *book) {
			b.grants(100, 0).refunds(60, same, judge.Partly).refunds(60, later, judge.Partly).signs(flaw.BonusKept, 120, 120)
			b.cases(30, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Partly})
		}, flaw.Other, true, [3]string{"Instant", "Immediate", "Indefinite"}, flaw.Violated, flaw.Violated, "the extra stays"},
		{"hardly any refund names its purchase, and those that do are odd", func(b *book) {
			b.grants(100, 0).refunds(6, same, judge.Never).refunds(6, later, judge.Never)
			b.cases(200, judge.RefundCase{Place: same, Outcome: judge.AtOnce, Balance: 500}).cases(200, judge.RefundCase{Place: later, Outcome: judge.AtOnce, Balance: 500})
		}, flaw.Robust, false, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Satisfied, flaw.Satisfied, "whichever cycle"},
		{"V3(a), where no refund names its purchase", func(b *book) {
			b.grants(100, 0).cases(50, judge.RefundCase{Place: same, Outcome: judge.AtOnce, Balance: 500}).cases(50, judge.RefundCase{Place: later, Outcome: judge.AtOnce, Balance: 500})
			b.cases(20, judge.RefundCase{Place: later, Outcome: judge.Never, Floored: true})
		}, flaw.V3a, true, [3]string{"Instant", "Immediate", "Floored"}, flaw.Violated, flaw.Violated, "floored or forgotten"},
		{"three odd rows of three make no class", func(b *book) {
			b.grants(100, 0).refunds(20, same, judge.AtOnce).refunds(20, later, judge.AtOnce).signs(flaw.G2, 3, 3)
		}, flaw.Robust, true, [3]string{"Instant", "Immediate", "Not reached"}, flaw.Violated, flaw.Violated, "One leak: a refund above"},
		{"no refund names its purchase", func(b *book) {
			b.grants(100, 0).cases(9, judge.RefundCase{Place: same, Outcome: judge.Netted, Balance: 500}).cases(9, judge.RefundCase{Place: later, Outcome: judge.Never, Balance: 500})
		}, flaw.V2, true, [3]string{"Instant", "None", "N/A"}, flaw.Violated, flaw.Violated, "in a later cycle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b book
			c.build(&b)
			v := b.report(t).Verdict
			if v.Class != c.class || v.Found != c.found {
				t.Errorf("class %q, found %t; want %q, %t", v.Class, v.Found, c.class, c.found)
			}
			if got := [3]string{v.RewardTiming, v.RefundAdjustment, v.NegativeBalance}; got != c.words {
				t.Errorf("behaviour %q, want %q", got, c.words)
			}
			if v.RewardIntegrity != c.ri || v.RefundRewardConsistency != c.rrc {
				t.Errorf("RI %s, RRC %s; want %s, %s", v.RewardIntegrity, v.RefundRewardConsistency, c.ri, c.rrc)
			}
			if v.Mapping != c.class.Mapping() {
				t.Errorf("mapping %+v is not the class's", v.Mapping)
			}
			if !strings.Contains(v.Summary, c.saying) {
				t.Errorf("summary %q does not say %q", v.Summary, c.saying)
			}
		})
	}
}

// Up to one row in twenty is odd: a late posting, a clawback by hand, a refund
// that was mapped to the wrong purchase. The verdict is the same.
func TestNoiseDoesNotChangeTheVerdict(t *testing.T) {
	for _, n := range []int{20, 100, 5000} {
		odd := n / 20
		for _, c := range []struct {
			class       flaw.Class
			same, later judge.Outcome
			noise       judge.Outcome
		}{
			{flaw.V1, judge.Never, judge.Never, judge.AtOnce},
			{flaw.V2, judge.Netted, judge.Never, judge.Late},
			{flaw.V2, judge.Never, judge.AtClose, judge.Netted},
			{flaw.Robust, judge.AtOnce, judge.AtOnce, judge.Never},
			{flaw.Robust, judge.Netted, judge.AtClose, judge.Late},
			{flaw.Robust, judge.AtOnce, judge.AtOnce, judge.Partly},
		} {
			var b book
			b.grants(int64(n), 0).refunds(n-odd, same, c.same).refunds(n-odd, later, c.later).refunds(odd, same, c.noise).refunds(odd, later, c.noise)
			for _, code := range []flaw.Code{flaw.G2, flaw.G4, flaw.LateClawback, flaw.UnlinkedIgnored, "V3(a)"} {
				b.signs(code, odd, n)
			}
			if v := b.report(t).Verdict; v.Class != c.class {
				t.Errorf("%d refunds, %d of them odd: class %q, want %q (%s)", n, odd, v.Class, c.class, v.Summary)
			}
		}
	}
}

// Where refunds are missing, the report says which, and what the others tell.
func TestTooFewRefundsToTell(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  func(*book)
		found  bool
		saying []string
	}{
		{"none", func(b *book) { b.grants(100, 0) }, false, []string{"0 with a reward at stake in the cycle of their purchase", "0 with a reward at stake in a later cycle"}},
		{"too few in both places", func(b *book) { b.refunds(4, same, judge.AtOnce).refunds(4, later, judge.AtOnce) }, false, []string{"4 with a reward at stake in the cycle", "4 with a reward at stake in a later cycle"}},
		{"those with nothing at stake and those that wait do not count", func(b *book) {
			b.refunds(50, same, judge.NothingAtStake).refunds(50, later, judge.TooEarly)
		}, false, []string{"0 with a reward at stake in the cycle", "0 with a reward at stake in a later cycle"}},
		{"only refunds in the cycle, which are netted", func(b *book) { b.refunds(30, same, judge.Netted) }, false, []string{"0 with a reward at stake in a later cycle", "in the cycle of their purchase take the reward back (30 of 30)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b book
			c.build(&b)
			v := b.report(t).Verdict
			if v.Class != "" || v.RewardIntegrity != "" || v.CWE != "" || v.Found != c.found {
				t.Errorf("got class %q, RI %q, %s, found %t; want none, and found %t", v.Class, v.RewardIntegrity, v.CWE, v.Found, c.found)
			}
			for _, saying := range append(c.saying, "Not enough refunds to tell") {
				if !strings.Contains(v.Summary, saying) {
					t.Errorf("summary %q does not say %q", v.Summary, saying)
				}
			}
		})
	}
}

func TestStandingOfFindings(t *testing.T) {
	for _, c := range []struct {
		shown, could int
		standing     audit.Standing
		confidence   int64
	}{
		{0, 0, audit.TooFew, 0},
		{0, 4, audit.TooFew, 0},
		{2, 4, audit.TooFew, 150},
		{3, 3, audit.Found, 438}, // all of few convince
		{0, 5, audit.NotFound, 565},
		{2, 5, audit.NotFound, 230},
		{5, 5, audit.Found, 565},
		{10, 20, audit.Found, 299},
		{30, 100, audit.Found, 218},
		{25, 100, audit.Occasional, 175},
		{5, 100, audit.Occasional, 21},
		{3, 100, audit.NotFound, 915},
		{0, 10_000, audit.NotFound, 999},
		{10_000, 10_000, audit.Found, 999},
	} {
		var b book
		b.signs(flaw.G2, c.shown, c.could)
		for _, f := range b.report(t).Findings {
			if f.Code != flaw.G2 {
				continue
			}
			if f.Standing != c.standing || f.Confidence != c.confidence || f.Shown != int64(c.shown) || f.Could != int64(c.could) || f.Amount != 500*int64(c.shown) {
				t.Errorf("%d of %d: %s at %d (%d of %d, %d), want %s at %d", c.shown, c.could, f.Standing, f.Confidence, f.Shown, f.Could, f.Amount, c.standing, c.confidence)
			}
			if len(f.Examples) != min(c.shown, 5) {
				t.Errorf("%d shown with %d examples", c.shown, len(f.Examples))
			}
		}
	}
}

// Refunds are counted as those that name their purchase or, where these are too few to
// speak for the others, all together.
func TestCountsOfRefunds(t *testing.T) {
	var b book
	b.refunds(9, same, judge.AtOnce).refunds(10, later, judge.AtOnce)
	for _, place := range []judge.Place{same, later} {
		b.cases(10, judge.RefundCase{Place: place, Outcome: judge.Never, Balance: 500})
	}
	v := b.report(t).Verdict
	if v.SameCycle != (audit.Handling{Stake: 95_00, Untaken: 50_00, AtOnce: 9, Never: 10}) || v.LaterCycle != (audit.Handling{Stake: 50_00, AtOnce: 10}) {
		t.Errorf("same cycle %+v, later cycle %+v", v.SameCycle, v.LaterCycle)
	}
}

// Of a flaw that can cost either, the half that is clearer tells: every dispute that
// was lost is lost for good, while chargebacks are taken as they should be.
func TestHalvesOfAFinding(t *testing.T) {
	for _, c := range []struct {
		missed, chargebacks, lost, disputes int
		want                                string
	}{
		{0, 40, 6, 6, "found 6 of 6"},
		{40, 40, 0, 6, "found 40 of 46"},
		{40, 40, 0, 200, "found 40 of 40"},
		{0, 40, 2, 3, "not enough to tell 2 of 43"},
		{0, 2, 1, 2, "not enough to tell 1 of 4"},
	} {
		var b book
		b.signs(flaw.G9, c.missed, c.chargebacks).signs(flaw.G9, c.lost, c.disputes)
		for i := range b[len(b)-1].Signs {
			b[len(b)-1].Signs[i].Shorts = true
		}
		for _, f := range b.report(t).Findings {
			if got := fmt.Sprintf("%s %d of %d", f.Standing, f.Shown, f.Could); f.Code == flaw.G9 && got != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	}
}

// The class is found, however few of all refunds fall where it shows.
func TestTheClassIsFound(t *testing.T) {
	var b book
	b.grants(0, 1000).refunds(900, same, judge.Netted).refunds(40, later, judge.Never).signs("V2", 40, 940)
	if f := b.report(t).Findings[0]; f.Code != "V2" || f.Standing != audit.Found {
		t.Errorf("the first finding is %s, %s; want V2, found", f.Code, f.Standing)
	}
}

// A program may be robust against all classes and still have a gap: it was found
// all the same. What only exposes reward, or shorts cardholders, is no such find.
func TestFindingsComeCostlyFirst(t *testing.T) {
	var b book
	b.grants(100, 0).refunds(4000, same, judge.AtOnce).refunds(4000, later, judge.AtOnce)
	b.signs(flaw.G3, 5, 5).signs(flaw.G2, 10, 10).signs(flaw.G9, 8, 100).signs(flaw.G13, 50, 50).signs(flaw.G12, 1, 200)
	lost := b.signs(flaw.G9, 1, 1)
	(*lost)[len(*lost)-1].Signs[0].Shorts = true
	b.account().Figures.Leakage = 24*500 + 77
	r := b.report(t)
	var order []string
	for _, f := range r.Findings {
		if f.Shown > 0 {
			order = append(order, string(f.Code)+" "+string(f.Standing))
		}
	}
	if got, want := strings.Join(order, ", "), "G13 found, G2 found, G3 found, G9 occasional, G12 not found"; got != want {
		t.Errorf("findings %s, want %s", got, want)
	}
	if r.Verdict.Class != flaw.Robust || !r.Verdict.Found || r.Verdict.Exit != 1 {
		t.Errorf("class %q, found %t; want robust, but something found", r.Verdict.Class, r.Verdict.Found)
	}
}

// Refunds that took nothing are a leak even where too few fall in the other place to say
// of which class.
func TestWhatLeaksIsFoundWhereNoClassCanBeTold(t *testing.T) {
	var b book
	b.refunds(2, same, judge.Netted).refunds(30, later, judge.Never)
	v := b.report(t).Verdict
	if v.Class != flaw.Other || !v.Found || !strings.Contains(v.Summary, "every one of 30 took nothing") {
		t.Errorf("class %q, found %t: %s", v.Class, v.Found, v.Summary)
	}
}

// What the untaken refunds have in common is found, with its counts.
func TestSeparation(t *testing.T) {
	set := func(c *judge.RefundCase) { c.Category = "GIFT" }
	for _, c := range []struct {
		name  string
		case_ func(c *judge.RefundCase)
		want  string
	}{
		{"age", func(c *judge.RefundCase) { c.PurchasedAt = c.RefundedAt - 90*reward.Day }, "90 days or more after their purchase (none of 41 to 89): 12 of 12, $60.00"},
		{"category", set, "of category GIFT: 12 of 12, $60.00"},
		{"code", func(c *judge.RefundCase) { c.MCC, _ = reward.ParseMCC("5947") }, "of merchant category code 5947: 12 of 12, $60.00"},
		{"number", func(c *judge.RefundCase) { c.Number = 7 }, "that are number 7 or later of their purchase (none of 1 to 6): 12 of 12, $60.00"},
		{"size", func(c *judge.RefundCase) { c.Amount, c.Bought = 3_00, 3_00 }, "of less than $100.00 (none of $3.01 to $99.99): 12 of 12, $60.00"},
		{"unlinked", func(c *judge.RefundCase) { c.Linked = false }, "that name no purchase: 12 of 12, $60.00"},
		{"above", func(c *judge.RefundCase) { c.Over = true }, "above what was left of their purchase: 12 of 12, $60.00"},
		{"tenure", func(c *judge.RefundCase) { c.Tenure = 400 }, "400 days or more after the account's first row (none of 1 to 399): 12 of 12, $60.00"},
	} {
		var b book
		b.grants(100, 0).refunds(40, same, judge.AtOnce).refunds(40, later, judge.AtOnce).refunds(12, later, judge.Never)
		for _, a := range b[len(b)-12:] {
			c.case_(&a.Refunds[0])
		}
		r := b.report(t)
		var got []string
		for _, rule := range r.Separation.Rules {
			got = append(got, fmt.Sprintf("%s: %d of %d, %s", rule.Words, rule.Untaken, rule.Refunds, program.FormatAmount(rule.Amount, "USD")))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if !r.Verdict.Found {
			t.Errorf("%s: nothing was found", c.name)
		}
	}
}

// A class that bonuses show is found by them, and by the money that they leave: none of the
// refunds, each by itself, took too little.
func TestTheClassIsFoundByBonuses(t *testing.T) {
	var b book
	b.grants(200, 0).refunds(100, same, judge.AtOnce).refunds(100, later, judge.AtOnce)
	for range 6 {
		a := b.account()
		a.Figures = judge.Figures{Granted: 100_00, NetReward: 100_00, Leakage: 50_00, LeakageNamed: 50_00}
		a.Fit = judge.Fit{AtStake: 100_00, Left: 50_00}
		a.Bonuses = judge.Bonuses{AfterRefunds: 1, NoLongerOwed: 1}
	}
	r := b.report(t)
	f := r.Findings[0]
	if r.Verdict.Class != flaw.V2 || f.Code != "V2" || f.Standing != audit.Found || f.Shown != 6 || f.Could != 6 || f.Amount != 300_00 {
		t.Errorf("class %q; the first finding is %s, %s, %d of %d, %d", r.Verdict.Class, f.Code, f.Standing, f.Shown, f.Could, f.Amount)
	}
	if want := "none of 6 took some of it back"; !strings.Contains(r.Verdict.Summary, want) {
		t.Errorf("%q does not say %q", r.Verdict.Summary, want)
	}
}

// Where rows do not tell what they are for, the class is what the accounts' sums show, if that
// leaves at most a fifth of what leaks. Balances that refunds find empty say nothing of debts then:
// what was paid out before they came has emptied them.
func TestTheClassIsFoundBySums(t *testing.T) {
	for _, c := range []struct {
		left  int64
		empty bool
		want  flaw.Class
	}{{10_00, false, flaw.V2}, {11_00, false, flaw.Other}, {10_00, true, flaw.V2}, {11_00, true, flaw.V3a}} {
		var b book
		if c.empty {
			b.grants(100, 0).refunds(60, same, judge.AtOnce).refunds(60, later, judge.AtOnce)
			b.cases(20, judge.RefundCase{Linked: true, Place: later, Outcome: judge.Never, Floored: true})
		}
		for range 6 {
			a := b.account()
			a.Figures = judge.Figures{Granted: 100_00, NetReward: 100_00, Leakage: 50_00, LeakageNamed: 50_00, Unearned: 50_00, UnearnedRows: 3}
			a.Fit = judge.Fit{AtStake: 100_00}
			if c.empty { // some is left in other rows
				a.Figures.Leakage, a.Figures.LeakageNamed, a.Fit.Left = 70_00, 70_00, 20_00
			}
			a.Neglects = judge.Neglects{Accounts: 1, Of: 50_00}
			for way := range a.Neglects.Left {
				a.Neglects.Left[way], a.Neglects.Refunds[way] = 50_00, 4
			}
			a.Neglects.Left[judge.NeglectAfterNext] = c.left
		}
		r := b.report(t)
		if r.Verdict.Class != c.want || r.Verdict.Exit != 1 {
			t.Errorf("left %d, empty %t: class %q, exit %d: %s", c.left, c.empty, r.Verdict.Class, r.Verdict.Exit, r.Verdict.Summary)
		}
		if f := r.Findings[0]; !c.empty && c.want == flaw.V2 && (f.Code != "V2" || f.Shown != 24 || f.Could != 24 || f.Amount != 240_00 || r.LeakageByTerms != 0) {
			t.Errorf("%s: %d of %d, %d; by terms %d", f.Code, f.Shown, f.Could, f.Amount, r.LeakageByTerms)
		}
	}
}
