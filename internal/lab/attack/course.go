package attack

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/scenario"
	"recoup/reward"
)

// scenario is a strategy as a scenario, from the day on which the account opens until all has
// posted: each answer to a redemption is expected, and what is left in the end.
func (g *game) scenario(s *Strategy) *scenario.Scenario {
	c := &scenario.Scenario{
		Name: "counterexample", Title: "A counterexample under " + g.program.ID, Shows: []string{string(flaw.G13)}, Program: g.program,
		About: "Found by recoup program check --prove: the cash that nothing backs is what was\nredeemed, less what the terms promise on what is kept.",
	}
	opened := g.calendar[0].at
	for _, name := range slices.Sorted(maps.Keys(g.known)) {
		set := scenario.Move{Kind: scenario.SetAttribute, ID: "of-" + name, Labels: reward.MakeLabels(map[string]string{name: g.known[name]}), Happened: opened}
		c.Steps = append(c.Steps, scenario.Step{At: opened, Move: set})
	}
	if len(c.Steps) == 0 {
		c.Steps = append(c.Steps, scenario.Step{At: opened, Move: scenario.Move{Kind: scenario.Wait}})
	}
	var posting []scenario.Step
	made := purchased{}
	for i, m := range s.Moves {
		// What is due on a day posts before what the customer does on it.
		posting = appendDue(&c.Steps, posting, m.At)
		for _, step := range g.steps(m, i+1, made) {
			if step.At.After(m.At) {
				posting = append(posting, step)
			} else {
				c.Steps = append(c.Steps, step)
			}
		}
	}
	until := g.calendar[len(g.calendar)-1].until
	end := until[len(until)-1].at
	appendDue(&c.Steps, posting, end)
	last := scenario.Step{At: end, Move: scenario.Move{Kind: scenario.Wait}}
	for what, amount := range map[scenario.Quantity]int64{scenario.Balance: s.balance, scenario.Redeemed: s.redeemed} {
		last.Expect = append(last.Expect, scenario.Expectation{Design: scenario.Recoup, Quantity: what, Amount: amount})
	}
	slices.SortFunc(last.Expect, func(x, y scenario.Expectation) int { return int(x.Quantity) - int(y.Quantity) })
	c.Steps = append(c.Steps, last)
	return c
}

// appendDue appends those steps that are due by a day, and returns the others.
func appendDue(to *[]scenario.Step, posting []scenario.Step, by time.Time) (later []scenario.Step) {
	slices.SortStableFunc(posting, func(x, y scenario.Step) int { return x.At.Compare(y.At) })
	for _, step := range posting {
		if step.At.After(by) {
			later = append(later, step)
		} else {
			*to = append(*to, step)
		}
	}
	return later
}

// purchased has what was bought, by number, and which of its items went back.
type purchased map[int]*bought

type bought struct {
	offer int
	back  map[string]bool
}

// steps are what becomes of a move, each when it comes to the issuer.
func (g *game) steps(m Move, number int, made purchased) (list []scenario.Step) {
	zone := zoneOf(g.program)
	later := func(days int) time.Time { return m.At.In(zone).AddDate(0, 0, days).UTC() }
	switch m.Kind {
	case Buys:
		for n := m.Purchase; n < m.Purchase+max(m.Count, 1); n++ {
			made[n] = &bought{m.offer, map[string]bool{}}
			o := &g.offers[m.offer]
			buy := scenario.Move{
				Kind: scenario.Settle, ID: fmt.Sprint("t", n), Amount: m.Amount,
				Merchant: o.Merchant, MCC: o.MCC, Category: o.Category, Labels: o.Labels, Items: o.Items,
			}
			if at := later(g.bounds.PostDays); at.After(m.At) {
				authorized := buy
				authorized.Kind, authorized.Items, authorized.Happened, buy.Happened = scenario.Authorize, nil, m.At, at
				list = append(list, scenario.Step{At: m.At, Move: authorized}, scenario.Step{At: at, Move: buy})
				continue
			}
			buy.Happened = m.At
			list = append(list, scenario.Step{At: m.At, Move: buy})
		}
	case Redeems:
		list = append(list, scenario.Step{
			At: m.At, Move: scenario.Move{Kind: scenario.Redeem, ID: fmt.Sprint("d", number), Amount: m.Amount},
			Expect: []scenario.Expectation{{Design: scenario.Recoup, Answer: scenario.Accepted}},
		})
	case Returns:
		at := later(g.bounds.RefundDays)
		back := scenario.Move{Kind: scenario.Refund, ID: fmt.Sprint("r", number), Of: fmt.Sprint("t", m.Purchase), Amount: m.Amount, Happened: at}
		of := made[m.Purchase]
		for _, item := range g.offers[of.offer].Items {
			if !of.back[item.ID] && (m.Item == "" || m.Item == item.ID) {
				of.back[item.ID] = true
				back.Items = append(back.Items, item)
			}
		}
		list = append(list, scenario.Step{At: at, Move: back})
	}
	return list
}
