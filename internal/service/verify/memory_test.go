package verify_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/internal/traffic"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// memory is a database in memory: what a store would have kept of the events
// that it was made from. What is tampered with is what it gives.
type memory struct {
	durable.Inspector // what is not used here
	log               map[string][]durable.EventRow
	byNumber          map[int64]*durable.EventRow
	rows              map[string]durable.AccountRow
	parts             map[string][]reward.Part
	statements        map[string][]durable.StatementRow
	records           map[string]map[string][]byte // by table and key
	through           int64                        // the log has come to this number; 0: to its end
}

// newMemory keeps what becomes of the events.
func newMemory(t testing.TB, p *reward.Program, events []reward.Event) *memory {
	t.Helper()
	m := &memory{
		log: make(map[string][]durable.EventRow), byNumber: make(map[int64]*durable.EventRow), rows: make(map[string]durable.AccountRow),
		parts: make(map[string][]reward.Part), statements: make(map[string][]durable.StatementRow), records: make(map[string]map[string][]byte),
	}
	m.keep(p, events)
	return m
}

func (m *memory) keep(p *reward.Program, events []reward.Event) {
	accounts := make(map[string]*reward.Account)
	books := make(map[string]*ledger.Statement)
	seen := make(map[[3]string]bool)
	var number int64
	for i := range events {
		e := &events[i]
		if seen[[3]string{e.Account, e.Source, e.ID}] {
			continue
		}
		a := accounts[e.Account]
		if a == nil {
			a = reward.NewAccount(e.Account, p)
		}
		r, postings := a.Apply(e, nil)
		if r.LeavesNoTrace() {
			continue
		}
		seen[[3]string{e.Account, e.Source, e.ID}] = true
		if accounts[e.Account] == nil {
			accounts[e.Account], books[e.Account] = a, &ledger.Statement{}
		}
		number++
		row := durable.EventRow{
			Number: number, Account: e.Account, Sequence: int64(len(m.log[e.Account]) + 1), Received: e.Time, Source: e.Source, ID: e.ID,
			Type: e.Type.String(), Outcome: r.Outcome, Code: r.Code, Event: event.Append(nil, e),
		}
		if len(postings) > 0 {
			row.Postings = ledger.AppendPostings(nil, postings)
		}
		if before := m.log[e.Account]; len(before) > 0 {
			row.Before = before[len(before)-1].Number
		}
		m.log[e.Account] = append(m.log[e.Account], row)
		for j := range postings {
			if s, ok := books[e.Account].Post(&postings[j]); ok {
				m.statements[e.Account] = append(m.statements[e.Account], durable.StatementRow{Account: e.Account, Statement: s, Last: row.Before})
			}
		}
	}
	for id, a := range accounts {
		log := m.log[id]
		last := log[len(log)-1].Number
		open := books[id]
		var head []byte
		for _, n := range []int64{int64(open.Cycle), open.Opening, open.Granted, open.ClawedBack, open.Redeemed, open.Adjusted, open.Closing} {
			head = binary.AppendVarint(head, n)
		}
		m.rows[id] = durable.AccountRow{Account: id, Program: p.ID, Version: int64(len(log)), Last: last, Due: a.Due(), Head: a.AppendHead(head)}
		m.parts[id] = slices.SortedFunc(a.Parts(), func(x, y reward.Part) int { return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID)) })
		for i := range log {
			m.byNumber[log[i].Number] = &log[i]
		}
	}
}

func (m *memory) View(_ context.Context, f func(durable.Reader) error) error { return f(m) }

func (m *memory) Inspect(_ context.Context, f func(durable.Inspector) error) error { return f(m) }

func (m *memory) Change(_ context.Context, f func(record.Tx) error) error { return f(m) }

func (m *memory) Get(_ context.Context, table, key string) ([]byte, bool, error) {
	value, ok := m.records[table][key]
	return value, ok, nil
}

func (m *memory) Scan(_ context.Context, table string, s record.Span, f func(string, []byte) (bool, error)) error {
	if s.Reversed {
		return errors.ErrUnsupported
	}
	for _, key := range slices.Sorted(maps.Keys(m.records[table])) {
		if key < s.From || s.Before != "" && key >= s.Before {
			continue
		}
		if more, err := f(key, m.records[table][key]); err != nil || !more {
			return err
		}
	}
	return nil
}

func (m *memory) Put(table, key string, value []byte) {
	if m.records[table] == nil {
		m.records[table] = make(map[string][]byte)
	}
	m.records[table][key] = value
}

func (m *memory) Delete(table, key string) { delete(m.records[table], key) }

func (m *memory) Census(context.Context) (last, events int64, err error) {
	for number := range m.byNumber {
		last = max(last, number)
	}
	return last, int64(len(m.byNumber)), nil
}

// LogBack has none: nothing in it was done by somebody who has a principal.
func (m *memory) LogBack(context.Context, int64, int64, []reward.Type, func(*durable.EventRow) (bool, error)) error {
	return nil
}

