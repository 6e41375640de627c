package reward_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/program"
	"recoup/reward"
)

// TestTermsAreExplained plays one account under all elements of terms, and reads what the
// cardholder would be told.
func TestTermsAreExplained(t *testing.T) {
	for _, c := range []struct {
		name, terms string
		buys        []string // id, amount and, if it is sent, what of it comes back
		want        []string
	}{
		{"a bonus for the first days", `rules: [], bonuses: [{id: welcome, per: lifetime, match: {within: {days: 90, of: opened}}, spend: [{from: 50000, reward: 20000}]}]`,
			[]string{"t1 30000", "t2 20300 1300"}, []string{
				"grant: Your spend in your first 90 days is now $503.00, and the $200.00 bonus needs $500.00. $200.00 is granted.",
				"clawback: You returned $13.00 of your purchase at HEADPHONES-SHOP; your spend in your first 90 days is now $490.00, and the $200.00 bonus needs $500.00. $200.00 is taken back.",
			}},
		{"a bonus for a level in the first days", `rules: [], tiers: [{id: status, per: year, spend: [{from: 10000, tier: silver}], keeps: this}], bonuses: [{id: welcome, per: lifetime, match: {within: {days: 90, of: opened}, tier: {status: [silver]}}, spend: [{from: 20000, reward: 500}]}]`,
			[]string{"t1 10000", "t2 20000"}, []string{
				"grant: Your spend that counts in your first 90 days is now $200.00, and the $5.00 bonus needs $200.00. $5.00 is granted.",
			}},
		{"stamps", `rules: [], bonuses: [{id: cup, per: month, minimum: 300, purchases: [{from: 1, reward: 100}, {from: 2, reward: 400}]}]`,
			[]string{"t1 500", "t2 500 250"}, []string{
				"grant: You have made 1 purchase that counts in January 2026, and the $1.00 bonus needs 1 purchase. $1.00 is granted.",
				"grant: You have made 2 purchases that count in January 2026, and the $4.00 bonus needs 2 purchases. $3.00 is granted.",
				"clawback: You returned $2.50 of your purchase at HEADPHONES-SHOP; you have made 1 purchase that counts in January 2026, the $4.00 bonus needs 2 purchases, and the $1.00 bonus needs 1 purchase. $3.00 is taken back.",
			}},
		{"again and again", `rules: [], bonuses: [{id: more, per: year, every: {spend: 10000, reward: 500, at_most: 3}}]`,
			[]string{"t1 25000 5001"}, []string{
				"grant: Your spend in 2026 is now $250.00, and a bonus of $5.00 comes for every $100.00, at most 3 times: bonus more is $10.00 now, and was $0.00. $10.00 is granted.",
				"clawback: You returned $50.01 of your purchase at HEADPHONES-SHOP; your spend in 2026 is now $199.99, and a bonus of $5.00 comes for every $100.00, at most 3 times: bonus more is $5.00 now, and was $10.00. $5.00 is taken back.",
			}},
		{"a stamp card again and again", `rules: [], bonuses: [{id: card, per: lifetime, every: {purchases: 2, reward: 500}}]`,
			[]string{"t1 100", "t2 100 100"}, []string{
				"grant: You have made 2 purchases so far, and a bonus of $5.00 comes for every 2 of them: bonus card is $5.00 now, and was $0.00. $5.00 is granted.",
				"clawback: You returned $1.00 of your purchase at HEADPHONES-SHOP; you have made 1 purchase so far, and a bonus of $5.00 comes for every 2 of them: bonus card is $0.00 now, and was $5.00. $5.00 is taken back.",
			}},
		{"points in whole dollars", `reward: {unit: PTS, decimals: 0}, rules: [{id: all, rate: 3 per 100, unit: 100}]`,
			[]string{"t1 1050 60"}, []string{
				"grant: Reward for purchase t1 under rule all: PTS 3 for each $1.00 of $10.00 (of the $10.50, in whole units of $1.00) is PTS 30, rounded down.",
				"clawback: $0.60 of purchase t1 came back: PTS 3 for each $1.00 of $9.00 (of the $9.90 kept, in whole units of $1.00) is PTS 27, rounded down. PTS 3 is taken back.",
			}},
		{"a minimum and the most of one purchase", `rules: [{id: all, rate: 10%, minimum: 1000, at_most: 150}]`,
			[]string{"t1 2000 1001"}, []string{
				"grant: Reward for purchase t1 under rule all: 10% of the $20.00 is $2.00, rounded down, and one purchase earns $1.50 at most.",
				"clawback: $10.01 of purchase t1 came back: the $9.99 kept is below the minimum of $10.00, so it earns nothing. $1.50 is taken back.",
			}},
		{"a cap of a quarter", `rules: [{id: all, rate: 5%, cap: {reward: 700, per: quarter}}]`,
			[]string{"t1 10000", "t2 10000"}, []string{
				"grant: Reward for purchase t1 under rule all: 5% of the $100.00 is $5.00, rounded down.",
				"grant: Reward for purchase t2 under rule all: 5% of the $100.00 is $5.00, rounded down, of which the cap in quarter 1 of 2026 of $7.00 leaves $2.00.",
			}},
		{"steps", `rules: [{id: all, per: year, steps: [{rate: 1%}, {from: 10000, rate: 3%}]}]`,
			[]string{"t1 15000 5000"}, []string{
				"grant: Reward for purchase t1 under rule all: the spend that counts is now $150.00 in 1 purchase in 2026, and by the rate of each step of it the $150.00 earns $2.50, rounded down.",
				"clawback: $50.00 of purchase t1 came back: the spend that counts is now $100.00 in 1 purchase in 2026, and by the rate of each step of it the $100.00 kept earns $1.00, rounded down. $1.50 is taken back.",
			}},
		{"one rate for all", `rules: [{id: all, per: year, whole: true, steps: [{rate: 1%}, {from: 10000, rate: 3%}]}]`,
			[]string{"t1 6000", "t2 6000"}, []string{
				"grant: Reward for purchase t1 under rule all: the spend that counts is now $60.00 in 1 purchase in 2026, and 1% of the $60.00 is $0.60, rounded down.",
				"grant: Reward for purchase t2 under rule all: the spend that counts is now $120.00 in 2 purchases in 2026, and 3% of the $60.00 is $1.80, rounded down.",
				"reallocation: Rule all: the spend that counts is now $120.00 in 2 purchases in 2026, so all of it earns 3%. For all other purchases that is $1.20 more.",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := program.Parse("terms", []byte("{id: terms, currency: USD, clawback_method: rerate, "+c.terms+"}"))
			if err != nil {
				t.Fatal(err)
			}
			account := reward.NewAccount("a", p)
			told := program.Telling(p)
			now := reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))
			var got []string
			apply := func(e reward.Event) {
				now += reward.Day
				e.Source, e.ID, e.Account, e.Time, e.Currency, e.HasAmount = "core", now.String(), "a", now, "USD", e.Amount != 0
				_, journal := account.Apply(&e, nil)
				told.Cause = &e
				for i := range journal {
					got = append(got, journal[i].Kind.String()+": "+journal[i].Explain(told))
				}
			}
			told.Merchant = func(string) string { return "HEADPHONES-SHOP" }
			apply(reward.Event{Type: reward.AccountOpened})
			for _, buy := range c.buys {
				var id string
				var amount, back int64
				n, _ := fmt.Sscan(buy, &id, &amount, &back)
				apply(reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: amount, Merchant: "HEADPHONES-SHOP"})
				if n == 3 {
					apply(reward.Event{Type: reward.RefundPosted, Transaction: id, Fact: "r" + id, Amount: back})
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("it says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
