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
func (r report) with(standings ...audit.Standing) []*audit.Finding {
	var list []*audit.Finding
	for i := range r.Findings {
		if slices.Contains(standings, r.Findings[i].Standing) {
			list = append(list, &r.Findings[i])
		}
	}
	return list
}

// shown are the findings that there is something to say of.
func (r report) shown() []*audit.Finding { return r.with(audit.Found, audit.Occasional) }

// findings are flaws with what speaks for each.
func (r report) findings(list []*audit.Finding) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Flaw", "What goes wrong", "Standing", ">Cases that show it", ">Amount")}
	for _, f := range list {
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			{Text: string(f.Code), Class: "w"}, page.Text(f.Title), r.standing(f), page.Number(ofAll(f.Shown, f.Could)), r.cost(f.Amount),
		}})
	}
	return s
}

// withStandards adds to a table of findings what standards call each.
func withStandards(s page.Sheet, list []*audit.Finding) page.Sheet {
	s.Columns = append(s.Columns, page.Columns("CWE", "OWASP BLA", "STRIDE")...)
	for i, f := range list {
		cwe, owasp, stride := standards(f.Mapping)
		s.Rows[i].Cells = append(s.Rows[i].Cells, page.Text(cwe), page.Text(owasp), page.Text(stride))
	}
	return s
}

// evidence says how sure a flaw that was found is, in a sentence.
func evidence(f *audit.Finding) string {
	text := fmt.Sprintf("Seen in %s that could show it.", strings.Replace(ofAll(f.Shown, f.Could), "every one of ", "every one of the ", 1)+" cases")
	if f.Standing == audit.Occasional {
		text += " Most cases do not show it: these are mistakes, or it was mended in between."
	}
	return text
}

// brief is a flaw with its counts, for a list in a sentence.
func brief(f *audit.Finding) string { return fmt.Sprintf("%s (%s)", f.Code, ofAll(f.Shown, f.Could)) }

// example is one sign of a flaw, spelled out.
type example struct {
	*judge.Example
	heading string
	steps   page.Sheet
	// What was to happen and what did, as sentences.
	expected, found string
}

// examples spells out the first ones of a finding.
func (r report) examples(f *audit.Finding, most int) []example {
	var list []example
	for i := range f.Examples[:min(most, len(f.Examples))] {
		e := &f.Examples[i]
		heading := "account " + tabular.Visible(e.Account)
		if e.Purchase != "" {
			heading = "purchase " + tabular.Visible(e.Purchase) + " of " + heading
		}
		list = append(list, example{
			Example: e, heading: fmt.Sprintf("%s: %s", heading, r.money(e.Amount)), steps: r.steps(e.Steps),
			expected: sentence(tabular.Visible(e.Expected)), found: sentence(tabular.Visible(e.Found)),
		})
	}
	return list
}

// steps are rows of an account's history, each with how many days after the first
// it came.
func (r report) steps(steps []judge.Step) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Date", ">Day", "What happened", ">Amount")}
	for i := range steps {
		step := &steps[i]
		amount := ""
		if step.Amount != 0 {
			amount = r.money(step.Amount)
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			{Text: shortDate(step.At), Class: "w"}, page.Number(strconv.FormatInt(daysBetween(steps[0].At, step.At), 10)),
			page.Text(tabular.Visible(step.What)), page.Number(amount),
		}})
	}
	return s
}

// daysBetween counts the midnights from one moment to another.
func daysBetween(from, to reward.Instant) int64 {
	day := func(i reward.Instant) int64 {
		return i.Time().Truncate(24*time.Hour).Unix() / int64(24*time.Hour/time.Second)
	}
	return day(to) - day(from)
}

// tierNames are the paper's tiers of defence (section 7.3).
var tierNames = map[int]string{1: "1 prevention", 2: "2 temporal", 3: "3 recovery"}

// changes is what ends the flaws that were found, by tier; what ends several comes
// once.
func (r report) changes() page.Sheet {
	s := page.Sheet{Columns: page.Columns("Tier", "What to change", "Ends", ">Amount")}
	list := r.shown()
	slices.SortStableFunc(list, func(a, b *audit.Finding) int { return lastTier(a.Tier) - lastTier(b.Tier) })
	for len(list) > 0 {
		first := list[0]
		var ends []string
		var amount int64
		rest := list[:0:0]
		for _, f := range list {
			if f.Remedy != first.Remedy || f.Tier != first.Tier {
				rest = append(rest, f)
				continue
			}
			ends = append(ends, string(f.Code))
			amount += f.Amount
		}
		tier := tierNames[first.Tier]
		if tier == "" {
			tier = "beyond the tiers"
		}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{{Text: tier, Class: "w"}, page.Text(first.Remedy), page.Text(strings.Join(ends, ", ")), page.Number(r.money(amount))}})
		list = rest
	}
	return s
}

// lastTier puts what is in no tier last.
func lastTier(tier int) int {
	if tier == 0 {
		return len(tierNames) + 1
	}
	return tier
}
