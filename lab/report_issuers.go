package lab

import (
	"fmt"
	"strings"

	"recoup/flaw"
	"recoup/program"
)

// issuerSection is the paper's table of issuers, found out by examination.
func issuerSection(t *Issuers) section {
	money := func(minor int64) string { return program.FormatAmount(minor, t.Currency) }
	behaviour := sheet{
		Caption: "✓ holds; ~ holds only if the customer goes on using the card; × is violated. Reward Integrity: nobody has more reward than the net spend entitles to. Refund Reward Consistency: that is so again within a billing cycle of every refund. Float: what could be redeemed of rewards whose purchase had been refunded already. Walk-away: what somebody keeps who redeems, returns everything within 30 days and never comes back; rounds: after doing so three times in one month.",
		Columns: []column{{Name: "Design"}, {Name: "Class"}, {Name: "Reward timing"}, {Name: "Refund adjustment"}, {Name: "Negative balance"}, {"Reward Integrity", "c"}, {"Refund Consistency", "c"}, {"Float", "n"}, {"Walk-away", "n"}, {"Rounds", "n"}},
	}
	classes := sheet{
		Caption: "Classes as in the paper's taxonomy, with the common weakness (CWE), the class of OWASP's Business Logic Abuse Top 10, and what was seen when the class became clear.",
		Columns: []column{{Name: "Design"}, {Name: "What it does"}, {Name: "Class"}, {Name: "CWE"}, {Name: "OWASP"}, {Name: "Seen in"}, {"Net spend", "n"}, {"Net reward", "n"}},
	}
	var notes []string
	for i := range t.Issuers {
		f := &t.Issuers[i]
		ours := isRecoup(f.Design)
		behaviour.Rows = append(behaviour.Rows, sheetRow{Ours: ours, Cells: []cell{
			{f.Design, ""}, {string(f.Class), ""}, {f.RewardTiming, ""}, {f.RefundAdjustment, ""}, {f.NegativeBalance, ""},
			verdictCell(f.RewardIntegrity), verdictCell(f.RefundRewardConsistency), {f.float(money), "n"}, {money(f.WalkAway), "n"}, {money(f.WalkAwayRounds), "n"},
		}})
		if len(f.Notes) > 0 {
			notes = append(notes, f.Design+": "+strings.Join(f.Notes, "; ")+".")
		}
		if f.CWE != "" {
			owasp := "—"
			if f.OWASP > 0 {
				owasp = fmt.Sprintf("Class %d", f.OWASP)
			}
			classes.Rows = append(classes.Rows, sheetRow{Ours: ours, Cells: []cell{
				{f.Design, ""}, {f.Title, ""}, {string(f.Class), ""}, {f.CWE, "w"}, {owasp, "w"}, {strings.ReplaceAll(f.Evidence.Sequence, "-", " "), ""},
				{money(f.Evidence.NetSpend), "n"}, {money(f.Evidence.NetReward), "n"},
			}})
		}
	}
	return section{ID: "issuers", Title: "How each design behaves", Blocks: []block{{
		Paragraphs: []string{fmt.Sprintf(
			"Each design was examined from outside, by purchases of %s, returns, redemptions and waiting; nothing but balances and answers was looked at. A to F are the issuers that the paper met, V3(a) is a flaw that it describes, and the literal designs run its algorithms as they are printed.", money(t.Purchase))},
		Table: &behaviour, Note: strings.Join(notes, " "),
	}, {Heading: "What the flaws are called", Table: &classes}}}
}

// verdictCell is the verdict in the paper's sign.
func verdictCell(v flaw.Verdict) cell {
	classes := map[flaw.Verdict]string{flaw.Satisfied: "c good", flaw.Partial: "c part", flaw.Violated: "c bad"}
	return cell{v.Symbol(), classes[v]}
}
