package console

import (
	"cmp"
	"html/template"
	"slices"

	"recoup/internal/console/locale"
	"recoup/internal/console/overview"
	"recoup/internal/console/risk"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/reward"
)

// riskPage is what may be lost and what is.
type riskPage struct {
	*risk.Figures
	Fresh      bool // the figures are not old
	All        bool // every part is open
	Alerts     []alertRow
	Raised     int
	First      []alertRow // of those that are raised
	Others     []alertRow // that are raised besides
	Currencies []riskPart
	Lags       []lagPart
	MayLog     bool             // there is a security log, and the person may see it
	Entries    []security.Entry // of it, the latest
	Months     []reward.Cycle   // that a report can be of, the latest first
}

// riskPart is the risk of one currency, with its charts.
type riskPart struct {
	risk.Currency
	Exposure, Debts, Curve, LostChart template.HTML
	MoreDippers                       int64
	MoreRules                         int
	Longest                           *risk.Recovered // of the longest time that a debt is old enough for; nil: of none
}

// alertRow is a figure against its threshold, in words.
type alertRow struct {
	risk.Alert
	Text string
}

// lagPart is how long the refunds of a program take, with its periods.
type lagPart struct {
	overview.RefundLag
	Chart template.HTML
}

// The bounds of what the page lists.
const (
	shownAlerts  = 6
	shownDippers = 20
	shownRules   = 12
	shownEntries = 8
)

func (c *Console) riskRoutes() {
	c.page("GET "+Path+"risk", scope.Read, c.riskPage)
	c.page("GET "+Path+"dippers", scope.Read, c.dippers)
	c.page("GET "+Path+"risk/report", scope.Read, c.riskReport)
	c.page("GET "+Path+"risk/report.csv", scope.Read, c.riskCSV)
}

func (c *Console) riskPage(v *visit) error {
	figures := c.overview.Latest()
	if figures == nil || figures.Risk == nil {
		return v.show("risk", "risk", "Risk", riskPage{})
	}
	r := figures.Risk
	body := riskPage{Figures: r, All: v.given("show") == "all", Fresh: c.now().Sub(r.AsOf) < 6*stale, Alerts: v.alerts(figures), MayLog: c.security != nil && v.may(scope.Admin)}
	for _, a := range body.Alerts {
		if a.Raised {
			body.Raised++
		}
	}
	first := min(body.Raised, shownAlerts)
	body.First, body.Others = body.Alerts[:first], body.Alerts[first:body.Raised]
	for _, sums := range r.Currencies {
		part := riskPart{
			Currency: sums, Exposure: exposureChart(v.locale, &sums), Debts: debtChart(v.locale, &sums), Curve: curveChart(v.locale, &sums), LostChart: lostChart(v.locale, &sums),
			MoreDippers: max(0, sums.Repeaters-shownDippers), MoreRules: max(0, len(sums.Rules)-shownRules),
		}
		for n := range sums.Recovery {
			if r := &sums.Recovery[n]; r.Debts > 0 {
				part.Longest = r
			}
		}
		part.Dippers = sums.Dippers[:min(len(sums.Dippers), shownDippers)]
		part.Rules = sums.Rules[:min(len(sums.Rules), shownRules)]
		body.Currencies = append(body.Currencies, part)
	}
	for _, lag := range figures.Refunds.Programs {
		body.Lags = append(body.Lags, lagPart{lag, lagChart(v.locale, &lag)})
	}
	if body.MayLog {
		var err error
		if body.Entries, err = c.security.Before(v.ctx(), 0, shownEntries); err != nil {
			return err
		}
	}
	slices.SortStableFunc(body.Currencies, func(x, y riskPart) int { return cmp.Compare(y.Accounts, x.Accounts) })
	body.Months = reportMonths(r)
	return v.show("risk", "risk", "Risk", body)
}

// alerts are all figures that have thresholds, those that are over them first.
func (v *visit) alerts(figures *overview.Figures) (list []alertRow) {
	r := figures.Risk
	if r == nil {
		return nil
	}
	add := func(a risk.Alert) {
		if !a.Disabled {
			list = append(list, alertRow{a, alertWords(v.locale, a)})
		}
	}
	for i := range r.Currencies {
		sums := &r.Currencies[i]
		var granted int64
		for _, of := range figures.Currencies {
			if n := len(of.Cycles); of.Currency == sums.Currency && n > 0 {
				granted = of.Cycles[n-1].Granted
			}
		}
		for _, a := range sums.Alerts(r.Options.Alerts, granted) {
			add(a)
		}
	}
	for _, l := range figures.Refunds.Programs {
		if l.Linked.Value > 0 {
			add(risk.AlertOf(risk.UncoveredAlert, l.Program, 1000-max(l.Grace.Permille, l.Maturity.Permille), r.Options.Alerts.Uncovered))
		}
	}
	slices.SortStableFunc(list, func(x, y alertRow) int {
		switch {
		case x.Raised == y.Raised:
			return 0
		case x.Raised:
			return -1
		}
		return 1
	})
	return list
}

