package reward_test

import (
	"fmt"
	"time"

	"recoup/reward"
)

// A cardholder asks why the cashback went down: the posting says so by itself.
func ExamplePosting_Explain() {
	account := reward.NewAccount("acct-1", groceries())
	at := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	purchase := reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: at, Type: reward.TransactionSettled,
		Transaction: "t1", Amount: 8000, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
	refund := reward.Event{
		Source: "core", ID: "e2", Account: "acct-1", Time: at + 3*reward.Day, Type: reward.RefundPosted,
		Fact: "r1", Transaction: "t1", Amount: 2000, HasAmount: true, Currency: "USD",
	}
	_, journal := account.Apply(&purchase, nil)
	_, journal = account.Apply(&refund, journal)
	last := journal[len(journal)-1]
	fmt.Println(last.Kind, dollars(last.Amount), "of purchase", last.Transaction, "for event", last.Event)
	fmt.Println(last.Explain(reward.Telling{Spend: dollars, Reward: dollars}))
	// Output:
	// clawback -$1.00 of purchase t1 for event e2
	// $20.00 of purchase t1 came back: its reward of $4.00 × $60.00 ÷ $80.00 leaves $3.00, rounded down. $1.00 is taken back.
}

// An event that is delivered twice counts once, and one that differs under the same name
// changes nothing.
func ExampleAccount_Apply_again() {
	account := reward.NewAccount("acct-1", groceries())
	e := reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)),
		Type: reward.TransactionSettled, Transaction: "t1", Amount: 2000, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
	for _, amount := range []int64{2000, 2000, 9000} {
		e.Amount = amount
		result, _ := account.Apply(&e, nil)
		fmt.Println(result.Outcome, result.Code, dollars(account.Summary().Balance))
	}
	// Output:
	// applied  $1.00
	// duplicate  $1.00
	// rejected transaction_conflict $1.00
}

// Of a reward that matures later, only what is free can be redeemed.
func ExampleAccount_Redeemable() {
	terms := groceries()
	terms.MaturityDays = 14
	account := reward.NewAccount("acct-1", terms)
	bought := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	e := reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: bought, Type: reward.TransactionSettled,
		Transaction: "t1", Amount: 10000, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
	account.Apply(&e, nil)
	fmt.Println("balance", dollars(account.Summary().Balance), "redeemable", dollars(account.Redeemable()))
	account.AsOf(bought+15*reward.Day, nil)
	fmt.Println("two weeks later", dollars(account.Redeemable()))
	// Output:
	// balance $5.00 redeemable $0.00
	// two weeks later $5.00
}

func ExampleCycleAt() {
	c := reward.CycleAt(reward.At(time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC)))
	fmt.Println(c, "begins", c.Start())
	_, ok := reward.ParseCycle("2026-13")
	fmt.Println("2026-13 is a cycle:", ok)
	// Output:
	// 2026-01 begins 2026-01-01T00:00:00Z
	// 2026-13 is a cycle: false
}
