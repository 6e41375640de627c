package present

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// with returns the findings of these standings, in the report's order.
func (r report) with(standings ...audit.Standing) (list []*audit.Finding) {
	for i := range r.Findings {
		if slices.Contains(standings, r.Findings[i].Standing) {
			list = append(list, &r.Findings[i])
		}
	}
	return list
}

// shown are the findings that there is something to say of.
func (r report) shown() []*audit.Finding { return r.with(audit.Found, audit.Occasional) }

// findings are flaws with what speaks for each; standards, if wanted, with what they call it.
func (r report) findings(list []*audit.Finding, withStandards bool) *page.Sheet {
	s := page.NewSheet("Flaw", "What goes wrong", "Standing", ">Cases that show it", ">Amount")
	s.Caption = "Amount: what the signs cost the program or, where the flaw short-pays, the customers. A refund may be a sign of several flaws. Of V3(b), G10, G13 and late clawbacks the amount was out for a time, and is lost only as far as debts stay."
	if withStandards {
		s.Columns = append(s.Columns, page.Columns("CWE", "OWASP BLA", "STRIDE")...)
	}
	for _, f := range list {
		cells := []any{code(f), f.Title, r.standing(f), ofAll(f.Shown, f.Could), r.cost(f.Amount)}
		if withStandards {
			cwe, owasp, stride := standards(f.Mapping)
			cells = append(cells, cwe, owasp, stride)
		}
		s.Add(cells...)
	}
	return s
}

func code(f *audit.Finding) page.Cell { return page.Cell{Text: string(f.Code), Class: "w"} }

// evidence says how sure a flaw that was found is, in a sentence.
func evidence(f *audit.Finding) string {
	text := fmt.Sprintf("Seen in %s that could show it.", strings.Replace(ofAll(f.Shown, f.Could), "every one of ", "every one of the ", 1)+" cases")
	if f.Standing == audit.Occasional {
		text += " Most cases do not show it: these are mistakes, or it was mended in between."
	}
	return text
}

// example is one sign of a flaw, spelled out: what happened and, as sentences, what was to
// happen and what did.
type example struct {
	heading         string
	steps           *page.Sheet
	expected, found string
}

// examples spells out the first ones of a finding.
func (r report) examples(f *audit.Finding, most int) (list []example) {
	for i := range f.Examples[:min(most, len(f.Examples))] {
		e := &f.Examples[i]
		heading := "account " + tabular.Visible(e.Account)
		if e.Purchase != "" {
			heading = "purchase " + tabular.Visible(e.Purchase) + " of " + heading
		}
		list = append(list, example{heading + ": " + r.money(e.Amount), r.steps(e.Steps), sentence(tabular.Visible(e.Expected)), sentence(tabular.Visible(e.Found))})
	}
	return list
}

// steps are rows of an account's history, each with how many midnights after the first
// it came.
func (r report) steps(steps []judge.Step) *page.Sheet {
	day := func(i reward.Instant) int64 { return i.Time().Truncate(24*time.Hour).Unix() / 86400 }
	s := page.NewSheet("Date", ">Day", "What happened", ">Amount")
	for i := range steps {
		step := &steps[i]
		amount := ""
		if step.Amount != 0 {
			amount = r.money(step.Amount)
		}
		s.Add(page.Cell{Text: shortDate(step.At), Class: "w"}, strconv.FormatInt(day(step.At)-day(steps[0].At), 10), tabular.Visible(step.What), amount)
	}
	return s
}

// tierNames are the paper's tiers of defence (section 7.3); what is in none comes last.
var tierNames = []string{1: "1 prevention", 2: "2 temporal", 3: "3 recovery", 4: "beyond the tiers"}

