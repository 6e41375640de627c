package server_test

import (
	"testing"
)

// TestARefusedFactCounts: a refund in another currency is on the review list until it
// counts with an amount in the account's.
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
