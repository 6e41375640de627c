package durable

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/store"
	"recoup/internal/store/record"
	"recoup/reward"
)

// A fact in another currency than its account's leaves no trace there: the rules know
// nothing of it. But nothing that was delivered is to be dropped silently, so the store
// keeps what was sent, beside the accounts, until somebody decides: it is dismissed, or
// made to count with an amount in the account's currency. The same event sent again in
// the right currency settles it by itself.

// RefusedFact is what a review is about that is of a refused fact. It is no part of an
// account; the ID of its PartKey is the number of the refused fact.
const RefusedFact reward.PartKind = 200

// PartName names what a review is about.
func PartName(kind reward.PartKind) string {
	if kind == RefusedFact {
		return "refused"
	}
	return kind.String()
}

// MaxRefused bounds how many refused facts of one account are open. Those that come
// while there are as many are refused all the same, and are not kept.
const MaxRefused = 100

// Refused is a fact that was refused.
type Refused struct {
	Number   int64
	Event    reward.Event // as it was sent
	Since    reward.Instant
	Decision string // "" while it is open, otherwise dismiss, count or admit
	// Member is where the number of a card may be, of an event that was kept apart for
	// it: Event is masked then. "": it was refused for its currency.
	Member string
	sealed string // the event as it was sent; "" of one that is masked for good
}

// place is where it is in the review list: before what is of accounts and of the same
// moment.
func (r *Refused) place() ReviewPlace {
	return ReviewPlace{Since: r.Since, Kind: RefusedFact, ID: strconv.FormatInt(r.Number, 10)}
}

// review is what is open about it. The amount and currency are as they were sent.
func (r *Refused) review() ReviewView {
	e, kind := &r.Event, reward.ForeignCurrency
	if r.Member != "" {
		kind = reward.HasCardNumber
	}
	return ReviewView{
		Review:   reward.Review{Account: e.Account, Kind: kind, Fact: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Since: r.Since},
		Part:     PartKey{e.Account, RefusedFact, strconv.FormatInt(r.Number, 10)},
		Currency: e.Currency,
	}
}

var _ store.Refuser = (*unit)(nil)

// Refuse implements store.Refuser. Of what is refused for its currency, facts are kept:
// who asks to redeem or to adjust is answered, and what only announces has no effect.
func (u *unit) Refuse(i int, r reward.Result) {
	switch t := u.events[i].Type; {
	case r.Code != reward.CurrencyMismatch:
	case t == reward.RefundPosted, t == reward.TransactionSettled:
		u.refused = append(u.refused, i)
	}
}

// The tables of refused facts: each lies under record.Key of its number; by its identity,
// so that what is sent twice is kept once; and, for as long as it is open, in the order
// of the review list, of all accounts and of its own.
const (
	refusedFacts  record.Table[refusedRecord] = "refused"
	refusedNamed  record.Table[int64]         = "refused_named"
	refusedOpen   record.Table[int64]         = "refused_open"
	refusedOpenOf record.Table[int64]         = "refused_open_of"
)

// refusedRecord is a refused fact as it is kept.
type refusedRecord struct {
	Number   int64          `json:"number"`
	Since    int64          `json:"refused_at"`
	Event    jsontext.Value `json:"event"` // as it was sent
	Decided  int64          `json:"decided_at,omitzero"`
	Decision string         `json:"decision,omitzero"`
	Actor    string         `json:"actor,omitzero"`
	Reason   string         `json:"reason,omitzero"`
	Member   string         `json:"member,omitzero"` // of one that was kept apart
	Sealed   string         `json:"sealed,omitzero"` // its line as it was sent, of which Event is the masked form
}

func (r *refusedRecord) fact() (f Refused, err error) {
	f = Refused{Number: r.Number, Since: reward.Instant(r.Since), Decision: r.Decision, Member: r.Member, sealed: r.Sealed}
	if err := event.NewDecoder().Decode(r.Event, &f.Event); err != nil {
		return f, fmt.Errorf("refused fact %d: %w", r.Number, err)
	}
	return f, nil
}

