package server_test

import (
	"testing"
)

// TestARefusedFactCounts: a refund in another currency is on the review list until it
// counts with an amount in the account's.
// An attribute that is withdrawn and was never set is on the list until it comes or
// somebody says that it will not.
func TestAnUnknownAttributeIsReviewed(t *testing.T) {
	f := newService(t)
	f.deliver(cloudEvent(1, "attribute.withdrawn", "acct", `"attribute":"x1"`), "parked attribute_unknown")
	f.deliver(cloudEvent(2, "attribute.withdrawn", "acct", `"attribute":"x2"`), "parked attribute_unknown")
	list := f.reviews("?kind=attribute_unknown")
	if len(list) != 2 || list[0].About != "attribute" || list[0].Kind != "attribute_unknown" || list[0].Fact+list[1].Fact != "x1x2" {
		t.Fatalf("to review: %+v", list)
	}
	f.deliver(cloudEvent(3, "attribute.set", "acct", `"attribute":"x1","name":"plan","value":"gold"`), "ignored already_reversed")
	if list = f.reviews(""); len(list) != 1 || list[0].Fact != "x2" {
		t.Fatalf("once x1 has come, to review: %+v", list)
	}
	path := "/v1/reviews/" + list[0].ID + "/resolution"
	f.command(path, "", `{"action":"link","transaction":"t1","reason":"a slip"}`).fails(422, "invalid_request")
	f.command(path, "key-0001", `{"action":"dismiss","reason":"it will not come"}`).is(201).has("about", `"attribute"`, "id", `"x2"`)
	if list = f.reviews(""); len(list) != 0 {
		t.Errorf("still to review: %+v", list)
	}
	f.command(path, "key-0002", `{"action":"dismiss","reason":"it will not come"}`).is(200)
}

func TestARefusedFactCounts(t *testing.T) {
	f := newService(t)
	f.deliver(cloudEvent(1, "transaction.settled", "acct", `"transaction":"food","amount":10000,"currency":"USD","merchant":"m1","category":"GROCERY"`), "applied")
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","amount":9000,"currency":"EUR","transaction":"food"`), "rejected currency_mismatch")
	f.deliver(cloudEvent(3, "refund.posted", "acct", `"refund":"f2","amount":700,"currency":"EUR"`), "rejected currency_mismatch")
	f.deliver(cloudEvent(4, "redemption.requested", "acct", `"redemption":"p1","amount":7,"currency":"EUR"`), "rejected currency_mismatch")
	f.get("/v1/accounts/acct").has("balance", "500")
	list := f.reviews("?kind=currency_mismatch")
	if len(list) != 2 || list[0].Kind != "currency_mismatch" || list[0].About != "refused" || list[0].Fact != "f1" || list[0].Amount != 9000 || list[0].Transaction != "food" {
		t.Fatalf("reviews %+v", list)
	}
	if all := f.reviews(""); len(all) != 2 {
		t.Errorf("reviews of all kinds: %+v", all)
	}
	resolution := "/v1/reviews/" + list[0].ID + "/resolution"
	f.command(resolution, "", `{"action":"count","reason":"the rate of the day"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"count","amount":10000,"currency":"EUR","reason":"x"}`).fails(422, "currency_mismatch")
	f.command(resolution, "", `{"action":"link","transaction":"food","reason":"x"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"dismiss","amount":1,"currency":"USD","reason":"x"}`).fails(422, "invalid_request")
	const count = `{"action":"count","amount":10000,"currency":"USD","reason":"the rate of the day"}`
	f.command(resolution, "key-0001", count).is(201).has("about", `"refused"`, "id", `"f1"`, "change", "-500", "balance", "0")
	f.command(resolution, "key-0001", count).is(201).has("change", "-500")
	f.command(resolution, "key-0002", count).is(200).has("outcome", `"duplicate"`)
	f.command(resolution, "", `{"action":"dismiss","reason":"x"}`).fails(409, "already_final")
	other := "/v1/reviews/" + list[1].ID + "/resolution"
	f.command(other, "", `{"action":"dismiss","reason":"not ours"}`).is(201).has("outcome", `"applied"`, "change", "null")
	f.command(other, "", `{"action":"dismiss","reason":"not ours"}`).is(200).has("outcome", `"duplicate"`)
	if rest := f.reviews(""); len(rest) != 0 {
		t.Errorf("still to review: %+v", rest)
	}
}

