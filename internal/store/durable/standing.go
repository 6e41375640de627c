package durable

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store"
	"recoup/ledger"
	"recoup/reward"
)

// Standing is where an account stands, as far as its head says. Amounts are minor
// units of Units.Reward.
type Standing struct {
	Account, Program string
	reward.Units
	Version int64 // how many events are logged
	Closed  bool
	Latest  reward.Instant // the account's latest time

	Balance  int64 // negative: a debt
	Held     int64 // of the balance, not redeemable yet
	Reserved int64 // authorised and not captured yet
	Redeemed int64
	// Tally is the account's latest statement, which is not stored yet. Its cycle
	// may be over, if nothing was posted since; it is zero before the first posting.
	Tally ledger.Statement
}

// EachStanding calls f with every account, in byte order; the standing is used
// again for the next. It reads a page of accounts at a time, so that nobody waits
// for it; the pages are of different moments. It stops at an error of f. Accounts that are
// damaged are left out.
func (s *Store) EachStanding(ctx context.Context, f func(*Standing) error) error {
	const page = 5000
	after := ""
	for {
		var rows []AccountRow
		err := s.db.View(ctx, func(r Reader) (err error) {
			rows, after, err = s.readable(ctx, r, after, page)
			return err
		})
		if err != nil {
			return fmt.Errorf("reading accounts: %w", err)
		}
		var v Standing
		for i := range rows {
			switch err := s.noticed(s.standing(ctx, &rows[i], &v)); {
			case store.ReachOf(err) == store.OneAccount:
				continue
			case err != nil:
				return err
			}
			if err := f(&v); err != nil {
				return err
			}
		}
		if after == "" {
			return nil
		}
	}
}

// Standings returns where some accounts stand, those of them that are there and not
// damaged, in the order of the ids, with balances as of now. Of each that holds nothing it
// reads its row alone, whatever its history is.
func (s *Store) Standings(ctx context.Context, ids []string) (list []Standing, err error) {
	found := make([]Standing, len(ids))
	byLane := make(map[int][]int)
	for i, id := range ids {
		lane := s.db.LaneOf(id)
		byLane[lane] = append(byLane[lane], i)
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for _, places := range byLane {
		group.Go(func() error {
			return s.db.ViewOf(inGroup, ids[places[0]], func(r Reader) error {
				for _, i := range places {
					switch err := s.noticed(s.standingNow(inGroup, r, ids[i], &found[i])); {
					case store.ReachOf(err) == store.OneAccount:
						found[i] = Standing{}
					case err != nil:
						return err
					}
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("reading accounts: %w", err)
	}
	return slices.DeleteFunc(found, func(v Standing) bool { return v.Account == "" }), nil
}

// standingNow reads where an account stands as of now, if it is there.
func (s *Store) standingNow(ctx context.Context, r Reader, id string, v *Standing) (err error) {
	defer recoverUnreadable(&err)
	row, there, err := r.Account(ctx, id)
	if err != nil || !there {
		return err
	}
	if err := s.standing(ctx, &row, v); err != nil {
		return err
	}
	return s.catchUp(ctx, r, &row, v)
}

// standing reads an account's row.
func (s *Store) standing(ctx context.Context, row *AccountRow, v *Standing) error {
	p, err := s.programOf(ctx, row)
	if err != nil {
		return err
	}
	*v = Standing{Account: row.Account, Program: row.Program, Units: p.Units(), Version: row.Version}
	head, err := readTally(row.Head, &v.Tally)
	if err != nil {
		return fmt.Errorf("account %s: %w", row.Account, err)
	}
	a, err := reward.Open(row.Account, p, head, nil, nil) // balances need no more than the head
	if err != nil {
		return err
	}
	b := a.Balances()
	v.Closed, v.Latest = b.Closed, a.Now()
	v.Balance, v.Held, v.Reserved, v.Redeemed = b.Balance, b.Held, b.Reserved, b.Redeemed
	return nil
}

// EachWithEvents calls account with every account, in byte order, and logged with every
// event, each after its account and in order: of one lane, all as one snapshot has them; of
// several, an account and its events. They are theirs to keep.
func (s *Store) EachWithEvents(ctx context.Context, account func(*Standing) error, logged func(*EventRow) error) error {
	type one struct {
		account *Standing
		event   *EventRow
	}
	return InOrder(ctx, s.db, func(ctx context.Context, r Reader, stretch *Stretch, emit func(string, one) error) error {
		rows := stretch.Rows
		upTo := func(id string) error {
			for ; len(rows) > 0 && rows[0].Account <= id; rows = rows[1:] {
				var v Standing
				if err := s.standing(ctx, &rows[0], &v); err != nil {
					return err
				}
				if err := emit(v.Account, one{account: &v}); err != nil {
					return err
				}
			}
			return nil
		}
		err := stretch.Events(ctx, r, func(row *EventRow) error {
			if err := upTo(row.Account); err != nil {
				return err
			}
			return emit(row.Account, one{event: row.Clone()})
		})
		if err == nil && len(rows) > 0 {
			err = upTo(rows[len(rows)-1].Account)
		}
		return err
	}, func(o one) error {
		if o.account != nil {
			return account(o.account)
		}
		return logged(o.event)
	})
}
