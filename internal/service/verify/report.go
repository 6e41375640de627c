package verify

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// reportJSON is a report as it is printed.
type reportJSON struct {
	Accounts     int64           `json:"accounts"`
	Events       int64           `json:"events"`
	Postings     int64           `json:"postings"`
	Sealed       int64           `json:"sealed_events"`
	Checkpoint   *checkpointJSON `json:"checkpoint"`
	Count        int64           `json:"difference_count"`
	Differences  []Difference    `json:"differences"`
	Unchecked    []string        `json:"unchecked,omitempty"`
	Milliseconds int64           `json:"milliseconds"`
}

type checkpointJSON struct {
	Origin   string `json:"origin"`
	Time     string `json:"time"`
	Accounts int64  `json:"accounts"`
	Events   int64  `json:"events"`
}

func (r *Report) json() reportJSON {
	out := reportJSON{
		Accounts: r.Accounts, Events: r.Events, Postings: r.Postings, Sealed: r.Sealed,
		Count: r.Count, Differences: r.Differences, Unchecked: r.Unchecked, Milliseconds: r.Took.Milliseconds(),
	}
	if p := r.Checkpoint; p != nil {
		out.Checkpoint = &checkpointJSON{p.Origin, p.At.String(), p.Accounts, p.Events}
	}
	return out
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error { return tabular.WriteJSON(w, r.json()) }

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w) // keeps the first error for Flush, which tables do not
	if len(r.Differences) > 0 {
		list := tabular.New(out, "account", ">event", "what", "expected", "found")
		for _, d := range r.Differences {
			event := ""
			if d.Event != 0 {
				event = fmt.Sprint(d.Event)
			}
			list.AppendRow(tabular.Row{d.Account, event, d.What, d.Expected, d.Found})
		}
		list.Render()
	}
	if more := r.Count - int64(len(r.Differences)); more > 0 {
		fmt.Fprintf(out, "and %d more.\n", more)
	}
	fmt.Fprintf(out, "%d accounts, %d events, %d postings checked in %v; %d events are sealed.\n",
		r.Accounts, r.Events, r.Postings, r.Took.Round(time.Millisecond), r.Sealed)
	if p := r.Checkpoint; p != nil {
		fmt.Fprintf(out, "The checkpoint of %s by %s covers %d events of %d accounts.\n", p.At, p.Origin, p.Events, p.Accounts)
	}
	for _, one := range r.Unchecked {
		fmt.Fprintf(out, "Not checked: %s.\n", one)
	}
	if r.Count == 0 {
		fmt.Fprintln(out, "No differences.")
	} else {
		fmt.Fprintf(out, "Differences: %d.\n", r.Count)
	}
	return out.Flush()
}

// recordedDifferences is how many differences the table of checks shows.
const recordedDifferences = 10

// Record notes the result in the table of checks, for those who look at the
// service.
func (r *Report) Record(ctx context.Context, db Database) error {
	summary := r.json()
	summary.Differences = summary.Differences[:min(len(summary.Differences), recordedDifferences)]
	text, err := json.Marshal(summary)
	if err != nil {
		return err
	}
	return noteCheck(ctx, db, runCheck, checked{reward.At(time.Now()), string(text)})
}

// RecordCheckpoint notes a signed checkpoint in the table of checks.
func RecordCheckpoint(ctx context.Context, db Database, c *Checkpoint, signed []byte) error {
	return noteCheck(ctx, db, checkpointCheck, checked{c.At, string(signed)})
}
