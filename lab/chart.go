package lab

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"recoup/reward"
)

// Charts are inline SVG that needs nothing from elsewhere: colours are CSS
// variables of the page (see report/report.css), so that they follow its light
// and dark form; every chart has a title and says in words what it shows; what
// colour tells is told by shape or text as well. Coordinates are whole pixels of
// the view box.

// stepChart is levels of money over time. Each line holds its level from one
// moment to the next.
type stepChart struct {
	title    string // what it shows, in words
	from, to reward.Instant
	low, top int64 // of the axis, minor units; the same in charts to be compared
	money    func(int64) string
	lines    []stepLine
	// above, if set, shades where the first of two lines lies above the second.
	above [2]int
	shade bool
	marks []mark
}

// stepLine is one line; its class names its colour and dash in the style sheet.
type stepLine struct {
	name, class string
	steps       []levelStep // in order of time
}

// levelStep says that the level is that from then on.
type levelStep struct {
	at    reward.Instant
	level int64
}

// mark is a moment that the text below the chart explains under its label.
type mark struct {
	at    reward.Instant
	label string
}

// The view box of a step chart, and the plot in it.
const (
	stepWidth, stepHeight = 340, 190
	plotLeft, plotRight   = 46, 328
	plotTop, plotBottom   = 26, 166
	markSpacing           = 15
	tickLabelOffset       = 4
	monthLabelOffset      = 15
	mostSteps             = 6
)

func (c *stepChart) x(at reward.Instant) int64 {
	if c.to <= c.from {
		return plotLeft
	}
	return plotLeft + scale(int64(min(max(at, c.from), c.to)-c.from), plotRight-plotLeft, int64(c.to-c.from))
}

func (c *stepChart) y(level int64) int64 {
	if c.top <= c.low {
		return plotBottom
	}
	return plotBottom - scale(min(max(level, c.low), c.top)-c.low, plotBottom-plotTop, c.top-c.low)
}

// scale returns ⌊n · to / from⌋ for 0 ≤ n ≤ from.
func scale(n, to, from int64) int64 {
	q, _ := share(to, n, from)
	return q
}

// svg draws the chart.
func (c *stepChart) svg() template.HTML {
	var b drawing
	b.begin(stepWidth, stepHeight, c.title)
	c.axes(&b)
	if c.shade {
		c.shadeAbove(&b)
	}
	for i := range c.lines {
		l := &c.lines[i]
		b.printf(`<path class="line %s" d="%s"><title>%s</title></path>`, l.class, c.path(l.steps), html.EscapeString(l.name))
	}
	for i, x := range c.markers() {
		at := c.x(c.marks[i].at)
		b.printf(`<line class="mark" x1="%d" x2="%d" y1="%d" y2="%d"/>`, at, at, plotTop, plotBottom)
		b.printf(`<circle class="marker" cx="%d" cy="%d" r="7"/>`, x, plotTop-12)
		b.text(x, plotTop-9, "marker-label", c.marks[i].label)
	}
	return b.end()
}

// markers returns where the labels of the marks go: above their marks, or as near
// as their neighbours and the frame allow.
func (c *stepChart) markers() []int64 {
	places := make([]int64, len(c.marks))
	spacing := int64(markSpacing)
	if n := int64(len(c.marks)); n > 1 {
		spacing = min(spacing, (plotRight-plotLeft)/(n-1))
	}
	for i := range places {
		places[i] = c.x(c.marks[i].at)
		if i > 0 {
			places[i] = max(places[i], places[i-1]+spacing)
		}
	}
	limit := int64(plotRight)
	for i := range slices.Backward(places) {
		places[i] = min(places[i], limit)
		limit = places[i] - spacing
	}
	return places
}

// axes draws round levels and the first of each month.
func (c *stepChart) axes(b *drawing) {
	for _, level := range ticks(c.low, c.top) {
		class := "grid"
		if level == 0 {
			class = "zero"
		}
		b.printf(`<line class="%s" x1="%d" x2="%d" y1="%d" y2="%d"/>`, class, plotLeft, plotRight, c.y(level), c.y(level))
		b.text(plotLeft-tickLabelOffset-1, c.y(level)+tickLabelOffset, "tick", withoutZeros(c.money(level)))
	}
	var last int64 = -1
	for month := reward.CycleAt(c.from); month.Start() <= c.to; month++ {
		at := max(month.Start(), c.from)
		x := c.x(at)
		if month.Start() > c.from {
			b.printf(`<line class="month" x1="%d" x2="%d" y1="%d" y2="%d"/>`, x, x, plotTop, plotBottom)
		}
		if room := c.x(min(month.End(), c.to)) - x; room >= 24 && (last < 0 || x-last >= 30) {
			b.text(x+2, plotBottom+monthLabelOffset, "month-label", month.Start().Time().Format("Jan"))
			last = x
		}
	}
}

// path draws steps: along, then up or down.
func (c *stepChart) path(steps []levelStep) string {
	var d strings.Builder
	for i, s := range steps {
		if i == 0 {
			fmt.Fprintf(&d, "M%d %d", c.x(s.at), c.y(s.level))
			continue
		}
		fmt.Fprintf(&d, "H%dV%d", c.x(s.at), c.y(s.level))
	}
	if len(steps) > 0 {
		fmt.Fprintf(&d, "H%d", c.x(c.to))
	}
	return d.String()
}