// refusals are the records of what the unit refused and is to be kept. Their numbers are
// those that the unit's events did not use.
func (u *unit) refusals() (list []record.Record, err error) {
	open := make(map[string]int)
	kept := make(map[string]bool)
	for n, i := range u.refused {
		e := &u.events[i]
		name := record.Key(e.Account, e.Source, e.ID)
		if _, there, err := refusedNamed.Get(u.ctx, u.tx, name); err != nil || there || kept[name] {
			if err != nil {
				return nil, err
			}
			continue
		}
		if _, counted := open[e.Account]; !counted {
			there, err := refusedOpenOf.List(u.ctx, u.tx, record.Under(e.Account), MaxRefused)
			if err != nil {
				return nil, err
			}
			open[e.Account] = len(there)
		}
		if open[e.Account] >= MaxRefused {
			continue
		}
		open[e.Account]++
		kept[name] = true
		r := refusedRecord{Number: u.numbers[len(u.rows)+n], Since: int64(u.now), Event: jsontext.Value(u.line(i))}
		if list, err = r.records(list, e); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// name is where a fact is found that is sent again.
func (r *refusedRecord) name(e *reward.Event) string {
	if r.Member != "" {
		return record.Key(e.Account, e.Source, e.ID, keptApartPlace(e))
	}
	return record.Key(e.Account, e.Source, e.ID)
}

// records appends what there is of a refused fact in all tables.
func (r *refusedRecord) records(list []record.Record, e *reward.Event) (_ []record.Record, err error) {
	added := func(one record.Record, failed error) {
		if list = append(list, one); err == nil {
			err = failed
		}
	}
	added(refusedFacts.Record(record.Key(r.Number), r))
	added(refusedNamed.Record(r.name(e), &r.Number))
	if r.Decided == 0 {
		added(refusedOpen.Record(record.Key(r.Since, r.Number), &r.Number))
		added(refusedOpenOf.Record(record.Key(e.Account, r.Since, r.Number), &r.Number))
	}
	return list, err
}

// RefusedTable is the table that CarryRefused is given.
const RefusedTable = string(refusedFacts)

// CarryRefused keeps what another database has kept in RefusedTable, and returns how many
// facts that are. They get numbers below zero, for those above are of this database's
// events; a fact that is here already is left out.
func CarryRefused(ctx context.Context, to *Database, kept [][]byte) (n int64, err error) {
	byLane := make(map[int][]refusedRecord)
	for _, text := range kept {
		var r refusedRecord
		if err := json.Unmarshal(text, &r); err != nil {
			return 0, fmt.Errorf("a fact that was refused: %w", err)
		}
		f, err := r.fact()
		if err != nil {
			return 0, err
		}
		lane := to.LaneOf(f.Event.Account)
		byLane[lane] = append(byLane[lane], r)
	}
	for lane, list := range byLane {
		more, err := carryRefused(ctx, to.Lanes()[lane], list)
		if err != nil {
			return n, fmt.Errorf("keeping facts that were refused: %w", err)
		}
		n += more
	}
	return n, nil
}

// carryRefused keeps refused facts in the lane of their accounts.
func carryRefused(ctx context.Context, to record.Store, kept []refusedRecord) (n int64, err error) {
	err = to.Change(ctx, func(tx record.Tx) error {
		n = 0
		number, err := lowestRefused(ctx, tx)
		if err != nil {
			return err
		}
		for _, r := range kept {
			f, err := r.fact()
			if err != nil {
				return err
			}
			e := &f.Event
			if _, there, err := refusedNamed.Get(ctx, tx, r.name(e)); err != nil || there {
				if err != nil {
					return err
				}
				continue
			}
			number--
			r.Number = number
			list, err := r.records(nil, e)
			if err != nil {
				return err
			}
			for _, one := range list {
				tx.Put(one.Table, one.Key, one.Value)
			}
			n++
		}
		return nil
	})
	return n, err
}

// lowestRefused is the number of a refused fact below which there is none, zero or less.
func lowestRefused(ctx context.Context, r record.Reader) (int64, error) {
	last, err := refusedFacts.List(ctx, r, record.Span{Before: record.Key(int64(0))}, 1)
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return last[0].Number, nil
}

// Refused returns a refused fact of an account, decided or not; ok is false if there is
// none of that number.
func (s *Store) Refused(ctx context.Context, account, number string) (f Refused, ok bool, err error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return f, false, nil
	}
	err = s.db.Lane(account).Read(ctx, func(r record.Reader) error {
		kept, there, err := refusedFacts.Get(ctx, r, record.Key(n))
		if err != nil || !there {
			return err
		}
		f, err = kept.fact()
		ok = f.Event.Account == account
		return err
	})
	if err != nil {
		return f, false, fmt.Errorf("reading a refused fact: %w", err)
	}
	return f, ok, nil
}

// DecideRefused takes a refused fact off the review list, as of a decision: dismiss, count
// or admit. It reports whether it was still open.
func (s *Store) DecideRefused(ctx context.Context, f *Refused, decision, actor, reason string) (open bool, err error) {
	err = s.db.Lane(f.Event.Account).Change(ctx, func(tx record.Tx) error {
		kept, there, err := refusedFacts.Get(ctx, tx, record.Key(f.Number))
		if open = there && kept.Decided == 0; err != nil || !open {
			return err
		}
		kept.Decided, kept.Decision, kept.Actor, kept.Reason = int64(s.now()), decision, actor, reason
		refusedOpen.Delete(tx, record.Key(kept.Since, kept.Number))
		refusedOpenOf.Delete(tx, record.Key(f.Event.Account, kept.Since, kept.Number))
		return refusedFacts.Put(tx, record.Key(kept.Number), &kept)
	})
	if err != nil {
		return false, fmt.Errorf("deciding about a refused fact: %w", err)
	}
	return open, nil
}
