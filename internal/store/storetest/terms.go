package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/store"
	"recoup/reward"
)

// promises is a program with every element of docs/terms.md, of periods of all lengths,
// whose rewards expire.
func promises() *reward.Program {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		panic(err)
	}
	percent := func(n int64) reward.Rate { return reward.Rate(n * 1_000_000) }
	spring := &reward.PurchaseMatch{Account: map[string][]string{"spring": {"on"}}}
	online := &reward.PurchaseMatch{Labels: map[string][]string{"channel": {"online"}}}
	p := terms()
	p.Rules, p.Method, p.MaturityDays, p.Zone, p.StatementDay = nil, reward.Rerate, 20, rome, 15
	p.ExpiryMonths = 1
	p.Layers = []reward.Layer{
		{ID: "base", Rules: []reward.Rule{
			{ID: "steps", Match: reward.Match{Categories: []string{"GROCERY"}}, Cap: reward.NoCap, Earning: reward.Earning{
				Per: reward.PerQuarter, Steps: []reward.Step{{Rate: percent(5)}, {From: 60_000, Rate: percent(1)}}}},
			{ID: "whole", Match: reward.Match{Purchase: online}, Cap: reward.NoCap, Earning: reward.Earning{
				Per: reward.PerYear, Whole: true, Steps: []reward.Step{{Rate: percent(1)}, {From: 50_000, Rate: percent(2)}}}},
			{ID: "capped", Rate: percent(2), Cap: 2_000, Earning: reward.Earning{Per: reward.PerLifetime, AtMost: 500}},
		}},
		{ID: "spring", Rules: []reward.Rule{
			{ID: "places", Match: reward.Match{Purchase: spring}, Cap: reward.NoCap, Earning: reward.Earning{
				Exact: reward.Fraction{Num: 3, Den: 100}, Places: 4, Per: reward.PerMonth, Unit: 100}},
		}},
	}
	p.Bonuses = []reward.Bonus{
		{ID: "welcome", Match: reward.Match{Purchase: &reward.PurchaseMatch{Within: &reward.Within{Days: 90, Of: "opened"}}},
			Earning: reward.Earning{Per: reward.PerLifetime}, Spend: []reward.Goal{{From: 50_000, Reward: 20_000}}},
		{ID: "stamps", Earning: reward.Earning{Per: reward.PerWeek, Minimum: 2_000}, Purchases: []reward.Goal{{From: 2, Reward: 100}}},
	}
	return p
}

// promised is the stream of a few accounts with what only such terms ask for.
func promised() (list []reward.Event) {
	asked := make(map[string]bool)
	for i, e := range stream() {
		if e.Account > "acct-1" || e.Time > january+200*reward.Day { // acct-0 and acct-1, for as long as takes seconds
			continue
		}
		if !asked[e.Account] {
			asked[e.Account] = true
			opened := reward.Event{Source: e.Source, ID: "opened", Account: e.Account, Time: e.Time, Type: reward.AccountOpened}
			set := opened
			set.ID, set.Type, set.Fact, set.Category, set.Method = "spring", reward.AttributeSet, "x1", "spring", "on"
			set.Time += 40 * reward.Day
			list = append(list, opened, set)
		}
		if e.Type == reward.TransactionSettled && i%3 == 0 {
			e.Labels = reward.MakeLabels(map[string]string{"channel": "online"})
			e.Purchased = e.Time - reward.Day/2
		}
		list = append(list, itemised(i, e)...)
	}
	return list
}

// itemised has a purchase come with items, or get them later, and a refund name one.
func itemised(i int, e reward.Event) []reward.Event {
	half := e.Amount / 2
	two := reward.MakeItems([]reward.Item{{ID: "i1", Amount: e.Amount - half, Category: "GROCERY"}, {ID: "i2", Amount: half}})
	switch {
	case half == 0:
	case e.Type == reward.TransactionSettled && i%4 == 1:
		e.Items = two
	case e.Type == reward.TransactionSettled && i%4 == 3:
		later := reward.Event{Source: e.Source, ID: e.ID + "-items", Account: e.Account, Time: e.Time + reward.Day, Type: reward.TransactionItemized, Transaction: e.Transaction, Items: two}
		return []reward.Event{e, later}
	case e.Type == reward.RefundPosted && e.Transaction != "" && i%2 == 1:
		e.Items = reward.MakeItems([]reward.Item{{ID: "i2", Amount: e.Amount}})
	}
	return []reward.Event{e}
}

// keepsPromises compares what a store keeps with accounts that are at hand all the time.
func keepsPromises(t *testing.T, s *subject) {
	twins := make(map[string]*reward.Account)
	for batch := range slices.Chunk(promised(), 97) {
		answers := s.deliver(t, batch...)
		for i, got := range answers {
			e := &batch[i]
			twin := twins[e.Account]
			if twin == nil {
				twin = reward.NewAccount(e.Account, s.terms)
				twins[e.Account] = twin
			}
			if got.Sighting != store.Unseen {
				continue
			}
			result, postings := twin.Apply(e, nil)
			if got.Result != result || !slices.Equal(got.Postings, postings) {
				t.Fatalf("event %s of %s:\n%+v, want\n%+v %+v", e.ID, e.Account, got, result, postings)
			}
		}
	}
	paid := false
	for _, twin := range twins {
		state := twin.State()
		for _, b := range state.Bonuses {
			paid = paid || b.Reward > 0
		}
		got, exists := s.state(t, state.Account)
		if !exists || fmt.Sprint(got) != fmt.Sprint(state) {
			t.Fatalf("account %s:\n%+v, want\n%+v", state.Account, got, state)
		}
	}
	if !paid {
		t.Error("no bonus was paid")
	}
}
