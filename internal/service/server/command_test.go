package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const redemptions = "/v1/accounts/acct/redemptions"

// rewarded is a service with an account that has $5.00.
func rewarded(t *testing.T) *service {
	f := newService(t)
	f.deliver(purchase(1, "acct", 10000), "applied")
	return f
}

func TestARedemptionIsPaidOutOnce(t *testing.T) {
	f := rewarded(t)
	body := `{"amount":300,"currency":"USD","method":"statement_credit"}`
	first := f.command(redemptions, "key-0001", body).is(201)
	first.has("account", `"acct"`, "outcome", `"applied"`, "amount", "300", "change", "-300", "balance", "200", "method", `"statement_credit"`, "time", `"2026-01-20T12:00:00Z"`)
	if got := first.header.Get("Idempotency-Replayed"); got != "" {
		t.Errorf("Idempotency-Replayed %q at first", got)
	}
	f.clock.pass(time.Hour)
	f.deliver(purchase(2, "acct", 10000), "applied")
	again := f.command(redemptions, "key-0001", body).is(201)
	if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s (Idempotency-Replayed %q), want %s", again.body, again.header.Get("Idempotency-Replayed"), first.body)
	}
	f.get("/v1/accounts/acct").has("balance", "700", "redeemed", "300")
}

func TestAKeyIsForOneRequest(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions, "key-0001", `{"amount":100,"currency":"USD"}`).is(201)
	for _, other := range []string{`{"amount":101,"currency":"USD"}`, `{"amount":100,"currency":"USD","method":"cheque"}`, `{"amount":100,"currency":"USD","redemption":"r9"}`} {
		f.command(redemptions, "key-0001", other).fails(422, "idempotency_key_reused")
	}
	f.get("/v1/accounts/acct").has("redeemed", "100")
	// Another account's keys are its own.
	f.deliver(purchase(2, "other", 10000), "applied")
	f.command("/v1/accounts/other/redemptions", "key-0001", `{"amount":101,"currency":"USD"}`).is(201)
}

func TestADenialStaysOneUnderItsKey(t *testing.T) {
	f := rewarded(t)
	body := `{"amount":800,"currency":"USD"}`
	first := f.command(redemptions, "key-0001", body).fails(409, "insufficient_balance")
	f.clock.pass(time.Minute)
	f.deliver(purchase(2, "acct", 10000), "applied")
	again := f.command(redemptions, "key-0001", body).fails(409, "insufficient_balance")
	if again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s, want %s", again.body, first.body)
	}
	f.command(redemptions, "key-0002", body).is(201)
}

func TestARedemptionUnderAnotherKeyIsTheSameByItsID(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions, "key-0001", `{"redemption":"r1","amount":100,"currency":"USD"}`).is(201).has("redemption", `"r1"`)
	f.command(redemptions, "key-0002", `{"redemption":"r1","amount":100,"currency":"USD"}`).is(200).has("outcome", `"duplicate"`, "balance", "null")
	f.command(redemptions, "key-0003", `{"redemption":"r1","amount":200,"currency":"USD"}`).fails(409, "redemption_conflict")
	f.get("/v1/accounts/acct").has("redeemed", "100")
}

