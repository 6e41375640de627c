package present

import (
	"fmt"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe"
)

// search writes what a search found: each history step by step, and as a script.
func (t *tables) search() {
	s := t.r.Search
	if s == nil {
		return
	}
	t.line("Search: %s.", searched(s))
	for i := range s.Finds {
		f := &s.Finds[i]
		t.line("\n%s: leaves %s", f.Moves, t.r.Money(f.Leak))
		WriteTrace(t.w, f.Trace, t.r.Capabilities.Currency)
		t.line("\nBy hand:\n\n%s", indent(f.Curl))
	}
	t.line("")
}

// searched says how much was searched, and to what end.
func searched(s *probe.Searched) string {
	text := fmt.Sprintf("%d of %d histories that were made by chance leave something on what was returned, and shrink to %d that differ; seed %d, %d calls",
		s.Leaking, s.Histories, len(s.Finds), s.Seed, s.Calls)
	if s.Ended != "" {
		text += "; ended early: " + s.Ended
	}
	return text
}

// searchSection is the page's part about a search.
func (h *html) searchSection() page.Section {
	s := page.Section{ID: "search", Title: "What a search found"}
	if h.r.Search == nil {
		return s
	}
	s.Blocks = append(s.Blocks, page.Block{Paragraphs: []string{tabular.Visible(searched(h.r.Search)) + "."}})
	for i := range h.r.Search.Finds {
		f := &h.r.Search.Finds[i]
		s.Blocks = append(s.Blocks, page.Block{
			Heading:   tabular.Visible(strings.ToUpper(f.Moves[:1]) + f.Moves[1:] + ": leaves " + h.r.Money(f.Leak)),
			Multiples: []page.Multiple{h.chart("this target", f.Trace)},
			Table:     h.trace(f.Trace),
			Details:   []page.Detail{{Summary: "By hand: a script for sh and curl", Blocks: []page.Block{{Pre: tabular.VisibleLines(f.Curl)}}}},
		})
	}
	return s
}
