package present

import (
	"fmt"

	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/program"
)

// figures are the sums over all accounts with what each is.
func (r report) figures() *page.Sheet {
	f := &r.Figures
	s := page.NewSheet("Figure", ">Amount", "What it is")
	add := s.Add
	add("Bought", r.money(f.Spend), count(f.Purchases, "purchase"))
	add("Returned", r.money(f.Refunded), count(f.Refunds, "refund")+", chargebacks among them")
	add("Net spend", r.money(f.NetSpend), "bought less returned")
	add("Entitlement", r.money(f.Entitlement), "what the published terms promise on net spend")
	add("Granted", r.money(f.Granted), "rewards given")
	add("Taken back", r.money(f.TakenBack), "rewards clawed back")
	add("Net reward", r.money(f.NetReward), "granted less taken back")
	add("Adjustments", r.money(f.Adjustments), "posted by hand, no reward by the rules")
	add("Redeemed", r.money(f.Redeemed), "rewards paid out")
	add("Balance", r.money(f.Balance), "rewards not redeemed, less debts")
	add("Above the price", r.money(f.Beyond), "of the reward of other purchases, for refunds above the price of theirs; neither leakage nor short-paid")
	add("Leakage", r.money(f.Leakage), fmt.Sprintf("net reward above the entitlement, of %s", count(r.Accounts.Above, "account")))
	add("Unexplained leakage", r.money(f.Unexplained), "what of it neither refunds nor rewards for nothing account for, beyond rounding")
	add("In question", r.money(f.InQuestion), "leakage that rests on which purchase a refund is of that names none: all of it may be a leak, or none")
	add("Not in question", r.money(f.LeakageNamed), "leakage that is there whichever purchase such refunds are of, and if they need take nothing")
	add("Unearned", r.money(f.Unearned), fmt.Sprintf("granted in %s that no purchase explains", count(f.UnearnedRows, "row")))
	add("Short-paid", r.money(f.ShortPaid), fmt.Sprintf("net reward below what is due, of %s", count(r.Accounts.Below, "account")))
	add("Not due yet", r.money(f.NotDue), "entitlement that is granted after the end of the exports")
	add("Debt", r.money(f.Debt), fmt.Sprintf("negative balances, of %s", count(r.Accounts.InDebt, "account")))
	add("Redeemed, returnable", r.money(f.RedeemedOpen), "redeemed on purchases that can still be returned")
	add("Float", r.money(r.averageFloat()), fmt.Sprintf("out on the average between refunds and their clawbacks; amount × days is %s", r.money(f.FloatDays)))
	return s
}

// months are the sums by calendar month, which only the page and JSON have.
func (r report) months() *page.Sheet {
	s := page.NewSheet("Month", ">Bought", ">Returned", ">Granted", ">Taken back", ">Redeemed", ">Leakage", ">Leakage so far")
	var soFar int64
	for _, m := range r.Months {
		soFar += m.Leakage
		s.Add(m.Month, r.money(m.Spend), r.money(m.Refunded), r.money(m.Granted), r.money(m.TakenBack), r.money(m.Redeemed), r.money(m.Leakage), r.money(soFar))
	}
	return s
}

// moneySection is what it cost, in all and over time.
func (r report) moneySection() page.Section {
	s := page.Section{ID: "money", Title: "What it cost"}
	if len(r.Months) > 0 {
		soFar := page.ColumnChart{Title: "Leakage so far, by month", Format: r.short, Parts: []page.BarPart{{Name: "leakage up to the end of the month", Class: "leaked"}}}
		caption := "Net reward less entitlement of all accounts together, up to the end of each month: what some have too much, less what others lack. Where clawbacks come late, it falls again."
		var total, least int64
		for _, m := range r.Months {
			total += m.Leakage
			least = min(least, total)
			soFar.Columns = append(soFar.Columns, page.BarRow{Label: m.Month, Values: []int64{max(total, 0)}})
		}
		if least < 0 {
			caption += " Where customers had less than was promised, all in all, there is no column."
		}
		s.Blocks = append(s.Blocks, page.Block{
			Heading: "Leakage over time", Figures: []page.Figure{{Chart: soFar.SVG(), Caption: caption}},
			Details: []page.Detail{{Summary: "Figures by month", Blocks: []page.Block{{Table: r.months()}}}},
		})
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "All figures", Table: r.figures()})
	return s
}

// simulation compares what happened with what would have under Recoup.
func (r report) simulation() *page.Sheet {
	f, u := &r.Figures, &r.Simulation
	s := page.NewSheet("", ">Today", ">Under Recoup", ">Difference")
	s.Caption = "Held is what could not be redeemed because its purchase may still be, or already was, returned. Refused are redemptions of the history that Recoup would not have paid out at that moment: the reward was held or gone, or the terms pay nothing out just then."
	compare := func(name string, today, under int64) {
		s.Add(name, r.money(today), r.money(under), r.money(under-today))
	}
	alone := func(name, under string) { s.Add(name, notTold, under, notTold) }
	compare("Granted", f.Granted, u.Granted)
	compare("Taken back", f.TakenBack, u.TakenBack)
	compare("Net reward", f.NetReward, u.NetReward)
	compare("To come with the next close", f.NotDue, u.NextClose)
	alone("Held at the end", r.money(u.Held))
	alone("Held at most, sum over accounts", r.money(u.HeldMost))
	alone("Redemptions refused", program.FormatCount(u.Refused))
	alone("Sum of those refused", r.money(u.RefusedAmount))
	return s
}

// simulated says whether there is a simulation in the report.
func (r report) simulated() bool { return r.Simulation != (judge.Simulation{}) }

// saving says what Recoup would have kept. What waits for the close after the end
// of the exports counts on both sides.
func (r report) saving() string {
	less := r.Figures.NetReward + r.Figures.NotDue - r.Simulation.NetReward - r.Simulation.NextClose
	text := "the same"
	switch {
	case less > 0:
		text = r.money(less) + " lower"
	case less < 0:
		text = r.money(-less) + " higher: customers were promised more than they got"
	}
	return "Under Recoup with this program, net rewards would have been " + text + "."
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
	return page.Section{ID: "simulation", Title: "The same history under Recoup", Blocks: []page.Block{{
		Paragraphs: []string{r.saving(), "The purchases, refunds and redemptions of the exports went through Recoup's engine with the published program, account by account. What customers would have done otherwise is not guessed."},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Net reward is granted less taken back."}},
		Table:      r.simulation(),
	}}}
}
