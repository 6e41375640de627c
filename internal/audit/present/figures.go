package present

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/program"
)

// cost is what leaked over time, and all figures.
func (r report) cost() (blocks []page.Block) {
	if len(r.Months) > 0 {
		blocks = append(blocks, r.months())
	}
	f := &r.Figures
	s := page.NewSheet("Figure", ">Amount", "What it is")
	add := func(name string, minor int64, what string) { s.Add(name, r.money(minor), what) }
	s.Add("Bought", r.spend(f.Spend), audit.Count(f.Purchases, "purchase", "purchases"))
	s.Add("Returned", r.spend(f.Refunded), audit.Count(f.Refunds, "refund", "refunds")+", chargebacks among them")
	s.Add("Net spend", r.spend(f.NetSpend), "bought less returned")
	add("Entitlement", f.Entitlement, "what the published terms promise on net spend, rounded "+cmp.Or(r.Rounding, "down once"))
	add("Granted", f.Granted, "rewards given")
	add("Taken back", f.TakenBack, "rewards clawed back")
	add("Net reward", f.NetReward, "granted less taken back")
	add("Adjustments", f.Adjustments, "posted by hand, no reward by the rules")
	add("Forgiven", f.Forgiven, "of those, debts that were lifted to just zero")
	add("Redeemed", f.Redeemed, "rewards paid out")
	add("Balance", f.Balance, "rewards not redeemed, less debts")
	add("Above the price", f.Beyond, "of the reward of other purchases, for refunds above the price of theirs; neither leakage nor short-paid")
	add("Leakage", f.Leakage, "net reward and debts forgiven above the entitlement, of "+audit.Count(r.Accounts.Above, "account", "accounts")+"; what others lack is not set off against it")
	add("Unexplained leakage", f.Unexplained, "what of it neither refunds nor rewards for nothing account for, beyond rounding")
	add("In question", f.InQuestion, "leakage that rests on which purchase a refund is of that names none: all of it may be a leak, or none")
	add("Not in question", f.LeakageNamed, "leakage that is there whichever purchase such refunds are of, and if they need take nothing")
	add("Unearned", f.Unearned, "granted in "+audit.Count(f.UnearnedRows, "row", "rows")+" that no purchase explains")
	add("Short-paid", f.ShortPaid, "net reward below what is due, of "+audit.Count(r.Accounts.Below, "account", "accounts"))
	add("Not due yet", f.NotDue, "entitlement that is granted after the end of the exports")
	add("Debt", f.Debt, "negative balances, of "+audit.Count(r.Accounts.InDebt, "account", "accounts"))
	add("Redeemed, returnable", f.RedeemedOpen, "redeemed on purchases that can still be returned")
	add("Float", r.averageFloat(), "out on the average between refunds and their clawbacks; amount × days is "+r.money(f.FloatDays))
	return append(blocks, page.Block{Heading: "All figures", Table: s})
}

// averageFloat is what was out on the average, over the time of the exports, of rewards whose
// purchase had been refunded.
func (r report) averageFloat() int64 {
	return r.Figures.FloatDays / max(int64(r.To.Sub(r.From)/(24*time.Hour)), 1)
}

// months is the leakage so far by month, with the sums of each folded away.
func (r report) months() page.Block {
	chart := page.ColumnChart{Title: "Leakage so far, by month", Format: r.short, Parts: []page.BarPart{{Name: "leakage up to the end of the month", Class: "leaked"}}}
	s := page.NewSheet("Month", ">Bought", ">Returned", ">Granted", ">Taken back", ">Redeemed", ">Leakage", ">Leakage so far")
	var total int64
	for _, m := range r.Months {
		total += m.Leakage
		s.Add(m.Month, r.spend(m.Spend), r.spend(m.Refunded), r.money(m.Granted), r.money(m.TakenBack), r.money(m.Redeemed), r.money(m.Leakage), r.money(total))
		chart.Columns = append(chart.Columns, page.BarRow{Label: m.Month, Values: []int64{max(total, 0)}})
	}
	const caption = "Net reward less entitlement of all accounts together, up to the end of each month: what some have too much, less what others lack; no column where that is less than nothing. Where clawbacks come late, it falls again."
	return page.Block{
		Heading: "Leakage over time", Figures: []page.Figure{{Chart: chart.SVG(), Caption: caption}},
		Details: []page.Detail{{Summary: "Figures by month", Blocks: []page.Block{{Table: s}}}},
	}
}

