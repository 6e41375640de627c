package present

import (
	"fmt"

	"recoup/internal/audit"
	"recoup/internal/kit/page"
	"recoup/internal/kit/tabular"
	"recoup/program"
)

// setApart says what the refunds that took too little have in common, in a sentence;
// nothing if there is nothing.
func (r report) setApart() string {
	s := r.Separation
	if s == nil || len(s.Rules) == 0 {
		return ""
	}
	first := &s.Rules[0]
	return fmt.Sprintf("What sets the refunds apart that took too little: of those %s, %s took nothing or too little, %s in all.",
		tabular.Visible(first.Words), ofAll(first.Untaken, first.Refunds), r.money(first.Amount))
}

// separation is the list of conditions, each of the refunds that those before it leave.
func (r report) separation() *page.Sheet {
	s := page.NewSheet("Refunds", ">Took nothing or too little", ">Amount")
	add := func(words string, untaken, of, amount int64) {
		s.Add(words, ofAll(untaken, of), r.cost(amount))
	}
	refunds, untaken, amount := r.Separation.Refunds, r.Separation.Untaken, r.Separation.Amount
	for i := range r.Separation.Rules {
		rule := &r.Separation.Rules[i]
		words := tabular.Visible(rule.Words)
		if i > 0 {
			words = "else " + words
		}
		add(words, rule.Untaken, rule.Refunds, rule.Amount)
		refunds, untaken, amount = refunds-rule.Refunds, untaken-rule.Untaken, amount-rule.Amount
	}
	add("all others", untaken, refunds, amount)
	return s
}

// separated says whether there is something to set apart.
func (r report) separated() bool { return r.Separation != nil && r.Separation.Untaken > 0 }

// sampled says of how many refunds the conditions are.
func (r report) sampled() string {
	s := r.Separation
	text := fmt.Sprintf("%s with a reward at stake were looked at", count(s.Refunds, "refund"))
	if s.Sampled {
		text += ", a sample of all"
	}
	return text + "."
}

// ofAll says how many of how many, in words where it is all or none.
func ofAll(n, of int64) string {
	switch {
	case of == 0:
		return "none"
	case n == of && n > 1:
		return "every one of " + program.FormatCount(of)
	case n == 0:
		return "none of " + program.FormatCount(of)
	}
	return program.FormatCount(n) + " of " + program.FormatCount(of)
}

// basisPoints writes hundredths of a percent as a percentage.
func basisPoints(n int64) string { return fmt.Sprintf("%s.%02d%%", program.FormatCount(n/100), n%100) }

// weight is how much an amount weighs: red from a thousandth of all that was granted on,
// amber below. Colours go by money, whatever the number of cases.
func (r report) weight(amount int64) string {
	switch {
	case amount <= 0:
		return "good"
	case share(amount, r.Figures.Granted) == 0:
		return "part"
	}
	return "bad"
}

// cost is an amount in the colour of its weight.
func (r report) cost(amount int64) page.Cell {
	return page.Cell{Text: r.money(amount), Class: "n " + r.weight(amount)}
}

// standing is what is to be made of a flaw, in the colour of what it came to.
func (r report) standing(f *audit.Finding) page.Cell {
	c := page.Text(string(f.Standing))
	if f.Standing == audit.Found || f.Standing == audit.Occasional {
		c.Class = r.weight(f.Amount)
		if c.Class == "good" {
			c.Class = "part"
		}
	}
	return c
}
