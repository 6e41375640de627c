package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/postgres"
	"recoup/internal/store/shards"
	"recoup/reward"
)

// ledgers are the kinds of database that a broken account is looked at in: each new one
// with its URL, and for PostgreSQL the URLs of the schemas that it is in.
var ledgers = []struct {
	name string
	make func(testing.TB) (db string, schemas []string)
}{
	{"pebble", func(t testing.TB) (string, []string) { return filepath.Join(t.TempDir(), "data"), nil }},
	{"postgres", func(t testing.TB) (string, []string) {
		url := pgtest.Shared(t).NewDatabase(t)
		return url, []string{url}
	}},
	{"shards", func(t testing.TB) (string, []string) {
		file, _ := newShards(t, 3)
		f, err := shards.ReadFile(file)
		noError(t, err)
		var urls []string
		for _, s := range f.Shards {
			urls = append(urls, s.URL+"&search_path="+s.Schema)
		}
		return file, urls
	}},
}

// opened opens a database that no service holds.
func opened(t *testing.T, db string) *durable.Database {
	t.Helper()
	switch {
	case strings.HasPrefix(db, "postgres"):
		d, err := postgres.Open(context.Background(), db, postgres.Options{})
		noError(t, err)
		return durable.One(d)
	case strings.HasSuffix(db, ".yaml"):
		f, err := shards.ReadFile(db)
		noError(t, err)
		d, err := shards.Open(context.Background(), db, f, shards.Options{})
		noError(t, err)
		return d
	}
	d, err := pebble.Open(context.Background(), db, pebble.Options{})
	noError(t, err)
	return durable.One(d)
}

// garble overwrites the head of an account's row.
func garble(t *testing.T, db, account string) {
	t.Helper()
	d := opened(t, db)
	err := d.Lanes()[d.LaneOf(account)].Update(context.Background(), func(tx durable.Tx) error {
		found, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{account}, Held: []int64{-1}})
		if err != nil {
			return err
		}
		row := found.Accounts[0]
		row.Base, row.Head = row.Version, []byte("garbled")
		return tx.Write(context.Background(), &durable.Changes{Accounts: []durable.AccountRow{row}})
	})
	noError(t, errors.Join(err, d.Close()))
}

// crowd is how many accounts there are, and how many send at the same time.
const crowd, senders = 200, 16

func member(n int) string { return fmt.Sprintf("crowd-%d", n) }

// purchaseOf is a purchase of an account that nobody made before.
func purchaseOf(account, id string) reward.Event {
	return reward.Event{
		Source: "e2e", ID: id, Account: account, Type: reward.TransactionSettled, Time: end,
		Transaction: id, Merchant: id, Currency: "USD", Amount: 1000, HasAmount: true,
	}
}

// figures are how those fared who have nothing to do with a broken account.
type figures struct {
	began   time.Time
	mu      sync.Mutex
	took    []time.Duration
	failed  int
	refused map[string]int // by code, of the broken accounts
	why     error
}

// sendTo has many senders post purchases of all accounts, one by one, until so many of the
// sound ones were answered.
func sendTo(c *client, name string, broken func(account string) bool, n int) *figures {
	f := &figures{began: time.Now(), refused: make(map[string]int)}
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for k := 0; ; k++ {
				account := member(rand.IntN(crowd))
				began := time.Now()
				_, err := c.send(single, linesOf([]reward.Event{purchaseOf(account, fmt.Sprintf("%s-%d-%d", name, i, k))}))
				took := time.Since(began)
				f.mu.Lock()
				var p *problem
				switch {
				case errors.As(err, &p) && p.Code == "account_locked", broken(account):
					code := "none"
					if errors.As(err, &p) {
						code = p.Code
					}
					f.refused[code]++
				case err != nil:
					f.failed, f.why = f.failed+1, err
					fallthrough
				default:
					f.took = append(f.took, took)
				}
				enough := len(f.took) >= n
				f.mu.Unlock()
				if enough {
					return
				}
			}
		})
	}
	all.Wait()
	slices.Sort(f.took)
	return f
}

