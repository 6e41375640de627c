package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

// shownScenarios are the attacks that the report draws: the paper's three cases
// and the loss that no clawback recovers.
var shownScenarios = []string{"case-1-double-dip", "case-2-cross-cycle", "case-3b-redeem-before-clawback", "g13-walk-away"}

// timelineSection draws what becomes of one account under each attack, at other
// people's designs and at Recoup with the scenario's program.
func timelineSection() (page.Section, error) {
	ours, err := design.Find(design.RecoupName)
	if err != nil {
		return page.Section{}, err
	}
	designs := append(design.Others(), ours)
	s := page.Section{ID: "attacks", Title: "One attack at a time", Blocks: []page.Block{{
		Paragraphs: []string{"Every chart is one account at one design, under the same moves. Designs that do the same share a chart."},
		Key:        page.TimelineKey(),
	}}}
	for _, name := range shownScenarios {
		b, err := timelineBlock(name, designs)
		if err != nil {
			return page.Section{}, err
		}
		s.Blocks = append(s.Blocks, b)
	}
	return s, nil
}

// toFirstClose ends a scenario that waits for long in the end at its first
// statement close instead, which is as far as it is worth drawing.
func toFirstClose(sc *scenario.Scenario) {
	end := len(sc.Steps) - 1
	if end == 0 || sc.Steps[end].Move.Kind != scenario.Wait {
		return
	}
	sc.Steps[end].At = reward.CycleAt(reward.At(sc.Steps[end-1].At)).End().Time()
	sc.Steps[end].Move.Kind = scenario.CloseStatement
}

// timelineBlock plays a scenario of the catalogue at every design.
func timelineBlock(name string, designs []design.Design) (page.Block, error) {
	sc, err := scenario.Find(name)
	if err != nil {
		return page.Block{}, err
	}
	toFirstClose(sc)
	var played []timeline
	for _, d := range designs {
		transcript, err := scenario.Play(sc, d.New(sc.Program))
		if err != nil {
			return page.Block{}, fmt.Errorf("design %s: %w", d.Name, err)
		}
		t := timeline{names: []string{d.Name}, lines: transcript.Lines}
		if i := slices.IndexFunc(played, t.sameAs); i >= 0 && d.Name != design.RecoupName {
			played[i].names = append(played[i].names, d.Name)
		} else {
			played = append(played, t)
		}
	}
	b := page.Block{Heading: sc.Title, Paragraphs: []string{firstParagraph(sc.About)}}
	money := func(minor int64) string { return program.FormatAmount(minor, sc.Program.Currency) }
	marks := marksOf(sc)
	for _, m := range marks {
		b.Moves = append(b.Moves, m.Labelled)
	}
	low, top := extent(played)
	for _, t := range played {
		b.Multiples = append(b.Multiples, t.draw(marks, low, top, money))
	}
	return b, nil
}

// timeline is a scenario at the designs that do the same in it.
type timeline struct {
	names []string
	lines []scenario.Line
}

func (t *timeline) sameAs(other timeline) bool {
	return slices.EqualFunc(t.lines, other.lines, func(a, b scenario.Line) bool {
		return a.Balance == b.Balance && a.Redeemed == b.Redeemed
	})
}

// extent is the range of all levels, so that charts side by side compare.
func extent(played []timeline) (low, top int64) {
	for _, t := range played {
		for i := range t.lines {
			l := &t.lines[i]
			low = min(low, l.Balance, l.NetReward())
			top = max(top, l.Balance, l.NetReward(), l.Entitlement)
		}
	}
	return low, top
}

func (t *timeline) draw(marks []moveMark, low, top int64, money func(int64) string) page.Multiple {
	name := strings.Join(t.names, ", ")
	end := t.lines[len(t.lines)-1]
	c := page.NewTimeline(fmt.Sprintf("%s: ends with a balance of %s, paid out %s, entitled to %s", name, money(end.Balance), money(end.Redeemed), money(end.Entitlement)), low, top, money)
	c.From, c.To = reward.At(t.lines[0].Step.At), reward.At(end.Step.At)
	for i := range t.lines {
		l := &t.lines[i]
		c.Add(reward.At(l.Step.At), l.NetReward(), l.Entitlement, l.Balance)
	}
	for _, m := range marks {
		c.Marks = append(c.Marks, page.Mark{At: m.at, Label: m.Label})
	}
	c.LeaveRoom()
	m := page.Multiple{Name: name, Chart: c.SVG(), Verdict: "nothing lost", Class: "good"}
	switch {
	case end.Leak() > 0:
		m.Verdict, m.Class = "keeps "+money(end.Leak()), "bad"
	case end.Balance < 0:
		m.Verdict, m.Class = "owes "+money(-end.Balance), "part"
	}
	return m
}

// moveMark is a numbered move of a scenario.
type moveMark struct {
	page.Labelled
	at reward.Instant
}

// marksOf numbers the moves of a scenario.
func marksOf(sc *scenario.Scenario) []moveMark {
	var marks []moveMark
	for i := range sc.Steps {
		step := &sc.Steps[i]
		label := strconv.Itoa(i + 1)
		marks = append(marks, moveMark{page.Labelled{Label: label, Text: step.At.Format("2 Jan") + " " + told(&step.Move, sc.Program.Currency)}, reward.At(step.At)})
	}
	return marks
}

// told is a move in a cardholder's words.
func told(m *scenario.Move, currency string) string {
	amount := program.FormatAmount(m.Amount, currency)
	switch m.Kind {
	case scenario.Settle:
		return "buys for " + amount
	case scenario.Refund:
		return "returns for " + amount
	case scenario.Redeem:
		return "redeems " + amount + " if allowed"
	case scenario.CloseStatement:
		return "statement closes"
	}
	return m.Kind.String()
}

// firstParagraph joins the lines of a comment up to the first empty one.
func firstParagraph(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}
