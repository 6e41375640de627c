package present

import (
	"fmt"
	"io"

	"recoup/internal/kit/page"
	"recoup/internal/probe"
	"recoup/program"
	"recoup/reward"
)

// course is a course of moves under a heading: drawn, and step by step.
func (r result) course(heading, said string, steps []probe.TraceStep) page.Block {
	b := page.Block{
		Heading:   heading,
		Key:       page.TimelineKey(),
		Multiples: []page.Multiple{r.chart(steps)},
		Details:   []page.Detail{{Summary: "Step by step", Blocks: []page.Block{{Table: trace(steps, r.Money)}}, Plain: true}},
	}
	if said != "" {
		b.Paragraphs = []string{said}
	}
	return b
}

// chart draws what the customer has had against what the net spend entitles to.
func (r result) chart(steps []probe.TraceStep) page.Multiple {
	var low, top int64
	for i := range steps {
		s := &steps[i]
		low = min(low, s.Shown.Balance, s.Shown.NetReward())
		top = max(top, s.Shown.Balance, s.Shown.NetReward(), s.Entitlement)
	}
	end := &steps[len(steps)-1]
	title := fmt.Sprintf("this target: ends with a balance of %s, paid out %s, entitled to %s", r.Money(end.Shown.Balance), r.Money(end.Shown.PaidOut), r.Money(end.Entitlement))
	c := page.NewTimeline(title, low, max(top, low+1), r.Money)
	c.From, c.To = reward.At(steps[0].At), reward.At(end.At)
	for i := range steps {
		s := &steps[i]
		c.Add(reward.At(s.At), s.Shown.NetReward(), s.Entitlement, s.Shown.Balance)
	}
	c.LeaveRoom()
	m := page.Multiple{Name: "this target", Chart: c.SVG(), Verdict: "nothing lost", Class: "good"}
	switch leak := end.Shown.NetReward() - end.Entitlement; {
	case leak > 0:
		m.Verdict, m.Class = "keeps "+r.Money(leak), "bad"
	case leak < 0:
		m.Verdict, m.Class = "short of "+r.Money(-leak), "part"
	case end.Shown.Balance < 0:
		m.Verdict, m.Class = "owes "+r.Money(-end.Shown.Balance), "part"
	}
	return m
}

// trace is a course of moves step by step, with what a correct program shows where that is
// known.
func trace(steps []probe.TraceStep, money func(int64) string) *page.Sheet {
	sheet := page.NewSheet("When", "What was done", ">Balance", ">Redeemable", ">Paid out", ">Entitled to")
	if len(steps) > 0 && steps[0].Correct != nil {
		sheet.Columns = append(sheet.Columns, page.Columns(">Correct balance", ">Correct redeemable", ">Correct paid out")...)
	}
	for i := range steps {
		s := &steps[i]
		cells := []any{
			page.Cell{Text: s.At.Format("2006-01-02 15:04"), Class: "w"}, s.Said(),
			money(s.Shown.Balance), money(s.Shown.Redeemable), money(s.Shown.PaidOut), money(s.Entitlement),
		}
		if correct := s.Correct; correct != nil {
			for _, is := range [][2]int64{{correct.Balance, s.Shown.Balance}, {correct.Redeemable, s.Shown.Redeemable}, {correct.PaidOut, s.Shown.PaidOut}} {
				cell := page.Number(money(is[0]))
				if is[0] != is[1] {
					cell.Class = "n part"
				}
				cells = append(cells, cell)
			}
		}
		sheet.Add(cells...)
	}
	return sheet
}

// WriteComparison writes what became of one scenario.
func WriteComparison(w io.Writer, c *probe.Comparison) error {
	said := c.Mismatches
	if said == nil {
		said = []string{"The target does all that the scenario expects of a correct program."}
	}
	if c.Clockless {
		said = append([]string{"The target has no clock: what it does after some time did not happen."}, said...)
	}
	money := func(minor int64) string { return program.FormatAmount(minor, c.Currency) }
	p := page.Page{
		Lead:     []string{c.Scenario + ": " + c.Title},
		Sections: []page.Section{{Title: "Step by step", Blocks: []page.Block{{Table: trace(c.Trace, money)}, {Paragraphs: said}}}},
	}
	return p.WriteText(w)
}
