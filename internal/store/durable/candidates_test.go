package durable_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/internal/store/memory"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// told is a store on which events of one account happened, a day apart.
func told(t *testing.T, d durable.Driver, events ...reward.Event) *durable.Store {
	t.Helper()
	s := open(t, d, program.Everyday(), 1)
	for i := range events {
		e := &events[i]
		e.Source, e.ID, e.Account, e.Time = "core", fmt.Sprint("e", i), "acct", day(i+1)
		if e.Amount != 0 {
			e.HasAmount, e.Currency = true, "USD"
		}
	}
	if _, err := engine.New(s).Apply(context.Background(), events, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func day(n int) reward.Instant { return reward.At(time.Date(2026, 1, n, 10, 0, 0, 0, time.UTC)) }

// The review of an unlinked refund: what it is, what it may be of, what was said.
func TestWhatAReviewOfARefundNeeds(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := told(t, driver(t),
				reward.Event{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000, Merchant: "m1", Category: "GROCERY"},
				reward.Event{Type: reward.TransactionSettled, Transaction: "t2", Amount: 4_000, Merchant: "m1"},
				reward.Event{Type: reward.TransactionSettled, Transaction: "t3", Amount: 4_000, Merchant: "m2"},
				reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 4_000, Merchant: "m1"},
				reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 5_000, Merchant: "m1", MCC: 5412},
				reward.Event{Type: reward.ChargebackPosted, Fact: "r1", Transaction: "t3"},
				reward.Event{Type: reward.RefundDismissed, Fact: "r1", Reason: "looked into", Actor: "ann"},
			)
			want := []reward.Candidate{
				{Transaction: "t2", Amount: 4_000, Left: 4_000, Settled: day(2), Merchant: "m1", Rule: "base", Retained: 40, SameMerchant: true, Exact: true, Covers: true, InWindow: true},
				{Transaction: "t1", Amount: 10_000, Left: 10_000, Settled: day(1), Merchant: "m1", Category: "GROCERY", SpendKind: "GROCERY", Rule: "grocery", Retained: 300, Placed: 4_000, SameMerchant: true, Covers: true, InWindow: true},
			}
			for limit := range 4 {
				if got, err := s.Candidates(ctx, "acct", "r1", limit); err != nil || !slices.Equal(got, want[:min(limit, 2)]) {
					t.Errorf("up to %d candidates: %+v, %v", limit, got, err)
				}
			}
			refund := reward.RefundDetail{
				Reversal: reward.Reversal{Kind: reward.RefundPart, ID: "r1", Amount: 4_000, Placed: 4_000, Dismissed: true, Status: reward.ReversalPosted, At: day(4)},
				Merchant: "m1", Arrived: day(4), Refused: []reward.Refused{{Code: reward.RefundConflict, Amount: 5_000, At: day(5), Arrived: day(5), Merchant: "m1", Countable: false, Done: true}},
			}
			if got, ok, err := s.Refund(ctx, "acct", "r1"); err != nil || !ok || !reflect.DeepEqual(got, refund) {
				t.Errorf("the refund is %+v, %t, %v\nwant %+v", got, ok, err, refund)
			}

			history, cut, err := s.FactHistory(ctx, "acct", reward.RefundPart, "r1")
			if err != nil || cut || len(history) != 3 {
				t.Fatalf("%d events about the refund, %t, %v", len(history), cut, err)
			}
			for i, want := range []struct {
				amount int64
				mcc    reward.MCC
				result reward.Result
				by     string
			}{
				{4_000, 0, reward.Result{Outcome: reward.Applied, Code: reward.Matched}, ""},
				{5_000, 5412, reward.Result{Outcome: reward.Rejected, Code: reward.RefundConflict}, ""},
				{0, 0, reward.Result{Outcome: reward.Applied}, "ann"},
			} {
				if v := history[i]; v.Event.Amount != want.amount || v.Event.MCC != want.mcc || v.Result != want.result || v.Event.Actor != want.by {
					t.Errorf("event %d about the refund is %+v, want %+v", i, v, want)
				}
			}
			if history, _, err := s.FactHistory(ctx, "acct", reward.ChargebackPart, "r1"); err != nil || len(history) != 1 || history[0].Event.Type != reward.ChargebackPosted {
				t.Errorf("about the chargeback of that id: %+v, %v", history, err)
			}

			for _, nothing := range [][2]string{{"acct", "r9"}, {"nobody", "r1"}, {"acct", ""}, {"", ""}} {
				list, err := s.Candidates(ctx, nothing[0], nothing[1], 5)
				v, ok, refundErr := s.Refund(ctx, nothing[0], nothing[1])
				history, cut, historyErr := s.FactHistory(ctx, nothing[0], reward.RefundPart, nothing[1])
				if err != nil || refundErr != nil || historyErr != nil || len(list) > 0 || ok || len(history) > 0 || cut {
					t.Errorf("of refund %q on %q: %+v, %v; %+v, %v; %+v, %v", nothing[1], nothing[0], list, err, v, refundErr, history, historyErr)
				}
			}
		})
	}
}

// The review of an over-refund: every fact on the purchase, and by how much they
// exceed it.
func TestWhatAReviewOfAnOverRefundNeeds(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := told(t, driver(t),
				reward.Event{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000},
				reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 10_500},
				reward.Event{Type: reward.TransactionReversed, Transaction: "t1"},
				reward.Event{Type: reward.RefundCanceled, Fact: "r2"},
			)
			v, ok, err := s.Transaction(t.Context(), "acct", "t1")
			if err != nil || !ok || v.Excess != 10_500 || v.Withdrawn != day(3) || v.Reversed != 10_000 || len(v.Refunds()) != 1 || v.Refunds()[0].Placed != 10_500 {
				t.Errorf("the purchase is %+v, %t, %v", v, ok, err)
			}
			if v, ok, err := s.Refund(t.Context(), "acct", "r2"); err != nil || !ok || v.Status != reward.ReversalCanceled {
				t.Errorf("a refund of which only the cancel came: %+v, %t, %v", v, ok, err)
			}
		})
	}
}

// In a database candidates are those of the account in memory.
func TestCandidatesAreThoseOfTheAccount(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program.Everyday()
			events := slices.Collect(traffic.Generate(traffic.Options{
				Accounts: 4, Events: 600, Seed: 5, Program: p, Days: 300, ReturnShare: 400, OverRefunds: 200, Duplicates: 50, Disorder: 200,
			}))
			s, whole := open(t, driver(t), p, 1), memory.New(p)
			for _, e := range []*engine.Engine{engine.New(s), engine.New(whole)} {
				if _, err := e.Apply(t.Context(), events, nil); err != nil {
					t.Fatal(err)
				}
			}
			compared := 0
			for _, e := range events {
				if e.Type != reward.RefundPosted {
					continue
				}
				want := whole.Account(e.Account).Candidates(e.Fact, 20)
				if got, err := s.Candidates(t.Context(), e.Account, e.Fact, 20); err != nil || !slices.Equal(got, want) {
					t.Fatalf("refund %s on %s: %v\ngot  %+v\nwant %+v", e.Fact, e.Account, err, got, want)
				}
				compared += len(want)
			}
			if compared < 100 {
				t.Errorf("only %d candidates were compared", compared)
			}
		})
	}
}
