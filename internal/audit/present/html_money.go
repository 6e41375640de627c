package present

import (
	"recoup/internal/kit/page"
)

// moneySection is what it cost, in all and over time.
func (r report) moneySection() page.Section {
	table := r.figures()
	s := page.Section{ID: "money", Title: "What it cost"}
	if len(r.Months) > 0 {
		s.Blocks = append(s.Blocks, r.overTime())
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "All figures", Table: &table})
	return s
}

// overTime is leakage by month, and up to each month.
func (r report) overTime() page.Block {
	soFar := page.ColumnChart{Title: "Leakage so far, by month", Format: r.short, Parts: []page.BarPart{{Name: "leakage up to the end of the month", Class: "leaked"}}}
	var total int64
	below := false
	for i := range r.Months {
		m := &r.Months[i]
		total += m.Leakage
		below = below || total < 0
		soFar.Columns = append(soFar.Columns, page.BarRow{Label: m.Month, Values: []int64{max(total, 0)}})
	}
	caption := "Net reward less entitlement of all accounts together, up to the end of each month: what some have too much, less what others lack. Where clawbacks come late, it falls again."
	if below {
		caption += " Where customers had less than was promised, all in all, there is no column."
	}
	b := page.Block{Heading: "Leakage over time", Figures: []page.Figure{{Chart: soFar.SVG(), Caption: caption}}}
	months := r.months()
	b.Details = []page.Detail{{Summary: "Figures by month", Blocks: []page.Block{{Table: &months}}}}
	return b
}

// simulationSection is the same history under Recoup.
func (r report) simulationSection() page.Section {
	f, u := &r.Figures, &r.Simulation
	chart := page.BarChart{
		Title: "Rewards today and under Recoup", Format: r.money,
		Parts: []page.BarPart{{Name: "today", Class: "grey"}, {Name: "under Recoup", Class: "blue"}},
	}
	for _, pair := range []struct {
		name         string
		today, under int64
	}{{"granted", f.Granted, u.Granted}, {"taken back", f.TakenBack, u.TakenBack}, {"net reward", f.NetReward, u.NetReward}} {
		chart.Rows = append(chart.Rows,
			page.BarRow{Label: pair.name + ", today", Values: []int64{max(pair.today, 0), 0}},
			page.BarRow{Label: pair.name + ", Recoup", Values: []int64{0, max(pair.under, 0)}})
	}
	table := r.simulation()
	table.Caption = "Held is what could not be redeemed because its purchase may still be, or already was, returned. Refused are redemptions of the history that Recoup would not have paid out at that moment: the reward was held or gone, or the terms pay nothing out just then."
	return page.Section{ID: "simulation", Title: "The same history under Recoup", Blocks: []page.Block{{
		Paragraphs: []string{r.saving(), "The purchases, refunds and redemptions of the exports went through Recoup's engine with the published program, account by account. What customers would have done otherwise is not guessed."},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Net reward is granted less taken back."}},
		Table:      &table,
	}}}
}
