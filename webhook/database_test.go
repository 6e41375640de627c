package webhook_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recoup/internal/pgtest"
	"recoup/reward"
	"recoup/store/durable"
	"recoup/store/pebble/pebbletest"
	"recoup/store/postgres"
	"recoup/webhook"
)

func TestMain(m *testing.M) {
	os.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // see TestNoProxyIsUsed
	goleak.VerifyTestMain(m,
		// They watch over the PostgreSQL server, which goes with the process.
		goleak.IgnoreAnyFunction("recoup/internal/pgcluster.(*Cluster).start.func1"),
		goleak.IgnoreAnyFunction("recoup/internal/pgcluster.(*Cluster).keepWatch.func1"))
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
	driver durable.Driver
	// again opens it once more, as another process would.
	again   func() durable.Driver
	written int
}

// databases runs a test on each database that there is.
func databases(t *testing.T, test func(t *testing.T, d *database)) {
	inSQLite(t, test)
	url := pgtest.NewSchema(t)
	on(t, "postgres", test, func(t *testing.T) (durable.Driver, error) {
		return postgres.Open(t.Context(), url, postgres.Options{Migrate: true})
	})
}

// inSQLite runs a test that no other database can change the result of.
func inSQLite(t *testing.T, test func(t *testing.T, d *database)) {
	path := filepath.Join(t.TempDir(), "recoup.db")
	on(t, "sqlite", test, func(t *testing.T) (durable.Driver, error) {
		return sqlite.Open(t.Context(), path, sqlite.Options{Migrate: true})
	})
}

func on(t *testing.T, name string, test func(t *testing.T, d *database), open func(t *testing.T) (durable.Driver, error)) {
	t.Run(name, func(t *testing.T) {
		again := func() durable.Driver {
			driver, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { driver.Close() })
			return driver
		}
		test(t, &database{clock: newClock(), driver: again(), again: again})
	})
}

func (d *database) outbox() *webhook.Outbox { return outboxOf(d, d.driver) }

// outboxOf is the outbox as the process sees it that has opened the driver.
func outboxOf(d *database, driver durable.Driver) *webhook.Outbox {
	return webhook.New(driver.DB(), driver.Rebind, d.now)
}

// notify writes notices about accounts, and their deliveries, with an event, due
// now. It returns the body of the last.
func (d *database) notify(t *testing.T, typ string, accounts ...string) (body string) {
	t.Helper()
	d.written++
	key := fmt.Sprintf("account-%d", d.written)
	var notices []durable.Notice
	for _, account := range accounts {
		body = fmt.Sprintf(`{"type":%q,"data":{"account":%q}}`, typ, account)
		notices = append(notices, durable.Notice{Account: account, Type: typ, Body: []byte(body)})
	}
	err := d.driver.Update(t.Context(), func(tx durable.Tx) error {
		found, err := tx.Load(t.Context(), &durable.Request{Accounts: []string{key}, Held: []int64{-1}, Numbers: 1})
		if err != nil {
			return err
		}
		number := found.Numbers[0]
		return tx.Write(t.Context(), &durable.Changes{
			Accounts: []durable.AccountRow{{Account: key, Program: "everyday", Version: 1, Last: number, Head: []byte("head")}},
			Events: []durable.EventRow{{Number: number, Account: key, Sequence: 1, Received: reward.At(d.now()), Source: "core", ID: "e1",
				Type: "transaction.settled", Outcome: reward.Applied, Event: []byte("{}")}},
			Notices: notices,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
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

func (d *database) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := d.driver.DB().Exec(d.driver.Rebind(statement), args...); err != nil {
		t.Fatal(err)
	}
}

// rows counts what a table holds.
func (d *database) rows(t *testing.T, table string) (n int) {
	t.Helper()
	if err := d.driver.DB().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// waiting is a delivery that is not done with.
type waiting struct {
	attempts, state int
	next            time.Time
	err             string
}

// delivery returns the only delivery of an endpoint that is not done with.
func (d *database) delivery(t *testing.T, endpoint string) (w waiting) {
	t.Helper()
	var next int64
	err := d.driver.DB().QueryRow(d.driver.Rebind(`SELECT attempts, state, next_at, error FROM deliveries WHERE endpoint = $1`), endpoint).
		Scan(&w.attempts, &w.state, &next, &w.err)
	if err != nil {
		t.Fatal(err)
	}
	w.next = time.Unix(0, next).UTC()
	return w
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
