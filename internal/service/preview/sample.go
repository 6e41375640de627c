package preview

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// How far back a sample looks for accounts: over so many events of any program for each
// purchase asked for, and some more. An account with more events than that is left out.
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

// Sampled is purchases of some accounts of a program: of each account all that settled
// within some billing cycles, with what names them.
type Sampled struct {
	// Events are those of one account after the other, each in the order of the log.
	Events []reward.Event
	// Cycles counts the cycles, which begin at From and are over at Until. Zero: no
	// purchase is of a cycle that is over, and these are of the one that goes on.
	Cycles      int
	From, Until reward.Instant
	// All: the program has no other purchases in this time.
	All bool
	// Large counts accounts that were left out since they have too many events.
	Large int
}

// Sample returns purchases of a program from the last whole cycles, as many as span says
// or as there are: those of the accounts that were active last, until there are n purchases.
// What names them is authorisations, items, refunds, chargebacks, withdrawals and their
// undos, also where those came later. It reads an account at a time, each on a snapshot of
// its own, and so holds up nobody.
func Sample(ctx context.Context, db Database, p *reward.Program, n, span int, now reward.Instant) (*Sampled, error) {
	present := p.CycleAt(now)
	s := sampler{
		program: p, decoder: event.NewDecoder(), looked: make(map[string]bool), most: lookBack*n + page,
		from: p.CycleStart(max(0, present-reward.Cycle(span))), until: p.CycleStart(present), now: now,
	}
	before := int64(math.MaxInt64)
	for walked := 0; s.past < n && s.going < n && walked < s.most; walked += page {
		accounts, last, err := s.page(ctx, db, before)
		if err != nil {
			return nil, fmt.Errorf("reading a sample of purchases: %w", err)
		}
		i := 0
		for ; i < len(accounts) && s.past < n && s.going < n; i++ {
			if err := s.take(ctx, db, accounts[i]); err != nil {
				return nil, fmt.Errorf("reading a sample of purchases: %w", err)
			}
		}
		if last == 0 {
			s.all = i == len(accounts)
			break
		}
		before = last
	}
	return s.sampled(), nil
}

// sampler collects accounts, the ones that were active last first.
type sampler struct {
	program          *reward.Program
	decoder          *event.Decoder
	looked           map[string]bool // accounts
	most             int             // events
	from, until, now reward.Instant
	accounts         [][]reward.Event
	past, going      int // purchases of cycles that are over, and of the one that goes on
	large            int
	all              bool
}

// sampled are the types of the events that may belong to a sample.
var sampled = []reward.Type{
	reward.TransactionAuthorized, reward.TransactionSettled, reward.TransactionItemized, reward.TransactionReversed,
	reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed, reward.RefundLinked,
	reward.ChargebackPosted, reward.ChargebackReversed,
	reward.AccountOpened, reward.AttributeSet, reward.AttributeWithdrawn,
}

// page returns accounts that events before a number are of and that were not there before,
// and the number to go on at; zero: nowhere.
func (s *sampler) page(ctx context.Context, db Database, before int64) (accounts []string, last int64, err error) {
	err = db.View(ctx, func(r durable.Reader) error {
		events := 0
		accounts, last = nil, before
		err := r.LogBack(ctx, before, 0, sampled, func(row *durable.EventRow) (bool, error) {
			if !s.looked[row.Account] {
				s.looked[row.Account] = true
				accounts = append(accounts, row.Account)
			}
			events++
			last = row.Number
			return events < page, nil
		})
		if events < page {
			last = 0
		}
		return err
	})
	return accounts, last, err
}

// errLarge ends the reading of an account that has too many events.
var errLarge = errors.New("the account has too many events")

// take reads an account, if it is of the program.
func (s *sampler) take(ctx context.Context, db Database, id string) error {
	var events []reward.Event
	err := db.View(ctx, func(r durable.Reader) error {
		row, there, err := r.Account(ctx, id)
		if err != nil || !there || row.Program != s.program.ID {
			return err
		}
		read := 0
		return r.EventsOf(ctx, id, id, func(row *durable.EventRow) error {
			if read++; read > s.most {
				return errLarge
			}
			var e reward.Event
			if err := s.decoder.Decode(row.Event, &e); err != nil {
				return fmt.Errorf("event %d: %w", row.Number, err)
			}
			if (row.Outcome == reward.Applied || row.Outcome == reward.Parked) && slices.Contains(sampled, e.Type) {
				events = append(events, e)
			}
			return nil
		})
	})
	if errors.Is(err, errLarge) {
		s.large++
		return nil
	}
	if err != nil || len(events) == 0 {
		return err
	}
	s.accounts = append(s.accounts, events)
	s.past += purchasesIn(events, s.from, s.until)
	s.going += purchasesIn(events, s.until, s.now+1)
	return nil
}

func purchasesIn(events []reward.Event, from, until reward.Instant) (n int) {
	for i := range events {
		if settles(&events[i], from, until) {
			n++
		}
	}
	return n
}

func settles(e *reward.Event, from, until reward.Instant) bool {
	return e.Type == reward.TransactionSettled && from <= e.Time && e.Time < until
}

// sampled cuts what was read to the cycles that are over. Where nothing is of before the
// first of them, the accounts may have begun in its middle: it is left out if there are
// others.
func (s *sampler) sampled() *Sampled {
	out := &Sampled{From: s.until, Until: s.now + 1, All: s.all && s.large == 0, Large: s.large}
	if s.past > 0 {
		first, earliest := s.until, s.until
		for _, events := range s.accounts {
			for i := range events {
				earliest = min(earliest, events[i].Time)
				if settles(&events[i], s.from, s.until) {
					first = min(first, events[i].Time)
				}
			}
		}
		begin, end := s.program.CycleAt(first), s.program.CycleAt(s.until)
		if earliest >= s.program.CycleStart(begin) && begin+1 < end {
			begin++
		}
		out.Cycles, out.From, out.Until = int(end-begin), s.program.CycleStart(begin), s.until
	}
	for _, events := range s.accounts {
		out.Events = append(out.Events, named(events, out.From, out.Until)...)
	}
	return out
}

// named returns what of an account's events is of purchases that settled in a time.
func named(events []reward.Event, from, until reward.Instant) []reward.Event {
	type fact struct {
		id         string
		chargeback bool
	}
	factOf := func(e *reward.Event) fact {
		return fact{e.Fact, e.Type == reward.ChargebackPosted || e.Type == reward.ChargebackReversed}
	}
	purchases := make(map[string]bool)
	for i := range events {
		if settles(&events[i], from, until) {
			purchases[events[i].Transaction] = true
		}
	}
	of := func(e *reward.Event) bool {
		switch e.Type {
		case reward.AccountOpened, reward.AttributeSet, reward.AttributeWithdrawn: // what terms match on
			return len(purchases) > 0
		case reward.TransactionSettled:
			return settles(e, from, until)
		}
		return purchases[e.Transaction]
	}
	facts := make(map[fact]bool)
	for i := range events {
		if e := &events[i]; e.Fact != "" && of(e) {
			facts[factOf(e)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e reward.Event) bool {
		return !of(&e) && (e.Fact == "" || !facts[factOf(&e)])
	})
}
