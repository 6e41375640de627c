package export_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"recoup/internal/traffic"
	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// modes are programs that differ in when rewards are granted, taken back and
// matured, and in how much is kept. The first four have each pair of settings.
func modes() []*reward.Program {
	var list []*reward.Program
	for _, s := range [][4]int{
		{0, 0, 0, 0}, {0, 1, 1, 14}, {1, 0, 1, 14}, {1, 1, 0, 0},
		{0, 0, 0, 40}, {0, 0, 1, 0}, {0, 1, 0, 14}, {1, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {1, 1, 1, 70},
	} {
		p := program.Everyday()
		p.Timing = reward.Timing{Grant: reward.GrantTiming(s[0]), Clawback: reward.ClawbackTiming(s[1])}
		p.Method = reward.ClawbackMethod(s[2])
		p.MaturityDays = s[3]
		if s[1] == 1 {
			p.ExpiryMonths = 3
		}
		list = append(list, p)
	}
	if !long() {
		list = list[:4]
	}
	return list
}

func nameOf(p *reward.Program) string {
	return fmt.Sprintf("grant %d, clawback %d, method %d, maturity %d", p.Timing.Grant, p.Timing.Clawback, p.Method, p.MaturityDays)
}

// busy is a service after traffic with returns and all else. In the end some
// cardholders redeem all they may and then return what they have, or announce it.
func busy(t *testing.T, p *reward.Program, events int) *service {
	t.Helper()
	s := newService(t, p)
	for e := range traffic.Generate(traffic.Options{
		Accounts: 8, Events: events, Seed: 11, Program: p, Days: 250, ReturnShare: 300, OverRefunds: 100, Duplicates: 20, Disorder: 100,
	}) {
		s.deliver(e)
	}
	end := s.entries[len(s.entries)-1].Event.Time
	n := 0
	for id := range s.store.Accounts() {
		a := s.store.Account(id).State()
		if n++; n%3 == 0 || a.Available <= 0 {
			continue
		}
		last := reward.Event{
			Source: "end", ID: "r", Account: id, Time: end, Type: reward.RedemptionRequested, Fact: "all", Amount: a.Available, HasAmount: true, Currency: "USD",
		}
		s.deliver(last)
		for i, purchase := range a.Transactions {
			last.ID, last.Type = fmt.Sprint(i), reward.RefundPosted
			if n%3 == 1 {
				last.Type = reward.RefundPending
			}
			last.Fact, last.Transaction, last.Amount = "back "+purchase.ID, purchase.ID, purchase.Amount
			s.deliver(last)
		}
	}
	return s
}

// expected is what the accounts of the chart should come to, from what the
// accounts of the service say.
func (s *service) expected() map[export.Account]int64 {
	sums := make(map[export.Account]int64)
	for id := range s.store.Accounts() {
		a := s.store.Account(id).Summary()
		sums[export.Rewards] += a.NetReward
		sums[export.Adjustments] += a.Adjustments
		sums[export.Clearing] -= a.Redeemed
		sums[export.Expired] -= a.Expired
		sums[export.Pending] -= a.Held
		if a.Balance < 0 {
			sums[export.Receivable] -= a.Balance
			sums[export.Available] += a.Held
		} else {
			sums[export.Available] -= a.Available
		}
	}
	return sums
}

var charts = map[string]func(export.Account) string{
	"hledger": export.Account.String,
	"csv":     export.Account.String,
	"beancount": func(a export.Account) string {
		return map[export.Account]string{
			export.Rewards: "Expenses:Rewards", export.Adjustments: "Expenses:Adjustments",
			export.Available: "Liabilities:CardholderRewards:Available", export.Pending: "Liabilities:CardholderRewards:Pending",
			export.Receivable: "Assets:ReceivableFromCardholders", export.Clearing: "Assets:RedemptionClearing",
			export.Expired: "Income:ExpiredRewards", export.Opening: "Equity:OpeningBalances",
		}[a]
	},
}

// expectSums compares a format's sums, with those of sub-accounts added.
func expectSums(t *testing.T, format string, got map[string]int64, want map[export.Account]int64) {
	t.Helper()
	got = maps.Clone(got)
	for a := export.Rewards; a <= export.Opening; a++ {
		name, sum := charts[format](a), int64(0)
		for account, amount := range got {
			if account == name || strings.HasPrefix(account, name+":") {
				sum += amount
				delete(got, account)
			}
		}
		if sum != want[a] {
			t.Errorf("%s has %d in %s, the accounts say %d", format, sum, name, want[a])
		}
	}
	if len(got) > 0 {
		t.Errorf("%s has accounts that the chart does not: %v", format, got)
	}
}

func TestBooksTieOutWithTheAccountsInAllModes(t *testing.T) {
	var seen struct{ debts, held, overheld bool }
	for i, p := range modes() {
		t.Run(nameOf(p), func(t *testing.T) {
			s := busy(t, p, 1200)
			if i%2 == 1 {
				s.advance(s.entries[len(s.entries)-1].Event.Time + 3*reward.Day)
			}
			want := s.expected()
			for id := range s.store.Accounts() {
				a := s.store.Account(id).Summary()
				seen.debts = seen.debts || a.Balance < 0
				seen.held = seen.held || a.Held > 0
				seen.overheld = seen.overheld || a.Available < min(a.Balance, 0)
			}
			for n, format := range []string{"hledger", "beancount", "csv"} {
				o := options()
				o.ByAccount = (i+n)%2 == 0
				_, got := checked(t, s, format, o)
				expectSums(t, format, got, want)
			}
		})
	}
	if !seen.debts || !seen.held || !seen.overheld {
		t.Errorf("the traffic ends without some of what must tie out: %+v", seen)
	}
}

func TestSubAccountsTieOutWithEachCardholder(t *testing.T) {
	p := modes()[1]
	s := busy(t, p, 800)
	o := options()
	o.ByAccount = true
	file, got := checked(t, s, "hledger", o)
	for id := range s.store.Accounts() {
		a := s.store.Account(id).Summary()
		// The ids of the traffic need no escapes.
		for name, want := range map[string]int64{
			"liabilities:cardholder rewards:pending:" + id:   -a.Held,
			"liabilities:cardholder rewards:available:" + id: -(max(a.Balance, 0) - a.Held),
			"assets:receivable from cardholders:" + id:       max(-a.Balance, 0),
		} {
			if got[name] != want {
				t.Errorf("%s is %d, want %d", name, got[name], want)
			}
		}
	}
	// Without sub-accounts the same is asked by the tag.
	ids := slices.Collect(s.store.Accounts())
	for _, id := range ids[:2] {
		a := s.store.Account(id).Summary()
		sums := sumsOf(t, tool(t, "hledger", "-f", file, "balance", "--flat", "--no-total", "-O", "csv", "--depth", "1", "tag:cardholder=^"+id+"$"), 0, 1)
		if sums["expenses"] != a.NetReward+a.Adjustments || sums["liabilities"]+sums["assets"] != -a.Balance-a.Redeemed {
			t.Errorf("%s: by the tag %v, the account says %+v", id, sums, a)
		}
	}
}

// The assertions in the files must be about something: a leg that is lost or
// changed has to be found by the accountant's own program.
func TestAChangedFileDoesNotPass(t *testing.T) {
	s := busy(t, modes()[0], 300)
	text, _ := written(t, s, "hledger", options())
	blocks := strings.Split(text, "\n\n")
	for i, block := range blocks {
		if strings.Contains(block, "kind: grant") {
			changed := strings.Join(slices.Delete(slices.Clone(blocks), i, i+1), "\n\n")
			if hledgerAccepts(t, changed) {
				t.Error("hledger accepts a journal in which a transaction is missing")
			}
			break
		}
	}
	if !hledgerAccepts(t, text) {
		t.Error("hledger does not accept the journal as it was exported")
	}
}

// Each export brings forward what the one before it ended with.
func TestPeriodsFollowOneAnother(t *testing.T) {
	s := busy(t, modes()[1], 1000)
	cuts := []reward.Instant{0, at("03-01"), at("05-15"), 0}
	var expenses, opening map[string]int64
	for i := range cuts[:3] {
		o := options()
		o.From, o.To = cuts[i], cuts[i+1]
		o.ByAccount = i == 2
		_, got := checked(t, s, "hledger", o)
		balance := make(map[string]int64)
		period := make(map[string]int64)
		for name, amount := range got {
			if strings.HasPrefix(name, "expenses:") || strings.HasPrefix(name, "income:") {
				period[name] = amount
				continue
			}
			// Sub-accounts of the last period count with their accounts.
			for a := export.Available; a <= export.Opening; a++ {
				if strings.HasPrefix(name, a.String()) {
					balance[a.String()] += amount
				}
			}
		}
		if i > 0 {
			rows := rowsOf(t, first(written(t, s, "csv", o)))
			brought := make(map[string]int64)
			for _, row := range rows {
				if row["kind"] == "opening" {
					for a := export.Available; a <= export.Opening; a++ {
						if strings.HasPrefix(row["account"], a.String()) {
							brought[a.String()] += minor(t, row["debit"]) - minor(t, row["credit"])
						}
					}
				}
				if row["date"] < o.From.Time().Format("2006-01-02") || o.To != 0 && row["date"] >= o.To.Time().Format("2006-01-02") {
					t.Fatalf("the period from %s to %s has %v", o.From, o.To, row)
				}
			}
			delete(brought, export.Opening.String())
			if !maps.Equal(brought, opening) {
				t.Errorf("period %d is opened with %v, the one before ended with %v", i, brought, opening)
			}
		}
		opening = balance
		delete(opening, export.Opening.String())
		maps.DeleteFunc(opening, func(_ string, amount int64) bool { return amount == 0 })
		if expenses == nil {
			expenses = make(map[string]int64)
		}
		for name, amount := range period {
			expenses[name] += amount
		}
	}
	want := s.expected()
	if expenses["expenses:rewards"] != want[export.Rewards] || expenses["expenses:adjustments"] != want[export.Adjustments] {
		t.Errorf("the expenses of all periods are %v, want %d and %d", expenses, want[export.Rewards], want[export.Adjustments])
	}
	if expenses["income:expired rewards"] != want[export.Expired] {
		t.Errorf("the income of all periods is %v, want %d", expenses, want[export.Expired])
	}
	for a := export.Available; a < export.Opening; a++ {
		if opening[a.String()] != want[a] {
			t.Errorf("the last period ends with %d in %s, want %d", opening[a.String()], a, want[a])
		}
	}
}

func first(text string, _ export.Tally) string { return text }

// Until does what a close of every account would do, without the close.
func TestUntilIsAsIfEveryAccountWereMovedOn(t *testing.T) {
	for _, p := range modes() {
		s := busy(t, p, 500)
		o := options()
		o.Until = s.entries[len(s.entries)-1].Event.Time + 45*reward.Day
		_, got := checked(t, s, "csv", o)
		s.advance(o.Until)
		expectSums(t, "csv", got, s.expected())
	}
}

// both is the log of two services.
type both struct{ first, second *service }

func (b both) Events(ctx context.Context, account string, f func(*export.Entry) error) error {
	if err := b.first.Events(ctx, account, f); err != nil {
		return err
	}
	return b.second.Events(ctx, account, f)
}

func TestProgramsInTwoCurrenciesTieOutEachInItsOwn(t *testing.T) {
	yen := program.Everyday()
	yen.ID, yen.Currency = "yen", "JPY"
	e := event("z", "01-07", reward.TransactionSettled, "t1", "", 20_000)
	e.Currency = "JPY"
	log := both{newService(t, program.Everyday()), newService(t, yen)}
	log.first.deliver(settled("01-05", "t1"))
	log.second.deliver(e)
	for _, o := range []export.Options{options(), {From: at("01-06"), Telling: program.Telling, Decimals: program.MinorUnits}} {
		text, tally := written(t, log, "hledger", o)
		file := fileOf(t, text, "hledger")
		tool(t, "hledger", "-f", file, "check", "--strict")
		out := tool(t, "hledger", "-f", file, "balance", "--flat", "-N", "-O", "csv", "available")
		if !strings.Contains(out, "-5.00 USD") || !strings.Contains(out, "-1000 JPY") {
			t.Errorf("hledger has %s", out)
		}
		usd, jpy := tally.Sums[export.Currency{Code: "USD", Decimals: 2}], tally.Sums[export.Currency{Code: "JPY"}]
		if usd == nil || jpy == nil || usd[export.Available] != -500 || jpy[export.Available] != -1000 {
			t.Errorf("the tally is %v and %v", usd, jpy)
		}
		text, _ = written(t, log, "beancount", o)
		tool(t, "bean-check", fileOf(t, text, "beancount"))
	}
}
