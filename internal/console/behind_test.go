package console_test

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/console/overview"
	"recoup/internal/service/access"
	"recoup/reward"
)

var (
	bodyOf = regexp.MustCompile(`(?s)<tbody>(.*?)</tbody>`)
	rowTag = regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`)
	cell   = regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`)
)

// tableOf returns the cells of the first table of a page, as text.
func tableOf(page string) (rows [][]string) {
	body := bodyOf.FindStringSubmatch(page)
	if body == nil {
		return nil
	}
	for _, row := range rowTag.FindAllStringSubmatch(body[1], -1) {
		var cells []string
		for _, c := range cell.FindAllStringSubmatch(row[1], -1) {
			cells = append(cells, said(c[1]))
		}
		rows = append(rows, cells)
	}
	return rows
}

// allRows are the rows of a list, on all of its pages.
func (b *browser) allRows(path string) (rows [][]string) {
	b.Helper()
	for pages := 0; path != ""; pages++ {
		if pages == 100 {
			b.Fatalf("%s never ends", path)
		}
		page := b.page(path)
		rows = append(rows, tableOf(page)...)
		path = ""
		for _, m := range regexp.MustCompile(`<a class="button" href="([^"]*)" rel="next">`).FindAllStringSubmatch(page, -1) {
			path = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	return rows
}

// minor reads an amount as it is written in English, in minor units.
func minor(t testing.TB, text string) int64 {
	t.Helper()
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case r == '−':
			return '-'
		}
		return -1
	}, text)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		t.Fatalf("%q is no amount", text)
	}
	return n
}

func testMonthsAddUp(t *testing.T, o *office, b *browser) {
	for _, sums := range o.overview.Latest().Currencies {
		several := false
		for _, month := range sums.Cycles {
			var got overview.Cycle
			rows := b.allRows(fmt.Sprintf("/console/statements?cycle=%v&currency=%s", month.Cycle, sums.Currency))
			for _, r := range rows {
				got.Granted += minor(t, r[2])
				got.ClawedBack += minor(t, r[3])
				got.Redeemed += minor(t, r[4])
				got.Expired += minor(t, r[5])
				got.Adjusted += minor(t, r[6])
				if minor(t, r[7]) != minor(t, r[1])+minor(t, r[2])-minor(t, r[3])-minor(t, r[4])-minor(t, r[5])+minor(t, r[6]) {
					t.Errorf("%v in %s: %v does not tie", month.Cycle, sums.Currency, r)
				}
			}
			got.Cycle, got.Accounts = month.Cycle, int64(len(rows))
			if got != month {
				t.Errorf("%s: the rows add up to %+v, the overview has %+v", sums.Currency, got, month)
			}
			several = several || len(rows) > 50
		}
		if sums.Currency == "USD" && !several {
			t.Error("no month has several pages of statements")
		}
	}
}

func testDebtsAddUp(t *testing.T, o *office, b *browser) {
	for _, sums := range o.overview.Latest().Currencies {
		var accounts, debt int64
		for _, age := range sums.Debts.Ages {
			path := fmt.Sprintf("/console/debts?currency=%s&from=%d", sums.Currency, age.From)
			if age.To > 0 {
				path += fmt.Sprintf("&to=%d", age.To)
			}
			var owed int64
			rows := b.allRows(path)
			for _, r := range rows {
				owed += minor(t, r[1])
				if days := minor(t, r[3]); days < int64(age.From) || age.To > 0 && days > int64(age.To) {
					t.Errorf("%v is not from %d to %d days old", r, age.From, age.To)
				}
			}
			if int64(len(rows)) != age.Accounts || owed != age.Debt {
				t.Errorf("%s: %d rows with %d, the overview has %+v", path, len(rows), owed, age)
			}
			accounts, debt = accounts+age.Accounts, debt+age.Debt
		}
		if accounts+sums.Debts.Unexamined != sums.Debts.Accounts || debt+sums.Debts.UnexaminedDebt != sums.Debt {
			t.Errorf("%s: the ages have %d accounts and %d, of %d and %d", sums.Currency, accounts, debt, sums.Debts.Accounts, sums.Debt)
		}
		var owed int64
		for _, r := range b.allRows("/console/debts?currency=" + sums.Currency) {
			owed += minor(t, r[1])
		}
		if owed != sums.Debt {
			t.Errorf("%s: all debts are %d, the overview has %d", sums.Currency, owed, sums.Debt)
		}
	}
}

