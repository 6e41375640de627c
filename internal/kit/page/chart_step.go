package page

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
	"time"

	"recoup/reward"
)

// StepChart is levels of money or of anything else over time, small enough for
// several of them side by side. Each line holds its level from one moment to the
// next. Levels and times outside the axes are drawn at the frame.
type StepChart struct {
	Title    string // what it shows, in words
	From, To reward.Instant
	Until    reward.Instant     // where lines end that are not yet drawn to the end; 0: To
	Low, Top int64              // of the axis; the same in charts to be compared, and within ±10^17
	Format   func(int64) string // a level in words, such as an amount of minor units
	Lines    []StepLine
	// Shade fills the area where the first of two lines lies above the second;
	// Above has their indices.
	Shade bool
	Above [2]int
	Marks []Mark // in order of time
	// Month names a month below the axis; nil: English, in three letters.
	Month func(time.Month) string
	// Wide: it has the width of a page, for one that stands alone; Full: it fills a large
	// screen.
	Wide, Full bool
	// Told says in words what holds at a moment, for who points there. Nil: nothing is told.
	Told func(at reward.Instant) string
}

func (c *StepChart) month(m time.Month) string {
	if c.Month == nil {
		return m.String()[:3]
	}
	return c.Month(m)
}

// StepLine is one line. Its class is its colour and dash: had, due and balance are
// those of a timeline; blue, green, amber, red and grey are plain.
type StepLine struct {
	Name, Class string
	Steps       []LevelStep // in order of time
}

// LevelStep says that the level is that from then on.
type LevelStep struct {
	At    reward.Instant
	Level int64
}

// Mark is a moment that the text beside the chart explains under its label, which
// is of a letter or two.
type Mark struct {
	At    reward.Instant
	Label string
}

// Add adds the levels of all lines from a moment on.
func (c *StepChart) Add(at reward.Instant, levels ...int64) {
	for n, level := range levels {
		c.Lines[n].Steps = append(c.Lines[n].Steps, LevelStep{at, level})
	}
}

// LeaveRoom ends the chart a little later, to show what its last step left behind.
func (c *StepChart) LeaveRoom() { c.To += max((c.To-c.From)/12, reward.Day) }

// The view box of a step chart, and the plot in it, up to a margin at the right.
const (
	stepWidth, wideStepWidth, fullStepWidth = 340, 720, 1140

	stepHeight           = 190
	plotLeft, plotMargin = 46, 12
	plotTop, plotBottom  = 26, 166
	markSpacing          = 15
	tickLabelOffset      = 4
	monthLabelOffset     = 15
)

func (c *StepChart) width() int64 {
	switch {
	case c.Full:
		return fullStepWidth
	case c.Wide:
		return wideStepWidth
	}
	return stepWidth
}

func (c *StepChart) until() reward.Instant { return cmp.Or(c.Until, c.To) }

// right is where the plot ends.
func (c *StepChart) right() int64 { return c.width() - plotMargin }

func (c *StepChart) x(at reward.Instant) int64 {
	return plotLeft + scale(int64(at-c.From), c.right()-plotLeft, int64(c.To-c.From))
}

func (c *StepChart) y(level int64) int64 {
	return plotBottom - scale(level-c.Low, plotBottom-plotTop, c.Top-c.Low)
}

// SVG draws the chart.
func (c *StepChart) SVG() template.HTML {
	var d drawing
	d.begin(c.width(), stepHeight, c.Title)
	c.axes(&d)
	if c.Shade {
		c.shadeAbove(&d)
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		d.printf(`<path class="line %s" d="%s"><title>%s</title></path>`, html.EscapeString(l.Class), c.path(l.Steps), html.EscapeString(l.Name))
	}
	for i, x := range c.markers() {
		at := c.x(c.Marks[i].At)
		d.line("mark", at, at, plotTop, plotBottom)
		d.printf(`<circle class="marker" cx="%d" cy="%d" r="7"/>`, x, plotTop-12)
		d.text(x, plotTop-9, "marker-label", c.Marks[i].Label)
	}
	if c.Told != nil {
		c.tell(&d)
	}
	return d.end()
}

