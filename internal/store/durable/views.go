package durable

import (
	"context"
	"fmt"
	"strings"

	"recoup/ledger"
	"recoup/reward"
)

// read runs f on an account as one snapshot has it; ok is false if there is none.
func (s *Store) read(ctx context.Context, id string, f func(Reader, *AccountRow, *entry) error) (ok bool, err error) {
	err = s.db.ViewOf(ctx, id, func(r Reader) (err error) {
		defer recoverUnreadable(&err)
		row, there, err := r.Account(ctx, id)
		if ok = there; err != nil || !there {
			return err
		}
		e, err := s.openIn(ctx, r, &row)
		if err != nil {
			return err
		}
		return f(r, &row, e)
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
	p, err := s.programOf(ctx, row)
	if err != nil {
		return nil, err
	}
	var working []reward.Part
	for _, kind := range []reward.PartKind{reward.TransactionPart, reward.RefundPart, reward.RedemptionPart} {
		parts, err := r.Find(ctx, Query{Account: row.Account, Kind: kind, Working: true})
		if err != nil {
			return nil, err
		}
		for i := range parts {
			working = append(working, parts[i].Part)
		}
	}
	return openEntry(ctx, row, p, working, r, make(map[PartKey][]byte))
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
			Account: id, Program: row.Program, Currency: e.account.Program().Currency, Version: row.Version,
			Closed: b.Closed, Latest: latest,
			Balance: b.Balance, Held: b.Held, Reserved: b.Reserved, Available: b.Available, Redeemable: e.account.Redeemable(), Redeemed: b.Redeemed, Adjustments: b.Adjustments,
			NetSpend: b.NetSpend, HoldUntil: e.account.GraceUntil(),
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
		return nil
	})
	return v, ok, err
}

