package present

import (
	"fmt"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
)

// findingsSection is every flaw that exports can show, those that were found with
// examples.
func (r report) findingsSection() page.Section {
	s := page.Section{ID: "findings", Title: "What was found"}
	shown := r.shown()
	if len(shown) == 0 {
		s.Blocks = append(s.Blocks, page.Block{Paragraphs: []string{"None of the flaws that exports can show was found."}})
	} else {
		s.Blocks = append(s.Blocks, r.findingsOverview(shown))
	}
	if r.separated() {
		table := r.separation()
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "What sets them apart",
			Paragraphs: []string{"What the refunds that took nothing or too little have in common, the clearest first; each line is of the refunds that those above it leave. " + r.sampled()},
			Table:      &table,
		})
	}
	for _, f := range shown {
		s.Blocks = append(s.Blocks, r.findingBlock(f))
	}
	if list := r.with(audit.NotFound); len(list) > 0 {
		table := lookedFor(list)
		s.Blocks = append(s.Blocks, page.Block{Heading: "Looked for and not found", Table: &table})
	}
	if list := r.with(audit.TooFew); len(list) > 0 {
		table := lookedFor(list)
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "Not enough to tell",
			Paragraphs: []string{fmt.Sprintf("Too few cases in these exports could have shown %s. Whether the program has them is open. Exports of a longer time may tell.", count(int64(len(list)), "more flaw"))},
			Details:    []page.Detail{{Summary: "Which they are", Blocks: []page.Block{{Table: &table}}}},
		})
	}
	return s
}

// lookedFor are flaws that were not found, with how well they were looked for.
func lookedFor(list []*audit.Finding) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Flaw", "What goes wrong", ">Cases that show it")}
	for _, f := range list {
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{{Text: string(f.Code), Class: "w"}, page.Text(f.Title), page.Number(ofAll(f.Shown, f.Could))}})
	}
	return s
}

// findingsOverview is the costliest flaw first.
func (r report) findingsOverview(shown []*audit.Finding) page.Block {
	chart := page.BarChart{
		Title: "What each flaw cost", Format: r.money,
		Parts: []page.BarPart{{Name: "a thousandth of all that was granted, or more", Class: "red"}, {Name: "less", Class: "amber"}},
	}
	for _, f := range shown {
		values := []int64{max(f.Amount, 0), 0}
		if r.weight(f.Amount) != "bad" {
			values[0], values[1] = 0, values[0]
		}
		chart.Rows = append(chart.Rows, page.BarRow{Label: string(f.Code), Values: values})
	}
	table := r.findings(shown)
	table.Caption = "Amount: what the signs cost the program or, where the flaw short-pays, the customers. A refund may be a sign of several flaws. Of V3(b), G10, G13 and late clawbacks the amount was out for a time, and is lost only as far as debts stay."
	return page.Block{Figures: []page.Figure{{Chart: chart.SVG(), Caption: "What all signs of a flaw cost together. Where some cases show it and most do not, it is occasional: mistakes, or mended in between."}}, Table: &table}
}

// findingBlock is one flaw with its evidence: the first example in sight, the
// others folded away.
func (r report) findingBlock(f *audit.Finding) page.Block {
	cwe, owasp, stride := standards(f.Mapping)
	b := page.Block{
		Heading: fmt.Sprintf("%s: %s", f.Code, f.Title),
		Paragraphs: []string{
			f.Shows + " " + evidence(f) + " It came to " + r.money(f.Amount) + ".",
			"To change: " + f.Remedy,
		},
		Note: fmt.Sprintf("%s; OWASP Business Logic Abuse: %s; STRIDE (tampering, repudiation): %s.", cwe, owasp, stride),
	}
	for i, e := range r.examples(f, len(f.Examples)) {
		steps := e.steps
		outcome := "Expected: " + e.expected + " Found: " + e.found
		if i == 0 {
			b.Paragraphs = append(b.Paragraphs, "For example "+e.heading+". "+outcome)
			b.Table = &steps
			continue
		}
		b.Details = append(b.Details, page.Detail{Summary: fmt.Sprintf("Example %d: %s", i+1, e.heading), Blocks: []page.Block{{Paragraphs: []string{outcome}, Table: &steps}}})
	}
	return b
}

// changesSection is what to do about what was found, by tier.
func (r report) changesSection() page.Section {
	table := r.changes()
	table.Caption = "Tiers as in the paper: 1 prevention, a clawback with every refund; 2 temporal enforcement, across statement closes; 3 recovery, debts that stay. Amounts are what the flaws cost in these exports; where one refund shows several flaws, ending one may end the others."
	return page.Section{ID: "changes", Title: "What to change", Blocks: []page.Block{{Table: &table}}}
}
