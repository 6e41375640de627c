package present

import (
	"fmt"
	"io"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
)

// WriteHTML writes the report as one page for risk, audit and management: the
// verdict first, then what it rests on. It needs nothing from elsewhere and runs
// no script.
func WriteHTML(w io.Writer, of *audit.Report) error {
	r := report{of}
	p := page.Page{Heading: "Audit of the reward program " + tabular.Visible(r.Program), Lead: r.verdict(), Tiles: r.tiles()}
	p.Sections = append(p.Sections, r.behaviourSection(), r.moneySection(), r.findingsSection())
	if len(r.shown()) > 0 {
		p.Sections = append(p.Sections, page.Section{ID: "changes", Title: "What to change", Blocks: []page.Block{{Table: r.changes()}}})
	}
	p.Sections = append(p.Sections, r.arrivalSection())
	if r.simulated() {
		p.Sections = append(p.Sections, r.simulationSection())
	}
	p.Sections = append(p.Sections, r.accountsSection(), r.inputSection(), methodSection())
	return p.Write(w)
}

// tiles are the figures to take home.
func (r report) tiles() []page.Tile {
	f := &r.Figures
	leakage := r.tile(f.Leakage, fmt.Sprintf("leakage: more in rewards than the published terms promise on what customers kept; %s of what was granted, %s a year", basisPoints(r.LeakageRate), r.short(r.LeakagePerYear)))
	if least := r.LeastLeakage(); least < f.Leakage {
		leakage.Figure, leakage.Class = r.short(least)+" to "+leakage.Figure, r.weight(least)
	}
	return []page.Tile{
		leakage,
		r.tile(f.ShortPaid, "short-payment: less than customers were promised"),
		r.tile(f.Debt+f.RedeemedOpen, "exposure: owed by negative balances, and redeemed on purchases that can still be returned"),
		r.tile(r.averageFloat(), "float: out on the average between refunds and their clawbacks"),
	}
}

// tile is an amount that is best zero, in the colour of its weight.
func (r report) tile(amount int64, text string) page.Tile {
	return page.Tile{Figure: r.short(amount), Text: text, Class: r.weight(amount)}
}

// behaviourSection is the class with what it follows from.
func (r report) behaviourSection() page.Section {
	s := page.Section{ID: "behaviour", Title: "How the program behaves", Blocks: []page.Block{{Table: r.behaviour()}}}
	same, later := &r.Verdict.SameCycle, &r.Verdict.LaterCycle
	if handled(same)+handled(later) == 0 {
		s.Blocks = append(s.Blocks, page.Block{Paragraphs: []string{"There is no refund in the exports with a reward at stake, so there is nothing to see of what refunds do."}})
		return s
	}
	chart := page.BarChart{
		Title: "What became of the reward of refunded purchases, by money", Format: r.money,
		Parts: []page.BarPart{{Name: "taken back, or left out of the grant", Class: "green"}, {Name: "not taken", Class: "red"}},
		Rows: []page.BarRow{
			{Label: "same cycle", Values: []int64{max(0, same.Stake-same.Untaken), same.Untaken}},
			{Label: "later cycle", Values: []int64{max(0, later.Stake-later.Untaken), later.Untaken}},
		},
	}
	s.Blocks = append(s.Blocks, page.Block{
		Heading:    "What refunds did",
		Paragraphs: []string{"Every refund and chargeback of a purchase that had earned something, by whether it came in the billing cycle of its purchase or in a later one, and by what became of its share of the reward. In time is at the next close at the latest."},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Where the two bars differ in kind, the statement close matters, which is what V2 exploits."}},
		Table:      r.handling(),
	})
	return s
}
