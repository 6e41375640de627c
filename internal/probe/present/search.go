package present

import (
	"fmt"
	"io"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/probe/search"
	"recoup/program"
)

// WriteSearch writes for people what a search found: each sequence step by step,
// as a scenario file and as a script.
func WriteSearch(w io.Writer, s *search.Result) error {
	v := &visibleWriter{w: w}
	line := func(format string, args ...any) { fmt.Fprintf(v, format+"\n", args...) }
	line("\nSearch: %s.", searched(s))
	for i := range s.Finds {
		f := &s.Finds[i]
		line("\n%s: %s %s%s", f.Title, f.Defect, program.FormatAmount(f.Amount, s.Currency), like(f.Like))
		WriteTrace(v, f.Trace, s.Currency)
		line("\nAs a scenario file:\n\n%s\n\nBy hand:\n\n%s", indent(f.Scenario), indent(f.Curl))
	}
	for _, k := range s.Known {
		line("Known: %s%s.", k.Signature, like(k.Like))
	}
	return v.err
}

// searched says how much was searched, and to what end.
func searched(s *search.Result) string {
	text := fmt.Sprintf("%d sequences, %d with a defect, which come down to %d that are new and %d that are known; seed %d",
		s.Sequences, s.Defective, len(s.Finds), len(s.Known), s.Seed)
	if s.Ended != "" {
		text += "; ended early: " + s.Ended
	}
	return text
}

func like(scenarios []string) string {
	if scenarios == nil {
		return ""
	}
	return ", like " + strings.Join(scenarios, ", ")
}

// searchSection is the page's part about a search.
func (h *html) searchSection(s *search.Result) page.Section {
	blocks := []page.Block{{Paragraphs: []string{tabular.Visible(searched(s)) + "."}}}
	for i := range s.Finds {
		f := &s.Finds[i]
		blocks = append(blocks, page.Block{
			Heading:    tabular.Visible(f.Title),
			Paragraphs: []string{fmt.Sprintf("%s %s%s.", f.Defect, h.r.Money(f.Amount), like(f.Like))},
			Multiples:  []page.Multiple{h.chart("this target", f.Trace)},
			Table:      h.trace(f.Trace),
			Details: []page.Detail{
				{Summary: "As a scenario file", Blocks: []page.Block{{Pre: tabular.VisibleLines(f.Scenario)}}},
				{Summary: "By hand: a script for sh and curl", Blocks: []page.Block{{Pre: tabular.VisibleLines(f.Curl)}}},
			},
		})
	}
	return page.Section{ID: "search", Title: "What a search found", Blocks: blocks}
}
