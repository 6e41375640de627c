package reward_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/program"
	"recoup/reward"
)

// telling is an account of a program that is written as people write programs, to which
// events are told in a few words.
type telling struct {
	t       *testing.T
	account *reward.Account
	program *reward.Program
	n       int
}

func tellingOf(t *testing.T, terms string) *telling {
	t.Helper()
	p, err := program.Parse("terms.yaml", []byte("id: p\ncurrency: USD\nclawback_method: rerate\n"+terms))
	if err != nil {
		t.Fatal(err)
	}
	return &telling{t: t, account: reward.NewAccount("a", p), program: p}
}

func on(date string) reward.Instant {
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04"} {
		if at, err := time.Parse(form, date); err == nil {
			return reward.At(at)
		}
	}
	panic(date)
}

func (s *telling) tell(date string, e reward.Event) reward.Result {
	s.t.Helper()
	s.n++
	e.Account, e.Source, e.ID, e.Time = "a", "test", fmt.Sprint("e", s.n), on(date)
	e.HasAmount = e.Amount != 0
	if e.HasAmount {
		e.Currency = "USD"
		if e.Type == reward.RedemptionRequested {
			e.Currency = s.program.RewardUnit()
		}
	}
	r, _ := s.account.Apply(&e, nil)
	for _, v := range s.account.Check() {
		s.t.Errorf("after %v on %s: %v", e.Type, date, v)
	}
	return r
}

func (s *telling) opened(date string) { s.tell(date, reward.Event{Type: reward.AccountOpened}) }

func (s *telling) buys(date, id string, cents int64, more ...reward.Event) {
	s.t.Helper()
	e := reward.Event{}
	if more != nil {
		e = more[0]
	}
	e.Type, e.Transaction, e.Amount = reward.TransactionSettled, id, cents
	if r := s.tell(date, e); r.Outcome != reward.Applied {
		s.t.Fatalf("%s: %v %v", id, r.Outcome, r.Code)
	}
}

func (s *telling) returns(date, id string, cents int64) {
	s.t.Helper()
	s.tell(date, reward.Event{Type: reward.RefundPosted, Fact: "r-" + id, Transaction: id, Amount: cents})
}

func (s *telling) redeems(date string, amount int64) reward.Code {
	s.t.Helper()
	return s.tell(date, reward.Event{Type: reward.RedemptionRequested, Fact: "d" + date, Amount: amount}).Code
}

func (s *telling) ends(netReward int64) {
	s.t.Helper()
	if got := s.account.Balances().NetReward; got != netReward {
		s.t.Errorf("net reward is %d, must end with %d", got, netReward)
	}
}

const welcome = "bonuses: [{id: welcome, match: {within: {days: 90, of: opened}}, per: lifetime, spend: [{from: 50000, reward: 20000}]}]\n"
const five = "rules: [{id: base, rate: 5%}]\n"

