// Package report puts what the other rooms of the lab find on one page with charts:
// the cases of the paper's section 5, its tables, and its sections 7.2 and 7.3.
package report

import (
	"context"
	"fmt"
	"io"
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/internal/lab/gaps"
	"recoup/program"
)

// Report is what the lab found, to be shown on one page to people who decide on
// reward programs. What is nil is left out.
type Report struct {
	Issuers    *examine.Issuers    `json:"issuers,omitzero"`
	Attacks    *attack.Report      `json:"attacks,omitzero"`
	Tiers      *attack.TierReport  `json:"tiers,omitzero"`
	Comparison *compare.Comparison `json:"comparison,omitzero"`
	Gaps       *gaps.Table         `json:"gaps,omitzero"`
}

// New runs the lab on every design: the examination of issuers, the search
// for attacks within the bounds, with the paper's tiers of defence too, and the
// recorded traces of the gaps. A comparison is shown if there is one.
func New(ctx context.Context, b attack.Bounds, c *compare.Comparison) (*Report, error) {
	r := &Report{Comparison: c}
	// Under the lab's own programs, the program as it is given is Recoup (instant).
	designs := slices.DeleteFunc(design.All(), func(d design.Design) bool { return d.Name == design.RecoupName })
	var err error
	if r.Issuers, err = examine.NewIssuers(designs); err != nil {
		return nil, err
	}
	if r.Gaps, err = gaps.Play(); err != nil {
		return nil, err
	}
	if r.Attacks, err = attack.All(ctx, designs, b); err != nil {
		return nil, err
	}
	if r.Tiers, err = attack.Tiers(ctx, b, attack.DefaultGraceDays); err != nil {
		return nil, err
	}
	return r, nil
}

// Write writes the page: one file of HTML that needs nothing from elsewhere. The
// scenarios that it draws are played meanwhile.
func (r *Report) Write(w io.Writer) error {
	p := page.Page{
		Heading: "Refunded but rewarded",
		Lead: []string{
			"Cashback is paid on purchases that can be taken back. Where a refund does not take the reward back as well, or only after the reward can be cashed, a customer can buy, redeem, return and keep the reward on no spend at all, month after month, with nothing but a card and a receipt. This page shows which designs of reward programs allow that, what it costs each of them, and what ends it.",
		},
		Tiles: r.tiles(),
	}
	if r.Issuers != nil {
		p.Sections = append(p.Sections, issuerSection(r.Issuers))
	}
	if r.Attacks != nil {
		p.Sections = append(p.Sections, exposureSection(r.Attacks))
	}
	timelines, err := timelineSection()
	if err != nil {
		return err
	}
	p.Sections = append(p.Sections, timelines)
	if r.Tiers != nil {
		p.Sections = append(p.Sections, tierSection(r.Tiers))
	}
	if r.Comparison != nil {
		p.Sections = append(p.Sections, comparisonSection(r.Comparison))
	}
	if r.Gaps != nil {
		p.Sections = append(p.Sections, gapSection(r.Gaps))
	}
	if r.Attacks != nil {
		p.Sections = append(p.Sections, impactSection(attack.NewImpact(r.Attacks)))
	}
	return p.Write(w)
}

// tiles are the figures to take home.
func (r *Report) tiles() []page.Tile {
	var tiles []page.Tile
	if r.Issuers != nil {
		tiles = append(tiles, issuerTile(r.Issuers))
	}
	if r.Attacks != nil {
		tiles = append(tiles, attackTiles(r.Attacks)...)
	}
	if r.Comparison != nil {
		tiles = append(tiles, comparisonTiles(r.Comparison)...)
	}
	return tiles
}

// issuerTile counts the paper's issuers, which alone are named by one letter.
func issuerTile(t *examine.Issuers) page.Tile {
	issuers, flawed := 0, 0
	for i := range t.Issuers {
		f := &t.Issuers[i]
		if len(f.Design) != 1 {
			continue
		}
		issuers++
		if f.RewardIntegrity != flaw.Satisfied || f.RefundRewardConsistency != flaw.Satisfied {
			flawed++
		}
	}
	return page.Tile{Figure: fmt.Sprintf("%d of %d", flawed, issuers), Text: "of the paper's issuers let a customer keep, or cash too early, rewards on what was returned", Class: "bad"}
}

// attackTiles are the most that repeats anywhere, and at Recoup.
func attackTiles(a *attack.Report) []page.Tile {
	var worst, ours int64
	for i := range a.Designs {
		e := &a.Designs[i]
		if design.IsRecoup(e.Design) {
			ours = max(ours, e.PerYear)
		} else {
			worst = max(worst, e.PerYear)
		}
	}
	class := "good"
	if ours > 0 {
		class = "bad"
	}
	return []page.Tile{
		{Figure: program.FormatAmount(worst, a.Currency), Text: "a year is what one customer takes on nothing kept, by documented moves alone, at the weakest designs", Class: "bad"},
		{Figure: program.FormatAmount(ours, a.Currency), Text: "a year is what the best of all strategies takes from Recoup, however it is configured", Class: class},
	}
}

// comparisonTiles is what the weakest design loses to customers as they are.
func comparisonTiles(c *compare.Comparison) []page.Tile {
	var worst *compare.Figures
	for i := range c.Designs {
		if f := &c.Designs[i]; worst == nil || f.Leakage > worst.Leakage {
			worst = f
		}
	}
	if worst == nil || worst.Leakage == 0 {
		return nil
	}
	return []page.Tile{{Figure: program.FormatAmount(worst.Leakage, c.Currency), Text: "more than their purchases earned went to the customers of the comparison at design " + worst.Design, Class: "bad"}}
}
