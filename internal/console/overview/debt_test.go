package overview_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// owe has an account owe an amount from a day on.
func (h *house) owe(account string, at time.Time, amount int64) {
	h.Helper()
	h.buys(account, "t1", at.AddDate(0, 0, -2), 10*amount)
	h.redeems(account, "d1", at.AddDate(0, 0, -1), amount)
	h.returns(account, "t1", "r1", at, 10*amount)
}

func TestDebtsByAge(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		h.owe("first", day(2026, 1, 10), 100)
		h.owe("second", day(2026, 2, 10), 20)
		h.owe("third", day(2026, 2, 10), 3)
		h.buys("owner", "t1", day(2026, 2, 10), 1_000)
		ages := func(debts ...int64) []overview.DebtAge {
			list := []overview.DebtAge{{From: 0, To: 30}, {From: 31, To: 60}, {From: 61, To: 90}, {From: 91, To: 180}, {From: 181}}
			accounts := map[int64]int64{0: 0, 23: 2, 100: 1, 123: 3}
			for i, debt := range debts {
				list[i].Debt, list[i].Accounts = debt, accounts[debt]
			}
			return list
		}
		for _, c := range []struct {
			at   time.Time
			want []overview.DebtAge
		}{
			{day(2026, 2, 10), ages(23, 100)},
			{day(2026, 3, 11), ages(23, 100)},                       // 29 and 60 days
			{day(2026, 3, 12).Add(-time.Nanosecond), ages(23, 100)}, // not yet 61
			{day(2026, 3, 12), ages(23, 0, 100)},                    // 30 and 61
			{day(2026, 3, 13), ages(0, 23, 100)},                    // 31 and 62
			{day(2026, 7, 9), ages(0, 0, 0, 123)},                   // 149 and 180
			{day(2026, 7, 10), ages(0, 0, 0, 23, 100)},              // 150 and 181
			{day(2027, 7, 10), ages(0, 0, 0, 0, 123)},
		} {
			d := h.currency(h.figures(c.at), "USD").Debts
			if !slices.Equal(d.Ages, c.want) || d.Accounts != 3 || d.Unexamined != 0 || d.UnexaminedDebt != 0 {
				t.Errorf("at %v debts are %+v", c.at, d)
			}
		}
		c := h.currency(h.Latest(), "USD")
		want := []overview.Debtor{
			{Account: "first", Program: "everyday", Debt: 100, Since: reward.At(day(2026, 1, 10)), Days: 546, Latest: reward.At(day(2026, 1, 10))},
			{Account: "second", Program: "everyday", Debt: 20, Since: reward.At(day(2026, 2, 10)), Days: 515, Latest: reward.At(day(2026, 2, 10))},
			{Account: "third", Program: "everyday", Debt: 3, Since: reward.At(day(2026, 2, 10)), Days: 515, Latest: reward.At(day(2026, 2, 10))},
		}
		if !reflect.DeepEqual(c.Debts.Debtors, want) {
			t.Errorf("the debtors are\n%+v, want\n%+v", c.Debts.Debtors, want)
		}
		if c.Accounts != 4 || c.Owed != 100 || c.Debt != 123 {
			t.Errorf("owed are %d and owing %d in %d accounts", c.Owed, c.Debt, c.Accounts)
		}
	})
}

// A debt is as old as the oldest posting that is not repaid. What is given by hand and
// taken again leaves it as old as it was.
func TestADebtIsAsOldAsItsOldestPosting(t *testing.T) {
	h := onPebble(t)
	h.owe("a", day(2026, 1, 10), 100)
	since := func(want time.Time) {
		t.Helper()
		h.now = h.now.Add(10 * time.Minute)
		d := h.currency(h.figures(h.now), "USD").Debts.Debtors
		if len(d) != 1 || d[0].Since != reward.At(want) {
			t.Errorf("the debtors are %+v, want one since %v", d, want)
		}
	}
	h.now = day(2026, 8, 1)
	since(day(2026, 1, 10))
	h.adjusts("a", day(2026, 2, 10), 40)
	h.adjusts("a", day(2026, 3, 10), -90) // 40 of it are those of January again
	since(day(2026, 1, 10))
	h.adjusts("a", day(2026, 4, 10), 150)
	if d := h.currency(h.figures(h.now.Add(10*time.Minute)), "USD").Debts; d.Accounts != 0 || len(d.Debtors) != 0 {
		t.Errorf("nobody owes, and the debts are %+v", d)
	}
	h.adjusts("a", day(2026, 5, 10), -150)
	since(day(2026, 1, 10))
	h.buys("a", "t2", day(2026, 5, 11), 1_000) // earned, it repays January's
	since(day(2026, 3, 10))
	h.returns("a", "t2", "r2", day(2026, 5, 12), 1_000)
	since(day(2026, 1, 10))
	h.buys("a", "t3", day(2026, 5, 13), 2_000)
	h.redeems("a", "d3", day(2026, 5, 14), 50)
	h.returns("a", "t3", "r3", day(2026, 5, 15), 2_000)
	since(day(2026, 1, 10)) // what was paid out of it is a debt of its own, of the 15th
}

