package page

import (
	"html"
	"html/template"
	"strconv"
	"strings"
)

// Spark is a line of levels beside a figure: how it came to be, without an axis. What the
// levels are stands in its title.
type Spark struct {
	Title  string
	Class  string // its colour: blue, green, amber, red or grey
	Levels []int64
}

// The view box of a spark. Its line keeps off the frame by the width of its end.
const (
	sparkWidth, sparkHeight = 132, 34
	sparkMargin             = 4
)

// SVG draws the line; of fewer than two levels there is none.
func (s *Spark) SVG() template.HTML {
	if len(s.Levels) < 2 {
		return ""
	}
	low, top := int64(0), int64(0) // a small change of much looks small
	for _, level := range s.Levels {
		low, top = min(low, level), max(top, level)
	}
	var d drawing
	var points []string
	var x, y int64
	for i, level := range s.Levels {
		x = sparkMargin + scale(int64(i), sparkWidth-2*sparkMargin, int64(len(s.Levels)-1))
		y = sparkHeight - sparkMargin - scale(level-low, sparkHeight-2*sparkMargin, top-low)
		points = append(points, strconv.FormatInt(x, 10)+","+strconv.FormatInt(y, 10))
	}
	d.begin(sparkWidth, sparkHeight, s.Title)
	class := html.EscapeString(s.Class)
	d.printf(`<polyline class="line %s" points="%s"/><circle class="spark-end %s" cx="%d" cy="%d" r="2.5"/>`, class, strings.Join(points, " "), class, x, y)
	return d.end()
}
