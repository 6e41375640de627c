package present

import (
	"fmt"

	"recoup/internal/audit/judge"
	"recoup/internal/kit/page"
	"recoup/program"
)

// figures are the sums over all accounts with what each is.
func (r report) figures() page.Sheet {
	f := &r.Figures
	s := page.Sheet{Columns: page.Columns("Figure", ">Amount", "What it is")}
	add := func(name, value, meaning string) {
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(name), page.Number(value), page.Text(meaning)}})
	}
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
func (r report) months() page.Sheet {
	s := page.Sheet{Columns: page.Columns("Month", ">Bought", ">Returned", ">Granted", ">Taken back", ">Redeemed", ">Leakage", ">Leakage so far")}
	var soFar int64
	for i := range r.Months {
		m := &r.Months[i]
		soFar += m.Leakage
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{
			page.Text(m.Month), page.Number(r.money(m.Spend)), page.Number(r.money(m.Refunded)), page.Number(r.money(m.Granted)),
			page.Number(r.money(m.TakenBack)), page.Number(r.money(m.Redeemed)), page.Number(r.money(m.Leakage)), page.Number(r.money(soFar)),
		}})
	}
	return s
}

// simulation compares what happened with what would have under Recoup.
func (r report) simulation() page.Sheet {
	f, u := &r.Figures, &r.Simulation
	s := page.Sheet{Columns: page.Columns("", ">Today", ">Under Recoup", ">Difference")}
	compare := func(name string, today, under int64) {
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(name), page.Number(r.money(today)), page.Number(r.money(under)), page.Number(r.money(under - today))}})
	}
	alone := func(name, under string) {
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{page.Text(name), page.Number(notTold), page.Number(under), page.Number(notTold)}})
	}
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
	switch {
	case less > 0:
		return fmt.Sprintf("Under Recoup with this program, net rewards would have been %s lower.", r.money(less))
	case less < 0:
		return fmt.Sprintf("Under Recoup with this program, net rewards would have been %s higher: customers were promised more than they got.", r.money(-less))
	}
	return "Under Recoup with this program, net rewards would have been the same."
}
