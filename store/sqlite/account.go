package sqlite

import (
	"cmp"
	"context"
	"slices"

	"recoup/reward"
	"recoup/store/durable"
)

const (
	accountQuery = `SELECT program, version, last, due, head FROM accounts WHERE account = ?`
	accountWrite = `INSERT INTO accounts (account, program, version, last, due, head) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET program = excluded.program, version = excluded.version, last = excluded.last, due = excluded.due, head = excluded.head`
)

// row reads an account's row, without its head if its version is the one held.
func (s *source) row(id string, held int64) (row durable.AccountRow, ok bool, err error) {
	if a := s.account(id); a != nil {
		row = *a
		if row.Head = nil; row.Version != held {
			row.Head = slices.Clone(a.Head)
		}
		row.Base = 0
		return row, true, nil
	}
	q := s.conn.query(accountQuery).text(id)
	if ok = q.next(); ok {
		row = durable.AccountRow{Account: id, Program: q.textAt(0), Version: q.intAt(1), Last: q.intAt(2), Due: reward.Instant(q.intAt(3))}
		if row.Version != held {
			row.Head = q.blobAt(4)
		}
	}
	return row, ok, q.end()
}

// Account implements durable.Reader.
func (s *source) Account(ctx context.Context, id string) (durable.AccountRow, bool, error) {
	if err := ctx.Err(); err != nil {
		return durable.AccountRow{}, false, err
	}
	return s.row(id, -1)
}

// freshAccounts are all accounts of the backlog. They are gathered once: paging
// through a million accounts must not gather them a thousand times.
func (s *source) freshAccounts() map[string]*durable.AccountRow {
	if s.fresh == nil {
		s.fresh = s.allAccounts()
	}
	return s.fresh
}

// Accounts implements durable.Reader.
func (s *source) Accounts(ctx context.Context, after string, limit int) ([]string, error) {
	return s.accountsFrom(ctx, after+"\x00", limit)
}

// accountsFrom returns up to limit ids of accounts from one on, in byte order.
func (s *source) accountsFrom(ctx context.Context, first string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fresh := s.freshAccounts()
	var ids []string
	q := s.conn.query(`SELECT account FROM accounts WHERE account >= ? ORDER BY account`).text(first)
	for len(ids) < limit && q.next() {
		if id := q.textAt(0); fresh[id] == nil {
			ids = append(ids, id)
		}
	}
	if err := q.end(); err != nil {
		return nil, err
	}
	for id := range fresh {
		if id >= first {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), limit)], nil
}

// Rows implements durable.Reader.
func (s *source) Rows(ctx context.Context, after string, limit int) ([]durable.AccountRow, error) {
	ids, err := s.Accounts(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	list := make([]durable.AccountRow, 0, len(ids))
	for _, id := range ids {
		row, ok, err := s.row(id, -1)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, row)
		}
	}
	return list, nil
}

// Due implements durable.Reader.
func (s *source) Due(ctx context.Context, at reward.Instant, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type due struct {
		at reward.Instant
		id string
	}
	fresh := s.freshAccounts()
	var found []due
	q := s.conn.query(`SELECT account, due FROM accounts WHERE due IS NOT NULL AND due <= ? ORDER BY due, account`).int(int64(at))
	for len(found) < limit && q.next() {
		if d := (due{reward.Instant(q.intAt(1)), q.textAt(0)}); fresh[d.id] == nil {
			found = append(found, d)
		}
	}
	if err := q.end(); err != nil {
		return nil, err
	}
	for id, row := range fresh {
		if row.Due != 0 && row.Due <= at {
			found = append(found, due{row.Due, id})
		}
	}
	slices.SortFunc(found, func(a, b due) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	ids := make([]string, 0, min(len(found), limit))
	for _, d := range found[:min(len(found), limit)] {
		ids = append(ids, d.id)
	}
	return ids, nil
}
