package preview

import (
	"context"
	"fmt"
	"math"
	"slices"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// How far back a sample looks: over so many events of any program for each
// purchase asked for, and some more.
const (
	lookBack = 20
	page     = 5000
)

// MaxSample is the largest sample that makes sense: it is held in memory, about a
// kilobyte for each purchase, as long as it is played.
const MaxSample = 100_000

// Database is what a sample is read from, as durable.Driver has it.
type Database interface {
	View(ctx context.Context, f func(durable.Reader) error) error
}

// Sample returns the last n purchases that posted to accounts of a program, or
// what there are of them among the latest events, with what names them:
// authorisations, refunds, chargebacks, withdrawals and their undos. The events
// are in the order of the log. It reads a page at a time, each on a snapshot of its
// own, and so holds up nobody.
func Sample(ctx context.Context, db Database, program string, n int) ([]reward.Event, error) {
	s := sampler{program: program, decoder: event.NewDecoder(), belongs: make(map[string]bool), purchases: make(map[purchase]bool)}
	before := int64(math.MaxInt64)
	for looked := 0; len(s.purchases) < n && looked < lookBack*n+page; looked += page {
		var events []reward.Event
		var last int64
		err := db.View(ctx, func(r durable.Reader) (err error) {
			if events, last, err = s.page(ctx, r, before); err == nil {
				err = s.look(ctx, r, events)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("reading a sample of purchases: %w", err)
		}
		s.take(events, n)
		if len(events) < page {
			break
		}
		before = last
	}
	slices.Reverse(s.events)
	return s.named(), nil
}

// sampler walks back through the log.
type sampler struct {
	program   string
	decoder   *event.Decoder
	belongs   map[string]bool // of accounts, whether it is of the program
	purchases map[purchase]bool
	events    []reward.Event // of accounts of the program, the latest first
}

// sampled are the types of the events that may belong to a sample.
var sampled = []reward.Type{
	reward.TransactionAuthorized, reward.TransactionSettled, reward.TransactionReversed,
	reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed, reward.RefundLinked,
	reward.ChargebackPosted, reward.ChargebackReversed,
	reward.AccountOpened, reward.AttributeSet, reward.AttributeWithdrawn,
}

// page returns the events before a number that may belong to a sample, the
// latest first, and the number of the last of them.
func (s *sampler) page(ctx context.Context, r durable.Reader, before int64) (list []reward.Event, last int64, err error) {
	last = before
	err = r.LogBack(ctx, before, 0, sampled, func(row *durable.EventRow) (bool, error) {
		var e reward.Event
		if err := s.decoder.Decode(row.Event, &e); err != nil {
			return false, fmt.Errorf("event %d: %w", row.Number, err)
		}
		list, last = append(list, e), row.Number
		return len(list) < page, nil
	})
	return list, last, err
}

// look finds out which of the accounts are of the program.
func (s *sampler) look(ctx context.Context, r durable.Reader, events []reward.Event) error {
	for i := range events {
		id := events[i].Account
		if _, known := s.belongs[id]; known {
			continue
		}
		row, there, err := r.Account(ctx, id)
		if err != nil {
			return err
		}
		s.belongs[id] = there && row.Program == s.program
	}
	return nil
}

// take keeps the events of accounts of the program, up to the n-th purchase.
func (s *sampler) take(events []reward.Event, n int) {
	for i := range events {
		e := &events[i]
		if !s.belongs[e.Account] {
			continue
		}
		if e.Type == reward.TransactionSettled {
			s.purchases[purchase{e.Account, e.Transaction}] = true
		}
		s.events = append(s.events, *e)
		if len(s.purchases) == n {
			return
		}
	}
}

// named returns what is of the purchases, and leaves out the rest.
func (s *sampler) named() []reward.Event {
	type fact struct {
		account, id string
		chargeback  bool
	}
	factOf := func(e *reward.Event) fact {
		return fact{e.Account, e.Fact, e.Type == reward.ChargebackPosted || e.Type == reward.ChargebackReversed}
	}
	facts := make(map[fact]bool)
	buys := make(map[string]bool) // accounts of which purchases are in the sample
	for p := range s.purchases {
		buys[p.account] = true
	}
	of := func(e *reward.Event) bool {
		switch e.Type {
		case reward.AccountOpened, reward.AttributeSet, reward.AttributeWithdrawn: // what terms match on
			return buys[e.Account]
		}
		return s.purchases[purchase{e.Account, e.Transaction}]
	}
	for i := range s.events {
		if e := &s.events[i]; e.Fact != "" && of(e) {
			facts[factOf(e)] = true
		}
	}
	return slices.DeleteFunc(s.events, func(e reward.Event) bool {
		return !of(&e) && (e.Fact == "" || !facts[factOf(&e)])
	})
}
