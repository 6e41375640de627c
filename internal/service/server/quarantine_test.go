package server_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Numbers of cards, of which none is ever to be seen again, and one that is an id.
const (
	pan       = "4111111111111111"
	panInText = "pan-5555 5555-5555 4444 (Jane)"
	numericID = "4000000000000002" // passes for a Visa number
)

// TestACardNumberIsKeptApart: an event with a card number has no effect and is on the
// review list, masked; what it was is nowhere to be seen.
func TestACardNumberIsKeptApart(t *testing.T) {
	f := newService(t)
	settled := func(n int, account, transaction, merchant string) string {
		return cloudEvent(n, "transaction.settled", account, `"transaction":"`+transaction+`","amount":10000,"currency":"USD","merchant":"`+merchant+`","category":"GROCERY"`)
	}
	f.deliver(settled(1, "acct", "t1", panInText), "quarantined card_number")
	f.deliver(settled(1, "acct", "t1", panInText), "quarantined card_number") // and is kept once
	f.deliver(settled(2, pan, "t2", "m"), "quarantined card_number")
	f.get("/v1/accounts/acct").fails(404, "account_unknown")
	mixed := []string{settled(3, "acct", "t3", "m"), settled(4, "acct", pan, "m"), `{"4111 1111 1111 1111":1}`, settled(5, "acct", "t5", "m")}
	for _, a := range []*answer{
		f.call("admin", "POST", "/v1/events", batch, "["+strings.Join(mixed, ",")+"]").status200(),
		f.call("admin", "POST", "/v1/events", lines, strings.Join(mixed, "\n")+"\n").status200(),
	} {
		if strings.Contains(a.body, "1111111") || strings.Contains(a.body, "4111 1111") || strings.Count(a.body, `"quarantined"`) != 1 || !strings.Contains(a.body, `"member":"data.transaction"`) {
			t.Errorf("answered %s", a.body)
		}
	}
	list := f.reviews("?kind=card_number")
	slices.SortFunc(list, func(a, b review) int { return strings.Compare(b.Transaction, a.Transaction) }) // t2, t1, masked
	if len(list) != 3 || list[0].About != "refused" || list[0].Amount != 10000 || list[2].Transaction != "************1111" {
		t.Fatalf("on the list: %+v", list)
	}
	all := f.get("/v1/reviews").body
	for _, digits := range []string{"5555", "1111111"} {
		if strings.Contains(all, digits) {
			t.Errorf("%s is on the list: %s", digits, all)
		}
	}
	f.get("/v1/accounts/acct").has("balance", "1000") // of the two others
	resolution := "/v1/reviews/" + list[2].ID + "/resolution"
	f.command(resolution, "", `{"action":"count","amount":1,"currency":"USD","reason":"x"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"link","transaction":"t","reason":"x"}`).fails(422, "invalid_request")

	// Somebody lets one in, as it was, and dismisses another.
	f.command(resolution, "", `{"action":"admit","reason":"an order number"}`).is(201).has("outcome", `"applied"`, "about", `"refused"`)
	f.command(resolution, "", `{"action":"admit","reason":"an order number"}`).is(200).has("outcome", `"duplicate"`)
	f.command(resolution, "", `{"action":"dismiss","reason":"x"}`).fails(409, "already_final")
	f.get("/v1/accounts/acct").has("balance", "1500")
	logged, is, err := f.ledger.Logged(t.Context(), "acct", "core", "e4")
	if err != nil || !is || logged.Event.Transaction != pan {
		t.Errorf("in the log: %+v, %v, %v", logged, is, err)
	}
	f.deliver(settled(4, "acct", pan, "m"), "duplicate")
	f.deliver(settled(4, "acct", pan, "other"), "rejected id_reused")
	f.command("/v1/reviews/"+list[0].ID+"/resolution", "", `{"action":"dismiss","reason":"a card"}`).is(201)
	f.deliver(settled(2, pan, "t2", "m"), "rejected card_number")
	// What is let in may be named in commands.
	f.deliver(cloudEvent(6, "refund.posted", "acct", `"refund":"r6","amount":10000,"currency":"USD","merchant":"elsewhere"`), "applied matched")
	for _, r := range f.reviews("?kind=matched_without_link") {
		f.command("/v1/reviews/"+r.ID+"/resolution", "", `{"action":"link","transaction":"`+pan+`","reason":"the receipt"}`).is(201)
	}
	if left := f.reviews("?kind=card_number"); len(left) != 1 || left[0].ID != list[1].ID {
		t.Errorf("left on the list: %+v", left)
	}
}

