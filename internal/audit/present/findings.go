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

// tiers are the paper's tiers of defence (section 7.3); what is in none comes last.
var tiers = []string{1: "1 prevention", 2: "2 temporal", 3: "3 recovery", 4: "beyond the tiers"}

// changes is what ends the flaws that were found, by tier; what ends several comes once.
func (r report) changes() []page.Block {
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
		s.Add(page.Cell{Text: tiers[tier(first)], Class: "w"}, first.Remedy, strings.Join(ends, ", "), r.weighed(amount))
	}
	if s.Rows == nil {
		return nil
	}
	return []page.Block{{Table: s}}
}

// found is every flaw that exports can show: what was found with what sets it apart and
// examples, then what was not.
func (r report) found() []page.Block {
	shown, blocks := r.shown(), []page.Block{{Paragraphs: []string{"None of the flaws that exports can show was found."}}}
	if len(shown) > 0 {
		blocks[0] = r.overview(shown)
	}
	if s := r.Separation; s != nil && s.Untaken > 0 {
		blocks = append(blocks, r.separation(s))
	}
	for _, f := range shown {
		blocks = append(blocks, r.finding(f))
	}
	lookedFor := func(heading, said, more string, list []*audit.Finding) {
		codes := make([]string, len(list))
		for i, f := range list {
			codes[i] = fmt.Sprintf("%s (%s)", f.Code, ofAll(f.Shown, f.Could))
		}
		if len(list) > 0 {
			blocks = append(blocks, page.Block{
				Heading: heading, Paragraphs: []string{said + ": " + strings.Join(codes, ", ") + "." + more},
				Details: []page.Detail{{Summary: "What these would be", Blocks: []page.Block{{Table: r.table(list)}}}},
			})
		}
	}
	lookedFor("What was not found", "Looked for and not found", "", r.with(audit.NotFound))
	few := r.with(audit.TooFew)
	lookedFor("Not enough to tell", "Not enough refunds to tell",
		fmt.Sprintf(" Too few cases in these exports could have shown %s. Whether the program has them is open. Exports of a longer time may tell.", count(int64(len(few)), "more flaw")), few)
	return blocks
}

// overview is what each flaw cost, the costliest first.
func (r report) overview(shown []*audit.Finding) page.Block {
	chart := page.BarChart{
		Title: "What each flaw cost", Format: r.money,
		Parts: []page.BarPart{{Name: "a thousandth of all that was granted, or more", Class: "red"}, {Name: "less", Class: "amber"}},
	}
	for _, f := range shown {
		bar := page.BarRow{Label: string(f.Code), Values: []int64{max(f.Amount, 0), 0}}
		if r.weight(f.Amount) != "bad" {
			slices.Reverse(bar.Values)
		}
		chart.Rows = append(chart.Rows, bar)
	}
	caption := "What all signs of a flaw cost together. Where some cases show it and most do not, it is occasional: mistakes, or mended in between."
	return page.Block{Figures: []page.Figure{{Chart: chart.SVG(), Caption: caption}}, Table: r.table(shown)}
}

// table is flaws with what speaks for each.
func (r report) table(list []*audit.Finding) *page.Sheet {
	s := page.NewSheet("Flaw", "What goes wrong", "Standing", ">Cases that show it", ">Amount", "CWE", "OWASP BLA", "STRIDE")
	s.Caption = "Amount: what the signs cost the program or, where the flaw short-pays, the customers. A refund may be a sign of several flaws. Of V3(b), G10, G13 and late clawbacks the amount was out for a time, and is lost only as far as debts stay."
	for _, f := range list {
		names, amount := standards(f.Mapping), r.weighed(f.Amount)
		if f.Standing == audit.TooFew {
			amount = page.Number(amount.Text) // which says nothing
		}
		s.Add(page.Cell{Text: string(f.Code), Class: "w"}, f.Title, string(f.Standing), ofAll(f.Shown, f.Could), amount, names[0], names[1], names[2])
	}
	return s
}