// changes is what ends the flaws that were found, by tier; what ends several comes
// once.
func (r report) changes() *page.Sheet {
	s := page.NewSheet("Tier", "What to change", "Ends", ">Amount")
	s.Caption = "Tiers as in the paper: 1 prevention, a clawback with every refund; 2 temporal enforcement, across statement closes; 3 recovery, debts that stay. Amounts are what the flaws cost in these exports; where one refund shows several flaws, ending one may end the others."
	tier := func(f *audit.Finding) int { return (f.Tier+3)%4 + 1 } // 4 for none
	list := r.shown()
	slices.SortStableFunc(list, func(a, b *audit.Finding) int { return tier(a) - tier(b) })
	for len(list) > 0 {
		first := list[0]
		var ends []string
		var amount int64
		list = slices.DeleteFunc(list, func(f *audit.Finding) bool {
			same := f.Remedy == first.Remedy && f.Tier == first.Tier
			if same {
				ends = append(ends, string(f.Code))
				amount += f.Amount
			}
			return same
		})
		s.Add(page.Cell{Text: tierNames[tier(first)], Class: "w"}, first.Remedy, strings.Join(ends, ", "), r.money(amount))
	}
	return s
}

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
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "What sets them apart",
			Paragraphs: []string{"What the refunds that took nothing or too little have in common, the clearest first; each line is of the refunds that those above it leave. " + r.sampled()},
			Table:      r.separation(),
		})
	}
	for _, f := range shown {
		s.Blocks = append(s.Blocks, r.findingBlock(f))
	}
	if list := r.with(audit.NotFound); len(list) > 0 {
		s.Blocks = append(s.Blocks, page.Block{Heading: "Looked for and not found", Table: lookedFor(list)})
	}
	if list := r.with(audit.TooFew); len(list) > 0 {
		s.Blocks = append(s.Blocks, page.Block{
			Heading:    "Not enough to tell",
			Paragraphs: []string{fmt.Sprintf("Too few cases in these exports could have shown %s. Whether the program has them is open. Exports of a longer time may tell.", count(int64(len(list)), "more flaw"))},
			Details:    []page.Detail{{Summary: "Which they are", Blocks: []page.Block{{Table: lookedFor(list)}}}},
		})
	}
	return s
}

// lookedFor are flaws that were not found, with how well they were looked for.
func lookedFor(list []*audit.Finding) *page.Sheet {
	s := page.NewSheet("Flaw", "What goes wrong", ">Cases that show it")
	for _, f := range list {
		s.Add(code(f), f.Title, ofAll(f.Shown, f.Could))
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
			slices.Reverse(values)
		}
		chart.Rows = append(chart.Rows, page.BarRow{Label: string(f.Code), Values: values})
	}
	caption := "What all signs of a flaw cost together. Where some cases show it and most do not, it is occasional: mistakes, or mended in between."
	return page.Block{Figures: []page.Figure{{Chart: chart.SVG(), Caption: caption}}, Table: r.findings(shown, false)}
}

// findingBlock is one flaw with its evidence: the first example in sight, the
// others folded away.
func (r report) findingBlock(f *audit.Finding) page.Block {
	cwe, owasp, stride := standards(f.Mapping)
	b := page.Block{
		Heading:    fmt.Sprintf("%s: %s", f.Code, f.Title),
		Paragraphs: []string{f.Shows + " " + evidence(f) + " It came to " + r.money(f.Amount) + ".", "To change: " + f.Remedy},
		Note:       fmt.Sprintf("%s; OWASP Business Logic Abuse: %s; STRIDE (tampering, repudiation): %s.", cwe, owasp, stride),
	}
	for i, e := range r.examples(f, len(f.Examples)) {
		outcome := "Expected: " + e.expected + " Found: " + e.found
		if i == 0 {
			b.Paragraphs, b.Table = append(b.Paragraphs, "For example "+e.heading+". "+outcome), e.steps
			continue
		}
		b.Details = append(b.Details, page.Detail{Summary: fmt.Sprintf("Example %d: %s", i+1, e.heading), Blocks: []page.Block{{Paragraphs: []string{outcome}, Table: e.steps}}})
	}
	return b
}
