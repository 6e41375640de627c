package gaps

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"recoup/internal/issuer"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
)

// TermsTable is what designs make of terms that are more than a rate and a monthly cap:
// steps, bonuses, tiers, items, rewards that expire. Every design is asked; one that cannot
// say a program's terms says so.
type TermsTable struct {
	Designs []string   `json:"designs"`
	Rows    []TermsRow `json:"rows"`
}

// TermsRow is one scenario, at its end. Amounts are in minor units of the program's
// rewards.
type TermsRow struct {
	Scenario    string `json:"scenario"`
	Title       string `json:"title"`
	Entitlement int64  `json:"entitlement"`
	// Net is what each design, in the table's order, has paid or owes; nil where it cannot
	// say the terms.
	Net []*int64 `json:"net"`
	// Mismatches are the things that Recoup did otherwise than the scenario says. There
	// should be none.
	Mismatches []string `json:"mismatches,omitempty"`

	amount func(int64) string
}

// PlayTerms plays the scenarios of terms at every design, Recoup last.
func PlayTerms() (*TermsTable, error) {
	designs := design.Others()
	for _, v := range append(design.Variants(), design.Vendors()...) {
		designs = append(designs, v.Design)
	}
	ours, err := design.Find(design.RecoupName)
	if err != nil {
		return nil, err
	}
	designs = append(designs, ours)
	table := &TermsTable{}
	for _, d := range designs {
		table.Designs = append(table.Designs, d.Name)
	}
	for _, s := range scenario.Terms() {
		unit := s.Program.Units().Reward
		row := TermsRow{Scenario: s.Name, Title: s.Title, amount: func(minor int64) string { return program.Format(minor, unit) }}
		for _, d := range designs {
			transcript, err := scenario.Play(s, d.New(s.Program))
			if errors.Is(err, issuer.ErrUnsupported) {
				row.Net = append(row.Net, nil)
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("design %s: %w", d.Name, err)
			}
			last := transcript.Last()
			net := last.NetReward()
			row.Net, row.Entitlement = append(row.Net, &net), last.Entitlement
			if d.Name == design.RecoupName {
				for _, mismatch := range scenario.Check(transcript, scenario.Recoup) {
					row.Mismatches = append(row.Mismatches, mismatch.String())
				}
			}
		}
		table.Rows = append(table.Rows, row)
	}
	return table, nil
}

// Failures lists what Recoup did otherwise than the scenarios say.
func (t *TermsTable) Failures() (failures []string) {
	for i := range t.Rows {
		failures = append(failures, t.Rows[i].Mismatches...)
	}
	return failures
}

// WriteTable writes a column for each design that can say all the terms, and names the
// others below with how many of the programs they can say.
func (t *TermsTable) WriteTable(w io.Writer) error {
	var shown []int
	var unsaid []string
	columns := []string{"row", "trace", ">entitled to"}
	for i, name := range t.Designs {
		said := 0
		for _, row := range t.Rows {
			if row.Net[i] != nil {
				said++
			}
		}
		if said == len(t.Rows) {
			shown = append(shown, i)
			columns = append(columns, ">"+name)
		} else {
			unsaid = append(unsaid, fmt.Sprintf("%s (%d)", name, said))
		}
	}
	page := tabular.New(w, append(columns, "right")...)
	for _, row := range t.Rows {
		number, _, _ := strings.Cut(row.Scenario, "-")
		cells := tabular.Row{strings.ToUpper(number), row.Title, row.amount(row.Entitlement)}
		for _, i := range shown {
			net := row.amount(*row.Net[i])
			if *row.Net[i] > row.Entitlement {
				net += " !"
			}
			cells = append(cells, net)
		}
		right := "✓"
		if len(row.Mismatches) > 0 {
			right = "×"
		}
		page.AppendRow(append(cells, right))
	}
	page.Render()
	fmt.Fprintln(w, "Amounts are net rewards at the end of the trace; those with ! are above what is due. ✓: Recoup does at every step what the scenario says.")
	_, err := fmt.Fprintf(w, "Not supported by the other designs, but for so many of the %d programs: %s.\n", len(t.Rows), strings.Join(unsaid, ", "))
	return err
}
