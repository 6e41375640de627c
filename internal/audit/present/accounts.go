package present

import (
	"strconv"
	"strings"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
)

// suspects lists accounts with what speaks against each, never a bare score.
func (r report) suspects(list []audit.Suspect) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Account", ">Rounds", ">Returned", ">Redeemed", ">Leakage", ">Debt", "What speaks against it")}
	for i := range list {
		a := &list[i]
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			{Text: tabular.Visible(a.Account), Class: "id"}, page.Number(strconv.FormatInt(a.RoundsInAll, 10)), page.Number(percent(a.ReturnedPermille)),
			page.Number(r.money(a.Figures.Redeemed)), page.Number(r.money(a.Figures.Leakage)), page.Number(r.money(a.Figures.Debt)), page.Text(said(a)),
		}})
	}
	return s
}

// said is the evidence in one paragraph.
func said(a *audit.Suspect) string {
	sentences := make([]string, len(a.Evidence))
	for i, e := range a.Evidence {
		sentences[i] = sentence(tabular.Visible(e))
	}
	return strings.Join(sentences, " ")
}

// rounds are the largest of an account's courses of buying, redeeming and
// returning.
func (r report) rounds(a *audit.Suspect) page.Sheet {
	s := page.Sheet{Columns: page.Columns("Purchase", ">Bought on", ">for", ">Reward", ">Redeemed on", ">up to", ">Returned on", ">for", ">Kept")}
	for i := range a.Rounds {
		n := &a.Rounds[i]
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			{Text: tabular.Visible(n.Purchase), Class: "id"}, page.Number(shortDate(n.BoughtAt)), page.Number(r.money(n.Bought)), page.Number(r.money(n.Reward)),
			page.Number(shortDate(n.RedeemedAt)), page.Number(r.money(n.Redeemed)), page.Number(shortDate(n.ReturnedAt)), page.Number(r.money(n.Returned)), page.Number(r.money(n.Kept)),
		}})
	}
	return s
}
