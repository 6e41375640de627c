// Command adapter is an example of what a reward program's team writes so that
// `recoup probe` can look into their program: some hundred lines that translate
// the prober's calls (`recoup probe --openapi` describes them) to the program's own
// interface. This one stands in front of a running `recoup serve`. Copy it, and
// replace what is below "The program".
//
//	recoup serve --dev --db ./sandbox --close-after 800000h
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
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

type object = map[string]any // any JSON object

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address to answer the prober on")
	service := flag.String("service", "http://127.0.0.1:8080", "address of recoup serve")
	flag.Parse()
	log.Printf("answering on http://%s for %s", *listen, *service)
	log.Fatal(http.ListenAndServe(*listen, &program{service: *service}))
}

// ServeHTTP answers the prober's calls one by one.
func (p *program) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.Lock()
	defer p.Unlock()
	call := object{}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	body.UseNumber() // amounts are integers
	status, answer := http.StatusBadRequest, object{"error": "expected a JSON object"}
	if r.Method == http.MethodGet || body.Decode(&call) == nil {
		status, answer = p.answer(r, call)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer)
}

// The program.

// program is recoup serve, and what it does not know: whose accounts these are,
// and that the clock is the prober's.
type program struct {
	sync.Mutex
	service  string
	now      time.Time
	world    string // goes before each account's name
	accounts []any
	events   int
}

// answer answers a call. Where the program refused, nothing was done, and the status
// is a 4xx. Where nobody knows whether it was done it is a 5xx: the prober then starts
// the account anew instead of sending something twice.
func (p *program) answer(r *http.Request, call object) (status int, answer object) {
	switch r.URL.Path {
	case "/capabilities":
		return http.StatusOK, object{"currency": "USD", "can_set_clock": true, "chargebacks": true, "partial_refunds": true, "statement_close": "clock", "authorizations": true}
	case "/reset": // a ledger cannot forget, so all accounts to come have another name in it
		p.world, p.accounts = fmt.Sprintf("probe-%x-", time.Now().UnixNano()), nil
	case "/accounts": // in the service an account begins with its first event
		p.accounts = append(p.accounts, call["account"])
	case "/clock":
		return p.clock(fmt.Sprint(call["now"]))
	case "/settlements", "/refunds", "/chargebacks", "/redemptions", "/authorizations", "/authorizations/cancel":
		return p.tell(kinds[r.URL.Path], call)
	default:
		if account, ok := strings.CutPrefix(r.URL.Path, "/accounts/"); ok {
			return p.show(account)
		}
		return http.StatusNotFound, object{"error": "there is no " + r.URL.Path}
	}
	return http.StatusOK, object{}
}

// kinds are what the service calls what happened.
var kinds = map[string]string{
	"/settlements": "transaction.settled", "/refunds": "refund.posted",
	"/chargebacks": "chargeback.posted", "/redemptions": "redemption.requested",
	"/authorizations": "transaction.authorized", "/authorizations/cancel": "transaction.canceled",
}

// clock tells every account what time it is. That closes the cycles that are over.
// The service takes no facts from the future, so there it is 28 years ago: after
// so many the calendar repeats, weekdays and leap years included.
func (p *program) clock(to string) (int, object) {
	now, err := time.Parse(time.RFC3339, to)
	if err != nil {
		return http.StatusBadRequest, object{"error": err.Error()}
	}
	p.now = now.AddDate(-28, 0, 0).UTC()
	for _, account := range p.accounts {
		if status, answer := p.tell("cycle.closed", object{"account": account}); status != http.StatusOK {
			return status, answer
		}
	}
	return http.StatusOK, object{"now": to}
}

// tell sends the service an event. What is in a call it calls the same as the prober.
func (p *program) tell(kind string, call object) (int, object) {
	p.events++
	event := object{
		"specversion": "1.0", "source": "probe-adapter", "id": fmt.Sprint(p.world, p.events), "type": kind,
		"time": p.now.Format(time.RFC3339), "subject": fmt.Sprint(p.world, call["account"]), "data": call,
	}
	maps.DeleteFunc(call, func(name string, value any) bool { return name == "account" || value == "" })
	if call["amount"] != nil && kind != "chargeback.posted" {
		call["currency"] = "USD"
	}
	body, _ := json.Marshal(event) // which texts and numbers cannot fail
	response, err := http.Post(p.service+"/v1/events", "application/cloudevents+json", bytes.NewReader(body))
	var said struct{ Outcome, Code, Detail string }
	status, err := read(response, err, &said)
	switch {
	case err != nil:
		return failed(err)
	case kind == "redemption.requested":
		return http.StatusOK, object{"accepted": said.Outcome == "applied" || said.Outcome == "duplicate"}
	case status != http.StatusOK || said.Outcome == "rejected":
		return http.StatusUnprocessableEntity, object{"error": said.Code + " " + said.Detail}
	}
	return http.StatusOK, object{}
}

// show is what the cardholder would see by the sandbox's clock. The service does not know an account without
// events; that has nothing.
func (p *program) show(account string) (int, object) {
	response, err := http.Get(p.service + "/v1/accounts/" + url.PathEscape(p.world+account) + "?as_of=" + p.now.UTC().Format(time.RFC3339Nano))
	var shown struct{ Balance, Redeemable int64 }
	if _, err := read(response, err, &shown); err != nil {
		return failed(err)
	}
	return http.StatusOK, object{"balance": shown.Balance, "redeemable": shown.Redeemable}
}

// read takes in what the service answered. It fails where that leaves it open whether
// anything was done.
func read(response *http.Response, err error, into any) (status int, _ error) {
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500 {
		return 0, fmt.Errorf("the service answered %s", response.Status)
	}
	return response.StatusCode, json.NewDecoder(response.Body).Decode(into)
}

func failed(err error) (int, object) { return http.StatusBadGateway, object{"error": err.Error()} }
