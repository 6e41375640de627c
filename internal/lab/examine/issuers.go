package examine

import (
	"fmt"
	"io"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/program"
)

// Issuers is the paper's table "Comparative issuer behavior", found out by
// examination. Amounts are in minor units.
type Issuers struct {
	Currency string    `json:"currency"`
	Purchase int64     `json:"sample_purchase"`
	Issuers  []Finding `json:"issuers"`
}

// Finding is one design with what its examination found.
type Finding struct {
	Design    string `json:"design"`
	Title     string `json:"title"`
	Source    string `json:"source"`
	Behaviour `json:",inline"`
}

// examinedFrom is the year in which examinations begin.
const examinedFrom = 2026

// NewIssuers examines each of the designs under the terms of the example
// program, with purchases of groceries for $100 at 5 %.
func NewIssuers(designs []design.Design) (*Issuers, error) {
	p := program.Everyday()
	sample := Sample{Amount: 100_00, Merchant: "m1", Category: "GROCERY"}
	table := &Issuers{Currency: p.Currency, Purchase: sample.Amount}
	for _, d := range designs {
		b, err := Issuer(d.New(p), sample, examinedFrom)
		if err != nil {
			return nil, fmt.Errorf("design %s: %w", d.Name, err)
		}
		table.Issuers = append(table.Issuers, Finding{d.Name, d.Title, d.Source, *b})
	}
	return table, nil
}

// WriteTable writes two tables for people: the behaviour, and the classes with
// what standards call them and what was seen.
func (t *Issuers) WriteTable(w io.Writer) error {
	money := func(minor int64) string { return program.FormatAmount(minor, t.Currency) }
	fmt.Fprintf(w, "Every purchase is of %s.\n", money(t.Purchase))
	behaviour := tabular.New(w, "design", "reward timing", "refund adjustment", "neg. balance", "RI", "RRC", "residual float", ">walk-away loss", ">in three rounds")
	for i := range t.Issuers {
		f := &t.Issuers[i]
		behaviour.AppendRow(tabular.Row{
			f.Design, f.RewardTiming, f.RefundAdjustment, f.NegativeBalance, f.RewardIntegrity.Symbol(), f.RefundRewardConsistency.Symbol(),
			f.FloatInWords(money), money(f.WalkAway), money(f.WalkAwayRounds),
		})
	}
	behaviour.Render()
	for i := range t.Issuers {
		if f := &t.Issuers[i]; len(f.Notes) > 0 {
			fmt.Fprintf(w, "%s: %s.\n", f.Design, strings.Join(f.Notes, "; "))
		}
	}
	fmt.Fprintln(w)

	classes := tabular.New(w, "design", "class", "violates", "CWE", "OWASP Business Logic Abuse", "T", "R", "seen in", ">net spend", ">net reward")
	for i := range t.Issuers {
		f := &t.Issuers[i]
		row := tabular.Row{f.Design, f.Class, f.Violates(), f.CWE, owasp(f.OWASP), f.Tampering, f.Repudiation, strings.ReplaceAll(f.Evidence.Sequence, "-", " ")}
		for j, cell := range row {
			switch cell {
			case "":
				row[j] = "–"
			case flaw.Impacted:
				row[j] = "✓"
			}
		}
		classes.AppendRow(append(row, money(f.Evidence.NetSpend), money(f.Evidence.NetReward)))
	}
	classes.Render()
	fmt.Fprintln(w, "S, I, D and E of STRIDE are outside the adversary model; 'recoup lab taxonomy' has the paper's own tables beside what is found. Robust is where these sequences found nothing; 'recoup lab gaps' plays more.")
	return nil
}

// Violates lists the invariants that do not hold, or hold only as long as the
// cardholder goes on using the card.
func (b *Behaviour) Violates() string {
	var list []string
	for _, i := range []struct {
		name    flaw.Invariant
		verdict flaw.Verdict
	}{{flaw.RewardIntegrity, b.RewardIntegrity}, {flaw.RefundRewardConsistency, b.RefundRewardConsistency}} {
		switch i.verdict {
		case flaw.Violated:
			list = append(list, string(i.name))
		case flaw.Partial:
			list = append(list, string(i.name)+" in part")
		}
	}
	return strings.Join(list, ", ")
}

// FloatInWords says what of refunded rewards could be redeemed, and for how long.
func (b *Behaviour) FloatInWords(money func(int64) string) string {
	switch {
	case b.Float == 0:
		return "none"
	case b.FloatDays < 0:
		return money(b.Float) + " for good"
	}
	return fmt.Sprintf("%s for %d days", money(b.Float), b.FloatDays)
}
