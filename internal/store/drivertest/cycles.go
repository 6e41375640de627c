package drivertest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// closed is a statement that differs from every other in each amount, and ties: what has
// expired is what the rest leaves over.
func closed(account string, cycle reward.Cycle, n int64) durable.StatementRow {
	return durable.StatementRow{Account: account, Last: n, Statement: ledger.Statement{
		Cycle: cycle, Opening: -n, Granted: 10 * n, ClawedBack: 100 * n, Redeemed: 1000 * n, Expired: -111_091 * n, Adjusted: -10_000 * n, Closing: 100_000 * n,
	}}
}

// closeCycles writes statements of cycles 100 to 103 of accounts of two programs,
// one unit of work an account.
func closeCycles(t *testing.T, s *subject) (all []durable.StatementRow, programs map[string]string) {
	t.Helper()
	programs = make(map[string]string)
	for i, account := range []string{"b", "A", "a-1", "ä", "a", "a1", "B"} {
		row := fresh(account)
		row.Program = []string{"everyday", "travel"}[i%2]
		programs[account] = row.Program
		var own []durable.StatementRow
		for cycle := range reward.Cycle(4) {
			if (i+int(cycle))%3 > 0 {
				own = append(own, closed(account, 100+cycle, int64(10*i+int(cycle))+1))
			}
		}
		s.write(t, durable.Changes{Accounts: []durable.AccountRow{row}, Statements: own})
		all = append(all, own...)
	}
	return all, programs
}

func readStatementsOfCycle(t *testing.T, s *subject) {
	all, _ := closeCycles(t, s)
	for cycle := reward.Cycle(99); cycle < 105; cycle++ {
		for _, span := range [][2]string{{"", "\U0010FFFF"}, {"A", "a-1"}, {"a", "a"}, {"B", "b"}, {"b", "a"}} {
			var want []durable.StatementRow
			for _, v := range all {
				if v.Cycle == cycle && v.Account > span[0] && v.Account <= span[1] {
					want = append(want, v)
				}
			}
			slices.SortFunc(want, func(a, b durable.StatementRow) int { return cmp.Compare(a.Account, b.Account) })
			s.view(t, func(r durable.Reader) error {
				got, err := r.StatementsOf(context.Background(), cycle, span[0], span[1])
				if err == nil && !slices.Equal(got, want) {
					t.Errorf("of cycle %d, after %q up to %q:\n%+v, want\n%+v", cycle, span[0], span[1], got, want)
				}
				return err
			})
		}
	}
}

func readStatementSums(t *testing.T, s *subject) {
	all, programs := closeCycles(t, s)
	for from := reward.Cycle(99); from < 105; from++ {
		want := make(map[string]durable.ProgramSum)
		for i := range all {
			if all[i].Cycle >= from {
				addSum(want, programs[all[i].Account], 1, &all[i].Statement)
			}
		}
		s.view(t, func(r durable.Reader) error {
			list, err := r.StatementSums(context.Background(), from)
			got := make(map[string]durable.ProgramSum)
			for i := range list {
				addSum(got, list[i].Program, list[i].Accounts, &list[i].Statement)
			}
			if len(got) != len(want) {
				t.Errorf("from cycle %d on there are %d sums, want %d", from, len(got), len(want))
			}
			for at, sum := range want {
				if got[at] != sum {
					t.Errorf("from cycle %d on, %s: %+v, want %+v", from, at, got[at], sum)
				}
			}
			return err
		})
	}
}

// addSum adds to the sum of a cycle and program.
func addSum(to map[string]durable.ProgramSum, program string, accounts int64, v *ledger.Statement) {
	at := fmt.Sprintf("cycle %d of %s", v.Cycle, program)
	sum := to[at]
	sum.Program, sum.Cycle = program, v.Cycle
	sum.Accounts += accounts
	sum.Opening += v.Opening
	sum.Granted += v.Granted
	sum.ClawedBack += v.ClawedBack
	sum.Redeemed += v.Redeemed
	sum.Adjusted += v.Adjusted
	sum.Closing += v.Closing
	to[at] = sum
}
