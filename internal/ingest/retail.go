// Package ingest turns other people's formats into events.
//
// Online Retail II is every line that a gift wholesaler in the United Kingdom
// invoiced in two years: D. Chen, UCI Machine Learning Repository, CC BY 4.0,
// doi:10.24432/C5CG6D. It is worth having because its returns come as card
// networks deliver them: with a customer, an article and a price, and without a
// word about which purchase they undo.
//
// Customers become accounts, invoices become settlements, and cancellation
// invoices (numbers that begin with C) become refunds. The times in the file
// carry no zone and are read as UTC. Amounts are exact: a line is quantity times
// price in thousandths of a pound, and pounds become pence once per event, by
// rounding down, so that the refunds of the parts of a purchase never sum to
// more than the purchase. What the rounding leaves is reported, not lost.
package ingest

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"recoup/reward"
)

// What Online Retail II does not say about its one shop. The merchant category
// is that of gift, card, novelty and souvenir shops (ISO 18245).
const (
	RetailSource   = "online-retail-ii"
	RetailMerchant = "uk-gift-wholesaler"
	RetailMCC      = "5947"
	RetailCurrency = "GBP"
)

// Link says how refunds name the purchases that they undo.
type Link uint8

// The ways to link.
const (
	// LinkMatched names the purchases in which the article was bought, as far as
	// they can be told; the rest is unlinked.
	LinkMatched Link = iota
	// LinkNone makes one unlinked refund of each cancellation invoice.
	LinkNone
)

// ParseLink reads "matched" or "none".
func ParseLink(s string) (Link, error) {
	switch s {
	case "matched":
		return LinkMatched, nil
	case "none":
		return LinkNone, nil
	}
	return 0, fmt.Errorf("link %q: expected matched or none", s)
}

// Retail is an imported file.
type Retail struct {
	events  []reward.Event
	summary RetailSummary
}

// Events yields the events in order of time; of those at the same time,
// settlements come first, then each kind in the order of the file.
func (r *Retail) Events() iter.Seq[reward.Event] { return slices.Values(r.events) }

// Summary says what became of every line.
func (r *Retail) Summary() *RetailSummary { return &r.summary }

// OpenRetail imports the file at path, which may be compressed with gzip or xz.
func OpenRetail(path string, link Link) (*Retail, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder, expected a file", path)
	}
	return ReadRetail(path, f, link)
}

// ReadRetail imports what r holds: comma-separated values, plain or compressed
// with gzip or xz. The name stands in messages, and its extension must agree
// with the content. A row that cannot be read is an error that names line and
// column; a row that is not a purchase or a return by a customer is skipped and
// counted.
//
// Returns can only be matched when all purchases are known, so the purchases of
// the file are held in memory, the file itself is not.
func ReadRetail(name string, r io.Reader, link Link) (*Retail, error) {
	plain, err := decompress(name, r)
	if err != nil {
		return nil, err
	}
	rows, err := newRetailRows(name, plain)
	if err != nil {
		return nil, err
	}
	summary := RetailSummary{Skipped: make(map[SkipReason]Tally)}
	invoices := newRetailInvoices(link)
	for {
		line, err := rows.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		reason := line.skipReason()
		summary.count(&line, reason)
		if reason == kept || reason == SkipNonProduct {
			invoices.add(&line, reason == kept)
		}
	}
	if link == LinkMatched {
		summary.Matching = invoices.match()
	}
	imported := &Retail{events: invoices.events(&summary), summary: summary}
	if err := imported.summary.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return imported, nil
}
