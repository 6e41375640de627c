package console

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/overview"
	"recoup/internal/console/risk"
	"recoup/internal/kit/tabular"
	"recoup/program"
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

// riskCSV is one table of the report, for a spreadsheet or another program: amounts with
// a point and without marks between groups, instants in RFC 3339.
func (c *Console) riskCSV(v *visit) error {
	body, err := c.report(v)
	if err != nil {
		return err
	}
	rows, ok := c.reportTable(body, v.given("table"))
	if !ok {
		return refuse(http.StatusNotFound, "There is no such table", "Expected table=months, dippers, exposure or debts.")
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="risk-`+v.given("table")+"-"+body.From.String()+"-"+body.To.String()+`.csv"`)
	_, err = out.WriteTo(v.w)
	return err
}

// reportTable returns a table by its name, its columns first.
func (c *Console) reportTable(body *reportPage, name string) (rows [][]string, ok bool) {
	columns := map[string]string{
		"months":   "month,currency,granted,clawed_back,redeemed,expired,adjusted,owed_at_end,debt_at_end,debt_arisen,debt_repaid,debt_forgiven,lost_at_end,dips,dips_taken_back",
		"dippers":  "currency,account,program,times,latest,paid_out,taken_back,owes,days_to_payout,days_to_return",
		"exposure": "currency,program,rule,rewards,exposed",
		"debts":    "currency,from_days,to_days,accounts,debt,expected_lost_permille,provision",
	}
	if columns[name] == "" {
		return nil, false
	}
	rows = append(rows, strings.Split(columns[name], ","))
	for i := range body.Tables {
		part := &body.Tables[i]
		code := part.Currency.Currency
		money := func(minor int64) string { return c.plainAmount(minor, code) }
		whole := func(n int64) string { return strconv.FormatInt(n, 10) }
		add := func(cells ...string) { rows = append(rows, cells) }
		switch name {
		case "months":
			for _, r := range part.Rows {
				s := &r.Statement
				add(r.Month.Month.String(), code, money(s.Granted), money(s.ClawedBack), money(s.Redeemed), money(s.Expired), money(s.Adjusted),
					money(r.Owed), money(r.Debt), money(r.Arisen), money(r.Repaid), money(r.Forgiven), money(r.Lost), whole(r.Dips), money(r.Taken))
			}
		case "dippers":
			for _, d := range part.Dippers {
				add(code, tabular.Defuse(d.Account), tabular.Defuse(d.Program), strconv.Itoa(d.Times), d.Latest.String(), money(d.Paid), money(d.Taken), money(d.Owes), strconv.Itoa(d.Bought), strconv.Itoa(d.Returned))
			}
		case "exposure":
			for _, r := range part.Rules {
				add(code, tabular.Defuse(r.Program), tabular.Defuse(r.Rule), whole(r.Rewards), money(r.Amount))
			}
		case "debts":
			for _, a := range part.Ages {
				add(code, strconv.Itoa(a.From), ageEnd(a.To), whole(a.Accounts), money(a.Debt), whole(a.Permille), money(a.Provision))
			}
			a := &part.Closed
			add(code, "closed", "closed", whole(a.Accounts), money(a.Debt), whole(a.Permille), money(a.Provision))
		}
	}
	return rows, true
}

// plainAmount writes an amount as programs read it: with the decimals of its currency,
// or in minor units where these are not known.
func (c *Console) plainAmount(minor int64, currency string) string {
	decimals, known := program.MinorUnits(currency)
	if !known {
		decimals, _ = c.decimals(currency)
	}
	digits := strconv.FormatInt(max(minor, -minor), 10)
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	if cut := len(digits) - decimals; decimals > 0 {
		digits = digits[:cut] + "." + digits[cut:]
	}
	if minor < 0 {
		return "-" + digits
	}
	return digits
}
