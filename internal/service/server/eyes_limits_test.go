package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// One Idempotency-Key on many accounts is as many adjustments, and one that the rules
// refuse gives nothing back that another has used.
func TestOneKeyOnManyAccountsCountsOnEach(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		adjust := func(account string, body string) *answer {
			t.Helper()
			return b.post(ada, "/v1/accounts/"+account+"/adjustments", "the-same-key", body)
		}
		posted := 0
		for n := range approval.PersonDay + 2 {
			account := fmt.Sprintf("acct-%d", n)
			b.call(ada, "POST", "/v1/events", one, purchase(n, account, 100)).status200()
			if adjust(account, `{"amount":2500,"currency":"USD","reason":"goodwill"}`).status == http.StatusCreated {
				posted++
			}
		}
		if posted != approval.PersonDay {
			t.Errorf("one person has posted %d in a day, want %d", posted, approval.PersonDay)
		}
		_, bob := b.key("Bob", scope.Admin)
		b.post(bob, "/v1/accounts/acct-5/adjustments", "bob-00001", `{"adjustment":"taken","amount":1,"currency":"USD","reason":"x"}`).is(201)
		b.post(ada, "/v1/accounts/acct-5/adjustments", "the-same-key", `{"adjustment":"taken","amount":2500,"currency":"USD","reason":"x"}`).fails(409, "adjustment_conflict")
		b.call(ada, "POST", "/v1/events", one, purchase(20, "last", 100)).status200()
		b.post(ada, "/v1/accounts/last/adjustments", "another-key", `{"amount":2500,"currency":"USD","reason":"goodwill"}`).fails(409, "approval_needed")
	})
}

// An amount that was let through in one currency is not in another.
func TestALimitIsOfTheCurrencyOfTheAccount(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		for _, c := range []struct{ currency, account, want string }{
			{"JPY", "acct", "rejected currency_mismatch"}, {"USD", "acct", "rejected approval_needed"},
			{"JPY", "unknown", "rejected account_unknown"}, {"USD", "unknown", "rejected approval_needed"},
		} {
			line := cloudEvent(2, "adjustment.posted", c.account, fmt.Sprintf(`"adjustment":"a","amount":4000,"currency":%q,"reason":"x","actor":"Ada"`, c.currency))
			if a := b.call(ada, "POST", "/v1/events", one, line).status200(); a.outcome(a.body) != c.want {
				t.Errorf("4000 %s on %s: %s, want %s", c.currency, c.account, a.body, c.want)
			}
		}
		if got := b.balance(ada, "acct"); got != "5" {
			t.Errorf("the balance is %s", got)
		}
	})
}

// Whoever names the amount that a refused fact is to count with names what it does to the
// balance, now or when its reward is granted.
func TestARefusedFactCountsUpToTheLimits(t *testing.T) {
	for name, terms := range map[string]string{"at once": everyday, "at the statement": everyday + "timing: {grant: statement}\n"} {
		t.Run(name, func(t *testing.T) {
			eachBureauOf(t, terms, func(t *testing.T, b *bureau) {
				_, ada := b.key("Ada", scope.Admin)
				_, desk := b.key("Oscar", access.Operator.Scopes())
				b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
				b.call(ada, "POST", "/v1/events", one, cloudEvent(2, "transaction.settled", "acct", `"transaction":"abroad","amount":5000,"currency":"EUR"`)).status200()
				var page struct{ Reviews []review }
				b.call(ada, "GET", "/v1/reviews?kind=currency_mismatch", "", "").status200().read(&page)
				path := "/v1/reviews/" + page.Reviews[0].ID + "/resolution"
				before := b.balance(ada, "acct")
				b.post(desk, path, "count-001", `{"action":"count","amount":100000000,"currency":"USD","reason":"x"}`).fails(409, "approval_needed")
				if got := b.balance(ada, "acct"); got != before {
					t.Errorf("the balance is %s, want %s", got, before)
				}
				count := `{"action":"count","amount":250000,"currency":"USD","reason":"x"}`
				a := b.post(desk, path, "count-002", count).is(201)
				if again := b.post(desk, path, "count-002", count).is(201); again.body != a.body {
					t.Errorf("again: %s, want %s", again.body, a.body)
				}
				// It counted: the account has had half of what it may have in a day.
				b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", `{"amount":2500,"currency":"USD","reason":"x"}`).is(201)
				b.post(ada, "/v1/accounts/acct/adjustments", "key-00002", `{"amount":1,"currency":"USD","reason":"x"}`).fails(409, "approval_needed")
			})
		})
	}
}