// TestWhatIsAskedToCount: only what came under the id of a refund counts as another.
func TestWhatIsAskedToCount(t *testing.T) {
	f := newService(t)
	f.deliver(cloudEvent(1, "transaction.settled", "acct", `"transaction":"food","amount":10000,"currency":"USD","merchant":"m1","category":"GROCERY"`), "applied")
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","amount":500,"currency":"USD","transaction":"food"`), "applied")
	f.deliver(cloudEvent(3, "refund.posted", "acct", `"refund":"f1","amount":700,"currency":"USD","transaction":"food"`), "rejected refund_conflict")
	f.deliver(cloudEvent(4, "chargeback.posted", "acct", `"chargeback":"c1","transaction":"later"`), "parked transaction_unknown")
	var refund, chargeback string
	for _, r := range f.reviews("") {
		if r.Kind == "conflict" {
			refund = "/v1/reviews/" + r.ID + "/resolution"
		} else {
			chargeback = "/v1/reviews/" + r.ID + "/resolution"
		}
	}
	f.command(chargeback, "", `{"action":"count","reason":"x"}`).fails(422, "invalid_request")
	f.command(refund, "", `{"action":"count","transaction":"food","reason":"x"}`).fails(422, "invalid_request")
	f.command(refund, "", `{"action":"count","amount":700,"currency":"USD","reason":"x"}`).fails(422, "invalid_request")
	f.command(refund, "", `{"action":"dismiss","as":"f9","reason":"x"}`).fails(422, "invalid_request")
	a := f.command(refund, "key-0001", `{"action":"count","reason":"another shop's f1"}`)
	logged, ok, err := f.ledger.Logged(t.Context(), "acct", "api", loggedID(t, f))
	if err != nil || !ok || logged.Event.Type.String() != "refund.counted" || logged.Event.Fact != "f1" || logged.Event.As != "f1~2" || logged.Event.Actor != "admin" {
		t.Fatalf("in the log: %+v, %v, %v", logged.Event, ok, err)
	}
	// The same request again is the same event, and answered alike.
	if again := f.command(refund, "key-0001", `{"action":"count","reason":"another shop's f1"}`); again.status != a.status || again.body != a.body {
		t.Errorf("again: %d %s, at first %d %s", again.status, again.body, a.status, a.body)
	}
}

// loggedID is the id of the account's latest event.
func loggedID(t *testing.T, f *service) string {
	t.Helper()
	const key = "resolution-"
	events, err := f.ledger.History(t.Context(), "acct", 0, 1)
	if err != nil || len(events) != 1 || events[0].Event.ID[:len(key)] != key {
		t.Fatalf("the latest event: %+v, %v", events, err)
	}
	return events[0].Event.ID
}

// counts has the only open review of a kind count, and returns the answer.
func (f *service) counts(kind, fact, body string) *answer {
	f.Helper()
	list := f.reviews("?kind=" + kind)
	if len(list) != 1 || list[0].Kind != kind || list[0].Fact != fact {
		f.Fatalf("to review: %+v, want %s of %s alone", list, kind, fact)
	}
	return f.command("/v1/reviews/"+list[0].ID+"/resolution", "", body)
}

// TestARefundPaidAgainCounts: a refund that bounced and was posted again under its
// number (M20) takes nothing until somebody has it count.
func TestARefundPaidAgainCounts(t *testing.T) {
	f := newService(t)
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","amount":10000,"currency":"USD","transaction":"t1"`), "applied")
	f.deliver(cloudEvent(3, "refund.reversed", "acct", `"refund":"f1"`), "applied")
	f.deliver(cloudEvent(4, "refund.posted", "acct", `"refund":"f1","amount":10000,"currency":"USD","transaction":"t1"`), "ignored already_reversed")
	f.get("/v1/accounts/acct").has("balance", "500")
	if list := f.reviews(""); len(list) != 1 || list[0].Kind != "already_reversed" || list[0].About != "refund" || list[0].Amount != 10000 || list[0].Transaction != "t1" {
		t.Errorf("to review: %+v", list)
	}
	const count = `{"action":"count","reason":"it bounced, and the shop paid again"}`
	f.counts("already_reversed", "f1", count).is(201).has("outcome", `"applied"`, "id", `"f1"`, "as", `"f1~2"`, "change", "-500", "balance", "0")
	if rest := f.reviews(""); len(rest) != 0 {
		t.Errorf("still to review: %+v", rest)
	}
	// It is a refund like any other: it can bounce too.
	f.deliver(cloudEvent(5, "refund.reversed", "acct", `"refund":"f1~2"`), "applied")
	f.get("/v1/accounts/acct").has("balance", "500")
}

