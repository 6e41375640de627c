package report

import (
	"fmt"
	"slices"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/kit/page"
	"recoup/internal/lab/design"
	"recoup/internal/lab/examine"
	"recoup/program"
)

// issuerSection is the paper's table of issuers, found out by examination.
func issuerSection(t *examine.Issuers) page.Section {
	money := func(minor int64) string { return program.FormatAmount(minor, t.Currency) }
	behaviour := page.Sheet{
		Caption: "✓ holds; ~ holds only if the customer goes on using the card; × is violated. Reward Integrity: nobody has more reward than the net spend entitles to. Refund Reward Consistency: that is so again within a billing cycle of every refund. Float: what could be redeemed of rewards whose purchase had been refunded already. Walk-away: what somebody keeps who redeems, returns everything within 30 days and never comes back; rounds: after doing so three times in one month.",
		Columns: slices.Concat(
			page.Columns("Design", "Class", "Reward timing", "Refund adjustment", "Negative balance"),
			[]page.Column{{Name: "Reward Integrity", Class: "c"}, {Name: "Refund Consistency", Class: "c"}},
			page.Columns(">Float", ">Walk-away", ">Rounds"),
		),
	}
	classes := page.Sheet{
		Caption: "Classes as in the paper's taxonomy, with the invariants that it violates (RI Reward Integrity, RRC Refund Reward Consistency), the common weakness (CWE), the class of OWASP's Business Logic Abuse Top 10, and what was seen when the class became clear.",
		Columns: page.Columns("Design", "What it does", "Class", "Violates", "CWE", "OWASP", "Seen in", ">Net spend", ">Net reward"),
	}
	var notes []string
	for i := range t.Issuers {
		f := &t.Issuers[i]
		ours := design.IsRecoup(f.Design)
		behaviour.Rows = append(behaviour.Rows, page.Row{SetApart: ours, Cells: []page.Cell{
			page.Text(f.Design), page.Text(string(f.Class)), page.Text(f.RewardTiming), page.Text(f.RefundAdjustment), page.Text(f.NegativeBalance),
			verdictCell(f.RewardIntegrity), verdictCell(f.RefundRewardConsistency), page.Number(f.FloatInWords(money)), page.Number(money(f.WalkAway)), page.Number(money(f.WalkAwayRounds)),
		}})
		if len(f.Notes) > 0 {
			notes = append(notes, f.Design+": "+strings.Join(f.Notes, "; ")+".")
		}
		if f.CWE != "" {
			owasp := "—"
			if f.OWASP > 0 {
				owasp = fmt.Sprintf("Class %d: %s", f.OWASP, flaw.OWASPName(f.OWASP))
			}
			classes.Rows = append(classes.Rows, page.Row{SetApart: ours, Cells: []page.Cell{
				page.Text(f.Design), page.Text(f.Title), page.Text(string(f.Class)), page.Text(f.Violates()), {Text: f.CWE, Class: "w"}, page.Text(owasp), page.Text(strings.ReplaceAll(f.Evidence.Sequence, "-", " ")),
				page.Number(money(f.Evidence.NetSpend)), page.Number(money(f.Evidence.NetReward)),
			}})
		}
	}
	return page.Section{ID: "issuers", Title: "How each design behaves", Blocks: []page.Block{{
		Paragraphs: []string{fmt.Sprintf(
			"Each design was examined from outside, by purchases of %s, returns, redemptions and waiting; nothing but balances and answers was looked at. A to F are the issuers that the paper met, V3(a) is a flaw that it describes, and the literal designs run its algorithms as they are printed.", money(t.Purchase))},
		Table: &behaviour, Note: strings.Join(notes, " "),
	}, {Heading: "What the flaws are called", Table: &classes}}}
}

// verdictCell is the verdict in the paper's sign.
func verdictCell(v flaw.Verdict) page.Cell {
	classes := map[flaw.Verdict]string{flaw.Satisfied: "c good", flaw.Partial: "c part", flaw.Violated: "c bad"}
	return page.Cell{Text: v.Symbol(), Class: classes[v]}
}