// A decision that the rules would not do yet is not passed on to them: they might do it
// after what comes before it, when nobody weighs it any more.
func TestADecisionIsWeighedAsTheAccountStands(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		send := func(media string, lines ...string) []string {
			t.Helper()
			body := strings.Join(lines, "\n")
			if media == batch {
				body = "[" + strings.Join(lines, ",") + "]"
			}
			a := b.call(ada, "POST", "/v1/events", media, body).status200()
			var got []string
			for line := range strings.Lines(a.body) {
				if line = strings.Trim(line, "[],\n"); line != "" {
					got = append(got, a.outcome(line))
				}
			}
			return got
		}
		expect := func(got []string, want ...string) {
			t.Helper()
			if strings.Join(got, "; ") != strings.Join(want, "; ") {
				t.Errorf("found %q, want %q", got, want)
			}
		}
		settled := cloudEvent(2, "transaction.settled", "acct", `"transaction":"dear","amount":100000,"currency":"USD","merchant":"m1","category":"GROCERY"`)
		link := cloudEvent(3, "refund.linked", "acct", `"refund":"free","transaction":"dear","reason":"x","actor":"Ada"`)
		expect(send(one, cloudEvent(0, "transaction.settled", "acct", `"transaction":"plain","amount":100000,"currency":"USD","merchant":"m9"`)), "applied")
		expect(send(one, cloudEvent(1, "refund.posted", "acct", `"refund":"free","amount":90000,"currency":"USD","merchant":"m9"`)), "applied matched")
		expect(send(one, link), "rejected transaction_unknown")
		expect(send(batch, settled, link), "applied", "rejected decision_not_first")
		expect(send(one, link), "rejected approval_needed")
		if got := b.balance(ada, "acct"); got != "5100" {
			t.Errorf("the balance is %s", got)
		}

		adjust := func(n int, account string) string {
			return cloudEvent(n, "adjustment.posted", account, fmt.Sprintf(`"adjustment":"a%d","amount":2500,"currency":"USD","reason":"x","actor":"Ada"`, n))
		}
		// In a stream it is looked at once what comes before is applied.
		expect(send(lines, purchase(10, "other", 100), adjust(11, "other"), adjust(12, "other"), adjust(13, "other")), "applied", "applied", "applied", "rejected approval_needed")
		expect(send(batch, adjust(14, "third"), purchase(15, "third", 100), purchase(16, "fourth", 100)), "applied", "applied", "applied")
	})
}

// What somebody decided is not kept apart for somebody else to let in.
func TestADecisionIsNotQuarantined(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		for _, line := range []string{
			cloudEvent(2, "adjustment.posted", "acct", `"adjustment":"a","amount":900000,"currency":"USD","reason":"4111111111111111","actor":"Ada"`),
			cloudEvent(3, "refund.linked", "acct", `"refund":"4111111111111111","transaction":"t1","reason":"x","actor":"Ada"`),
			cloudEvent(4, "refund.dismissed", "acct", `"refund":"4111111111111111","reason":"x","actor":"Ada"`),
		} {
			if a := b.call(ada, "POST", "/v1/events", one, line).status200(); a.outcome(a.body) != "rejected card_number" || strings.Contains(a.body, "1111111") {
				t.Errorf("%s", a.body)
			}
		}
		var page struct{ Reviews []review }
		if b.call(ada, "GET", "/v1/reviews", "", "").status200().read(&page); len(page.Reviews) > 0 {
			t.Errorf("to review: %+v", page.Reviews)
		}
		// Nor is one let in that is apart already.
		apart := []durable.Suspect{{Member: "data.reason", Event: reward.Event{
			Source: "core", ID: "big", Account: "acct", Type: reward.AdjustmentPosted, Fact: "big", Amount: 900_000, HasAmount: true, Currency: "USD",
			Reason: pan, Actor: "Ada", Time: reward.At(b.clock.read()),
		}}}
		if err := b.ledger.KeepApart(t.Context(), apart); err != nil {
			t.Fatal(err)
		}
		b.call(ada, "GET", "/v1/reviews", "", "").status200().read(&page)
		b.post(ada, "/v1/reviews/"+page.Reviews[0].ID+"/resolution", "", `{"action":"admit","reason":"x"}`).fails(409, "approval_needed")
	})
}

// Sources of the service's own are nobody's, whether it has them or not; and its own
// account has no balance.
func TestWhatIsTheServicesOwn(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		for _, source := range []string{"api", "recoup:none", "recoup:clock", "recoup:"} {
			line := strings.Replace(purchase(1, "acct", 100), `"core"`, `"`+source+`"`, 1)
			if a := b.call(ada, "POST", "/v1/events", one, line).status200(); a.outcome(a.body) != "rejected source_reserved" {
				t.Errorf("%s: %s", source, a.body)
			}
		}
		b.call(ada, "PUT", "/v1/programs/all", "application/yaml", "id: all\ncurrency: USD\nrules: [{id: base, rate: 100%}]\n").fails(409, "approval_needed")
		b.post(ada, "/v1/accounts/recoup:terms/adjustments", "key-00001", `{"amount":1,"currency":"USD","reason":"x"}`).fails(404, "account_unknown")
		b.post(ada, "/v1/accounts/recoup:terms/redemptions", "key-00002", `{"amount":1,"currency":"USD"}`).fails(404, "account_unknown")
		b.post(ada, "/v1/accounts/recoup:terms/closure", "key-00003", "").fails(404, "account_unknown")
		b.post(ada, "/v1/accounts/recoup:terms/opening", "key-00004", `{"program":"everyday","reason":"x"}`).fails(404, "account_unknown")
	})
}

