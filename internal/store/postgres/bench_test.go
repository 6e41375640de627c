package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/reward"
)

// held is how many accounts the load is spread over.
const held = 10_000

// load makes units of work as a busy service has them: each event one row in
// the log of about 600 bytes and one new transaction of about 100, each account
// at hand from the unit before.
type load struct {
	rows   []durable.AccountRow
	events int64
	random *rand.Rand
}

func newLoad() *load {
	l := &load{random: rand.New(rand.NewPCG(1, 2))}
	for i := range held {
		l.rows = append(l.rows, durable.AccountRow{Account: fmt.Sprintf("acct-%08d", i*7919), Program: "everyday", Head: make([]byte, 300)})
	}
	slices.SortFunc(l.rows, func(a, b durable.AccountRow) int { return compare(a.Account, b.Account) })
	return l
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// batch is what n events ask for, and the accounts that they are of: mostly
// different ones.
func (l *load) batch(n int) (*durable.Request, []int) {
	picked := make([]int, n)
	for i := range picked {
		picked[i] = l.random.IntN(held)
	}
	slices.Sort(picked)
	r := &durable.Request{Numbers: n}
	for i, p := range picked {
		row := &l.rows[p]
		if i == 0 || picked[i-1] != p {
			version := row.Version
			if version == 0 {
				version = -1
			}
			r.Accounts, r.Held = append(r.Accounts, row.Account), append(r.Held, version)
		}
		l.events++
		id := fmt.Sprintf("%016x", l.events*0x9E3779B9)
		r.Identities = append(r.Identities, durable.Identity{Account: row.Account, Source: "core", ID: "e" + id})
		r.Parts = append(r.Parts, durable.PartKey{Account: row.Account, Kind: reward.TransactionPart, ID: "t" + id})
	}
	return r, picked
}

var line, postings, facts = make([]byte, 330), make([]byte, 270), make([]byte, 60)

func (l *load) changes(r *durable.Request, picked []int, numbers []int64) *durable.Changes {
	c := new(durable.Changes)
	for i, p := range picked {
		row := &l.rows[p]
		if i == 0 || picked[i-1] != p {
			row.Base = row.Version
		}
		row.Version++
		c.Events = append(c.Events, durable.EventRow{
			Number: numbers[i], Account: row.Account, Sequence: row.Version, Before: row.Last, Received: reward.Instant(numbers[i]),
			Source: "core", ID: r.Identities[i].ID, Type: "transaction.settled", Outcome: reward.Applied, Event: line, Postings: postings,
		})
		c.Parts = append(c.Parts, durable.Part{Account: row.Account, Part: reward.Part{Kind: reward.TransactionPart, ID: r.Parts[i].ID, Data: facts, Settled: reward.Instant(numbers[i])}})
		row.Last = numbers[i]
		if i == len(picked)-1 || picked[i+1] != p {
			c.Accounts = append(c.Accounts, *row)
		}
	}
	return c
}

// BenchmarkUpdate is what the driver takes for a unit of work.
func BenchmarkUpdate(b *testing.B) {
	benchmarkUpdate(b, func(url string) *postgres.DB { return open(b, url, postgres.Options{}) })
}

// BenchmarkUpdateThroughAPooler is the same with a pgbouncer in between, and everything
// that this has to be sent with each unit.
func BenchmarkUpdateThroughAPooler(b *testing.B) {
	benchmarkUpdate(b, func(url string) *postgres.DB {
		return open(b, pgtest.Pooled(b, url), postgres.Options{Pooler: true})
	})
}

func benchmarkUpdate(b *testing.B, reach func(url string) *postgres.DB) {
	for _, size := range []int{64, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			url := pgtest.Shared(b).NewDatabase(b)
			open(b, url, postgres.Options{Migrate: true})
			d := reach(url)
			l := newLoad()
			unit := func(n int) {
				r, picked := l.batch(n)
				err := d.Update(context.Background(), func(tx durable.Tx) error {
					found, err := tx.Load(context.Background(), r)
					if err != nil {
						return err
					}
					return tx.Write(context.Background(), l.changes(r, picked, found.Numbers))
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			for range 30 {
				unit(1000)
			}
			b.ResetTimer()
			for range b.N {
				unit(size)
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkRaw inserts the same events and transactions without looking at
// anything, with COPY, and changes no accounts: the most that the server takes.
func BenchmarkRaw(b *testing.B) {
	for _, size := range []int{64, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ctx := context.Background()
			url := pgtest.Shared(b).NewDatabase(b)
			open(b, url, postgres.Options{Migrate: true})
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = conn.Close(ctx) }()
			l := newLoad()
			next := int64(0)
			unit := func(n int) {
				r, picked := l.batch(n)
				numbers := make([]int64, n)
				for i := range numbers {
					next++
					numbers[i] = next
				}
				c := l.changes(r, picked, numbers)
				if err := insert(ctx, conn, c); err != nil {
					b.Fatal(err)
				}
			}
			for range 30 {
				unit(1000)
			}
			b.ResetTimer()
			for range b.N {
				unit(size)
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func insert(ctx context.Context, conn *pgx.Conn, c *durable.Changes) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"events"},
			[]string{"number", "sequence", "before", "received", "outcome", "code", "account", "source", "id", "type", "event", "postings"},
			pgx.CopyFromSlice(len(c.Events), func(i int) ([]any, error) {
				e := &c.Events[i]
				return []any{e.Number, e.Sequence, e.Before, int64(e.Received), int16(e.Outcome), int16(e.Code), e.Account, e.Source, e.ID, e.Type, e.Event, e.Postings}, nil
			}))
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"transactions"},
			[]string{"account", "id", "data", "working", "settled"},
			pgx.CopyFromSlice(len(c.Parts), func(i int) ([]any, error) {
				p := &c.Parts[i]
				return []any{p.Account, p.ID, p.Data, p.Working, int64(p.Settled)}, nil
			}))
		return err
	})
}
