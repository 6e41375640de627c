// Package present shows what a probe has found out: as one page, written as HTML and for a
// terminal, and as SARIF. As JSON, the result is shown as it is.
package present

import (
	"fmt"
	"io"

	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
)

// WriteHTML writes a result as a page of its own: the verdict first.
func WriteHTML(w io.Writer, r *probe.Result) error { return pageOf(r).Write(w) }

// WriteTable writes the same page for a terminal.
func WriteTable(w io.Writer, r *probe.Result) error { return pageOf(r).WriteText(w) }

// result is what was found, with the words for it.
type result struct{ *probe.Result }

func pageOf(of *probe.Result) *page.Page {
	r := result{of}
	p := &page.Page{
		Heading: "Probe of " + tabular.Visible(r.Target),
		Lead:    []string{r.Verdict()},
		Tiles:   r.tiles(),
		Sections: []page.Section{
			{ID: "loss", Title: "What one account can take", Blocks: r.losses()},
			{ID: "changes", Title: "What to change", Blocks: r.changes()},
			{ID: "sweep", Title: "Ways to return a purchase", Blocks: r.sweep()},
			{ID: "behaviour", Title: "How it behaves", Blocks: r.behaviour()},
			{ID: "gaps", Title: "Gaps", Blocks: r.gaps()},
			{ID: "search", Title: "What a search found", Blocks: r.search()},
			{ID: "terms", Title: "The terms", Blocks: r.terms()},
			{ID: "requests", Title: "Requests", Blocks: r.requests()},
		},
	}
	if names := r.Mapping.Words(); names != "" {
		p.Lead = append(p.Lead, names)
	}
	for _, what := range r.LeftOut {
		p.Lead = append(p.Lead, "Left out: "+what+".")
	}
	return p
}

// tiles are the figures to take home.
func (r result) tiles() []page.Tile {
	class := page.Tile{Figure: string(r.Class), Text: "is the class of the target in the paper's taxonomy", Class: good(r.Class == flaw.Robust)}
	if r.Class == "" {
		class.Figure, class.Class = "not told", ""
	}
	tiles := []page.Tile{class}
	if l := r.Leak(); l != nil {
		tiles = append(tiles, page.Tile{Figure: r.Money(l.Year), Text: fmt.Sprintf("is what one account can take in a year by %s; bound: %s", l.Flaw, bound(l)), Class: "bad"})
	}
	if s := r.Sweep; s != nil {
		leaks := 0
		for i := range s.Axes {
			leaks += s.Axes[i].Leaks
		}
		tiles = append(tiles, page.Tile{Figure: fmt.Sprintf("%d of %d", leaks, s.Played), Text: "ways to return purchases pay", Class: good(leaks == 0)})
	}
	if len(r.Gaps) > 0 {
		tiles = append(tiles, page.Tile{Figure: fmt.Sprintf("%d of %d", len(r.Failing()), len(r.Gaps)), Text: fmt.Sprintf("gaps, attacks and flaws fail, %d of them for a reason of their own", len(r.Own()))})
	}
	return tiles
}

func good(yes bool) string {
	if yes {
		return "good"
	}
	return "bad"
}
