package ingest

import (
	"cmp"
	"slices"
	"strings"
	"unique"

	"recoup/reward"
)

// retailInvoice gathers the lines of one invoice, which need not stand together
// in the file and may carry different times; the earliest counts.
type retailInvoice struct {
	customer     unique.Handle[string]
	number       string
	at           reward.Instant
	cancellation bool
	lines        int         // that are imported
	value        Thousandths // of those, positive
	links        []retailLink
}

// retailLink is what of a cancellation belongs to a purchase.
type retailLink struct {
	purchase *retailInvoice
	value    Thousandths
}

func (i *retailInvoice) link(purchase *retailInvoice, value Thousandths) {
	for n := range i.links {
		if i.links[n].purchase == purchase {
			i.links[n].value += value
			return
		}
	}
	i.links = append(i.links, retailLink{purchase, value})
}

// retailInvoices are the invoices of a file in the order in which they begin.
type retailInvoices struct {
	linking Link
	all     []*retailInvoice
	byKey   map[invoiceKey]*retailInvoice
	lots    map[article][]lot
	returns []returned
}

type invoiceKey struct {
	customer unique.Handle[string]
	number   string
}

func newRetailInvoices(link Link) *retailInvoices {
	return &retailInvoices{linking: link, byKey: make(map[invoiceKey]*retailInvoice), lots: make(map[article][]lot)}
}

// add enters a line of a customer. One that is not imported is only matched.
func (v *retailInvoices) add(l *retailLine, imported bool) {
	customer := unique.Make(l.customer)
	invoice := v.byKey[invoiceKey{customer, l.invoice}]
	if invoice == nil {
		invoice = &retailInvoice{
			customer: customer, number: strings.Clone(l.invoice), at: l.at, cancellation: l.cancellation(),
		}
		v.byKey[invoiceKey{customer, invoice.number}] = invoice
		v.all = append(v.all, invoice)
	}
	invoice.at = min(invoice.at, l.at)
	if imported {
		invoice.lines++
		invoice.value += max(l.value, -l.value)
	}
	if v.linking == LinkNone {
		return
	}
	what := article{customer, unique.Make(l.code), l.price}
	if l.cancellation() {
		v.returns = append(v.returns, returned{invoice, what, -l.quantity, imported})
	} else {
		v.lots[what] = append(v.lots[what], lot{invoice, l.quantity})
	}
}

// events returns the events in order and enters them in the summary.
func (v *retailInvoices) events(s *RetailSummary) []reward.Event {
	var events []reward.Event
	accounts := make(map[unique.Handle[string]]bool)
	for _, invoice := range v.all {
		if invoice.lines == 0 {
			continue
		}
		accounts[invoice.customer] = true
		if invoice.cancellation {
			s.Refunds.Invoices++
			events = invoice.appendRefunds(events, s)
		} else {
			s.Purchases.Invoices++
			events = invoice.appendSettlement(events, s)
		}
	}
	s.Accounts = len(accounts)
	slices.SortStableFunc(events, func(a, b reward.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Type, b.Type))
	})
	return events
}

func (i *retailInvoice) appendSettlement(events []reward.Event, s *RetailSummary) []reward.Event {
	amount := s.Purchases.book(i.value)
	if amount == 0 {
		return events
	}
	e := i.event(i.number, reward.TransactionSettled, amount)
	e.Transaction = i.number
	return append(events, withShop(e))
}

// appendRefunds makes one refund for each purchase that was found, named after
// both invoices, and one that is named after the cancellation alone for the rest.
func (i *retailInvoice) appendRefunds(events []reward.Event, s *RetailSummary) []reward.Event {
	rest := i.value
	for _, link := range i.links {
		rest -= link.value
		amount := s.Refunds.book(link.value)
		if amount == 0 {
			continue
		}
		e := i.event(i.number+"/"+link.purchase.number, reward.RefundPosted, amount)
		e.Fact, e.Transaction = e.ID, link.purchase.number
		events = append(events, e)
		s.LinkedRefunds++
		s.LinkedAmount += amount
	}
	if rest == 0 {
		return events
	}
	amount := s.Refunds.book(rest)
	if amount == 0 {
		return events
	}
	e := i.event(i.number, reward.RefundPosted, amount)
	e.Fact = e.ID
	return append(events, withShop(e))
}

func (i *retailInvoice) event(id string, t reward.Type, amount int64) reward.Event {
	return reward.Event{
		Source: RetailSource, ID: id, Account: i.customer.Value(), Time: i.at, Type: t,
		Amount: amount, HasAmount: true, Currency: RetailCurrency,
	}
}

func withShop(e reward.Event) reward.Event {
	e.Merchant = RetailMerchant
	e.MCC = retailMCC
	return e
}

var retailMCC, _ = reward.ParseMCC(RetailMCC)
