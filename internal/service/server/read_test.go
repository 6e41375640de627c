package server_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnAccountSaysWhatIsHeldAndUntilWhen(t *testing.T) {
	f := newServiceOf(t, everyday+"maturity_days: 20\n")
	f.deliver(purchase(1, "acct", 10000), "applied")
	f.deliver(purchase(2, "acct", 2000), "applied")
	f.get("/v1/accounts/acct").status200().has(
		"account", `"acct"`, "program", `"everyday"`, "currency", `"USD"`, "status", `"open"`,
		"balance", "600", "held", "600", "available", "0", "debt", "0", "net_spend", "12000", "hold_until", "null",
		"holds", `[{"transaction":"t1","amount":500,"why":"maturity","until":"2026-01-30T00:00:01Z"},{"transaction":"t2","amount":100,"why":"maturity","until":"2026-01-30T00:00:02Z"}]`,
		"next_maturity", `{"at":"2026-01-30T00:00:01Z","amount":500}`, "latest", `"2026-01-10T00:00:02Z"`, "version", "2")
}

func TestAnAccountThatHasNotChanged(t *testing.T) {
	f := rewarded(t)
	a := f.get("/v1/accounts/acct").status200()
	tag := a.header.Get("ETag")
	if tag == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("ETag %q, Cache-Control %q", tag, a.header.Get("Cache-Control"))
	}
	if same := f.get("/v1/accounts/acct", "If-None-Match", tag).is(304); same.body != "" {
		t.Errorf("304 with %q", same.body)
	}
	f.deliver(purchase(2, "acct", 100), "applied")
	f.get("/v1/accounts/acct", "If-None-Match", tag).status200()
}

func TestTheBalanceAtAPastMoment(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions, "key-0001", `{"amount":100,"currency":"USD"}`).is(201)
	for at, balance := range map[string]string{
		"2026-01-10T00:00:00Z": "0", "2026-01-10T00:00:01Z": "500", "2026-01-20T11:59:59.999Z": "500", "2026-01-20T12:00:00Z": "400",
	} {
		f.get("/v1/accounts/acct?at="+at).status200().has("balance", balance, "account", `"acct"`, "currency", `"USD"`)
	}
	f.get("/v1/accounts/acct?at=2026-01-20T12:00:01Z").fails(422, "invalid_request")
	f.get("/v1/accounts/acct?at=yesterday").fails(422, "invalid_request")
	f.get("/v1/accounts/nobody?at=2026-01-20T12:00:00Z").fails(404, "account_unknown")
}

// pagesAs reads a list to its end, in pages of a limit, by the key of a scope, and returns
// a member of each item; the cursor and the link must say the same.
func (f *service) pagesAs(key, path string, limit int, list, name string) []string {
	f.Helper()
	return f.pagesWith(key, path, limit, func(a *answer) (names []string) {
		var page map[string]any
		a.read(&page)
		for _, item := range page[list].([]any) {
			names = append(names, fmt.Sprint(item.(map[string]any)[name]))
		}
		return names
	})
}

func (f *service) pagesWith(key, path string, limit int, names func(a *answer) []string) (all []string) {
	f.Helper()
	query := fmt.Sprintf("?limit=%d", limit)
	for range 1000 {
		a := f.call(key, "GET", path+query, "", "").status200()
		found := names(a)
		if len(found) > limit {
			f.Fatalf("%d on a page of %d", len(found), limit)
		}
		all = append(all, found...)
		var page struct{ Next *string }
		a.read(&page)
		if page.Next == nil {
			if link := a.header.Get("Link"); link != "" {
				f.Errorf("the last page has the link %s", link)
			}
			return all
		}
		link, ok := strings.CutSuffix(strings.TrimPrefix(a.header.Get("Link"), "<"), `>; rel="next"`)
		values, err := url.ParseQuery(strings.TrimPrefix(link, "?"))
		if !ok || err != nil || values.Get("cursor") != *page.Next {
			f.Fatalf("the link %s, the cursor %s", a.header.Get("Link"), *page.Next)
		}
		query = link
	}
	f.Fatal("there is no end to the pages")
	return nil
}