// The first posting of all may be the one that takes the balance below zero.
func TestADebtMayBeAsOldAsItsAccount(t *testing.T) {
	h := onPebble(t)
	h.adjusts("a", day(2026, 1, 10), -5)
	d := h.currency(h.figures(day(2026, 1, 20)), "USD").Debts.Debtors
	if len(d) != 1 || d[0].Since != reward.At(day(2026, 1, 10)) || d[0].Days != 10 {
		t.Errorf("the debtors are %+v", d)
	}
}

func TestLogsOfUnchangedAccountsAreNotReadAgain(t *testing.T) {
	h := onPebble(t)
	h.owe("a", day(2026, 1, 10), 100)
	h.owe("b", day(2026, 1, 10), 100)
	h.buys("c", "t1", day(2026, 1, 10), 100)
	h.figures(day(2026, 2, 1))
	h.driver.logs = nil
	if d := h.currency(h.figures(day(2026, 2, 2)), "USD").Debts; len(h.driver.logs) != 0 || d.Debtors[0].Days != 23 {
		t.Errorf("the logs of %q were read again; the debts are %+v", h.driver.logs, d)
	}
	h.adjusts("b", day(2026, 2, 3), -1)
	h.adjusts("c", day(2026, 2, 3), 1)
	h.figures(day(2026, 2, 4))
	if !slices.Equal(h.driver.logs, [][2]string{{"b", "b"}, {"c", "c"}}) {
		t.Errorf("after b and c changed, the logs of %q were read", h.driver.logs)
	}
}

func TestADebtWhoseJournalCannotBeReadIsCountedAsNotExamined(t *testing.T) {
	h := onPebble(t)
	h.owe("a", day(2026, 1, 10), 100)
	h.owe("b", day(2026, 1, 10), 20)
	h.driver.damage = func(e *durable.EventRow) {
		if e.Account == "a" && e.Postings != nil {
			e.Postings = []byte("x")
		}
	}
	d := h.currency(h.figures(day(2026, 2, 1)), "USD").Debts
	if d.Accounts != 2 || d.Unexamined != 1 || d.UnexaminedDebt != 100 || len(d.Debtors) != 1 || d.Debtors[0].Account != "b" || d.Ages[0].Debt != 20 {
		t.Errorf("the debts are %+v", d)
	}
	if h.log.Len() == 0 {
		t.Error("the log does not say so")
	}
}

// Beyond a bound the smaller ones are counted and not examined.
func TestMoreDebtorsAndHoldersThanAreNamed(t *testing.T) {
	h := onPebble(t)
	events := make([]reward.Event, 0, 2*overview.MostDebtors)
	for i := range overview.MostDebtors + 3 {
		events = append(events, reward.Event{
			Source: "test", ID: "e", Account: fmt.Sprintf("a%05d", i), Time: reward.At(day(2026, 1, 10)), Type: reward.AdjustmentPosted,
			Fact: "x", Amount: int64(-1 - i), HasAmount: true, Currency: "USD", Reason: "r", Actor: "test",
		})
	}
	for i := range overview.MostHolders + 2 {
		account := fmt.Sprintf("gold%04d", i)
		events = append(events,
			reward.Event{Source: "test", ID: "o", Account: account, Time: reward.At(day(2026, 1, 9)), Type: reward.AccountOpened, Fact: "gold"},
			reward.Event{Source: "test", ID: "e", Account: account, Time: reward.At(day(2026, 1, 10)), Type: reward.TransactionSettled, Transaction: "t", Amount: int64(10 * (i + 1)), HasAmount: true, Currency: "EUR"})
	}
	h.deliver(events...)
	f := h.figures(day(2026, 1, 20))
	d := h.currency(f, "USD").Debts
	if d.Accounts != overview.MostDebtors+3 || len(d.Debtors) != overview.MostDebtors || d.Unexamined != 3 || d.UnexaminedDebt != 1+2+3 || d.Ages[0].Accounts != overview.MostDebtors {
		t.Errorf("%d owe, %d are examined, %d with %d are not", d.Accounts, len(d.Debtors), d.Unexamined, d.UnexaminedDebt)
	}
	for i, a := range d.Debtors {
		if a.Debt != int64(overview.MostDebtors+3-i) {
			t.Fatalf("debtor %d owes %d: the list is not by debt", i, a.Debt)
		}
	}
	c := h.currency(f, "EUR")
	last := overview.MostHolders + 1
	if c.HoldingAccounts != overview.MostHolders+2 || len(c.Holders) != overview.MostHolders ||
		c.Holders[0] != (overview.Holder{Account: fmt.Sprintf("gold%04d", last), Program: "gold", Held: int64(last + 1), Balance: int64(last + 1), Latest: reward.At(day(2026, 1, 10))}) ||
		c.Holders[len(c.Holders)-1].Held != 3 {
		t.Errorf("%d hold, %d are named, the first is %+v", c.HoldingAccounts, len(c.Holders), c.Holders[0])
	}
}
