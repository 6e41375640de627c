package page

import (
	"html/template"
	"strings"
	"unicode/utf8"
)

// BarChart is amounts or counts, one bar a row, each of parts end to end.
type BarChart struct {
	Title  string             // what it shows, in words
	Format func(int64) string // a value in words, such as an amount of minor units
	Parts  []BarPart
	Rows   []BarRow
}

// BarPart names one of the parts that every bar has. Its class is its colour:
// leaked and owed are what they say; blue, green, amber, red and grey are plain.
type BarPart struct{ Name, Class string }

// BarRow is one bar: its values by part, none negative, their sum within 63 bits.
type BarRow struct {
	Label  string
	Values []int64
}

// The view box of a bar chart. Letters are as wide as most are.
const (
	barWidth             = 720
	barRowHeight         = 26
	barLeft, barRight    = 150, 560
	barThickness         = 16
	barLegendHeight      = 24
	barLegendRow         = 18
	barSwatch            = 11
	barLegendLetterWidth = 7
	thinnestBar          = 2  // of a value above zero
	longestBarLabel      = 24 // letters
)

// SVG draws the chart. The longest bar spans the plot.
func (c *BarChart) SVG() template.HTML {
	var d drawing
	legend := placeLegend(c.Parts, barLeft)
	plotTop := barLegendHeight + legend.extra
	bottom := plotTop + barRowHeight*int64(len(c.Rows))
	d.begin(barWidth, bottom+4, c.Title)
	legend.draw(&d)
	longest := int64(1)
	for _, r := range c.Rows {
		longest = max(longest, sum(r.Values))
	}
	for i, r := range c.Rows {
		top := plotTop + barRowHeight*int64(i)
		d.text(barLeft-8, top+17, "bar-label", shortened(r.Label, longestBarLabel))
		x := int64(barLeft)
		var told []string
		for n, v := range r.Values {
			if v <= 0 {
				continue
			}
			w := max(scale(v, barRight-barLeft, longest), thinnestBar)
			d.bar(c.Parts[n].Class, x, top+5, w, barThickness, r.Label+", "+c.Parts[n].Name+": "+c.Format(v))
			told = append(told, c.Format(v))
			x += w
		}
		if told == nil {
			told = []string{c.Format(0)}
		}
		d.text(x+6, top+17, "bar-value", strings.Join(told, " + "))
	}
	d.line("zero", barLeft, barLeft, plotTop, bottom)
	return d.end()
}

// legend is the parts of bars with where each is named, in one line or more.
type legend struct {
	parts []BarPart
	at    [][2]int64 // x and y of each swatch
	extra int64      // height of the lines after the first
}

func placeLegend(parts []BarPart, left int64) legend {
	l := legend{parts: parts}
	x := left
	for _, p := range parts {
		width := barSwatch + 24 + barLegendLetterWidth*int64(utf8.RuneCountInString(p.Name))
		if x > left && x+width > barWidth {
			x, l.extra = left, l.extra+barLegendRow
		}
		l.at = append(l.at, [2]int64{x, 3 + l.extra})
		x += width
	}
	return l
}

func (l *legend) draw(d *drawing) {
	for i, p := range l.parts {
		x, y := l.at[i][0], l.at[i][1]
		d.bar(p.Class, x, y, barSwatch, barSwatch, "")
		d.text(x+barSwatch+5, y+10, "bar-legend", p.Name)
	}
}

func sum(values []int64) (total int64) {
	for _, v := range values {
		total += v
	}
	return total
}