// TestTwoShopsRefundsOfOneNumber: two shops give as much back under the number 1001
// (M19). Who pays is not asked for an id of its own, so the second contradicts the
// first until it is made to count.
func TestTwoShopsRefundsOfOneNumber(t *testing.T) {
	f := newService(t)
	for n, shop := range []string{"market", "bakery"} {
		f.deliver(cloudEvent(1+n, "transaction.settled", "acct", `"transaction":"of `+shop+`","amount":10000,"currency":"USD","merchant":"`+shop+`","category":"GROCERY"`), "applied")
	}
	f.deliver(cloudEvent(3, "refund.posted", "acct", `"refund":"1001","amount":10000,"currency":"USD","merchant":"market","category":"GROCERY"`), "applied matched")
	f.deliver(cloudEvent(4, "refund.posted", "acct", `"refund":"1001","amount":10000,"currency":"USD","merchant":"bakery","category":"GROCERY"`), "rejected refund_conflict")
	f.get("/v1/accounts/acct").has("balance", "500")
	const count = `{"action":"count","as":"1001 of the bakery","reason":"both shops number from 1001"}`
	f.counts("conflict", "1001", count).is(201).has("as", `"1001 of the bakery"`, "change", "-500", "balance", "0")
	if rest := f.reviews(""); len(rest) != 0 {
		t.Errorf("still to review: %+v", rest)
	}
}

// TestCertainMatchesAreListedApart: what can be of one purchase only is listed if it is
// asked for, and not with what somebody should look at.
func TestCertainMatchesAreListedApart(t *testing.T) {
	f := newService(t)
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"sure","amount":10000,"currency":"USD","merchant":"m1","category":"GROCERY"`), "applied matched")
	if list := f.reviews(""); len(list) != 0 {
		t.Errorf("to review: %+v", list)
	}
	if list := f.reviews("?kind=matched_certain"); len(list) != 1 || list[0].Fact != "sure" || list[0].Kind != "matched_certain" || list[0].Amount != 10000 {
		t.Errorf("matched with certainty: %+v", list)
	}
	// A second purchase that it may be of makes it doubtful.
	f.deliver(purchase(3, "acct", 10000), "applied")
	if list := f.reviews(""); len(list) != 1 || list[0].Fact != "sure" || list[0].Kind != "matched_without_link" {
		t.Errorf("to review: %+v", list)
	}
	if list := f.reviews("?kind=matched_certain"); len(list) != 0 {
		t.Errorf("matched with certainty: %+v", list)
	}
}

// TestARewardThatAWaitingRefundMayTakeIsNotPaidOut: a refund that names an unknown
// purchase holds what it would take (M18), and says so.
func TestARewardThatAWaitingRefundMayTakeIsNotPaidOut(t *testing.T) {
	f := newService(t)
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","amount":8000,"currency":"USD","transaction":"mistyped"`), "parked transaction_unknown")
	f.get("/v1/accounts/acct").has("balance", "500", "held", "400", "available", "100")
	var account struct {
		Holds []struct {
			Transaction, Why string
			Amount           int64
		}
	}
	f.get("/v1/accounts/acct").read(&account)
	if h := account.Holds; len(h) != 1 || h[0].Transaction != "t1" || h[0].Why != "refund_waiting" || h[0].Amount != 400 {
		t.Errorf("held: %+v", h)
	}
	f.command(redemptions, "key-0001", `{"amount":500,"currency":"USD"}`).fails(409, "insufficient_balance")
	f.command(redemptions, "key-0002", `{"amount":100,"currency":"USD"}`).is(201)
	// Linked to the purchase that it is of, it takes what it held.
	if list := f.reviews(""); len(list) != 1 || list[0].Kind != "waits_for_transaction" {
		t.Fatalf("to review: %+v", list)
	} else {
		f.command("/v1/reviews/"+list[0].ID+"/resolution", "", `{"action":"link","transaction":"t1","reason":"a slip"}`).is(201).has("change", "-400", "balance", "0")
	}
}
