package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/program"
	"recoup/reward"
)

// exposureSection shows what the best attacks take from each design.
func exposureSection(r *attack.Report) page.Section {
	money := func(minor int64) string { return program.FormatAmount(minor, r.Currency) }
	chart := page.BarChart{
		Title: "What the best attack takes, by design", Format: money,
		Parts: []page.BarPart{{Name: "in a year, again and again", Class: "leaked"}, {Name: "once, by never coming back", Class: "owed"}},
	}
	table := page.Sheet{
		Caption: "Only cash counts that no net spend backs. Per cycle: what can be taken in every billing cycle and is never asked back; with one more purchase in each, it shows whether the cap bounds it. Walk-away: taken once, by leaving a negative balance behind; from several cycles, since the purchases of one can be redeemed before those of an earlier one must be returned. Float: cash out until a late clawback. Every strategy within the bounds was examined, each position that they lead to once.",
		Columns: page.Columns("Design", ">Per cycle", ">One purchase more", ">Per year", ">Walk-away, one cycle", ">W"+r.Bounds.WalkAway()[2:], ">Float", ">Strategies"),
	}
	for i := range r.Designs {
		e := &r.Designs[i]
		chart.Rows = append(chart.Rows, page.BarRow{Label: e.Design, Values: []int64{e.PerYear, e.WalkAway}})
		table.Rows = append(table.Rows, page.Row{SetApart: design.IsRecoup(e.Design), Cells: []page.Cell{
			page.Text(e.Design), loss(e.Repeatable, money), page.Number(money(e.WithOneMore)), page.Number(money(e.PerYear)),
			page.Number(money(e.WalkAwayFromOne)), page.Number(money(e.WalkAway)), page.Number(e.Float.Describe(r.Currency)), page.Number(grouped(int64(e.Strategies))),
		}})
	}
	return page.Section{ID: "exposure", Title: "What an opportunistic customer can take", Blocks: []page.Block{
		{
			Paragraphs: []string{"Every strategy within these bounds was tried on every design, and the best is told. " + r.Bounds.Describe(r.Currency)},
			Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Yearly loss to one customer who repeats the best attack, and what a customer who leaves for good takes along once. Only a reward that cannot be redeemed before the return window is over, and the refund of its last day has posted, ends both."}},
			Table:      &table,
		},
		strategyBlock(r, money),
	}}
}

// strategyBlock draws the best strategy against each design.
func strategyBlock(r *attack.Report, money func(int64) string) page.Block {
	type attacked struct {
		names []string
		best  *attack.Strategy
	}
	var list []attacked
	var safe []string
	for i := range r.Designs {
		e := &r.Designs[i]
		best := shown(e)
		if best == nil {
			safe = append(safe, e.Design)
			continue
		}
		same := func(a attacked) bool { return a.best.Aim == best.Aim && slices.Equal(a.best.Timeline, best.Timeline) }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i].names = append(list[i].names, e.Design)
		} else {
			list = append(list, attacked{[]string{e.Design}, best})
		}
	}
	var low, top int64
	for _, a := range list {
		for i := range a.best.Timeline {
			t := &a.best.Timeline[i]
			low = min(low, t.Balance, t.NetReward())
			top = max(top, t.Balance, t.NetReward(), t.Entitlement)
		}
	}
	b := page.Block{Heading: "The best attack on each design", Key: page.TimelineKey(),
		Paragraphs: []string{"What repeats is drawn over all cycles; where nothing does, what walking away takes. Designs on which the same moves do the same share a chart."}}
	for _, a := range list {
		b.Multiples = append(b.Multiples, draw(a.best, strings.Join(a.names, ", "), low, top, money))
	}
	if len(safe) > 0 {
		b.Note = "Nothing is to be had at " + strings.Join(safe, ", ") + "."
	}
	return b
}

// shown is the strategy to draw: what repeats, or else what walking away brings,
// over the most cycles that can be told in few moves; nil if nothing is to be had.
func shown(e *attack.Exposure) *attack.Strategy {
	const fewMoves = 10
	var best *attack.Strategy
	for i := range e.Best {
		s := &e.Best[i]
		if best == nil || s.Aim == best.Aim && s.Cycles > best.Cycles && len(s.Timeline) <= fewMoves {
			best = s
		}
	}
	return best
}

func draw(s *attack.Strategy, name string, low, top int64, money func(int64) string) page.Multiple {
	first, last := &s.Timeline[0], &s.Timeline[len(s.Timeline)-1]
	m := page.Multiple{Name: name, Class: "bad", Verdict: "takes " + money(s.Profit-s.Debt) + ", goes on"}
	if !s.Repeats() {
		m.Class, m.Verdict = "part", "leaves owing "+money(s.Debt)
	}
	c := page.NewTimeline(fmt.Sprintf("%s: cash taken %s, balance %s, entitled to %s", name, money(last.Redeemed), money(last.Balance), money(last.Entitlement)), low, top, money)
	c.From, c.To = reward.At(first.At), reward.At(last.At)
	for i := range s.Timeline {
		t := &s.Timeline[i]
		at, label := reward.At(t.At), strconv.Itoa(i+1)
		c.Add(at, t.NetReward(), t.Entitlement, t.Balance)
		c.Marks = append(c.Marks, page.Mark{At: at, Label: label})
		m.Moves = append(m.Moves, page.Labelled{Label: label, Text: t.At.Format("2 Jan") + " " + t.What})
	}
	c.LeaveRoom()
	m.Chart = c.SVG()
	return m
}

// loss is an amount that should be zero.
func loss(amount int64, money func(int64) string) page.Cell {
	if amount > 0 {
		return page.Cell{Text: money(amount), Class: "n bad"}
	}
	return page.Cell{Text: money(amount), Class: "n good"}
}