// alertWords say what a figure is, and from which on there is an alert.
func alertWords(l *locale.Locale, a risk.Alert) string {
	a.Of = tabular.Visible(a.Of)
	switch a.About {
	case risk.DebtAlert:
		return l.Sprintf("Cardholders owe %s of what is owed to them in %s; the threshold is %s.", l.Percent(a.Value), a.Of, l.Percent(a.Limit))
	case risk.OldAlert:
		return l.Sprintf("Of the debt in %[2]s, %[1]s is older than 180 days or of closed accounts; the threshold is %[3]s.", l.Percent(a.Value), a.Of, l.Percent(a.Limit))
	case risk.ExposedAlert:
		return l.Sprintf("Paid out on purchases that can still come back is %s of what is owed to cardholders in %s; the threshold is %s.", l.Percent(a.Value), a.Of, l.Percent(a.Limit))
	case risk.LostAlert:
		return l.Sprintf("Lost for good this month is %s of what was granted in it in %s; the threshold is %s.", l.Percent(a.Value), a.Of, l.Percent(a.Limit))
	case risk.UncoveredAlert:
		return l.Sprintf("Of the refunded value of program %[2]s, %[1]s came after maturity and grace; the threshold is %[3]s.", l.Percent(a.Value), a.Of, l.Percent(a.Limit))
	case risk.DippersAlert:
		return l.Sprintf("Accounts that redeemed and returned more than once in %[2]s: %[1]s; the threshold is %[3]s.", l.Count(a.Value), a.Of, l.Count(a.Limit))
	}
	return a.About
}

// exposureChart draws what is exposed by the day of the purchase.
func exposureChart(l *locale.Locale, sums *risk.Currency) template.HTML {
	if sums.Exposed == 0 {
		return ""
	}
	chart := page.ColumnChart{
		Title: l.Sprintf("Paid out on purchases that can still come back, by day of purchase, in %s", sums.Currency), Format: func(n int64) string { return l.Amount(n, sums.Currency) },
		Parts: []page.BarPart{{Name: l.Sprintf("paid out"), Class: "amber"}},
	}
	for _, day := range sums.Days {
		chart.Columns = append(chart.Columns, page.BarRow{Label: l.Date(day.Day), Values: []int64{day.Amount}})
	}
	return chart.SVG()
}

// debtChart draws the debts by age, with what of them is expected to be lost.
func debtChart(l *locale.Locale, sums *risk.Currency) template.HTML {
	if sums.Debt() == 0 {
		return ""
	}
	chart := page.BarChart{
		Title: l.Sprintf("Debt by age, in %s", sums.Currency), Format: func(n int64) string { return l.Amount(n, sums.Currency) },
		Parts: []page.BarPart{{Name: l.Sprintf("expected to be lost"), Class: "red"}, {Name: l.Sprintf("expected back"), Class: "amber"}},
	}
	for _, age := range sums.Ages {
		chart.Rows = append(chart.Rows, page.BarRow{Label: daysFrom(l, age.From, age.To), Values: []int64{age.Provision, age.Debt - age.Provision}})
	}
	chart.Rows = append(chart.Rows, page.BarRow{Label: l.Sprintf("closed accounts"), Values: []int64{sums.Closed.Debt, 0}})
	return chart.SVG()
}

// curveChart draws how much of a debt is repaid after so many days.
func curveChart(l *locale.Locale, sums *risk.Currency) template.HTML {
	chart := page.ColumnChart{
		Title: l.Sprintf("Share of a debt that was repaid by rewards within so many days, in %s", sums.Currency), Format: l.Percent,
		Parts: []page.BarPart{{Name: l.Sprintf("repaid"), Class: "green"}},
	}
	for _, r := range sums.Recovery {
		if r.Debts > 0 {
			chart.Columns = append(chart.Columns, page.BarRow{Label: l.Days(int64(r.Days)), Values: []int64{r.Share}})
		}
	}
	if len(chart.Columns) == 0 {
		return ""
	}
	return chart.SVG()
}

// lostChart draws what was lost by the end of each month.
func lostChart(l *locale.Locale, sums *risk.Currency) template.HTML {
	if sums.Lost() == 0 {
		return ""
	}
	chart := page.ColumnChart{
		Title: l.Sprintf("Lost for good by the end of each month, in %s", sums.Currency), Format: func(n int64) string { return l.Amount(n, sums.Currency) },
		Parts: []page.BarPart{{Name: l.Sprintf("lost for good"), Class: "red"}},
	}
	for _, m := range sums.Months {
		chart.Columns = append(chart.Columns, page.BarRow{Label: l.Cycle(nil, m.Month), Values: []int64{m.Lost}})
	}
	return chart.SVG()
}

// dippersPage is who redeems and returns again and again.
type dippersPage struct {
	Currency string
	AsOf     reward.Instant
	Quick    int // days
	Dippers  []risk.Dipper
	All      int64
	Next     string
}

func (c *Console) dippers(v *visit) error {
	figures, sums, err := c.figuresIn(v)
	if err != nil {
		return err
	}
	if figures.Risk == nil {
		return errNoFigures
	}
	of := figures.Risk.Of(sums.Currency)
	body := dippersPage{Currency: sums.Currency, AsOf: reward.At(figures.Risk.AsOf), Quick: figures.Risk.QuickDays, All: of.Repeaters}
	body.Dippers, body.Next = pageOf(v, of.Dippers)
	return v.show("dippers", "risk", v.locale.Sprintf("Redeemed and returned, %s", sums.Currency), body)
}
