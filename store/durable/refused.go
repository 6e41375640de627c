package durable

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"

	"recoup/event"
	"recoup/reward"
	"recoup/store"
)

// A fact in another currency than its account's leaves no trace there: the rules know
// nothing of it. But nothing that was delivered is to be dropped silently, so the store
// keeps what was sent, beside the accounts, until somebody decides: it is dismissed, or
// made to count with an amount in the account's currency. The same event sent again in
// the right currency settles it by itself.

// RefusedFact is what a review is about that is of a refused fact. It is no part of an
// account; the ID of its PartKey is a number in the table of refused facts.
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
	Decision string // "" while it is open, otherwise dismiss or count
}

// place is where it is in the review list: before what is of accounts and of the same
// moment.
func (r *Refused) place() ReviewPlace {
	return ReviewPlace{Since: r.Since, Kind: RefusedFact, ID: strconv.FormatInt(r.Number, 10)}
}

// review is what is open about it. The amount and currency are as they were sent.
func (r *Refused) review() ReviewView {
	e := &r.Event
	return ReviewView{
		Review:   reward.Review{Account: e.Account, Kind: reward.ForeignCurrency, Fact: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Since: r.Since},
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

// keepRefused keeps what a unit of work refused, before it is answered. It is not in
// the unit's own transaction: if this fails, so does the answer, and what is sent again
// is refused again.
func (s *Store) keepRefused(ctx context.Context, u *unit) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keeping facts that were refused: %w", err)
		}
	}()
	tx, err := s.driver.DB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, i := range u.refused {
		e := &u.events[i]
		var open int64
		if err := tx.QueryRowContext(ctx, s.driver.Rebind(`SELECT count(*) FROM refused WHERE account = $1 AND decided_at IS NULL`), e.Account).Scan(&open); err != nil {
			return err
		}
		if open >= MaxRefused {
			continue
		}
		_, err := tx.ExecContext(ctx, s.driver.Rebind(`INSERT INTO refused (account, source, id, refused_at, event) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account, source, id) DO NOTHING`),
			e.Account, e.Source, e.ID, int64(u.now), bytes.Clone(u.line(i)))
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

const refusedColumns = `SELECT number, account, refused_at, event, decision FROM refused`

func scanRefused(scan func(...any) error) (r Refused, err error) {
	var account string
	var since int64
	var line []byte
	if err := scan(&r.Number, &account, &since, &line, &r.Decision); err != nil {
		return r, err
	}
	r.Since = reward.Instant(since)
	if err := event.NewDecoder().Decode(line, &r.Event); err != nil {
		return r, fmt.Errorf("refused fact %d of account %q: %w", r.Number, account, err)
	}
	return r, nil
}

// Refused returns a refused fact of an account, decided or not; ok is false if there is
// none of that number.
func (s *Store) Refused(ctx context.Context, account, number string) (r Refused, ok bool, err error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return r, false, nil
	}
	r, err = scanRefused(s.driver.DB().QueryRowContext(ctx, s.driver.Rebind(refusedColumns+` WHERE number = $1 AND account = $2`), n, account).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("reading a refused fact: %w", err)
	}
	return r, true, nil
}

// DecideRefused takes a refused fact off the review list, as of a decision: dismiss or
// count. It reports whether it was still open.
func (s *Store) DecideRefused(ctx context.Context, r *Refused, decision, actor, reason string) (open bool, err error) {
	result, err := s.driver.DB().ExecContext(ctx, s.driver.Rebind(`UPDATE refused SET decided_at = $1, decision = $2, actor = $3, reason = $4 WHERE number = $5 AND decided_at IS NULL`),
		int64(s.now()), decision, actor, reason, r.Number)
	if err != nil {
		return false, fmt.Errorf("deciding about a refused fact: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// openRefused returns up to limit refused facts that a filter lets through, after a
// place in the review list.
func (s *Store) openRefused(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []Refused, err error) {
	if f.Kind != 0 && f.Kind != reward.ForeignCurrency {
		return nil, nil
	}
	since, number := int64(after.Since), int64(math.MaxInt64)
	if after.Kind == RefusedFact {
		if number, err = strconv.ParseInt(after.ID, 10, 64); err != nil {
			return nil, nil
		}
	}
	if after == (ReviewPlace{}) {
		since, number = math.MinInt64, 0
	}
	statement := refusedColumns + ` WHERE decided_at IS NULL AND (refused_at > $1 OR refused_at = $2 AND number > $3)`
	args := []any{since, since, number}
	if f.Account != "" {
		args = append(args, f.Account)
		statement += fmt.Sprintf(` AND account = $%d`, len(args))
	}
	if f.Before != 0 {
		args = append(args, int64(f.Before))
		statement += fmt.Sprintf(` AND refused_at < $%d`, len(args))
	}
	args = append(args, limit)
	statement += fmt.Sprintf(` ORDER BY refused_at, number LIMIT $%d`, len(args))
	rows, err := s.driver.DB().QueryContext(ctx, s.driver.Rebind(statement), args...)
	if err != nil {
		return nil, fmt.Errorf("reading refused facts: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanRefused(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// reviewOfRefused returns the review of a refused fact, unless the same event has come
// in the account's currency since, or the filter leaves it out.
func (s *Store) reviewOfRefused(ctx context.Context, f ReviewFilter, r *Refused) (v ReviewView, is bool, err error) {
	if v = r.review(); v.Amount < f.MinAmount {
		return v, false, nil
	}
	_, logged, err := s.Logged(ctx, r.Event.Account, r.Event.Source, r.Event.ID)
	return v, !logged, err
}

// Reviews returns up to limit things that are open for review, after a place in
// their order, the oldest first, as far as the filter lets them through; next is
// the place to go on after, and more whether there may be more. It may return fewer,
// or none, although there is more. Refunds that were placed with certainty are listed
// only if their kind is asked for.
func (s *Store) Reviews(ctx context.Context, f ReviewFilter, after ReviewPlace, limit int) (list []ReviewView, next ReviewPlace, more bool, err error) {
	refused, err := s.openRefused(ctx, f, after, limit+1)
	if err != nil {
		return nil, after, false, err
	}
	next = after
	cut := len(refused) > limit // there may be more of them
	for {
		if len(list) >= limit {
			return list, next, true, nil
		}
		until := f
		if len(refused) > 0 {
			until.Before = refused[0].Since
		}
		if f.Kind != reward.ForeignCurrency {
			var part []ReviewView
			part, next, more, err = s.accountReviews(ctx, until, next, limit-len(list))
			if list = append(list, part...); err != nil || more || len(refused) == 0 {
				return list, next, more, err
			}
		}
		if len(refused) == 0 {
			return list, next, false, nil
		}
		if len(list) >= limit {
			return list, next, true, nil
		}
		v, is, err := s.reviewOfRefused(ctx, f, &refused[0])
		if err != nil {
			return list, next, false, err
		}
		if is {
			list = append(list, v)
		}
		next, refused = refused[0].place(), refused[1:]
		if cut && len(refused) == 0 {
			return list, next, true, nil
		}
	}
}
