package attack

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/internal/kit/tabular"
	"recoup/program"
)

// WriteTable writes for people what the designs lose, and the best strategy
// against each, where it is the same with the same results once for all of them;
// of one design alone, all the strategies.
func (r *Report) WriteTable(w io.Writer) error {
	money := r.Bounds.rewards()
	fmt.Fprintln(w, r.Bounds.Describe(r.Currency))
	t := tabular.New(w, "design", ">per cycle", ">one purchase more", ">per year", ">once, no debt", ">walk-away, one cycle", r.Bounds.WalkAway(), ">float", ">strategies", ">positions")
	for i := range r.Designs {
		e := &r.Designs[i]
		if e.NotSupported {
			t.AppendRow(tabular.Row{e.Design, "not supported"})
			continue
		}
		t.AppendRow(tabular.Row{
			e.Design, money(e.Repeatable), money(e.WithOneMore), money(e.PerYear), money(e.Once),
			money(e.WalkAwayFromOne), money(e.WalkAway), e.Float.describe(money), e.Strategies, e.Positions,
		})
	}
	t.Render()
	fmt.Fprint(w, "What counts is cash that no net spend backs. Per cycle, per year: nobody asks for it back; nor for what comes once without a debt, such as a bonus for signing up. Walk-away: once, what never coming back adds to it.\n"+
		"Float: until a late clawback. Every strategy was examined, each position that they lead to once.\n")

	type told struct{ names, text string }
	var list []told
	tell := func(name, text string) {
		if i := slices.IndexFunc(list, func(t told) bool { return t.text == text }); i >= 0 {
			list[i].names += ", " + name
			return
		}
		list = append(list, told{name, text})
	}
	for i := range r.Designs {
		e := &r.Designs[i]
		switch {
		case e.NotSupported:
		case len(e.Best) == 0:
			tell(e.Design, "nothing to be had.\n")
		case len(r.Designs) > 1:
			tell(e.Design, e.Best[0].describe(money))
		default:
			for j := range e.Best {
				tell(e.Design, e.Best[j].describe(money))
			}
		}
	}
	for _, t := range list {
		fmt.Fprintf(w, "\n%s: %s", t.names, t.text)
	}
	return nil
}

// describe writes the strategy as a headline and a timeline.
func (s *Strategy) describe(money func(int64) string) string {
	cycles := "one cycle"
	if s.Cycles > 1 {
		cycles = fmt.Sprintf("%d cycles", s.Cycles)
	}
	var w strings.Builder
	switch s.Aim {
	case aimNames[toRepeat]:
		often := "again and again"
		if s.Once {
			often = "once"
		}
		fmt.Fprintf(&w, "%s, %s from the purchases of %s", often, money(s.Profit-s.Debt), cycles)
		if s.Debt > 0 {
			fmt.Fprintf(&w, " after a debt of %s", money(s.Debt))
		}
		w.WriteByte('\n')
	case aimNames[toTake]:
		fmt.Fprintf(&w, "once and never again, %s from the purchases of %s; a debt of %s stays behind\n", money(s.Profit), cycles, money(s.Debt))
	default:
		fmt.Fprintf(&w, "a float, %s before the books know of it\n", s.Float.describe(money))
	}
	t := tabular.New(&w, "date", "move", ">balance", ">redeemable", ">redeemed", ">entitlement", ">profit")
	for _, entry := range s.Timeline {
		t.AppendRow(tabular.Row{
			entry.At.Format(time.DateOnly), entry.What, money(entry.Balance), money(entry.Redeemable),
			money(entry.Redeemed), money(entry.Entitlement), money(entry.Profit),
		})
	}
	t.Render()
	return w.String()
}

// WalkAway heads what walking away takes from the purchases of all cycles.
func (b *Bounds) WalkAway() string {
	if b.Cycles == 1 {
		return ">walk-away"
	}
	return fmt.Sprintf(">walk-away, %d cycles", b.Cycles)
}

// Describe puts the bounds into words.
func (b *Bounds) Describe(currency string) string {
	amounts := make([]string, len(b.Amounts))
	for i, a := range b.Amounts {
		amounts[i] = program.FormatAmount(a, b.program().Currency)
	}
	days := make([]string, len(b.Days))
	for i, d := range b.Days {
		days[i] = strconv.Itoa(d)
	}
	moves := "any number"
	if b.MovesPerCycle > 0 {
		moves = strconv.Itoa(b.MovesPerCycle)
	}
	promises := "Program " + b.program().ID
	if b.Program == nil {
		rule := Program().Rules[0]
		promises = fmt.Sprintf("Program: %s back on groceries, up to %s a cycle", rule.Rate, program.FormatAmount(rule.Cap, currency))
	}
	return fmt.Sprintf("%s. Bounds: %d cycles to buy in, and one more; purchases in a cycle: up to %d, of %s; moves: %s,\n"+
		"on days %s (or a month's last). Moves: buy, redeem all there is, return all or half of a purchase less than %d days old, wait, walk away.",
		promises, b.Cycles, b.PurchasesPerCycle, strings.Join(amounts, " or "), moves, strings.Join(days, ", "), b.ReturnDays)
}

// rewards writes amounts of what the program's rewards are in.
func (b *Bounds) rewards() func(int64) string {
	unit := b.program().Units().Reward
	return func(minor int64) string { return program.Format(minor, unit) }
}

// Describe writes a float as what it is at its height, and for how long.
func (f *Float) Describe(currency string) string {
	return f.describe(func(minor int64) string { return program.FormatAmount(minor, currency) })
}

func (f *Float) describe(money func(int64) string) string {
	switch {
	case f.AmountDays == 0:
		return "-"
	case f.AmountDays == f.Amount*f.Days:
		return fmt.Sprintf("%s for %d days", money(f.Amount), f.Days)
	}
	return fmt.Sprintf("up to %s for %d days", money(f.Amount), f.Days)
}
