package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// rows are what the list shows: kind and id.
func rows(t testing.TB, page string) (list []string) {
	t.Helper()
	for _, m := range rowLink.FindAllStringSubmatch(page, -1) {
		u, err := url.Parse(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m[2]+" "+u.Query().Get("id"))
	}
	return list
}

const yen = "id: nippon\ncurrency: JPY\nrules: [{id: base, rate: 1%}]\n"

func TestTheListIsFiltered(t *testing.T) {
	o := openOffice(t, yen)
	vera := o.signIn("Vera", access.Viewer)
	if page := said(vera.page("/console/reviews")); !strings.Contains(page, "Nothing is open: every refund and chargeback found its purchase") {
		t.Errorf("where nothing is open the page says:\n%s", page)
	}
	o.deliver(reward.Event{Account: "a1", Type: reward.RefundPosted, Fact: "waiting", Transaction: "gone", Amount: 1_250, Time: daysAgo(40)})
	o.deliver(reward.Event{Account: "a1", Type: reward.RefundPosted, Fact: "unmatched", Amount: 1_249, Time: daysAgo(20)})
	o.deliver(reward.Event{Account: "a2", Type: reward.ChargebackReversed, Fact: "undone", Time: daysAgo(10)})
	o.deliver(reward.Event{Account: "j1", Type: reward.AccountOpened, Fact: "nippon", Time: daysAgo(9)})
	o.deliver(reward.Event{Account: "j1", Type: reward.RefundPosted, Fact: "yen", Amount: 13, Currency: "JPY", Time: daysAgo(8)})
	o.refresh()
	for _, tt := range []struct{ query, want string }{
		{"", "waits for transaction waiting, unmatched unmatched, waits for fact undone, unmatched yen"},
		{"kind=unmatched", "unmatched unmatched, unmatched yen"},
		{"account=+a1%E2%80%8B", "waits for transaction waiting, unmatched unmatched"},
		{"older=10", "waits for transaction waiting, unmatched unmatched"},
		{"older=9", "waits for transaction waiting, unmatched unmatched, waits for fact undone"},
		{"amount=12.50", "waits for transaction waiting, unmatched yen"},
		{"amount=12.49", "waits for transaction waiting, unmatched unmatched, unmatched yen"},
		{"amount=12.4901", "waits for transaction waiting, unmatched yen"},
		{"amount=13", "unmatched yen"},
		{"amount=13.0001", ""},
		{"amount=12&kind=unmatched&account=a1&older=19", "unmatched unmatched"},
		{"account=nobody", ""},
	} {
		page := vera.page("/console/reviews?" + tt.query)
		if got := strings.Join(rows(t, page), ", "); got != tt.want {
			t.Errorf("%q shows %q, want %q", tt.query, got, tt.want)
		}
		if tt.want == "" && !strings.Contains(said(page), "Nothing that is open passes the filter.") {
			t.Errorf("%q shows nothing and says:\n%s", tt.query, said(page))
		}
	}
	page := vera.page("/console/reviews?kind=unmatched&older=5&amount=1.5&account=a1")
	for _, want := range []string{`<option value="unmatched" selected>`, `<option value="5" selected>5 days`, `name="amount" value="1.5"`, `name="account" value="a1"`, `aria-current="true">unmatched <b>2</b>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the filter is not shown as %s", want)
		}
	}
	for query, want := range map[string]string{
		"kind=nonsense": "There is no such kind of review.", "older=soon": "Expected whole days", "older=-1": "Expected whole days", "older=99999": "Expected whole days",
		"amount=12%2C50": "Expected an amount such as 12.50.", "amount=-1": "Expected an amount such as 12.50.", "amount=1e3": "Expected an amount such as 12.50.", "amount=99999999999999999999": "Expected an amount such as 12.50.",
	} {
		if r := vera.get("/console/reviews?" + query); r.status != http.StatusBadRequest || !strings.Contains(r.body, want) || !strings.Contains(r.body, `aria-invalid="true"`) || len(rows(t, r.body)) > 0 {
			t.Errorf("%q is answered with %d:\n%s", query, r.status, said(r.body))
		}
	}
}

func TestTheListIsPaged(t *testing.T) {
	o := openOffice(t)
	var want []string
	for i := range 120 {
		id := fmt.Sprintf("r%03d", i)
		o.deliver(reward.Event{Account: fmt.Sprint("a", i%7), Type: reward.RefundPosted, Fact: id, Amount: int64(100 + i%2), Time: daysAgo(30) + reward.Instant(i/3)*1e9})
	}
	vera := o.signIn("Vera", access.Viewer)
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`)
	walk := func(path string) (list []string, pages int) {
		for path != "" {
			page := vera.page(path)
			shown := rows(t, page)
			list = append(list, shown...)
			pages++
			path = ""
			if m := next.FindStringSubmatch(page); m != nil {
				path = html.UnescapeString(m[1])
			}
			if pages > 10 {
				t.Fatal("there is no end")
			}
		}
		return list, pages
	}
	list, _, _, err := o.store.Reviews(context.Background(), durable.ReviewFilter{}, durable.ReviewPlace{}, 500)
	if err != nil {
		t.Fatal(err)
	}
	var odd []string
	for _, v := range list {
		want = append(want, "unmatched "+v.Part.ID)
		if v.Amount > 100 {
			odd = append(odd, "unmatched "+v.Part.ID)
		}
	}
	if got, pages := walk("/console/reviews"); strings.Join(got, ",") != strings.Join(want, ",") || pages != 3 || len(got) != 120 {
		t.Errorf("%d on %d pages:\n%v\nwant\n%v", len(got), pages, got, want)
	}
	if got, pages := walk("/console/reviews?amount=1.01&kind=unmatched"); strings.Join(got, ",") != strings.Join(odd, ",") || pages != 2 || len(got) != 60 {
		t.Errorf("with a filter %d on %d pages:\n%v\nwant\n%v", len(got), pages, got, odd)
	}
	for _, place := range []string{"x", "1.2.3", "1.2.YQ.YQ.YQ", "1.2.YQ.YQ=", "1.2..YQ", "1.999.YQ.YQ", "1.2.YQ.AA", "1.2.YQ." + strings.Repeat("YWFh", 100)} {
		if r := vera.get("/console/reviews?after=" + url.QueryEscape(place)); r.status != http.StatusBadRequest || !strings.Contains(r.body, "There is no such place in the list") {
			t.Errorf("the place %q is answered with %d", place, r.status)
		}
	}
}

