package page_test

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/kit/page"
	"recoup/reward"
)

var (
	frame    = regexp.MustCompile(`(?s)^<svg viewBox="0 0 (\d+) (\d+)" role="img"><title>[^<]*</title>(.*)</svg>$`)
	barShape = regexp.MustCompile(`<rect class="bar (\w+)" x="(-?\d+)" y="(-?\d+)" width="(-?\d+)" height="(-?\d+)"><title>`)
)

// area is a drawn part of a bar.
type area struct {
	class               string
	x, y, width, height int
}

func bars(chart template.HTML) (list []area) {
	for _, m := range barShape.FindAllStringSubmatch(string(chart), -1) {
		list = append(list, area{m[1], number(m[2]), number(m[3]), number(m[4]), number(m[5])})
	}
	return list
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// texts are those of a class.
func texts(chart template.HTML, class string) (list []string) {
	for _, m := range regexp.MustCompile(`<text class="`+class+`"[^>]*>([^<]*)</text>`).FindAllStringSubmatch(string(chart), -1) {
		list = append(list, m[1])
	}
	return list
}

var (
	aboveThePlot = regexp.MustCompile(`<text class="(?:bar-legend|column-mark)" x="\d+" y="(\d+)"`)
	inThePlot    = regexp.MustCompile(`<(?:line|text) class="(?:zero|grid|bar-label|tick|column-total)"[^>]* y1?="(\d+)"`)
)

// checkFrame fails for what is drawn outside of the chart, for areas that are empty
// or inside out, and for a plot that reaches into what stands above it.
func checkFrame(t interface {
	Helper()
	Errorf(string, ...any)
}, chart template.HTML) {
	t.Helper()
	parts := frame.FindStringSubmatch(string(chart))
	if parts == nil {
		t.Errorf("not an image with a title: %.80s", chart)
		return
	}
	for pattern, limit := range map[string]string{
		`\b(?:x|x1|x2|cx)="(-?\d+)"`: parts[1], `[MH](-?\d+)`: parts[1],
		`\b(?:y|y1|y2|cy)="(-?\d+)"`: parts[2], `(?:V|M-?\d+ )(-?\d+)`: parts[2],
	} {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(parts[3], -1) {
			if n := number(found[1]); n < 0 || n > number(limit) {
				t.Errorf("%s lies outside of %s by %s", found[0], parts[1], parts[2])
			}
		}
	}
	for _, found := range regexp.MustCompile(`\b(?:width|height)="(-?\d+)"`).FindAllStringSubmatch(parts[3], -1) {
		if number(found[1]) <= 0 {
			t.Errorf("an area has %s", found[0])
		}
	}
	lowest := 0
	for _, m := range aboveThePlot.FindAllStringSubmatch(parts[3], -1) {
		lowest = max(lowest, number(m[1]))
	}
	for _, m := range inThePlot.FindAllStringSubmatch(parts[3], -1) {
		if number(m[1]) <= lowest {
			t.Errorf("%s is in the plot, above which there is text down to %d", m[0], lowest)
		}
	}
	for _, b := range bars(chart) {
		if b.y <= lowest {
			t.Errorf("the area %+v reaches into the text above, which ends at %d", b, lowest)
		}
		if b.x+b.width > number(parts[1]) || b.y+b.height > number(parts[2]) {
			t.Errorf("the area %+v leaves the frame", b)
		}
	}
}

var twoParts = []page.BarPart{{Name: "kept", Class: "leaked"}, {Name: "owed", Class: "owed"}}

func TestBarsAreInProportion(t *testing.T) {
	c := page.BarChart{Title: "t", Format: inWords, Parts: twoParts, Rows: []page.BarRow{
		{Label: "longest", Values: []int64{300, 110}}, {Label: "half", Values: []int64{0, 205}}, {Label: "trace", Values: []int64{1, 0}}, {Label: "none", Values: []int64{0, 0}},
	}}
	chart := c.SVG()
	checkFrame(t, chart)
	want := []area{
		{"leaked", 150, 29, 300, 16}, {"owed", 450, 29, 110, 16}, // the plot is 410 wide
		{"owed", 150, 55, 205, 16},
		{"leaked", 150, 81, 2, 16}, // what is there is seen
	}
	if got := bars(chart); !slices.Equal(got, want) {
		t.Errorf("bars %+v\nwant %+v", got, want)
	}
	if got, want := texts(chart, "bar-value"), []string{"300 + 110", "205", "1", "0"}; !slices.Equal(got, want) {
		t.Errorf("values %q, want %q", got, want)
	}
	if got, want := texts(chart, "bar-legend"), []string{"kept", "owed"}; !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestColumnsAreInProportion(t *testing.T) {
	c := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts, Columns: []page.BarRow{
		{Label: "Jan", Values: []int64{300, 200}}, {Label: "Feb", Values: []int64{250, 0}}, {Label: "Mar", Values: []int64{0, 1}}, {Label: "Apr", Values: []int64{0, 0}},
	}}
	chart := c.SVG()
	checkFrame(t, chart)
	got := bars(chart)
	if len(got) != 4 {
		t.Fatalf("bars %+v, want 4", got)
	}
	// The plot is 170 high; the first part stands on the ground, the second on it.
	ground := got[0].y + got[0].height
	for i, want := range []struct {
		class          string
		height, bottom int
	}{{"leaked", 102, ground}, {"owed", 68, ground - 102}, {"leaked", 85, ground}, {"owed", 2, ground}} {
		if got[i].class != want.class || got[i].height != want.height || got[i].y+got[i].height != want.bottom {
			t.Errorf("bar %d is %+v, want %s of a height of %d and its lower end at %d", i, got[i], want.class, want.height, want.bottom)
		}
	}
	if got[0].x != got[1].x || got[2].x-got[1].x != got[3].x-got[2].x {
		t.Errorf("columns %+v: expected one above the other, and even distances", got)
	}
	for class, want := range map[string][]string{
		"column-label": {"Jan", "Feb", "Mar", "Apr"},
		"column-total": {"500", "250", "1", "0"},
		"tick":         {"0", "100", "200", "300", "400", "500"},
		"bar-legend":   {"kept", "owed"},
	} {
		if got := texts(chart, class); !slices.Equal(got, want) {
			t.Errorf("%s %q, want %q", class, got, want)
		}
	}
	if !strings.Contains(string(chart), "<title>Jan, owed: 200</title>") {
		t.Error("a part of a column does not say what it is")
	}
}

// The axis ends at a round level, however odd the highest column is.
func TestAxisEndsAtARoundLevel(t *testing.T) {
	for highest, want := range map[int64]string{0: "0", 1: "1", 7: "8", 61: "70", 999: "1000", 1_234_567: "1400000", 1e15 + 1: "1200000000000000"} {
		c := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts[:1], Columns: []page.BarRow{{Label: "x", Values: []int64{highest}}}}
		ticks := texts(c.SVG(), "tick")
		if got := ticks[len(ticks)-1]; got != want {
			t.Errorf("highest column %d: the axis ends at %s, want %s", highest, got, want)
		}
	}
}

