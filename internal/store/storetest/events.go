package storetest

import (
	"fmt"
	"time"

	"recoup/reward"
)

var january = reward.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// terms are 5 % on groceries up to $50 a month and 1 % on everything else.
func terms() *reward.Program {
	return &reward.Program{
		ID: "storetest", Version: 1, Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules: []reward.Rule{
			{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: reward.MaxRate / 20, Cap: 5000},
			{ID: "base", Rate: reward.MaxRate / 100, Cap: reward.NoCap},
		},
	}
}

// settled is a purchase of that id which earns 1 %.
func settled(account, id string, amount int64) reward.Event {
	return reward.Event{
		Source: "core", ID: "settled " + id, Account: account, Time: january, Type: reward.TransactionSettled,
		Transaction: id, Amount: amount, HasAmount: true, Currency: "USD", Merchant: "m1",
	}
}

// refunded is a refund of that id which names a purchase.
func refunded(account, id, transaction string, amount int64) reward.Event {
	return reward.Event{
		Source: "core", ID: "refunded " + id, Account: account, Time: january, Type: reward.RefundPosted,
		Fact: id, Transaction: transaction, Amount: amount, HasAmount: true, Currency: "USD",
	}
}

// redeemed is a redemption of that id.
func redeemed(account, id string, amount int64) reward.Event {
	return reward.Event{
		Source: "core", ID: "redeemed " + id, Account: account, Time: january, Type: reward.RedemptionRequested,
		Fact: id, Amount: amount, HasAmount: true, Currency: "USD", Method: "cash",
	}
}

// stream is a year of accounts that buy, return with and without naming the
// purchase, before and after it posts, and redeem; with redeliveries, reused
// ids and bad input. It is always the same.
func stream() []reward.Event {
	const accounts, purchases = 13, 60
	var list []reward.Event
	for n := range purchases {
		for k := range accounts {
			account, id := fmt.Sprintf("acct-%d", k), fmt.Sprintf("t%d", n)
			amount := int64(1000 + (n*7919+k*104729)%40_000)
			at := january + reward.Instant(n*6)*reward.Day + reward.Instant(k)
			add := func(e reward.Event, days int) {
				e.Time = at + reward.Instant(days)*reward.Day
				list = append(list, e)
			}
			buy := settled(account, id, amount)
			if n%2 == 0 {
				buy.Category = "GROCERY"
			}
			switch (n + k) % 7 {
			case 0: // returned in part
				add(buy, 0)
				add(refunded(account, id, id, amount/3), 3)
			case 1: // returned before it posts
				add(refunded(account, id, id, amount), 0)
				add(buy, 1)
			case 2: // something is returned that names nothing
				add(buy, 0)
				add(refunded(account, id, "", amount/2), 2)
			case 3: // delivered twice
				add(buy, 0)
				add(buy, 0)
			case 4: // under an id that is used up
				add(buy, 0)
				buy.Amount++
				add(buy, 0)
			case 5: // bad input
				nothing := buy
				nothing.Amount = 0
				add(nothing, 0)
				add(buy, 0)
			case 6:
				add(buy, 0)
				add(redeemed(account, id, amount/200), 1)
			}
		}
	}
	return list
}
