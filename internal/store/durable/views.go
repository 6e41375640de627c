package durable

import (
	"context"
	"fmt"
	"strings"

	"recoup/reward"
)

// read runs f on an account as one snapshot has it; ok is false if there is none.
func (s *Store) read(ctx context.Context, id string, f func(Reader, *AccountRow, *entry) error) (ok bool, err error) {
	err = s.db.ViewOf(ctx, id, func(r Reader) (err error) {
		defer recoverUnreadable(&err)
		rows, parts, err := r.Opened(ctx, []string{id}, nil)
		if ok = len(rows) > 0; err != nil || !ok {
			return err
		}
		e, err := s.openWith(ctx, r, &rows[0], parts)
		if err != nil {
			return err
		}
		return f(r, &rows[0], e)
	})
	if err != nil {
		return false, fmt.Errorf("reading account %s: %w", id, s.noticed(err))
	}
	return ok, nil
}

// readHead runs f on what an account's row alone says, as one snapshot has it; ok is
// false if there is none. It costs the same whatever the account's history is.
func (s *Store) readHead(ctx context.Context, id string, f func(Reader, *AccountRow, *Standing) error) (ok bool, err error) {
	err = s.db.ViewOf(ctx, id, func(r Reader) (err error) {
		defer recoverUnreadable(&err)
		row, there, err := r.Account(ctx, id)
		if ok = there; err != nil || !there {
			return err
		}
		var at Standing
		if err := s.standing(ctx, &row, &at); err != nil {
			return err
		}
		return f(r, &row, &at)
	})
	if err != nil {
		return false, fmt.Errorf("reading account %s: %w", id, s.noticed(err))
	}
	return ok, nil
}

// openIn opens an account in a snapshot.
func (s *Store) openIn(ctx context.Context, r Reader, row *AccountRow) (*entry, error) {
	_, parts, err := r.Opened(ctx, []string{row.Account}, nil)
	if err != nil {
		return nil, err
	}
	return s.openWith(ctx, r, row, parts)
}

// openWith opens an account with parts of its own that were read: the working ones, and
// others that it finds at hand.
func (s *Store) openWith(ctx context.Context, r Reader, row *AccountRow, parts []Part) (*entry, error) {
	p, err := s.programOf(ctx, row)
	if err != nil {
		return nil, err
	}
	var working []reward.Part
	read := make(map[PartKey][]byte)
	for i := range parts {
		p := &parts[i]
		if read[keyOf(p)] = p.Data; p.Working {
			working = append(working, p.Part)
		}
	}
	if err := readLeads(ctx, r, parts, false, read); err != nil {
		return nil, err
	}
	return openEntry(ctx, row, p, working, r, read)
}

// maxHolds bounds how many holds, and how many reservations, a view of an account lists.
const maxHolds = 100

// Account returns an account as of now; ok is false if there is none.
func (s *Store) Account(ctx context.Context, id string) (v AccountView, ok bool, err error) {
	return s.AccountAsOf(ctx, id, s.now())
}

// AccountAsOf returns an account as a moment finds it if nothing is delivered until then;
// one before the account's latest time is as that.
func (s *Store) AccountAsOf(ctx context.Context, id string, at reward.Instant) (v AccountView, ok bool, err error) {
	ok, err = s.readAsOf(ctx, id, at, func(_ Reader, row *AccountRow, e *entry, latest reward.Instant) error {
		b := e.account.Balances()
		v = AccountView{
			Account: id, Program: row.Program, Units: e.account.Program().Units(), Version: row.Version,
			Closed: b.Closed, Latest: latest,
			Balance: b.Balance, Held: b.Held, Reserved: b.Reserved, Available: b.Available, Redeemable: e.account.Redeemable(), Redeemed: b.Redeemed, Adjustments: b.Adjustments, Expired: b.Expired, Expiring: b.Expiring,
			NetSpend: b.NetSpend, NotBefore: e.account.NotBefore(),
		}
		holds := e.account.Holds()
		for _, h := range holds {
			if h.Why == reward.HeldForMaturity && (v.MaturesAt == 0 || v.MaturesAt == h.Until) {
				v.MaturesAt, v.Matures = h.Until, v.Matures+h.Amount
			}
		}
		v.MoreHolds = len(holds) > maxHolds
		v.Holds = holds[:min(len(holds), maxHolds)]
		reservations := e.account.Reservations()
		v.MoreReservations = len(reservations) > maxHolds
		v.Reservations = reservations[:min(len(reservations), maxHolds)]
		v.Bonuses = e.account.BonusesNow()
		return nil
	})
	return v, ok, err
}

