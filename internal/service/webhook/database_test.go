package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recoup/internal/kit/brokertest"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/outbox"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

func TestMain(m *testing.M) {
	brokertest.Main()
	if place := os.Getenv(childOf); place != "" {
		sendUntilKilled(place)
		return
	}
	os.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // see TestNoProxyIsUsed
	goleak.VerifyTestMain(m,
		// They watch over the PostgreSQL server, which goes with the process.
		goleak.IgnoreAnyFunction("recoup/internal/kit/pgcluster.(*Cluster).start.func1"),
		goleak.IgnoreAnyFunction("recoup/internal/kit/pgcluster.(*Cluster).keepWatch.func1"))
}

// clock is a time that the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(by)
}

// database is one that several processes share.
type database struct {
	*clock
	durable.Driver
	// again opens it once more, as another process would.
	again   func() record.Store
	written int64 // number of the last event
}

// databases runs a test on each database that there is.
func databases(t *testing.T, test func(t *testing.T, d *database)) {
	inPebble(t, test)
	t.Run("postgres", func(t *testing.T) {
		url := pgtest.NewSchema(t)
		open := func() durable.Driver {
			db, err := postgres.Open(t.Context(), url, postgres.Options{Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
		test(t, &database{clock: newClock(), Driver: open(), again: func() record.Store { return open() }})
	})
}

// inPebble runs a test that no other database can change the result of.
func inPebble(t *testing.T, test func(t *testing.T, d *database)) {
	t.Run("pebble", func(t *testing.T) {
		db := pebbletest.Open(t)
		test(t, &database{clock: newClock(), Driver: db, again: func() record.Store { return db }})
	})
}

// outbox is that of the database itself.
func (d *database) outbox() *webhook.Outbox { return d.outboxOf(d.Driver) }

// outboxOf is the outbox as the process sees it whose database is given.
func (d *database) outboxOf(db record.Store) *webhook.Outbox {
	return webhook.New(db, func() []record.Store { return []record.Store{db} }, d.now)
}

// process returns the database as one more process has it.
func (d *database) process() *process { return newProcess(d.again()) }

// process is a database as a process has it that may lose it, for a while or for good
// because it dies.
type process struct {
	record.Store
	lost  atomic.Bool
	looks chan bool // has an element when it has read something
}

func newProcess(db record.Store) *process { return &process{Store: db, looks: make(chan bool, 1)} }

var errLost = errors.New("there is no database")

func (p *process) Read(ctx context.Context, f func(record.Reader) error) error {
	if p.lost.Load() {
		return errLost
	}
	defer func() {
		select {
		case p.looks <- true:
		default:
		}
	}()
	return p.Store.Read(ctx, f)
}

func (p *process) Change(ctx context.Context, f func(record.Tx) error) error {
	if p.lost.Load() {
		return errLost
	}
	return p.Store.Change(ctx, f)
}

// lookAround waits until the process has looked for work from beginning to end.
func (p *process) lookAround(t *testing.T) {
	t.Helper()
	for range 8 {
		await(t, p.looks, "a process that looks for work")
	}
}

// notify writes what the store writes of an event with a notice about each account, due
// now. It returns the body of the last.
func (d *database) notify(t *testing.T, typ string, accounts ...string) (body string) {
	t.Helper()
	return d.notifyOf(t, d, typ, accounts...)
}

// notifyOf does so in a lane whose home is another database.
func (d *database) notifyOf(t *testing.T, home *database, typ string, accounts ...string) (body string) {
	t.Helper()
	d.written++
	var endpoints []outbox.Endpoint
	home.read(t, func(r record.Reader) (err error) {
		endpoints, err = outbox.Listed(t.Context(), r)
		return err
	})
	d.change(t, func(tx record.Tx) (err error) {
		var list []record.Record
		for i, account := range accounts {
			body = fmt.Sprintf(`{"type":%q,"data":{"account":%q}}`, typ, account)
			n := outbox.Notice{Event: d.written, Place: int64(i), Account: account, Type: typ, Created: d.now().UnixNano(), Body: []byte(body)}
			if list, err = outbox.Write(list, endpoints, n); err != nil {
				return err
			}
		}
		for _, r := range list {
			tx.Put(r.Table, r.Key, r.Value)
		}
		return nil
	})
	return body
}

// many are accounts.
func many(n int) []string {
	accounts := make([]string, n)
	for i := range accounts {
		accounts[i] = fmt.Sprintf("a%d", i)
	}
	return accounts
}

func (d *database) change(t *testing.T, f func(record.Tx) error) {
	t.Helper()
	if err := d.Change(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func (d *database) read(t *testing.T, f func(record.Reader) error) {
	t.Helper()
	if err := d.Read(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// left are all deliveries that are not done with.
func (d *database) left(t *testing.T) (list []outbox.Delivery) {
	t.Helper()
	d.read(t, func(r record.Reader) (err error) {
		list, err = outbox.Deliveries.List(t.Context(), r, record.Span{}, 10_000)
		return err
	})
	return list
}

// waiting is a delivery that is not done with.
type waiting struct {
	attempts int64
	next     time.Time
	err      string
}

// delivery returns the only delivery to an endpoint that is not done with.
func (d *database) delivery(t *testing.T, endpoint string) waiting {
	t.Helper()
	var list []outbox.Delivery
	d.read(t, func(r record.Reader) (err error) {
		list, err = outbox.Deliveries.List(t.Context(), r, outbox.To(endpoint), 2)
		return err
	})
	if len(list) != 1 {
		t.Fatalf("the deliveries that are not done with are %+v, expected one", list)
	}
	return waiting{list[0].Attempts, time.Unix(0, list[0].Next).UTC(), list[0].Error}
}

// add adds an endpoint on this machine.
func add(t *testing.T, o *webhook.Outbox, url string, types ...string) (webhook.Endpoint, string) {
	t.Helper()
	e, secret, err := o.Add(context.Background(), url, types, true)
	if err != nil {
		t.Fatal(err)
	}
	return e, secret
}
