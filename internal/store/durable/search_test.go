package durable_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// TestAnIDIsFoundWhereverItIs: an account, a purchase of two accounts, a refund
// and a chargeback of the same name, and nothing that is merely alike.
func TestAnIDIsFoundWhereverItIs(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		const tx, refund, chargeback = reward.TransactionPart, reward.RefundPart, reward.ChargebackPart
		at := reward.At(january)
		sale := func(account, id string) reward.Event {
			return reward.Event{Source: "core", ID: "sale-" + id, Account: account, Time: at, Type: reward.TransactionSettled, Transaction: id, Amount: 5000, HasAmount: true, Currency: "USD"}
		}
		w.apply(t,
			opened("x", "in-USD"), opened("b", "in-USD"), opened("B", "in-USD"),
			sale("x", "x"), sale("b", "x"), sale("b", "X"), sale("b", "x1"), sale("B", "y"), sale("B", " x"),
			reward.Event{Source: "core", ID: "r", Account: "B", Time: at, Type: reward.RefundPosted, Fact: "x", Transaction: "y", Amount: 100, HasAmount: true, Currency: "USD"},
			reward.Event{Source: "core", ID: "c", Account: "B", Time: at, Type: reward.ChargebackPosted, Fact: "x", Transaction: "y", Amount: 100, HasAmount: true, Currency: "USD"},
			reward.Event{Source: "core", ID: "p", Account: "b", Time: at, Type: reward.RedemptionRequested, Fact: "y", Amount: 1, HasAmount: true, Currency: "USD"},
		)
		for id, want := range map[string][]durable.Found{
			"x": {{"x", 0, "x"}, {"B", refund, "x"}, {"B", chargeback, "x"}, {"b", tx, "x"}, {"x", tx, "x"}},
			"y": {{"B", tx, "y"}},
			"B": {{"B", 0, "B"}},
			"z": nil, "": nil, "x\x00": nil, "\xff": nil,
		} {
			for limit := range len(want) + 2 {
				got, err := w.Find(context.Background(), id, limit)
				ok(t, err)
				if !slices.Equal(got, want[:min(limit, len(want))]) {
					t.Errorf("%q, at most %d: %v, want the first of %v", id, limit, got, want)
				}
			}
		}
	})
}

func TestAccountsFromAPrefix(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		w.apply(t, opened("a", "in-USD"), opened("ab", "in-USD"), opened("a-b", "in-USD"), opened("A", "in-USD"), opened("aé", "in-USD"))
		all := slices.Sorted(slices.Values(append([]string{"a", "ab", "a-b", "A", "aé"}, w.accounts...)))
		for _, prefix := range []string{"", "a", "ab", "A", "aé", "left-", "left-USD", "left-USDx", "zz", "\xff", "a\x00"} {
			want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !strings.HasPrefix(id, prefix) })
			for limit := range len(want) + 2 {
				got, err := w.AccountsFrom(context.Background(), prefix, "", limit)
				ok(t, err)
				if !slices.Equal(got, want[:min(limit, len(want))]) {
					t.Errorf("%q, at most %d: %q, want the first of %q", prefix, limit, got, want)
				}
				for i, after := range want {
					rest, err := w.AccountsFrom(context.Background(), prefix, after, limit)
					ok(t, err)
					if !slices.Equal(rest, want[i+1:min(i+1+limit, len(want))]) {
						t.Errorf("%q after %q, at most %d: %q, want %q", prefix, after, limit, rest, want[i+1:])
					}
				}
			}
		}
	})
}
