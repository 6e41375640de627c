package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake"
	"recoup/internal/intake/history"
	"recoup/internal/kit/tabular"
	"recoup/program"
	"recoup/reward"
)

// asJSON is a report as it is written for programs.
func asJSON(t interface{ Fatal(...any) }, r *audit.Report) string {
	var b bytes.Buffer
	if err := tabular.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// anyAccount draws an account with something in every member. Amounts are few, so
// that what is ranked has ties.
func anyAccount(t *rapid.T, id string) *judge.Account {
	amount := rapid.SampledFrom([]int64{0, 1, 500, 500, 5000})
	days := rapid.IntRange(0, 400)
	instant := func(label string) reward.Instant { return day(days.Draw(t, label)) }
	a := &judge.Account{ID: id, GrantsAtOnce: amount.Draw(t, "grants"), GrantsAtClose: 1, GrantsOther: 2, DebtsForgotten: amount.Draw(t, "forgotten"), DebtsKept: amount.Draw(t, "kept")}
	a.Figures = judge.Figures{
		Purchases: 1, Refunds: 1, Spend: 1 + amount.Draw(t, "spend"), Refunded: amount.Draw(t, "refunded"), NetSpend: 1, Granted: 2, TakenBack: 3,
		Adjustments: -amount.Draw(t, "adjustments"), Redeemed: 4, Balance: 5, NetReward: 6, Entitlement: 7, NotDue: 8,
		Leakage: amount.Draw(t, "leakage"), ShortPaid: amount.Draw(t, "short"), Debt: amount.Draw(t, "debt"), RedeemedOpen: 9, FloatDays: 10,
	}
	a.Simulation = judge.Simulation{Granted: 1, TakenBack: 2, NetReward: 3, Held: 4, HeldMost: 5, Refused: 6, RefusedAmount: amount.Draw(t, "refused")}
	for range rapid.IntRange(0, 4).Draw(t, "refunds") {
		a.Refunds = append(a.Refunds, judge.RefundCase{
			Chargeback: rapid.Bool().Draw(t, "chargeback"), Linked: rapid.Bool().Draw(t, "linked"), Purchase: rapid.SampledFrom([]string{"", "t"}).Draw(t, "purchase"),
			PurchasedAt: instant("purchased"), RefundedAt: instant("refunded"), TakenAt: instant("taken"), Amount: amount.Draw(t, "amount"),
			Place: judge.Place(rapid.IntRange(0, 2).Draw(t, "place")), Balance: amount.Draw(t, "balance"), Granted: amount.Draw(t, "granted"),
			Expected: amount.Draw(t, "expected"), Unrecovered: amount.Draw(t, "unrecovered"),
			Outcome: judge.Outcome(rapid.IntRange(0, int(judge.Never)).Draw(t, "outcome")),
		})
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "signs") {
		s := judge.Sign{Flaw: rapid.SampledFrom([]flaw.Code{"V1", "V3(a)", flaw.G2, flaw.Compounding}).Draw(t, "flaw"), At: instant("at"), Shown: rapid.Bool().Draw(t, "shown")}
		s.Shorts = s.Shown && rapid.Bool().Draw(t, "shorts")
		if s.Shown {
			s.Amount = amount.Draw(t, "cost")
			s.Example = &judge.Example{Account: id, Purchase: fmt.Sprint("t", i%2), Amount: s.Amount, Found: fmt.Sprint(i), Steps: []judge.Step{{At: s.At, What: "refund"}}}
		}
		a.Signs = append(a.Signs, s)
	}
	for range rapid.IntRange(0, 3).Draw(t, "waits") {
		a.Waits = append(a.Waits, judge.Wait{Days: days.Draw(t, "waited"), Amount: amount.Draw(t, "redeemed")})
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "months") {
		a.Months = append(a.Months, judge.Month{
			Cycle: reward.CycleAt(day(0)) + reward.Cycle(i), Spend: amount.Draw(t, "month"), Leakage: -amount.Draw(t, "change"),
			Refunded: 1, Granted: amount.Draw(t, "granted in it"), TakenBack: 2, Redeemed: 3,
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "rounds") {
		bought := days.Draw(t, "bought")
		a.Rounds = append(a.Rounds, judge.Round{
			Purchase: "t", BoughtAt: day(bought), RedeemedAt: day(bought + 2), ReturnedAt: day(bought + days.Draw(t, "kept it")),
			Reward: amount.Draw(t, "reward"), Kept: amount.Draw(t, "kept"),
		})
	}
	return a
}

// In whatever order accounts come, and however they are dealt out, the report is
// the same to the byte: on one machine or on several, by way of files or not.
func TestTalliesOfPartsAddUpToTheTallyOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var accounts []*judge.Account
		for i := range rapid.IntRange(1, 60).Draw(t, "accounts") {
			accounts = append(accounts, anyAccount(t, fmt.Sprintf("a%02d", i)))
		}
		rows := &history.History{Rows: []history.Row{{Kind: history.Purchase, ID: "t", Amount: 1, At: day(1)}}}
		whole := audit.NewTally(program.Everyday())
		for _, a := range accounts {
			whole.Add(a, rows)
		}
		want := asJSON(t, whole.Report())

		of := rapid.IntRange(1, 5).Draw(t, "shards")
		workers := make([]*audit.Tally, 2*of)
		for i := range workers {
			workers[i] = audit.NewTally(program.Everyday())
		}
		for _, a := range rapid.Permutation(accounts).Draw(t, "order") {
			workers[rapid.IntRange(0, len(workers)-1).Draw(t, "worker")].Add(a, rows)
		}
		parts := make([]*audit.Part, of)
		for i := range parts {
			if err := workers[2*i].Merge(workers[2*i+1]); err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := audit.PartOf(workers[2*i], i+1, of).Write(&file); err != nil {
				t.Fatal(err)
			}
			var err error
			if parts[i], err = audit.ReadPart("part", &file); err != nil {
				t.Fatal(err)
			}
		}
		merged, err := audit.Merge(rapid.Permutation(parts).Draw(t, "order of parts")...)
		if err != nil {
			t.Fatal(err)
		}
		merged.Input, merged.From, merged.To, merged.LeakagePerYear = intake.Input{}, time.Time{}, time.Time{}, 0 // which tallies do not know
		if got := asJSON(t, merged); got != want {
			t.Fatalf("merged:\n%s\nwhole:\n%s", got, want)
		}
	})
}

