// Package ingest turns other people's files into events: the rows of purchases and
// refunds that a mapping tells apart, in any file that package intake reads.
//
// Purchases become settlements. Refunds become refunds and chargebacks that name
// their purchase where the file says it, or where it can be told (match.go): files
// from card networks and tills say who returned what, and not which purchase it
// undoes. Rows that share an id are one purchase or one refund where the mapping
// says so (receipts), and then items of it (items.go).
//
// Amounts are exact: rows are added up in thousandths of minor units, and rounded
// down once per event, so that the refunds of the parts of a purchase never come to
// more than the purchase. What the rounding leaves is reported, not lost.
package ingest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"unique"

	"recoup/internal/intake"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// Link says how refunds name the purchases that they undo.
type Link uint8

// The ways to link. What a file says itself stands in both.
const (
	// LinkMatched names the purchases in which the same was bought, as far as they can
	// be told; the rest is unlinked.
	LinkMatched Link = iota
	// LinkNone leaves refunds unlinked.
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

// Options say what is imported, and how.
type Options struct {
	Mapping *intake.Mapping
	Files   []string // or patterns
	// Currency is that of the program; rows in another are left out.
	Currency string
	Source   string // of the events
	Link     Link
	// BadLimit is how many of a thousand rows of a file may be bad; below zero none.
	BadLimit int
}

// Imported is what files became.
type Imported struct {
	events []reward.Event
	report Report
}

// Events yields the events in order of time; of those at the same time, settlements
// come first, then each kind in the order of the files.
func (i *Imported) Events() iter.Seq[reward.Event] { return slices.Values(i.events) }

// Report says what became of every row.
func (i *Imported) Report() *Report { return &i.report }

// Import reads the files. A refund can only be matched when all purchases are known,
// so purchases and refunds are held in memory, the files themselves are not.
func Import(ctx context.Context, o Options) (*Imported, error) {
	b := books{
		options: &o, purchases: map[id]*purchase{}, returns: map[id]*giveback{}, lots: map[what][]lot{}, seen: map[string]*lines{},
	}
	input, err := intake.ReadLines(ctx, intake.Options{
		Mapping: o.Mapping, Currency: o.Currency, Transactions: o.Files, BadLimit: o.BadLimit,
	}, b.add)
	if err != nil {
		return nil, err
	}
	b.report.Input = *input
	b.link()
	imported := &Imported{events: b.events(), report: b.report}
	if err := imported.check(); err != nil {
		return nil, err
	}
	return imported, nil
}

// id names a purchase or a refund of an account.
type id struct{ account, name unique.Handle[string] }

// purchase gathers the rows of one purchase; the earliest time counts.
type purchase struct {
	id
	at    reward.Instant
	milli int64
	shop  history.Row // merchant, MCC and category of the first row
	items []item
	place string // of the first row
}

// giveback gathers the rows of one refund or chargeback, or says that one did not
// stand.
type giveback struct {
	id
	kind  history.Kind
	at    reward.Instant
	milli int64
	shop  history.Row
	named string // the purchase that the file says it is of
	links []link
	rows  []returned // that are not linked yet
	facts []string   // the events' ids of what it became
	place string
}

// books are the purchases and refunds of the files.
type books struct {
	options   *Options
	purchases map[id]*purchase
	bought    []*purchase // in the order in which they begin
	returns   map[id]*giveback
	given     []*giveback
	reversals []*giveback
	lots      map[what][]lot
	seen      map[string]*lines // by file
	report    Report
}

// add enters a row.
func (b *books) add(l *intake.Line) error {
	if !b.seenOnce(l) {
		return fmt.Errorf("%s:%d: the mapping takes the row for a purchase and for a refund; expected conditions (only, skip) of which one holds", l.Path, l.Place)
	}
	name := id{unique.Make(l.Account), unique.Make(l.ID)}
	switch l.Kind {
	case history.Purchase:
		b.report.Purchases.count(l.Milli)
		p := b.purchases[name]
		if p != nil && l.Receipts == intake.NoReceipts {
			return twice(l, p.place)
		}
		if p == nil {
			p = &purchase{id: name, at: l.At, shop: l.Row, place: placeOf(l)}
			b.purchases[name] = p
			b.bought = append(b.bought, p)
		}
		p.at = min(p.at, l.At)
		p.milli += l.Milli
		at := -1
		if l.Receipts == intake.ReceiptItems {
			at = p.addItem(l)
		}
		if b.options.Link == LinkMatched {
			b.addLot(l, p, at)
		}
	case history.RefundReversed, history.ChargebackReversed:
		b.reversals = append(b.reversals, &giveback{id: name, kind: l.Kind, at: l.At, place: placeOf(l)})
	default:
		b.report.Refunds.count(l.Milli)
		g := b.returns[name]
		if g != nil && l.Receipts == intake.NoReceipts {
			return twice(l, g.place)
		}
		if g == nil {
			g = &giveback{id: name, kind: l.Kind, at: l.At, shop: l.Row, named: l.Transaction, place: placeOf(l)}
			b.returns[name] = g
			b.given = append(b.given, g)
		}
		if g.named != l.Transaction || g.kind != l.Kind {
			return fmt.Errorf("%s: refund %q is of another purchase or kind there than on %s; expected rows of one refund to agree", placeOf(l), l.ID, g.place)
		}
		g.at = min(g.at, l.At)
		g.milli += l.Milli
		g.rows = append(g.rows, returned{whatOf(l), measure(l), l.Milli})
	}
	return nil
}

func placeOf(l *intake.Line) string { return fmt.Sprintf("%s:%d", l.Path, l.Place) }

func twice(l *intake.Line, first string) error {
	return fmt.Errorf("%s: id %q of account %q is on %s already; expected one row for each, receipts in the mapping (rows of one purchase) or ids: generated",
		placeOf(l), l.ID, l.Account, first)
}

// lines are the rows of a file that were taken, a bit each.
type lines struct{ bits []uint64 }

// seenOnce notes a row, and reports whether it was not seen before.
func (b *books) seenOnce(l *intake.Line) bool {
	of := b.seen[l.Path]
	if of == nil {
		of = &lines{}
		b.seen[l.Path] = of
	}
	word, bit := l.Place/64, uint64(1)<<(l.Place%64)
	for int64(len(of.bits)) <= word {
		of.bits = append(of.bits, 0)
	}
	seen := of.bits[word]&bit != 0
	of.bits[word] |= bit
	return !seen
}

// link gives each refund the purchase that the file says, or else the one that can
// be told.
func (b *books) link() {
	for _, g := range b.given {
		if g.named == "" && b.purchases[g.id] != nil { // a till gives what comes back the number of its receipt
			g.named = g.name.Value()
		}
		if g.named == "" {
			continue
		}
		b.report.Named++
		p := b.purchases[id{g.account, unique.Make(g.named)}]
		if p == nil {
			b.report.NamedUnknown++
			p = &purchase{id: id{g.account, unique.Make(g.named)}}
		}
		for _, r := range g.rows {
			g.take(p, r.milli, p.itemOf(r.what))
		}
		g.rows = nil
	}
	if b.options.Link == LinkMatched {
		b.match()
	}
}

// events returns the events in order.
func (b *books) events() []reward.Event {
	var events []reward.Event
	accounts := map[unique.Handle[string]]bool{}
	for _, p := range b.bought {
		accounts[p.account] = true
		events = b.settlement(events, p)
	}
	for _, g := range b.given {
		accounts[g.account] = true
		events = b.refunds(events, g)
	}
	for _, r := range b.reversals {
		facts := []string{r.name.Value()}
		if g := b.returns[r.id]; g != nil {
			facts = g.facts
		}
		for _, fact := range facts {
			e := b.event(r.account, fact+"/reversed", r.at, reward.RefundReversed, 0)
			if e.Fact = fact; r.kind == history.ChargebackReversed {
				e.Type = reward.ChargebackReversed
			}
			events = append(events, e)
			b.report.Reversals++
		}
	}
	b.report.Accounts = len(accounts)
	slices.SortStableFunc(events, func(a, b reward.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Type, b.Type))
	})
	return events
}

