package drivertest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// everything changes every table that a unit of work can change, for an account
// that is not there yet.
func everything(account string, number int64) *durable.Changes {
	row := fresh(account)
	row.Last = number
	c := &durable.Changes{
		Accounts:   []durable.AccountRow{row},
		Events:     []durable.EventRow{event(account, 1, number, 0)},
		Statements: []durable.StatementRow{{Account: account, Last: number}},
		Records:    []record.Record{{Table: "notices", Key: account, Value: []byte("{}")}},
	}
	for _, kind := range kinds() {
		p := part(account, kind, "p1")
		p.Working = true
		c.Parts = append(c.Parts, p)
	}
	return c
}

// expectNothing looks for any trace of an account.
func expectNothing(t *testing.T, s *subject, account string) {
	t.Helper()
	found := s.load(t, durable.Request{
		Accounts: []string{account}, Held: []int64{-1},
		Identities: []durable.Identity{{Account: account, Source: "core", ID: "e1"}},
	})
	if len(found.Accounts) > 0 || found.Logged[0] != nil || len(found.Parts) > 0 {
		t.Errorf("accounts %+v, log %q, parts\n%s", found.Accounts, found.Logged, show(found.Parts))
	}
	s.view(t, func(r durable.Reader) error {
		statements, err := r.Statements(context.Background(), account, 1<<30, 10)
		if len(statements) > 0 {
			t.Errorf("statements %+v", statements)
		}
		return err
	})
	for _, kind := range kinds() {
		if parts := s.find(t, durable.Query{Account: account, Kind: kind, Page: true, Limit: 10}); len(parts) > 0 {
			t.Errorf("parts\n%s", show(parts))
		}
	}
	if _, there := s.record(t, "notices", account); there {
		t.Error("there is its record")
	}
}

func errorKeepsNothing(t *testing.T, s *subject) {
	failure := errors.New("on second thoughts")
	err := s.Update(context.Background(), func(tx durable.Tx) error {
		if err := lockAndWrite(tx, everything("acct-1", 1)); err != nil {
			t.Errorf("Write: %v", err)
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("Update returns %v, want what the unit of work returned", err)
	}
	expectNothing(t, s, "acct-1")
	s.book(t, "acct-1", 1)
}

func panicKeepsNothing(t *testing.T, s *subject) {
	// More often than a pool may have connections.
	for range 50 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = s.Update(context.Background(), func(tx durable.Tx) error {
				if err := lockAndWrite(tx, everything("acct-1", 1)); err != nil {
					t.Errorf("Write: %v", err)
				}
				panic("in a unit of work")
			})
		}()
	}
	expectNothing(t, s, "acct-1")
	s.book(t, "acct-1", 1)
}

func cancelledKeepsNothing(t *testing.T, s *subject) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Update(ctx, func(tx durable.Tx) error { return lockAndWrite(tx, everything("acct-1", 1)) }); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is cancelled before: %v, want it to say so", err)
	}
	expectNothing(t, s, "acct-1")

	ctx, cancel = context.WithCancel(context.Background())
	err := s.Update(ctx, func(tx durable.Tx) error {
		if err := lockAndWrite(tx, everything("acct-1", 1)); err != nil {
			return err
		}
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is cancelled at work: %v, want it to say so", err)
	}
	expectNothing(t, s, "acct-1")
	s.book(t, "acct-1", 1)
}

func conflictIsRetried(t *testing.T, s *subject) {
	times := 0
	s.update(t, func(tx durable.Tx) error {
		times++
		if times < 3 {
			if err := lockAndWrite(tx, everything(fmt.Sprintf("acct-%d", times), int64(times))); err != nil {
				return err
			}
			return fmt.Errorf("seen by the caller: %w", durable.ErrConflict)
		}
		return lockAndWrite(tx, everything("acct-3", 3))
	})
	if times != 3 {
		t.Errorf("a unit of work that conflicts twice was done %d times, want 3", times)
	}
	expectNothing(t, s, "acct-1")
	expectNothing(t, s, "acct-2")
	if _, ok := s.account(t, "acct-3"); !ok {
		t.Error("what was done without conflict is not there")
	}
}

func conflictThatStays(t *testing.T, s *subject) {
	times := 0
	err := s.Update(context.Background(), func(durable.Tx) error {
		times++
		return durable.ErrConflict
	})
	if !errors.Is(err, durable.ErrConflict) || times < 3 || times > 100 {
		t.Errorf("after %d times: %v; want a conflict after a bounded number of them", times, err)
	}
}

// expectConflict wants the changes to be refused as a conflict, and nothing of
// them to be kept.
func expectConflict(t *testing.T, s *subject, account string, base int64) {
	t.Helper()
	before, there := s.account(t, account)
	times := 0
	err := s.Update(context.Background(), func(tx durable.Tx) error {
		times++
		c := everything(account, 1000+int64(times))
		c.Events[0].ID = "e1000" // not the conflict that this is about
		c.Accounts[0].Base, c.Accounts[0].Version = base, base+1
		return lockAndWrite(tx, c)
	})
	if !errors.Is(err, durable.ErrConflict) || times < 3 {
		t.Errorf("a row of %s based on version %d: %v after %d times, want a conflict that is tried again", account, base, err, times)
	}
	if after, still := s.account(t, account); there != still || !sameAccount(before, after) {
		t.Errorf("the conflict changed\n%+v to\n%+v", before, after)
	}
	if parts := s.find(t, durable.Query{Account: account, Kind: reward.TransactionPart, Page: true, Limit: 10}); len(parts) > 0 {
		t.Errorf("the conflict left\n%s", show(parts))
	}
	found := s.load(t, durable.Request{Identities: []durable.Identity{{Account: account, Source: "core", ID: "e1000"}}})
	if found.Logged[0] != nil {
		t.Error("the conflict left an event")
	}
}

