package overview

import (
	"context"
	"fmt"
	"math"
	"time"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// How far back the log is read for refunds: until so many that are linked to a
// purchase, so many of any kind, or over so many numbers of events from the latest event.
const (
	mostLinked  = 5_000
	mostRefunds = 20_000
	lookBack    = 2_000_000
)

// refundsEvery is how often the log is read for refunds.
const refundsEvery = 5 * time.Minute

// Refunds say how long refunds take, of the latest that posted and still count.
type Refunds struct {
	AsOf     time.Time // zero: they were not read yet
	Programs []RefundLag
	// Cut: the log was not read to its beginning.
	Cut bool
}

// refund is a posted refund of the log.
type refund struct {
	account, id string
	transaction string // that it is linked to; "": none
	at          reward.Instant
	amount      int64
}

// fact names a refund, or a purchase.
type fact struct{ account, id string }

// refundReader reads the refunds of the log, and remembers what does not change.
type refundReader struct {
	last   Refunds
	events int64 // that were logged when it was read
	owners map[string]*owner
}

// owner is what is remembered of an account: its program, and when those of its
// purchases settled that were refunded.
type owner struct {
	program string
	settled map[string]reward.Instant
}

// read returns the lag of refunds as it is for some minutes. With an error it
// returns what was read before.
func (r *refundReader) read(ctx context.Context, db Database, f *Figures) (Refunds, error) {
	if fresh(r.last.AsOf, f.AsOf, refundsEvery) {
		return r.last, nil
	}
	if r.last.AsOf.IsZero() || r.events != f.Events || !sameTerms(r.last.Programs, f.Programs) {
		list, cut, err := readRefunds(ctx, db)
		if err != nil {
			return r.last, fmt.Errorf("reading the refunds of the log: %w", err)
		}
		if err := r.look(ctx, db, list); err != nil {
			return r.last, fmt.Errorf("reading the purchases of refunds: %w", err)
		}
		r.last, r.events = Refunds{Programs: r.lags(list, f.Programs), Cut: cut}, f.Events
	}
	r.last.AsOf = f.AsOf
	return r.last, nil
}

// log walks back through the events about refunds.
type log struct {
	refunds []refund
	linked  map[fact]string // by hand, to this purchase
	undone  map[fact]bool
	named   map[fact]string // the purchase that an announcement named
	found   int             // linked refunds
}

// readRefunds returns the latest refunds that posted and were not undone, the
// latest first.
func readRefunds(ctx context.Context, db Database) (list []refund, cut bool, err error) {
	err = db.View(ctx, func(in durable.Reader) (err error) {
		list, cut, err = walkBack(ctx, in)
		return err
	})
	return list, cut, err
}

// refundEvents are the types that say what refunds there are.
var refundEvents = []reward.Type{reward.RefundPending, reward.RefundPosted, reward.RefundReversed, reward.RefundLinked}

// anyEvents are the types of nearly all events of any log.
var anyEvents = append([]reward.Type{reward.TransactionAuthorized, reward.TransactionSettled, reward.AccountOpened, reward.CycleClosed}, refundEvents...)

// newest is about the highest number of an event, 0 if there is none.
func newest(ctx context.Context, in durable.Reader) (number int64, err error) {
	err = in.LogBack(ctx, math.MaxInt64, 0, anyEvents, func(row *durable.EventRow) (bool, error) {
		number = row.Number
		return false, nil
	})
	return number, err
}

func walkBack(ctx context.Context, in durable.Reader) (list []refund, cut bool, err error) {
	l := log{linked: make(map[fact]string), undone: make(map[fact]bool), named: make(map[fact]string)}
	decoder := event.NewDecoder()
	last, err := newest(ctx, in)
	if err != nil {
		return nil, false, err
	}
	floor := max(0, last-lookBack)
	cut = floor > 0
	err = in.LogBack(ctx, math.MaxInt64, floor, refundEvents, func(row *durable.EventRow) (bool, error) {
		if l.full() {
			cut = true
			return false, nil
		}
		var e reward.Event
		if err := decoder.Decode(row.Event, &e); err != nil {
			return false, fmt.Errorf("event %d of the log: %w", row.Number, err)
		}
		l.take(&e)
		return true, nil
	})
	// Announcements are further back in the log than what they announce.
	for i := range l.refunds {
		if x := &l.refunds[i]; x.transaction == "" {
			x.transaction = l.named[fact{x.account, x.id}]
		}
	}
	return l.refunds, cut, err
}

// full reports whether no more refunds are wanted.
func (l *log) full() bool { return l.found >= mostLinked || len(l.refunds) >= mostRefunds }

// take takes up an event that lies before those it has seen.
func (l *log) take(e *reward.Event) {
	name := fact{e.Account, e.Fact}
	switch e.Type {
	case reward.RefundReversed:
		l.undone[name] = true
	case reward.RefundLinked:
		if _, later := l.linked[name]; !later {
			l.linked[name] = e.Transaction
		}
	case reward.RefundPending:
		l.named[name] = e.Transaction
	case reward.RefundPosted:
		if l.undone[name] || l.full() {
			return
		}
		x := refund{e.Account, e.Fact, e.Transaction, e.Time, e.Amount}
		if by, ok := l.linked[name]; ok {
			x.transaction = by
		}
		if x.transaction != "" {
			l.found++
		}
		l.refunds = append(l.refunds, x)
	}
}

// lookPage is how many accounts are looked at in one snapshot.
const lookPage = 200

// look finds out when the purchases settled and of which programs the accounts
// are, as far as it is not known.
func (r *refundReader) look(ctx context.Context, db Database, list []refund) error {
	owners := make(map[string]*owner)
	missing := make(map[string][]string) // purchases by account
	for i := range list {
		x := &list[i]
		known := r.owners[x.account]
		o := owners[x.account]
		if o == nil {
			o = &owner{settled: make(map[string]reward.Instant)}
			owners[x.account] = o
			if known != nil {
				o.program = known.program
			} else {
				missing[x.account] = nil
			}
		}
		if _, asked := o.settled[x.transaction]; asked || x.transaction == "" {
			continue
		}
		if known != nil && known.settled[x.transaction] != 0 {
			o.settled[x.transaction] = known.settled[x.transaction]
			continue
		}
		o.settled[x.transaction] = 0
		missing[x.account] = append(missing[x.account], x.transaction)
	}
	var accounts []string
	for account := range missing {
		if accounts = append(accounts, account); len(accounts) == lookPage {
			if err := lookInto(ctx, db, accounts, missing, owners); err != nil {
				return err
			}
			accounts = accounts[:0]
		}
	}
	if err := lookInto(ctx, db, accounts, missing, owners); err != nil {
		return err
	}
	r.owners = owners
	return nil
}

func lookInto(ctx context.Context, db Database, accounts []string, missing map[string][]string, owners map[string]*owner) error {
	return db.View(ctx, func(in durable.Reader) error {
		for _, account := range accounts {
			o := owners[account]
			if o.program == "" {
				row, _, err := in.Account(ctx, account)
				if err != nil {
					return err
				}
				o.program = row.Program
			}
			if len(missing[account]) == 0 {
				continue
			}
			parts, err := in.Find(ctx, durable.Query{Account: account, Kind: reward.TransactionPart, IDs: missing[account]})
			if err != nil {
				return err
			}
			for i := range parts {
				o.settled[parts[i].ID] = parts[i].Settled
			}
		}
		return nil
	})
}