func (b *books) event(account unique.Handle[string], name string, at reward.Instant, t reward.Type, amount int64) reward.Event {
	e := reward.Event{Source: b.options.Source, ID: name, Account: account.Value(), Time: at, Type: t}
	if amount > 0 {
		e.Amount, e.HasAmount, e.Currency = amount, true, b.options.Currency
	}
	return e
}

func (b *books) settlement(events []reward.Event, p *purchase) []reward.Event {
	list, amount, itemized := p.list()
	if !itemized {
		amount = p.milli / milli
		if len(p.items) > 0 {
			b.report.TooManyItems++
			p.items = nil
		}
	}
	if amount = b.report.Purchases.book(p.milli, amount); amount == 0 {
		return events
	}
	e := b.event(p.account, p.name.Value(), p.at, reward.TransactionSettled, amount)
	e.Transaction = e.ID
	e.Merchant, e.MCC = p.shop.Merchant, p.shop.MCC
	if e.Category = p.shop.Category; itemized {
		e.Items, e.MCC, e.Category = list, 0, ""
		b.report.Itemized++
	}
	return append(events, e)
}

// refunds makes one event for each purchase that the refund is of, named after both,
// and one that is named after the refund alone for the rest.
func (b *books) refunds(events []reward.Event, g *giveback) []reward.Event {
	name := g.name.Value()
	if b.purchases[g.id] != nil { // which has the event of that name
		name += "/refund"
	}
	rest := g.milli
	for _, l := range g.links {
		rest -= l.milli
		list, amount, itemized := l.list()
		if !itemized {
			amount = l.milli / milli
		}
		if amount = b.report.Refunds.book(l.milli, amount); amount == 0 {
			continue
		}
		of := l.purchase.name.Value()
		e := b.event(g.account, name+"/"+of, g.at, reward.RefundPosted, amount)
		if g.named != "" {
			e.ID = name
		}
		if e.Fact, e.Transaction = e.ID, of; g.kind == history.Chargeback {
			e.Type = reward.ChargebackPosted
			e.Currency = ""
		} else if itemized {
			e.Items = list
		}
		events = append(events, e)
		g.facts = append(g.facts, e.Fact)
		b.report.Linked++
		b.report.LinkedAmount += amount
	}
	if rest == 0 {
		return events
	}
	amount := b.report.Refunds.book(rest, rest/milli)
	if amount == 0 {
		return events
	}
	e := b.event(g.account, name, g.at, reward.RefundPosted, amount)
	e.Fact, e.Merchant, e.MCC, e.Category = e.ID, g.shop.Merchant, g.shop.MCC, g.shop.Category
	if g.kind == history.Chargeback {
		b.report.ChargebacksUnlinked++
	}
	g.facts = append(g.facts, e.Fact)
	return append(events, e)
}
