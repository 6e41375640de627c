package present

import (
	"fmt"
	"io"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
	"recoup/reward"
)

// WriteHTML writes a result as a page of its own: the verdict first.
func WriteHTML(w io.Writer, r *probe.Result) error {
	h := &html{r}
	p := page.Page{
		Heading: "Probe of " + tabular.Visible(r.Target),
		Lead:    []string{r.Verdict()},
		Tiles:   h.tiles(),
	}
	for _, what := range r.LeftOut {
		p.Lead = append(p.Lead, "Left out: "+tabular.Visible(what)+".")
	}
	for _, s := range []page.Section{h.losses(), h.changes(), h.sweepSection(), h.behaviour(), h.gaps(), h.searchSection(), h.terms(), h.transcript()} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p.Write(w)
}

type html struct{ r *probe.Result }

func (h *html) tiles() []page.Tile {
	class := string(h.r.Class)
	if class == "" {
		class = "not told"
	}
	tiles := []page.Tile{{Figure: class, Text: "is the class of the target in the paper's taxonomy", Class: classOf(h.r.Class)}}
	if l := h.r.Leak(); l != nil {
		tiles = append(tiles, page.Tile{Figure: h.r.Money(l.Year), Text: fmt.Sprintf("is what one account can take in a year by %s; bound: %s", l.Flaw, Bound(l)), Class: "bad"})
	}
	if s := h.r.Sweep; s != nil {
		leaks := 0
		for i := range s.Axes {
			leaks += s.Axes[i].Leaks
		}
		tiles = append(tiles, page.Tile{Figure: fmt.Sprintf("%d of %d", leaks, s.Played), Text: "ways to return purchases pay", Class: good(leaks == 0)})
	}
	if failing := h.r.Failing(); len(h.r.Gaps) > 0 {
		tiles = append(tiles, page.Tile{Figure: fmt.Sprintf("%d of %d", len(failing), len(h.r.Gaps)), Text: fmt.Sprintf("gaps, attacks and flaws fail, %d of them for a reason of their own", len(h.r.Own()))})
	}
	return tiles
}

func good(yes bool) string {
	if yes {
		return "good"
	}
	return "bad"
}

// behaviour is the paper's table with the target's row, and the evidence.
func (h *html) behaviour() page.Section {
	s := page.Section{ID: "behaviour", Title: "How it behaves"}
	if h.r.PaperRow == nil {
		return s
	}
	sheet := &page.Sheet{
		Caption: "The issuers that the paper met, and this target. ✓ holds; ~ holds only if the customer goes on using the card; × is violated.",
		Columns: append(page.Columns("Issuer", "Reward timing", "Refund adjustment", "Negative balance"),
			page.Column{Name: "Reward Integrity", Class: "c"}, page.Column{Name: "Refund Consistency", Class: "c"}, page.Column{Name: "Class"}),
	}
	signs := map[string]string{"✓": "c good", "~": "c part", "×": "c bad"}
	for i := range h.r.PaperRow {
		p := &h.r.PaperRow[i]
		sheet.Rows = append(sheet.Rows, page.Row{SetApart: i == len(h.r.PaperRow)-1, Cells: []page.Cell{
			page.Text(p.Issuer), page.Text(p.RewardTiming), page.Text(p.RefundAdjustment), page.Text(p.NegativeBalance),
			{Text: p.RewardIntegrity, Class: signs[p.RewardIntegrity]}, {Text: p.RefundRewardConsistency, Class: signs[p.RefundRewardConsistency]}, page.Text(string(p.Class)),
		}})
	}
	note := ""
	if m := h.r.Mapping; m.CWE != "" {
		note = fmt.Sprintf("%s; OWASP Business Logic Abuse class %d; STRIDE: tampering %s, repudiation %s.", m.CWE, m.OWASP, orNone(m.Tampering), orNone(m.Repudiation))
		if m.OWASP == 0 {
			note = strings.Replace(note, " OWASP Business Logic Abuse class 0;", "", 1)
		}
	}
	s.Blocks = append(s.Blocks, page.Block{Table: sheet, Note: note})
	if len(h.r.Evidence) > 0 {
		s.Blocks = append(s.Blocks, page.Block{
			Heading:   "How the class became clear",
			Key:       page.TimelineKey(),
			Multiples: []page.Multiple{h.chart("this target", h.r.Evidence)},
			Details:   []page.Detail{{Summary: "Step by step", Blocks: []page.Block{{Table: h.trace(h.r.Evidence)}}}},
		})
	}
	return s
}

