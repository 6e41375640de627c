package present

import (
	"fmt"

	"recoup/internal/kit/page"
	"recoup/internal/probe"
)

// gaps are the rows that scenarios of the catalogue show, and the course of each that fails
// for a reason of its own.
func (r result) gaps() []page.Block {
	if len(r.Gaps) == 0 {
		return nil
	}
	classes := map[probe.Outcome]string{probe.Pass: "good", probe.Fail: "bad", probe.NotTold: "part"}
	s := page.NewSheet("Row", "What", "Outcome", "Shown by")
	s.Caption = "Each was looked for by scenarios of the catalogue under the target's terms, and judged by what a correct program does under the same terms and timing."
	own := page.Block{
		Heading:    "What fails for a reason of its own, step by step",
		Paragraphs: []string{"After “really” stands what was returned in truth, which the target is not told."},
	}
	for i := range r.Gaps {
		g := &r.Gaps[i]
		s.Add(g.Row, g.Title, page.Cell{Text: string(g.Outcome), Class: classes[g.Outcome]}, r.shows(g))
		if c := worst(g); c != nil && g.ExplainedBy == "" && len(c.Trace) > 0 {
			summary := fmt.Sprintf("%s, %s: %s", g.Row, c.Scenario, c.Title)
			own.Details = append(own.Details, page.Detail{Summary: summary, Blocks: []page.Block{{Table: trace(c.Trace, r.Money)}}, Plain: true})
		}
	}
	const about = "Gaps of the published algorithms (G), attacks on delivery and matching (M), and below these flaws that have a name of their own."
	blocks := []page.Block{{Paragraphs: []string{about}, Table: s}}
	if own.Details != nil {
		blocks = append(blocks, own)
	}
	return blocks
}

// shows says in a few words what a row's outcome rests on.
func (r result) shows(g *probe.Gap) string {
	if g.Outcome != probe.Fail {
		return g.Reason
	}
	text := ""
	if c := worst(g); c != nil {
		text = fmt.Sprintf("%s: %s %s", c.Scenario, c.Defect, r.Money(c.Amount))
	}
	if g.ExplainedBy != "" {
		text += fmt.Sprintf(" (%s alone explains it)", g.ExplainedBy)
	}
	return text
}

// worst is the failing case to show of a row: one that nothing else explains, of these the
// largest.
func worst(g *probe.Gap) *probe.GapCase {
	var worst *probe.GapCase
	for i := range g.Cases {
		c := &g.Cases[i]
		if c.Outcome != probe.Fail {
			continue
		}
		own, other := c.ExplainedBy == "", worst != nil && worst.ExplainedBy == ""
		if worst == nil || own && !other || own == other && c.Amount > worst.Amount {
			worst = c
		}
	}
	return worst
}
