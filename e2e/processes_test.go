package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/reward"
)

// manyProcesses runs a test on PostgreSQL: a folder is held by one process.
func manyProcesses(t *testing.T, test func(t *testing.T, db string)) {
	t.Parallel()
	test(t, pgtest.Shared(t).NewDatabase(t))
}

// TestProcessesShareAccounts has several processes on one database take
// settlements and refunds of the same accounts, some events at both of them at
// the same moment, and kills one on the way.
func TestProcessesShareAccounts(t *testing.T) {
	manyProcesses(t, func(t *testing.T, db string) {
		program := programFile(t)
		here, there := serve(t, db, untimely, "--program", program), serve(t, db, untimely, "--program", program)
		clients := []*client{here.client(t), there.client(t)}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		accounts := []string{"both-0", "both-1", "both-2"}
		for _, a := range accounts {
			clients[0].open(t, a)
		}
		tills := make([]*till, 6)
		each := often(60, 1500)
		var group sync.WaitGroup
		for i := range tills {
			tills[i] = &till{number: i, accounts: accounts, clients: clients, at: i % 2, draw: rand.New(rand.NewPCG(seed, uint64(i)))}
			group.Go(func() {
				for n := range each {
					if i == 0 && n == each/2 {
						there.kill()
					}
					tills[i].step(n)
				}
			})
		}
		group.Wait()
		for _, w := range tills {
			for _, wrong := range w.wrong {
				t.Errorf("till %d: %s", w.number, wrong)
			}
		}
		for _, a := range accounts {
			got, err := clients[0].state(a, 200)
			noError(t, err)
			compareTills(t, a, got, tills)
		}
		here.stop(t)
		verified(t, db)
	})
}

// till sells and takes back, of accounts that it shares with others. When a
// service is gone it goes to the other.
type till struct {
	number   int
	accounts []string
	clients  []*client
	at       int
	draw     *rand.Rand
	sent     []reward.Event // each acknowledged, once
	wrong    []string
}

// step makes up an event and has it taken: a sale, or a refund of any till's
// sale, which may not be there yet.
func (w *till) step(n int) {
	e := reward.Event{
		Source: fmt.Sprintf("till-%d", w.number), ID: fmt.Sprintf("e-%d", n), Account: w.accounts[w.draw.IntN(len(w.accounts))],
		Time: end, Currency: "USD", HasAmount: true,
	}
	if n%2 == 0 {
		// Each of its own merchant, so that what is refunded above its amount is lost.
		e.Type, e.Transaction, e.Amount = reward.TransactionSettled, fmt.Sprintf("t-%d-%d", w.number, n), 20_000
		e.Merchant = e.Transaction
	} else {
		e.Type, e.Fact = reward.RefundPosted, fmt.Sprintf("r-%d-%d", w.number, n)
		e.Transaction, e.Amount = fmt.Sprintf("t-%d-%d", w.draw.IntN(6), w.draw.IntN(n+2)&^1), 1000*int64(1+w.draw.IntN(12))
	}
	w.sent = append(w.sent, e)
	line := linesOf([]reward.Event{e})
	if w.draw.IntN(3) == 0 {
		w.both(line)
		return
	}
	for range 3 {
		got, err := w.clients[w.at].send(single, line)
		if err != nil {
			w.at = 1 - w.at
			continue
		}
		if o := got[0].String(); strings.HasPrefix(o, "rejected") || strings.HasPrefix(o, "ignored") {
			w.wrong = append(w.wrong, fmt.Sprintf("%s is %s", line, o))
		}
		return
	}
	w.wrong = append(w.wrong, "nobody takes "+line[0])
}

// both sends an event to both services at the same moment: it is taken once.
func (w *till) both(line []string) {
	var answers [2]string
	var failed [2]error
	var group sync.WaitGroup
	for i, c := range w.clients {
		group.Go(func() {
			got, err := c.send(single, line)
			if failed[i] = err; err == nil {
				answers[i] = got[0].String()
			}
		})
	}
	group.Wait()
	if failed[0] != nil {
		w.wrong = append(w.wrong, fmt.Sprintf("%s: %v", line, failed[0])) // the one that is not killed
	} else if failed[1] == nil && (answers[0] == "duplicate") == (answers[1] == "duplicate") {
		w.wrong = append(w.wrong, fmt.Sprintf("%s is %s here and %s there", line, answers[0], answers[1]))
	}
}

// compareTills compares an account with what the tills sent, added up by hand.
func compareTills(t *testing.T, account string, got state, tills []*till) {
	t.Helper()
	bought, back := make(map[string]int64), make(map[string]int64)
	for _, w := range tills {
		for _, e := range w.sent {
			switch {
			case e.Account != account:
			case e.Type == reward.TransactionSettled:
				bought[e.Transaction] = e.Amount
			default:
				back[e.Transaction] += e.Amount
			}
		}
	}
	var balance int64
	for id, amount := range bought {
		balance += (amount - min(amount, back[id])) / 10
	}
	if got.Balance != balance {
		t.Errorf("account %s has a balance of %d, by hand it is %d", account, got.Balance, balance)
	}
	for _, tx := range got.Transactions {
		if amount := bought[tx.ID]; tx.Amount != amount || tx.Reversed != min(amount, back[tx.ID]) {
			t.Errorf("account %s: %+v, but %d was bought and %d came back", account, tx, amount, back[tx.ID])
		}
		delete(bought, tx.ID)
	}
	if len(bought) > 0 {
		t.Errorf("account %s: %d purchases are missing", account, len(bought))
	}
}

func TestProcessesRedeemOneBalance(t *testing.T) {
	manyProcesses(t, func(t *testing.T, db string) {
		program := programFile(t)
		var clients []*client
		for range 2 {
			clients = append(clients, serve(t, db, untimely, "--program", program).client(t))
		}
		for round := range often(2, 60) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			account := fmt.Sprintf("shared-%d", round)
			clients[0].open(t, account)
			// The other process learns of the program a little later.
			eventually(t, "both know the program", func() error {
				return errors.Join(clients[0].get("/v1/programs/ten", new(any)), clients[1].get("/v1/programs/ten", new(any)))
			})
			linearizable(t, contend(t, clients, account, 10, 25, seed))
		}
		verified(t, db)
	})
}
