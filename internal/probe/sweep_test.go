package probe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

// little is a program of a few lines: 2 % on everything, at once, to be redeemed at any
// time. What a purchase keeps of its reward after a refund is the test's.
type little struct {
	now    time.Time
	bought map[string]bought
	back   map[string]int64 // of purchases, returned
	known  map[string]bool  // refunds
	opened time.Time
	paid   int64
	keeps  func(l *little, b bought, back int64, late time.Duration) int64
	late   map[string]time.Duration // of the last refund of a purchase
	first  map[string]int64         // refund of a purchase
	sold   *int64                   // purchases in all accounts
}

type bought struct {
	id       string
	amount   int64
	at       time.Time
	category string
	number   int64 // among the purchases of all accounts
}

func (l *little) Open(string) error { l.opened = l.now; return nil }

func (l *little) SetClock(now time.Time) error { l.now = now; return nil }

func (l *little) Settle(s issuer.Settlement) error {
	if _, again := l.bought[s.Transaction]; !again {
		*l.sold++
		l.bought[s.Transaction] = bought{s.Transaction, s.Amount, l.now, s.Category, *l.sold}
	}
	return nil
}

func (l *little) Refund(r issuer.Refund) error {
	if l.known[r.Refund] {
		return nil
	}
	l.known[r.Refund] = true
	if r.Transaction == "" {
		r.Transaction = "t1" // whatever the account's is called
		for id := range l.bought {
			r.Transaction = id
		}
	}
	if l.back[r.Transaction] == 0 {
		l.first[r.Transaction] = r.Amount
	}
	l.back[r.Transaction] += r.Amount
	l.late[r.Transaction] = l.now.Sub(l.bought[r.Transaction].at)
	return nil
}

func (l *little) Chargeback(c issuer.Chargeback) error {
	amount := c.Amount
	if amount == 0 {
		amount = l.bought[c.Transaction].amount
	}
	return l.Refund(issuer.Refund{Account: c.Account, Refund: c.Chargeback, Transaction: c.Transaction, Amount: amount})
}

func (l *little) CloseStatement(string) error { return nil }

func (l *little) balance() int64 {
	sum := -l.paid
	for id, b := range l.bought {
		sum += l.keeps(l, b, min(b.amount, l.back[id]), l.late[id])
	}
	return sum
}

func (l *little) Redeem(r issuer.Redemption) (bool, error) {
	if r.Amount <= 0 || r.Amount > l.balance() {
		return false, nil
	}
	l.paid += r.Amount
	return true, nil
}

func (l *little) Balance(string) (issuer.Balance, error) {
	return issuer.Balance{Balance: l.balance(), Redeemable: max(0, l.balance())}, nil
}

// manyOf is a program with accounts of their own.
type manyOf struct {
	now      time.Time
	accounts map[string]*little
	sold     int64
	keeps    func(l *little, b bought, back int64, late time.Duration) int64
}

func (m *manyOf) of(account string) *little {
	l := m.accounts[account]
	if l == nil {
		l = &little{bought: map[string]bought{}, back: map[string]int64{}, known: map[string]bool{}, late: map[string]time.Duration{}, first: map[string]int64{}, sold: &m.sold, keeps: m.keeps}
		m.accounts[account] = l
	}
	l.now = m.now
	return l
}

func (m *manyOf) Open(a string) error                      { return m.of(a).Open(a) }
func (m *manyOf) SetClock(now time.Time) error             { m.now = now; return nil }
func (m *manyOf) Settle(s issuer.Settlement) error         { return m.of(s.Account).Settle(s) }
func (m *manyOf) Refund(r issuer.Refund) error             { return m.of(r.Account).Refund(r) }
func (m *manyOf) Chargeback(c issuer.Chargeback) error     { return m.of(c.Account).Chargeback(c) }
func (m *manyOf) CloseStatement(string) error              { return nil }
func (m *manyOf) Redeem(r issuer.Redemption) (bool, error) { return m.of(r.Account).Redeem(r) }
func (m *manyOf) Balance(a string) (issuer.Balance, error) { return m.of(a).Balance(a) }