// Transactions returns up to limit of an account's purchases with ids after one,
// in byte order, as of now.
func (s *Store) Transactions(ctx context.Context, account, after string, limit int) (list []TransactionView, err error) {
	_, err = s.readAsOf(ctx, account, s.now(), func(r Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		for {
			parts, err := r.Find(ctx, Query{Account: account, Kind: reward.TransactionPart, Page: true, After: after, Limit: limit})
			if err != nil {
				return err
			}
			for i := range parts {
				e.shelf.read[PartKey{account, reward.TransactionPart, parts[i].ID}] = parts[i].Data
				if d, is := e.account.Detail(parts[i].ID); is {
					v := transactionView(&d)
					v.Refunds, v.Chargebacks = nil, nil
					if list = append(list, v); len(list) == limit {
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
func (s *Store) Transaction(ctx context.Context, account, id string) (v TransactionView, ok bool, err error) {
	found := false
	_, err = s.readAsOf(ctx, account, s.now(), func(_ Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		var d reward.Detail
		d, found = e.account.Detail(id)
		v = transactionView(&d)
		return nil
	})
	return v, found, err
}

// TransactionsNamed returns those of an account's purchases that have one of the ids,
// by id, as one snapshot has them: what Transaction says of each, for the price of
// opening the account once.
func (s *Store) TransactionsNamed(ctx context.Context, account string, ids []string) (named map[string]TransactionView, err error) {
	named = make(map[string]TransactionView, len(ids))
	_, err = s.readAsOf(ctx, account, s.now(), func(_ Reader, _ *AccountRow, e *entry, _ reward.Instant) error {
		for _, id := range ids {
			if d, is := e.account.Detail(id); is {
				named[id] = transactionView(&d)
			}
		}
		return nil
	})
	return named, err
}

func transactionView(d *reward.Detail) TransactionView {
	v := TransactionView{
		ID: d.ID, Status: d.Status, Amount: d.Amount, Reversed: d.Reversed, Original: d.Original, Retained: d.Retained, Held: d.Held,
		Merchant: d.Merchant, MCC: d.MCC, Category: d.Category, Rule: d.Rule, Version: d.Version,
		Settled: d.Settled, Posted: d.Posted, Cycle: d.Cycle, Withdrawn: d.Withdrawn, Excess: d.Excess,
	}
	for _, r := range d.Reversals {
		view := ReversalView{ID: r.ID, Amount: r.Amount, Placed: r.Placed, Linked: r.Linked, Status: reversalStatus(&r), At: r.At}
		if r.Kind == reward.ChargebackPart {
			v.Chargebacks = append(v.Chargebacks, view)
		} else {
			v.Refunds = append(v.Refunds, view)
		}
	}
	return v
}

func reversalStatus(r *reward.Reversal) ReversalStatus {
	switch {
	case r.Annulled:
		return ReversalReversed
	case r.Canceled:
		return ReversalCanceled
	case r.Pending:
		return ReversalPending
	}
	return ReversalPosted
}

// Entries returns up to limit of an account's postings with a number below
// before, the newest first; before is zero for the newest of all.
func (s *Store) Entries(ctx context.Context, account string, before int64, limit int) (list []EntryView, err error) {
	err = s.journal(ctx, account, nil, func(p *reward.Posting, by string) bool {
		if before == 0 || p.Number < before {
			list = append(list, EntryView{*p, by})
		}
		return len(list) < limit
	})
	return list, err
}

// EntriesFrom returns up to limit of an account's postings from an event of the log
// backwards, the newest first: as far as it is an event of the account.
func (s *Store) EntriesFrom(ctx context.Context, account string, event int64, limit int) (list []reward.Posting, err error) {
	from := func(r Reader) (int64, bool, error) {
		row, ok, err := r.Numbered(ctx, event)
		if !ok || row.Account != account {
			event = 0
		}
		return event, true, err
	}
	err = s.journal(ctx, account, from, func(p *reward.Posting, _ string) bool {
		list = append(list, *p)
		return len(list) < limit
	})
	return list, err
}

// journal calls f with an account's postings, the newest first, and who sent the event of
// each, until it returns false. It begins with the event that skip says is late enough, or at the newest if
// skip is nil or knows none.
func (s *Store) journal(ctx context.Context, account string, skip func(Reader) (event int64, known bool, err error), f func(*reward.Posting, string) bool) error {
	err := s.db.ViewOf(ctx, account, func(r Reader) error {
		row, there, err := r.Account(ctx, account)
		if err != nil || !there {
			return err
		}
		from := row.Last
		if skip != nil {
			late, known, err := skip(r)
			if err != nil {
				return err
			}
			if known {
				from = late
			}
		}
		return eventsBack(ctx, r, from, func(row *EventRow) (bool, error) {
			postings, err := postingsOf(row)
			if err != nil {
				return false, err
			}
			for j := len(postings) - 1; j >= 0; j-- {
				if !f(&postings[j], row.Principal) {
					return false, nil
				}
			}
			return true, nil
		})
	})
	if err != nil {
		return fmt.Errorf("reading the journal of account %s: %w", account, err)
	}
	return nil
}

// Statements returns up to limit statements of an account with a cycle before the
// given one, or from the latest if it is zero, the latest first. Cycles without
// postings have none.
func (s *Store) Statements(ctx context.Context, account string, before reward.Cycle, limit int) (list []StatementView, err error) {
	_, err = s.readHead(ctx, account, func(r Reader, row *AccountRow, at *Standing) error {
		current, err := s.currentStatements(ctx, r, row, at)
		if err != nil || len(current) == 0 {
			return err
		}
		open := reward.CycleAt(max(at.Latest, s.now()))
		for _, v := range current {
			if (before == 0 || v.Cycle < before) && len(list) < limit {
				list = append(list, StatementView{v, v.Cycle == open})
				before = v.Cycle
			}
		}
		if len(list) == limit {
			return nil
		}
		rows, err := r.Statements(ctx, account, before, limit-len(list))
		for i := range rows {
			list = append(list, StatementView{rows[i].Statement, false})
		}
		return err
	})
	return list, err
}

// Statement returns an account's statement of one cycle. One of a cycle without
// postings opens and closes with the balance of the time. ok is false if there is
// no such account or the cycle is still to come.
func (s *Store) Statement(ctx context.Context, account string, cycle reward.Cycle) (v StatementView, ok bool, err error) {
	_, err = s.readHead(ctx, account, func(r Reader, row *AccountRow, at *Standing) error {
		now := reward.CycleAt(max(at.Latest, s.now()))
		if ok = cycle <= now; !ok {
			return nil
		}
		v.Open = cycle == now
		current, err := s.currentStatements(ctx, r, row, at)
		if err != nil {
			return err
		}
		for _, one := range current {
			if one.Cycle <= cycle {
				v.Statement = one
				break
			}
		}
		if v.Statement == (ledger.Statement{}) && len(current) > 0 {
			rows, err := r.Statements(ctx, account, cycle+1, 1)
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				v.Statement = rows[0].Statement
			}
		}
		if v.Cycle < cycle {
			v.Statement = v.Next(cycle)
		}
		return nil
	})
	return v, ok, err
}

// BalanceAt returns what an account's balance was at a moment, from the journal:
// after its last posting dated at it or before, zero if there is none.
func (s *Store) BalanceAt(ctx context.Context, account string, at reward.Instant) (balance int64, err error) {
	cycle := reward.CycleAt(at)
	later := func(r Reader) (event int64, ok bool, err error) {
		// What is after the statement of the next cycle is dated later.
		rows, err := r.Statements(ctx, account, cycle+2, 1)
		if len(rows) == 0 || rows[0].Cycle <= cycle {
			return 0, false, err
		}
		return rows[0].Last, true, err
	}
	err = s.journal(ctx, account, later, func(p *reward.Posting, _ string) bool {
		if p.At <= at {
			balance = p.Balance
		}
		return p.At > at
	})
	return balance, err
}

// mostCurrencies bounds how many accounts it is remembered of what their currency is.
const mostCurrencies = 100_000

// Currency returns the currency of an account; ok is false if there is none. Of an
// account that is there it never changes, so the database is asked once.
func (s *Store) Currency(ctx context.Context, account string) (currency string, ok bool, err error) {
	if known, is := s.currencies.Load(account); is {
		return known.(string), true, nil
	}
	defer func() {
		if !ok {
			return
		}
		if s.currencyCount.Add(1) > mostCurrencies {
			s.currencies.Clear()
			s.currencyCount.Store(0)
		}
		s.currencies.Store(strings.Clone(account), currency)
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
		currency, ok = p.Currency, true
		return nil
	})
	return currency, ok, err
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

// What Reviews reads at most to find what a filter lets through.
const (
	maxListed   = 3000 // parts that have something to review
	maxReviewed = 300  // of those, looked into: each costs opening its account
)

// mayHave reports whether a part of a kind may have a review of a kind; 0 is any.
func mayHave(part reward.PartKind, kind reward.ReviewKind) bool {
	switch kind {
	case reward.OverRefunded:
		return part == reward.TransactionPart
	case reward.FoundNoSpend, reward.MatchedWithoutLink, reward.CertainWithoutLink:
		return part == reward.RefundPart
	case reward.WaitsForAuthorization:
		return part == reward.RedemptionPart
	}
	return true
}

// accountReviews is Reviews for what is on accounts.
func (s *Store) accountReviews(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []ReviewView, next ReviewPlace, more bool, err error) {
	err = s.db.View(ctx, func(r Reader) (err error) {
		defer recoverUnreadable(&err)
		next = after
		opened := make(map[string]*entry)
		page, looked := limit, 0
		if f.Kind != 0 || f.MinAmount > 0 {
			page = max(limit, maxReviewed)
		}
		for read := 0; read < maxListed; {
			parts, err := r.Reviews(ctx, f.Account, next, page)
			if err != nil {
				return err
			}
			for i := range parts {
				p := &parts[i]
				if f.Before != 0 && p.ReviewSince >= f.Before {
					more = false
					return nil
				}
				if len(list) >= limit || looked >= max(limit, maxReviewed) {
					more = true
					return nil
				}
				next = ReviewPlace{p.ReviewSince, p.Account, p.Kind, p.ID}
				if !mayHave(p.Kind, f.Kind) {
					continue
				}
				looked++
				e := opened[p.Account]
				if e == nil {
					row, _, err := r.Account(ctx, p.Account)
					if err != nil {
						return err
					}
					if e, err = s.openIn(ctx, r, &row); err != nil {
						return err
					}
					opened[p.Account] = e
				}
				e.shelf.read[PartKey{p.Account, p.Kind, p.ID}] = p.Data
				for _, v := range e.account.ReviewsIn(p.Kind, p.ID) {
					if f.Kind != 0 && v.Kind != f.Kind || f.Kind == 0 && v.Kind == reward.CertainWithoutLink || v.Amount < f.MinAmount {
						continue
					}
					list = append(list, ReviewView{v, PartKey{p.Account, p.Kind, p.ID}, e.account.Program().Currency})
				}
			}
			if read += len(parts); len(parts) < page {
				more = false
				return nil
			}
		}
		more = true
		return nil
	})
	return list, next, more, err
}
