package present

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
	"recoup/reward"
)

// How many accounts a terminal shows, and how many of an account's rounds a page draws.
const (
	suspectsOnTerminal = 10
	drawnRounds        = 3
)

// accounts are those to look into, each with what speaks against it, never a bare score.
func (r report) accounts() []page.Block {
	about, suspects := "No account's history looks like buying, redeeming, returning and keeping the reward.", r.Suspects
	if len(suspects) > 0 {
		about = fmt.Sprintf("%s bought, redeemed, returned and kept reward: in two rounds or more, or in one that was worth about a cap. This is a reason to look, not a proof of intent. The clearest of %[1]s come first.", count(r.Accounts.Suspected, "account"))
	}
	if !r.page {
		suspects = suspects[:min(suspectsOnTerminal, len(suspects))]
	}
	blocks := []page.Block{r.list("Histories that look like the attack", about, suspects, r.Accounts.Suspected)}
	if r.page && len(r.Worst) > 0 {
		blocks = append(blocks, r.list("The most leakage", "Accounts that have the most above their entitlement, whatever brought it about.", r.Worst, r.Accounts.Above))
	}
	return blocks
}

// list is accounts, of so many in all, with the figures, rounds and history of each folded
// away under its name.
func (r report) list(heading, about string, list []audit.Suspect, all int64) page.Block {
	b := page.Block{Heading: heading, Paragraphs: []string{about}}
	if len(list) > 0 {
		b.Table = page.NewSheet("Account", ">Rounds", ">Returned", ">Redeemed", ">Leakage", ">Debt", "What speaks against it")
	}
	for i := range list {
		a := &list[i]
		f := &a.Figures
		said := make([]string, len(a.Evidence))
		for n, e := range a.Evidence {
			said[n] = sentence(e)
		}
		evidence := strings.Join(said, " ")
		b.Table.Add(id(a.Account), strconv.FormatInt(a.RoundsInAll, 10), percent(a.ReturnedPermille), r.money(f.Redeemed), r.money(f.Leakage), r.money(f.Debt), evidence)
		figures := page.NewSheet("Bought", ">Returned", ">Granted", ">Taken back", ">Net reward", ">Entitlement", ">Leakage", ">Redeemed", ">Balance")
		figures.Add(r.money(f.Spend), r.money(f.Refunded), r.money(f.Granted), r.money(f.TakenBack), r.money(f.NetReward), r.money(f.Entitlement), r.money(f.Leakage), r.money(f.Redeemed), r.money(f.Balance))
		d := page.Detail{
			Summary: fmt.Sprintf("%s: %s above entitlement, %s", tabular.Visible(a.Account), r.money(f.Leakage), count(a.RoundsInAll, "round")),
			Blocks:  []page.Block{{Paragraphs: []string{evidence}, Table: figures}},
		}
		if len(a.Rounds) > 0 {
			d.Blocks = append(d.Blocks, r.rounds(a))
		}
		if len(a.Timeline) > 0 {
			d.Blocks = append(d.Blocks, page.Block{Heading: "History", Table: r.steps(a.Timeline)})
		}
		b.Details = append(b.Details, d)
	}
	if n := int64(len(list)); 0 < n && n < all {
		b.Note = fmt.Sprintf("These are %d of %s.", len(list), program.FormatCount(all))
	}
	return b
}

// rounds are an account's courses of buying, redeeming and returning that the report has, of
// which the largest are drawn.
func (r report) rounds(a *audit.Suspect) page.Block {
	s := page.NewSheet("Purchase", ">Bought on", ">for", ">Reward", ">Redeemed on", ">up to", ">Returned on", ">for", ">Kept")
	if int64(len(a.Rounds)) < a.RoundsInAll {
		s.Caption = fmt.Sprintf("The largest %d of %s.", len(a.Rounds), count(a.RoundsInAll, "round"))
	}
	b := page.Block{Heading: "Rounds of buying, redeeming and returning", Table: s, Key: []page.KeyEntry{
		{Swatch: page.LineSwatch("had"), Text: "reward that the customer has of the purchase"},
		{Swatch: page.LineSwatch("due"), Text: "what the kept part of it entitles to"},
		{Swatch: page.ShadeSwatch(), Text: "leak: had, but not entitled to"},
	}}
	var top int64
	for _, n := range a.Rounds[:min(drawnRounds, len(a.Rounds))] {
		top = max(top, n.Reward)
	}
	for i := range a.Rounds {
		n := &a.Rounds[i]
		s.Add(id(n.Purchase), date(n.BoughtAt), r.money(n.Bought), r.money(n.Reward), date(n.RedeemedAt), r.money(n.Redeemed), date(n.ReturnedAt), r.money(n.Returned), r.money(n.Kept))
		if i < drawnRounds {
			b.Multiples = append(b.Multiples, r.drawRound(n, top))
		}
	}
	return b
}

// drawRound draws what a customer has of one purchase's reward, from the purchase to after
// the return.
func (r report) drawRound(n *judge.Round, top int64) page.Multiple {
	due := n.Reward - share(n.Reward, n.Returned, n.Bought)
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
	mark := func(label string, at reward.Instant, does string, minor int64) {
		c.Marks = append(c.Marks, page.Mark{At: at, Label: label})
		m.Moves = append(m.Moves, page.Labelled{Label: label, Text: date(at) + " " + does + " " + r.money(minor)})
	}
	mark("1", n.BoughtAt, "buys for", n.Bought)
	mark("2", n.RedeemedAt, "has redeemed", n.Redeemed)
	mark("3", n.ReturnedAt, "returns for", n.Returned)
	c.LeaveRoom()
	m.Chart = c.SVG()
	return m
}