// chart draws a course of moves: what the customer has had against what the net
// spend entitles to.
func (h *html) chart(name string, steps []probe.TraceStep) page.Multiple {
	var low, top int64
	for i := range steps {
		s := &steps[i]
		low = min(low, s.Shown.Balance, s.Shown.NetReward())
		top = max(top, s.Shown.Balance, s.Shown.NetReward(), s.Entitlement)
	}
	end := &steps[len(steps)-1]
	c := page.NewTimeline(fmt.Sprintf("%s: ends with a balance of %s, paid out %s, entitled to %s",
		name, h.r.Money(end.Shown.Balance), h.r.Money(end.Shown.PaidOut), h.r.Money(end.Entitlement)), low, max(top, low+1), h.r.Money)
	c.From, c.To = reward.At(steps[0].At), reward.At(end.At)
	for i := range steps {
		s := &steps[i]
		c.Add(reward.At(s.At), s.Shown.NetReward(), s.Entitlement, s.Shown.Balance)
	}
	c.LeaveRoom()
	m := page.Multiple{Name: name, Chart: c.SVG(), Verdict: "nothing lost", Class: "good"}
	switch leak := end.Shown.NetReward() - end.Entitlement; {
	case leak > 0:
		m.Verdict, m.Class = "keeps "+h.r.Money(leak), "bad"
	case leak < 0:
		m.Verdict, m.Class = "short of "+h.r.Money(-leak), "part"
	case end.Shown.Balance < 0:
		m.Verdict, m.Class = "owes "+h.r.Money(-end.Shown.Balance), "part"
	}
	return m
}

func (h *html) trace(steps []probe.TraceStep) *page.Sheet {
	compared := len(steps) > 0 && steps[0].Correct != nil
	sheet := &page.Sheet{Columns: page.Columns("When", "What was done", ">Balance", ">Redeemable", ">Paid out", ">Entitled to")}
	if compared {
		sheet.Columns = append(sheet.Columns, page.Columns(">Correct balance", ">Correct redeemable", ">Correct paid out")...)
	}
	for i := range steps {
		s := &steps[i]
		cells := []page.Cell{
			{Text: s.At.Format("2006-01-02 15:04"), Class: "w"}, page.Text(tabular.Visible(s.Said())),
			page.Number(h.r.Money(s.Shown.Balance)), page.Number(h.r.Money(s.Shown.Redeemable)), page.Number(h.r.Money(s.Shown.PaidOut)), page.Number(h.r.Money(s.Entitlement)),
		}
		if compared {
			for _, pair := range [][2]int64{{s.Shown.Balance, s.Correct.Balance}, {s.Shown.Redeemable, s.Correct.Redeemable}, {s.Shown.PaidOut, s.Correct.PaidOut}} {
				cell := page.Number(h.r.Money(pair[1]))
				if pair[0] != pair[1] {
					cell.Class = "n part"
				}
				cells = append(cells, cell)
			}
		}
		sheet.Rows = append(sheet.Rows, page.Row{Cells: cells})
	}
	return sheet
}

func (h *html) gaps() page.Section {
	sheet := &page.Sheet{Columns: page.Columns("Row", "What", "Outcome", "Shown by")}
	classes := map[probe.Outcome]string{probe.Pass: "good", probe.Fail: "bad", probe.NotTold: "part"}
	var charts []page.Multiple
	for i := range h.r.Gaps {
		g := &h.r.Gaps[i]
		sheet.Rows = append(sheet.Rows, page.Row{Cells: []page.Cell{
			page.Text(g.Row), page.Text(g.Title), {Text: string(g.Outcome), Class: classes[g.Outcome]}, page.Text(tabular.Visible(Shows(g, h.r.Money))),
		}})
		if c := Worst(g); c != nil && g.ExplainedBy == "" && len(c.Trace) > 0 {
			charts = append(charts, h.chart(g.Row+": "+c.Title, c.Trace))
		}
	}
	sheet.Caption = "G: gaps of the published algorithms. M: attacks on delivery and matching. Below these, flaws that have a name of their own. Each was looked for by scenarios of the catalogue under the target's terms, and judged by what a correct program does under the same terms and timing."
	s := page.Section{ID: "gaps", Title: "Gaps", Blocks: []page.Block{{Table: sheet}}}
	if charts != nil {
		s.Blocks = append(s.Blocks, page.Block{Heading: "What fails, over time", Key: page.TimelineKey(), Multiples: charts})
	}
	return s
}

