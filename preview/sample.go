package preview

import (
	"context"
	"fmt"
	"slices"

	"recoup/event"
	"recoup/reward"
	"recoup/store/durable"
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

// Sample returns the last n purchases that posted to accounts of a program, or
// what there are of them among the latest events, with what names them:
// authorisations, refunds, chargebacks, withdrawals and their undos. The events
// are in the order of the log. It reads a page at a time, and so holds up nobody.
func Sample(ctx context.Context, d durable.Driver, program string, n int) ([]reward.Event, error) {
	s := sampler{Driver: d, program: program, decoder: event.NewDecoder(), belongs: make(map[string]bool), purchases: make(map[purchase]bool)}
	before := int64(1<<63 - 1)
	for looked := 0; len(s.purchases) < n && looked < lookBack*n+page; looked += page {
		rows, last, err := s.page(ctx, before)
		if err != nil {
			return nil, fmt.Errorf("reading a sample of purchases: %w", err)
		}
		if err := s.look(ctx, rows); err != nil {
			return nil, fmt.Errorf("reading a sample of purchases: %w", err)
		}
		s.take(rows, n)
		if len(rows) < page {
			break
		}
		before = last
	}
	slices.Reverse(s.events)
	return s.named(), nil
}

// sampler walks back through the log.
type sampler struct {
	durable.Driver
	program   string
	decoder   *event.Decoder
	belongs   map[string]bool // of accounts, whether it is of the program
	purchases map[purchase]bool
	events    []reward.Event // of accounts of the program, the latest first
}

// page returns the events before a number that may belong to a sample, the
// latest first, and the number of the last of them.
func (s *sampler) page(ctx context.Context, before int64) (list []reward.Event, last int64, err error) {
	rows, err := s.DB().QueryContext(ctx, s.Rebind(fmt.Sprintf(`SELECT number, event FROM events WHERE number < $1 AND outcome IN (%d, %d)
		AND type IN ('transaction.authorized', 'transaction.settled', 'transaction.reversed', 'refund.pending', 'refund.posted', 'refund.canceled',
			'refund.reversed', 'refund.linked', 'chargeback.posted', 'chargeback.reversed')
		ORDER BY number DESC LIMIT %d`, reward.Applied, reward.Parked, page)), before)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	var line []byte
	for rows.Next() {
		if err := rows.Scan(&last, &line); err != nil {
			return nil, 0, err
		}
		var e reward.Event
		if err := s.decoder.Decode(line, &e); err != nil {
			return nil, 0, fmt.Errorf("event %d: %w", last, err)
		}
		list = append(list, e)
	}
	return list, last, rows.Err()
}

// look finds out which of the accounts are of the program.
func (s *sampler) look(ctx context.Context, events []reward.Event) error {
	return s.View(ctx, func(r durable.Reader) error {
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
	})
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
	of := func(e *reward.Event) bool { return s.purchases[purchase{e.Account, e.Transaction}] }
	for i := range s.events {
		if e := &s.events[i]; e.Fact != "" && of(e) {
			facts[factOf(e)] = true
		}
	}
	return slices.DeleteFunc(s.events, func(e reward.Event) bool {
		return !of(&e) && (e.Fact == "" || !facts[factOf(&e)])
	})
}
