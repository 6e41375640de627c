package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"recoup/reward"
	"recoup/store/durable"
	"recoup/store/sqlite"
)

// work makes units of work as a busy service has them: each event is of one of
// 10,000 accounts, is new, and makes a new transaction.
type work struct {
	random   *rand.Rand
	versions map[string]int64
	last     map[string]int64
	n        int

	request durable.Request
	changes durable.Changes
}

func newWork() *work {
	return &work{random: rand.New(rand.NewPCG(1, 2)), versions: make(map[string]int64), last: make(map[string]int64)}
}

var (
	line     = bytes.Repeat([]byte("e"), 330)
	postings = bytes.Repeat([]byte("p"), 180)
	partData = bytes.Repeat([]byte("d"), 60)
	head     = bytes.Repeat([]byte("h"), 240)
)

// next makes the next unit of work with so many events.
func (w *work) next(batch int) {
	w.request = durable.Request{Numbers: batch}
	accounts := make(map[string]bool)
	for range batch {
		w.n++
		account := fmt.Sprintf("acct-%06d", w.random.IntN(10_000))
		w.request.Identities = append(w.request.Identities, durable.Identity{Account: account, Source: "core", ID: "evt-" + strconv.Itoa(1_000_000_000+w.n)})
		w.request.Parts = append(w.request.Parts, durable.PartKey{Account: account, Kind: reward.TransactionPart, ID: "tx-" + strconv.Itoa(1_000_000_000+w.n)})
		accounts[account] = true
	}
	for account := range accounts {
		w.request.Accounts = append(w.request.Accounts, account)
	}
	slices.Sort(w.request.Accounts)
	for _, account := range w.request.Accounts {
		held := w.versions[account]
		if held == 0 {
			held = -1
		}
		w.request.Held = append(w.request.Held, held)
	}
}

// answer makes the changes of the unit of work.
func (w *work) answer(numbers []int64) {
	w.changes = durable.Changes{}
	base := make(map[string]int64)
	for i, id := range w.request.Identities {
		if _, there := base[id.Account]; !there {
			base[id.Account] = w.versions[id.Account]
		}
		w.versions[id.Account]++
		w.changes.Events = append(w.changes.Events, durable.EventRow{
			Number: numbers[i], Account: id.Account, Sequence: w.versions[id.Account], Before: w.last[id.Account], Received: 1 << 60,
			Source: id.Source, ID: id.ID, Type: "transaction.settled", Outcome: reward.Applied, Event: line, Postings: postings,
		})
		w.last[id.Account] = numbers[i]
		w.changes.Parts = append(w.changes.Parts, durable.Part{Account: id.Account, Part: reward.Part{
			Kind: reward.TransactionPart, ID: w.request.Parts[i].ID, Data: partData, Settled: 1 << 60,
		}})
	}
	for _, account := range w.request.Accounts {
		w.changes.Accounts = append(w.changes.Accounts, durable.AccountRow{
			Account: account, Program: "everyday", Version: w.versions[account], Base: base[account], Last: w.last[account], Due: 1 << 60, Head: head,
		})
	}
}

var batches = []int{64, 256, 1000, 10_000}

// BenchmarkUpdate is units of work with everything that they look up.
func BenchmarkUpdate(b *testing.B) {
	for _, batch := range batches {
		b.Run(strconv.Itoa(batch), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "recoup.db"), sqlite.Options{})
			w := newWork()
			update := func() {
				w.next(batch)
				err := db.Update(context.Background(), func(tx durable.Tx) error {
					found, err := tx.Load(context.Background(), &w.request)
					if err != nil {
						return err
					}
					w.answer(found.Numbers)
					return tx.Write(context.Background(), &w.changes)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			for w.n < warm {
				update()
			}
			b.ReportAllocs()
			before := w.n
			for b.Loop() {
				update()
			}
			b.ReportMetric(float64(w.n-before)/b.Elapsed().Seconds(), "events/s")
			b.StopTimer()
		})
	}
}

// warm is how many events there are before the clock starts.
const warm = 200_000

// BenchmarkInsert writes the same rows, each to its table, with database/sql and
// prepared statements, and looks up nothing.
func BenchmarkInsert(b *testing.B) {
	for _, batch := range batches {
		b.Run(strconv.Itoa(batch), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "recoup.db"), sqlite.Options{})
			w := newWork()
			number := int64(0)
			prepare := func(statement string) *sql.Stmt {
				s, err := db.DB().Prepare(statement)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				return s
			}
			event := prepare(`INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
			identity := prepare(`INSERT INTO identities VALUES (?, ?, ?, ?)`)
			part := prepare(`INSERT INTO transactions VALUES (?, ?, 0, NULL, ?, NULL, ?)`)
			account := prepare(`INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET version = excluded.version, last = excluded.last, due = excluded.due, head = excluded.head`)
			insert := func() {
				w.next(batch)
				numbers := make([]int64, batch)
				for i := range numbers {
					number++
					numbers[i] = number
				}
				w.answer(numbers)
				tx, err := db.DB().Begin()
				if err != nil {
					b.Fatal(err)
				}
				exec := func(s *sql.Stmt, args ...any) {
					if _, err := s.Exec(args...); err != nil {
						b.Fatal(err)
					}
				}
				e, id, p, a := tx.Stmt(event), tx.Stmt(identity), tx.Stmt(part), tx.Stmt(account)
				for _, x := range w.changes.Events {
					exec(e, x.Number, x.Account, x.Sequence, x.Before, int64(x.Received), x.Source, x.ID, x.Type, int64(x.Outcome), int64(x.Code), x.Event, x.Postings)
					exec(id, x.Account, x.Source, x.ID, x.Number)
				}
				for _, x := range w.changes.Parts {
					exec(p, x.Account, x.ID, int64(x.Settled), x.Data)
				}
				for _, x := range w.changes.Accounts {
					exec(a, x.Account, x.Program, x.Version, x.Last, int64(x.Due), x.Head)
				}
				if err := tx.Commit(); err != nil {
					b.Fatal(err)
				}
			}
			for w.n < warm {
				insert()
			}
			before := w.n
			for b.Loop() {
				insert()
			}
			b.ReportMetric(float64(w.n-before)/b.Elapsed().Seconds(), "events/s")
			b.StopTimer()
		})
	}
}