// A year of days has no room for 365 labels, nor for a figure on each.
func TestManyColumnsAreLabelledAtEvenDistances(t *testing.T) {
	c := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts[:1]}
	for i := range 365 {
		c.Columns = append(c.Columns, page.BarRow{Label: fmt.Sprintf("day %03d", i), Values: []int64{int64(i)}})
	}
	chart := c.SVG()
	checkFrame(t, chart)
	labels := texts(chart, "column-label")
	if len(labels) < 4 || len(labels) > 14 {
		t.Fatalf("labels %q", labels)
	}
	every := number(strings.TrimPrefix(labels[1], "day "))
	for i, label := range labels {
		if want := fmt.Sprintf("day %03d", i*every); label != want {
			t.Errorf("label %d is %q, want %q", i, label, want)
		}
	}
	if totals := texts(chart, "column-total"); totals != nil {
		t.Errorf("totals %q are written where there is no room", totals)
	}
	if got := len(bars(chart)); got != 364 {
		t.Errorf("%d columns drawn, want 364 above zero", got)
	}
}

func TestMarksOfColumnsDoNotOverlap(t *testing.T) {
	c := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts[:1],
		Columns: []page.BarRow{{Label: "Jan", Values: []int64{1}}, {Label: "Feb", Values: []int64{1}}, {Label: "Mar", Values: []int64{1}}},
		Marks: []page.ColumnMark{
			{Column: 2, Label: "the clawback is fixed, and from now on all is well"}, {Column: 1, Label: "a new program, of which somebody made much"},
			{Column: 0, Label: "start"}, {Column: 1, Label: "again"},
		},
	}
	chart := c.SVG()
	checkFrame(t, chart)
	type span struct{ left, right, y int }
	var labels []span
	for _, m := range regexp.MustCompile(`<text class="column-mark" x="(\d+)" y="(\d+)">([^<]*)<`).FindAllStringSubmatch(string(chart), -1) {
		half := len(m[3]) * 3 // letters are about six wide
		labels = append(labels, span{number(m[1]) - half, number(m[1]) + half, number(m[2])})
	}
	if len(labels) != 4 {
		t.Fatalf("%d marks, want 4", len(labels))
	}
	for i, a := range labels {
		if a.left < 0 || a.right > 720 {
			t.Errorf("the label %+v leaves the frame", a)
		}
		for _, b := range labels[:i] {
			if a.y == b.y && a.left < b.right && b.left < a.right {
				t.Errorf("the labels %+v and %+v overlap", a, b)
			}
		}
	}
	var lines []int
	for _, m := range regexp.MustCompile(`<line class="mark" x1="(\d+)"`).FindAllStringSubmatch(string(chart), -1) {
		lines = append(lines, number(m[1]))
	}
	if want := []int{182, 394, 394, 606}; !slices.Equal(lines, want) {
		t.Errorf("marks at %v, want %v, the middles of the columns", lines, want)
	}
}

