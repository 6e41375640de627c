package reward_test

import (
	"testing"
	"time"

	"recoup/reward"
)

// TestUnlinkedMoneyIsNotDrawnToWhatEarnsNothing is a trace on which engine and model disagreed: beside a purchase
// that a cap has cut, under proportional, one that earns nothing counted as worth as much.
func TestUnlinkedMoneyIsNotDrawnToWhatEarnsNothing(t *testing.T) {
	online := reward.MakeLabels(map[string]string{"channel": "online"})
	not := reward.Match{Purchase: &reward.PurchaseMatch{Labels: map[string][]string{"channel": {"online"}}}}
	p := &reward.Program{
		ID: "p", Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 40, ParkDays: 30, WindowDays: 10, FirmDays: 180, Movable: 32},
		Layers: []reward.Layer{{ID: "base", Rules: []reward.Rule{
			{ID: "one", Rate: 1_000_000, Cap: 7, Earning: reward.Earning{Per: reward.PerQuarter, Except: not}},
		}}},
	}
	day := func(n int) reward.Instant { return reward.At(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)) }
	model, subject := newNaive(p), newReal(p)
	for _, e := range []reward.Event{
		{Type: reward.RefundPosted, ID: "e1", Fact: "r1", Time: day(13), Amount: 100},
		{Type: reward.TransactionSettled, ID: "e2", Transaction: "t1", Time: day(20), Amount: 2_500},
		{Type: reward.TransactionSettled, ID: "e3", Transaction: "t2", Time: day(21), Amount: 2_500, Labels: online},
	} {
		e.Source, e.Account, e.Currency, e.HasAmount = "core", "a", "USD", true
		subject.apply(t, e)
		model.apply(&e)
		compareStates(t, subject.state(), model.state())
	}
	if s := subject.store.Account("a").State(); s.NetReward != 6 {
		t.Errorf("net reward is %d, of a refund that takes most from t1 6 is left", s.NetReward)
	}
}
