package durable_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// TestFilteredReviews: however rare what a filter lets through is, a page costs
// little, and page after page all of it is found, once and in order.
func TestFilteredReviews(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		var events []reward.Event
		for i := range 700 {
			account := fmt.Sprintf("waits-%03d", i%60)
			if i < 60 {
				events = append(events, opened(account, "in-USD"))
			}
			events = append(events, reward.Event{
				Source: "core", ID: fmt.Sprint("r", i), Account: account, Time: reward.At(january) + reward.Instant(i)*1e9, Type: reward.RefundPosted,
				Transaction: fmt.Sprint("unknown-", i), Fact: fmt.Sprint("r", i), Amount: int64(100 + i), HasAmount: true, Currency: "USD",
			})
		}
		w.apply(t, events...)
		read := func(f durable.ReviewFilter, limit int) (list []durable.ReviewView, pages int) {
			var next durable.ReviewPlace
			for more := true; more; pages++ {
				var page []durable.ReviewView
				var err error
				page, next, more, err = w.Reviews(ctx, f, next, limit)
				ok(t, err)
				if len(page) > limit {
					t.Fatalf("a page of %d, want at most %d", len(page), limit)
				}
				if list = append(list, page...); pages > 2000 {
					t.Fatal("the list does not end")
				}
			}
			return list, pages
		}
		all, _ := read(durable.ReviewFilter{}, 1000)
		for _, c := range []struct {
			filter durable.ReviewFilter
			least  int // of what is found
		}{
			{durable.ReviewFilter{MinAmount: 795}, 5},
			{durable.ReviewFilter{Kind: reward.WaitsForTransaction}, 700},
			{durable.ReviewFilter{Kind: reward.OverRefunded}, 1},
			{durable.ReviewFilter{Kind: reward.FoundNoSpend}, 0},
			{durable.ReviewFilter{Kind: reward.MatchedWithoutLink, MinAmount: 50}, 1},
			{durable.ReviewFilter{Kind: reward.Contested}, 0},
			{durable.ReviewFilter{Account: "waits-007", MinAmount: 500}, 2},
			{durable.ReviewFilter{MinAmount: 1 << 40}, 0},
		} {
			want := slices.DeleteFunc(slices.Clone(all), func(v durable.ReviewView) bool {
				f := &c.filter
				return f.Account != "" && v.Account != f.Account || f.Kind != 0 && v.Kind != f.Kind || v.Amount < f.MinAmount
			})
			for _, limit := range []int{40, 1000} {
				got, pages := read(c.filter, limit)
				if len(got) < c.least || !slices.Equal(got, want) {
					t.Errorf("%+v in pages of %d finds %d, want %d and at least %d", c.filter, limit, len(got), len(want), c.least)
				}
				if c.filter.MinAmount == 1<<40 && limit == 40 && pages < 3 {
					t.Errorf("of %d reviews none is of so much, which %d pages find out: each looks at too much", len(all), pages)
				}
			}
		}
	})
}
