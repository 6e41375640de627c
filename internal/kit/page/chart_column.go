package page

import (
	"html/template"
	"slices"
	"unicode/utf8"
)

// ColumnChart is amounts or counts by category, such as months: one column each,
// of parts stacked from below in the order of the legend. It is as wide as a bar
// chart, which is enough for some 300 columns. As hardly any values are written on
// it, the text or a table beside it should tell them.
type ColumnChart struct {
	Title   string             // what it shows, in words
	Format  func(int64) string // a value in words, such as an amount of minor units
	Parts   []BarPart
	Columns []BarRow
	Marks   []ColumnMark
	// Beside: the parts of a column stand beside each other, not on each other.
	Beside bool
}

// ColumnMark is a dashed line behind a column, with what happened there above it;
// the column is an index of the chart's.
type ColumnMark struct {
	Column int
	Label  string
}

// The view box of a column chart, and the plot in it. Letters are as wide as most
// are.
const (
	columnLeft, columnRight = 76, 712
	columnPlotHeight        = 170
	columnTotalHeight       = 16 // room for the figure above the highest
	columnLabelHeight       = 24
	columnMarkRow           = 14
	columnLetterWidth       = 6
	widestColumn            = 56
	longestColumnLabel      = 20 // letters
	longestMarkLabel        = 60 // letters
)

// columnPlot is a chart with its measures.
type columnPlot struct {
	*ColumnChart
	bottom  int64 // of the plot
	highest int64 // level, at the top of the plot
	step    int64 // between levels of the axis
}

// SVG draws the chart. All columns share the plot evenly.
func (c *ColumnChart) SVG() template.HTML {
	legend := placeLegend(c.Parts, columnLeft)
	marks, rows := c.placeMarks(barLegendHeight + legend.extra)
	p := columnPlot{ColumnChart: c}
	p.bottom = barLegendHeight + legend.extra + rows*columnMarkRow + columnTotalHeight + columnPlotHeight
	p.highest, p.step = c.extent()
	var d drawing
	d.begin(barWidth, p.bottom+columnLabelHeight, c.Title)
	legend.draw(&d)
	p.axis(&d)
	for _, m := range marks {
		d.line("mark", m.x, m.x, m.y+3, p.bottom)
	}
	p.columns(&d)
	p.labels(&d)
	for _, m := range marks {
		d.text(m.textX, m.y, "column-mark", m.text)
	}
	return d.end()
}

// extent is where the axis ends, which is the first round level that no column
// exceeds, and the step from one level to the next.
func (c *ColumnChart) extent() (highest, step int64) {
	for _, r := range c.Columns {
		highest = max(highest, c.height(r.Values))
	}
	step = roundStep(0, highest)
	if over := highest % step; over != 0 {
		highest += step - over
	}
	return highest, step
}

// height of a column: that of its parts, or of the highest of them.
func (c *ColumnChart) height(values []int64) (highest int64) {
	if !c.Beside {
		return sum(values)
	}
	for _, v := range values {
		highest = max(highest, v)
	}
	return highest
}

func (p *columnPlot) axis(d *drawing) {
	for _, level := range ticks(0, p.highest, p.step) {
		class := "grid"
		if level == 0 {
			class = "zero"
		}
		y := p.bottom - scale(level, columnPlotHeight, p.highest)
		d.line(class, columnLeft, columnRight, y, y)
		d.text(columnLeft-tickLabelOffset-1, y+tickLabelOffset, "tick", withoutZeros(p.Format(level)))
	}
}

// slot is the part of the plot that a column may fill.
func (c *ColumnChart) slot(i int) (left, width int64) {
	n := int64(len(c.Columns))
	left = scale(int64(i), columnRight-columnLeft, n)
	return columnLeft + left, scale(int64(i)+1, columnRight-columnLeft, n) - left
}

// middle of a column.
func (c *ColumnChart) middle(i int) int64 {
	left, width := c.slot(i)
	return left + width/2
}

func (p *columnPlot) columns(d *drawing) {
	var widest int64
	for _, r := range p.Columns {
		widest = max(widest, letters(p.Format(sum(r.Values))))
	}
	for i, r := range p.Columns {
		_, room := p.slot(i)
		width := max(min(room-room/5, widestColumn), 1)
		x, y := p.middle(i)-width/2, p.bottom
		step := int64(0)
		if p.Beside {
			step = max(width/int64(len(r.Values)), 1)
			width = max(step-1, 1)
		}
		for n, v := range r.Values {
			if v <= 0 {
				continue
			}
			h := max(scale(v, columnPlotHeight, p.highest), thinnestBar)
			if y -= h; p.Beside {
				y = p.bottom - h
			}
			d.bar(p.Parts[n].Class, x+int64(n)*step, y, width, h, r.Label+", "+p.Parts[n].Name+": "+p.Format(v))
		}
		if room > widest && !p.Beside {
			d.text(p.middle(i), y-4, "column-total", p.Format(sum(r.Values)))
		}
	}
}

// labels names as many columns, at even distances, as there is room for.
func (p *columnPlot) labels(d *drawing) {
	names := make([]string, len(p.Columns))
	var widest int64
	for i, r := range p.Columns {
		names[i] = shortened(r.Label, longestColumnLabel)
		widest = max(widest, letters(names[i]))
	}
	widest += columnLetterWidth
	every := int(widest*int64(len(names))/(columnRight-columnLeft)) + 1
	for i := 0; i < len(names); i += every {
		d.text(within(p.middle(i), letters(names[i])), p.bottom+monthLabelOffset, "column-label", names[i])
	}
}

// letters is the width of a text.
func letters(text string) int64 { return columnLetterWidth * int64(utf8.RuneCountInString(text)) }

// within is where the middle of a text of that width goes: where it should be, or
// as near as the frame allows.
func within(x, width int64) int64 { return max(min(x, barWidth-width/2), width/2) }

// placedMark is a mark's line and where its label is.
type placedMark struct {
	x, textX, y int64
	text        string
}

// placeMarks puts labels that would overlap in rows below each other, from a
// height down, and returns how many rows it needs.
func (c *ColumnChart) placeMarks(from int64) (placed []placedMark, rows int64) {
	marks := slices.Clone(c.Marks)
	slices.SortStableFunc(marks, func(a, b ColumnMark) int { return a.Column - b.Column })
	var ends []int64 // of the last label in each row
	for _, m := range marks {
		text := shortened(m.Label, longestMarkLabel)
		x, width := c.middle(m.Column), letters(text)
		textX := within(x, width)
		row := slices.IndexFunc(ends, func(end int64) bool { return end < textX-width/2 })
		if row < 0 {
			row, ends = len(ends), append(ends, 0)
		}
		ends[row] = textX + width/2 + columnLetterWidth
		placed = append(placed, placedMark{x, textX, from + columnMarkRow*int64(row) + 10, text})
	}
	return placed, int64(len(ends))
}
