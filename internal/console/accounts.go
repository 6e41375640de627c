package console

import (
	"cmp"
	"strconv"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// accountList is a page of the list of accounts. By id it is of the ledger as it is;
// sorted or filtered it is of the figures that were read last, of all accounts.
type accountList struct {
	Asked    accountsAsked
	Accounts []overview.Row
	Totals   []overview.Total
	AsOf     time.Time // of the totals and of what is sorted or filtered; zero: there are none yet
	Live     bool      // the accounts are as they are now
	Beyond   int64     // accounts that can be found by their ids alone
	Columns  []accountColumn
	Choices  []accountChoice
	Next     string
}

// accountsAsked is what a query asks for, each as it is in the address, and empty where
// nothing is asked.
type accountsAsked struct{ From, Program, Currency, Show, State, Active, Sort string }

// accountColumn is a column that can be sorted by.
type accountColumn struct {
	Title, Path  string
	Number       bool
	Sorted, Rise bool
}

// accountChoice is a filter of the form.
type accountChoice struct {
	Name, Title string
	Options     []accountOption
}

type accountOption struct {
	Value, Title string
	Chosen       bool
}

var accountSorts = map[string]overview.Sort{
	"debt": overview.SortByDebt, "owed": overview.SortByOwed, "held": overview.SortByHeld, "redeemed": overview.SortByPaid, "idle": overview.SortByIdle, "recent": overview.SortByRecent,
}

// activeDays are how many days ago the last event was, at most, or before that.
var activeDays = map[string]int{"30": 30, "-30": -30, "-90": -90, "-365": -365}

// accountsAsked reads the query. What it does not know is not asked.
func (v *visit) accountsAsked(figures *overview.Figures) accountsAsked {
	one := func(name string, known ...string) string {
		for _, k := range known {
			if v.given(name) == k {
				return k
			}
		}
		return ""
	}
	a := accountsAsked{From: v.given("from"), Show: one("show", "owing", "holding"), State: one("state", "open", "closed")}
	if activeDays[v.given("active")] != 0 {
		a.Active = v.given("active")
	}
	if _, known := accountSorts[v.given("sort")]; known {
		a.Sort = v.given("sort")
	}
	for i := range figures.Programs {
		a.Program = cmp.Or(a.Program, one("program", figures.Programs[i].ID))
	}
	for i := range figures.Currencies {
		a.Currency = cmp.Or(a.Currency, one("currency", figures.Currencies[i].Currency))
	}
	return a
}

// plain reports whether nothing but a beginning is asked for.
func (a *accountsAsked) plain() bool { return *a == accountsAsked{From: a.From} }

// choice is what is asked for, as of a moment.
func (a *accountsAsked) choice(now reward.Instant) overview.Choice {
	c := overview.Choice{
		Prefix: a.From, Program: a.Program, Currency: a.Currency, Owing: a.Show == "owing", Holding: a.Show == "holding", Closed: a.State == "closed", Open: a.State == "open",
	}
	switch days := activeDays[a.Active]; {
	case days > 0:
		c.ActiveFrom = now - reward.Instant(days)*reward.Day
	case days < 0:
		c.IdleFrom = now + reward.Instant(days)*reward.Day
	}
	return c
}

// path is the address of the list with one thing asked for otherwise.
func (a accountsAsked) path(sort string, after string) (string, error) {
	return linkTo("accounts", "from", a.From, "program", a.Program, "currency", a.Currency, "show", a.Show, "state", a.State, "active", a.Active, "sort", sort, "after", after)
}

func (c *Console) accounts(v *visit) (err error) {
	figures := c.overview.Latest()
	if figures == nil {
		figures = &overview.Figures{Listing: new(overview.Listing)}
	}
	body := accountList{Asked: v.accountsAsked(figures), AsOf: figures.AsOf, Beyond: figures.Listing.Beyond()}
	after := v.start()
	if body.Live = body.Asked.plain(); body.Live {
		after = 0
	}
	rows, totals := figures.Listing.List(body.Asked.choice(v.now), accountSorts[body.Asked.Sort], after, pageLength+1)
	if body.Totals = totals; body.Live {
		err = c.accountsByID(v, &body)
	} else {
		if len(rows) > pageLength {
			rows = rows[:pageLength]
			body.Next, err = body.Asked.path(body.Asked.Sort, strconv.Itoa(after+pageLength))
		}
		body.Accounts = rows
	}
	if err != nil {
		return err
	}
	if body.Columns, err = body.Asked.columns(v); err != nil {
		return err
	}
	body.Choices = v.accountChoices(&body.Asked, figures)
	return v.show("accounts", "accounts", v.locale.Sprintf("Accounts"), body)
}

// accountsByID reads a page of accounts as they are now.
func (c *Console) accountsByID(v *visit, body *accountList) error {
	ids, err := c.ledger.AccountsFrom(v.ctx(), body.Asked.From, v.id("after"), pageLength+1)
	if err != nil {
		return err
	}
	if len(ids) > pageLength {
		ids = ids[:pageLength]
		if body.Next, err = body.Asked.path("", ids[pageLength-1]); err != nil {
			return err
		}
	}
	var list []durable.Standing
	if list, err = c.ledger.Standings(v.ctx(), ids); err != nil {
		return err
	}
	for i := range list {
		body.Accounts = append(body.Accounts, overview.RowOf(&list[i]))
	}
	return nil
}

// columns are the heads of the table: a press sorts by one, another press the other way,
// where there is one.
func (a *accountsAsked) columns(v *visit) (list []accountColumn, err error) {
	for _, column := range []struct {
		title       string
		sort, other string // the other way round
		number      bool
	}{
		{v.locale.Sprintf("Account"), "", "", false}, {v.locale.Sprintf("Program"), "-", "", false}, {v.locale.Sprintf("Balance"), "owed", "debt", true},
		{v.locale.Sprintf("Held"), "held", "", true}, {v.locale.Sprintf("Redeemed"), "redeemed", "", true}, {v.locale.Sprintf("Last event"), "recent", "idle", false},
	} {
		c := accountColumn{Title: column.title, Number: column.number}
		if column.sort != "-" {
			to := column.sort
			if column.other != "" && a.Sort == column.sort {
				to = column.other
			}
			c.Rise = a.Sort == "" || a.Sort == column.other
			c.Sorted = a.Sort == column.sort || column.other != "" && a.Sort == column.other
			if c.Path, err = a.path(to, ""); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// accountChoices are the filters of the form.
func (v *visit) accountChoices(a *accountsAsked, figures *overview.Figures) []accountChoice {
	l := v.locale
	choose := func(name, title, chosen string, pairs ...string) accountChoice {
		c := accountChoice{Name: name, Title: title}
		for i := 0; i < len(pairs); i += 2 {
			c.Options = append(c.Options, accountOption{pairs[i], pairs[i+1], pairs[i] == chosen})
		}
		return c
	}
	programs, currencies := []string{"", l.Sprintf("all")}, []string{"", l.Sprintf("all")}
	for i := range figures.Programs {
		programs = append(programs, figures.Programs[i].ID, figures.Programs[i].ID)
	}
	for i := range figures.Currencies {
		currencies = append(currencies, figures.Currencies[i].Currency, figures.Currencies[i].Currency)
	}
	list := []accountChoice{
		choose("show", l.Sprintf("Show"), a.Show, "", l.Sprintf("all"), "owing", l.Sprintf("those that owe"), "holding", l.Sprintf("those with held rewards")),
		choose("state", l.Sprintf("State"), a.State, "", l.Sprintf("open and closed"), "open", l.Sprintf("open"), "closed", l.Sprintf("closed")),
		choose("active", l.Sprintf("Last event"), a.Active, "", l.Sprintf("any time"), "30", l.Sprintf("in the last 30 days"), "-30", l.Sprintf("over 30 days ago"), "-90", l.Sprintf("over 90 days ago"), "-365", l.Sprintf("over a year ago")),
		choose("sort", l.Sprintf("Sort by"), a.Sort, "", l.Sprintf("id"), "debt", l.Sprintf("largest debt"), "owed", l.Sprintf("largest balance"), "held", l.Sprintf("most held"), "redeemed", l.Sprintf("most redeemed"), "recent", l.Sprintf("latest event"), "idle", l.Sprintf("earliest last event")),
	}
	if len(figures.Currencies) > 1 {
		list = append([]accountChoice{choose("currency", l.Sprintf("Currency"), a.Currency, currencies...)}, list...)
	}
	if len(figures.Programs) > 1 {
		list = append([]accountChoice{choose("program", l.Sprintf("Program"), a.Program, programs...)}, list...)
	}
	return list
}
