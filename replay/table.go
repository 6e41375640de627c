package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"recoup/program"
	"recoup/reward"
)

// tableRows is how many accounts the table for people lists.
const tableRows = 40

// WriteTable writes the final state for people: the outcomes, then the accounts.
func (r *Result) WriteTable(w io.Writer) error {
	outcomes := newTable(w, "outcome", "code", "events")
	keys := slices.SortedFunc(maps.Keys(r.Outcomes), func(x, y reward.Result) int {
		return cmp.Or(cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.Code, y.Code))
	})
	for _, k := range keys {
		outcomes.AppendRow(table.Row{k.Outcome.String(), k.Code.String(), r.Outcomes[k]})
	}
	outcomes.AppendFooter(table.Row{"total", "", r.Events})
	outcomes.Render()
	fmt.Fprintln(w)

	accounts := newTable(w, "account", "status", "net spend", "entitlement", "net reward", "redeemed", "balance", "held", "available")
	money := func(minor int64) string { return program.FormatAmount(minor, r.Program.Currency) }
	n := 0
	for id := range r.Store.Accounts() {
		if n++; n > tableRows {
			continue
		}
		s := r.Store.Account(id).Summary()
		accounts.AppendRow(table.Row{s.Account, status(s), money(s.NetSpend), money(s.Entitlement), money(s.NetReward), money(s.Redeemed), money(s.Balance), money(s.Held), money(s.Available)})
	}
	accounts.Render()
	if n > tableRows {
		fmt.Fprintf(w, "%d of %d accounts; --output json lists all of them with their transactions.\n", tableRows, n)
	}
	return nil
}

// newTable returns a plain table with its numbers to the right.
func newTable(w io.Writer, header ...string) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	row := make(table.Row, len(header))
	var columns []table.ColumnConfig
	for i, name := range header {
		row[i] = name
		if i > 1 {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}
