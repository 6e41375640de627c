// Command adapter is an example of what a reward program's team writes so that
// `recoup probe` can look into their program: some hundred lines that translate
// the prober's calls (`recoup probe --openapi` describes them) to the program's
// own interface. This one stands in front of a running `recoup serve`. Copy it,
// and replace what is below "The program".
//
//	recoup serve --dev --db sqlite:sandbox.db --close-after 800000h
//	go run ./examples/adapter
//	recoup probe --target http://127.0.0.1:9000
//
// The service must not close cycles by its own clock (--close-after), since in a
// sandbox the prober's clock decides.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// call is the body of any of the prober's calls. What it does not send is empty.
type call struct {
	Account, Transaction, Refund, Chargeback, Redemption, Merchant, Category string

	Amount int64 // minor units
	Now    time.Time
}

type object = map[string]any // any JSON object

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address to answer the prober on")
	service := flag.String("service", "http://127.0.0.1:8080", "address of recoup serve")
	flag.Parse()
	p := &program{service: *service}
	handle("GET /capabilities", func(call) (any, error) {
		return object{"currency": "USD", "can_set_clock": true, "chargebacks": true, "partial_refunds": true, "statement_close": "clock"}, nil
	})
	handle("POST /reset", p.reset)
	handle("POST /accounts", p.open)
	handle("POST /clock", p.clock)
	handle("POST /settlements", func(c call) (any, error) {
		return p.tell(c.Account, "transaction.settled", object{"transaction": c.Transaction, "amount": c.Amount, "currency": "USD", "merchant": c.Merchant, "category": c.Category})
	})
	handle("POST /refunds", func(c call) (any, error) {
		return p.tell(c.Account, "refund.posted", object{"refund": c.Refund, "transaction": c.Transaction, "amount": c.Amount, "currency": "USD", "merchant": c.Merchant})
	})
	handle("POST /chargebacks", func(c call) (any, error) {
		return p.tell(c.Account, "chargeback.posted", object{"chargeback": c.Chargeback, "transaction": c.Transaction, "amount": c.Amount})
	})
	handle("POST /redemptions", func(c call) (any, error) {
		said, err := p.event(c.Account, "redemption.requested", object{"redemption": c.Redemption, "amount": c.Amount, "currency": "USD"})
		return object{"accepted": said.Outcome == "applied" || said.Outcome == "duplicate"}, err
	})
	handle("GET /accounts/{account}", p.show)
	log.Printf("answering on http://%s for %s", *listen, *service)
	log.Fatal(http.ListenAndServe(*listen, nil))
}

// refused is an error that the program gave: nothing was done, which is a 4xx.
// After any other error nobody knows, which is a 5xx: the prober then starts the
// account anew instead of sending something twice.
type refused string

func (r refused) Error() string { return string(r) }

var oneAtATime sync.Mutex

// handle answers a call of the prober's.
func handle(pattern string, do func(call) (any, error)) {
	http.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		oneAtATime.Lock()
		defer oneAtATime.Unlock()
		c := call{Account: r.PathValue("account")}
		var answer any
		var err error
		if r.Method == http.MethodPost {
			err = json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&c)
		}
		status := http.StatusBadRequest
		if err == nil {
			status = http.StatusOK
			if answer, err = do(c); err != nil {
				status = http.StatusBadGateway
			}
		}
		if _, is := err.(refused); is {
			status = http.StatusUnprocessableEntity
		}
		if err != nil {
			answer = object{"error": err.Error()}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(answer)
	})
}

// The program.

// program is recoup serve, and what it does not know: whose accounts these are,
// and that the clock is the prober's.
type program struct {
	service  string
	now      time.Time
	world    string // goes before each account's name
	accounts []string
	events   int
}

// reset gives all accounts to come another name, since a ledger cannot forget.
func (p *program) reset(call) (any, error) {
	p.world, p.accounts = fmt.Sprintf("probe-%x-", time.Now().UnixNano()), nil
	return object{}, nil
}

// open has nothing to tell: in the service an account begins with its first event.
func (p *program) open(c call) (any, error) {
	p.accounts = append(p.accounts, c.Account)
	return object{}, nil
}

// clock tells every account what time it is. That closes the cycles that are over.
// The service takes no facts from the future, so there it is 28 years ago: after
// so many the calendar repeats, weekdays and leap years included.
func (p *program) clock(c call) (any, error) {
	p.now = c.Now.AddDate(-28, 0, 0).UTC()
	for _, account := range p.accounts {
		if _, err := p.tell(account, "cycle.closed", object{}); err != nil {
			return nil, err
		}
	}
	return object{}, nil
}

// show is what the cardholder would see. The name of an account without events is
// unknown to the service.
func (p *program) show(c call) (any, error) {
	response, err := http.Get(p.service + "/v1/accounts/" + url.PathEscape(p.world+c.Account))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var account struct {
		Balance, Available int64
		HoldUntil          *time.Time `json:"hold_until"`
	}
	if response.StatusCode != http.StatusNotFound {
		err = json.NewDecoder(response.Body).Decode(&account)
	}
	redeemable := max(0, account.Available)
	if account.HoldUntil != nil && p.now.Before(*account.HoldUntil) {
		redeemable = 0
	}
	return object{"balance": account.Balance, "redeemable": redeemable}, err
}

// tell reports a fact. One that the service rejects is refused.
func (p *program) tell(account, kind string, data object) (any, error) {
	said, err := p.event(account, kind, data)
	if err == nil && said.Outcome == "rejected" {
		err = refused(said.Code + " " + said.Detail)
	}
	return object{}, err
}

// outcome is what the service says of an event.
type outcome struct{ Outcome, Code, Detail string }

func (p *program) event(account, kind string, data object) (said outcome, err error) {
	for name, value := range data {
		if value == "" {
			delete(data, name) // what the prober left out
		}
	}
	p.events++
	event, err := json.Marshal(object{
		"specversion": "1.0", "source": "probe-adapter", "id": fmt.Sprint(p.world, p.events), "type": kind,
		"time": p.now.Format(time.RFC3339), "subject": p.world + account, "data": data,
	})
	if err != nil {
		return said, err
	}
	response, err := http.Post(p.service+"/v1/events", "application/cloudevents+json", bytes.NewReader(event))
	if err != nil {
		return said, err
	}
	defer response.Body.Close()
	switch err = json.NewDecoder(response.Body).Decode(&said); {
	case response.StatusCode >= 500:
		return said, fmt.Errorf("the service answered %s", response.Status)
	case response.StatusCode != http.StatusOK:
		return said, refused(fmt.Sprintf("the service answered %s: %s", response.Status, said.Detail))
	}
	return said, err
}