// fare expects those who are not concerned to have gone on as they did when nothing was
// wrong: none was later by more than a second, and what the machine itself is late by.
func (f *figures) fare(t *testing.T, what string, usual *figures, m *machine) {
	t.Helper()
	n := len(f.took)
	now := time.Now()
	allowed := m.allows(usual.latest(), f.began, now)
	t.Logf("%s: %d requests of others, %d failed, median %v, 99%% %v, latest %v, with nothing wrong %v; machine: %v; refused: %v",
		what, n, f.failed, f.took[n/2], f.took[n*99/100], f.latest(), usual.latest(), m.worst(f.began, now), f.refused)
	if f.failed*100 > mostFailed*n {
		t.Errorf("%s: %d of %d requests of others failed, such as with %v", what, f.failed, n, f.why)
	}
	if latest := f.latest(); latest > allowed {
		t.Errorf("%s: the latest answer to others took %v, allowed are %v", what, latest, allowed)
	}
}

func (f *figures) latest() time.Duration { return f.took[len(f.took)-1] }

// alerts are the accounts on the list, with their reasons.
func (c *client) alerts(t *testing.T) (list []string) {
	t.Helper()
	var got struct {
		Alerts []struct{ Account, Reason string }
	}
	noError(t, c.get("/v1/alerts", &got))
	for _, a := range got.Alerts {
		list = append(list, a.Account+" "+a.Reason)
	}
	return list
}

// applied waits until a purchase of an account is applied.
func (c *client) applied(t *testing.T, account, id string) {
	t.Helper()
	eventually(t, account+" is let in again", func() error {
		_, err := c.send(single, linesOf([]reward.Event{purchaseOf(account, id)}))
		return err
	})
}

// TestTheOthersGoOnBesideABrokenAccount damages one of 200 accounts, and has another locked
// by somebody who does not let go. Their senders are told so at once; nobody else notices.
// The damaged one is made anew beside the service, and everything is as it should be.
func TestTheOthersGoOnBesideABrokenAccount(t *testing.T) {
	t.Parallel()
	for _, ledger := range ledgers {
		t.Run(ledger.name, func(t *testing.T) {
			t.Parallel()
			db, schemas := ledger.make(t)
			program := programFile(t)
			s := serve(t, db, untimely, "--program", program)
			var events []reward.Event
			for n := range crowd {
				events = append(events, purchaseOf(member(n), fmt.Sprint("first-", n)))
			}
			_, err := s.client(t).send(batch, linesOf(events))
			noError(t, err)
			m := watchMachine(t, t.TempDir())
			usual := sendTo(s.client(t), "usual", func(string) bool { return false }, 500)
			s.stop(t)

			damaged, locked := member(7), member(9)
			garble(t, db, damaged)
			s = serve(t, db, untimely)
			c := s.client(t)
			sendTo(c, "damaged", func(account string) bool { return account == damaged }, 1500).fare(t, "one is damaged", usual, m)
			var p *problem
			if _, err := c.send(single, linesOf([]reward.Event{purchaseOf(damaged, "more")})); !errors.As(err, &p) || p.Code != "account_damaged" || p.Status != 500 || p.RetryAfter != "" {
				t.Errorf("the damaged account's sender is told %v", err)
			}
			if _, _, err := c.ask("GET", "/v1/accounts/"+damaged, "", nil, nil); !errors.As(err, &p) || p.Code != "account_damaged" {
				t.Errorf("who reads the damaged account is told %v", err)
			}
			got, err := c.send(batch, linesOf([]reward.Event{purchaseOf(member(1), "b1"), purchaseOf(damaged, "b2"), purchaseOf(member(2), "b3")}))
			if err != nil || len(got) != 3 || got[0].String() != "applied" || got[1].String() != "failed account_damaged" || got[2].String() != "applied" {
				t.Errorf("a batch with an event of it: %v, %v", got, err)
			}
			if got := c.alerts(t); !slices.Equal(got, []string{damaged + " damaged"}) {
				t.Errorf("alerts: %v", got)
			}
			if _, text, _ := c.ask("GET", "/metrics", "", nil, nil); !strings.Contains(string(text), `recoup_accounts_set_aside{reason="damaged"} 1`) {
				t.Error("the metrics do not count it")
			}
			if _, page, _ := c.ask("GET", "/console/", "", nil, nil); !strings.Contains(string(page), damaged) {
				t.Error("the console's overview does not show it")
			}
			if n := strings.Count(s.said.String(), "is damaged and set aside"); n != 1 {
				t.Errorf("the log tells of it %d times", n)
			}

			if got := command(t, "account", "rebuild", "--db", db, damaged); got.code != 0 {
				t.Fatalf("recoup account rebuild exits %d: %s", got.code, got.stderr)
			}
			c.applied(t, damaged, "more")
			if got := c.alerts(t); len(got) > 0 {
				t.Errorf("alerts after the account was made anew: %v", got)
			}

			if schemas != nil {
				release := holdRow(t, schemas, locked)
				sendTo(c, "locked", func(account string) bool { return account == locked }, 1500).fare(t, "one is locked", usual, m)
				if _, err := c.send(single, linesOf([]reward.Event{purchaseOf(locked, "more")})); !errors.As(err, &p) || p.Code != "account_locked" || p.Status != 423 || p.RetryAfter == "" {
					t.Errorf("the locked account's sender is told %v", err)
				}
				release()
				c.applied(t, locked, "more")
			}
			s.stop(t)
			verified(t, db)
		})
	}
}

