package page_test

import (
	"errors"
	"strings"
	"testing"

	"recoup/internal/kit/page"
)

// What a terminal shows of a page: no charts, and nothing of what is folded away.
func TestWriteText(t *testing.T) {
	table := page.NewSheet("Account", ">Leak")
	table.Caption = "what each has"
	table.Add("acc-1\x1b[2J", "$1.00")
	table.Rows = append(table.Rows, page.Row{SetApart: true, Cells: []page.Cell{page.Text("all"), page.Number("$1.00")}})
	p := page.Page{
		Heading: "Audit", Lead: []string{"It leaks.", "\u202eMuch."}, Tiles: []page.Tile{{Figure: "$1.00"}},
		Sections: []page.Section{
			{ID: "found", Title: "Found", Blocks: []page.Block{
				{Heading: "By account", Paragraphs: []string{"One account."}, Table: table, Pre: "a: 1\nb: 2\n", Note: "These are all."},
				{Heading: "None", Table: page.NewSheet("Account")},
			}},
			{ID: "more", Title: "More", Blocks: []page.Block{{Details: []page.Detail{{Summary: "folded", Blocks: []page.Block{{Note: "away"}}}}}}},
			{ID: "nothing", Title: "Nothing"},
		},
	}
	var out strings.Builder
	if err := p.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	const want = `It leaks.
<U+202E>Much.

Found

By account
One account.
┌──────────────────┬───────┐
│ Account          │  Leak │
├──────────────────┼───────┤
│ acc-1<U+001B>[2J │ $1.00 │
├──────────────────┼───────┤
│ all              │ $1.00 │
└──────────────────┴───────┘

    a: 1
    b: 2
These are all.
`
	if got := out.String(); got != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s", got, want)
	}
	if html := written(t, &p); strings.Contains(html, `href="#nothing"`) || strings.ContainsAny(html, "\x1b\u202e") || !strings.Contains(html, "acc-1&lt;U+001B&gt;[2J") {
		t.Errorf("the page is\n%s", html)
	}
	if err := p.WriteText(full{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