// TestTracesThatMustEndSo are T1 to T15 of docs/terms.md, section 12.
func TestTracesThatMustEndSo(t *testing.T) {
	t.Run("T1 and T2: the bonus goes with the spend, and comes back with it", func(t *testing.T) {
		s := tellingOf(t, five+welcome)
		s.opened("2026-01-01")
		s.buys("2026-01-05", "t1", 50_000)
		if code := s.redeems("2026-01-06", 22_500); code != reward.NoCode {
			t.Fatal(code)
		}
		s.returns("2026-01-07", "t1", 100)
		s.ends(2_495)
		if b := s.account.Balances().Balance; b != -20_005 {
			t.Errorf("balance %d, want -20005", b)
		}
		s.tell("2026-01-08", reward.Event{Type: reward.RefundReversed, Fact: "r-t1"})
		s.ends(22_500)
	})
	t.Run("T3: an unlinked refund takes the bonus", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: base, rate: 2%}]\n"+welcome)
		s.opened("2026-01-01")
		s.buys("2026-01-05", "t1", 30_000, reward.Event{Merchant: "m1"})
		s.buys("2026-01-06", "t2", 25_000, reward.Event{Merchant: "m2"})
		s.tell("2026-01-08", reward.Event{Type: reward.RefundPosted, Fact: "r1", Amount: 6_000})
		s.ends(980)
	})
	t.Run("T4: 5 % up to $1,500 a quarter, then 1 %", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: quarter, per: quarter, steps: [{rate: 5%}, {from: 150000, rate: 1%}]}]\n")
		s.buys("2026-01-10", "t1", 100_000)
		s.buys("2026-02-10", "t2", 100_000)
		s.ends(8_000)
		s.returns("2026-05-10", "t1", 100_000)
		s.ends(5_000)
	})
	t.Run("T5: 2 % on all of it from $1,000 a year", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: year, per: year, whole: true, steps: [{rate: 1%}, {from: 100000, rate: 2%}]}]\n")
		s.buys("2026-01-10", "t1", 60_000)
		s.buys("2026-02-10", "t2", 60_000)
		s.ends(2_400)
		s.returns("2026-05-10", "t1", 30_000)
		s.ends(900)
	})
	t.Run("T6: minimum $50", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: base, rate: 5%, minimum: 5000}]\n")
		s.buys("2026-01-10", "t1", 6_000)
		s.returns("2026-01-11", "t1", 2_000)
		s.ends(0)
	})
	t.Run("T7: 3 points per whole dollar", func(t *testing.T) {
		s := tellingOf(t, "reward: {unit: PTS, decimals: 0}\nrules: [{id: base, rate: 3 per 100, unit: 100}]\n")
		s.buys("2026-01-10", "t1", 1_099)
		s.ends(30)
		s.returns("2026-01-11", "t1", 100)
		s.ends(27)
	})
	t.Run("T8: at most $5", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: base, rate: 5%, at_most: 500}]\n")
		s.buys("2026-01-10", "t1", 30_000)
		s.returns("2026-01-11", "t1", 15_000)
		s.ends(500)
	})
	t.Run("T9: the first two purchases of a month", func(t *testing.T) {
		s := tellingOf(t, "rules: [{id: base, rate: 5%, cap: {purchases: 2, per: month}}]\n")
		for i, cents := range []int64{1_000, 2_000, 3_000} {
			s.buys("2026-01-10", fmt.Sprint("t", i), cents)
		}
		s.returns("2026-01-11", "t0", 1_000)
		s.ends(250)
	})
	t.Run("T10: 4 % more once activated", func(t *testing.T) {
		s := tellingOf(t, "layers:\n  - {id: base, rules: [{id: base, rate: 1%}]}\n  - {id: spring, rules: [{id: spring, match: {account: {spring: ['on']}}, rate: 4%}]}\n")
		s.buys("2026-03-01", "t1", 10_000)
		s.tell("2026-03-02", reward.Event{Type: reward.AttributeSet, Fact: "x1", Category: "spring", Method: "on"})
		s.buys("2026-03-03", "t2", 10_000)
		s.ends(600)
	})
	t.Run("T11: an announced refund holds the bonus", func(t *testing.T) {
		s := tellingOf(t, five+welcome)
		s.opened("2026-01-01")
		s.buys("2026-01-05", "t1", 50_000)
		s.tell("2026-01-06", reward.Event{Type: reward.RefundPending, Fact: "r1", Transaction: "t1", Amount: 100})
		if code := s.redeems("2026-01-06", 3_000); code != reward.InsufficientBalance {
			t.Errorf("redemption: %v, want it denied", code)
		}
		if available := s.account.Balances().Available; available != 2_495 {
			t.Errorf("available is %d, want 2495", available)
		}
	})
	t.Run("T12: a bonus is redeemable once mature purchases alone earn it", func(t *testing.T) {
		s := tellingOf(t, "maturity_days: 30\n"+five+welcome)
		s.opened("2026-01-01")
		s.buys("2026-01-01", "t1", 50_000)
		s.buys("2026-01-20", "t2", 10_000)
		s.tell("2026-02-04", reward.Event{Type: reward.CycleClosed})
		if available := s.account.Balances().Available; available != 22_500 {
			t.Errorf("available is %d, want 22500", available)
		}
	})
	t.Run("T13: two rules share a cap", func(t *testing.T) {
		s := tellingOf(t, `rules:
  - {id: a, match: {merchant: [m1]}, rate: 5%, cap: {reward: 1000, per: cycle, shared: x}}
  - {id: b, rate: 5%, cap: {reward: 1000, per: cycle, shared: x}}
`)
		s.buys("2026-01-10", "t1", 16_000, reward.Event{Merchant: "m1"})
		s.buys("2026-01-11", "t2", 16_000)
		s.ends(1_000)
		s.returns("2026-01-12", "t1", 16_000)
		s.ends(800)
	})
	t.Run("T14: five coffees", func(t *testing.T) {
		s := tellingOf(t, "bonuses: [{id: coffee, minimum: 300, per: month, purchases: [{from: 5, reward: 400}]}]\n")
		for i := range 5 {
			s.buys("2026-01-10", fmt.Sprint("t", i), 400)
		}
		s.ends(400)
		s.returns("2026-01-11", "t3", 150)
		s.ends(0)
	})
	t.Run("T15: April begins in March", func(t *testing.T) {
		s := tellingOf(t, "zone: Europe/Rome\nrules: [{id: base, rate: 5%, cap: {reward: 500, per: cycle}}]\n")
		s.buys("2026-03-31T22:30", "t1", 10_000)
		s.buys("2026-04-30T21:30", "t2", 10_000)
		s.ends(500)
	})
}

