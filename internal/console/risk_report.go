package console

import (
	"net/http"
	"slices"

	"recoup/internal/console/overview"
	"recoup/internal/console/risk"
	"recoup/reward"
)

// reportPage is what happened in some months, to print and to keep.
type reportPage struct {
	*risk.Figures
	From, To reward.Cycle
	Tables   []reportPart
	Files    []reportFile
	By       string
}

// reportPart is the report of one currency.
type reportPart struct {
	risk.Currency
	Rows    []reportRow
	Dippers []risk.Dipper
}

// reportRow is a month: what its statements say, and where accounts stood at its end.
type reportRow struct {
	risk.Month
	Statement overview.Cycle
}

// reportFile is a table of the report as a file.
type reportFile struct{ Name, Path string }

var errNoReport = refuse(http.StatusNotFound, "There is no report of these months", "Expected two of the last months such as from=2026-01 and to=2026-03, the first of them not after the other.")

// reportMonths are the months that a report can be of, the latest first.
func reportMonths(r *risk.Figures) (list []reward.Cycle) {
	if len(r.Currencies) > 0 {
		for _, m := range slices.Backward(r.Currencies[0].Months) {
			list = append(list, m.Month)
		}
	}
	return list
}

// report puts together what is asked for.
func (c *Console) report(v *visit) (*reportPage, error) {
	figures := c.overview.Latest()
	if figures == nil || figures.Risk == nil {
		return nil, errNoFigures
	}
	r := figures.Risk
	known := reportMonths(r)
	from, first := cycleOf(v.given("from"))
	to, last := cycleOf(v.given("to"))
	if !first || !last || from > to || !slices.Contains(known, from) || !slices.Contains(known, to) {
		return nil, errNoReport
	}
	body := &reportPage{Figures: r, From: from, To: to, By: v.person.Name}
	for _, sums := range r.Currencies {
		part := reportPart{Currency: sums}
		for _, m := range sums.Months {
			if m.Month >= from && m.Month <= to {
				part.Rows = append(part.Rows, reportRow{m, statementOf(figures, sums.Currency, m.Month)})
			}
		}
		for _, d := range sums.Dippers {
			if d := d.Between(from.Start(), to.End()); d.Times > 0 {
				part.Dippers = append(part.Dippers, d)
			}
		}
		body.Tables = append(body.Tables, part)
	}
	for _, name := range []string{"months", "dippers", "exposure", "debts"} {
		path, err := linkTo("risk/report.csv", "from", from, "to", to, "table", name)
		if err != nil {
			return nil, err
		}
		body.Files = append(body.Files, reportFile{name, path})
	}
	return body, nil
}

func statementOf(figures *overview.Figures, currency string, month reward.Cycle) (c overview.Cycle) {
	for _, of := range figures.Currencies {
		for _, s := range of.Cycles {
			if of.Currency == currency && s.Cycle == month {
				return s
			}
		}
	}
	return c
}

func (c *Console) riskReport(v *visit) error {
	body, err := c.report(v)
	if err != nil {
		return err
	}
	return v.show("risk-report", "risk", "Risk report", body)
}

// reportColumns are the columns of the tables by name.
var reportColumns = map[string][]string{
	"months":   {"month", "currency", "granted", "clawed_back", "redeemed", "expired", "adjusted", "owed_at_end", "debt_at_end", "debt_arisen", "debt_repaid", "debt_forgiven", "lost_at_end", "dips", "dips_taken_back"},
	"dippers":  {"currency", "account", "program", "times", "latest", "paid_out", "taken_back", "owes", "days_to_payout", "days_to_return"},
	"exposure": {"currency", "program", "rule", "rewards", "exposed"},
	"debts":    {"currency", "from_days", "to_days", "accounts", "debt", "expected_lost_permille", "provision"},
}

// riskCSV is one table of the report as a file.
func (c *Console) riskCSV(v *visit) error {
	body, err := c.report(v)
	if err != nil {
		return err
	}
	name := v.given("table")
	columns, ok := reportColumns[name]
	if !ok {
		return refuse(http.StatusNotFound, "There is no such table", "Expected table=months, dippers, exposure or debts.")
	}
	s := v.file("risk-"+name+"-"+body.From.String()+"-"+body.To.String(), columns...)
	for i := range body.Tables {
		body.Tables[i].write(s, name)
	}
	return s.done(nil)
}

// write writes a table of a currency.
func (p *reportPart) write(s *sheet, name string) {
	code := p.Currency.Currency
	money := func(minor int64) moneyCell { return moneyCell{minor, code} }
	switch name {
	case "months":
		for _, r := range p.Rows {
			of := &r.Statement
			s.row(r.Month.Month.String(), code, money(of.Granted), money(of.ClawedBack), money(of.Redeemed), money(of.Expired), money(of.Adjusted),
				money(r.Owed), money(r.Debt), money(r.Arisen), money(r.Repaid), money(r.Forgiven), money(r.Lost), r.Dips, money(r.Taken))
		}
	case "dippers":
		for _, d := range p.Dippers {
			s.row(code, d.Account, d.Program, d.Times, d.Latest, money(d.Paid), money(d.Taken), money(d.Owes), d.Bought, d.Returned)
		}
	case "exposure":
		for _, r := range p.Rules {
			s.row(code, r.Program, r.Rule, r.Rewards, money(r.Amount))
		}
	case "debts":
		for _, a := range p.Ages {
			s.row(code, a.From, ageEnd(a.To), a.Accounts, money(a.Debt), a.Permille, money(a.Provision))
		}
		s.row(code, "closed", "closed", p.Closed.Accounts, money(p.Closed.Debt), p.Closed.Permille, money(p.Closed.Provision))
	}
}