// Nothing of an account is kept that is used again for the next.
func TestTallyKeepsNothingOfTheAccount(t *testing.T) {
	tally, want := audit.NewTally(program.Everyday()), audit.NewTally(program.Everyday())
	a := func() *judge.Account {
		return &judge.Account{
			ID: "a1", Figures: judge.Figures{Leakage: 500},
			Rounds: []judge.Round{{Purchase: "t1", Kept: 300}, {Purchase: "t2", Kept: 200}},
			Signs:  []judge.Sign{{Flaw: flaw.G2, Shown: true, Amount: 5, Example: &judge.Example{Account: "a1", Steps: []judge.Step{{What: "refund"}}}}},
		}
	}
	rows := func() *history.History {
		return &history.History{Account: "a1", Rows: []history.Row{{Kind: history.Purchase, ID: "t1", Amount: 100, At: day(0)}}}
	}
	used, usedRows := a(), rows()
	tally.Add(used, usedRows)
	want.Add(a(), rows())
	used.Rounds[0], used.Signs[0].Example.Steps[0] = judge.Round{}, judge.Step{}
	usedRows.Rows[0] = history.Row{}
	if got, want := asJSON(t, tally.Report()), asJSON(t, want.Report()); got != want {
		t.Errorf("after the account's memory was used again:\n%s\nwant:\n%s", got, want)
	}
}

func TestFiguresAddUp(t *testing.T) {
	var b book
	first, second, none := b.account(), b.account(), b.account()
	first.Figures = judge.Figures{Spend: 100, Leakage: 5, Debt: 2, FloatDays: 7}
	second.Figures = judge.Figures{Spend: 50, ShortPaid: 3, FloatDays: 1}
	none.Figures = judge.Figures{Spend: 1}
	first.Simulation.HeldMost, second.Simulation.HeldMost = 4, 5
	january := reward.CycleAt(day(0))
	first.Months = []judge.Month{{Cycle: january, Spend: 100, Leakage: 5}, {Cycle: january + 1, Leakage: -2}}
	second.Months = []judge.Month{{Cycle: january, Spend: 50, TakenBack: 3}}
	second.Signs = []judge.Sign{{Flaw: flaw.G2, At: day(1), Shown: true, Amount: 4}, {Flaw: flaw.G2, At: day(40), Shown: true, Amount: 3}, {Flaw: flaw.G2, At: day(1)}}
	r := b.report(t)
	if want := (audit.Accounts{All: 3, Above: 1, Below: 1, ShortBeyond: 1, InDebt: 1}); r.Accounts != want {
		t.Errorf("accounts %+v, want %+v", r.Accounts, want)
	}
	if want := (judge.Figures{Spend: 151, Leakage: 5, ShortPaid: 3, Debt: 2, FloatDays: 8}); r.Figures != want {
		t.Errorf("figures %+v, want %+v", r.Figures, want)
	}
	if r.Simulation.HeldMost != 9 {
		t.Errorf("held at most %d, want 9", r.Simulation.HeldMost)
	}
	var months []string
	for _, m := range r.Months {
		months = append(months, fmt.Sprintf("%s spend %d taken %d leakage %d", m.Month, m.Spend, m.TakenBack, m.Leakage))
	}
	if want := []string{"2026-01 spend 150 taken 3 leakage 5", "2026-02 spend 0 taken 0 leakage -2"}; !slices.Equal(months, want) {
		t.Errorf("months %q, want %q", months, want)
	}
}

// The largest examples are kept, and of equal ones those that come first by
// account and purchase.
func TestExamplesAreTheLargest(t *testing.T) {
	var b book
	for i, amount := range []int64{5, 9, 5, 7, 5, 5, 8} {
		a := b.account()
		a.ID = fmt.Sprint("a", 9-i)
		a.Signs = []judge.Sign{{Flaw: flaw.G2, Shown: true, Amount: amount, Example: &judge.Example{Account: a.ID, Amount: amount}}}
	}
	for _, f := range b.report(t).Findings {
		if f.Code != flaw.G2 {
			continue
		}
		var got []string
		for _, e := range f.Examples {
			got = append(got, fmt.Sprint(e.Account, ":", e.Amount))
		}
		if want := "a8:9 a3:8 a6:7 a4:5 a5:5"; strings.Join(got, " ") != want {
			t.Errorf("examples %v, want %s", got, want)
		}
	}
}

func TestTalliesOfDifferentProgramsDoNotAddUp(t *testing.T) {
	other := *program.Everyday()
	other.ID = "other"
	if err := audit.NewTally(program.Everyday()).Merge(audit.NewTally(&other)); err == nil {
		t.Error("merged")
	}
}

func TestSumsPast64BitsAreRefused(t *testing.T) {
	tally := audit.NewTally(program.Everyday())
	for range 2 {
		tally.Add(&judge.Account{Figures: judge.Figures{Spend: 1<<63 - 1}}, nil)
	}
	if _, err := audit.Merge(audit.PartOf(tally, 1, 1)); err == nil || !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("got %v, want an error about 64 bits", err)
	}
}
