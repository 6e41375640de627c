package durable_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// foreign is a refund in another currency than that of the account.
func foreign(account string, n int) reward.Event {
	id := fmt.Sprint("f", n)
	return reward.Event{
		Source: "core", ID: id, Account: account, Time: reward.At(january) + reward.Instant(n), Type: reward.RefundPosted,
		Fact: id, Amount: int64(100 + n), HasAmount: true, Currency: "JPY", Merchant: "m1",
	}
}

// pages reads the whole review list, so many at a time.
func pages(t *testing.T, w *world, f durable.ReviewFilter, limit int) (list []durable.ReviewView) {
	t.Helper()
	var next durable.ReviewPlace
	for more, n := true, 0; more; n++ {
		var page []durable.ReviewView
		var err error
		page, next, more, err = w.Reviews(context.Background(), f, next, limit)
		ok(t, err)
		if list = append(list, page...); n > 3000 {
			t.Fatal("the list does not end")
		}
	}
	return list
}

func TestRefusedFactsAreOnTheReviewList(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		account := w.accounts[0]
		before := pages(t, w, durable.ReviewFilter{}, 50)
		results, err := engine.New(w.Store).Apply(ctx, []reward.Event{foreign(account, 1), foreign("nobody", 2), foreign(account, 1), foreign(account, 3)}, nil)
		ok(t, err)
		for _, r := range results {
			if r != (reward.Result{Outcome: reward.Rejected, Code: reward.CurrencyMismatch}) {
				t.Fatalf("%v %v", r.Outcome, r.Code)
			}
		}
		all := pages(t, w, durable.ReviewFilter{}, 50)
		if len(all) != len(before)+3 {
			t.Fatalf("%d reviews, and %d before", len(all), len(before))
		}
		for _, limit := range []int{41, 100} {
			if got := pages(t, w, durable.ReviewFilter{}, limit); !slices.Equal(got, all) { // in the same order
				t.Errorf("%d reviews in pages of %d, want %d", len(got), limit, len(all))
			}
		}
		for _, limit := range []int{1, 2, 3} {
			f := durable.ReviewFilter{Account: account}
			if got, want := pages(t, w, f, limit), pages(t, w, f, 50); !slices.Equal(got, want) {
				t.Errorf("%d reviews of one account in pages of %d, want %d", len(got), limit, len(want))
			}
		}
		mine := pages(t, w, durable.ReviewFilter{Kind: reward.ForeignCurrency, Account: account}, 1)
		if len(mine) != 2 || mine[0].Fact != "f1" || mine[0].Amount != 101 || mine[0].Currency != "JPY" || mine[0].Part.Kind != durable.RefusedFact {
			t.Fatalf("%+v", mine)
		}
		if got := pages(t, w, durable.ReviewFilter{Kind: reward.ForeignCurrency, MinAmount: 103}, 5); len(got) != 1 {
			t.Errorf("of an amount: %+v", got)
		}

		// One is dismissed, another settled by the same event in the right currency.
		r, is, err := w.Refused(ctx, account, mine[0].Part.ID)
		ok(t, err)
		if want := foreign(account, 1); !is || r.Event != want {
			t.Errorf("%+v, %v; want %+v", r, is, want)
		}
		if _, is, _ := w.Refused(ctx, "nobody", mine[0].Part.ID); is {
			t.Error("a fact of one account is another's")
		}
		for _, want := range []bool{true, false} {
			if open, err := w.DecideRefused(ctx, &r, "dismiss", "maria", "of another bank"); err != nil || open != want {
				t.Errorf("it was open: %v, %v; want %v", open, err, want)
			}
		}
		right := foreign(account, 3)
		units, _, err := w.Units(ctx, account)
		ok(t, err)
		right.Currency = units.Currency
		w.apply(t, right)
		if got := pages(t, w, durable.ReviewFilter{Kind: reward.ForeignCurrency}, 5); len(got) != 1 || got[0].Account != "nobody" {
			t.Errorf("left: %+v", got)
		}
		if got, err := w.ReviewsOf(ctx, mine[0].Part); err != nil || len(got) != 0 {
			t.Errorf("of the dismissed one: %+v, %v", got, err)
		}
		w.apply(t, foreign(account, 1))
		if got := pages(t, w, durable.ReviewFilter{Kind: reward.ForeignCurrency, Account: account}, 5); len(got) != 0 {
			t.Errorf("what was dismissed and is sent again: %+v", got)
		}
	})
}

func TestRefusedFactsAreBounded(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		var events []reward.Event
		for i := range 3 * durable.MaxRefused {
			events = append(events, foreign("flooded", i))
		}
		w.apply(t, events...)
		w.apply(t, foreign(w.accounts[0], 1))
		if got := pages(t, w, durable.ReviewFilter{Account: "flooded"}, 30); len(got) != durable.MaxRefused {
			t.Errorf("%d of one account, want %d", len(got), durable.MaxRefused)
		}
		if got := pages(t, w, durable.ReviewFilter{Kind: reward.ForeignCurrency, Account: w.accounts[0]}, 30); len(got) != 1 {
			t.Errorf("%d of another", len(got))
		}
	})
}

func TestAFreeRefundID(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		account := w.accounts[0]
		units, _, err := w.Units(context.Background(), account)
		ok(t, err)
		for _, c := range []struct{ post, want string }{{"rx", "rx~2"}, {"rx~2", "rx~3"}, {"rx~4", "rx~3"}, {"rx~3", "rx~5"}} {
			e := foreign(account, 1)
			e.ID, e.Fact, e.Currency = c.post, c.post, units.Currency
			w.apply(t, e)
			if id, err := w.FreeRefundID(context.Background(), account, "rx"); err != nil || id != c.want {
				t.Errorf("after %s: %q, %v; want %q", c.post, id, err, c.want)
			}
		}
	})
}
