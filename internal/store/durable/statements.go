package durable

import (
	"context"

	"recoup/ledger"
	"recoup/reward"
)

// Statements returns up to limit statements of an account with a cycle before the
// given one, or from the latest if it is zero, the latest first. Cycles without
// postings have none.
func (s *Store) Statements(ctx context.Context, account string, before reward.Cycle, limit int) (list []StatementView, err error) {
	_, err = s.readHead(ctx, account, func(r Reader, row *AccountRow, at *Standing) error {
		current, err := s.currentStatements(ctx, r, row, at)
		if err != nil || len(current) == 0 {
			return err
		}
		p, err := s.programOf(ctx, row)
		if err != nil {
			return err
		}
		open := p.CycleAt(max(at.Latest, s.now()))
		for _, v := range current {
			if (before == 0 || v.Cycle < before) && len(list) < limit {
				list = append(list, StatementView{v, v.Cycle == open, p.CycleStart(v.Cycle), p.CycleEnd(v.Cycle)})
				before = v.Cycle
			}
		}
		if len(list) == limit {
			return nil
		}
		rows, err := r.Statements(ctx, account, before, limit-len(list))
		for i := range rows {
			v := rows[i].Statement
			list = append(list, StatementView{v, false, p.CycleStart(v.Cycle), p.CycleEnd(v.Cycle)})
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
		p, err := s.programOf(ctx, row)
		if err != nil {
			return err
		}
		now := p.CycleAt(max(at.Latest, s.now()))
		defer func() { v.From, v.To = p.CycleStart(v.Cycle), p.CycleEnd(v.Cycle) }()
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