// A key of a program has nothing to do with the accounts and the terms of others, also
// where there is no account yet.
func TestAKeyIsForItsPrograms(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, gold := b.key("gold", scope.Ingest|scope.Read|scope.Operate|scope.Approve, access.Limits{Programs: []string{"gold", "tin"}})
		_, goldAdmin := b.key("gold admin", scope.Admin, access.Limits{Programs: []string{"gold"}})
		_, daily := b.key("daily", scope.Ingest, access.Limits{Programs: []string{"everyday"}})
		put := func(key, program string) *answer {
			return b.call(key, "PUT", "/v1/programs/"+program, "application/yaml", "id: "+program+"\ncurrency: USD\nrules: [{id: base, rate: 1%}]\n")
		}
		var terms, other server.Problem
		put(goldAdmin, "silver").fails(403, "account_refused")
		put(goldAdmin, "gold").fails(409, "approval_needed").read(&terms)
		put(ada, "silver").fails(409, "approval_needed").read(&other)
		b.post(gold, fmt.Sprintf("/v1/proposals/%d/approval", other.Proposal), "", "").fails(403, "account_refused")
		b.post(gold, fmt.Sprintf("/v1/proposals/%d/rejection", other.Proposal), "", "{}").fails(403, "account_refused")
		b.post(gold, fmt.Sprintf("/v1/proposals/%d/approval", terms.Proposal), "", "").is(200)
		b.call(gold, "GET", "/v1/proposals?account=new", "", "").fails(403, "account_refused")

		b.post(gold, "/v1/accounts/new/opening", "open-0001", `{"program":"everyday","reason":"x"}`).fails(403, "account_refused")
		for _, c := range []struct{ key, line, want string }{
			{gold, purchase(1, "new", 100), "rejected account_refused"},
			{daily, cloudEvent(2, "account.opened", "new", `"program":"gold"`), "rejected account_refused"},
			{daily, purchase(3, "new", 100), "applied"},
			{gold, purchase(4, "new", 100), "rejected account_refused"},
			{gold, cloudEvent(5, "account.opened", "newer", `"program":"gold"`), "applied"},
			{gold, purchase(6, "newer", 100), "applied"},
		} {
			if a := b.call(c.key, "POST", "/v1/events", one, c.line).status200(); a.outcome(a.body) != c.want {
				t.Errorf("%s: %s, want %s", c.line, a.body, c.want)
			}
		}
		a := b.call(gold, "POST", "/v1/events", batch, "["+cloudEvent(7, "account.opened", "newest", `"program":"gold"`)+","+purchase(8, "newest", 100)+"]").status200()
		if strings.Count(a.body, `"applied"`) != 2 {
			t.Errorf("in one batch: %s", a.body)
		}
		a = b.call(gold, "POST", "/v1/events", batch, "["+cloudEvent(9, "account.opened", "no-such", `"program":"tin"`)+","+purchase(10, "no-such", 100)+"]").status200()
		if !strings.Contains(a.body, `"program_unknown"`) || !strings.Contains(a.body, `"account_refused"`) {
			t.Errorf("after a program that is not there: %s", a.body)
		}
	})
}

// A link between purchases whose rewards are granted at the statement changes nothing yet: it
// is weighed by what that will grant.
func TestALinkIsWeighedByWhatTheStatementGrants(t *testing.T) {
	eachBureauOf(t, everyday+"timing: {grant: statement}\n", func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		for n, c := range []struct{ kind, data string }{
			{"transaction.settled", `"transaction":"dear","amount":100000,"currency":"USD","merchant":"m1","category":"GROCERY"`},
			{"refund.posted", `"refund":"free","amount":90000,"currency":"USD","merchant":"m1"`},
			{"transaction.settled", `"transaction":"plain","amount":100000,"currency":"USD","merchant":"m9"`},
		} {
			b.call(ada, "POST", "/v1/events", one, cloudEvent(n, c.kind, "acct", c.data)).status200()
		}
		link := cloudEvent(9, "refund.linked", "acct", `"refund":"free","transaction":"plain","reason":"x","actor":"Ada"`)
		if a := b.call(ada, "POST", "/v1/events", one, link).status200(); a.outcome(a.body) != "rejected approval_needed" {
			t.Error(a.body)
		}
	})
}
