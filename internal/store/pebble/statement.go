package pebble

import (
	"context"

	lsm "github.com/cockroachdb/pebble/v2"

	"recoup/internal/kit/packed"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// Statements implements durable.Reader.
func (r *reader) Statements(ctx context.Context, account string, before reward.Cycle, limit int) (list []durable.StatementRow, err error) {
	prefix := key{}.account(account, statementTag)
	it, err := r.from.NewIter(&lsm.IterOptions{LowerBound: prefix, UpperBound: key{}.statementOf(account, before)})
	if err != nil {
		return nil, failure(err)
	}
	defer func() {
		if closing := it.Close(); err == nil {
			err = ofAccount(prefix, closing)
		}
	}()
	for ok := it.Last(); ok && len(list) < limit; ok = it.Prev() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := scanner{packed.Reader{Left: it.Key()[len(prefix):]}}
		v, err := it.ValueAndErr()
		if err != nil {
			return nil, ofAccount(prefix, err)
		}
		st, _, err := readStatement(account, reward.Cycle(s.int()), v)
		if err != nil || s.Bad {
			return nil, damaged(account, errDamaged)
		}
		list = append(list, st)
	}
	return list, nil
}

// StatementsOf implements durable.Reader.
func (r *reader) StatementsOf(ctx context.Context, cycle reward.Cycle, after, last string) (list []durable.StatementRow, err error) {
	if last <= after {
		return nil, ctx.Err()
	}
	from, before := key{}.statement(cycle, after).after(), key{}.statement(cycle, last).after()
	err = r.eachStatement(ctx, from, before, func(st *durable.StatementRow, _ string) {
		list = append(list, *st)
	})
	return list, err
}

// StatementSums implements durable.Reader.
func (r *reader) StatementSums(ctx context.Context, from reward.Cycle) ([]durable.ProgramSum, error) {
	type place struct {
		cycle   reward.Cycle
		program string
	}
	sums := make(map[place]*durable.ProgramSum)
	err := r.eachStatement(ctx, key{statementSpace}.int(int64(from)), key{statementSpace + 1}, func(st *durable.StatementRow, program string) {
		at := sums[place{st.Cycle, program}]
		if at == nil {
			at = &durable.ProgramSum{Program: program, Statement: ledger.Statement{Cycle: st.Cycle}}
			sums[place{st.Cycle, program}] = at
		}
		at.Accounts++
		at.Opening += st.Opening
		at.Granted += st.Granted
		at.ClawedBack += st.ClawedBack
		at.Redeemed += st.Redeemed
		at.Expired += st.Expired
		at.Adjusted += st.Adjusted
		at.Closing += st.Closing
	})
	list := make([]durable.ProgramSum, 0, len(sums))
	for _, sum := range sums {
		list = append(list, *sum)
	}
	return list, err
}

// eachStatement calls f with the statements of a span, by cycle and account, and their
// programs.
func (r *reader) eachStatement(ctx context.Context, from, before key, f func(*durable.StatementRow, string)) error {
	return r.scan(ctx, from, before, func(k, v []byte) (bool, error) {
		s := keyOf(k)
		cycle, account := reward.Cycle(s.int()), s.text()
		st, program, err := readStatement(account, cycle, v)
		if err != nil || s.Bad {
			return false, damaged(account, errDamaged)
		}
		f(&st, program)
		return true, nil
	})
}
