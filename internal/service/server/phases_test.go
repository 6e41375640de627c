package server_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// The service's clock stands at noon of 20 January 2026.

func TestARedemptionInTwoPhases(t *testing.T) {
	f := rewarded(t)
	body := `{"redemption":"r1","amount":300,"currency":"USD","method":"gift_card","capture":false,"expires":"2026-01-22T00:00:00Z"}`
	first := f.command(redemptions, "key-0001", body).is(201)
	first.has("redemption", `"r1"`, "outcome", `"applied"`, "amount", "300", "expires", `"2026-01-22T00:00:00Z"`, "change", "null", "balance", "null")
	f.get("/v1/accounts/acct").has("balance", "500", "held", "0", "reserved", "300", "available", "200", "redeemable", "200", "redeemed", "0",
		"reservations", `[{"redemption":"r1","amount":300,"expires":"2026-01-22T00:00:00Z"}]`, "more_reservations", "false")
	f.clock.pass(time.Minute)
	if again := f.command(redemptions, "key-0001", body).is(201); again.body != first.body || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s, want %s", again.body, first.body)
	}
	f.command(redemptions, "key-0002", `{"amount":201,"currency":"USD"}`).fails(409, "insufficient_balance")
	f.command(redemptions, "key-0003", `{"amount":201,"currency":"USD","capture":false}`).fails(409, "insufficient_balance")
	f.command(redemptions, "key-0004", `{"redemption":"r1","amount":300,"currency":"USD"}`).fails(409, "redemption_conflict")

	f.command(redemptions+"/r1/capture", "key-0005", `{"amount":301}`).fails(409, "over_capture")
	paid := f.command(redemptions+"/r1/capture", "key-0006", `{"amount":250}`).is(201).has("redemption", `"r1"`, "change", "-250", "balance", "250")
	if again := f.command(redemptions+"/r1/capture", "key-0006", `{"amount":250}`).is(201); again.body != paid.body {
		t.Errorf("again: %s, want %s", again.body, paid.body)
	}
	f.command(redemptions+"/r1/capture", "key-0006", `{"amount":251}`).fails(422, "idempotency_key_reused")
	f.command(redemptions+"/r1/capture", "key-0007", `{"amount":250}`).is(200).has("outcome", `"duplicate"`)
	f.command(redemptions+"/r1/capture", "key-0008", "").fails(409, "redemption_conflict")
	f.command(redemptions+"/r1/release", "", "").fails(409, "already_final")
	f.get("/v1/accounts/acct").has("balance", "250", "reserved", "0", "available", "250", "redeemed", "250", "reservations", "[]")
	f.command(redemptions+"/r1/reversal", "", "").is(201).has("change", "250", "balance", "500")
}

func TestAnAuthorisationIsLetGo(t *testing.T) {
	f := rewarded(t)
	authorise := func(id, more string) *answer {
		return f.command(redemptions, "key-for-"+id, `{"redemption":"`+id+`","amount":500,"currency":"USD","capture":false`+more+`}`)
	}
	authorise("r1", "").is(201).has("expires", `"2026-01-27T12:00:00Z"`)
	f.command(redemptions+"/r1/release", "", "").is(201).has("outcome", `"applied"`, "change", "null")
	f.command(redemptions+"/r1/release", "", "").is(200).has("outcome", `"duplicate"`)
	f.command(redemptions+"/r1/capture", "", "").fails(409, "authorization_released")

	authorise("r2", "").is(201)
	f.command(redemptions+"/r2/reversal", "", "").is(201).has("outcome", `"applied"`, "change", "null")

	authorise("r3", `,"expires":"2026-01-20T13:00:00Z"`).is(201)
	f.clock.pass(time.Hour)
	f.get("/v1/accounts/acct").has("reserved", "0", "available", "500", "reservations", "[]")
	f.command(redemptions+"/r3/capture", "", "").fails(409, "authorization_expired")
	f.command(redemptions+"/r3/release", "", "").fails(409, "already_final")
	f.command(redemptions, "key-0009", `{"amount":500,"currency":"USD"}`).is(201).has("balance", "0")
}

func TestPhasesThatAreNotPossible(t *testing.T) {
	f := rewarded(t)
	for _, c := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"an end of what is paid at once", `{"amount":1,"currency":"USD","expires":"2026-01-22T00:00:00Z"}`, 422, "invalid_request"},
		{"an end that is no time", `{"amount":1,"currency":"USD","capture":false,"expires":"tomorrow"}`, 422, "invalid_request"},
		{"an end before now", `{"amount":1,"currency":"USD","capture":false,"expires":"2026-01-20T11:59:59Z"}`, 422, "invalid_time"},
		{"an end that is too late", `{"amount":1,"currency":"USD","capture":false,"expires":"2026-02-19T12:00:01Z"}`, 422, "invalid_time"},
		{"capture as text", `{"amount":1,"currency":"USD","capture":"no"}`, 422, "invalid_request"},
	} {
		t.Run(c.name, func(t *testing.T) { f.in(t).command(redemptions, "key-0001", c.body).fails(c.status, c.code) })
	}
	f.command(redemptions, "key-0002", `{"redemption":"r1","amount":1,"currency":"USD","capture":false}`).is(201)
	for body, code := range map[string]string{`{"amount":0}`: "invalid_amount", `{"amount":1000000000000001}`: "invalid_amount", `{"amount":"1"}`: "invalid_request", `{"mount":1}`: "invalid_request"} {
		f.command(redemptions+"/r1/capture", "", body).fails(422, code)
	}
	f.command("/v1/accounts/nobody/redemptions/r1/capture", "", "").fails(404, "account_unknown")
	f.command("/v1/accounts/nobody/redemptions/r1/release", "", "").fails(404, "account_unknown")
	f.get("/v1/accounts/acct").has("reserved", "1", "redeemed", "0")
}