func TestListsComeInPages(t *testing.T) {
	f := newService(t)
	var transactions, entries, reviews []string
	for n := range 7 {
		f.deliver(purchase(n, "acct", 1000), "applied")
		transactions = append(transactions, fmt.Sprintf("t%d", n))
		entries = append(entries, fmt.Sprint(7-n))
	}
	for n := range 5 {
		f.deliver(cloudEvent(100+n, "refund.posted", "acct", fmt.Sprintf(`"refund":"f%d","amount":100,"currency":"USD","transaction":"x"`, n)), "parked transaction_unknown")
		reviews = append(reviews, fmt.Sprintf("f%d", n))
	}
	for _, c := range []struct {
		path, list, name string
		want             []string
	}{
		{"/v1/accounts/acct/transactions", "transactions", "id", transactions},
		{"/v1/accounts/acct/entries", "entries", "number", entries},
		{"/v1/accounts/acct/statements", "statements", "cycle", []string{"2026-01"}},
		{"/v1/reviews", "reviews", "fact", reviews},
	} {
		for _, limit := range []int{1, 3, 7, 500} {
			got := f.pagesAs("read", c.path, limit, c.list, c.name)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s in pages of %d: %v, want %v", c.path, limit, got, c.want)
			}
		}
		f.get(c.path+"?limit=501").fails(422, "invalid_request")
		f.get(c.path+"?limit=0").fails(422, "invalid_request")
		f.get(c.path+"?limt=1").fails(422, "invalid_request")
		for _, bad := range []string{"!", "AAAA", "dAAA", "ZQ", "cwA"} {
			f.get(c.path+"?cursor="+bad).fails(400, "invalid_cursor")
		}
	}
	for _, path := range []string{"transactions", "entries", "statements", "transactions/t1", "statements/2026-01"} {
		f.get("/v1/accounts/nobody/"+path).fails(404, "account_unknown")
	}
}

func TestEntriesExplainThemselves(t *testing.T) {
	f := rewarded(t)
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","transaction":"t1","amount":4000,"currency":"USD"`), "applied")
	var journal struct {
		Currency string
		Entries  []struct {
			Kind, Explanation, Debit, Credit, Event, Rule, Cycle string
			Amount, Balance                                      int64
			Formula                                              struct{ Purchase, Reversed, Before, After int64 }
		}
	}
	f.get("/v1/accounts/acct/entries").status200().read(&journal)
	e := journal.Entries[0]
	if e.Kind != "clawback" || e.Amount != -200 || e.Balance != 300 || e.Event != "e2" || e.Rule != "grocery" || e.Cycle != "2026-01" ||
		e.Debit != "liabilities:cardholder rewards" || e.Credit != "expenses:rewards" || !strings.Contains(e.Explanation, "$40.00 of purchase t1 came back") ||
		e.Formula.Reversed != 4000 || e.Formula.Before != 500 || e.Formula.After != 300 {
		t.Errorf("the journal has %+v", e)
	}
}

func TestATransactionShowsItsRefunds(t *testing.T) {
	f := rewarded(t)
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","transaction":"t1","amount":4000,"currency":"USD"`), "applied")
	f.deliver(cloudEvent(3, "refund.pending", "acct", `"refund":"f2","transaction":"t1","amount":1000,"currency":"USD"`), "applied")
	f.deliver(cloudEvent(4, "chargeback.posted", "acct", `"chargeback":"c1","transaction":"t1","amount":500`), "applied")
	f.get("/v1/accounts/acct/transactions/t1").status200().has("id", `"t1"`, "status", `"CHARGEBACK"`, "amount", "10000", "reversed", "4500", "reward_original", "500", "reward_retained", "275",
		"rule", `"grocery"`, "merchant", `"m1"`, "currency", `"USD"`, "cycle", `"2026-01"`,
		"chargebacks", `[{"id":"c1","amount":500,"placed":500,"linked":true,"status":"posted","at":"2026-01-10T00:00:04Z"}]`)
	f.get("/v1/accounts/acct/transactions/t2").fails(404, "transaction_not_found")
}

