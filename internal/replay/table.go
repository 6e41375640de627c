package replay

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"recoup/internal/kit/tabular"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// tableRows is how many accounts the table for people lists.
const tableRows = 40

// WriteTable writes the final state for people: the outcomes, then the accounts.
func (r *Result) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w) // keeps the first error for Flush, which tables do not
	outcomes := tabular.New(out, "outcome", "code", ">events")
	keys := slices.SortedFunc(maps.Keys(r.Outcomes), func(x, y reward.Result) int {
		return cmp.Or(cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.Code, y.Code))
	})
	for _, k := range keys {
		outcomes.AppendRow(tabular.Row{k.Outcome.String(), k.Code.String(), r.Outcomes[k]})
	}
	outcomes.AppendFooter(tabular.Row{"total", "", r.Events})
	outcomes.Render()
	fmt.Fprintln(out)

	accounts := tabular.New(out, "account", "status", ">net spend", ">entitlement", ">net reward", ">redeemed", ">balance", ">held", ">available")
	told := program.Telling(r.Program)
	spend, money := told.Spend, told.Reward
	n := 0
	for id := range r.Store.Accounts() {
		if n++; n > tableRows {
			continue
		}
		s := r.Store.Account(id).Summary()
		accounts.AppendRow(tabular.Row{s.Account, status(s), spend(s.NetSpend), money(s.Entitlement), money(s.NetReward), money(s.Redeemed), money(s.Balance), money(s.Held), money(s.Available)})
	}
	accounts.Render()
	if n > tableRows {
		fmt.Fprintf(out, "%d of %d accounts; --output json lists all of them with their transactions.\n", tableRows, n)
	}
	if b, ok := r.Store.Totals(); ok {
		fmt.Fprintf(out, "Of %s granted, %s was clawed back; %s was redeemed, %s adjusted by hand; %s is owed to cardholders.\n",
			money(b.Granted), money(b.ClawedBack), money(-b.Sums[ledger.RedemptionClearing]), money(b.Sums[ledger.AdjustmentExpense]), money(-b.Sums[ledger.CardholderRewards]))
		if expired := -b.Sums[ledger.ExpiredRewards]; expired != 0 {
			fmt.Fprintf(out, "%s was not used in time and has expired.\n", money(expired))
		}
	}
	return out.Flush()
}