// Whoever sends identifiers decides how long they are.
func TestLongLabelsAreCut(t *testing.T) {
	long := strings.Repeat("ß", 500)
	rows := []page.BarRow{{Label: long, Values: []int64{1}}}
	bar := page.BarChart{Title: "t", Format: inWords, Parts: twoParts[:1], Rows: rows}
	column := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts[:1], Columns: rows, Marks: []page.ColumnMark{{Column: 0, Label: long}}}
	for class, chart := range map[string]template.HTML{"bar-label": bar.SVG(), "column-label": column.SVG(), "column-mark": column.SVG()} {
		got := texts(chart, class)
		if len(got) != 1 || !strings.HasSuffix(got[0], "ß…") || len([]rune(got[0])) > 60 {
			t.Errorf("%s: %q, want one that is cut short", class, got)
		}
		if !strings.Contains(string(chart), "<title>"+long+", kept: 1</title>") {
			t.Errorf("%s: the whole label is nowhere", class)
		}
	}
}

func TestLegendsBreakIntoLines(t *testing.T) {
	var parts []page.BarPart
	for i := range 9 {
		parts = append(parts, page.BarPart{Name: fmt.Sprintf("a part of a long name %d", i), Class: "blue"})
	}
	values := make([]int64, len(parts))
	values[0] = 5
	bar := page.BarChart{Title: "t", Format: inWords, Parts: parts, Rows: []page.BarRow{{Label: "x", Values: values}}}
	column := page.ColumnChart{Title: "t", Format: inWords, Parts: parts, Columns: []page.BarRow{{Label: "x", Values: values}}, Marks: []page.ColumnMark{{Column: 0, Label: "start"}}}
	for _, chart := range []template.HTML{bar.SVG(), column.SVG()} {
		checkFrame(t, chart)
		lowest := 0
		places := make(map[string]bool)
		for _, m := range regexp.MustCompile(`<text class="bar-legend" x="(\d+)" y="(\d+)">([^<]*)<`).FindAllStringSubmatch(string(chart), -1) {
			if end := number(m[1]) + 7*len(m[3]); end > 720 {
				t.Errorf("%q ends at %d", m[3], end)
			}
			if place := m[1] + " " + m[2]; places[place] {
				t.Errorf("%q lies on another part's name", m[3])
			} else {
				places[place] = true
			}
			lowest = max(lowest, number(m[2]))
		}
		if m := regexp.MustCompile(`<text class="column-mark" x="\d+" y="(\d+)"`).FindStringSubmatch(string(chart)); m != nil && number(m[1]) <= lowest {
			t.Errorf("the mark at %s lies in the legend, which ends at %d", m[1], lowest)
		}
	}
}

