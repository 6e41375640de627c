package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"recoup/reward"
)

// What clients do to one account of the program everyday-like below: purchases
// that earn 10 %, refunds that take it back, redemptions, redemptions that come
// back, and looking.
type act struct {
	kind   actKind
	slot   int // of the purchase
	amount int64
}

type actKind int

const (
	settle actKind = iota
	refund
	redeem
	giveBack // a redemption
	look
)

// answer is what a client was told: whether a redemption was paid, and what is
// on the account if it looked.
type answer struct {
	paid              bool
	balance, redeemed int64
}

// slots is how many purchases there are.
const slots = 6

// oneAccount is what the account is at a moment. Reversed may pass what was
// bought, then the rest of it has no effect.
type oneAccount struct {
	bought, reversed  [slots]int64
	balance, redeemed int64
}

// reward of a purchase, of which 10 % is kept on what is not reversed.
func (a *oneAccount) reward(slot int) int64 {
	return max(0, a.bought[slot]-a.reversed[slot]) / 10
}

// held is what may not be redeemed: the reward that refunds of purchases which have
// not come would take of those that have. All amounts are of ten units and more.
func (a *oneAccount) held() int64 {
	var waiting, kept int64
	for slot := range slots {
		if a.bought[slot] == 0 {
			waiting += a.reversed[slot]
		} else {
			kept += max(0, a.bought[slot]-a.reversed[slot])
		}
	}
	return min(waiting, kept) / 10
}

// linear is the account as if everything were done one after the other.
var linear = porcupine.Model{
	Init: func() any { return oneAccount{} },
	Step: func(state, input, output any) (bool, any) {
		a, do, told := state.(oneAccount), input.(act), output.(answer)
		before := a.reward(do.slot)
		switch do.kind {
		case settle:
			a.bought[do.slot] = do.amount
		case refund:
			a.reversed[do.slot] += do.amount
		case redeem:
			if told.paid != (do.amount <= a.balance-a.held()) {
				return false, a
			}
			if told.paid {
				a.balance -= do.amount
				a.redeemed += do.amount
			}
		case giveBack:
			a.balance += do.amount
			a.redeemed -= do.amount
		case look:
			return told.balance == a.balance && told.redeemed == a.redeemed, a
		}
		a.balance += a.reward(do.slot) - before
		return true, a
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v → %+v", input, output) },
}

// tenPercent is a program that the model above is of.
var tenPercent = []byte(`id: ten
currency: USD
timing: {grant: settlement, clawback: refund}
clawback_method: proportional
cycle: calendar_month
maturity_days: 0
refunds: {pending_days: 30, match_days: 10, park_days: 30, window_days: 400, firm_days: 180}
redemption: {minimum_balance: 0, grace_days: 0}
rules:
  - {id: base, rate: 10%}
`)

// history is what clients did to one account and were told, and when.
type history struct {
	start time.Time
	mu    sync.Mutex
	list  []porcupine.Operation
}

func (h *history) record(client int, do act, what func() (answer, error)) error {
	call := time.Since(h.start)
	var told answer
	err := unlocked(func() (err error) {
		told, err = what()
		return err
	})
	back := time.Since(h.start)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, porcupine.Operation{ClientId: client, Input: do, Output: told, Call: int64(call), Return: int64(back)})
	return nil
}

// contend has many clients do things to one account, each by one of the services,
// and returns the history.
func contend(t *testing.T, clients []*client, account string, many, each int, seed uint64) []porcupine.Operation {
	t.Helper()
	h := &history{start: time.Now()}
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			w := contender{clients[i%len(clients)], account, i, rand.New(rand.NewPCG(seed, uint64(i))), nil}
			if i < slots {
				if err := h.record(i, act{settle, i, 30_000}, w.doing(act{settle, i, 30_000}, each)); err != nil {
					t.Errorf("client %d: %v", i, err)
				}
			}
			for n := range each {
				do := w.choose()
				if err := h.record(i, do, w.doing(do, n)); err != nil {
					t.Errorf("client %d, %+v: %v", i, do, err)
					return
				}
			}
		})
	}
	group.Wait()
	return h.list
}

// contender is one of the clients.
type contender struct {
	*client
	account string
	number  int
	draw    *rand.Rand
	paid    []payment // what it was paid and has not given back
}

