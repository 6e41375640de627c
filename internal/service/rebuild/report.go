package rebuild

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"recoup/internal/kit/tabular"
)

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	return tabular.WriteJSON(w, struct {
		Accounts     int64            `json:"accounts"`
		Events       int64            `json:"events"`
		Dropped      int64            `json:"dropped_events"`
		Count        int64            `json:"difference_count"`
		Differences  []Difference     `json:"differences"`
		Totals       []Total          `json:"totals"`
		Changes      []Change         `json:"changed_outcomes"`
		Carried      map[string]int64 `json:"carried_over"`
		Milliseconds int64            `json:"milliseconds"`
	}{r.Accounts, r.Events, r.Dropped, r.Count, orNone(r.Differences), orNone(r.Totals), orNone(r.Changes), r.Carried, r.Took.Milliseconds()})
}

// orNone is a list that is written as [] where it is empty.
func orNone[T any](list []T) []T { return append([]T{}, list...) }

// WriteTable writes the report for people. Amounts are in minor units.
func (r *Report) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w)
	if len(r.Differences) > 0 {
		t := tabular.New(out, "account", "currency", ">balance", ">now", ">available now", ">net reward", ">now", ">postings", ">now", ">outcomes")
		for _, d := range r.Differences {
			t.AppendRow(tabular.Row{tabular.Visible(d.Account), d.Currency, d.Old.Balance, d.New.Balance, d.Available, d.Old.NetReward, d.New.NetReward, d.Old.Postings, d.New.Postings, d.Outcomes})
		}
		t.Render()
	}
	if more := r.Count - int64(len(r.Differences)); more > 0 {
		fmt.Fprintf(out, "and %d more accounts that differ.\n", more)
	}
	if len(r.Changes) > 0 {
		t := tabular.New(out, "type", "was", "is now", ">events")
		for _, c := range r.Changes {
			t.AppendRow(tabular.Row{c.Type, c.Old, c.New, c.Events})
		}
		t.Render()
	}
	t := tabular.New(out, "currency", ">accounts", ">balance", ">now", ">net reward", ">now", ">redeemed", ">now", ">postings", ">now")
	for _, c := range r.Totals {
		t.AppendRow(tabular.Row{c.Currency, c.Accounts, c.Old.Balance, c.New.Balance, c.Old.NetReward, c.New.NetReward, c.Old.Redeemed, c.New.Redeemed, c.Old.Postings, c.New.Postings})
	}
	t.Render()
	var tables []string
	for _, name := range slices.Sorted(maps.Keys(r.Carried)) {
		tables = append(tables, fmt.Sprintf("%s %d", name, r.Carried[name]))
	}
	fmt.Fprintf(out, "%d events of %d accounts applied again in %v. Rows carried over: %s.\n", r.Events, r.Accounts, r.Took.Round(time.Millisecond), strings.Join(tables, ", "))
	if r.Dropped > 0 {
		fmt.Fprintf(out, "Events that are refused without a trace now, and so are not in the new log: %d.\n", r.Dropped)
	}
	if r.Count == 0 {
		fmt.Fprintln(out, "No account differs.")
	} else {
		fmt.Fprintf(out, "Accounts that differ: %d.\n", r.Count)
	}
	return out.Flush()
}
