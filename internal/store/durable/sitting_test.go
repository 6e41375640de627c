package durable_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// asked is what pages ask of an account, by what it is.
func asked(ctx context.Context, s *durable.Store, account string) (answers map[string]any, err error) {
	answers = make(map[string]any)
	note := func(what string, failed error, answer ...any) {
		answers[what] = answer
		err = errors.Join(err, failed)
	}
	view, is, failed := s.Account(ctx, account)
	note("account", failed, view, is)
	history, failed := s.History(ctx, account, 0, 1000)
	note("history", failed, history)
	statements, failed := s.Statements(ctx, account, 0, 24)
	note("statements", failed, statements)
	reviews, next, more, failed := s.Reviews(ctx, durable.ReviewFilter{Account: account, Certain: true}, durable.ReviewPlace{}, 20)
	note("reviews", failed, reviews, next, more)
	for i := range reviews {
		part := reviews[i].Part
		name := fmt.Sprint(part)
		again, failed := s.ReviewsOf(ctx, part)
		note("review "+name, failed, again)
		if part.Kind != reward.RefundPart {
			continue
		}
		refund, is, failed := s.Refund(ctx, account, part.ID)
		note("refund "+name, failed, refund, is)
		candidates, failed := s.Candidates(ctx, account, part.ID, 50)
		note("candidates "+name, failed, candidates)
		for j := range candidates {
			t, is, failed := s.Try(ctx, reward.Event{Type: reward.RefundLinked, Account: account, Time: view.Latest, Fact: part.ID, Transaction: candidates[j].Transaction})
			note("link "+name+" "+candidates[j].Transaction, failed, t, is)
			if j == 3 {
				break
			}
		}
		t, is, failed := s.Try(ctx, reward.Event{Type: reward.RefundReversed, Account: account, Time: view.Latest, Fact: part.ID})
		note("undo "+name, failed, t, is)
		said, cut, failed := s.FactHistory(ctx, account, part.Kind, part.ID)
		note("said "+name, failed, said, cut)
	}
	purchases, failed := s.Transactions(ctx, account, "", 50)
	note("purchases", failed, purchases)
	var ids []string
	for i := range purchases {
		id := purchases[i].ID
		ids = append(ids, id)
		detail, is, failed := s.Transaction(ctx, account, id)
		note("purchase "+id, failed, detail, is)
	}
	named, failed := s.TransactionsNamed(ctx, account, append(ids, "none"))
	note("named", failed, named)
	return answers, err
}

// TestASittingReadsTheSame: what is asked at one sitting is answered as it is otherwise, a
// second time too, and whatever was tried in between.
func TestASittingReadsTheSame(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		reviews := 0
		for _, account := range append(w.accounts, "nobody") {
			want, err := asked(t.Context(), w.Store, account)
			ok(t, err)
			ok(t, w.Sitting(t.Context(), func(ctx context.Context) error {
				for range 2 {
					got, err := asked(ctx, w.Store, account)
					ok(t, err)
					for what := range want {
						if !reflect.DeepEqual(got[what], want[what]) {
							t.Errorf("%s, %s: %+v\nwant %+v", account, what, got[what], want[what])
						}
					}
				}
				return nil
			}))
			reviews += len(want)
		}
		if reviews < 40*len(w.accounts) {
			t.Fatalf("%d answers of %d accounts: the world has too little of what is to be compared", reviews, len(w.accounts))
		}
	})
}

// TestASittingIsOfOneMoment: what happens meanwhile is not seen at it, and is seen after it.
func TestASittingIsOfOneMoment(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		balance := func(ctx context.Context) int64 {
			v, there, err := w.Account(ctx, "owes-USD")
			if err != nil || !there {
				t.Fatal(err, there)
			}
			return v.Balance
		}
		ok(t, w.Sitting(t.Context(), func(ctx context.Context) error {
			if was := balance(ctx); was != -500 {
				t.Errorf("the balance is %d, want -500", was)
			}
			w.apply(t, reward.Event{
				Source: "core", ID: "e2", Account: "owes-USD", Time: reward.At(january), Type: reward.AdjustmentPosted,
				Fact: "a2", Amount: 700, HasAmount: true, Currency: "USD", Reason: "paid", Actor: "clerk",
			})
			if is := balance(ctx); is != -500 {
				t.Errorf("at the sitting the balance becomes %d, want -500 as it was", is)
			}
			_, there, err := w.Logged(ctx, "owes-USD", "core", "e2")
			if ok(t, err); there {
				t.Error("at the sitting the log has what came later")
			}
			if is := balance(t.Context()); is != 200 {
				t.Errorf("beside the sitting the balance is %d, want 200", is)
			}
			return nil
		}))
		if is := balance(t.Context()); is != 200 {
			t.Errorf("after the sitting the balance is %d, want 200", is)
		}
	})
}

// TestManySittings: more than there are connections, each of which reads what one does not
// have as well, end.
func TestManySittings(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		const many = 40
		var all, seated sync.WaitGroup
		seated.Add(many)
		for i := range many {
			all.Go(func() {
				err := w.Sitting(t.Context(), func(ctx context.Context) error {
					account := w.accounts[i%len(w.accounts)]
					_, _, err := w.Account(ctx, account)
					seated.Done()
					seated.Wait() // all have what they need for a sitting, and keep it
					_, _, beside := w.Account(t.Context(), account)
					return errors.Join(err, beside)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// TestASittingSurvivesAFailure: where something cannot be read, what is asked afterwards is
// read as ever.
func TestASittingSurvivesAFailure(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ok(t, w.Sitting(t.Context(), func(ctx context.Context) error {
			if _, _, err := w.Account(ctx, "owes-EUR"); err != nil {
				t.Fatal(err)
			}
			late, cancel := context.WithCancel(ctx)
			cancel()
			if _, _, err := w.Account(late, "owes-USD"); !errors.Is(err, context.Canceled) {
				t.Errorf("asked by nobody any more it answers with %v", err)
			}
			_, there, err := w.Account(ctx, "owes-USD")
			if err != nil || !there {
				t.Errorf("after that it answers with %t, %v", there, err)
			}
			return nil
		}))
	})
}