type payment struct {
	id     string
	amount int64
}

func (w *contender) choose() act {
	switch n := w.draw.IntN(20); {
	case n < 10:
		return act{redeem, 0, 100 * int64(1+w.draw.IntN(15))}
	case n < 13:
		return act{refund, w.draw.IntN(slots), 1000 * int64(1+w.draw.IntN(8))}
	case n < 16 && len(w.paid) > 0:
		return act{giveBack, 0, w.paid[0].amount}
	}
	return act{kind: look}
}

// doing is how the client does it; half of the redemptions are events.
func (w *contender) doing(do act, n int) func() (answer, error) {
	id := fmt.Sprintf("%d-%d", w.number, n)
	path := "/v1/accounts/" + w.account
	e := reward.Event{Source: "e2e", ID: "e-" + id, Account: w.account, Time: end, Currency: "USD", Amount: do.amount, HasAmount: true}
	switch do.kind {
	case settle:
		// Each of its own merchant, so that what is refunded above its amount is lost.
		e.Type, e.Transaction, e.Merchant = reward.TransactionSettled, fmt.Sprintf("t-%d", do.slot), fmt.Sprintf("m-%d", do.slot)
		return func() (answer, error) { return answer{}, w.deliver(e, "applied") }
	case refund:
		e.Type, e.Transaction, e.Fact = reward.RefundPosted, fmt.Sprintf("t-%d", do.slot), "r-"+id
		return func() (answer, error) {
			return answer{}, w.deliver(e, "applied", "applied over_refund", "parked transaction_unknown")
		}
	case redeem:
		e.Type, e.Fact = reward.RedemptionRequested, "p-"+id
		if w.draw.IntN(2) == 0 {
			return func() (answer, error) { return w.redeemByEvent(e) }
		}
		return func() (answer, error) { return w.redeemByRequest(path, "p-"+id, do.amount) }
	case giveBack:
		back := w.paid[0]
		w.paid = w.paid[1:]
		return func() (answer, error) {
			_, _, err := w.order(path+"/redemptions/"+back.id+"/reversal", "back-"+back.id, "")
			return answer{}, err
		}
	}
	return func() (answer, error) {
		var s state
		err := w.get(path, &s)
		return answer{balance: s.Balance, redeemed: s.Redeemed}, err
	}
}

func (w *contender) deliver(e reward.Event, expected ...string) error {
	got, err := w.send(single, linesOf([]reward.Event{e}))
	if err != nil {
		return err
	}
	for _, one := range expected {
		if got[0].String() == one {
			return nil
		}
	}
	return fmt.Errorf("%s, expected one of %q", got[0], expected)
}

func (w *contender) redeemByEvent(e reward.Event) (answer, error) {
	got, err := w.send(single, linesOf([]reward.Event{e}))
	if err != nil {
		return answer{}, err
	}
	switch got[0].String() {
	case "applied":
		w.paid = append(w.paid, payment{e.Fact, e.Amount})
		return answer{paid: true}, nil
	case "rejected insufficient_balance":
		return answer{}, nil
	}
	return answer{}, fmt.Errorf("a redemption is %s", got[0])
}

func (w *contender) redeemByRequest(path, id string, amount int64) (answer, error) {
	body, _ := json.Marshal(map[string]any{"redemption": id, "amount": amount, "currency": "USD"})
	status, text, err := w.order(path+"/redemptions", "redeem-"+id, string(body))
	switch {
	case status == 201:
		w.paid = append(w.paid, payment{id, amount})
		return answer{paid: true}, nil
	case status == 409:
		return answer{}, nil
	}
	return answer{}, fmt.Errorf("a redemption is answered with %d %s: %v", status, text, err)
}

// linearizable fails the test unless the history is as if everything had been
// done one after the other.
func linearizable(t *testing.T, list []porcupine.Operation) {
	t.Helper()
	var paid, denied, looks int
	for _, o := range list {
		switch {
		case o.Input.(act).kind == look:
			looks++
		case o.Input.(act).kind == redeem && o.Output.(answer).paid:
			paid++
		case o.Input.(act).kind == redeem:
			denied++
		}
	}
	result, _ := porcupine.CheckOperationsVerbose(linear, list, patience)
	t.Logf("%d operations: %d redemptions paid, %d denied, %d looks: %v", len(list), paid, denied, looks, result)
	if result != porcupine.Ok {
		t.Errorf("the history is not known to be linearizable: %v", result)
	}
	if paid == 0 || denied == 0 {
		t.Error("a history in which nobody is paid, or nobody is denied, shows nothing")
	}
}

