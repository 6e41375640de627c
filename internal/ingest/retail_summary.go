package ingest

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// SkipReason is why a line became part of no event. A line is counted under the
// first reason that holds, in the order of SkipReasons.
type SkipReason string

// The reasons to skip a line.
const (
	// SkipBadDebt: the invoice writes off a debt (its number begins with A).
	SkipBadDebt SkipReason = "bad debt"
	// SkipWriteOff: a negative quantity without a cancellation: stock that was
	// damaged, lost or miscounted, always at a price of zero.
	SkipWriteOff SkipReason = "negative quantity without cancellation"
	// SkipNotReturned: a cancellation of nothing that came back.
	SkipNotReturned SkipReason = "cancellation without negative quantity"
	// SkipNoPrice: the price is zero: gifts, samples and corrections.
	SkipNoPrice SkipReason = "zero price"
	// SkipNegativePrice: the price is below zero.
	SkipNegativePrice SkipReason = "negative price"
	// SkipNoQuantity: a purchase of nothing.
	SkipNoQuantity SkipReason = "zero quantity"
	// SkipNoCustomer: there is no account to book the line on.
	SkipNoCustomer SkipReason = "no customer"
	// SkipNonProduct: postage, discounts, fees, vouchers, corrections by hand.
	SkipNonProduct SkipReason = "non-product code"

	kept SkipReason = ""
)

// SkipReasons lists the reasons in the order in which they are tried.
var SkipReasons = []SkipReason{
	SkipBadDebt, SkipWriteOff, SkipNotReturned, SkipNoPrice, SkipNegativePrice, SkipNoQuantity, SkipNoCustomer, SkipNonProduct,
}

func (l *retailLine) skipReason() SkipReason {
	switch {
	case l.badDebt():
		return SkipBadDebt
	case l.cancellation() && l.quantity >= 0:
		return SkipNotReturned
	case !l.cancellation() && l.quantity < 0:
		return SkipWriteOff
	case l.price == 0:
		return SkipNoPrice
	case l.price < 0:
		return SkipNegativePrice
	case l.quantity == 0:
		return SkipNoQuantity
	case l.customer == "":
		return SkipNoCustomer
	case !l.product():
		return SkipNonProduct
	}
	return kept
}

// Tally is a number of lines and what they come to, with the signs of the file:
// a return is negative.
type Tally struct {
	Lines int
	Value Thousandths
}

func (t *Tally) add(value Thousandths) { t.Lines, t.Value = t.Lines+1, t.Value+value }

// Booked is what became events. Value is that of the lines, Amount that of the
// events, in pence and positive, and Rounding what rounding down left of Value.
type Booked struct {
	Lines    int
	Value    Thousandths
	Invoices int // that have such lines
	Events   int
	Amount   int64
	Rounding Thousandths
	// BelowPenny counts the parts of invoices that were too small for an event.
	BelowPenny int
}

// book rounds a value down to pence and returns them.
func (b *Booked) book(value Thousandths) int64 {
	pence := int64(value / 10)
	b.Rounding += value % 10
	if pence == 0 {
		b.BelowPenny++
		return 0
	}
	b.Events++
	b.Amount += pence
	return pence
}

// RetailSummary says what became of every line of the file.
type RetailSummary struct {
	All Tally
	// Cancellations are all lines of cancellation invoices, skipped or not.
	Cancellations Tally
	// CustomerCancellations and CustomerPurchases are the lines that name a
	// customer, whatever their code, quantity and price.
	CustomerCancellations, CustomerPurchases Tally

	Skipped            map[SkipReason]Tally
	Purchases, Refunds Booked
	Accounts           int
	// LinkedRefunds and LinkedAmount are the refunds, and pence of them, that
	// name their purchase.
	LinkedRefunds int
	LinkedAmount  int64

	Matching Matching
}

// count enters one line and why it is skipped, if it is.
func (s *RetailSummary) count(l *retailLine, reason SkipReason) {
	s.All.add(l.value)
	switch {
	case l.cancellation():
		s.Cancellations.add(l.value)
		if l.customer != "" {
			s.CustomerCancellations.add(l.value)
		}
	case l.customer != "":
		s.CustomerPurchases.add(l.value)
	}
	if reason != kept {
		t := s.Skipped[reason]
		t.add(l.value)
		s.Skipped[reason] = t
		return
	}
	if l.cancellation() {
		s.Refunds.Lines++
		s.Refunds.Value -= l.value
	} else {
		s.Purchases.Lines++
		s.Purchases.Value += l.value
	}
}

// Check reconciles: all lines are imported or skipped, and their value is that
// of the purchases less the refunds, and of what was skipped, and of what
// rounding left, to the thousandth.
func (s *RetailSummary) Check() error {
	lines := s.Purchases.Lines + s.Refunds.Lines
	value := Thousandths(10*(s.Purchases.Amount-s.Refunds.Amount)) + s.Purchases.Rounding - s.Refunds.Rounding
	for _, t := range s.Skipped {
		lines += t.Lines
		value += t.Value
	}
	if lines != s.All.Lines {
		return fmt.Errorf("summary does not reconcile: %d lines read, %d imported or skipped", s.All.Lines, lines)
	}
	if value != s.All.Value {
		return fmt.Errorf("summary does not reconcile: lines of £%v read, £%v imported, skipped or rounded off", s.All.Value, value)
	}
	return nil
}

// Print writes the reconciliation as a table.
func (s *RetailSummary) Print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(what string, lines int, value Thousandths) {
		fmt.Fprintf(table, "%s\t%d\t%v\t\n", what, lines, value)
	}
	fmt.Fprintf(table, "\tlines\tGBP\t\n")
	row("read", s.All.Lines, s.All.Value)
	for _, reason := range SkipReasons {
		if t := s.Skipped[reason]; t.Lines > 0 {
			row("skipped: "+string(reason), t.Lines, t.Value)
		}
	}
	row("purchases", s.Purchases.Lines, Thousandths(10*s.Purchases.Amount))
	row("refunds", s.Refunds.Lines, -Thousandths(10*s.Refunds.Amount))
	row("rounded off", 0, s.Purchases.Rounding-s.Refunds.Rounding)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d accounts, %d settlements, %d refunds, of them %d linked (GBP %v)\n",
		s.Accounts, s.Purchases.Events, s.Refunds.Events, s.LinkedRefunds, Thousandths(10*s.LinkedAmount))
	if err == nil && s.Matching.Lines() > 0 {
		err = s.Matching.print(w)
	}
	return err
}
