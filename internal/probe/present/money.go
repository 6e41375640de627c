package present

import (
	"strconv"
	"strings"

	"recoup/internal/kit/page"
	"recoup/internal/probe"
)

// losses are what one account can take by each flaw.
func (r result) losses() []page.Block {
	if len(r.Losses) == 0 {
		return nil
	}
	s := page.NewSheet("Flaw", "How", "What it is", ">One round", ">Rounds a cycle", ">A year", "Bound")
	s.Caption = "One round a cycle, of purchases that fill the cap. These are bounds for one account, and no forecasts; they do not add up where one cap bounds several. What is exposure is told and makes neither class nor exit code: it is owed, or rests on what a refund does not say. Without a cap it is as large as the purchases of the scenario."
	for i := range r.Losses {
		l := &r.Losses[i]
		rounds := strconv.Itoa(l.Rounds)
		if l.Once {
			rounds = "at least once"
		}
		s.Add(l.Flaw, l.Title, l.Kind(), r.Money(l.Round), rounds, r.Money(l.Year), bound(l))
	}
	return []page.Block{{Table: s}}
}

// bound says what bounds a loss.
func bound(l *probe.Loss) string {
	if l.Capped {
		return "the cap"
	}
	return "none: larger purchases take more"
}

// changes are what ends the flaws, by the paper's tiers.
func (r result) changes() []page.Block {
	if len(r.Changes) == 0 {
		return nil
	}
	s := page.NewSheet("Tier", "Change", "Ends", ">An account and year")
	for i := range r.Changes {
		c := &r.Changes[i]
		s.Add(c.TierName(), c.Remedy, strings.Join(c.Flaws, ", "), r.Money(c.Year))
	}
	const about = "In the paper's tiers of defence (section 7.3). The tier that ends the largest loss comes first."
	return []page.Block{{Paragraphs: []string{about}, Table: s}}
}
