package accuracy

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"recoup/internal/traffic"
	"recoup/reward"
)

// What made-up traffic has hardly any of, and flaws are about: customers who redeem,
// return everything and never come back; refunds that arrive before the settlement of
// their purchase; purchases that are returned in parts on both sides of a close; and
// returns of what had used a cap up.
const (
	walkAways = 12 // of some 300 accounts
	hasty     = 8
	inParts   = 8
	atCaps    = 6
)

// Events yields the traffic of a setting with such customers among it, and without
// clearings that were withdrawn: exports have them as refunds, and most of the lab's
// designs are never told of them.
func (s *Setting) Events() iter.Seq[reward.Event] {
	special := s.specialCustomers()
	return func(yield func(reward.Event) bool) {
		next := 0
		var clock reward.Instant
		for e := range traffic.Generate(s.Traffic) {
			clock = max(clock, e.Time)
			for ; next < len(special) && special[next].delivered <= clock; next++ {
				if !yield(special[next].Event) {
					return
				}
			}
			if e.Type != reward.TransactionReversed && !yield(e) {
				return
			}
		}
	}
}

// delivery is an event and when it arrives.
type delivery struct {
	reward.Event
	delivered reward.Instant
}

func (s *Setting) specialCustomers() []delivery {
	const stream = 0x6163637572616379
	m := &moves{dice: rand.New(rand.NewPCG(s.Seed, stream)), setting: s}
	for i := range walkAways {
		m.walkAway(fmt.Sprintf("walk-away-%02d", i))
	}
	for i := range hasty {
		m.returnHastily(fmt.Sprintf("hasty-%02d", i))
	}
	for i := range inParts {
		m.returnInParts(fmt.Sprintf("parts-%02d", i))
	}
	for i := range atCaps {
		m.returnAtCap(fmt.Sprintf("cap-%02d", i))
	}
	slices.SortStableFunc(m.list, func(a, b delivery) int { return cmp.Compare(a.delivered, b.delivered) })
	return m.list
}

// moves makes up what the special customers do.
type moves struct {
	dice    *rand.Rand
	setting *Setting
	list    []delivery
}

// walkAway buys some goods in one month, and returns all of them in the next, after
// the rewards were redeemed at the latest at its end.
func (m *moves) walkAway(account string) {
	months := m.setting.Traffic.Days / 30
	first := time.Date(m.setting.Traffic.Start.Year(), m.setting.Traffic.Start.Month()+1, 1, 12, 0, 0, 0, time.UTC)
	month := first.AddDate(0, m.dice.IntN(max(1, months-6)), 0)
	for i := range 2 + m.dice.IntN(4) {
		bought := month.AddDate(0, 0, m.dice.IntN(27))
		returned := month.AddDate(0, 1, m.dice.IntN(20))
		amount := m.amount()
		m.buy(account, i, amount, bought, bought)
		m.giveBack(account, i, i, amount, returned)
	}
}

// returnHastily buys now and then, and returns most of it: some within hours, when
// the refund is there before the purchase has cleared, and some after a while.
func (m *moves) returnHastily(account string) {
	for i := range 9 {
		bought := m.setting.Traffic.Start.AddDate(0, 0, 5+m.dice.IntN(m.setting.Traffic.Days-90)).Add(10 * time.Hour)
		amount := m.amount()
		m.buy(account, i, amount, bought, bought.Add(30*time.Hour))
		switch i % 3 {
		case 0:
			m.giveBack(account, i, i, amount, bought.Add(time.Duration(1+m.dice.IntN(20))*time.Hour))
		case 1:
			m.giveBack(account, i, i, amount, bought.AddDate(0, 0, 3+m.dice.IntN(25)))
		}
	}
}

// returnInParts buys in some months, and returns two fifths of it within the month and
// the rest in the next.
func (m *moves) returnInParts(account string) {
	start := m.setting.Traffic.Start
	for i := range 4 {
		month := time.Date(start.Year(), start.Month()+time.Month(1+i+m.dice.IntN(3)), 1, 12, 0, 0, 0, time.UTC)
		bought := month.AddDate(0, 0, m.dice.IntN(15))
		amount := m.amount()
		m.buy(account, i, amount, bought, bought)
		m.giveBack(account, 2*i, i, amount*2/5, bought.AddDate(0, 0, 1+m.dice.IntN(10)))
		m.giveBack(account, 2*i+1, i, amount-amount*2/5, month.AddDate(0, 1, m.dice.IntN(20)))
	}
}

// returnAtCap buys as much as the cap rewards, and then as much again, and returns the
// first.
func (m *moves) returnAtCap(account string) {
	rule := m.setting.Program.Rules[0]
	start := m.setting.Traffic.Start
	for i := range 3 {
		amount := m.amount()
		if rule.Cap != reward.NoCap {
			amount = rule.Cap * int64(reward.MaxRate) / int64(rule.Rate)
		}
		month := time.Date(start.Year(), start.Month()+time.Month(1+2*i), 1, 12, 0, 0, 0, time.UTC)
		for k := range 2 {
			bought := month.AddDate(0, 0, 1+5*k+m.dice.IntN(5))
			m.buy(account, 2*i+k, amount, bought, bought)
		}
		m.giveBack(account, i, 2*i, amount, month.AddDate(0, 0, 15+m.dice.IntN(30)))
	}
}

// amount is $50 to $250.
func (m *moves) amount() int64 { return 100 * int64(50+m.dice.IntN(201)) }

func (m *moves) buy(account string, i int, amount int64, at, delivered time.Time) {
	e := reward.Event{
		Type: reward.TransactionSettled, Account: account, Transaction: fmt.Sprintf("%s-p%d", account, i), Amount: amount,
		Merchant: "shop-of-" + account,
	}
	if match := m.setting.Program.Rules[0].Match; len(match.Categories) > 0 {
		e.Category = match.Categories[0]
	}
	m.add(e, at, delivered)
}

// giveBack returns an amount of a purchase.
func (m *moves) giveBack(account string, refund, purchase int, amount int64, at time.Time) {
	m.add(reward.Event{
		Type: reward.RefundPosted, Account: account, Fact: fmt.Sprintf("%s-r%d", account, refund), Amount: amount,
		Transaction: fmt.Sprintf("%s-p%d", account, purchase), Merchant: "shop-of-" + account,
	}, at, at)
}

func (m *moves) add(e reward.Event, at, delivered time.Time) {
	e.Source, e.ID = "accuracy", fmt.Sprint(len(m.list))
	e.Time, e.HasAmount, e.Currency = reward.At(at), true, m.setting.Program.Currency
	m.list = append(m.list, delivery{e, reward.At(delivered)})
}
