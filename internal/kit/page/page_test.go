package page_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/kit/page"
	"recoup/reward"
)

// written is the page as a file.
func written(t *testing.T, p *page.Page) string {
	t.Helper()
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// body is what the page has for a block, without the head and its styles.
func body(t *testing.T, b page.Block) string {
	t.Helper()
	_, main, found := strings.Cut(written(t, &page.Page{Heading: "H", Sections: []page.Section{{ID: "s", Title: "S", Blocks: []page.Block{b}}}}), "<main>")
	if !found {
		t.Fatal("the page has no main part")
	}
	main, _, _ = strings.Cut(main, "</main>")
	return main
}

func inWords(n int64) string { return strconv.FormatInt(n, 10) }

// everything has whatever a page may have, with the same text in each string.
func everything(text string) *page.Page {
	format := func(int64) string { return text }
	from := reward.Instant(0)
	timeline := page.NewTimeline(text, -10, 100, format)
	timeline.From, timeline.To = from, from+90*reward.Day
	timeline.Add(from, 0, 0, 0)
	timeline.Add(from+30*reward.Day, 50, 20, -10)
	timeline.Marks = []page.Mark{{At: from + 30*reward.Day, Label: text}}
	timeline.Lines = append(timeline.Lines, page.StepLine{Name: text, Class: text, Steps: []page.LevelStep{{At: from, Level: 1}}})
	parts := []page.BarPart{{Name: text, Class: text}, {Name: text, Class: text}}
	rows := []page.BarRow{{Label: text, Values: []int64{3, 4}}, {Label: text, Values: []int64{0, 1}}}
	bars := page.BarChart{Title: text, Format: format, Parts: parts, Rows: rows}
	columns := page.ColumnChart{Title: text, Format: format, Parts: parts, Columns: rows, Marks: []page.ColumnMark{{Column: 1, Label: text}}}
	moves := []page.Labelled{{Label: text, Text: text}}
	block := page.Block{
		Heading: text, Paragraphs: []string{text}, Moves: moves,
		Key:       append(page.TimelineKey(), page.KeyEntry{Swatch: page.LineSwatch(text), Text: text}),
		Figures:   []page.Figure{{Chart: bars.SVG(), Caption: text}, {Chart: columns.SVG(), Caption: text}},
		Multiples: []page.Multiple{{Name: text, Verdict: text, Class: text, Chart: timeline.SVG(), Moves: moves}},
		Table: &page.Sheet{Caption: text, Columns: []page.Column{{Name: text, Class: text}}, Rows: []page.Row{
			{Cells: []page.Cell{{Text: text, Class: text}, {Text: text, Class: text}}, SetApart: true},
		}},
		Pre: text, Note: text,
	}
	block.Details = []page.Detail{{Summary: text, Blocks: []page.Block{block}}}
	return &page.Page{
		Heading: text, Lead: []string{text}, Tiles: []page.Tile{{Figure: text, Text: text, Class: text}},
		Sections: []page.Section{{ID: text, Title: text, Blocks: []page.Block{block}}},
	}
}

// A new field of text must be tried by the tests of escaping too.
func TestEverythingLeavesNoFieldOut(t *testing.T) {
	var check func(path string, v reflect.Value)
	check = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				check(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Pointer:
			check(path, v.Elem())
		case reflect.Slice:
			if v.Len() == 0 && !strings.Contains(path, ".Details.Blocks") {
				t.Errorf("%s is empty", path)
			}
			for i := range v.Len() {
				check(path, v.Index(i))
			}
		case reflect.String:
			if v.Len() == 0 {
				t.Errorf("%s is empty", path)
			}
		}
	}
	check("Page", reflect.ValueOf(everything("x")))
}

// structure is the elements of the page's body, each with the names of its
// attributes.
func structure(t *testing.T, html string) (list []string) {
	t.Helper()
	_, html, _ = strings.Cut(html, "<body>")
	html, _, _ = strings.Cut(html, "</html>")
	for d := xml.NewDecoder(strings.NewReader("<body>" + html)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("the page does not close what it opens: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element := token.Name.Local
			for _, a := range token.Attr {
				element += " " + a.Name.Local
			}
			list = append(list, element)
		case xml.EndElement:
			list = append(list, "/"+token.Name.Local)
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("the page has a %T: %s", token, token)
		}
	}
}

