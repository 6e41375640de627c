package console

import (
	"net/http"
	"strconv"

	"recoup/internal/console/overview"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// The pages here are the rows behind the numbers of the overview.

// pageLength is how many rows a page of a list has.
const pageLength = 50

// behindPage is a list behind a number, as of when the number was read.
type behindPage struct {
	Currency string
	AsOf     reward.Instant
	From, To int // days, for debts of an age; To is zero for no end
	Aged     bool
	Debtors  []overview.Debtor
	Holders  []overview.Holder
	Sum      int64 // of all rows, in minor units
	Rows     int
	Left     int64 // accounts that are in the number and not in the list
	LeftSum  int64
	Next     string
}

var errNoFigures = refuse(http.StatusServiceUnavailable, "The figures are being read", "They are there within a minute of the service's start. Load the page again then.")

var errNoCurrency = refuse(http.StatusNotFound, "There are no accounts in this currency", "The overview has the currencies that there are.")

// figuresIn returns the figures of the currency that is asked for.
func (c *Console) figuresIn(v *visit) (*overview.Figures, *overview.Currency, error) {
	figures := c.overview.Latest()
	if figures == nil {
		return nil, nil, errNoFigures
	}
	for i := range figures.Currencies {
		if figures.Currencies[i].Currency == v.given("currency") {
			return figures, &figures.Currencies[i], nil
		}
	}
	return nil, nil, errNoCurrency
}

// start reads where a page of a list begins: how many rows come before it.
func (v *visit) start() int {
	n, err := strconv.Atoi(v.given("after"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// pageOf is the part of a list that a page shows, and the address of the next one.
func pageOf[T any](v *visit, list []T) (part []T, next string) {
	from := min(v.start(), len(list))
	to := min(from+pageLength, len(list))
	if to < len(list) {
		q := v.r.URL.Query()
		q.Set("after", strconv.Itoa(to))
		next = v.r.URL.Path + "?" + q.Encode()
	}
	return list[from:to], next
}

// debts lists the accounts that owe, those who owe most first.
func (c *Console) debts(v *visit) error {
	figures, sums, err := c.figuresIn(v)
	if err != nil {
		return err
	}
	body := behindPage{Currency: sums.Currency, AsOf: reward.At(figures.AsOf), Aged: v.given("from") != "" || v.given("to") != ""}
	var known bool
	if body.From, body.To, known = v.daysAsked(); !known {
		return refuse(http.StatusNotFound, "There is no such age", "Expected days such as from=31 and to=60. The overview has the ages that there are.")
	}
	var list []overview.Debtor
	for _, d := range sums.Debts.Debtors {
		if d.Days >= body.From && (body.To == 0 || d.Days <= body.To) {
			list = append(list, d)
			body.Sum += d.Debt
		}
	}
	body.Rows = len(list)
	if !body.Aged {
		body.Left, body.LeftSum = sums.Debts.Unexamined, sums.Debts.UnexaminedDebt
	}
	body.Debtors, body.Next = pageOf(v, list)
	return v.show("debts", "overview", v.locale.Sprintf("Accounts that owe, %s", sums.Currency), body)
}

// daysAsked reads a span of days; to is zero for one without an end.
func (v *visit) daysAsked() (from, to int, ok bool) {
	for name, days := range map[string]*int{"from": &from, "to": &to} {
		text := v.given(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return 0, 0, false
		}
		*days = n
	}
	return from, to, to == 0 || from <= to
}

// held lists the accounts that hold most.
func (c *Console) held(v *visit) error {
	figures, sums, err := c.figuresIn(v)
	if err != nil {
		return err
	}
	body := behindPage{Currency: sums.Currency, AsOf: reward.At(figures.AsOf), Rows: len(sums.Holders)}
	for _, h := range sums.Holders {
		body.Sum += h.Held
	}
	body.Left, body.LeftSum = sums.HoldingAccounts-int64(len(sums.Holders)), sums.Held-body.Sum
	body.Holders, body.Next = pageOf(v, sums.Holders)
	return v.show("held", "overview", v.locale.Sprintf("Accounts with held rewards, %s", sums.Currency), body)
}

// statementsPage is the statements behind the sums of a cycle.
type statementsPage struct {
	Cycle    reward.Cycle
	Currency string
	Calendar *reward.Program // by which the cycle begins; nil where programs differ
	Rows     []durable.AccountStatement
	Sum      ledger.Statement // of the rows on the page
	Next     string
}

func (c *Console) cycleStatements(v *visit) error {
	cycle, ok := cycleOf(v.given("cycle"))
	if !ok {
		return refuse(http.StatusNotFound, "There is no such month", "Expected one such as 2026-10.")
	}
	body := statementsPage{Cycle: cycle, Currency: v.given("currency")}
	if body.Currency == "" {
		return errNoCurrency
	}
	if _, currency, err := c.figuresIn(v); err == nil {
		body.Calendar = currency.Calendar
	}
	rows, next, more, err := c.ledger.CycleStatements(v.ctx(), cycle, body.Currency, v.id("after"), pageLength)
	if err != nil {
		return err
	}
	body.Rows = rows
	for i := range rows {
		s := &rows[i].Statement
		body.Sum.Granted += s.Granted
		body.Sum.ClawedBack += s.ClawedBack
		body.Sum.Redeemed += s.Redeemed
		body.Sum.Adjusted += s.Adjusted
		body.Sum.Expired += s.Expired
	}
	if more {
		if body.Next, err = linkTo("statements", "cycle", cycle, "currency", body.Currency, "after", next); err != nil {
			return err
		}
	}
	return v.show("statements", "overview", v.locale.Sprintf("Statements of %s, %s", v.locale.Cycle(body.Calendar, cycle), body.Currency), body)
}

// refundsPage is the refunds behind a column of the lag.
type refundsPage struct {
	Program, Currency string
	Bucket            overview.LagBucket
}

func (c *Console) refunds(v *visit) error {
	body, err := c.bucketAsked(v)
	if err != nil {
		return err
	}
	return v.show("refunds", "overview", v.locale.Sprintf("How long refunds take: %s", daysFrom(v.locale, body.Bucket.From, body.Bucket.To)), body)
}

// bucketAsked is the column of the lag that a query names.
func (c *Console) bucketAsked(v *visit) (body refundsPage, err error) {
	figures := c.overview.Latest()
	if figures == nil {
		return body, errNoFigures
	}
	for _, lag := range figures.Refunds.Programs {
		for _, bucket := range lag.Buckets {
			if lag.Program == v.given("program") && strconv.Itoa(bucket.From) == v.given("from") {
				return refundsPage{lag.Program, lag.Currency, bucket}, nil
			}
		}
	}
	return body, errNoPage
}

// checks is what the last checks of the ledger found.
func (c *Console) checks(v *visit) error {
	figures := c.overview.Latest()
	if figures == nil {
		return errNoFigures
	}
	return v.show("checks", "overview", "Checks of the ledger", figures)
}