func TestRedemptionsThatAreNotPossible(t *testing.T) {
	f := rewarded(t)
	for _, c := range []struct {
		name, path, key, body string
		status                int
		code                  string
	}{
		{"no key", redemptions, "", `{"amount":1,"currency":"USD"}`, 422, "invalid_request"},
		{"a short key", redemptions, "1234567", `{"amount":1,"currency":"USD"}`, 422, "invalid_request"},
		{"a long key", redemptions, strings.Repeat("k", 256), `{"amount":1,"currency":"USD"}`, 422, "invalid_request"},
		{"a key that cannot be printed", redemptions, "12345678é", `{"amount":1,"currency":"USD"}`, 422, "invalid_request"},
		{"no body", redemptions, "key-0001", ``, 400, "malformed"},
		{"half a body", redemptions, "key-0001", `{"amount":1`, 400, "malformed"},
		{"a member twice", redemptions, "key-0001", `{"amount":1,"amount":2,"currency":"USD"}`, 400, "malformed"},
		{"an unknown member", redemptions, "key-0001", `{"amount":1,"currency":"USD","ammount":2}`, 422, "invalid_request"},
		{"an amount as text", redemptions, "key-0001", `{"amount":"1","currency":"USD"}`, 422, "invalid_request"},
		{"a fraction", redemptions, "key-0001", `{"amount":1.5,"currency":"USD"}`, 422, "invalid_request"},
		{"an array", redemptions, "key-0001", `[]`, 422, "invalid_request"},
		{"no amount", redemptions, "key-0001", `{"currency":"USD"}`, 422, "invalid_request"},
		{"no currency", redemptions, "key-0001", `{"amount":1}`, 422, "invalid_request"},
		{"another currency", redemptions, "key-0001", `{"amount":1,"currency":"EUR"}`, 422, "currency_mismatch"},
		{"nothing", redemptions, "key-0001", `{"amount":0,"currency":"USD"}`, 422, "invalid_amount"},
		{"less than nothing", redemptions, "key-0001", `{"amount":-5,"currency":"USD"}`, 422, "invalid_amount"},
		{"too much for a number", redemptions, "key-0001", `{"amount":1000000000000001,"currency":"USD"}`, 422, "invalid_amount"},
		{"an id with a control character", redemptions, "key-0001", `{"amount":1,"currency":"USD","redemption":"a\nb"}`, 422, "invalid_request"},
		{"an id of 257 bytes", redemptions, "key-0001", `{"amount":1,"currency":"USD","redemption":"` + strings.Repeat("r", 257) + `"}`, 422, "invalid_request"},
		{"a card number", redemptions, "key-0001", `{"amount":1,"currency":"USD","redemption":"4111111111111111"}`, 422, "card_number"},
		{"no such account", "/v1/accounts/nobody/redemptions", "key-0001", `{"amount":1,"currency":"USD"}`, 404, "account_unknown"},
		{"too long", redemptions, "key-0001", `{"amount":1,"currency":"USD","method":"` + strings.Repeat("m", 64<<10) + `"}`, 413, "body_too_large"},
		{"a deep body", redemptions, "key-0001", `{"method":` + strings.Repeat("[", 60_000), 400, "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) { f.in(t).command(c.path, c.key, c.body).fails(c.status, c.code) })
	}
	f.get("/v1/accounts/acct").has("balance", "500", "version", "1")
	f.get("/v1/accounts/nobody").fails(404, "account_unknown")
}

// However many ask at once under one key, one redemption is made and all are
// answered alike; under different keys never more is paid out than there is.
func TestRedemptionsThatRace(t *testing.T) {
	f := rewarded(t)
	race := func(key func(n int) string, amount int) (answers []*answer) {
		answers = make([]*answer, 16)
		var all sync.WaitGroup
		for n := range answers {
			all.Go(func() {
				f.clock.pass(time.Nanosecond)
				answers[n] = f.command(redemptions, key(n), fmt.Sprintf(`{"amount":%d,"currency":"USD"}`, amount))
			})
		}
		all.Wait()
		return answers
	}
	same := race(func(int) string { return "one-key-" }, 150)
	for _, a := range same {
		if a.is(201); a.body != same[0].body {
			t.Errorf("answered %s and %s", a.body, same[0].body)
		}
	}
	paid := 0
	for _, a := range race(func(n int) string { return fmt.Sprintf("own-key-%d", n) }, 100) {
		if a.status == 201 {
			paid++
		} else {
			a.fails(409, "insufficient_balance")
		}
	}
	if paid != 3 {
		t.Errorf("%d redemptions of $1.00 out of $3.50", paid)
	}
	f.get("/v1/accounts/acct").has("balance", "50", "redeemed", "450")
}

func TestARedemptionComesBack(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions+"/r1/reversal", "", "").fails(404, "redemption_unknown")
	f.command(redemptions, "key-0001", `{"redemption":"r1","amount":300,"currency":"USD"}`).is(201)
	f.command(redemptions+"/r1/reversal", "", "").is(201).has("redemption", `"r1"`, "change", "300", "balance", "500")
	f.command(redemptions+"/r1/reversal", "", "").is(200).has("outcome", `"duplicate"`, "balance", "null")
	f.get("/v1/accounts/acct").has("balance", "500", "redeemed", "0")

	f.command(redemptions, "key-0002", `{"redemption":"r2","amount":100,"currency":"USD"}`).is(201)
	first := f.command(redemptions+"/r2/reversal", "key-0003", "").is(201)
	f.clock.pass(time.Second)
	if again := f.command(redemptions+"/r2/reversal", "key-0003", "").is(201); again.body != first.body {
		t.Errorf("again: %s, want %s", again.body, first.body)
	}
}