// TestWithoutAKeyTheEventIsMaskedForGood: it can be dismissed, or sent again once its
// member is exempt.
func TestWithoutAKeyTheEventIsMaskedForGood(t *testing.T) {
	f := newService(t)
	o := durable.Options{Programs: f.ledger.Programs(), Now: func() reward.Instant { return reward.At(f.clock.read()) }}
	plain := durable.New(f.db, o)
	s, err := server.New(server.Options{Applier: f.group, Ledger: plain, Programs: o.Programs, Authenticator: keys{}, Now: f.clock.read})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	code, body := post(s, one, []byte(strings.Replace(purchase(1, "acct", 100), `"t1"`, `"`+numericID+`"`, 1)))
	if code != 202 || strings.Contains(string(body), numericID) {
		t.Fatalf("%d %s", code, body)
	}
	list := f.reviews("?kind=card_number")
	f.command("/v1/reviews/"+list[0].ID+"/resolution", "", `{"action":"admit","reason":"x"}`).fails(409, "event_masked")
	f.command("/v1/exemptions", "", `{"source":"core","member":"data.transaction","reason":"a sequence number"}`).is(201)
	f.deliver(strings.Replace(purchase(1, "acct", 100), `"t1"`, `"`+numericID+`"`, 1), "applied")
	if left := f.reviews("?kind=card_number"); len(left) != 0 { // settled by itself
		t.Errorf("left on the list: %+v", left)
	}
}

// TestExemptions: what is exempt passes, of that source and member alone, and who said so
// stays on record.
func TestExemptions(t *testing.T) {
	f := newService(t)
	exempt := `{"source":"core","member":"data.transaction","reason":"a sequence number"}`
	f.call("ingest", "POST", "/v1/exemptions", "application/json", exempt).fails(403, "scope_missing")
	f.command("/v1/exemptions", "", `{"source":"core","member":"data.amount","reason":"x"}`).fails(422, "invalid_request")
	f.command("/v1/exemptions", "", `{"source":"core","member":"subject","reason":"for `+pan+`"}`).fails(422, "invalid_request")
	f.command("/v1/exemptions", "", exempt).is(201).has("number", "1", "actor", `"admin"`, "exempt", "true")
	f.command("/v1/exemptions", "", exempt).is(200).has("number", "1")
	line := func(n int) string {
		return strings.Replace(purchase(n, "acct", 100), `"transaction":"t`, `"transaction":"`+numericID+`-`, 1)
	}
	f.deliver(line(1), "applied")
	f.deliver(strings.Replace(line(2), `"core"`, `"other"`, 1), "quarantined card_number")
	f.deliver(strings.Replace(line(3), `"acct"`, `"`+pan+`"`, 1), "quarantined card_number")
	ahead := strings.Replace(strings.Replace(line(9), `"acct"`, `"`+pan+`"`, 1), "2026-01-10", "2027-01-10", 1)
	if a := f.call("ingest", "POST", "/v1/events", one, ahead).status200(); strings.Contains(a.body, pan) || !strings.Contains(a.body, "invalid_time") {
		t.Errorf("refused for its time: %s", a.body)
	}
	f.command("/v1/exemptions", "", `{"source":"core","member":"data.transaction","exempt":false,"reason":"they are tokens by now"}`).is(201).has("number", "2")
	f.deliver(line(4), "quarantined card_number")
	f.get("/v1/exemptions").has("in_force", "[]")
	if list := f.get("/v1/exemptions").body; strings.Count(list, `"source":"core"`) != 2 || !strings.Contains(list, "they are tokens by now") {
		t.Errorf("on record is %s", list)
	}
}