// TestAVersionChangesTermsWithAPeriod: what purchases count in together has one
// definition, so a version may say something else of it only from a period's beginning.
func TestAVersionChangesTermsWithAPeriod(t *testing.T) {
	version := func(terms string) *reward.Program { return tellingOf(t, terms).program }
	quarter := version("rules: [{id: r, rate: 5%, cap: {reward: 500, per: quarter}}]\n")
	february, april := reward.Cycle(2026*12+1), reward.Cycle(2026*12+3)
	more := "rules: [{id: r, rate: 5%, cap: {reward: 600, per: quarter}}]\n"
	tiers := "rules: []\ntiers: [{id: x, per: quarter, spend: [{from: 500, tier: a}], keeps: this}]\n"
	tiered := version(tiers)
	for _, c := range []struct {
		name, from, to string
		at             reward.Cycle
		want           string // of the error; "" for none
	}{
		{"levels in the middle", "500", "600", february, "tier x: what it earns cannot change in the middle of a quarter: the first cycle that would do begins 2026-04-01T00:00:00Z"},
		{"levels with a quarter", "500", "600", april, ""},
		{"what it is kept for", "keeps: this", "keeps: next", april, "tier x: it cannot begin or cease to be kept for the next period: give it a new id"},
		{"its match", "id: x", "id: x, match: {merchant: [m1]}", february, ""},
		{"another id", "id: x", "id: y", february, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := version(strings.Replace(tiers, c.from, c.to, 1)).Follows(tiered, c.at)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	for _, c := range []struct {
		name  string
		from  reward.Cycle
		terms string
		want  string // of the error; "" for none
	}{
		{"in the middle", february, more, "rule r: what it earns cannot change in the middle of a quarter: the first cycle that would do begins 2026-04-01T00:00:00Z"},
		{"with a quarter", april, more, ""},
		{"under a new id", february, "rules: [{id: s, rate: 5%, cap: {reward: 600, per: quarter}}]\n", ""},
		{"its match alone", february, "rules: [{id: r, match: {merchant: [m1]}, rate: 5%, cap: {reward: 500, per: quarter}}]\n", ""},
		{"to a lifetime", april, "rules: [{id: r, rate: 5%, cap: {reward: 500, per: lifetime}}]\n", "give it a new id"},
		{"zone", april, "zone: Europe/Rome\n" + more, "zone: it is UTC, found Europe/Rome"},
		{"cycle", april, "cycle: {day: 5}\n" + more, "cycle: it begins with day 1, found 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := version(c.terms).Follows(quarter, c.from)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
