package shards_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/traffic"
	"recoup/reward"
)

// seed of what differs from run to run.
var seed = rand.Uint64()

// Several shards list the same as one database that holds the same events, apart from the
// numbers of events.
func TestSeveralShardsAreAsOne(t *testing.T) {
	t.Parallel()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	p := everyday()
	p.Rules = slices.Clone(p.Rules)
	p.Rules[0].Cap = 1000
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 60, Events: 3000, Seed: seed, Program: p, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Days: 150,
		ReturnShare: 300, OverRefunds: 100, Duplicates: 50, Disorder: 100,
	}))
	for i := range events {
		if random.IntN(100) == 0 && events[i].Currency != "" {
			events[i].Currency = "EUR" // refused, and to be reviewed
		}
	}
	w := newWorld(t, 5)
	several := w.open()
	single := durable.One(pebbletest.Open(t))
	now := reward.At(time.Date(2026, 6, 20, 0, 0, 0, 0, time.UTC))
	var stores [2]*durable.Store
	for i, db := range []*durable.Database{single, several} {
		stores[i] = durable.Over(db, durable.Options{Programs: newStore(t, db, p).Programs(), Now: func() reward.Instant { return now }})
		for batch := range slices.Chunk(events, 300) {
			_, err := engine.New(stores[i]).Apply(t.Context(), batch, nil)
			ok(t, err)
		}
	}
	one, many := stores[0], stores[1]
	same := func(what string, of func(s *durable.Store) (any, error)) {
		t.Helper()
		a, err := of(one)
		ok(t, err)
		b, err := of(many)
		ok(t, err)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs:\n%+v\n%+v", what, a, b)
		}
	}
	ctx := t.Context()
	page := 1 + random.IntN(40)
	var accounts []string
	same("the list of accounts", func(s *durable.Store) (any, error) {
		accounts = nil
		return &accounts, s.EachAccount(ctx, func(id string) error {
			accounts = append(accounts, id)
			return nil
		})
	})
	same("a page of accounts", func(s *durable.Store) (any, error) { return s.AccountsFrom(ctx, "", accounts[7], page) })
	same("standings", func(s *durable.Store) (any, error) {
		var list []durable.Standing
		err := s.EachStanding(ctx, func(at *durable.Standing) error {
			list = append(list, *at)
			return nil
		})
		return list, err
	})
	for _, id := range accounts[:20] {
		same("account "+id, func(s *durable.Store) (any, error) { v, _, err := s.Account(ctx, id); return v, err })
		same("transactions of "+id, func(s *durable.Store) (any, error) { return s.Transactions(ctx, id, "", page) })
		same("entries of "+id, func(s *durable.Store) (any, error) { return s.Entries(ctx, id, 0, page) })
		same("statements of "+id, func(s *durable.Store) (any, error) { return s.Statements(ctx, id, 0, page) })
		same("balance of "+id, func(s *durable.Store) (any, error) { return s.BalanceAt(ctx, id, now-60*reward.Day) })
		same("history of "+id, func(s *durable.Store) (any, error) {
			list, err := s.History(ctx, id, 0, page)
			for i := range list {
				list[i].Number = 0
			}
			return list, err
		})
	}
	for i := range 50 {
		id := events[i*31].Transaction + events[i*31].Fact
		same("what is called "+id, func(s *durable.Store) (any, error) { return s.Find(ctx, id, page) })
	}
	same("sums of statements", func(s *durable.Store) (any, error) { return s.StatementSums(ctx, 0) })
	for _, cycle := range []reward.Cycle{reward.CycleAt(now - 120*reward.Day), reward.CycleAt(now - 90*reward.Day)} {
		same("statements of a cycle", func(s *durable.Store) (any, error) {
			var all []durable.AccountStatement
			for after := ""; ; {
				list, next, more, err := s.CycleStatements(ctx, cycle, "USD", after, page)
				if all = append(all, list...); err != nil || !more {
					return all, err
				}
				after = next
			}
		})
	}
	same("the review list", func(s *durable.Store) (any, error) { return reviews(ctx, s, page) })
	same("what is due", func(s *durable.Store) (any, error) {
		ids, err := s.Due(ctx, now+400*reward.Day, 1000)
		slices.Sort(ids)
		return ids, err
	})
	closeAndVerify(t, several, many, now)
}

