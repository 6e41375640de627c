package attack

import (
	"context"
	"fmt"
	"io"
	"strings"

	"recoup/internal/issuer"
	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// DefaultGraceDays is the Δ_grace that the tiers are tried with. The paper leaves
// it to the issuer.
const DefaultGraceDays = 14

// Tier is one combination of the paper's three tiers of defence (section 7.3) in
// its literal algorithms, and what the best attack then takes. Amounts are in
// minor units.
type Tier struct {
	Architecture string `json:"architecture"`
	Prevention   bool   `json:"prevention"` // tier 1: Algorithm 2 is there
	Temporal     bool   `json:"temporal"`   // tier 2: Algorithm 4 and the grace hold are
	Recovery     bool   `json:"recovery"`   // tier 3: balances go below zero

	Repeatable      int64 `json:"repeatable_per_cycle"`
	WithOneMore     int64 `json:"repeatable_with_one_more_purchase"`
	PerYear         int64 `json:"repeatable_per_year"`
	WalkAwayFromOne int64 `json:"walk_away_from_one_cycle"`
	WalkAway        int64 `json:"walk_away"`
	Float           Float `json:"float"`
}

// TierReport says what the paper's tiers of defence are good for, together and
// one without the other.
type TierReport struct {
	Currency  string `json:"currency"`
	Bounds    Bounds `json:"bounds"`
	GraceDays int    `json:"grace_days"`
	Tiers     []Tier `json:"tiers"`
}

// Tiers searches for the best attacks on the literal algorithms with every
// combination of tiers in every architecture, all tiers on first.
func Tiers(ctx context.Context, b Bounds, graceDays int) (*TierReport, error) {
	if graceDays < 0 || graceDays > 27 {
		return nil, fmt.Errorf("lab: grace days %d: expected 0 to 27", graceDays)
	}
	r := &TierReport{Bounds: b, GraceDays: graceDays}
	var designs []design.Design
	for _, architecture := range []design.Architecture{design.EventDriven, design.BatchCycle, design.Hybrid} {
		for without := range 8 {
			o := design.LiteralOptions{
				Architecture: architecture, GraceDays: graceDays,
				WithoutPrevention: without&1 != 0, WithoutTemporal: without&2 != 0, WithoutRecovery: without&4 != 0,
			}
			t := Tier{Architecture: architecture.String(), Prevention: !o.WithoutPrevention, Temporal: !o.WithoutTemporal, Recovery: !o.WithoutRecovery}
			r.Tiers = append(r.Tiers, t)
			designs = append(designs, design.Design{
				Name: fmt.Sprintf("%s with tiers %s", t.Architecture, t.names()),
				New:  func(p *reward.Program) issuer.Issuer { return design.NewLiteral(p, o) },
			})
		}
	}
	attacked, err := All(ctx, designs, b)
	if err != nil {
		return nil, err
	}
	r.Currency = attacked.Currency
	for i := range attacked.Designs {
		t, e := &r.Tiers[i], &attacked.Designs[i]
		t.Repeatable, t.WithOneMore, t.PerYear = e.Repeatable, e.WithOneMore, e.PerYear
		t.WalkAwayFromOne, t.WalkAway, t.Float = e.WalkAwayFromOne, e.WalkAway, e.Float
	}
	return r, nil
}

// names lists the numbers of the tiers that are on.
func (t *Tier) names() string {
	list := ""
	for i, on := range []bool{t.Prevention, t.Temporal, t.Recovery} {
		if on {
			list += fmt.Sprintf(" %d", i+1)
		}
	}
	if list == "" {
		return "none"
	}
	return list[1:]
}

// InWords names the tiers that are on.
func (t *Tier) InWords() string {
	var on []string
	for _, tier := range []struct {
		name string
		on   bool
	}{{"1 prevention", t.Prevention}, {"2 temporal", t.Temporal}, {"3 recovery", t.Recovery}} {
		if tier.on {
			on = append(on, tier.name)
		}
	}
	if on == nil {
		return "none"
	}
	return strings.Join(on, ", ")
}

// WriteTable writes the combinations for people, one a row.
func (r *TierReport) WriteTable(w io.Writer) error {
	money := func(minor int64) string { return program.FormatAmount(minor, r.Currency) }
	onOff := map[bool]string{true: "on", false: "-"}
	fmt.Fprintf(w, "%s\nThe paper's Algorithms 1 to 4, taken literally, with a grace hold of %d days; tier 1 prevention, tier 2 temporal enforcement, tier 3 recovery.\n",
		r.Bounds.Describe(r.Currency), r.GraceDays)
	t := tabular.New(w, "architecture", "tier 1", "tier 2", "tier 3", ">per cycle", ">one purchase more", ">per year", ">walk-away, one cycle", r.Bounds.WalkAway(), ">float")
	for i := range r.Tiers {
		if i > 0 && r.Tiers[i].Architecture != r.Tiers[i-1].Architecture {
			t.AppendSeparator()
		}
		row := &r.Tiers[i]
		t.AppendRow(tabular.Row{
			row.Architecture, onOff[row.Prevention], onOff[row.Temporal], onOff[row.Recovery],
			money(row.Repeatable), money(row.WithOneMore), money(row.PerYear),
			money(row.WalkAwayFromOne), money(row.WalkAway), row.Float.Describe(r.Currency),
		})
	}
	t.Render()
	return nil
}