// A chart of what is played step by step keeps its axes, and its lines grow.
func TestLinesMayEndBeforeTheAxis(t *testing.T) {
	c := page.NewTimeline("t", -100, 100, inWords)
	c.From, c.To, c.Until = 0, 100*reward.Day, 75*reward.Day
	c.Add(0, 0, 0, 0)
	c.Add(50*reward.Day, 100, 50, -100)
	chart := string(c.SVG())
	// The plot is from 46 to 328 across and from 166 up to 26.
	for _, want := range []string{
		`<path class="line had" d="M46 96H187V26H257"><title>had</title></path>`,
		`<rect class="shade" x="187" y="26" width="70" height="35"/>`,
		`<line class="zero" x1="46" x2="328" y1="96" y2="96"/>`,
	} {
		if !strings.Contains(chart, want) {
			t.Errorf("no %s in\n%s", want, chart)
		}
	}
}

func TestStepsAreInProportion(t *testing.T) {
	c := page.NewTimeline("t", -100, 100, inWords)
	c.From, c.To = 0, 100*reward.Day
	c.Add(0, 0, 0, 0)
	c.Add(50*reward.Day, 100, 50, -100)
	chart := string(c.SVG())
	// The plot is from 46 to 328 across and from 166 up to 26.
	for _, want := range []string{
		`<path class="line had" d="M46 96H187V26H328"><title>had</title></path>`,
		`<path class="line due" d="M46 96H187V61H328"><title>entitled to</title></path>`,
		`<path class="line balance" d="M46 96H187V166H328"><title>balance</title></path>`,
		`<rect class="shade" x="187" y="26" width="141" height="35"/>`,
		`<line class="zero" x1="46" x2="328" y1="96" y2="96"/>`,
	} {
		if !strings.Contains(chart, want) {
			t.Errorf("no %s in\n%s", want, chart)
		}
	}
	if got, want := texts(c.SVG(), "month-label"), []string{"Jan", "Feb", "Mar", "Apr"}; !slices.Equal(got, want) {
		t.Errorf("months %q, want %q", got, want)
	}
}

// The labels of moves on one day stand side by side, in order.
func TestMarksOfStepsDoNotOverlap(t *testing.T) {
	for _, n := range []int{2, 18, 40} {
		c := page.StepChart{Title: "t", Top: 100, Format: inWords, To: 30 * reward.Day}
		for i := range n {
			c.Marks = append(c.Marks, page.Mark{At: 30 * reward.Day, Label: strconv.Itoa(i)})
		}
		room := min(15, 282/(n-1)) // of the plot's width
		last := -room
		for _, m := range regexp.MustCompile(`<circle class="marker" cx="(\d+)"`).FindAllStringSubmatch(string(c.SVG()), -1) {
			if x := number(m[1]); x < last+room {
				t.Errorf("%d marks: one at %d and the next at %d, want %d between them", n, last, x, room)
			} else {
				last = x
			}
		}
		if last != 328 {
			t.Errorf("%d marks: the last is at %d, want 328, the end of the plot", n, last)
		}
	}
}

// An axis prefers levels on which it begins and ends.
func TestLevelsOfTheAxis(t *testing.T) {
	for _, axis := range []struct {
		low, top int64
		want     []string
	}{
		{-50, 50, []string{"-50", "0", "50"}},
		{0, 3, []string{"0", "1", "2", "3"}},
		{-30, 100, []string{"-20", "0", "20", "40", "60", "80", "100"}},
		{7, 7, []string{"7"}},
		{0, 1e17, []string{"0", "20000000000000000", "40000000000000000", "60000000000000000", "80000000000000000", "100000000000000000"}},
	} {
		c := page.StepChart{Title: "t", Low: axis.low, Top: axis.top, Format: inWords}
		if got := texts(c.SVG(), "tick"); !slices.Equal(got, axis.want) {
			t.Errorf("%d to %d: levels %q, want %q", axis.low, axis.top, got, axis.want)
		}
	}
}

func TestLeaveRoomIsATwelfthAndADayAtLeast(t *testing.T) {
	for _, days := range []reward.Instant{0, 3, 120} {
		c := page.StepChart{From: 5 * reward.Day, To: (5 + days) * reward.Day}
		c.LeaveRoom()
		if want := (5 + days + max(1, days/12)) * reward.Day; c.To != want {
			t.Errorf("%d days: ends at %v, want %v", days, c.To, want)
		}
	}
}