// Log has the events of the accounts, which are what is tampered with, by number.
func (m *memory) Log(_ context.Context, after, upTo int64, f func(*durable.EventRow) error, _ func(error) error) error {
	var list []durable.EventRow
	for _, log := range m.log {
		for _, row := range log {
			if row.Number > after && row.Number <= upTo && (m.through == 0 || row.Number <= m.through) {
				list = append(list, row)
			}
		}
	}
	slices.SortFunc(list, func(a, b durable.EventRow) int { return cmp.Compare(a.Number, b.Number) })
	for i := range list {
		if err := f(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Check(context.Context, func(error) error) ([]string, error) { return nil, nil }

func (m *memory) Kept(_ context.Context, first, last string, f func(*durable.Kept) error) error {
	for _, id := range slices.Sorted(maps.Keys(m.rows)) {
		if id < first || last != "" && id > last {
			continue
		}
		row := m.rows[id]
		if err := f(&durable.Kept{Account: id, Row: &row, Parts: m.parts[id], Statements: m.statements[id]}); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Account(_ context.Context, id string) (durable.AccountRow, bool, error) {
	row, ok := m.rows[id]
	return row, ok, nil
}

func (m *memory) Accounts(_ context.Context, after string, limit int) ([]string, error) {
	ids := slices.Sorted(maps.Keys(m.rows))
	at, _ := slices.BinarySearch(ids, after+"\x00")
	return ids[at:min(len(ids), at+limit)], nil
}

func (m *memory) Rows(ctx context.Context, after string, limit int) (page []durable.AccountRow, err error) {
	ids, err := m.Accounts(ctx, after, limit)
	for _, id := range ids {
		page = append(page, m.rows[id])
	}
	return page, err
}

func (m *memory) Find(_ context.Context, q durable.Query) (page []durable.Part, err error) {
	for _, p := range m.parts[q.Account] {
		if p.Kind == q.Kind && p.ID > q.After && len(page) < q.Limit {
			page = append(page, durable.Part{Account: q.Account, Part: p})
		}
	}
	return page, nil
}

func (m *memory) Events(_ context.Context, from int64, limit int) (page []durable.EventRow, err error) {
	for row := m.byNumber[from]; row != nil && len(page) < limit; row = m.byNumber[row.Before] {
		page = append(page, *row)
	}
	return page, nil
}

func (m *memory) EventsOf(_ context.Context, first, last string, f func(*durable.EventRow) error) error {
	for _, id := range slices.Sorted(maps.Keys(m.log)) {
		if id < first || last != "" && id > last {
			continue
		}
		for i := range m.log[id] {
			row := m.log[id][i]
			if err := f(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Statements(_ context.Context, account string, before reward.Cycle, limit int) (page []durable.StatementRow, err error) {
	for _, s := range slices.Backward(m.statements[account]) {
		if s.Cycle < before && len(page) < limit {
			page = append(page, s)
		}
	}
	return page, nil
}

// programs has one program.
type programs struct{ *reward.Program }

func (p programs) Get(id string) (*reward.Program, bool) { return p.Program, id == p.ID }
func (p programs) Default() (*reward.Program, bool)      { return p.Program, true }

// spending is random traffic with all that can happen, of a program that defers
// clawbacks, caps rewards and holds them.
func spending(accounts, events int) (*reward.Program, []reward.Event) {
	p := program.Everyday()
	return p, slices.Collect(traffic.Generate(traffic.Options{
		Accounts: accounts, Events: events, Seed: 7, Program: p, ReturnShare: 200, OverRefunds: 100, Duplicates: 20, Disorder: 50,
	}))
}

// purchases are so many purchases of $100 by one account, an hour apart: t0001,
// t0002 and so on.
func purchases(account string, n int) (*reward.Program, []reward.Event) {
	var events []reward.Event
	start := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	for i := range n {
		id := fmt.Sprintf("t%04d", i+1)
		events = append(events, reward.Event{
			Source: "core", ID: id, Account: account, Time: start + reward.Instant(i)*reward.Instant(time.Hour), Type: reward.TransactionSettled,
			Transaction: id, Amount: 10_000, HasAmount: true, Currency: "USD", Category: "GROCERY",
		})
	}
	return program.Everyday(), events
}

// rewind has the database be as it was when the log had come to an event, until it is told
// to forget that.
func (m *memory) rewind(through int64) (forget func()) {
	rows := m.rows
	m.rows, m.through = maps.Clone(rows), through
	for id, log := range m.log {
		version := 0
		for version < len(log) && log[version].Number <= through {
			version++
		}
		if version == 0 {
			delete(m.rows, id)
			continue
		}
		row := m.rows[id]
		row.Version, row.Last = int64(version), log[version-1].Number
		m.rows[id] = row
	}
	return func() { m.rows, m.through = rows, 0 }
}