// What can be of one purchase only is not among what people should look at.
func TestCertainMatchesAreListedApart(t *testing.T) {
	o := openOffice(t)
	buys := func(id, merchant, category string, amount int64) {
		o.deliver(reward.Event{Account: "acct", Type: reward.TransactionSettled, Transaction: id, Amount: amount, Merchant: merchant, Category: category, Time: daysAgo(20)})
	}
	buys("grocery", "market", "GROCERY", 10_000)
	buys("shoes-1", "mall", "SHOES", 5_000)
	buys("shoes-2", "mall", "SHOES", 6_000)
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "sure", Amount: 10_000, Merchant: "market", Category: "GROCERY", Time: daysAgo(16)})
	o.deliver(reward.Event{Account: "acct", Type: reward.RefundPosted, Fact: "doubtful", Amount: 6_000, Merchant: "mall", Category: "SHOES", Time: daysAgo(15)})
	vera := o.signIn("Vera", access.Viewer)
	all, certain := vera.page("/console/reviews"), vera.page("/console/reviews?kind=matched_certain")
	if list := strings.Join(rows(t, all), "\n"); !strings.Contains(list, "doubtful") || strings.Contains(list, "sure") {
		t.Errorf("to look at:\n%s", list)
	}
	if !strings.Contains(said(all), "can be of one only are listed apart") || !strings.Contains(all, `href="/console/reviews?kind=matched_certain"`) {
		t.Errorf("it is not said where the certain ones are:\n%s", said(all))
	}
	if list := strings.Join(rows(t, certain), "\n"); strings.Contains(list, "doubtful") || !strings.Contains(list, "sure") {
		t.Errorf("listed apart:\n%s", list)
	}
	if !strings.Contains(said(certain), "there is nothing to doubt about them") {
		t.Errorf("it is not said what they are:\n%s", said(certain))
	}
	if page := said(vera.page(reviewPath("acct", "refund", "sure"))); !strings.Contains(page, "$100.00 of it lies on the only one that it can be of") {
		t.Errorf("of a certain one:\n%s", page)
	}
}
