package bench

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"recoup/event"
	"recoup/ledger"
	"recoup/reward"
)

// Raw insertion writes the rows that the service leaves behind, in batches of the
// load's size and with the same Go driver, and does nothing else: no rules, no
// look at what is there, no decoding, no answer. For each event there is its row
// in the log with the postings, for each but redemptions and adjustments the row
// of its transaction or refund, and for each account in the batch its row, which
// is replaced.
const (
	rawAccounts = `CREATE TABLE raw_accounts (account TEXT PRIMARY KEY, version BIGINT NOT NULL, head BYTEA NOT NULL)`
	rawEvents   = `CREATE TABLE raw_events (number BIGINT PRIMARY KEY, sequence BIGINT NOT NULL, before BIGINT NOT NULL, received BIGINT NOT NULL,
		outcome SMALLINT NOT NULL, code SMALLINT NOT NULL, account TEXT NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
		event BYTEA NOT NULL, postings BYTEA, UNIQUE (account, source, id))`
	rawParts = `CREATE TABLE raw_parts (account TEXT NOT NULL, id TEXT NOT NULL, settled BIGINT, working BOOLEAN NOT NULL, data BYTEA NOT NULL, PRIMARY KEY (account, id))`
)

// The sizes of what the service keeps of a transaction and of an account with
// some history, in bytes.
const (
	partSize = 72
	headSize = 320
)

// rows are those of one batch, column by column.
type rows struct {
	numbers, sequences, before, received []int64
	outcomes, codes                      []int16
	accounts, sources, ids, types        []string
	events, postings                     [][]byte

	partAccounts, partIDs []string
	settled               []int64
	working               []bool
	parts                 [][]byte

	heads map[string][]byte // by account
	// The same, column by column.
	headAccounts []string
	headVersions []int64
	headData     [][]byte
}

// rowMaker makes batches of rows of one writer.
type rowMaker struct {
	*traffic
	numbers *atomic.Int64 // of events, shared with other writers
	filler  [headSize]byte
}

func newRowMaker(l *Load, writer int, numbers *atomic.Int64) *rowMaker {
	m := &rowMaker{traffic: newTraffic(writer, l.Accounts, l.Seed), numbers: numbers}
	for i := range m.filler {
		m.filler[i] = byte(m.random.Uint32()) // so that no database compresses it
	}
	return m
}

func (m *rowMaker) batch(n int) *rows {
	r := &rows{heads: make(map[string][]byte, n)}
	for range n {
		e := m.moment()
		number := m.numbers.Add(1)
		r.numbers, r.sequences, r.before, r.received = append(r.numbers, number), append(r.sequences, number), append(r.before, number-1), append(r.received, int64(e.Time))
		r.outcomes, r.codes = append(r.outcomes, int16(reward.Applied)), append(r.codes, int16(reward.NoCode))
		r.accounts, r.sources = append(r.accounts, e.Account), append(r.sources, e.Source)
		r.ids, r.types = append(r.ids, e.ID), append(r.types, e.Type.String())
		r.events, r.postings = append(r.events, event.Append(nil, &e)), append(r.postings, m.postings(&e, number))
		if e.Type != reward.RedemptionRequested && e.Type != reward.AdjustmentPosted {
			id := e.Transaction
			if e.Fact != "" {
				id = e.Fact
			}
			r.partAccounts, r.partIDs = append(r.partAccounts, e.Account), append(r.partIDs, id)
			r.settled, r.working = append(r.settled, int64(e.Time)), append(r.working, false)
			r.parts = append(r.parts, m.filler[:partSize])
		}
		if r.heads[e.Account] == nil {
			r.heads[e.Account] = m.filler[:]
			r.headAccounts, r.headVersions, r.headData = append(r.headAccounts, e.Account), append(r.headVersions, number), append(r.headData, m.filler[:])
		}
	}
	return r
}

// postings are about those that the event would cause.
func (m *rowMaker) postings(e *reward.Event, number int64) []byte {
	if e.Type == reward.TransactionAuthorized || e.Type == reward.RefundPending {
		return nil
	}
	at := e.Time
	p := reward.Posting{
		Number: number, At: at, Cycle: reward.CycleAt(at), Kind: reward.Grant, Source: e.Source, Event: e.ID, Transaction: e.Transaction,
		Program: "everyday", Version: 1, Rule: "base", Amount: 1 + e.Amount/100, Balance: 12_345,
	}
	if p.Transaction != "" {
		p.Formula = reward.Formula{Purchase: e.Amount, Base: e.Amount, Original: e.Amount / 100, After: e.Amount / 100, Rate: reward.MaxRate / 100, Cap: reward.NoCap, Used: 12_345}
	}
	return ledger.AppendPostings(nil, []reward.Posting{p})
}

// rawPostgres inserts through pgx: a batch is one exchange and one transaction.
func rawPostgres(l *Load, url string) func(context.Context) (*Measurement, error) {
	return func(ctx context.Context) (*Measurement, error) {
		config, err := pgxpool.ParseConfig(url)
		if err != nil {
			return nil, err
		}
		writers := min(l.Clients, rawWriters)
		config.MaxConns = int32(writers)
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		for _, s := range []string{rawAccounts, rawEvents, rawParts} {
			if _, err := pool.Exec(ctx, s); err != nil {
				return nil, err
			}
		}
		return rawLoop(ctx, l, writers, func(ctx context.Context, r *rows) error {
			b := new(pgx.Batch)
			b.Queue(`INSERT INTO raw_accounts (account, version, head)
				SELECT * FROM unnest($1::TEXT[], $2::INT8[], $3::BYTEA[]) AS k (account, version, head) ORDER BY account
				ON CONFLICT (account) DO UPDATE SET version = excluded.version, head = excluded.head`, r.headAccounts, r.headVersions, r.headData)
			b.Queue(`INSERT INTO raw_events SELECT * FROM unnest($1::INT8[], $2::INT8[], $3::INT8[], $4::INT8[], $5::INT2[], $6::INT2[],
				$7::TEXT[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::BYTEA[], $12::BYTEA[])`,
				r.numbers, r.sequences, r.before, r.received, r.outcomes, r.codes, r.accounts, r.sources, r.ids, r.types, r.events, r.postings)
			if len(r.parts) > 0 {
				b.Queue(`INSERT INTO raw_parts SELECT * FROM unnest($1::TEXT[], $2::TEXT[], $3::INT8[], $4::BOOL[], $5::BYTEA[])
					ON CONFLICT (account, id) DO UPDATE SET settled = excluded.settled, working = excluded.working, data = excluded.data`,
					r.partAccounts, r.partIDs, r.settled, r.working, r.parts)
			}
			return pool.SendBatch(ctx, b).Close()
		})
	}
}

// rawWriters is how many insert into PostgreSQL at the same time.
const rawWriters = 8

func rawLoop(ctx context.Context, l *Load, writers int, write func(context.Context, *rows) error) (*Measurement, error) {
	var numbers atomic.Int64
	makers := make([]*rowMaker, writers)
	for w := range makers {
		makers[w] = newRowMaker(l, w, &numbers)
	}
	return loop(ctx, l, writers, func(ctx context.Context, w int) (int, error) {
		return l.Batch, write(ctx, makers[w].batch(l.Batch))
	})
}
