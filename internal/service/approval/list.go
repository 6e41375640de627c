package approval

import (
	"context"
	"fmt"

	"recoup/internal/store/record"
)

// MaxPage is the most proposals that are read at once.
const MaxPage = 1000

// Get returns a proposal. The error is ErrUnknown if there is none of the number.
func (b *Book) Get(ctx context.Context, number int64) (p Proposal, err error) {
	var ok bool
	err = b.records.Read(ctx, func(r record.Reader) (err error) {
		p, ok, err = numbered(ctx, r, number)
		return err
	})
	switch {
	case err != nil:
		return Proposal{}, fmt.Errorf("reading a proposal: %w", err)
	case !ok:
		return Proposal{}, ErrUnknown
	}
	return p, nil
}

// Open returns up to limit proposals that wait, with a number after the given one,
// the oldest first.
func (b *Book) Open(ctx context.Context, after int64, limit int) ([]Proposal, error) {
	return b.list(ctx, opened, record.Span{}.After(record.Key(after)), limit)
}

// Recent returns up to limit proposals that were decided, with a number before the
// given one or, if that is zero, of all, the latest proposed first.
func (b *Book) Recent(ctx context.Context, before int64, limit int) ([]Proposal, error) {
	var s record.Span
	if before != 0 {
		s = s.Until(record.Key(before))
	}
	return b.list(ctx, decided, s.Reverse(), limit)
}

// OfAccount returns the latest proposals about an account, at most MaxPage, the
// latest first.
func (b *Book) OfAccount(ctx context.Context, account string) ([]Proposal, error) {
	return b.list(ctx, ofAccount, record.Under(account).Reverse(), MaxPage)
}

// proposed returns the proposal of an adjustment; ok is false if there is none.
func (b *Book) proposed(ctx context.Context, adjustment string) (p Proposal, ok bool, err error) {
	err = b.records.Read(ctx, func(r record.Reader) (err error) {
		p, ok, err = adjusting(ctx, r, adjustment)
		return err
	})
	if err != nil {
		return Proposal{}, false, fmt.Errorf("reading a proposal: %w", err)
	}
	return p, ok, nil
}

// waiting returns the numbers of proposals that wait after one, up to MaxPage.
func (b *Book) waiting(ctx context.Context, after int64) (numbers []int64, err error) {
	list, err := b.Open(ctx, after, MaxPage)
	for i := range list {
		numbers = append(numbers, list[i].Number)
	}
	return numbers, err
}

// begun returns the numbers of those after one that somebody has begun to decide, up to
// MaxPage.
func (b *Book) begun(ctx context.Context, after int64) (numbers []int64, err error) {
	err = b.records.Read(ctx, func(r record.Reader) (err error) {
		numbers, err = begun.List(ctx, r, record.Span{}.After(record.Key(after)), MaxPage)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading which proposals are being decided: %w", err)
	}
	return numbers, nil
}

// list reads up to limit proposals of a list, at most MaxPage.
func (b *Book) list(ctx context.Context, of record.Table[row], s record.Span, limit int) (list []Proposal, err error) {
	var rows []row
	err = b.records.Read(ctx, func(r record.Reader) (err error) {
		rows, err = of.List(ctx, r, s, min(limit, MaxPage))
		return err
	})
	for i := 0; i < len(rows) && err == nil; i++ {
		var p Proposal
		p, err = rows[i].proposal()
		list = append(list, p)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the proposals: %w", err)
	}
	return list, nil
}

// numbered reads the proposal with a number; ok is false if there is none.
func numbered(ctx context.Context, r record.Reader, number int64) (p Proposal, ok bool, err error) {
	row, ok, err := proposals.Get(ctx, r, record.Key(number))
	if err == nil && ok {
		p, err = row.proposal()
	}
	return p, ok, err
}

// adjusting reads the proposal of an adjustment; ok is false if there is none.
func adjusting(ctx context.Context, r record.Reader, adjustment string) (p Proposal, ok bool, err error) {
	number, ok, err := byAdjustment.Get(ctx, r, adjustment)
	if err != nil || !ok {
		return Proposal{}, false, err
	}
	return numbered(ctx, r, number)
}
