package present

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/probe"
)

// sweep says which ways of returning purchases pay, and which do not.
func (r result) sweep() []page.Block {
	if r.Sweep == nil {
		return nil
	}
	s := page.NewSheet("By", ">Played", ">Pay", ">Most", "Which")
	for i := range r.Sweep.Axes {
		a := &r.Sweep.Axes[i]
		most := page.Number(r.Money(a.Most))
		if a.Most > 0 {
			most.Class = "n bad"
		}
		s.Add(string(a.Axis), strconv.Itoa(a.Played), strconv.Itoa(a.Leaks), most, a.Rule)
	}
	const beside = "Every way was played beside an account of the same target that never bought what was returned. A way pays if more is left than there."
	table := page.Block{Paragraphs: []string{beside}, Table: s}
	if r.Sweep.Unplayed > 0 {
		table.Note = fmt.Sprintf("Not played: %d, which the target cannot be told of or answered too uncertainly.", r.Sweep.Unplayed)
	}
	blocks := []page.Block{table}
	for i := range r.Sweep.Finds {
		f := &r.Sweep.Finds[i]
		blocks = append(blocks, r.course(string(f.Flaw), r.sentence(f), f.Trace))
	}
	return blocks
}

// sentence says of a find what it does, in money, and how sure that is.
func (r result) sentence(f *probe.Find) string {
	how := fmt.Sprintf("%s (%s) leaves %s", f.Axis, f.What, r.Money(f.Round))
	if f.Short {
		how = fmt.Sprintf("%s (%s) takes %s too much", f.Axis, f.What, r.Money(f.Round))
	}
	of := fmt.Sprintf("%d histories show it", f.Leaks)
	if f.Leaks == 1 {
		of = "one history shows it"
	}
	text := fmt.Sprintf("%s; %s, and it happened again when it was played a second time", how, of)
	switch {
	case f.Monthly:
		text += fmt.Sprintf("; two rounds leave %s", r.Money(f.Two))
	case !f.Short:
		text += "; a second round leaves no more"
	}
	return text + "."
}

// search is what a search by chance found: each history, and as a script.
func (r result) search() []page.Block {
	s := r.Search
	if s == nil {
		return nil
	}
	said := fmt.Sprintf("%d of %d histories that were made by chance leave something on what was returned, and shrink to %d that differ; seed %d, %d calls",
		s.Leaking, s.Histories, len(s.Finds), s.Seed, s.Calls)
	if s.Ended != "" {
		said += "; ended early: " + s.Ended
	}
	blocks := []page.Block{{Paragraphs: []string{said + "."}}}
	for i := range s.Finds {
		f := &s.Finds[i]
		b := r.course(strings.ToUpper(f.Moves[:1])+f.Moves[1:]+": leaves "+r.Money(f.Leak), "", f.Trace)
		b.Details = append(b.Details, page.Detail{Summary: "By hand: a script for sh and curl", Blocks: []page.Block{{Pre: f.Curl}}, Plain: true})
		blocks = append(blocks, b)
	}
	return blocks
}