func TestAnAdjustmentHasAReasonAndAnActor(t *testing.T) {
	f := rewarded(t)
	const path = "/v1/accounts/acct/adjustments"
	f.command(path, "key-0001", `{"amount":-200,"currency":"USD","reason":"goodwill withdrawn"}`).is(201).
		has("actor", `"admin"`, "reason", `"goodwill withdrawn"`, "change", "-200", "balance", "300")
	f.command(path, "key-0002", `{"amount":50,"currency":"USD","reason":"goodwill","actor":"admin"}`).is(201).has("actor", `"admin"`, "balance", "350")
	f.command(path, "key-0009", `{"amount":50,"currency":"USD","reason":"goodwill","actor":"jo"}`).fails(422, "actor_refused")
	f.command(path, "key-0003", `{"amount":50,"currency":"USD"}`).fails(422, "invalid_request")
	f.command(path, "", `{"amount":50,"currency":"USD","reason":"x"}`).fails(422, "invalid_request")
	f.command(path, "key-0004", `{"amount":0,"currency":"USD","reason":"x"}`).fails(422, "invalid_amount")
	f.command(path, "key-0005", `{"adjustment":"a1","amount":5,"currency":"USD","reason":"x"}`).is(201)
	f.command(path, "key-0006", `{"adjustment":"a1","amount":6,"currency":"USD","reason":"x"}`).fails(409, "adjustment_conflict")
	f.command(path, "key-0007", `{"amount":7,"currency":"USD","reason":"sorry","approver":"kim"}`).fails(422, "actor_refused")
	f.command(path, "key-0007", `{"amount":7,"currency":"USD","reason":"sorry"}`).is(201)
	f.command(path, "key-0007", `{"amount":7,"currency":"USD","reason":"so sorry"}`).fails(422, "idempotency_key_reused")
	f.command(path, "key-0008", `{"amount":7,"currency":"USD","reason":"sorry","approver":"\u0007"}`).fails(422, "actor_refused")
	var journal struct {
		Entries []struct{ Kind, Reason, Actor, Approver, Explanation string }
	}
	f.get("/v1/accounts/acct/entries?limit=3").status200().read(&journal)
	if e := journal.Entries[2]; e.Kind != "adjustment" || e.Reason != "goodwill" || e.Actor != "admin" || e.Approver != "" {
		t.Errorf("the journal has %+v", e)
	}
	if e := journal.Entries[0]; e.Actor != "admin" || e.Approver != "" || !strings.HasSuffix(e.Explanation, "by admin, sorry: $0.07.") {
		t.Errorf("the journal has %+v", e)
	}
}