func (h *html) losses() page.Section {
	s := page.Section{ID: "loss", Title: "What one account can take"}
	if len(h.r.Losses) == 0 {
		return s
	}
	sheet := &page.Sheet{Columns: page.Columns("Flaw", "How", "What it is", ">One round", ">Rounds a cycle", ">A year", "Bound")}
	for i := range h.r.Losses {
		l := &h.r.Losses[i]
		rounds := fmt.Sprint(l.Rounds)
		if l.Once {
			rounds = "once"
		}
		sheet.Rows = append(sheet.Rows, page.Row{Cells: []page.Cell{
			page.Text(l.Flaw), page.Text(l.Title), page.Text(l.Kind()), page.Number(h.r.Money(l.Round)), page.Number(rounds), page.Number(h.r.Money(l.Year)), page.Text(Bound(l)),
		}})
	}
	s.Blocks = []page.Block{{Table: sheet, Note: "One round a cycle, of purchases that fill the cap. These are bounds for one account, and no forecasts; they do not add up where one cap bounds several. What is exposure is told and makes neither class nor exit code: it is owed, or rests on what a refund does not say. Without a cap it is as large as the purchases of the scenario."}}
	return s
}

func (h *html) changes() page.Section {
	s := page.Section{ID: "changes", Title: "What to change"}
	if len(h.r.Changes) == 0 {
		return s
	}
	sheet := &page.Sheet{Columns: page.Columns("Tier", "Change", "Ends", ">A year")}
	for i := range h.r.Changes {
		c := &h.r.Changes[i]
		sheet.Rows = append(sheet.Rows, page.Row{Cells: []page.Cell{page.Text(c.TierName()), page.Text(c.Remedy), page.Text(strings.Join(c.Flaws, ", ")), page.Number(h.r.Money(c.Year))}})
	}
	s.Blocks = []page.Block{{Paragraphs: []string{"In the paper's tiers of defence (section 7.3). The tier that ends the largest loss comes first."}, Table: sheet}}
	return s
}

func (h *html) terms() page.Section {
	t := &h.r.Terms
	b := page.Block{Paragraphs: []string{"What the purchases of this run show of the published terms, as a program file."}, Pre: tabular.VisibleLines(t.File)}
	if t.Given {
		b.Paragraphs = []string{"The terms that were given, with the timing that was observed."}
	}
	if len(t.Observed) > 0 {
		sheet := &page.Sheet{Columns: page.Columns("What", "Is", "How it was found")}
		for _, o := range t.Observed {
			sheet.Rows = append(sheet.Rows, page.Row{Cells: []page.Cell{page.Text(tabular.Visible(o.What)), page.Text(tabular.Visible(o.Is)), page.Text(tabular.Visible(o.How))}})
		}
		b.Table = sheet
	}
	s := page.Section{ID: "terms", Title: "The terms", Blocks: []page.Block{b}}
	if len(t.Untold) > 0 {
		untold := page.Block{Heading: "What could not be told"}
		for _, why := range t.Untold {
			untold.Paragraphs = append(untold.Paragraphs, tabular.Visible(why)+".")
		}
		s.Blocks = append(s.Blocks, untold)
	}
	return s
}

// transcript has every course of moves that shows a failure, folded away.
func (h *html) transcript() page.Section {
	s := page.Section{ID: "transcript", Title: "Transcript"}
	b := page.Block{}
	for i := range h.r.Gaps {
		g := &h.r.Gaps[i]
		for j := range g.Cases {
			if c := &g.Cases[j]; len(c.Trace) > 0 {
				b.Details = append(b.Details, page.Detail{
					Summary: fmt.Sprintf("%s, %s: %s", g.Row, c.Scenario, c.Title),
					Blocks:  []page.Block{{Table: h.trace(c.Trace)}},
				})
			}
		}
	}
	if h.r.Calls.Requests > 0 {
		b.Note = really + " " + Requests(h.r)
	}
	if b.Details != nil || b.Note != "" {
		s.Blocks = []page.Block{b}
	}
	return s
}