func oldBase(t *testing.T, s *subject) {
	s.book(t, "acct-1", 3)
	expectConflict(t, s, "acct-1", 2)
	expectConflict(t, s, "acct-1", 4)
	expectConflict(t, s, "acct-2", 1) // there is no such account
}

func newTwice(t *testing.T, s *subject) {
	s.book(t, "acct-1", 1)
	expectConflict(t, s, "acct-1", 0)
}

func bigUnit(t *testing.T, s *subject) {
	const accounts, each = 2000, 5
	ctx := context.Background()
	var all []durable.EventRow
	request := durable.Request{Numbers: accounts * each}
	for i := range accounts {
		account := fmt.Sprintf("acct-%04d", i)
		request.Accounts = append(request.Accounts, account)
		request.Held = append(request.Held, -1)
		for n := range each {
			request.Identities = append(request.Identities, durable.Identity{Account: account, Source: "core", ID: fmt.Sprintf("e%d", n+1)})
			request.Parts = append(request.Parts, durable.PartKey{Account: account, Kind: reward.TransactionPart, ID: fmt.Sprintf("t%d", n+1)})
		}
	}
	s.update(t, func(tx durable.Tx) error {
		found, err := tx.Load(ctx, &request)
		if err != nil {
			return err
		}
		var c durable.Changes
		next := 0
		for _, account := range request.Accounts {
			row := fresh(account)
			for n := range each {
				number := found.Numbers[next]
				next++
				c.Events = append(c.Events, event(account, int64(n+1), number, row.Last))
				c.Parts = append(c.Parts, part(account, reward.TransactionPart, fmt.Sprintf("t%d", n+1)))
				row.Last, row.Version = number, int64(n+1)
			}
			c.Accounts = append(c.Accounts, row)
		}
		all = c.Events
		return tx.Write(ctx, &c)
	})
	found := s.load(t, request)
	if len(found.Accounts) != accounts || len(found.Parts) != accounts*each {
		t.Fatalf("%d accounts and %d parts, want %d and %d", len(found.Accounts), len(found.Parts), accounts, accounts*each)
	}
	for i, line := range found.Logged {
		if string(line) != string(all[i].Event) {
			t.Fatalf("%v was logged as %q, want %q", request.Identities[i], line, all[i].Event)
		}
	}
	var got []durable.EventRow
	s.view(t, func(r durable.Reader) error {
		return r.EventsOf(ctx, "", "", func(e *durable.EventRow) error {
			got = append(got, keep(e))
			return nil
		})
	})
	expectEvents(t, got, all)
}

func emptyUnit(t *testing.T, s *subject) {
	s.update(t, func(durable.Tx) error { return nil })
	s.update(t, func(tx durable.Tx) error {
		if _, err := tx.Load(context.Background(), new(durable.Request)); err != nil {
			return err
		}
		return tx.Write(context.Background(), new(durable.Changes))
	})
}

// writeTwice reads what it has written and writes it again, a part that was not
// there at first among it.
func writeTwice(t *testing.T, s *subject) {
	p := part("acct-1", reward.TransactionPart, "t1")
	request := durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}, Parts: []durable.PartKey{key(p)}}
	row := fresh("acct-1")
	s.update(t, func(tx durable.Tx) error {
		ctx := context.Background()
		if _, err := tx.Load(ctx, &request); err != nil {
			return err
		}
		if err := tx.Write(ctx, &durable.Changes{Accounts: []durable.AccountRow{row}, Parts: []durable.Part{p}}); err != nil {
			return err
		}
		p.Data = []byte("at once")
		if err := tx.Write(ctx, &durable.Changes{Parts: []durable.Part{p}}); err != nil {
			return err
		}
		found, err := tx.Load(ctx, &request)
		if err != nil {
			return err
		}
		if len(found.Accounts) != 1 || !sameAccount(found.Accounts[0], row) {
			t.Errorf("a unit of work reads %+v, and has written %+v", found.Accounts, row)
		}
		expectParts(t, found.Parts, []durable.Part{p})
		row.Base, row.Version, row.Head = 1, 2, []byte("again")
		p.Data = []byte("again")
		return tx.Write(ctx, &durable.Changes{Accounts: []durable.AccountRow{row}, Parts: []durable.Part{p}})
	})
	found := s.load(t, request)
	if len(found.Accounts) != 1 || !sameAccount(found.Accounts[0], row) {
		t.Errorf("the account is %+v, want %+v", found.Accounts, row)
	}
	expectParts(t, found.Parts, []durable.Part{p})
}