// Whatever is charted stays in its frame: levels and times outside the axes, no
// time at all, a hundred marks, hundreds of columns.
func TestChartsStayInTheirFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(-reward.MaxAmount, reward.MaxAmount)
		moment := rapid.Map(rapid.Int64Range(0, 800), func(day int64) reward.Instant { return reward.Instant(day) * reward.Day })
		low := amount.Draw(t, "low")
		step := page.NewTimeline("t", low, low+rapid.Int64Range(0, reward.MaxAmount).Draw(t, "range"), inWords)
		step.From, step.To = moment.Draw(t, "from"), moment.Draw(t, "to")
		for _, at := range slices.Sorted(slices.Values(rapid.SliceOfN(moment, 0, 20).Draw(t, "steps"))) {
			step.Add(at, amount.Draw(t, "had"), amount.Draw(t, "due"), amount.Draw(t, "balance"))
		}
		for i, at := range slices.Sorted(slices.Values(rapid.SliceOfN(moment, 0, 100).Draw(t, "marks"))) {
			step.Marks = append(step.Marks, page.Mark{At: at, Label: strconv.Itoa(i)})
		}
		checkFrame(t, step.SVG())

		value := rapid.Int64Range(0, reward.MaxAmount)
		var rows []page.BarRow
		for i := range rapid.IntRange(0, 400).Draw(t, "rows") {
			rows = append(rows, page.BarRow{Label: strconv.Itoa(i), Values: []int64{value.Draw(t, "first"), value.Draw(t, "second")}})
		}
		column := page.ColumnChart{Title: "t", Format: inWords, Parts: twoParts, Columns: rows}
		for range rapid.IntRange(0, min(len(rows), 9)).Draw(t, "column marks") {
			column.Marks = append(column.Marks, page.ColumnMark{Column: rapid.IntRange(0, len(rows)-1).Draw(t, "column"), Label: "something happened"})
		}
		checkFrame(t, column.SVG())
		bar := page.BarChart{Title: "t", Format: inWords, Parts: twoParts, Rows: rows}
		checkFrame(t, bar.SVG())
	})
}

// A spark ends in a point where its last level is, from zero up to its highest.
func TestSparks(t *testing.T) {
	for _, c := range []struct {
		levels []int64
		want   string
	}{
		{[]int64{5}, ""},
		{[]int64{0, 50, 100}, `points="4,30 66,17 128,4"`},
		{[]int64{100, 0}, `points="4,4 128,30"`},
		{[]int64{-100, 100}, `points="4,30 128,4"`},
		{[]int64{0, 0}, `points="4,30 128,30"`},
	} {
		s := page.Spark{Title: "a <b>", Class: "blue", Levels: c.levels}
		svg := string(s.SVG())
		if !strings.Contains(svg, c.want) || (svg == "") != (c.want == "") || strings.Contains(svg, "<b>") {
			t.Errorf("%v is %s, want %s in it", c.levels, svg, c.want)
		}
	}
}

// Parts that stand beside each other share the axis, not a column.
func TestPartsBesideEachOther(t *testing.T) {
	c := page.ColumnChart{Title: "t", Format: func(n int64) string { return fmt.Sprint(n) }, Beside: true,
		Parts: []page.BarPart{{Name: "a", Class: "blue"}, {Name: "b", Class: "red"}}, Columns: []page.BarRow{{Label: "x", Values: []int64{100, 50}}}}
	svg := string(c.SVG())
	for _, want := range []string{`class="bar blue" x="366" y="40" width="27" height="170"`, `class="bar red" x="394" y="125" width="27" height="85"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
}

// What is pointed at says what holds there, from one step to the next.
func TestStepsCanBePointedAt(t *testing.T) {
	c := page.StepChart{Title: "t", From: 0, To: 100 * reward.Day, Top: 10, Format: func(n int64) string { return fmt.Sprint(n) },
		Lines: []page.StepLine{{Name: "a", Class: "blue"}}, Told: func(at reward.Instant) string { return fmt.Sprint("day ", int64(at/reward.Day)) }}
	c.Add(0, 1)
	c.Add(50*reward.Day, 2)
	c.Add(50*reward.Day+1, 3)
	svg := string(c.SVG())
	if n := strings.Count(svg, `class="told"`); n != 2 || !strings.Contains(svg, "<title>day 0</title>") || !strings.Contains(svg, "<title>day 50</title>") || !strings.Contains(svg, `viewBox="0 0 340 190"`) {
		t.Errorf("%d can be pointed at in %s", n, svg)
	}
}