// Bonuses returns up to limit of an account's bonuses for which something counts or was
// paid, as of now, after a place in the list of all; next is where to go on, "" if there
// is nothing beyond. They come by bonus, then by period.
func (s *Store) Bonuses(ctx context.Context, account, after string, limit int) (list []reward.BonusState, next string, err error) {
	if after == "" {
		after = reward.BonusParts
	}
	_, err = s.readAsOf(ctx, account, s.now(), func(r Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		for {
			parts, err := r.Find(ctx, Query{Account: account, Kind: reward.BucketPart, Page: true, After: after, Limit: limit})
			if err != nil {
				return err
			}
			for i := range parts {
				if !strings.HasPrefix(parts[i].ID, reward.BonusParts) {
					return nil // what follows is of rules
				}
				after = parts[i].ID
				if b, is := e.account.BonusIn(parts[i].Part); is {
					if list = append(list, b); len(list) == limit {
						next = after
						return nil
					}
				}
			}
			if len(parts) < limit {
				return nil
			}
		}
	})
	return list, next, err
}

// Transactions returns up to limit of an account's purchases with ids after one,
// in byte order, as of now.
func (s *Store) Transactions(ctx context.Context, account, after string, limit int) (list []reward.Detail, err error) {
	_, err = s.readAsOf(ctx, account, s.now(), func(r Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		for {
			parts, err := r.Find(ctx, Query{Account: account, Kind: reward.TransactionPart, Page: true, After: after, Limit: limit})
			if err != nil {
				return err
			}
			for i := range parts {
				e.shelf.read[keyOf(&parts[i])] = parts[i].Data
			}
			if err := readLeads(ctx, r, parts, true, e.shelf.read); err != nil {
				return err
			}
			for i := range parts {
				if d, is := e.account.Detail(parts[i].ID); is {
					if list = append(list, d); len(list) == limit {
						return nil
					}
				}
			}
			if len(parts) < limit {
				return nil
			}
			after = parts[len(parts)-1].ID
		}
	})
	return list, err
}

// Transaction returns one purchase of an account as of now; ok is false if there is none.
func (s *Store) Transaction(ctx context.Context, account, id string) (d reward.Detail, ok bool, err error) {
	_, err = s.readAsOf(ctx, account, s.now(), func(r Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		if err := e.ready(ctx, r, []string{id}); err != nil {
			return err
		}
		d, ok = e.account.Detail(id)
		return nil
	})
	return d, ok, err
}

// TransactionsNamed returns those of an account's purchases that have one of the ids,
// by id, as one snapshot has them: what Transaction says of each, for the price of
// opening the account once.
func (s *Store) TransactionsNamed(ctx context.Context, account string, ids []string) (named map[string]reward.Detail, err error) {
	named = make(map[string]reward.Detail, len(ids))
	_, err = s.readAsOf(ctx, account, s.now(), func(r Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		if err := e.ready(ctx, r, ids); err != nil {
			return err
		}
		for _, id := range ids {
			if d, is := e.account.Detail(id); is {
				named[id] = d
			}
		}
		return nil
	})
	return named, err
}

// mostUnits bounds how many accounts it is remembered of what their amounts are in.
const mostUnits = 100_000

// Units returns what the amounts of an account are in; ok is false if there is none. Of
// an account that is there they never change, so the database is asked once.
func (s *Store) Units(ctx context.Context, account string) (units reward.Units, ok bool, err error) {
	if known, is := s.units.Load(account); is {
		return known.(reward.Units), true, nil
	}
	defer func() {
		if !ok {
			return
		}
		if s.unitsCount.Add(1) > mostUnits {
			s.units.Clear()
			s.unitsCount.Store(0)
		}
		s.units.Store(strings.Clone(account), units)
	}()
	err = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		if err != nil || !there {
			return err
		}
		p, err := s.programOf(ctx, &row)
		if err != nil {
			return err
		}
		units, ok = p.Units(), true
		return nil
	})
	return units, ok, err
}

// Logged returns the event that was logged under an identity; ok is false if the
// log has none.
func (s *Store) Logged(ctx context.Context, account, source, id string) (v LoggedView, ok bool, err error) {
	err = s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Event(ctx, Identity{account, source, id})
		if ok = there; err != nil || !there {
			return err
		}
		v, err = newViewer().view(&row)
		return err
	})
	return v, ok, err
}