// tell lays what can be pointed at over the plot: from each step to the next, or as wide
// as can be hit. Each says what holds at its end, where its line is.
func (c *StepChart) tell(d *drawing) {
	const narrowest = 4
	var moments []reward.Instant
	for i := range c.Lines {
		for _, s := range c.Lines[i].Steps {
			moments = append(moments, min(max(s.At, c.From), c.To))
		}
	}
	slices.Sort(moments)
	moments = slices.Compact(moments)
	for i := 0; i < len(moments); {
		next := i + 1
		for next < len(moments) && c.x(moments[next])-c.x(moments[i]) < narrowest {
			next++
		}
		end := c.until()
		if next < len(moments) {
			end = moments[next]
		}
		if x := c.x(moments[i]); c.x(end) > x {
			d.printf(`<rect class="told" x="%d" y="%d" width="%d" height="%d"><title>%s</title></rect>`, x, plotTop, c.x(end)-x, plotBottom-plotTop, html.EscapeString(c.Told(moments[next-1])))
		}
		i = next
	}
}

// markers returns where the labels of the marks go: above their marks, or as near
// as their neighbours and the frame allow.
func (c *StepChart) markers() []int64 {
	places := make([]int64, len(c.Marks))
	spacing := int64(markSpacing)
	if n := int64(len(c.Marks)); n > 1 {
		spacing = min(spacing, (c.right()-plotLeft)/(n-1))
	}
	for i := range places {
		places[i] = c.x(c.Marks[i].At)
		if i > 0 {
			places[i] = max(places[i], places[i-1]+spacing)
		}
	}
	limit := c.right()
	for i := range slices.Backward(places) {
		places[i] = min(places[i], limit)
		limit = places[i] - spacing
	}
	return places
}

// axes draws round levels and the first of each month.
func (c *StepChart) axes(d *drawing) {
	for _, level := range ticks(c.Low, c.Top, roundStep(c.Low, c.Top)) {
		class := "grid"
		if level == 0 {
			class = "zero"
		}
		d.line(class, plotLeft, c.right(), c.y(level), c.y(level))
		d.text(plotLeft-tickLabelOffset-1, c.y(level)+tickLabelOffset, "tick", withoutZeros(c.Format(level)))
	}
	var last int64 = -1
	for month := reward.CycleAt(c.From); month.Start() <= c.To; month++ {
		x := c.x(max(month.Start(), c.From))
		if month.Start() > c.From {
			d.line("month", x, x, plotTop, plotBottom)
		}
		if room := c.x(min(month.End(), c.To)) - x; room >= 24 && (last < 0 || x-last >= 30) {
			d.text(x+2, plotBottom+monthLabelOffset, "month-label", c.month(month.Start().Time().Month()))
			last = x
		}
	}
}

// path draws steps: along, then up or down.
func (c *StepChart) path(steps []LevelStep) string {
	var d strings.Builder
	for i, s := range steps {
		if i == 0 {
			fmt.Fprintf(&d, "M%d %d", c.x(s.At), c.y(s.Level))
			continue
		}
		fmt.Fprintf(&d, "H%dV%d", c.x(s.At), c.y(s.Level))
	}
	if len(steps) > 0 {
		fmt.Fprintf(&d, "H%d", c.x(c.until()))
	}
	return d.String()
}

// shadeAbove fills the area between two lines while the first is above.
func (c *StepChart) shadeAbove(d *drawing) {
	upper, lower := c.Lines[c.Above[0]].Steps, c.Lines[c.Above[1]].Steps
	var moments []reward.Instant
	for _, s := range slices.Concat(upper, lower) {
		moments = append(moments, s.At)
	}
	slices.Sort(moments)
	moments = append(slices.Compact(moments), c.until())
	for i := range len(moments) - 1 {
		high, low := levelAt(upper, moments[i]), levelAt(lower, moments[i])
		x, y := c.x(moments[i]), c.y(high)
		if width, height := c.x(moments[i+1])-x, c.y(low)-y; width > 0 && height > 0 {
			d.printf(`<rect class="shade" x="%d" y="%d" width="%d" height="%d"/>`, x, y, width, height)
		}
	}
}

// levelAt is the level that holds at a moment; zero before the first step.
func levelAt(steps []LevelStep, at reward.Instant) (level int64) {
	for _, s := range steps {
		if s.At > at {
			break
		}
		level = s.Level
	}
	return level
}
