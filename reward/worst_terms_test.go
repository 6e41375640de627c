package reward_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/reward"
)

// BenchmarkClaimsOfTerms is one event, a small settlement or its linked refund, of
// accounts with unlinked refunds that look for spend under terms that are not plain:
// all of it has to be placed anew.
func BenchmarkClaimsOfTerms(b *testing.B) {
	for _, purchases := range []int{100, 1000} {
		for _, claims := range []int{1, 10, 32} {
			for name, program := range map[string]*reward.Program{"plain rates": layeredPrograms()[0], "caps and a bonus": layeredPrograms()[1], "everything": layeredPrograms()[2]} {
				b.Run(fmt.Sprintf("%s/purchases=%d/claims=%d", name, purchases, claims), func(b *testing.B) {
					card := newAbuse(program)
					card.spread(purchases, claims)
					began, i := processorTime(), 0
					for ; b.Loop(); i++ {
						card.disturb(i)
					}
					b.ReportMetric(float64((processorTime()-began).Microseconds())/float64(i), "cpu-µs/event")
				})
			}
		}
	}
}

// spread has purchases of a year, and unlinked refunds of some of what was bought.
func (a *abuse) spread(purchases, claims int) {
	start := a.now
	for i := range purchases {
		a.now = start.Add(time.Duration(i) * 365 * 24 * time.Hour / time.Duration(purchases))
		a.tell(reward.Event{
			Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Amount: int64(1000 + i*37%977),
			Merchant: fmt.Sprint("m", i%20), Category: fmt.Sprint("C", i%4),
		})
	}
	a.refund(claims, func(i int) (int64, string, string) {
		return int64(700 + i*211), []string{fmt.Sprint("m", i%20), ""}[i%2], []string{"", fmt.Sprint("C", i%4)}[i/2%2]
	})
}

// layeredPrograms are without limits, with what cards have, and with everything.
func layeredPrograms() []*reward.Program {
	percent := reward.Rate(1_000_000)
	match := func(category string) reward.Match { return reward.Match{Categories: []string{category}} }
	program := func(bonuses []reward.Bonus, rules ...reward.Rule) *reward.Program {
		rules = append(rules, reward.Rule{ID: "base", Rate: percent, Cap: reward.NoCap})
		return &reward.Program{
			ID: "p", Currency: "USD", Method: reward.Rerate, Layers: []reward.Layer{{ID: "base", Rules: rules}}, Bonuses: bonuses,
			Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		}
	}
	capped := reward.Rule{ID: "five", Match: match("C0"), Rate: 5 * percent, Cap: 2_000, Earning: reward.Earning{Per: reward.PerQuarter}}
	welcome := reward.Bonus{ID: "welcome", Earning: reward.Earning{Per: reward.PerLifetime}, Spend: []reward.Goal{{From: 50_000, Reward: 20_000}}}
	return []*reward.Program{
		program(nil, reward.Rule{ID: "two", Match: match("C0"), Rate: 2 * percent, Cap: reward.NoCap}),
		program([]reward.Bonus{welcome}, capped),
		program([]reward.Bonus{welcome, {ID: "stamps", Earning: reward.Earning{Per: reward.PerMonth}, Purchases: []reward.Goal{{From: 5, Reward: 400}}}},
			capped,
			reward.Rule{ID: "first", Match: match("C1"), Rate: 4 * percent, Cap: reward.NoCap, Earning: reward.Earning{Per: reward.PerMonth, Places: 3}},
			reward.Rule{ID: "steps", Match: match("C2"), Cap: reward.NoCap, Earning: reward.Earning{Per: reward.PerYear, Steps: []reward.Step{{Rate: percent}, {From: 100_000, Rate: 3 * percent}}}},
		),
	}
}
