package export

import (
	"fmt"
	"io"
	"time"

	"recoup/internal/kit/tabular"
	"recoup/internal/lab/design"
	"recoup/program"
)

// WriteTable writes the summary for people.
func (s *Summary) WriteTable(w io.Writer) error {
	money := func(minor int64) string { return program.FormatAmount(minor, s.Currency) }
	fmt.Fprintf(w, "%s: %s.\n", s.Figures.Design, s.Figures.Title)
	fmt.Fprintf(w, "%d transactions, %d refunds, %d rewards and %d redemptions of %d accounts, through %s.\n",
		s.Rows.Transactions, s.Rows.Refunds, s.Rows.Rewards, s.Rows.Redemptions, s.Accounts, s.Through.Format(time.RFC3339))
	t := tabular.New(w, "figure", ">amount", ">accounts")
	for _, row := range []tabular.Row{
		{"purchased", money(s.Purchased), s.Accounts},
		{"net spend", money(s.NetSpend), ""},
		{"entitlement", money(s.Entitlement), ""},
		{"granted", money(s.Rewards.Granted), ""},
		{"taken back", money(s.Rewards.TakenBack), ""},
		{"net reward", money(s.Figures.NetReward), ""},
		{"redeemed", money(s.Figures.Redeemed), ""},
		{"leakage", money(s.Figures.Leakage), s.Figures.AccountsAbove},
		{"short-paid", money(s.Figures.ShortPaid), s.Figures.AccountsBelow},
		{"debt", money(s.Figures.Debt), s.Figures.AccountsOwed},
	} {
		t.AppendRow(row)
	}
	t.Render()
	if n := s.Noise; n != (NoiseDone{}) {
		fmt.Fprintf(w, "Noise, in the files alone: %d rewards late, %d refunds without their link, %d adjustments of %s and %d of %s that do not say so.\n",
			n.LateRewards, n.UnlinkedRefunds, n.Adjustments, money(n.Adjusted), n.Unmarked, money(n.UnmarkedAmount))
	}
	if s.Truth != nil {
		fmt.Fprintf(w, "What an audit should say: class %s%s.\n", s.Truth.Class, flawList(s.Truth))
	}
	return nil
}

// flawList names the flaws besides the class.
func flawList(t *design.Truth) string {
	list := ""
	for i, code := range t.Flaws {
		if i == 0 {
			list = "; flaws that may show: "
		} else {
			list += ", "
		}
		list += string(code)
	}
	return list
}