func targetOf(keeps func(l *little, b bought, back int64, late time.Duration) int64) probe.Target {
	fresh := labtest.NewFresh(func() issuer.Issuer { return &manyOf{accounts: map[string]*little{}, keeps: keeps} })
	return probe.Target{Issuer: fresh, Can: adapter.Everything("USD"), Reset: fresh.Reset}
}

const day = 24 * time.Hour

// What a program keeps of a reward after a refund is told by returns alone, without its
// terms: by which age, size, price or account it goes, and what it comes to.
func TestWhatTheSweepTells(t *testing.T) {
	net := func(b bought, back int64) int64 { return (b.amount - back) * 2 / 100 }
	ofDay := func(at time.Time) int64 { // four times as much on Saturdays
		if at.Weekday() == time.Saturday {
			return 8
		}
		return 2
	}
	for _, test := range []struct {
		name  string
		keeps func(l *little, b bought, back int64, late time.Duration) int64
		class flaw.Class
		rule  string // of some axis
		once  bool
	}{
		{"sound", func(_ *little, b bought, back int64, _ time.Duration) int64 { return net(b, back) }, flaw.Robust, "", false},
		{"nothing is taken", func(_ *little, b bought, _ int64, _ time.Duration) int64 { return net(b, 0) }, flaw.V1, "all", false},
		{"nothing is taken of small purchases", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			if b.amount < 40_00 {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.Other, "price and number of purchases: ", false},
		{"nothing is taken after 77 days", func(_ *little, b bought, back int64, late time.Duration) int64 {
			if late > 77*day+time.Hour {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.V2, "from day 78 on", false},
		{"nothing is taken from 26 to 28 days", func(_ *little, b bought, back int64, late time.Duration) int64 {
			if late > 25*day+time.Hour && late < 28*day+time.Hour {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.V2, "from day 26 to day 28", true},
		{"the step that was reached is kept by what came later", func(l *little, b bought, back int64, _ time.Duration) int64 {
			before := int64(0)
			for _, o := range l.bought {
				if o.at.Before(b.at) { // not what is bought at the same moment, so that the terms cannot be found out
					before += o.amount
					if back := l.back[o.id]; back > 0 && o.at.Add(l.late[o.id]).Before(b.at) {
						before -= back
					}
				}
			}
			stepped := func(sum int64) int64 { return sum/100 + max(0, sum-6_000_00)/100 }
			return stepped(before+b.amount-back) - stepped(before)
		}, flaw.Other, "and between as much that is kept", true},
		{"a tenth is always left", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			return max(net(b, back), net(b, 0)/10)
		}, flaw.Other, "all", false},
		{"parts below $5 take nothing", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			if back < 500 {
				back = 0
			}
			return net(b, back)
		}, flaw.Other, "a hundredth of each returned", false}, // ten cents of a single part are within what rounding may be, and not of twelve
		{"large purchases keep a bonus", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			if b.amount >= 50_000 {
				return net(b, back) + 2_500
			}
			return net(b, back)
		}, flaw.Other, "10 times the price", false},
		{"accounts of a year keep everything", func(l *little, b bought, back int64, _ time.Duration) int64 {
			if b.at.Sub(l.opened) > 365*day {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.Other, "an account of 370 days", false},
		{"one category of a rate that others have keeps everything", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			if b.category == "TRAVEL" {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.Other, "TRAVEL, after 10 days", false},
		{"one category has a month's limit, and a correction begins with nothing used", func(l *little, b bought, back int64, _ time.Duration) int64 {
			if b.category != "TRAVEL" {
				return net(b, back)
			}
			room := int64(1_000)
			for _, o := range l.bought {
				if back == 0 && o.category == b.category && o.number < b.number && o.at.Year() == b.at.Year() && o.at.Month() == b.at.Month() {
					room -= net(o, l.back[o.id]) / 2
				}
			}
			return min(net(b, back)/2, max(0, room))
		}, flaw.Other, "TRAVEL, a hundredth of each returned", false},
		{"nothing is taken on the last day of a month", func(_ *little, b bought, back int64, late time.Duration) int64 {
			if b.at.Add(late+day).Day() == 1 {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.V2, "bought on the 1., returned after 30 days", false},
		{"nothing is taken on the 9th of a month", func(_ *little, b bought, back int64, late time.Duration) int64 {
			if b.at.Add(late).Day() == 9 && late < 20*day {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.Other, "one returned on each of its days", false},
		{"nothing more is taken after a single minor unit", func(l *little, b bought, back int64, _ time.Duration) int64 {
			if l.first[b.id] == 1 {
				return net(b, 0)
			}
			return net(b, back)
		}, flaw.Other, "a single minor unit and then the rest", false},
		{"the first purchase of an account keeps a bonus", func(l *little, b bought, back int64, _ time.Duration) int64 {
			for _, o := range l.bought {
				if o.number < b.number {
					return net(b, back)
				}
			}
			return net(b, back) + 5_000
		}, flaw.V1, "all", true},
		{"a return takes at the rate of its day", func(_ *little, b bought, back int64, late time.Duration) int64 {
			return max(0, (b.amount*ofDay(b.at)-back*ofDay(b.at.Add(late)))/100)
		}, flaw.Other, "bought on the", false}, // three quarters of what a Saturday earned, however much that is
		{"a return takes at the rate of its day, which is higher for one category on a weekend", func(_ *little, b bought, back int64, late time.Duration) int64 {
			rate := func(at time.Time) int64 {
				if b.category == "TRAVEL" && (at.Weekday() == time.Saturday || at.Weekday() == time.Sunday) {
					return 8
				}
				return 2
			}
			return max(0, (b.amount*rate(b.at)-back*rate(b.at.Add(late)))/100)
		}, flaw.Other, "TRAVEL, one bought on each day of a week", true},
		{"a return takes by the level of its own month", func(l *little, b bought, back int64, late time.Duration) int64 {
			level := func(at time.Time) int64 { // twice as much after a month of 5,000.00
				spent, before := int64(0), at.AddDate(0, 0, -at.Day())
				for _, o := range l.bought {
					if o.at.Year() == before.Year() && o.at.Month() == before.Month() {
						spent += o.amount - l.back[o.id]
					}
				}
				if spent >= 5_000_00 {
					return 2
				}
				return 1
			}
			return max(0, level(b.at)*net(b, 0)-level(b.at.Add(late))*(net(b, 0)-net(b, back)))
		}, flaw.Other, "1000 times the price kept", false},
		{"a return takes at the rate of its day, and new accounts and weekends have more", func(l *little, b bought, back int64, late time.Duration) int64 {
			rate := func(at time.Time) int64 {
				rate := int64(1)
				if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
					rate += 2
				}
				if at.Before(l.opened.AddDate(0, 0, 60)) {
					rate += 2
				}
				return rate
			}
			return max(0, (b.amount*rate(b.at)-back*rate(b.at.Add(late)))/100)
		}, flaw.Other, "as much that repaid the debt returned as well", false}, // the debt is kept, and no V3(a)
		{"a return takes at the average rate of all that was bought", func(l *little, b bought, back int64, _ time.Duration) int64 {
			earned := func(o bought) int64 { // four times as much of travel
				if o.category == "TRAVEL" {
					return net(o, 0) * 4
				}
				return net(o, 0)
			}
			sum, spent := int64(0), int64(0)
			for _, o := range l.bought {
				sum += earned(o)
				spent += o.amount
			}
			return earned(b) - (back*sum+spent-1)/spent
		}, flaw.Other, "and as much kept at", false},
		{"each purchase earns by chance", func(_ *little, b bought, back int64, _ time.Duration) int64 {
			return (b.amount - back) * (100 + b.number*7919%200) / 10_000
		}, flaw.Robust, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := probed(t, targetOf(test.keeps), probe.Plan{})
			if r.Class != test.class {
				t.Errorf("class %s, want %s: %s", r.Class, test.class, r.Verdict())
			}
			if l := r.Leak(); l != nil && l.Once != test.once {
				t.Errorf("leak %+v", l)
			}
			if sound := test.class == flaw.Robust; r.Found() == sound || (r.Leak() == nil) != sound {
				t.Errorf("found %v, leak %+v", r.Found(), r.Leak())
			}
			var rules []string
			for _, a := range r.Sweep.Axes {
				if a.Leaks > 0 {
					rules = append(rules, fmt.Sprintf("%s: %s", a.Axis, a.Rule))
				}
			}
			if !strings.Contains(strings.Join(rules, "\n"), test.rule) || test.rule == "" && rules != nil {
				t.Errorf("the rules are\n%s\nwant %q", strings.Join(rules, "\n"), test.rule)
			}
		})
	}
}

// Terms that are given say where to buy, those in layers too: what leaks in a category of their
// own is found there.
func TestPlacesOfTheTermsGivenAreTried(t *testing.T) {
	p, err := program.Parse("books.yaml", []byte(`
id: books
currency: USD
zone: Europe/Berlin
timing: {grant: settlement, clawback: refund}
rules:
  - {id: books, match: {category: [BOOKS]}, rate: 6%}
  - {id: rest, rate: 2%}
`))
	if err != nil {
		t.Fatal(err)
	}
	target := targetOf(func(_ *little, b bought, back int64, _ time.Duration) int64 {
		if b.category == "BOOKS" {
			return b.amount * 6 / 100
		}
		return (b.amount - back) * 2 / 100
	})
	r := probed(t, target, probe.Plan{Program: p})
	if l := r.Leak(); l == nil || !strings.Contains(fmt.Sprint(r.Sweep.Axes), "BOOKS") {
		t.Errorf("leak %+v: %s", l, r.Verdict())
	}
}

// welcoming gives every account something for nothing, and hears of no chargeback that comes late,
// if it is deaf.
type welcoming struct {
	manyOf
	deaf bool
}

const welcome = 10_00

func (w *welcoming) Chargeback(c issuer.Chargeback) error {
	if w.deaf && w.now.Sub(w.of(c.Account).bought[c.Transaction].at) > 60*day {
		return nil
	}
	return w.manyOf.Chargeback(c)
}

func (w *welcoming) Redeem(r issuer.Redemption) (bool, error) {
	l := w.of(r.Account)
	if r.Amount <= 0 || r.Amount > l.balance()+welcome {
		return false, nil
	}
	l.paid += r.Amount
	return true, nil
}

func (w *welcoming) Balance(account string) (issuer.Balance, error) {
	had := w.of(account).balance() + welcome
	return issuer.Balance{Balance: had, Redeemable: max(0, had)}, nil
}

// What everybody is given stays after all is returned, and is no leak; a chargeback that nobody
// hears of is one.
func TestAWelcomeIsNoLeak(t *testing.T) {
	net := func(_ *little, b bought, back int64, _ time.Duration) int64 { return (b.amount - back) * 2 / 100 }
	for deaf, class := range map[bool]flaw.Class{false: flaw.Robust, true: flaw.Other} {
		fresh := labtest.NewFresh(func() issuer.Issuer { return &welcoming{manyOf{accounts: map[string]*little{}, keeps: net}, deaf} })
		r := probed(t, probe.Target{Issuer: fresh, Can: adapter.Everything("USD"), Reset: fresh.Reset}, probe.Plan{})
		if r.Class != class || r.Found() == (class == flaw.Robust) || (r.Leak() == nil) != (class == flaw.Robust) {
			t.Errorf("deaf %t: class %s, want %s, found %t, leak %+v: %s", deaf, r.Class, class, r.Found(), r.Leak(), r.Verdict())
		}
	}
}

// generous gives some accounts something for nothing, as a service desk does.
type generous struct{ manyOf }

func (g *generous) Balance(account string) (issuer.Balance, error) {
	b, err := g.manyOf.Balance(account)
	if strings.HasSuffix(account, "2") {
		b.Balance += 500
	}
	return b, err
}

// Where some accounts are given something and others are not, one tells nothing of another.
func TestWhatIsGivenByHandIsRefused(t *testing.T) {
	net := func(_ *little, b bought, back int64, _ time.Duration) int64 { return (b.amount - back) * 2 / 100 }
	fresh := labtest.NewFresh(func() issuer.Issuer { return &generous{manyOf{accounts: map[string]*little{}, keeps: net}} })
	_, err := probe.Run(t.Context(), probe.Target{Issuer: fresh, Can: adapter.Everything("USD"), Reset: fresh.Reset}, probe.Plan{})
	if err == nil || !strings.Contains(err.Error(), "neither bought anything: expected a sandbox in which nothing is given by hand") {
		t.Errorf("%v", err)
	}
}