// holdRow locks an account's row in a transaction that stays open until it is released.
func holdRow(t *testing.T, schemas []string, account string) (release func()) {
	t.Helper()
	ctx := context.Background()
	for _, url := range schemas {
		conn := connected(t, url)
		tx, err := conn.Begin(ctx)
		noError(t, err)
		var there bool
		switch err := tx.QueryRow(ctx, `SELECT true FROM accounts WHERE account = $1 FOR UPDATE`, account).Scan(&there); {
		case err == nil:
			return func() { noError(t, tx.Rollback(ctx)) }
		case !errors.Is(err, pgx.ErrNoRows):
			t.Fatal(err)
		}
		noError(t, tx.Rollback(ctx))
	}
	t.Fatalf("account %s is nowhere", account)
	return nil
}

// TestTheOthersGoOnBesideAStoppedProcess stops one of two processes at random moments under
// load, while it has accounts locked that both of them work on.
func TestTheOthersGoOnBesideAStoppedProcess(t *testing.T) {
	t.Parallel()
	db := pgtest.Start(t).NewDatabase(t)
	program := programFile(t)
	c := serve(t, db, untimely, "--program", program).client(t)
	var events []reward.Event
	for n := range crowd {
		events = append(events, purchaseOf(member(n), fmt.Sprint("first-", n)))
	}
	_, err := c.send(batch, linesOf(events))
	noError(t, err)
	m := watchMachine(t, t.TempDir())
	usual := sendTo(c, "usual", func(string) bool { return false }, 500)
	held := 0
	for round := 0; held == 0 && round < often(3, 5); round++ {
		peer := serve(t, db, untimely)
		going := make(chan struct{})
		go func() {
			defer close(going)
			sendTo(peer.client(t), fmt.Sprint("peer-", round), func(string) bool { return false }, 100_000)
		}()
		time.Sleep(500*time.Millisecond + rand.N(50*time.Millisecond))
		noError(t, peer.command.Process.Signal(syscall.SIGSTOP))
		f := sendTo(c, fmt.Sprint("other-", round), func(string) bool { return false }, 1500)
		for _, a := range c.alerts(t) {
			if strings.HasSuffix(a, " locked") {
				held++
			}
		}
		f.fare(t, fmt.Sprintf("round %d, %d accounts are held by a stopped process", round, held), usual, m)
		peer.kill()
		<-going
	}
	if held == 0 {
		t.Log("it never had an account locked when it was stopped")
	}
	eventually(t, "all are let in again", func() error {
		if list := c.alerts(t); len(list) > 0 {
			return fmt.Errorf("%v", list)
		}
		return nil
	})
	verified(t, db)
}