func TestStatementsTieOut(t *testing.T) {
	f := rewarded(t)
	f.command(redemptions, "key-0001", `{"amount":100,"currency":"USD"}`).is(201)
	f.command("/v1/accounts/acct/adjustments", "key-0002", `{"amount":30,"currency":"USD","reason":"goodwill"}`).is(201)
	f.deliver(cloudEvent(2, "refund.posted", "acct", `"refund":"f1","transaction":"t1","amount":4000,"currency":"USD"`), "applied")
	f.get("/v1/accounts/acct/statements/2026-01").status200().has("open", "true", "opening", "0", "granted", "500", "clawed_back", "200", "redeemed", "100", "adjusted", "30", "closing", "230")
	f.clock.pass(20 * 24 * time.Hour)
	f.command("/v1/accounts/acct/adjustments", "key-0003", `{"amount":5,"currency":"USD","reason":"goodwill"}`).is(201)
	f.get("/v1/accounts/acct/statements/2026-01").status200().has("open", "false", "closing", "230")
	f.get("/v1/accounts/acct/statements/2026-02").status200().has("opening", "230", "adjusted", "5", "closing", "235", "from", `"2026-02-01T00:00:00Z"`, "to", `"2026-03-01T00:00:00Z"`)
	f.get("/v1/accounts/acct/statements/2026-03").fails(404, "statement_unknown")
	f.get("/v1/accounts/acct/statements/2026-13").fails(422, "invalid_request")
}

func TestReviewsAreFiltered(t *testing.T) {
	f := newService(t)
	f.deliver(cloudEvent(1, "refund.posted", "a", `"refund":"f1","amount":100,"currency":"USD","transaction":"x"`), "parked transaction_unknown")
	f.deliver(cloudEvent(2, "refund.posted", "b", `"refund":"f2","amount":900,"currency":"USD"`), "applied unmatched")
	late := strings.Replace(cloudEvent(3, "refund.posted", "b", `"refund":"f3","amount":300,"currency":"USD"`), "2026-01-10", "2026-01-19", 1)
	f.deliver(late, "applied unmatched")
	for query, want := range map[string]string{
		"": "f1 f2 f3", "?account=b": "f2 f3", "?kind=waits_for_transaction": "f1", "?min_amount=300": "f2 f3", "?older_than=5": "f1 f2",
		"?account=b&older_than=5&min_amount=900&kind=unmatched": "f2", "?account=nobody": "",
	} {
		var got []string
		for _, r := range f.reviews(query) {
			got = append(got, r.Fact)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	// The next page is of the same selection.
	var facts []string
	for query := "?account=b&older_than=0&min_amount=100&kind=unmatched&limit=1"; query != ""; {
		a := f.get("/v1/reviews" + query).status200()
		var page struct{ Reviews []review }
		a.read(&page)
		for _, r := range page.Reviews {
			facts = append(facts, r.Fact)
		}
		link := strings.TrimSuffix(strings.TrimPrefix(a.header.Get("Link"), "<"), `>; rel="next"`)
		for _, member := range []string{"account=b", "min_amount=100", "kind=unmatched"} {
			if link != "" && !strings.Contains(link, member) {
				t.Errorf("the link %s has no %s", link, member)
			}
		}
		query = link
	}
	if strings.Join(facts, " ") != "f2 f3" {
		t.Errorf("in pages: %v", facts)
	}
	f.get("/v1/reviews?kind=odd").fails(422, "invalid_request")
	f.get("/v1/reviews?older_than=-1").fails(422, "invalid_request")
}

func TestPathsWithOddIDs(t *testing.T) {
	f := newService(t)
	for n, account := range []string{"a/b", "a b", "ä", "a%2Fb", "a?b", "a#b", "a+b", "healthz"} {
		f.deliver(purchase(n, account, 10000), "applied")
		f.get("/v1/accounts/"+url.PathEscape(account)).status200().has("balance", "500")
	}
	f.get("/v1/accounts/"+strings.Repeat("a", 257)).fails(422, "invalid_request")
}