// Identifiers are those of whoever sent them: none may become part of the page's
// structure, in whatever place it is shown.
func TestAllTextIsEscaped(t *testing.T) {
	for _, hostile := range []string{
		`<script>alert(1)</script>`,
		`"><script>alert(1)</script>`,
		`' onload='alert(1)`,
		`" onclick="alert(1)" x="`,
		`</style><script>alert(1)</script>`,
		`</title></svg></pre></details><img src=x onerror=alert(1)>`,
		`<!-- `, `]]>`, `<?x `, `&lt;script&gt;`, `&`, `javascript:alert(1)`, "{{.}}",
	} {
		html := written(t, everything(hostile))
		// How much room a text takes, but nothing else of it, may change a chart.
		plain := written(t, everything(strings.Repeat("x", len(hostile))))
		if got, want := structure(t, html), structure(t, plain); !slices.Equal(got, want) {
			t.Errorf("%q changes the elements of the page:\n%s\nwant\n%s", hostile, got, want)
		}
		for _, raw := range []string{"<script", "<img", "<!--", `href="javascript:`} {
			if strings.Contains(html, raw) {
				t.Errorf("%q comes out as %q", hostile, raw)
			}
		}
		head, _, _ := strings.Cut(html, "<body>")
		plainHead, _, _ := strings.Cut(plain, "<body>")
		if strings.Count(head, "<") != strings.Count(plainHead, "<") {
			t.Errorf("%q changes the head of the page", hostile)
		}
	}
}

// Escaped text is still there to be read.
func TestTextIsShownWhole(t *testing.T) {
	const id = `<script>`
	html := written(t, everything(id))
	for _, place := range []string{
		"<title>%s</title>\n<style>", "<h1>%s</h1>", `<p class="lead">%s</p>`, "<b>%s</b><span>%s</span></div>", "<h2>%s</h2>", "<h3>%s</h3>", "<p>%s</p>",
		"<li><b>%s</b>%s</li>", "</svg>%s</li>", "<figcaption>%s</figcaption>", "<caption>%s</caption>", ">%s</th>", ">%s</td>", "<pre>\n%s</pre>",
		`<p class="soft small">%s</p>`, "<summary>%s</summary>", `role="img"><title>%s</title>`,
		`class="bar-label" x="142" y="41">%s</text>`, `class="column-label"`, "%s, %s: %s</title></rect>",
	} {
		if want := strings.ReplaceAll(place, "%s", "&lt;script&gt;"); !strings.Contains(html, want) {
			t.Errorf("no %s", want)
		}
	}
}

// A committee's browser may have no network, and the page must not phone home.
func TestPageFetchesAndRunsNothing(t *testing.T) {
	html := written(t, everything("x"))
	for _, pattern := range []string{`(?i)https?:`, `(?i)\bsrc\s*=`, `(?i)<link\b`, `(?i)@import`, `(?i)url\(`, `(?i)<script`, `(?i)<iframe`, `(?i)\son[a-z]+\s*=`} {
		if found := regexp.MustCompile(pattern).FindString(html); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if target, ok := strings.CutPrefix(link[1], "#"); !ok || !strings.Contains(html, `id="`+target+`"`) {
			t.Errorf("link to %q: expected a section of the page", link[1])
		}
	}
}

// Every class that the page or a chart draws with has a rule in the style sheet,
// and so has every class that the fields' comments offer.
func TestStyleKnowsTheClassesThatItIsSaidToKnow(t *testing.T) {
	html := written(t, everything("blue"))
	style, rest, _ := strings.Cut(html, "</style>")
	known := "had due balance leaked owed blue green amber red grey good bad part n c w id"
	for _, class := range strings.Fields(known) {
		if !strings.Contains(style, "."+class) {
			t.Errorf("page.css has no class %s", class)
		}
	}
	for _, list := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		for _, class := range strings.Fields(list[1]) {
			if !regexp.MustCompile(`\.` + class + `\b`).MatchString(style) {
				t.Errorf("page.css has no class %s", class)
			}
		}
	}
	for _, scheme := range []string{"prefers-color-scheme: dark", "@media print", "color-scheme: light dark"} {
		if !strings.Contains(style, scheme) {
			t.Errorf("page.css has no %s", scheme)
		}
	}
}

