package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/intake/history"
	"recoup/program"
)

// round is one course of the attack that began in that month of the year.
func round(month int, earned, kept int64) judge.Round {
	bought := 30 * month
	return judge.Round{Purchase: "t", BoughtAt: day(bought), RedeemedAt: day(bought + 5), ReturnedAt: day(bought + 8), Reward: earned, Kept: kept}
}

func TestWhoIsSuspected(t *testing.T) {
	for _, c := range []struct {
		name      string
		account   judge.Account
		suspected bool
	}{
		{"two rounds", judge.Account{Rounds: []judge.Round{round(0, 500, 500), round(1, 500, 500)}}, true},
		{"one round", judge.Account{Rounds: []judge.Round{round(0, 500, 500)}}, false},
		{"one round up to the cap of $50", judge.Account{Rounds: []judge.Round{round(0, 5000, 4500)}}, true},
		{"many rounds, all taken back", judge.Account{Rounds: []judge.Round{round(0, 5000, 0), round(1, 5000, 0), round(2, 5000, 0)}}, false},
		{"returns nearly everything, but redeems nothing first", judge.Account{Figures: judge.Figures{Spend: 1000_00, Refunded: 990_00, Refunds: 40}}, false},
	} {
		var b book
		a := b.account()
		c.account.ID = a.ID
		*a = c.account
		if r := b.report(t); (r.Accounts.Suspected == 1) != c.suspected || len(r.Suspects) != int(r.Accounts.Suspected) {
			t.Errorf("%s: suspected %d, listed %d; want %t", c.name, r.Accounts.Suspected, len(r.Suspects), c.suspected)
		}
	}
}

func TestSuspectsAreRankedByEvidenceInWords(t *testing.T) {
	var b book
	clear, twice, rich := b.account(), b.account(), b.account()
	twice.Rounds = []judge.Round{round(0, 500, 500), round(3, 500, 400)}
	rich.Rounds = []judge.Round{round(0, 700, 700), round(3, 500, 500)}
	clear.Figures = judge.Figures{Spend: 3000_00, Refunded: 2700_00, Leakage: 120_00, Entitlement: 15_00}
	for month := range 7 {
		clear.Rounds = append(clear.Rounds, round(month, 5000, int64(100+month)))
	}
	r := b.report(t)
	var order []string
	for _, s := range r.Suspects {
		order = append(order, s.Account)
	}
	if want := []string{clear.ID, rich.ID, twice.ID}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	first := r.Suspects[0]
	if want := []string{
		"In 7 rounds the purchase was returned after its reward had been redeemed, and $7.21 of reward was kept.",
		"In 7 of them the return came within 3 days of the redemption.",
		"Rounds began in 7 consecutive cycles.",
		"In 7 rounds the reward was near the cap of $50.00.",
		"It returned 90.0 % of what it bought: $2,700.00 of $3,000.00.",
		"It has $120.00 of net reward above its entitlement of $15.00.",
	}; !slices.Equal(first.Evidence, want) {
		t.Errorf("evidence\n%s\nwant\n%s", strings.Join(first.Evidence, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{
		"In 2 rounds the purchase was returned after its reward had been redeemed, and $12.00 of reward was kept.",
		"In 2 of them the return came within 3 days of the redemption.",
	}; !slices.Equal(r.Suspects[1].Evidence, want) {
		t.Errorf("evidence\n%s\nwant\n%s", strings.Join(r.Suspects[1].Evidence, "\n"), strings.Join(want, "\n"))
	}
	if len(first.Rounds) != 5 || first.RoundsInAll != 7 || first.Rounds[0].Kept != 106 || first.KeptInRounds != 7_21 {
		t.Errorf("%d of %d rounds, the largest %+v; want 5 of 7 and 106", len(first.Rounds), first.RoundsInAll, first.Rounds[0])
	}
	if len(r.Worst) != 1 || r.Worst[0].Account != clear.ID {
		t.Errorf("worst accounts %+v, want the one with leakage", r.Worst)
	}
}

// The lists are short however many accounts there are; the count is of all.
func TestListsAreShort(t *testing.T) {
	var b book
	for range 100 {
		a := b.account()
		a.Rounds = []judge.Round{round(0, 500, 500), round(1, 500, 500)}
		a.Figures.Leakage = 1000
	}
	if r := b.report(t); r.Accounts.Suspected != 100 || len(r.Suspects) != 20 || len(r.Worst) != 20 {
		t.Errorf("%d suspected, %d and %d listed; want 100, 20 and 20", r.Accounts.Suspected, len(r.Suspects), len(r.Worst))
	}
}

func TestTimelineTellsTheHistory(t *testing.T) {
	rows := []history.Row{
		{Kind: history.Purchase, ID: "t1", Amount: 10000, At: day(0)},
		{Kind: history.Reward, Transaction: "t1", Amount: 500, At: day(0)},
		{Kind: history.Redemption, Amount: 500, At: day(1)},
		{Kind: history.Refund, ID: "r1", Transaction: "t1", Amount: 6000, At: day(2)},
		{Kind: history.RefundReversed, ID: "r1", Amount: 6000, At: day(3)},
		{Kind: history.Chargeback, ID: "c1", Transaction: "t1", Amount: 10000, At: day(4)},
		{Kind: history.ChargebackReversed, ID: "c1", Amount: 10000, At: day(5)},
		{Kind: history.Refund, ID: "r2", Amount: 1000, At: day(6)},
		{Kind: history.Reward, Amount: -50, At: day(7)},
		{Kind: history.Adjustment, Amount: 20, At: day(8)},
		{Kind: history.Redemption, Amount: -500, At: day(9)},
	}
	if got, want := timelineOf(t, rows), []string{
		"purchase t1 10000", "reward granted of t1 500", "redeemed 500", "refund r1 of t1 6000", "refund r1 reversed 6000", "chargeback c1 of t1 10000",
		"chargeback c1 reversed 10000", "refund r2 1000", "reward taken back -50", "adjustment 20", "redemption put back -500",
	}; !slices.Equal(got, want) {
		t.Errorf("timeline\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// Of a long history, what was kept is left out.
	for i := range 100 {
		rows = append(rows, history.Row{Kind: history.Purchase, ID: fmt.Sprint("k", i), Amount: 1, At: day(10 + i)})
	}
	got := timelineOf(t, rows)
	if len(got) != 12 || got[11] != "and 100 more rows that are not shown 0" || got[5] != "chargeback c1 of t1 10000" {
		t.Errorf("timeline\n%s\nwant 11 rows and how many more there are", strings.Join(got, "\n"))
	}

	// And of a long one with nothing to leave out, the end is.
	for i := range 100 {
		rows = append(rows, history.Row{Kind: history.Redemption, Amount: 1, At: day(200 + i)})
	}
	got = timelineOf(t, rows)
	if len(got) != 60 || got[59] != "and 152 more rows that are not shown 0" {
		t.Errorf("timeline of %d ends with %q, want 60 with 152 rows left out", len(got), got[len(got)-1])
	}
}

func timelineOf(t *testing.T, rows []history.Row) (list []string) {
	tally := audit.NewTally(program.Everyday())
	tally.Add(&judge.Account{
		ID: "a", Figures: judge.Figures{Leakage: 1}, Refunds: []judge.RefundCase{{Purchase: "t1"}},
	}, &history.History{Account: "a", Rows: rows})
	for _, s := range tally.Report().Worst[0].Timeline {
		list = append(list, fmt.Sprint(s.What, " ", s.Amount))
	}
	return list
}
