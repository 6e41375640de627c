package console

import (
	"cmp"
	"html/template"
	"slices"
	"time"

	"recoup/internal/console/locale"
	"recoup/internal/console/overview"
	"recoup/internal/console/risk"
	"recoup/internal/engine"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/internal/service/scope"
	"recoup/reward"
)

// overviewPage is the program as a whole.
type overviewPage struct {
	*overview.Figures
	Fresh      bool // the figures are of the last minutes
	Currencies []currencyPart
	Needs      []need
	Stories    []Story
	Aside      []engine.SetAside // the first of them
	MoreAside  int               // how many there are besides
}

// currencyPart is what the accounts of one currency add up to.
type currencyPart struct {
	overview.Currency
	Latest overview.Cycle // the cycle that is open
	Money  money
	Months template.HTML // chart of the cycles
	Newest []overview.Cycle
}

func (c *Console) overviewRoutes() {
	c.page("GET "+Path+"{$}", scope.Read, c.overviewPage)
	c.page("GET "+Path+"debts", scope.Read, c.debts)
	c.page("GET "+Path+"held", scope.Read, c.held)
	c.page("GET "+Path+"statements", scope.Read, c.cycleStatements)
	c.page("GET "+Path+"refunds", scope.Read, c.refunds)
	c.page("GET "+Path+"checks", scope.Read, c.checks)
	c.deliveryRoutes()
}

// mostAside is how many accounts that are set aside the overview lists.
const mostAside = 50

// stale is after how long figures are said to be old.
const stale = 5 * time.Minute

func (c *Console) overviewPage(v *visit) error {
	figures, aside := c.overview.Latest(), c.aside()
	shown := min(len(aside), mostAside)
	if figures == nil {
		return v.show("overview", "overview", "Overview", overviewPage{Aside: aside[:shown], MoreAside: len(aside) - shown})
	}
	body := overviewPage{Figures: figures, Fresh: c.now().Sub(figures.AsOf) < stale, Stories: c.stories, Aside: aside[:shown], MoreAside: len(aside) - shown}
	for _, sums := range figures.Currencies {
		sums.Cycles = begun(sums.Cycles)
		of := risk.Currency{Currency: sums.Currency}
		if figures.Risk != nil {
			of = figures.Risk.Of(sums.Currency)
		}
		part := currencyPart{Currency: sums, Money: moneyOf(v.locale, &sums, &of), Months: monthChart(v.locale, &sums)}
		for i := len(sums.Cycles) - 1; i >= 0; i-- {
			part.Newest = append(part.Newest, sums.Cycles[i])
		}
		if len(part.Newest) > 0 {
			part.Latest = part.Newest[0]
		}
		body.Currencies = append(body.Currencies, part)
	}
	slices.SortStableFunc(body.Currencies, func(a, b currencyPart) int { return cmp.Compare(b.Accounts, a.Accounts) })
	raised := 0
	for _, a := range v.alerts(figures) {
		if a.Raised {
			raised++
		}
	}
	var err error
	if body.Needs, err = c.needs(v, figures, raised); err != nil {
		return err
	}
	return v.show("overview", "overview", "Overview", body)
}

// begun are the cycles from the first with a statement on.
func begun(cycles []overview.Cycle) []overview.Cycle {
	first := slices.IndexFunc(cycles, func(c overview.Cycle) bool { return c.Accounts > 0 })
	return cycles[max(first, 0):]
}

// monthChart draws what was granted, redeemed and clawed back by statement.
func monthChart(l *locale.Locale, sums *overview.Currency) template.HTML {
	chart := page.ColumnChart{
		Title: l.Sprintf("Granted, redeemed and clawed back by statement, in %s", sums.Currency), Format: func(n int64) string { return l.Amount(n, sums.Currency) }, Beside: true,
		Parts: []page.BarPart{{Name: l.Sprintf("granted"), Class: "green"}, {Name: l.Sprintf("redeemed"), Class: "blue"}, {Name: l.Sprintf("clawed back"), Class: "red"}},
	}
	any := int64(0)
	for _, cycle := range sums.Cycles {
		chart.Columns = append(chart.Columns, page.BarRow{Label: l.Cycle(nil, cycle.Cycle), Values: []int64{cycle.Granted, cycle.Redeemed, cycle.ClawedBack}})
		any = max(any, cycle.Granted, cycle.Redeemed, cycle.ClawedBack)
	}
	if any == 0 {
		return ""
	}
	return chart.SVG()
}

// lagChart draws the value of the refunds by how long they took, with where the
// program's periods end.
func lagChart(l *locale.Locale, lag *overview.RefundLag) template.HTML {
	if lag.Linked.Refunds == 0 {
		return ""
	}
	chart := page.ColumnChart{
		Title:  l.Sprintf("Refunded value by days from purchase to refund, program %s", tabular.Visible(lag.Program)),
		Format: func(n int64) string { return l.Amount(n, lag.Currency) }, Parts: []page.BarPart{{Name: l.Say("refunded value"), Class: "blue"}},
	}
	for i, bucket := range lag.Buckets {
		chart.Columns = append(chart.Columns, page.BarRow{Label: daysFrom(l, bucket.From, bucket.To), Values: []int64{bucket.Value}})
		if days := lag.MaturityDays; days > 0 && days >= bucket.From && (i == len(lag.Buckets)-1 || days <= bucket.To) {
			chart.Marks = append(chart.Marks, page.ColumnMark{Column: i, Label: l.Sprintf("maturity, %s", l.Days(int64(days)))})
		}
	}
	return chart.SVG()
}

// daysFrom names a span of days; to is zero for one without an end.
func daysFrom(l *locale.Locale, from, to int) string {
	switch {
	case from == 0 && to == 0:
		return l.Say("the same day")
	case to == 0:
		return l.Sprintf("over %s", l.Days(int64(from-1)))
	case from == to:
		return l.Days(int64(from))
	}
	return l.Sprintf("%d–%d days", from, to)
}

func daysOf(l *locale.Locale) func(from, to int) string {
	return func(from, to int) string { return daysFrom(l, from, to) }
}

// cycleOf reads a billing cycle such as 2026-10.
func cycleOf(text string) (reward.Cycle, bool) {
	t, err := time.Parse("2006-01", text)
	if err != nil || t.Year() < 1970 || t.Year() > 2199 {
		return 0, false
	}
	return reward.CycleAt(reward.At(t)), true
}

// waiting says what the things open for review of a kind are.
func waiting(kind reward.ReviewKind) locale.Text {
	switch kind {
	case reward.WaitsForTransaction:
		return "waiting for a purchase to post"
	case reward.WaitsForFact:
		return "undone before they arrived"
	case reward.FoundNoSpend:
		return "refunds that found no purchase"
	case reward.MatchedWithoutLink:
		return "refunds matched without link"
	case reward.DoubtedLink:
		return "refunds whose link does not fit"
	case reward.OverRefunded:
		return "purchases refunded above their price"
	case reward.Contested:
		return "deliveries that disagree"
	case reward.CertainWithoutLink:
		return "refunds matched with certainty"
	case reward.ReversedBefore:
		return "sent again after they were undone"
	case reward.ForeignCurrency:
		return "refused for their currency"
	case reward.HasCardNumber:
		return "kept apart for a card number"
	case reward.WaitsForAuthorization:
		return "captured without an authorisation"
	case reward.WaitsForAttribute:
		return "attributes that were withdrawn and never set"
	}
	return locale.Text(words(kind))
}