// simulation compares what happened with what would have under Recoup, if that was asked for.
func (r report) simulation() []page.Block {
	f, u := &r.Figures, &r.Simulation
	if *u == (judge.Simulation{}) {
		return nil
	}
	s := page.NewSheet("Sum", ">Today", ">Under Recoup", ">Difference")
	s.Caption = "Held is what could not be redeemed because its purchase may still be, or already was, returned. Refused are redemptions of the history that Recoup would not have paid out at that moment: the reward was held or gone, or the terms pay nothing out just then."
	compare := func(name string, today, under int64) {
		s.Add(name, r.money(today), r.money(under), r.money(under-today))
	}
	compare("Granted", f.Granted, u.Granted)
	compare("Taken back", f.TakenBack, u.TakenBack)
	compare("Net reward", f.NetReward, u.NetReward)
	compare("To come with the next close", f.NotDue, u.NextClose)
	s.Add("Held at the end", notTold, r.money(u.Held), notTold)
	s.Add("Held at most, sum over accounts", notTold, r.money(u.HeldMost), notTold)
	s.Add("Redemptions refused", notTold, program.FormatCount(u.Refused), notTold)
	s.Add("Sum of those refused", notTold, r.money(u.RefusedAmount), notTold)
	// What waits for the close after the end of the exports counts on both sides.
	net := "the same"
	if less := f.NetReward + f.NotDue - u.NetReward - u.NextClose; less > 0 {
		net = r.money(less) + " lower"
	} else if less < 0 {
		net = r.money(-less) + " higher: customers were promised more than they got"
	}
	return []page.Block{{
		Paragraphs: []string{
			"Under Recoup with this program, net rewards would have been " + net + ".",
			"The purchases, refunds and redemptions of the exports went through Recoup's engine with the published program, account by account. What customers would have done otherwise is not guessed.",
		},
		Table: s,
	}}
}

// arrival is when refunds come, and what waiting for them would bring.
func (r report) arrival() []page.Block {
	a := &r.Arrival
	if a.Refunds == 0 {
		return []page.Block{{Paragraphs: []string{"Not enough refunds to tell: of none is the purchase known."}}}
	}
	chart := page.ColumnChart{Title: "Refunded value by days after the purchase", Format: r.short, Parts: []page.BarPart{{Name: "refunded value", Class: "blue"}}}
	for i, b := range a.Buckets {
		endless, days := b.To < b.From, strconv.Itoa(b.From)
		if endless {
			days += " or more"
		} else if b.From < b.To {
			days += "–" + strconv.Itoa(b.To)
		}
		chart.Columns = append(chart.Columns, page.BarRow{Label: days, Values: []int64{max(b.Value, 0)}})
		for _, c := range a.Coverage {
			if b.From <= c.Days && (c.Days <= b.To || endless) {
				chart.Marks = append(chart.Marks, page.ColumnMark{Column: i, Label: fmt.Sprintf("%d%% by day %d", c.Permille/10, c.Days)})
			}
		}
	}
	blocks := []page.Block{{
		Paragraphs: []string{fmt.Sprintf("%s of %s, of which the purchase is known or can be told, by how many days after the purchase they came.", audit.Count(a.Refunds, "refund", "refunds"), r.money(a.Value))},
		Figures:    []page.Figure{{Chart: chart.SVG(), Caption: "Days from purchase to refund, by value; later columns stand for more days. The marks are where 90, 95 and 99% of the refunded value had come."}},
	}}
	if len(a.Coverage) == 0 {
		return blocks
	}
	waits := page.NewSheet("Of the refunded value", ">Arrived within", ">maturity_days", ">grace_days", ">Would have saved", ">Honest customers wait longer by")
	waits.Caption = "maturity_days: the days for which a reward cannot be redeemed after its purchase. grace_days: the days after a statement close for which nothing can be redeemed, at most 27. Would have saved: what was redeemed of rewards whose purchase was refunded within that time, and never paid back. The last column is the price that honest customers pay: how much later they could have redeemed rewards of purchases that they kept, on the average and by value."
	for _, c := range a.Coverage {
		grace := strconv.Itoa(c.GraceDays)
		if !c.GraceEnough {
			grace += " (not enough)"
		}
		longer := fmt.Sprintf("%s.%d days", program.FormatCount(c.HonestWait/100), c.HonestWait%100/10)
		waits.Add(percent(c.Permille), audit.Count(int64(c.Days), "day", "days"), strconv.Itoa(c.MaturityDays), grace, r.money(c.Saved), longer)
	}
	return append(blocks, page.Block{
		Heading:    "How long to wait",
		Paragraphs: []string{"A reward that cannot be redeemed before the refund can come cannot be lost. These waits would have covered so much of the refunded value."},
		Table:      waits,
	})
}