// shadeAbove fills the area between two lines while the first is above.
func (c *stepChart) shadeAbove(b *drawing) {
	upper, lower := c.lines[c.above[0]].steps, c.lines[c.above[1]].steps
	var moments []reward.Instant
	for _, s := range slices.Concat(upper, lower) {
		moments = append(moments, s.at)
	}
	slices.Sort(moments)
	moments = append(slices.Compact(moments), c.to)
	for i := range len(moments) - 1 {
		high, low := levelAt(upper, moments[i]), levelAt(lower, moments[i])
		if high > low && moments[i+1] > moments[i] {
			x, y := c.x(moments[i]), c.y(high)
			b.printf(`<rect class="shade" x="%d" y="%d" width="%d" height="%d"/>`, x, y, c.x(moments[i+1])-x, c.y(low)-y)
		}
	}
}

// levelAt is the level that holds at a moment; zero before the first step.
func levelAt(steps []levelStep, at reward.Instant) (level int64) {
	for _, s := range steps {
		if s.at > at {
			break
		}
		level = s.level
	}
	return level
}

// ticks returns round levels from low to top, zero among them if it lies between.
func ticks(low, top int64) []int64 {
	var list []int64
	step := roundStep(low, top)
	first := low / step * step
	if first < low {
		first += step
	}
	for level := first; level <= top; level += step {
		list = append(list, level)
	}
	return list
}

// roundStep is 1, 2 or 5 times a power of ten, of which a range has a few: one on
// which the range begins and ends, if there is any, else the smallest.
func roundStep(low, top int64) (step int64) {
	span := top - low
	for unit := int64(1); step == 0 || span/unit > 1; unit *= 10 {
		for _, n := range [...]int64{1, 2, 5} {
			s := n * unit
			if span/s > mostSteps {
				continue
			}
			if low%s == 0 && top%s == 0 {
				return s
			}
			if step == 0 {
				step = s
			}
		}
	}
	return step
}

// barChart is sums of money, one bar a row, each of parts end to end.
type barChart struct {
	title string
	money func(int64) string
	parts []barPart
	rows  []barRow
}

// barPart names one of the parts that every bar has.
type barPart struct{ name, class string }

// barRow is one bar: its values by part, none negative.
type barRow struct {
	label  string
	values []int64
}

// The view box of a bar chart.
const (
	barWidth             = 720
	barRowHeight         = 26
	barLeft, barRight    = 150, 560
	barThickness         = 16
	barLegendHeight      = 24
	barSwatch            = 11
	barLegendLetterWidth = 7
)

// svg draws the chart. The longest bar spans the plot.
func (c *barChart) svg() template.HTML {
	var b drawing
	b.begin(barWidth, barLegendHeight+barRowHeight*len(c.rows)+4, c.title)
	x := int64(barLeft)
	for _, p := range c.parts {
		b.printf(`<rect class="bar %s" x="%d" y="3" width="%d" height="%d"/>`, p.class, x, barSwatch, barSwatch)
		b.text(x+barSwatch+5, 13, "bar-legend", p.name)
		x += barSwatch + 24 + barLegendLetterWidth*int64(len(p.name))
	}
	longest := int64(1)
	for _, r := range c.rows {
		longest = max(longest, sum(r.values))
	}
	for i, r := range c.rows {
		top := int64(barLegendHeight + i*barRowHeight)
		b.text(barLeft-8, top+17, "bar-label", r.label)
		x := int64(barLeft)
		var told []string
		for n, v := range r.values {
			w := scale(v, barRight-barLeft, longest)
			if v > 0 {
				w = max(w, 2)
				b.printf(`<rect class="bar %s" x="%d" y="%d" width="%d" height="%d"><title>%s</title></rect>`,
					c.parts[n].class, x, top+5, w, barThickness, html.EscapeString(r.label+", "+c.parts[n].name+": "+c.money(v)))
				told = append(told, c.money(v))
			}
			x += w
		}
		if told == nil {
			told = []string{c.money(0)}
		}
		b.text(x+6, top+17, "bar-value", strings.Join(told, " + "))
	}
	b.printf(`<line class="zero" x1="%d" x2="%d" y1="%d" y2="%d"/>`, barLeft, barLeft, barLegendHeight, barLegendHeight+barRowHeight*len(c.rows))
	return b.end()
}

func sum(values []int64) (total int64) {
	for _, v := range values {
		total += v
	}
	return total
}

// withoutZeros shortens a whole amount for an axis.
func withoutZeros(amount string) string { return strings.TrimSuffix(amount, ".00") }

// drawing is an SVG element in the making.
type drawing struct{ out strings.Builder }

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.out, format, args...) }

func (d *drawing) begin(width, height int, title string) {
	d.printf(`<svg viewBox="0 0 %d %d" role="img"><title>%s</title>`, width, height, html.EscapeString(title))
}

func (d *drawing) text(x, y int64, class, text string) {
	d.printf(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, html.EscapeString(text))
}

// end returns the element. Everything in it was written here or escaped.
func (d *drawing) end() template.HTML {
	d.out.WriteString("</svg>")
	return template.HTML(d.out.String())
}