func TestPageLeavesOutWhatItHasNot(t *testing.T) {
	html := written(t, &page.Page{Heading: "Nothing found", Sections: []page.Section{{ID: "none", Title: "None", Blocks: []page.Block{{}}}}})
	_, html, _ = strings.Cut(html, "</style>")
	for _, element := range []string{"<p", "<ul", "<ol", "<figure", "<table", "<pre", "<details", "<svg", "tiles", "<h3"} {
		if strings.Contains(html, element) {
			t.Errorf("an empty page has %s", element)
		}
	}
}

func TestBlockShowsItsPartsInOrder(t *testing.T) {
	html := written(t, everything("x"))
	_, html, _ = strings.Cut(html, "<section")
	var at int
	for _, part := range []string{"<h3>", "<p>", `<ol class="moves">`, `<ul class="key">`, `<figure class="bars">`, `<figure class="bars">`, `<div class="multiples">`, "<table>", "<pre>", "<p class=", "<details>", "<summary>", "<h3>"} {
		i := strings.Index(html[at:], part)
		if i < 0 {
			t.Fatalf("no %s after %d letters of the section", part, at)
		}
		at += i + len(part)
	}
}

func TestTablesNameTheirRowsAndColumns(t *testing.T) {
	html := body(t, page.Block{Table: &page.Sheet{
		Columns: page.Columns("Account", ">Leak"),
		Rows: []page.Row{
			{Cells: []page.Cell{{Text: "acc-1", Class: "id"}, page.Number("$1.00")}},
			{Cells: []page.Cell{page.Text("all"), {Text: "$1.00", Class: "n bad"}}, SetApart: true},
		},
	}})
	for _, want := range []string{
		`<th scope="col" class="">Account</th><th scope="col" class="n">Leak</th>`,
		`<tr><th scope="row" class="id">acc-1</th><td class="n">$1.00</td></tr>`,
		`<tr class="ours"><th scope="row">all</th><td class="n bad">$1.00</td></tr>`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}

// A scenario or a script is copied from the page as it is, its first line too.
func TestPreKeepsItsText(t *testing.T) {
	const script = "\n  curl -d '{\"id\": \"<1>\"}' \\\n\tx && y\n"
	html := body(t, page.Block{Pre: script})
	shown := regexp.MustCompile(`(?s)<pre>\n(.*)</pre>`).FindStringSubmatch(html) // a parser drops the first newline
	if shown == nil {
		t.Fatalf("no pre element in\n%s", html)
	}
	if got := unescaped(t, shown[1]); got != script {
		t.Errorf("reads %q, want %q", got, script)
	}
}

func unescaped(t *testing.T, text string) string {
	t.Helper()
	var out string
	if err := xml.Unmarshal([]byte("<t>"+text+"</t>"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDetailsNest(t *testing.T) {
	html := body(t, page.Block{Details: []page.Detail{
		{Summary: "first", Blocks: []page.Block{{Note: "one", Details: []page.Detail{{Summary: "deeper", Blocks: []page.Block{{Pre: "two"}}}}}}},
		{Summary: "second"},
	}})
	flat := strings.Join(strings.Fields(html), " ")
	const want = `<details><summary>first</summary> <p class="soft small">one</p> <details><summary>deeper</summary> <pre> two</pre> </details> </details> <details><summary>second</summary> </details>`
	if !strings.Contains(flat, want) {
		t.Errorf("got %s\nwant %s", flat, want)
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteTellsWhatTheWriterSays(t *testing.T) {
	if err := everything("x").Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

func ExamplePage() {
	chart := page.BarChart{
		Title:  "Leak by account",
		Format: func(minor int64) string { return fmt.Sprintf("$%d.%02d", minor/100, minor%100) },
		Parts:  []page.BarPart{{Name: "kept", Class: "leaked"}},
		Rows:   []page.BarRow{{Label: "acc-1", Values: []int64{12_34}}},
	}
	p := page.Page{
		Heading: "Audit",
		Sections: []page.Section{{ID: "accounts", Title: "Accounts", Blocks: []page.Block{{
			Figures: []page.Figure{{Chart: chart.SVG(), Caption: "What each account has above its entitlement."}},
			Details: []page.Detail{{Summary: "acc-1", Blocks: []page.Block{{Pre: "2026-01-03 refund 500.00"}}}},
		}}}},
	}
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(out.String(), "<summary>acc-1</summary>"), strings.Contains(out.String(), "acc-1, kept: $12.34"))
	// Output: true true
}
