package reward_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// withItems gives some purchases of a trace items, and has some refunds name them.
// Apart has the items come in events of their own.
func withItems(t *rapid.T, events []reward.Event, apart bool) (list []reward.Event) {
	for i, e := range events {
		split := e.Type == reward.TransactionSettled || e.Type == reward.RefundPosted && e.Transaction != ""
		if !split || rapid.Bool().Draw(t, "without items") {
			list = append(list, e)
			continue
		}
		first := rapid.Int64Range(1, e.Amount).Draw(t, "first item")
		items := []reward.Item{{ID: "i0", Amount: first}}
		if e.Amount > first {
			items = append(items, reward.Item{ID: "i1", Amount: e.Amount - first})
		}
		if e.Type == reward.TransactionSettled {
			items[0].Category = pick(t, "category of an item", "GROCERY", "OTHER", "GAS")
		}
		if e.Type == reward.TransactionSettled && apart {
			list = append(list, e, reward.Event{
				Source: e.Source, ID: fmt.Sprintf("items%d", i), Account: e.Account, Time: e.Time,
				Type: reward.TransactionItemized, Transaction: e.Transaction, Items: reward.MakeItems(items),
			})
			continue
		}
		e.Items = reward.MakeItems(items)
		list = append(list, e)
	}
	return list
}

// atSettlement has the items of a trace come with their settlements.
func atSettlement(events []reward.Event) (list []reward.Event) {
	items := map[string]reward.Items{}
	for _, e := range events {
		if e.Type == reward.TransactionItemized {
			items[e.Transaction] = e.Items
		}
	}
	for _, e := range events {
		switch e.Type {
		case reward.TransactionItemized:
			continue
		case reward.TransactionSettled:
			e.Items = items[e.Transaction]
		}
		list = append(list, e)
	}
	return list
}

// TestOrderDoesNotMatterToItems: where no cap binds, the same settlements, items, refunds
// and disputes end in the same retained rewards, and it makes no difference whether items
// came with their settlement or apart.
func TestOrderDoesNotMatterToItems(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, false)
		p.Timing.Grant = reward.GrantAtSettlement
		p.Refunds.FirmDays, p.Refunds.ParkDays = 400, 400
		apart := p.Method == reward.Rerate && rapid.Bool().Draw(t, "apart")
		events := withItems(t, factsWithin(t, 20), apart)
		one := endOf(t, start(p), events)
		compareItems(t, one, endOf(t, start(p), delivered(t, events)))
		if apart {
			compareItems(t, one, endOf(t, start(p), atSettlement(events)))
		}
	})
}

func compareItems(t *rapid.T, one, other naiveState) {
	t.Helper()
	compareRewards(t, one, other, false)
	for i, x := range one.Transactions {
		for j, a := range x.Items {
			if b := other.Transactions[i].Items[j]; a.Item != b.Item || a.Reversed != b.Reversed || a.Retained != b.Retained {
				t.Errorf("%s: %+v, otherwise %+v", x.ID, a, b)
			}
		}
	}
}
