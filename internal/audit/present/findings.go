package present

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
	"recoup/reward"
)

// with returns the findings of these standings, in the report's order.
func (r report) with(standings ...audit.Standing) (list []*audit.Finding) {
	for i := range r.Findings {
		if slices.Contains(standings, r.Findings[i].Standing) {
			list = append(list, &r.Findings[i])
		}
	}
	return list
}

// shown are the findings that there is something to say of.
func (r report) shown() []*audit.Finding { return r.with(audit.Found, audit.Occasional) }

// tiers are the paper's tiers of defence (section 7.3); what is in none comes last.
var tiers = []string{1: "1 prevention", 2: "2 temporal", 3: "3 recovery", 4: "beyond the tiers"}

// changes is what ends the flaws that were found, by tier; what ends several comes once.
func (r report) changes() []page.Block {
	s := page.NewSheet("Tier", "What to change", "Ends", ">Amount")
	s.Caption = "Tiers as in the paper: 1 prevention, a clawback with every refund; 2 temporal enforcement, across statement closes; 3 recovery, debts that stay. Amounts are what the flaws cost in these exports; where one refund shows several flaws, ending one may end the others."
	tier := func(f *audit.Finding) int { return (f.Tier+3)%4 + 1 } // 4 for none
	list := r.shown()
	slices.SortStableFunc(list, func(a, b *audit.Finding) int { return tier(a) - tier(b) })
	for len(list) > 0 {
		first := list[0]
		var ends []string
		var amount int64
		list = slices.DeleteFunc(list, func(f *audit.Finding) bool {
			same := f.Remedy == first.Remedy && f.Tier == first.Tier
			if same {
				ends = append(ends, string(f.Code))
				amount += f.Amount
			}
			return same
		})
		s.Add(page.Cell{Text: tiers[tier(first)], Class: "w"}, first.Remedy, strings.Join(ends, ", "), r.weighed(amount))
	}
	if s.Rows == nil {
		return nil
	}
	return []page.Block{{Table: s}}
}

// found is every flaw that exports can show: what was found with what sets it apart and
// examples, then what was not.
func (r report) found() []page.Block {
	shown, blocks := r.shown(), []page.Block{{Paragraphs: []string{"None of the flaws that exports can show was found."}}}
	if len(shown) > 0 {
		blocks[0] = page.Block{Table: r.table(shown)}
	}
	if s := r.Separation; s != nil && s.Untaken > 0 {
		blocks = append(blocks, r.separation(s))
	}
	for _, f := range shown {
		blocks = append(blocks, r.finding(f))
	}
	lookedFor := func(heading, said string, list []*audit.Finding) {
		codes := make([]string, len(list))
		for i, f := range list {
			codes[i] = fmt.Sprintf("%s (%s)", f.Code, audit.OfAll(f.Shown, f.Could))
		}
		if len(list) > 0 {
			blocks = append(blocks, page.Block{
				Heading: heading, Paragraphs: []string{said + ": " + strings.Join(codes, ", ") + "."},
				Details: []page.Detail{{Summary: "What these would be", Blocks: []page.Block{{Table: r.table(list)}}}},
			})
		}
	}
	lookedFor("What was not found", "Looked for and not found", r.with(audit.NotFound))
	lookedFor("Not enough to tell", "Too few refunds in these exports could have shown these flaws. Whether the program has them is open; exports of a longer time may tell", r.with(audit.TooFew))
	return blocks
}

// table is flaws with what speaks for each.
func (r report) table(list []*audit.Finding) *page.Sheet {
	s := page.NewSheet("Flaw", "What goes wrong", "Standing", ">Cases that show it", ">Amount")
	s.Caption = "Cases that show it: of those in which the flaw could show. It is found where at least three do and, at 95% confidence (E. B. Wilson, 1927), more than one in five does; occasional, where more than one in fifty does. Amount: what the signs cost the program or, where the flaw short-pays, the customers. A refund may be a sign of several flaws, and some can show none, so that these are no parts of what was kept in all. Of V3(b), G10, G13 and late clawbacks the amount was out for a time, and is lost only as far as debts stay."
	for _, f := range list {
		amount := r.weighed(f.Amount)
		if f.Standing == audit.TooFew {
			amount = page.Number(amount.Text) // which says nothing
		}
		s.Add(page.Cell{Text: string(f.Code), Class: "w"}, f.Title, string(f.Standing), audit.OfAll(f.Shown, f.Could), amount)
	}
	return s
}

