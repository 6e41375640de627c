package server_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
)

// What comes between the weighing of a decision and its turn is weighed too: a refund that
// lay on the very purchase that it is linked to lies on a dearer one by then.
func TestWhatComesBetweenIsWeighedToo(t *testing.T) {
	link := `"refund":"free","transaction":"plain","reason":"x","actor":"Ada"`
	ways := map[string]func(b *bureau, ada string) string{
		"as an event": func(b *bureau, ada string) string {
			a := b.call(ada, "POST", "/v1/events", one, cloudEvent(9, "refund.linked", "acct", link)).status200()
			return a.outcome(a.body)
		},
		"in a batch": func(b *bureau, ada string) string {
			a := b.call(ada, "POST", "/v1/events", batch, "["+cloudEvent(9, "refund.linked", "acct", link)+"]").status200()
			return a.outcome(a.body[1 : len(a.body)-2])
		},
		"as a command": func(b *bureau, ada string) string {
			var page struct{ Reviews []review }
			b.call(ada, "GET", "/v1/reviews?kind=matched_without_link", "", "").status200().read(&page)
			a := b.post(ada, "/v1/reviews/"+page.Reviews[0].ID+"/resolution", "link-0001", `{"action":"link","transaction":"plain","reason":"x"}`).is(http.StatusConflict)
			var p struct{ Code string }
			a.read(&p)
			return "rejected " + p.Code
		},
	}
	for name, send := range ways {
		t.Run(name, func(t *testing.T) {
			eachBureau(t, func(t *testing.T, b *bureau) {
				_, ada := b.key("Ada", scope.Admin)
				_, feed := b.key("Core", scope.Ingest)
				deliver := func(n int, kind, data string) {
					b.call(feed, "POST", "/v1/events", one, cloudEvent(n, kind, "acct", data)).status200()
				}
				deliver(5, "transaction.settled", `"transaction":"plain","amount":100000,"currency":"USD","merchant":"m9"`)
				deliver(6, "refund.posted", `"refund":"free","amount":90000,"currency":"USD","merchant":"m9"`)
				came := false
				b.tried = func() {
					if !came {
						came = true
						deliver(1, "transaction.settled", `"transaction":"dear","amount":100000,"currency":"USD","merchant":"m9","category":"GROCERY"`)
					}
				}
				if got := send(b, ada); got != "rejected approval_needed" {
					t.Errorf("the link is %s", got)
				}
				if got := b.balance(ada, "acct"); got != fmt.Sprint(5000+1000-4500) {
					t.Errorf("the balance is %s", got)
				}
			})
		})
	}
}

// Thirty-two at a time, each with an adjustment or a link of what one person may do at once:
// no more of them are done than the person and the accounts have room for.
func TestLimitsHoldInARace(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		for n := range 8 {
			account := fmt.Sprint("acct-", n)
			b.call(ada, "POST", "/v1/events", one, cloudEvent(10*n+1, "transaction.settled", account, `"transaction":"dear","amount":60000,"currency":"USD","merchant":"m9","category":"GROCERY"`)).status200()
			b.call(ada, "POST", "/v1/events", one, cloudEvent(10*n+2, "transaction.settled", account, `"transaction":"plain","amount":60000,"currency":"USD","merchant":"m8"`)).status200()
			b.call(ada, "POST", "/v1/events", one, cloudEvent(10*n+3, "refund.posted", account, `"refund":"free","amount":60000,"currency":"USD","merchant":"m9"`)).status200()
		}
		var done atomic.Int64
		var all sync.WaitGroup
		for n := range 32 {
			account := fmt.Sprint("acct-", n%8)
			all.Go(func() {
				var a *answer
				if n < 8 { // from 5 % to 1 % of $600: $24.00
					a = b.call(ada, "POST", "/v1/events", one, cloudEvent(1000+n, "refund.linked", account, `"refund":"free","transaction":"plain","reason":"x","actor":"Ada"`))
					if a.status == http.StatusOK && a.outcome(a.body) == "applied" {
						done.Add(2400)
					}
					return
				}
				a = b.post(ada, "/v1/accounts/"+account+"/adjustments", fmt.Sprintf("race-%05d", n), `{"amount":2400,"currency":"USD","reason":"x"}`)
				if a.status == http.StatusCreated {
					done.Add(2400)
				}
			})
		}
		all.Wait()
		if most := int64(2500 * approval.PersonDay); done.Load() > most || done.Load() < 2400 {
			t.Errorf("one person has done %d alone in a day, want at most %d", done.Load(), most)
		}
		var sum int64
		for n := range 8 {
			v, _, err := b.service.ledger.Account(t.Context(), fmt.Sprint("acct-", n))
			if err != nil {
				t.Fatal(err)
			}
			if gained := v.Balance - 600; gained > 2500*approval.AccountDay {
				t.Errorf("account %d was given %d", n, gained)
			}
			sum += v.Balance - 600
		}
		if sum != done.Load() {
			t.Errorf("balances say %d, answers %d", sum, done.Load())
		}
	})
}
