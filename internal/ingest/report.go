package ingest

import (
	"fmt"
	"io"
	"strings"

	"recoup/internal/intake"
	"recoup/reward"
)

// Booked is what rows became. Milli is what the rows come to in thousandths of minor
// units, Amount what their events do, in minor units.
type Booked struct {
	Rows   int64
	Milli  int64
	Events int
	Amount int64
	// BelowUnit counts the parts of purchases and refunds that were too small for an
	// event.
	BelowUnit int
	left      int64 // of Milli that is in no event
}

func (b *Booked) count(milli int64) { b.Rows, b.Milli = b.Rows+1, b.Milli+milli }

// book enters what became of so many thousandths: an amount, or nothing.
func (b *Booked) book(thousandths, amount int64) int64 {
	b.left += thousandths - amount*milli
	if amount == 0 {
		b.BelowUnit++
		return 0
	}
	b.Events++
	b.Amount += amount
	return amount
}

// Report says what became of every row.
type Report struct {
	Input              intake.Input
	Purchases, Refunds Booked
	Accounts           int
	Reversals          int
	// Named refunds say their purchase, which is not among those of the file for
	// NamedUnknown of them.
	Named, NamedUnknown int
	Matching            Matching
	// Linked are the refunds, and minor units of them, that name their purchase.
	Linked       int
	LinkedAmount int64
	// ChargebacksUnlinked became refunds: a chargeback names its purchase.
	ChargebacksUnlinked int
	// Itemized purchases list their items; TooManyItems have more than an event may.
	Itemized, TooManyItems int
}

// check holds the events against the rows: nothing may be lost but what rounding
// down leaves, and that is less than a minor unit for each event and item.
func (i *Imported) check() error {
	var purchases, refunds int64
	for e := range i.Events() {
		switch e.Type {
		case reward.TransactionSettled:
			purchases += e.Amount
		case reward.RefundPosted, reward.ChargebackPosted:
			refunds += e.Amount
		}
	}
	for _, x := range []struct {
		what   string
		booked *Booked
		events int64
	}{{"purchases", &i.report.Purchases, purchases}, {"refunds", &i.report.Refunds, refunds}} {
		if left := x.booked.Milli - x.events*milli; left < 0 || left != x.booked.left || left > x.booked.Rows*milli {
			return fmt.Errorf("the rows of %s come to %d thousandths of minor units and their events to %d: this is a fault of the program",
				x.what, x.booked.Milli, x.events*milli)
		}
	}
	return nil
}

// Print writes the report for people; amounts are in minor units.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	all := map[string]int64{}
	for _, f := range r.Input.Files {
		all[f.Name] = f.Rows + f.Bad + f.Skipped + f.OtherCurrency
	}
	var rows int64
	for _, n := range all {
		rows += n
	}
	reversals := r.Input.Rows - r.Purchases.Rows - r.Refunds.Rows
	fmt.Fprintf(&b, "rows: %d; %d of purchases, %d of refunds, %d of reversals, %d neither\n",
		rows, r.Purchases.Rows, r.Refunds.Rows, reversals, rows-r.Input.Rows)
	for _, why := range r.Input.ByWhy {
		fmt.Fprintf(&b, "  bad: %d × %s (%s)\n", why.Rows, why.Reason, strings.Join(why.First, ", "))
	}
	for _, x := range []struct {
		what string
		Booked
	}{{"purchases", r.Purchases}, {"refunds", r.Refunds}} {
		fmt.Fprintf(&b, "%s: %d events of %d minor units; %d.%03d left by rounding down, %d parts too small for an event\n",
			x.what, x.Events, x.Amount, x.left/milli, x.left%milli, x.BelowUnit)
	}
	if r.Itemized+r.TooManyItems > 0 {
		fmt.Fprintf(&b, "items: %d purchases list theirs, %d have more than %d\n", r.Itemized, r.TooManyItems, reward.MaxItems)
	}
	fmt.Fprintf(&b, "refunds that name their purchase in the file: %d, of them %d one that is not in it\n", r.Named, r.NamedUnknown)
	m := r.Matching
	fmt.Fprintf(&b, "rows of other refunds by match: %d of one purchase (%d of several that would do, the newest), %d of several together, %d in part, %d of none\n",
		m.OnePurchase, m.Choice, m.SeveralPurchases, m.InPart, m.None)
	if r.ChargebacksUnlinked > 0 {
		fmt.Fprintf(&b, "chargebacks without a purchase became refunds: %d\n", r.ChargebacksUnlinked)
	}
	fmt.Fprintf(&b, "events: %d accounts, %d settlements, %d refunds, %d of them with their purchase (%d minor units), %d reversals\n",
		r.Accounts, r.Purchases.Events, r.Refunds.Events, r.Linked, r.LinkedAmount, r.Reversals)
	_, err := io.WriteString(w, b.String())
	return err
}
