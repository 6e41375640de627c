package approval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"recoup/reward"
)

// MaxPage is the most proposals that are read at once.
const MaxPage = 1000

// Get returns a proposal. The error is ErrUnknown if there is none of the number.
func (b *Book) Get(ctx context.Context, number int64) (Proposal, error) {
	return b.one(ctx, `number = $1`, number)
}

// Open returns up to limit proposals that wait, with a number after the given one,
// the oldest first.
func (b *Book) Open(ctx context.Context, after int64, limit int) ([]Proposal, error) {
	return b.list(ctx, `state = 0 AND number > $1 ORDER BY number LIMIT $2`, after, page(limit))
}

// Recent returns up to limit proposals that were decided, with a number before the
// given one or, if that is zero, of all, the latest proposed first.
func (b *Book) Recent(ctx context.Context, before int64, limit int) ([]Proposal, error) {
	return b.list(ctx, `state <> 0 AND ($1 = 0 OR number < $1) ORDER BY number DESC LIMIT $2`, before, page(limit))
}

// OfAccount returns the latest proposals about an account, at most MaxPage, the
// latest first.
func (b *Book) OfAccount(ctx context.Context, account string) ([]Proposal, error) {
	return b.list(ctx, `account = $1 ORDER BY number DESC LIMIT $2`, account, MaxPage)
}

func page(limit int) int { return max(0, min(limit, MaxPage)) }

const selected = `SELECT number, account, adjustment, amount, currency, reason, proposer, proposed_at, state, decider, decided_at, note FROM proposals WHERE `

func (b *Book) one(ctx context.Context, which string, args ...any) (Proposal, error) {
	p, err := scan(b.db.QueryRowContext(ctx, b.rebind(selected+which), args...).Scan)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Proposal{}, ErrUnknown
	case err != nil:
		return Proposal{}, fmt.Errorf("reading a proposal: %w", err)
	}
	return p, nil
}

func (b *Book) list(ctx context.Context, which string, args ...any) (list []Proposal, err error) {
	rows, err := b.db.QueryContext(ctx, b.rebind(selected+which), args...)
	if err != nil {
		return nil, fmt.Errorf("reading the proposals: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		p, err := scan(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		list = append(list, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the proposals: %w", err)
	}
	return list, nil
}

func scan(scan func(...any) error) (p Proposal, err error) {
	var proposer, decider string
	var proposed int64
	var decided sql.NullInt64
	err = scan(&p.Number, &p.Account, &p.Adjustment, &p.Amount, &p.Currency, &p.Reason, &proposer, &proposed, &p.State, &decider, &decided, &p.Note)
	p.Proposer, p.Decider = parsePerson(proposer), parsePerson(decider)
	p.Proposed, p.Decided = reward.Instant(proposed), reward.Instant(decided.Int64)
	return p, err
}
