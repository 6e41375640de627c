package durable_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// standings are those of all accounts.
func standings(t *testing.T, w *world) (list []durable.Standing) {
	t.Helper()
	ok(t, w.EachStanding(context.Background(), func(v *durable.Standing) error {
		list = append(list, *v)
		return nil
	}))
	return list
}

// TestStandingsAreWhatTheAccountsSay, one for each, in byte order.
func TestStandingsAreWhatTheAccountsSay(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		list := standings(t, w)
		if len(list) != len(w.accounts) {
			t.Fatalf("%d standings of %d accounts", len(list), len(w.accounts))
		}
		tallies, debts := 0, 0
		for i, got := range list {
			v, there, err := w.Account(ctx, w.accounts[i])
			ok(t, err)
			want := durable.Standing{
				Account: v.Account, Program: v.Program, Units: v.Units, Version: v.Version, Closed: v.Closed, Latest: v.Latest,
				Balance: v.Balance, Held: v.Held, Redeemed: v.Redeemed,
			}
			statements, err := w.Statements(ctx, v.Account, 0, 1)
			ok(t, err)
			if len(statements) > 0 {
				want.Tally = statements[0].Statement
				tallies++
			}
			if v.Balance < 0 {
				debts++
			}
			if !there || got != want {
				t.Errorf("%+v, want %+v (there: %v)", got, want, there)
			}
		}
		if tallies == 0 || tallies == len(list) || debts == 0 {
			t.Errorf("of %d accounts %d have statements and %d are in debt: the test needs some of each", len(list), tallies, debts)
		}

		some := []string{w.accounts[3], "nobody", w.accounts[0]}
		got, err := w.Standings(ctx, some)
		ok(t, err)
		if want := []durable.Standing{list[3], list[0]}; !slices.Equal(got, want) {
			t.Errorf("of %q there are %+v, want %+v", some, got, want)
		}

		enough := errors.New("enough")
		times := 0
		err = w.EachStanding(ctx, func(*durable.Standing) error {
			if times++; times == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || times != 3 {
			t.Errorf("stopped after %d standings with %v, want 3 and the error", times, err)
		}
	})
}

// of is the cycle and currency of a sum.
type of struct {
	cycle    reward.Cycle
	currency string
}

func add(to map[of]durable.CycleSum, currency string, accounts int64, v *ledger.Statement) {
	at := of{v.Cycle, currency}
	sum := to[at]
	sum.Currency, sum.Cycle = currency, v.Cycle
	sum.Accounts += accounts
	sum.Opening, sum.Granted, sum.ClawedBack = sum.Opening+v.Opening, sum.Granted+v.Granted, sum.ClawedBack+v.ClawedBack
	sum.Redeemed, sum.Adjusted, sum.Closing = sum.Redeemed+v.Redeemed, sum.Adjusted+v.Adjusted, sum.Closing+v.Closing
	to[at] = sum
}

// TestSumsOfStatements: the sums are those of every account's stored statements,
// and with the tallies they are what the rows behind them add up to, however the
// rows are paged through.
func TestSumsOfStatements(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		stored, whole := make(map[of]durable.CycleSum), make(map[of]durable.CycleSum)
		rows := make(map[of][]durable.AccountStatement)
		for _, v := range standings(t, w) {
			list, err := w.Statements(ctx, v.Account, 0, 1000)
			ok(t, err)
			for i, statement := range list {
				at := of{statement.Cycle, v.Currency}
				rows[at] = append(rows[at], durable.AccountStatement{Account: v.Account, Open: statement.Open, Statement: statement.Statement})
				add(whole, v.Currency, 1, &statement.Statement)
				if i > 0 {
					add(stored, v.Currency, 1, &statement.Statement)
				} else if statement.Statement != v.Tally {
					t.Errorf("%s has the tally %+v, want %+v", v.Account, v.Tally, statement.Statement)
				}
			}
		}
		first := reward.CycleAt(reward.At(january))
		for from := first - 1; from < first+7; from++ {
			var want []durable.CycleSum
			for cycle := from; cycle < first+7; cycle++ {
				for _, currency := range []string{"EUR", "USD"} {
					if sum, any := stored[of{cycle, currency}]; any {
						want = append(want, sum)
					}
				}
			}
			got, err := w.StatementSums(ctx, from)
			ok(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("from %v on\n%+v, want\n%+v", from, got, want)
			}
			for _, sum := range got {
				if !sum.Ties() {
					t.Errorf("%+v does not tie", sum)
				}
			}
		}
		if len(stored) < 6 || len(whole) <= len(stored) {
			t.Errorf("%d sums, %d with tallies: the test needs more", len(stored), len(whole))
		}
		for cycle := first - 1; cycle < first+7; cycle++ {
			for _, currency := range []string{"EUR", "USD", "GBP", ""} {
				for _, limit := range []int{1, 2, 5, 100} {
					var got []durable.AccountStatement
					after, more, pages := "", true, 0
					for more {
						if pages++; pages > 100 {
							t.Fatal("the pages do not end")
						}
						var list []durable.AccountStatement
						var err error
						list, after, more, err = w.CycleStatements(ctx, cycle, currency, after, limit)
						ok(t, err)
						if len(list) > limit {
							t.Fatalf("a page of %d, asked for at most %d", len(list), limit)
						}
						got = append(got, list...)
					}
					at := of{cycle, currency}
					if !slices.Equal(got, rows[at]) {
						t.Errorf("of %v in %q, %d at a time\n%+v, want\n%+v", cycle, currency, limit, got, rows[at])
					}
					sum := make(map[of]durable.CycleSum)
					for i := range got {
						add(sum, currency, 1, &got[i].Statement)
					}
					if sum[at] != whole[at] {
						t.Errorf("of %v in %q the rows add up to %+v, want %+v", cycle, currency, sum[at], whole[at])
					}
				}
			}
		}
	})
}

// TestManyAccounts: in a cycle that few of many accounts have a statement of, a
// page ends before it has looked at all of them. Each account has one standing.
func TestManyAccounts(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		var events []reward.Event
		const many = 5500
		for i := range many {
			events = append(events, opened(fmt.Sprintf("m-%04d", i), "in-USD"))
		}
		_, err := engine.New(w.Store).Apply(ctx, events, nil)
		ok(t, err)
		for _, v := range standings(t, w) {
			if len(events) > 0 && v.Account == events[0].Account {
				events = events[1:]
			}
		}
		if len(events) > 0 {
			t.Errorf("%d accounts have no standing, %s first", len(events), events[0].Account)
		}
		after, more, pages, rows := "", true, 0, 0
		for more {
			var list []durable.AccountStatement
			list, after, more, err = w.CycleStatements(ctx, reward.CycleAt(reward.At(january)), "USD", after, 1000)
			ok(t, err)
			pages++
			rows += len(list)
		}
		if pages != 3 || rows == 0 {
			t.Errorf("%d pages with %d rows, want 3 for %d accounts", pages, rows, many+len(w.accounts))
		}
	})
}
