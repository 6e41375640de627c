package present

import (
	"fmt"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/probe"
)

// behaviour is the paper's table with the target's row, and the evidence.
func (r result) behaviour() []page.Block {
	if r.PaperRow == nil {
		return nil
	}
	s := page.NewSheet("Issuer", "Reward timing", "Refund adjustment", "Negative balance", "Reward Integrity", "Refund Consistency", "Class")
	s.Caption = "The issuers that the paper met, and this target. ✓ holds; ~ holds only if the customer goes on using the card; × is violated."
	classes := map[string]string{"✓": "c good", "~": "c part", "×": "c bad"}
	sign := func(s string) page.Cell { return page.Cell{Text: s, Class: classes[s]} }
	for i := range r.PaperRow {
		p := &r.PaperRow[i]
		s.Add(p.Issuer, p.RewardTiming, p.RefundAdjustment, p.NegativeBalance, sign(p.RewardIntegrity), sign(p.RefundRewardConsistency), string(p.Class))
	}
	s.Rows[len(s.Rows)-1].SetApart = true
	blocks := []page.Block{{Table: s}}
	if b := r.Behaviour; b != nil && len(b.Notes) > 0 {
		blocks[0].Note = "Target: " + strings.Join(b.Notes, "; ") + "."
	}
	if len(r.Evidence) > 0 {
		blocks = append(blocks, r.course("How the class became clear", "", r.Evidence))
	}
	return blocks
}

// terms are what purchases show of them, or those that were given.
func (r result) terms() []page.Block {
	t := &r.Terms
	said := "What the purchases of this run show of the published terms, as a program file."
	switch {
	case t.File == "":
		said = "The terms could not be told; here is what was seen."
	case t.Given:
		said = "The terms that were given, with the timing that was observed."
	}
	s := page.NewSheet("What", "Is", "How it was found")
	for _, o := range t.Observed {
		s.Add(o.What, o.Is, o.How)
	}
	blocks := []page.Block{{Paragraphs: []string{said}, Table: s, Pre: t.File}}
	for _, why := range t.Untold {
		blocks = append(blocks, page.Block{Paragraphs: []string{"Not told: " + why + "."}})
	}
	return blocks
}

// requests are there where they were counted.
func (r result) requests() []page.Block {
	if r.Calls.Requests == 0 {
		return nil
	}
	return []page.Block{{Paragraphs: []string{Requests(r.Result)}}}
}

// Requests says how many requests a run took, and what became of those that were not
// simply answered.
func Requests(r *probe.Result) string {
	c := &r.Calls
	said := []string{fmt.Sprintf("%d requests", c.Requests)}
	for _, of := range []struct {
		count int
		what  string
	}{
		{c.Failures, "got no answer or a 5xx"}, {c.Throttled, "were throttled"}, {c.Retries, "had been sent before"},
		{c.Refusals, "the program refused"},
	} {
		if of.count > 0 {
			said = append(said, fmt.Sprintf("%d %s", of.count, of.what))
		}
	}
	text := said[0]
	if len(said) > 1 {
		text += ", of which " + strings.Join(said[1:], ", ")
	}
	if again := c.Replays + r.Replays; again > 0 {
		text += fmt.Sprintf("; accounts were played anew %d times", again)
	}
	return text + "."
}
