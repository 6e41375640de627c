package reward_test

import (
	"fmt"
	"time"

	"recoup/reward"
)

// dollars renders cents.
func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s$%d.%02d", sign, cents/100, cents%100)
}

func groceries() *reward.Program {
	rate, err := reward.ParseRate("5%")
	if err != nil {
		panic(err)
	}
	return &reward.Program{
		ID: "groceries", Currency: "USD",
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules:   []reward.Rule{{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: rate, Cap: 5000}},
	}
}

// The paper's walkthrough: a $100 purchase at 5 %, returned in two halves.
func Example() {
	account := reward.NewAccount("acct-1", groceries())
	day := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	events := []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10000, Category: "GROCERY"},
		{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 5000},
		{Type: reward.RefundPosted, Fact: "r2", Transaction: "t1", Amount: 5000},
	}
	for i, e := range events {
		e.Source, e.ID, e.Account = "core", fmt.Sprint(i), "acct-1"
		e.Time, e.Currency, e.HasAmount = day+reward.Instant(i)*reward.Day, "USD", true
		result, postings := account.Apply(&e, nil)
		fmt.Println(e.Type, "is", result.Outcome)
		for _, p := range postings {
			fmt.Println(" ", p.Explain(reward.Telling{Spend: dollars, Reward: dollars}))
		}
	}
	s := account.State()
	fmt.Println("balance", dollars(s.Balance), "status", s.Transactions[0].Status)
	// Output:
	// transaction.settled is applied
	//   Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.
	// refund.posted is applied
	//   $50.00 of purchase t1 came back: its reward of $5.00 × $50.00 ÷ $100.00 leaves $2.50, rounded down. $2.50 is taken back.
	// refund.posted is applied
	//   $100.00 of purchase t1 came back: its reward of $5.00 × $0.00 ÷ $100.00 leaves $0.00, rounded down. $2.50 is taken back.
	// balance $0.00 status REFUNDED
}

// The double dip: earn, redeem, return. The debt stays, and the next redemption
// is refused until later rewards have repaid it.
func ExampleAccount_Apply_doubleDip() {
	account := reward.NewAccount("acct-1", groceries())
	day := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	for i, e := range []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "t1", Amount: 100000, Category: "GROCERY"},
		{Type: reward.RedemptionRequested, Fact: "d1", Amount: 5000},
		{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 100000},
		{Type: reward.RedemptionRequested, Fact: "d2", Amount: 100},
	} {
		e.Source, e.ID, e.Account = "core", fmt.Sprint(i), "acct-1"
		e.Time, e.Currency, e.HasAmount = day+reward.Instant(i)*reward.Day, "USD", true
		result, _ := account.Apply(&e, nil)
		fmt.Println(e.Type, result.Outcome, result.Code, dollars(account.Summary().Balance))
	}
	// Output:
	// transaction.settled applied  $50.00
	// redemption.requested applied  $0.00
	// refund.posted applied  -$50.00
	// redemption.requested rejected insufficient_balance -$50.00
}

// A refund that names no purchase is placed where most reward was earned.
func ExampleAccount_Reviews() {
	account := reward.NewAccount("acct-1", groceries())
	day := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	for i, e := range []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10000, Merchant: "shop", Category: "GROCERY"},
		{Type: reward.TransactionSettled, Transaction: "t2", Amount: 10000, Merchant: "shop", Category: "FUEL"},
		{Type: reward.RefundPosted, Fact: "r1", Amount: 12000, Merchant: "shop"},
	} {
		e.Source, e.ID, e.Account = "core", fmt.Sprint(i), "acct-1"
		e.Time, e.Currency, e.HasAmount = day+reward.Instant(i)*reward.Day, "USD", true
		account.Apply(&e, nil)
	}
	for _, x := range account.State().Transactions {
		fmt.Println(x.ID, x.Status, "reversed", dollars(x.Reversed), "reward", dollars(x.Retained))
	}
	for _, r := range account.Reviews() {
		fmt.Println(r.Kind, r.Fact, dollars(r.Amount))
	}
	// Output:
	// t1 REFUNDED reversed $100.00 reward $0.00
	// t2 PART_REF reversed $20.00 reward $0.00
	// matched_without_link r1 $120.00
}

// Check recomputes everything from the facts; it finds nothing unless this
// package has a defect.
func ExampleAccount_Check() {
	account := reward.NewAccount("acct-1", groceries())
	e := reward.Event{
		Source: "core", ID: "e1", Account: "acct-1", Time: reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)),
		Type: reward.TransactionSettled, Transaction: "t1", Amount: 2599, HasAmount: true, Currency: "USD", Category: "GROCERY",
	}
	account.Apply(&e, nil)
	fmt.Println("net reward", dollars(account.Summary().NetReward), "violations", len(account.Check()))
	// Output: net reward $1.29 violations 0
}

func ExampleParseRate() {
	rate, err := reward.ParseRate("4.75%")
	fmt.Println(rate, rate.Of(10001), err)
	_, err = reward.ParseRate("0.05")
	fmt.Println(err)
	// Output:
	// 4.75% 475 <nil>
	// rate "0.05": expected a percentage from 0% to 100% with at most six decimals, such as 5% or 4.75%
}
