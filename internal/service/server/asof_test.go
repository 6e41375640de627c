package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/traffic"
	"recoup/program"
)

// databases are the two that a service can live in.
var databases = map[string]func(t testing.TB) durable.Driver{
	"pebble": func(t testing.TB) durable.Driver { return pebbletest.Open(t) },
	"postgres": func(t testing.TB) durable.Driver {
		d, err := postgres.Open(context.Background(), pgtest.Shared(t).NewDatabase(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		return d
	},
}

// The dormant account of the report: a purchase of 19 days ago under a maturity of 10 days
// can be redeemed, and says so.
func TestWhatHasMaturedIsAvailable(t *testing.T) {
	f := newServiceOf(t, everyday+"maturity_days: 10\n")
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.deliver(cloudEvent(2, "transaction.settled", "acct", `"transaction":"t2","amount":1000,"currency":"USD"`), "applied")
	early := f.clock.now
	f.clock.now = time.Date(2026, 1, 19, 0, 0, 0, 0, time.UTC)
	waits := f.get("/v1/accounts/acct").status200().has("held", "510", "available", "0", "redeemable", "0", "next_maturity", `{"at":"2026-01-20T00:00:01Z","amount":500}`)
	f.get("/v1/accounts/acct?as_of=2026-01-20T00:00:01Z").status200().has("held", "10", "available", "500", "next_maturity", `{"at":"2026-01-20T00:00:02Z","amount":10}`)
	f.get("/v1/accounts/acct?as_of=2026-01-01T00:00:00Z").status200().has("held", "510")
	f.get("/v1/accounts/acct?as_of=soon").fails(422, "invalid_request")
	f.get("/v1/accounts/acct?as_of=2026-01-20T00:00:01Z&at=2026-01-12T00:00:00Z").fails(422, "invalid_request")
	f.clock.now = early.AddDate(0, 0, 9)
	f.get("/v1/accounts/acct", "If-None-Match", waits.header.Get("ETag")).status200().has(
		"balance", "510", "held", "0", "available", "510", "redeemable", "510", "holds", "[]", "next_maturity", "null",
		"latest", `"2026-01-10T00:00:02Z"`, "version", "2")
	f.get("/v1/accounts/acct/transactions/t1").status200().has("reward_held", "0")
	f.command(redemptions, "key-0001", `{"amount":511,"currency":"USD"}`).fails(409, "insufficient_balance")
	f.command(redemptions, "key-0002", `{"amount":510,"currency":"USD"}`).is(201)
}

// What a statement close does is read before anybody has closed the cycle.
func TestWhatAnOverdueCloseGrantsIsRead(t *testing.T) {
	f := newServiceOf(t, everyday+"timing: {grant: statement}\nredemption: {grace_days: 3, minimum_balance: 100}\n")
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.get("/v1/accounts/acct").status200().has("balance", "0", "hold_until", "null")
	f.clock.now = time.Date(2026, 2, 2, 12, 0, 0, 0, time.UTC)
	f.get("/v1/accounts/acct").status200().has("balance", "500", "available", "500", "redeemable", "0", "hold_until", `"2026-02-04T00:00:00Z"`, "version", "1")
	f.get("/v1/accounts/acct/statements/2026-01").status200().has("open", "false", "granted", "500", "closing", "500")
	f.get("/v1/accounts/acct/statements/2026-02").status200().has("open", "true", "opening", "500", "closing", "500")
	f.get("/v1/accounts/acct/entries").status200().has("entries", "[]")
	f.clock.now = time.Date(2026, 2, 5, 0, 0, 0, 0, time.UTC)
	f.get("/v1/accounts/acct").status200().has("redeemable", "400", "hold_until", "null")
}

// Whatever happened before and however long ago, what an account says can be redeemed is
// what a redemption gets: one minor unit more is refused.
func TestWhatIsReadIsWhatARedemptionGets(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed, terms := range []string{
				"maturity_days: 10\n", "maturity_days: 25\nclawback_method: rerate\ntiming: {clawback: statement}\n",
				"timing: {grant: statement, clawback: statement}\nredemption: {minimum_balance: 300, grace_days: 9}\n",
			} {
				f := startOn(t, open(t), "recoup.test", everyday+terms, nil)
				f.redeemsWhatItReads(uint64(seed))
			}
		})
	}
}

func (f *service) redeemsWhatItReads(seed uint64) {
	start := time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC)
	terms, err := program.Parse("program.yaml", []byte(everyday))
	if err != nil {
		f.Fatal(err)
	}
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 4, Events: 400, Seed: seed, Program: terms, Start: start, Days: 100, ReturnShare: 300, OverRefunds: 100, Duplicates: 50, Disorder: 200,
	}))
	var accounts []string
	for n, batch := range [2]int{250, 400} {
		from := 250 * n
		var body []byte
		for i := range events[from:batch] {
			e := &events[from+i]
			body = append(event.Append(body, e), '\n')
			if !slices.Contains(accounts, e.Account) {
				accounts = append(accounts, e.Account)
			}
		}
		f.clock.now = events[batch-1].Time.Time().AddDate(0, 0, 2)
		f.call("admin", "POST", "/v1/events", lines, string(body)).status200()
		for day := range 5 {
			f.clock.pass(time.Duration(day*day) * 25 * time.Hour)
			for _, account := range accounts {
				f.redeemsJustThat(account, fmt.Sprintf("%d-%d", n, day))
			}
		}
		// From here on the service's clock is ahead of the senders'.
		f.clock.now = events[batch-1].Time.Time().AddDate(0, 0, 2)
	}
}

func (f *service) redeemsJustThat(account, key string) {
	f.Helper()
	path := "/v1/accounts/" + account
	var shown struct {
		Redeemable, Balance, Available int64
		Holds                          []struct{ Until *time.Time }
		Maturity                       *struct{ At time.Time } `json:"next_maturity"`
	}
	f.get(path).status200().read(&shown)
	now := f.clock.read()
	for _, h := range shown.Holds {
		if h.Until != nil && !h.Until.After(now) {
			f.Errorf("%s at %v shows a hold until %v", account, now, h.Until)
		}
	}
	if shown.Maturity != nil && !shown.Maturity.At.After(now) {
		f.Errorf("%s at %v matures at %v", account, now, shown.Maturity.At)
	}
	redeem := func(amount int64, key string) *answer {
		return f.command(path+"/redemptions", strings.Repeat("k", 8)+key+account, fmt.Sprintf(`{"amount":%d,"currency":"USD"}`, amount))
	}
	if a := redeem(shown.Redeemable+1, key+"more"); a.status != 409 {
		f.Errorf("%s at %v says that %d can be redeemed, and one more is answered %d %s", account, now, shown.Redeemable, a.status, a.body)
	}
	if shown.Redeemable > 1 {
		redeem(shown.Redeemable, key+"all").is(201)
		if f.get(path).status200().read(&shown); shown.Redeemable != 0 {
			f.Errorf("%s at %v can redeem %d after all was redeemed", account, now, shown.Redeemable)
		}
	}
}
