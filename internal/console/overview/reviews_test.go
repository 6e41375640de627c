package overview_test

import (
	"testing"

	"recoup/internal/console/overview"
	"recoup/reward"
)

func TestReviewsAreCountedAsTheyComeAndGo(t *testing.T) {
	h := onPebble(t)
	const all = int(reward.LastReview) - 1 // what is certain is not open
	waits := func(when string, open int64, oldest reward.Instant) {
		t.Helper()
		h.now = h.now.AddDate(0, 0, 1)
		r := h.figures(h.now).Reviews
		want := overview.ReviewKind{Kind: reward.WaitsForTransaction, Open: open, Oldest: oldest}
		if r.Of(reward.WaitsForTransaction) != want || r.Open != open || r.Cut || len(r.Kinds) != all || !r.AsOf.Equal(h.now) {
			t.Errorf("%s: open are %+v, want %+v", when, r, want)
		}
	}
	waits("at first", 0, 0)
	h.does("a", day(2026, 1, 12), reward.RefundPosted, reward.Parked, reward.Event{Transaction: "t1", Fact: "r1", Amount: 100})
	h.does("b", day(2026, 1, 11), reward.RefundPosted, reward.Parked, reward.Event{Transaction: "t1", Fact: "r1", Amount: 100})
	waits("after two came", 2, reward.At(day(2026, 1, 11)))
	h.buys("b", "t1", day(2026, 1, 13), 1_000)
	waits("after a purchase came", 1, reward.At(day(2026, 1, 12)))
	waits("after nothing came", 1, reward.At(day(2026, 1, 12)))
}
