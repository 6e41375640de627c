package ingest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"unique"
)

// Matching counts the cancellation lines of customers by how their purchase was
// found. A return is matched with purchases of the same customer, article and
// price at or before its time, the newest first, and uses their quantity up. The
// newest purchase that covers it alone is preferred to several newer ones.
//
// A return that only part of what is left could cover gives way to later ones
// that can be covered whole: it is placed last, on what they leave over.
type Matching struct {
	// Products are lines that are imported.
	Products Coverage
	// Others are lines of non-product codes, which are matched for the figures
	// only; the codes are never the same, so neither uses the other's quantity.
	Others Coverage
}

// Coverage counts lines by what covers them, at their turn.
type Coverage struct {
	OnePurchase, SeveralPurchases, InPart, None int
}

// Lines is how many there were.
func (m Matching) Lines() int { return m.Products.lines() + m.Others.lines() }

func (c Coverage) lines() int { return c.OnePurchase + c.SeveralPurchases + c.InPart + c.None }

func (m Matching) print(w io.Writer) error {
	for _, c := range []struct {
		what string
		Coverage
	}{{"imported", m.Products}, {"non-product", m.Others}} {
		_, err := fmt.Fprintf(w, "cancellation lines, %s: %d covered by one purchase, %d by several, %d in part, %d by none\n",
			c.what, c.OnePurchase, c.SeveralPurchases, c.InPart, c.None)
		if err != nil {
			return err
		}
	}
	return nil
}

// article is what a return and its purchase have in common.
type article struct {
	customer, code unique.Handle[string]
	price          Thousandths
}

// lot is a line of a purchase and how much of it has not come back.
type lot struct {
	invoice *retailInvoice
	left    int64
}

// returned is a line of a cancellation.
type returned struct {
	invoice  *retailInvoice
	article  article
	quantity int64 // positive
	product  bool
}

// match links the returns to the purchases of their articles.
func (v *retailInvoices) match() Matching {
	for _, lots := range v.lots {
		slices.SortStableFunc(lots, func(a, b lot) int { return cmp.Compare(a.invoice.at, b.invoice.at) })
	}
	slices.SortStableFunc(v.returns, func(a, b returned) int { return cmp.Compare(a.invoice.at, b.invoice.at) })
	var counts Matching
	var inPart []returned
	for _, r := range v.returns {
		coverage := &counts.Others
		if r.product {
			coverage = &counts.Products
		}
		lots := v.lotsBefore(&r)
		if one := coveringLot(lots, r.quantity); one != nil {
			coverage.OnePurchase++
			r.take(one, r.quantity)
			continue
		}
		switch left := leftOf(lots); {
		case left >= r.quantity:
			coverage.SeveralPurchases++
			r.takeNewest(lots)
		case left > 0:
			coverage.InPart++
			inPart = append(inPart, r)
		default:
			coverage.None++
		}
	}
	for _, r := range inPart {
		r.takeNewest(v.lotsBefore(&r))
	}
	return counts
}

// lotsBefore returns the lots that the return may be of, the newest last.
func (v *retailInvoices) lotsBefore(r *returned) []lot {
	lots := v.lots[r.article]
	n := len(lots)
	for n > 0 && lots[n-1].invoice.at > r.invoice.at {
		n--
	}
	return lots[:n]
}

func coveringLot(lots []lot, quantity int64) *lot {
	for i := len(lots) - 1; i >= 0; i-- {
		if lots[i].left >= quantity {
			return &lots[i]
		}
	}
	return nil
}

func leftOf(lots []lot) (sum int64) {
	for _, l := range lots {
		sum += l.left
	}
	return sum
}

// takeNewest takes what it can of the lots, up to the returned quantity.
func (r *returned) takeNewest(lots []lot) {
	rest := r.quantity
	for i := len(lots) - 1; i >= 0 && rest > 0; i-- {
		if part := min(rest, lots[i].left); part > 0 {
			r.take(&lots[i], part)
			rest -= part
		}
	}
}

func (r *returned) take(l *lot, quantity int64) {
	l.left -= quantity
	if r.product {
		r.invoice.link(l.invoice, Thousandths(quantity)*r.article.price)
	}
}