// reviews lists all that is to be reviewed, page by page. What is of the same moment may
// come in another order where it is told apart by numbers.
func reviews(ctx context.Context, s *durable.Store, page int) ([]string, error) {
	var all []string
	for after := (durable.ReviewPlace{}); ; {
		list, next, more, err := s.Reviews(ctx, durable.ReviewFilter{}, after, page)
		for _, v := range list {
			all = append(all, fmt.Sprintf("%+v %s", v.Review, v.Currency))
		}
		if err != nil || !more {
			slices.Sort(all)
			return all, err
		}
		after = next
	}
}

// Cycles are closed, the log is sealed, checked and signed for over all lanes.
func closeAndVerify(t *testing.T, db *durable.Database, s *durable.Store, now reward.Instant) {
	ctx := t.Context()
	closed, err := engine.New(s).CloseDue(ctx, now, s.Due)
	if err != nil || closed == 0 {
		t.Errorf("%d cycles were closed: %v", closed, err)
	}
	var leaves bytes.Buffer
	w := verify.NewLeafWriter(&leaves)
	checkpoint, err := verify.TakeCheckpoint(ctx, db, w.Write)
	ok(t, err)
	ok(t, w.Close())
	for _, with := range []bool{false, true} {
		o := verify.Options{Programs: s.Programs()}
		if with {
			o.Checkpoint = checkpoint
			o.Leaves, err = verify.NewLeafReader(bytes.NewReader(leaves.Bytes()))
			ok(t, err)
		}
		report, err := verify.Run(ctx, db, o)
		ok(t, err)
		if report.Count > 0 || report.Events != checkpoint.Events || report.Sealed != report.Events || report.Accounts != checkpoint.Accounts {
			t.Errorf("with a checkpoint of %+v (%v): %+v", checkpoint, with, report)
		}
		recorded, err := verify.ReadRecorded(ctx, db)
		if err != nil || recorded.Sealed != report.Events {
			t.Errorf("%d of %d events are sealed: %v", recorded.Sealed, report.Events, err)
		}
	}
}

// What an account is called once it is forgotten may lie in another shard than its id.
func TestAccountsOfAllShardsAreForgotten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t, 3)
	db := w.open()
	s := newStore(t, db, everyday())
	var events []reward.Event
	for n := range 30 {
		events = append(events, purchase(fmt.Sprint("acct-", n%10), n))
	}
	_, err := engine.New(s).Apply(ctx, events, nil)
	ok(t, err)
	var leaves bytes.Buffer
	writer := verify.NewLeafWriter(&leaves)
	checkpoint, err := verify.TakeCheckpoint(ctx, db, writer.Write)
	ok(t, err)
	ok(t, writer.Close())
	moved := 0
	for n := range 8 {
		account := fmt.Sprint("acct-", n)
		done, err := s.Forget(ctx, account, true)
		ok(t, err)
		if db.LaneOf(account) != db.LaneOf(done.Pseudonym) {
			moved++
		}
		if v, err := s.Find(ctx, account, 1); err != nil || len(v) > 0 {
			t.Errorf("%s is still there: %v, %v", account, v, err)
		}
	}
	if moved == 0 {
		t.Error("none has come into another shard")
	}
	read, err := verify.NewLeafReader(&leaves)
	ok(t, err)
	report, err := verify.Run(ctx, db, verify.Options{Programs: s.Programs(), Checkpoint: checkpoint, Leaves: read})
	ok(t, err)
	if report.Count > 0 || report.Accounts != 10 || report.Events != 30 {
		t.Errorf("%+v", report)
	}
}