func testHeldAddsUp(t *testing.T, o *office, b *browser) {
	for _, sums := range o.overview.Latest().Currencies {
		var held int64
		for _, r := range b.allRows("/console/held?currency=" + sums.Currency) {
			held += minor(t, r[1])
		}
		if held != sums.Held {
			t.Errorf("%s: the accounts hold %d, the overview has %d", sums.Currency, held, sums.Held)
		}
	}
}

// testAccountsTie looks at accounts as they are shown, and as the store has them.
func testAccountsTie(t *testing.T, o *office, b *browser) {
	ids, err := o.store.AccountsFrom(context.Background(), "", "", 60)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range b.allRows("/console/accounts") {
		if i >= len(ids) {
			break
		}
		v := o.account(ids[i])
		if minor(t, row[2]) != v.Balance || minor(t, row[3]) != v.Held || minor(t, row[4]) != v.Redeemed {
			t.Errorf("account %q is listed as %v, and has %+v", ids[i], row, v)
		}
	}
	for _, id := range ids[:12] {
		page := b.page("/console/account?" + url.Values{"id": {id}}.Encode())
		var balance int64
		for _, p := range o.entries(id) {
			balance += p.Amount
		}
		if v := o.account(id); balance != v.Balance || tile(t, page, 0) != v.Balance || tile(t, page, 1) != v.Available || tile(t, page, 2) != v.Held || tile(t, page, 3) != v.Redeemed {
			t.Errorf("account %q is shown otherwise than it is: %+v", id, v)
		}
		if strings.Contains(page, `<span class="badge bad">no</span>`) {
			t.Errorf("a statement of account %q is said not to tie out", id)
		}
	}
}

var tileTag = regexp.MustCompile(`(?s)<li class="tile[^"]*"><b>(.*?)</b>`)

// tile is the amount in a tile of a page, counted from zero.
func tile(t testing.TB, page string, n int) int64 {
	t.Helper()
	tiles := tileTag.FindAllStringSubmatch(page, -1)
	if n >= len(tiles) {
		t.Fatalf("the page has %d tiles", len(tiles))
	}
	return minor(t, said(tiles[n][1]))
}

func TestAListBehindANumberHasTheRowsOfItAndNoOthers(t *testing.T) {
	o := openOffice(t)
	// One owes for 40 days, one for two, and one is even.
	for _, account := range []struct {
		id   string
		days int
	}{{"old", 40}, {"new", 2}} {
		o.deliver(reward.Event{Type: reward.TransactionSettled, Account: account.id, Transaction: "t", Amount: 100_00, Time: daysAgo(account.days + 60)})
		o.deliver(reward.Event{Type: reward.RedemptionRequested, Account: account.id, Fact: "r", Amount: o.account(account.id).Balance, Time: daysAgo(account.days + 5)})
		o.deliver(reward.Event{Type: reward.RefundPosted, Account: account.id, Transaction: "t", Fact: "f", Amount: 100_00, Time: daysAgo(account.days)})
	}
	o.deliver(reward.Event{Type: reward.TransactionSettled, Account: "even", Transaction: "t", Amount: 100_00})
	o.refresh()
	b := o.signIn("Vera", access.Viewer)
	for query, want := range map[string]string{
		"":              "2 accounts owe",
		"&from=0&to=30": "1 account owes",
		"&from=31":      "1 account owes",
		"&to=30":        "1 account owes",
		"&from=91":      "0 accounts owe",
	} {
		mustSay(t, said(b.page("/console/debts?currency=USD"+query)), want)
	}
	for query, want := range map[string]int{"": 2, "&after=1": 1, "&after=2": 0, "&after=99": 0, "&after=-5": 2, "&after=x": 2} {
		if got := len(tableOf(b.page("/console/debts?currency=USD" + query))); got != want {
			t.Errorf("%q lists %d accounts, want %d", query, got, want)
		}
	}
	for _, query := range []string{"&from=x", "&from=-1", "&from=60&to=31", "&to=1e9"} {
		if r := b.get("/console/debts?currency=USD" + query); r.status != 404 || !strings.Contains(said(r.body), "There is no such age") {
			t.Errorf("%s is answered with %d", query, r.status)
		}
	}
}