// open opens an account under the program ten.
func (c *client) open(t *testing.T, account string) {
	t.Helper()
	noError(t, c.put("ten", tenPercent))
	got, err := c.send(single, linesOf([]reward.Event{{Source: "e2e", ID: "opening", Account: account, Type: reward.AccountOpened, Time: end, Fact: "ten"}}))
	noError(t, err)
	if got[0].String() != "applied" {
		t.Fatalf("account.opened is %s", got[0])
	}
}

func TestManyClientsRedeemOneBalance(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, untimely, "--program", programFile(t))
		c := s.client(t)
		before := c.goroutines(t)
		for round := range often(3, 60) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			account := fmt.Sprintf("shared-%d", round)
			c.open(t, account)
			linearizable(t, contend(t, []*client{c}, account, 10, 25, seed))
		}
		c.http.CloseIdleConnections()
		eventually(t, "goroutines end with what they were for", func() error {
			if after := c.goroutines(t); after > before+20 {
				return fmt.Errorf("%d goroutines, %d before", after, before)
			}
			return nil
		})
		s.stop(t)
		verified(t, db)
	})
}

// goroutines is how many the service has, by its own metrics.
func (c *client) goroutines(t *testing.T) (n int) {
	t.Helper()
	_, text, err := c.ask(http.MethodGet, "/metrics", "", nil, nil)
	noError(t, err)
	_, rest, _ := strings.Cut(string(text), "\ngo_goroutines ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatalf("expected go_goroutines among the metrics: %v", err)
	}
	return n
}

// TestBadHistoriesAreFound feeds the check what must not be.
func TestBadHistoriesAreFound(t *testing.T) {
	op := func(call, back int64, do act, told answer) porcupine.Operation {
		return porcupine.Operation{Input: do, Output: told, Call: call, Return: back}
	}
	bought := op(0, 1, act{settle, 0, 1000}, answer{}) // earns 100
	for _, c := range []struct {
		name string
		ok   bool
		list []porcupine.Operation
	}{
		{"one of two side by side is paid", true, []porcupine.Operation{bought,
			op(2, 9, act{redeem, 0, 100}, answer{paid: true}), op(3, 8, act{redeem, 0, 100}, answer{})}},
		{"both are paid", false, []porcupine.Operation{bought,
			op(2, 9, act{redeem, 0, 100}, answer{paid: true}), op(3, 8, act{redeem, 0, 100}, answer{paid: true})}},
		{"neither is paid", false, []porcupine.Operation{bought,
			op(2, 9, act{redeem, 0, 100}, answer{}), op(3, 8, act{redeem, 0, 100}, answer{})}},
		{"paid after the refund was acknowledged", false, []porcupine.Operation{bought,
			op(2, 3, act{refund, 0, 1000}, answer{}), op(4, 5, act{redeem, 0, 100}, answer{paid: true})}},
		{"paid before a refund that is under way", true, []porcupine.Operation{bought,
			op(2, 9, act{refund, 0, 1000}, answer{}), op(3, 5, act{redeem, 0, 100}, answer{paid: true}),
			op(10, 11, act{kind: look}, answer{balance: -100, redeemed: 100})}},
		{"an old balance is shown", false, []porcupine.Operation{bought,
			op(2, 3, act{redeem, 0, 60}, answer{paid: true}), op(4, 5, act{kind: look}, answer{balance: 100})}},
		{"what came back is paid again", true, []porcupine.Operation{bought,
			op(2, 3, act{redeem, 0, 100}, answer{paid: true}), op(4, 5, act{giveBack, 0, 100}, answer{}), op(6, 7, act{redeem, 0, 100}, answer{paid: true})}},
	} {
		if got := porcupine.CheckOperations(linear, c.list); got != c.ok {
			t.Errorf("%s: %t, want %t", c.name, got, c.ok)
		}
	}
}
