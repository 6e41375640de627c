package present

import (
	"fmt"
	"strconv"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
	"recoup/reward"
)

// drawnRounds is how many of an account's rounds are drawn.
const drawnRounds = 3

// accountsSection is the accounts to look into, each with what speaks against it.
func (r report) accountsSection() page.Section {
	s := page.Section{ID: "accounts", Title: "The accounts to look at"}
	suspects := page.Block{
		Heading: "Histories that look like the attack",
		Paragraphs: []string{
			fmt.Sprintf("%s bought, redeemed, returned and kept reward: in two rounds or more, or in one that was worth about a cap. The clearest come first. This is a reason to look, not a proof of intent.", count(r.Accounts.Suspected, "account")),
		},
	}
	if len(r.Suspects) == 0 {
		suspects.Paragraphs = []string{"No account's history looks like buying, redeeming, returning and keeping the reward."}
	} else {
		table := r.suspects(r.Suspects)
		suspects.Table, suspects.Details = &table, r.drillDown(r.Suspects)
		suspects.Note = more(r.Accounts.Suspected, len(r.Suspects))
	}
	s.Blocks = append(s.Blocks, suspects)
	if len(r.Worst) > 0 {
		table := r.suspects(r.Worst)
		s.Blocks = append(s.Blocks, page.Block{
			Heading: "The most leakage", Paragraphs: []string{"Accounts that have the most above their entitlement, whatever brought it about."},
			Table: &table, Details: r.drillDown(r.Worst), Note: more(r.Accounts.Above, len(r.Worst)),
		})
	}
	return s
}

// more says that there are more than are shown, if there are.
func more(all int64, shown int) string {
	if all <= int64(shown) {
		return ""
	}
	return fmt.Sprintf("These are %d of %s.", shown, program.FormatCount(all))
}

// drillDown folds an account's figures, rounds and history away under its name.
func (r report) drillDown(list []audit.Suspect) []page.Detail {
	details := make([]page.Detail, len(list))
	for i := range list {
		a := &list[i]
		details[i].Summary = fmt.Sprintf("%s: %s above entitlement, %s", tabular.Visible(a.Account), r.money(a.Figures.Leakage), count(a.RoundsInAll, "round"))
		figures := r.accountFigures(a)
		details[i].Blocks = []page.Block{{Paragraphs: []string{said(a)}, Table: &figures}}
		if len(a.Rounds) > 0 {
			details[i].Blocks = append(details[i].Blocks, r.roundsBlock(a))
		}
		if len(a.Timeline) > 0 {
			steps := r.steps(a.Timeline)
			details[i].Blocks = append(details[i].Blocks, page.Block{Heading: "History", Table: &steps})
		}
	}
	return details
}

// accountFigures are one account's sums, in one row.
func (r report) accountFigures(a *audit.Suspect) page.Sheet {
	f := &a.Figures
	return page.Sheet{
		Columns: page.Columns("Bought", ">Returned", ">Granted", ">Taken back", ">Net reward", ">Entitlement", ">Leakage", ">Redeemed", ">Balance"),
		Rows: []page.Row{{Cells: []page.Cell{
			page.Text(r.money(f.Spend)), page.Number(r.money(f.Refunded)), page.Number(r.money(f.Granted)), page.Number(r.money(f.TakenBack)), page.Number(r.money(f.NetReward)),
			page.Number(r.money(f.Entitlement)), page.Number(r.money(f.Leakage)), page.Number(r.money(f.Redeemed)), page.Number(r.money(f.Balance)),
		}}},
	}
}

// roundsBlock draws the largest rounds and tells all that the report has.
func (r report) roundsBlock(a *audit.Suspect) page.Block {
	table := r.rounds(a)
	if int64(len(a.Rounds)) < a.RoundsInAll {
		table.Caption = fmt.Sprintf("The largest %d of %s.", len(a.Rounds), count(a.RoundsInAll, "round"))
	}
	b := page.Block{Heading: "Rounds of buying, redeeming and returning", Key: []page.KeyEntry{
		{Swatch: page.LineSwatch("had"), Text: "reward that the customer has of the purchase"},
		{Swatch: page.LineSwatch("due"), Text: "what the kept part of it entitles to"},
		{Swatch: page.ShadeSwatch(), Text: "leak: had, but not entitled to"},
	}, Table: &table}
	var top int64
	drawn := a.Rounds[:min(drawnRounds, len(a.Rounds))]
	for i := range drawn {
		top = max(top, drawn[i].Reward)
	}
	for i := range drawn {
		b.Multiples = append(b.Multiples, r.drawRound(&drawn[i], top))
	}
	return b
}

// drawRound draws what a customer has of one purchase's reward, from the purchase
// to after the return.
func (r report) drawRound(n *judge.Round, top int64) page.Multiple {
	due := n.Reward - mulDiv(n.Reward, min(n.Returned, n.Bought), n.Bought)
	name := "purchase " + tabular.Visible(n.Purchase)
	c := page.StepChart{
		Title: fmt.Sprintf("%s: has %s at the end, entitled to %s", name, r.money(n.Kept), r.money(due)),
		From:  n.BoughtAt, To: n.ReturnedAt, Low: min(n.Kept, 0), Top: top, Format: r.money, Shade: true, Above: [2]int{0, 1},
		Lines: []page.StepLine{{Name: "had", Class: "had"}, {Name: "entitled to", Class: "due"}},
	}
	c.Add(n.BoughtAt, n.Reward, n.Reward)
	c.Add(n.ReturnedAt, n.Kept, due)
	m := page.Multiple{Name: name, Verdict: "keeps " + r.money(n.Kept), Class: "bad"}
	if n.Kept <= due {
		m.Class = "good"
	}
	for i, step := range []struct {
		at   reward.Instant
		text string
	}{
		{n.BoughtAt, "buys for " + r.money(n.Bought)},
		{n.RedeemedAt, "has redeemed " + r.money(n.Redeemed)},
		{n.ReturnedAt, "returns for " + r.money(n.Returned)},
	} {
		label := strconv.Itoa(i + 1)
		c.Marks = append(c.Marks, page.Mark{At: step.at, Label: label})
		m.Moves = append(m.Moves, page.Labelled{Label: label, Text: shortDate(step.at) + " " + step.text})
	}
	c.LeaveRoom()
	m.Chart = c.SVG()
	return m
}
