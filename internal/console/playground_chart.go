package console

import (
	"html/template"
	"strconv"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/internal/kit/page"
	"recoup/reward"
)

const (
	leastTop  = 1_00 // minor units: what an axis goes up to when nothing has happened
	mostMarks = 18   // that a chart has room for
)

// timelineNames are what the lines of a timeline are called, and timelineKey what they
// stand for.
var (
	timelineNames = [...]locale.Text{"had", "entitled to", "balance"}
	timelineKey   = [...]locale.Text{"what the customer has had: balance and payouts", "what the net spend entitles to", "balance; below zero, rewards are owed", "leak: had, but not entitled to"}
)

// keyOf is the key of timelines.
func keyOf(l *locale.Locale) []page.KeyEntry {
	list := page.TimelineKey()
	for i := range list {
		list[i].Text = l.Say(timelineKey[i])
	}
	return list
}

// playChart draws one design's account. Its axes are those of the whole run at both
// designs, so that the two compare and lines grow from step to step.
func playChart(l *locale.Locale, shown, whole *play.Table, name string, cell func(*play.Row) *play.Cell) template.HTML {
	money := func(n int64) string { return l.Amount(n, whole.Run.Program.Unit().Name) }
	tick := func(n int64) string { return l.Tick(n, whole.Run.Program.Unit().Name) }
	low, top := extent(whole)
	last := &shown.Rows[len(shown.Rows)-1]
	end := cell(last)
	c := page.NewTimeline(l.Sprintf("%s: balance %s, paid out %s, entitled to %s", name, money(end.Balance), money(end.Redeemed), money(last.Entitlement)), low, top, tick)
	c.Month = l.ShortMonth
	for i, name := range timelineNames {
		c.Lines[i].Name = l.Say(name)
	}
	c.From, c.To = reward.At(whole.Rows[0].At), reward.At(whole.Rows[len(whole.Rows)-1].At)
	c.LeaveRoom()
	c.Until = min(c.To, reward.At(last.At)+(c.To-c.From)/20) // what the last step changed shows
	for i := range shown.Rows {
		row := &shown.Rows[i]
		at := reward.At(row.At)
		c.Add(at, cell(row).NetReward(), row.Entitlement, cell(row).Balance)
		if i > 0 && marked(shown, i) {
			c.Marks = append(c.Marks, page.Mark{At: at, Label: strconv.Itoa(i)})
		}
	}
	return c.SVG()
}

// marked says whether a chart marks a step: those that do something, or the last
// alone where they are many.
func marked(t *play.Table, step int) bool {
	moves := t.Run.Moves[:len(t.Rows)-1]
	var doing int
	for _, m := range moves {
		if m.Kind != play.Wait {
			doing++
		}
	}
	return step == len(moves) || doing <= mostMarks && moves[step-1].Kind != play.Wait
}

// extent is the range of all levels at both designs.
func extent(t *play.Table) (low, top int64) {
	top = leastTop
	for i := range t.Rows {
		row := &t.Rows[i]
		for _, c := range [...]*play.Cell{&row.Left, &row.Right} {
			low = min(low, c.Balance, c.NetReward())
			top = max(top, c.Balance, c.NetReward(), row.Entitlement)
		}
	}
	return low, top
}