// What is captured without an authorisation waits for it, where somebody sees it.
func TestACaptureThatWasNotAuthorisedWaits(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions+"/r1/capture", "key-0001", `{"amount":300}`).is(202).has("outcome", `"parked"`)
	var open struct {
		Reviews []struct {
			ID, Kind, About, Fact string
			Amount                int64
		}
	}
	f.get("/v1/reviews?kind=waits_for_authorization").status200().read(&open)
	if len(open.Reviews) != 1 || open.Reviews[0].About != "redemption" || open.Reviews[0].Fact != "r1" || open.Reviews[0].Amount != 300 {
		t.Fatalf("open are %+v", open.Reviews)
	}
	resolution := "/v1/reviews/" + open.Reviews[0].ID + "/resolution"
	f.command(resolution, "", `{"action":"link","transaction":"t1","reason":"no"}`).fails(422, "invalid_request")
	f.command(resolution, "", `{"action":"dismiss","reason":"the till was wrong"}`).is(201).has("about", `"redemption"`, "id", `"r1"`)
	f.get("/v1/reviews").has("reviews", "[]")
	f.command(redemptions, "key-0002", `{"redemption":"r1","amount":400,"currency":"USD","capture":false}`).is(201).has("change", "-300", "balance", "200")
	f.get("/v1/accounts/acct").has("reserved", "0", "redeemed", "300")

	f.command(redemptions+"/r2/release", "", "").is(202).has("outcome", `"parked"`)
	f.command(redemptions, "key-0003", `{"redemption":"r2","amount":1,"currency":"USD","capture":false}`).fails(409, "already_reversed")
}

// However authorisations, captures, releases and time race, never more is promised and paid
// out than there was, and of each authorisation one thing becomes.
func TestPhasesThatRace(t *testing.T) {
	f := rewarded(t)
	race := func(asks ...func() *answer) []*answer {
		answers := make([]*answer, len(asks))
		var all sync.WaitGroup
		for n, ask := range asks {
			all.Go(func() {
				f.clock.pass(time.Nanosecond)
				answers[n] = ask()
			})
		}
		all.Wait()
		return answers
	}
	count := func(answers []*answer, status int) (n int) {
		for _, a := range answers {
			if a.status == status {
				n++
			}
		}
		return n
	}
	var authorisations []func() *answer
	for n := range 16 {
		authorisations = append(authorisations, func() *answer {
			return f.command(redemptions, fmt.Sprintf("own-key-%d", n), fmt.Sprintf(`{"redemption":"r%d","amount":60,"currency":"USD","capture":false}`, n))
		})
	}
	if n := count(race(authorisations...), 201); n != 8 {
		t.Errorf("%d authorisations of $0.60 out of $5.00", n)
	}
	var account struct {
		Balance, Reserved, Available, Redeemed int64
		Reservations                           []struct{ Redemption string }
	}
	f.get("/v1/accounts/acct").status200().read(&account)
	if account.Reserved != 480 || account.Available != 20 || len(account.Reservations) != 8 {
		t.Fatalf("the account is %+v", account)
	}
	var paid int64
	for i, r := range account.Reservations {
		path := redemptions + "/" + r.Redemption
		capture := func(amount string) func() *answer {
			return func() *answer { return f.command(path+"/capture", "", `{"amount":`+amount+`}`) }
		}
		release := func() *answer { return f.command(path+"/release", "", "") }
		switch i {
		case 0, 1, 2: // two captures
			a := race(capture("60"), capture("50"), capture("60"))
			if count(a, 201) != 1 || count(a, 201)+count(a, 200)+count(a, 409) != 3 {
				t.Errorf("captures were answered %s, %s and %s", a[0].body, a[1].body, a[2].body)
			}
		case 3, 4, 5, 6: // a capture against a release
			a := race(capture("60"), release)
			if count(a, 201) != 1 || count(a, 409) != 1 {
				t.Errorf("a capture and a release were answered %s and %s", a[0].body, a[1].body)
			}
		default: // a capture, a release and the end
			race(capture("60"), release, func() *answer { f.clock.pass(8 * 24 * time.Hour); return f.get("/v1/accounts/acct") })
		}
	}
	f.get("/v1/accounts/acct").status200().read(&account)
	paid = 500 - account.Balance
	if account.Redeemed != paid || account.Reserved != 0 || paid < 150 || paid > 480 {
		t.Errorf("paid out are %d, and the account is %+v", paid, account)
	}
}
