package verify_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"recoup/event"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/traffic"
)

// memory is a database in memory: what a store would have kept of the events
// that it was made from. The tables that are read by SQL are in SQLite.
type memory struct {
	durable.Reader // what is not used here
	db             *sql.DB
	log            map[string][]durable.EventRow
	byNumber       map[int64]*durable.EventRow
	rows           map[string]durable.AccountRow
	parts          map[string][]reward.Part
	statements     map[string][]durable.StatementRow
}

const schema = `
CREATE TABLE accounts (account TEXT PRIMARY KEY);
CREATE TABLE events (number INTEGER PRIMARY KEY);
CREATE TABLE statements (account TEXT);
CREATE TABLE transactions (account TEXT);
CREATE TABLE refunds (account TEXT);
CREATE TABLE chargebacks (account TEXT);
CREATE TABLE redemptions (account TEXT);
CREATE TABLE adjustments (account TEXT);
CREATE TABLE buckets (account TEXT);
CREATE TABLE seals (account TEXT PRIMARY KEY, sequence INTEGER, number INTEGER, hash BLOB);
CREATE TABLE checks (name TEXT PRIMARY KEY, at INTEGER, result TEXT);`

// newMemory keeps what becomes of the events.
func newMemory(t testing.TB, p *reward.Program, events []reward.Event) *memory {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // each connection to :memory: is a database of its own
	t.Cleanup(func() { db.Close() })
	m := &memory{
		db: db, log: make(map[string][]durable.EventRow), byNumber: make(map[int64]*durable.EventRow), rows: make(map[string]durable.AccountRow),
		parts: make(map[string][]reward.Part), statements: make(map[string][]durable.StatementRow),
	}
	m.exec(t, schema)
	m.keep(t, p, events)
	return m
}

func (m *memory) exec(t testing.TB, statement string, arguments ...any) {
	t.Helper()
	if _, err := m.db.Exec(statement, arguments...); err != nil {
		t.Fatal(err)
	}
}

func (m *memory) keep(t testing.TB, p *reward.Program, events []reward.Event) {
	t.Helper()
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
	tx, err := m.db.Begin()
	if err != nil {
		t.Fatal(err)
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
		if _, err := tx.Exec(`INSERT INTO accounts VALUES ($1)`, id); err != nil {
			t.Fatal(err)
		}
		for i := range log {
			m.byNumber[log[i].Number] = &log[i]
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func (m *memory) DB() *sql.DB                    { return m.db }
func (m *memory) Rebind(statement string) string { return statement }

func (m *memory) View(_ context.Context, f func(durable.Reader) error) error { return f(m) }

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

// rewind has the rows of accounts say what they said when the log had come to an
// event, and none where the account had not begun.
func (m *memory) rewind(through int64) (rows map[string]durable.AccountRow) {
	rows = maps.Clone(m.rows)
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
	return rows
}