// separation is the list of conditions that set refunds apart, each of those that the ones
// before it leave.
func (r report) separation(s *audit.Separation) page.Block {
	sheet := page.NewSheet("Refunds", ">Took nothing or too little", ">Amount")
	refunds, untaken, amount, or := s.Refunds, s.Untaken, s.Amount, ""
	for i := range s.Rules {
		rule := &s.Rules[i]
		sheet.Add(or+tabular.Visible(rule.Words), ofAll(rule.Untaken, rule.Refunds), r.weighed(rule.Amount))
		refunds, untaken, amount, or = refunds-rule.Refunds, untaken-rule.Untaken, amount-rule.Amount, "else "
	}
	sheet.Add("all others", ofAll(untaken, refunds), r.weighed(amount))
	of := count(s.Refunds, "refund") + " with a reward at stake were looked at"
	if s.Sampled {
		of += ", a sample of all"
	}
	return page.Block{
		Heading:    "What sets them apart",
		Paragraphs: []string{"What the refunds that took nothing or too little have in common, the clearest first; each line is of the refunds that those above it leave. " + of + "."},
		Table:      sheet,
	}
}

// evidence says how sure a flaw that was found is, and what it came to.
func (r report) evidence(f *audit.Finding) string {
	text := fmt.Sprintf("Seen in %s cases that could show it.", strings.Replace(ofAll(f.Shown, f.Could), "every one of ", "every one of the ", 1))
	if f.Standing == audit.Occasional {
		text += " Most cases do not show it: these are mistakes, or it was mended in between."
	}
	return text + " It came to " + r.money(f.Amount) + "."
}

// finding is one flaw with its evidence. On a page the first example is in sight and the
// others are folded away; a terminal shows two.
func (r report) finding(f *audit.Finding) page.Block {
	const most = 2
	names := standards(f.Mapping)
	b := page.Block{
		Heading:    fmt.Sprintf("%s: %s", f.Code, f.Title),
		Paragraphs: []string{f.Shows + " " + r.evidence(f), "To change: " + f.Remedy},
		Note:       fmt.Sprintf("%s; OWASP Business Logic Abuse: %s; STRIDE (tampering, repudiation): %s.", names[0], names[1], names[2]),
	}
	for i := range f.Examples {
		e := &f.Examples[i]
		heading := "account " + tabular.Visible(e.Account) + ": " + r.money(e.Amount)
		if e.Purchase != "" {
			heading = "purchase " + tabular.Visible(e.Purchase) + " of " + heading
		}
		outcome := "Expected: " + sentence(e.Expected) + " Found: " + sentence(e.Found)
		steps := r.steps(e.Steps)
		switch {
		case !r.page && i < most:
			b.Pre += "  " + sentence(heading) + "\n"
			for _, row := range steps.Rows {
				b.Pre += fmt.Sprintf("    %s  day %3s  %14s  %s\n", row.Cells[0].Text, row.Cells[1].Text, row.Cells[3].Text, row.Cells[2].Text)
			}
			b.Pre += "    Expected: " + sentence(e.Expected) + "\n    Found:    " + sentence(e.Found) + "\n"
		case !r.page:
			b.Note = count(int64(len(f.Examples)-most), "more example") + " with --output json or --html."
		case i == 0:
			b.Paragraphs, b.Table = append(b.Paragraphs, "For example "+heading+". "+outcome), steps
		default:
			b.Details = append(b.Details, page.Detail{Summary: fmt.Sprintf("Example %d: %s", i+1, heading), Blocks: []page.Block{{Paragraphs: []string{outcome}, Table: steps}}})
		}
	}
	return b
}

// steps are rows of an account's history, each with how many midnights after the first it
// came.
func (r report) steps(steps []judge.Step) *page.Sheet {
	day := func(i reward.Instant) int64 { return i.Time().Truncate(24*time.Hour).Unix() / 86400 }
	s := page.NewSheet("Date", ">Day", "What happened", ">Amount")
	for i := range steps {
		step, amount := &steps[i], ""
		if step.Amount != 0 {
			amount = r.money(step.Amount)
		}
		s.Add(page.Cell{Text: date(step.At), Class: "w"}, strconv.FormatInt(day(step.At)-day(steps[0].At), 10), tabular.Visible(step.What), amount)
	}
	return s
}