func TestAnAccountIsClosedOnceNothingIsOwed(t *testing.T) {
	f := rewarded(t)
	const path = "/v1/accounts/acct/closure"
	f.command("/v1/accounts/acct/adjustments", "key-0001", `{"amount":-600,"currency":"USD","reason":"x"}`).is(201)
	f.command(path, "key-0002", "").fails(409, "outstanding_negative_balance")
	f.get("/v1/accounts/acct").has("debt", "100", "balance", "-100")
	f.command("/v1/accounts/acct/adjustments", "key-0003", `{"amount":100,"currency":"USD","reason":"written off"}`).is(201)
	f.command(path, "", "").is(201).has("status", `"closed"`, "outcome", `"applied"`)
	f.command(path, "", "").is(200).has("outcome", `"duplicate"`)
	f.get("/v1/accounts/acct").has("status", `"closed"`)
	f.command(redemptions, "key-0004", `{"amount":1,"currency":"USD"}`).fails(409, "account_closed")
	f.command("/v1/accounts/nobody/closure", "", "").fails(404, "account_unknown")
}

func TestAGraceHoldKeepsARedemptionOff(t *testing.T) {
	f := newServiceOf(t, everyday+"redemption: {grace_days: 10}\n")
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.clock.pass(14 * 24 * time.Hour)
	f.command(redemptions, "key-0001", `{"amount":1,"currency":"USD"}`).fails(409, "grace_hold")
	f.get("/v1/accounts/acct").has("hold_until", `"2026-02-11T00:00:00Z"`)
	f.clock.pass(9 * 24 * time.Hour)
	f.command(redemptions, "key-0002", `{"amount":1,"currency":"USD"}`).is(201)
}

func TestAReviewIsLinkedOrDismissed(t *testing.T) {
	f := newService(t)
	f.deliver(cloudEvent(1, "transaction.settled", "acct", `"transaction":"food","amount":10000,"currency":"USD","merchant":"m1","category":"GROCERY"`), "applied")
	f.deliver(cloudEvent(2, "transaction.settled", "acct", `"transaction":"fuel","amount":10000,"currency":"USD","merchant":"m1","category":"GAS"`), "applied")
	f.deliver(cloudEvent(3, "refund.posted", "acct", `"refund":"f1","amount":10000,"currency":"USD","merchant":"m1"`), "applied matched")
	f.deliver(cloudEvent(4, "refund.posted", "acct", `"refund":"f2","amount":500,"currency":"USD","transaction":"later"`), "parked transaction_unknown")
	f.get("/v1/accounts/acct").has("balance", "100") // the dearest went

	f.clock.pass(24 * time.Hour)
	list := f.reviews("")
	if len(list) != 2 || list[0].Kind != "matched_without_link" || list[0].About != "refund" || list[0].Fact != "f1" || list[0].Transaction != "" && list[0].Transaction != "food" ||
		list[1].Kind != "waits_for_transaction" || list[1].Amount != 500 || list[1].Age < 24*3600 {
		t.Fatalf("reviews %+v", list)
	}
	resolution := "/v1/reviews/" + list[0].ID + "/resolution"
	f.command(resolution, "", `{"action":"link","transaction":"fuel"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"link","reason":"the receipt says so"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"forget","reason":"x"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"link","transaction":"no","reason":"x"}`).fails(409, "transaction_unknown")
	f.command(resolution, "key-0001", `{"action":"link","transaction":"fuel","reason":"the receipt says so"}`).is(201).
		has("id", `"f1"`, "transaction", `"fuel"`, "change", "400", "balance", "500")
	f.command("/v1/reviews/"+list[1].ID+"/resolution", "", `{"action":"dismiss","reason":"a test of the sender"}`).is(201).has("action", `"dismiss"`, "change", "null")
	if rest := f.reviews(""); len(rest) != 0 {
		t.Errorf("still to review: %+v", rest)
	}
	for _, id := range []string{"x", "!", list[0].ID + "AA"} {
		f.command("/v1/reviews/"+id+"/resolution", "", `{"action":"dismiss","reason":"x"}`).fails(404, "review_unknown")
	}
}

type review struct {
	ID, Account, Kind, About, Fact, Transaction string
	Amount                                      int64
	Age                                         int64 `json:"age_seconds"`
}

func (f *service) reviews(query string) []review {
	f.Helper()
	var page struct{ Reviews []review }
	f.get("/v1/reviews" + query).status200().read(&page)
	return page.Reviews
}