// separation is the list of conditions that set refunds apart, each of those that the ones
// before it leave.
func (r report) separation(s *audit.Separation) page.Block {
	sheet := page.NewSheet("Refunds", ">Took nothing or too little", ">Amount")
	refunds, untaken, amount, or := s.Refunds, s.Untaken, s.Amount, ""
	for i := range s.Rules {
		rule := &s.Rules[i]
		sheet.Add(or+rule.Words, audit.OfAll(rule.Untaken, rule.Refunds), r.weighed(rule.Amount))
		refunds, untaken, amount, or = refunds-rule.Refunds, untaken-rule.Untaken, amount-rule.Amount, "else "
	}
	sheet.Add("all others", audit.OfAll(untaken, refunds), r.weighed(amount))
	of := audit.Count(s.Refunds, "refund", "refunds") + " with a reward at stake were looked at"
	if s.Sampled {
		of += ", a sample of all"
	}
	return page.Block{
		Heading: "What sets them apart",
		Paragraphs: []string{"What the refunds that took nothing or too little have in common, the clearest first; each line is of the refunds that those above it leave. " + of +
			". An amount is what refunds left, each by itself; what accounts kept in all is less where they are short elsewhere, or a limit leaves them the reward of another purchase instead, and no sum of these."},
		Table: sheet,
	}
}

// evidence says how sure a flaw that was found is, and what it came to.
func (r report) evidence(f *audit.Finding) string {
	return fmt.Sprintf("Seen in %s cases that could show it. It came to %s.", audit.OfAll(f.Shown, f.Could), r.money(f.Amount))
}

// finding is one flaw with its evidence: the first example in sight, the others folded away.
func (r report) finding(f *audit.Finding) page.Block {
	b := page.Block{
		Heading:    fmt.Sprintf("%s: %s", f.Code, f.Title),
		Paragraphs: []string{f.Shows + " " + r.evidence(f), "To change: " + f.Remedy},
		Note:       f.Mapping.Words(),
	}
	for i := range f.Examples {
		e := &f.Examples[i]
		said := fmt.Sprintf("Example %d, account %s: %s", i+1, tabular.Visible(e.Account), r.money(e.Amount))
		outcome := fmt.Sprintf("Expected: %s. Found: %s.", e.Expected, e.Found)
		if i == 0 {
			b.Paragraphs, b.Table = append(b.Paragraphs, said+". "+outcome), r.steps(e.Steps)
		} else {
			b.Details = append(b.Details, page.Detail{Summary: said, Blocks: []page.Block{{Paragraphs: []string{outcome}, Table: r.steps(e.Steps)}}})
		}
	}
	return b
}

// steps are rows of an account's history, each with how many midnights after the first it came.
func (r report) steps(steps []judge.Step) *page.Sheet {
	day := func(i reward.Instant) int64 { return i.Time().Truncate(24*time.Hour).Unix() / 86400 }
	s := page.NewSheet("Date", ">Day", "What happened", ">Amount")
	for i := range steps {
		step, amount := &steps[i], ""
		if step.Amount != 0 {
			amount = r.money(step.Amount)
		}
		if step.Spend {
			amount = r.spend(step.Amount)
		}
		s.Add(page.Cell{Text: step.At.Time().Format(time.DateOnly), Class: "w"}, strconv.FormatInt(day(step.At)-day(steps[0].At), 10), tabular.Visible(step.What), amount)
	}
	return s
}

// accounts are those to look into, each with what speaks against it, never a bare score.
func (r report) accounts() []page.Block {
	about := "No account's history looks like buying, redeeming, returning and keeping the reward."
	if len(r.Suspects) > 0 {
		about = audit.Count(r.Accounts.Suspected, "account", "accounts") + " bought, redeemed, returned and kept reward: in two rounds or more, or in one that was worth about a cap. This is a reason to look, not a proof of intent. The clearest come first."
	}
	blocks := []page.Block{r.list("Histories that look like the attack", about, r.Suspects, r.Accounts.Suspected)}
	if len(r.Worst) > 0 {
		blocks = append(blocks, r.list("The most leakage", "Accounts that have the most above their entitlement, whatever brought it about.", r.Worst, r.Accounts.Above))
	}
	return blocks
}

// list is the first of so many accounts, with the history of each folded away.
func (r report) list(heading, about string, list []audit.Suspect, all int64) page.Block {
	const shown = 10
	b := page.Block{Heading: heading, Paragraphs: []string{about}}
	b.Table = page.NewSheet("Account", ">Rounds", ">Returned", ">Redeemed", ">Leakage", ">Debt", "What speaks against it")
	for i := range list[:min(shown, len(list))] {
		a := &list[i]
		f := &a.Figures
		b.Table.Add(id(a.Account), strconv.FormatInt(a.RoundsInAll, 10), percent(a.ReturnedPermille), r.money(f.Redeemed), r.money(f.Leakage), r.money(f.Debt), strings.Join(a.Evidence, " "))
		b.Details = append(b.Details, page.Detail{
			Summary: fmt.Sprintf("%s: %s above entitlement, %s", tabular.Visible(a.Account), r.money(f.Leakage), audit.Count(a.RoundsInAll, "round", "rounds")),
			Blocks:  []page.Block{{Table: r.steps(a.Timeline)}},
		})
	}
	if n := int64(len(b.Details)); n < all {
		b.Note = fmt.Sprintf("These are %d of %s.", n, program.FormatCount(all))
	}
	return b
}
