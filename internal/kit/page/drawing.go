package page

import (
	"fmt"
	"html"
	"html/template"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Charts are inline SVG that needs nothing from elsewhere: colours are CSS
// variables of the page (see page.css), so that they follow its light and dark
// form; every chart has a title and says in words what it shows; what colour
// tells is told by shape or text as well. Coordinates are whole pixels of the
// view box.

// drawing is an SVG element in the making. Every text in it is escaped where it is
// drawn, and so is every class that a caller chose.
type drawing struct{ out strings.Builder }

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.out, format, args...) }

func (d *drawing) begin(width, height int64, title string) {
	d.printf(`<svg viewBox="0 0 %d %d" role="img"><title>%s</title>`, width, height, html.EscapeString(title))
}

func (d *drawing) text(x, y int64, class, text string) {
	d.printf(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, html.EscapeString(text))
}

func (d *drawing) line(class string, x1, x2, y1, y2 int64) {
	d.printf(`<line class="%s" x1="%d" x2="%d" y1="%d" y2="%d"/>`, class, x1, x2, y1, y2)
}

// bar draws a part of a bar; the title, if any, says what it is.
func (d *drawing) bar(class string, x, y, width, height int64, title string) {
	d.printf(`<rect class="bar %s" x="%d" y="%d" width="%d" height="%d"`, html.EscapeString(class), x, y, width, height)
	if title == "" {
		d.printf(`/>`)
		return
	}
	d.printf(`><title>%s</title></rect>`, html.EscapeString(title))
}

// end returns the element. Everything in it was written here or escaped.
func (d *drawing) end() template.HTML {
	d.out.WriteString("</svg>")
	return template.HTML(d.out.String())
}

// LineSwatch is a short piece of a chart's line, of the class of the line.
func LineSwatch(class string) template.HTML {
	return swatch(`<line class="line ` + html.EscapeString(class) + `" x1="0" x2="30" y1="6" y2="6"/>`)
}

// ShadeSwatch is a piece of the area that a step chart shades.
func ShadeSwatch() template.HTML {
	return swatch(`<rect class="shade" x="0" width="30" y="0" height="12"/>`)
}

func swatch(shape string) template.HTML {
	return template.HTML(`<svg viewBox="0 0 30 12" aria-hidden="true">` + shape + `</svg>`)
}

// scale returns ⌊n · to / from⌋ for 0 ≤ n ≤ from, and keeps what is drawn in its
// frame if n lies outside.
func scale(n, to, from int64) int64 {
	switch {
	case n <= 0 || from <= 0:
		return 0
	case n >= from:
		return to
	}
	hi, lo := bits.Mul64(uint64(n), uint64(to))
	q, _ := bits.Div64(hi, lo, uint64(from))
	return int64(q)
}

// mostSteps is how many round levels an axis may have, beside the first.
const mostSteps = 6

// ticks returns the multiples of a step from low to top.
func ticks(low, top, step int64) []int64 {
	first := low / step * step
	if first < low {
		first += step
	}
	var list []int64
	for n := range (top-first)/step + 1 {
		list = append(list, first+n*step)
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

// withoutZeros shortens a whole amount for an axis.
func withoutZeros(amount string) string { return strings.TrimSuffix(amount, ".00") }

// shortened is a text that others chose, cut to what a chart has room for.
func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
