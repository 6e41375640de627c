package export_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// oneAccount is a log in memory: a purchase, and half of it coming back.
type oneAccount struct{}

// Events implements export.Log.
func (oneAccount) Events(_ context.Context, _ string, f func(*export.Entry) error) error {
	terms := program.Everyday()
	account := reward.NewAccount("acct-1", terms)
	for i, e := range []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10000, Category: "GROCERY"},
		{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 5000},
	} {
		e.Source, e.ID, e.Account = "core", fmt.Sprint(i), "acct-1"
		e.Time = reward.At(time.Date(2026, 1, 5+i, 10, 0, 0, 0, time.UTC))
		e.Currency, e.HasAmount = "USD", true
		result, postings := account.Apply(&e, nil)
		if err := f(&export.Entry{Program: terms, Event: e, Result: result, Postings: postings}); err != nil {
			return err
		}
	}
	return nil
}

// The journal for hledger, which checks the balances at its end.
func ExampleWrite() {
	var journal strings.Builder
	w, err := export.NewWriter("hledger", &journal)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := export.Options{Telling: program.Telling, Decimals: program.MinorUnits}
	if _, err := export.Write(context.Background(), oneAccount{}, w, o); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(journal.String()) {
		if strings.HasPrefix(line, "2026") || strings.HasPrefix(line, "    expenses:rewards") {
			fmt.Print(line)
		}
	}
	// Output:
	// 2026-01-05 * (0) Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.
	//     expenses:rewards  5.00 USD
	// 2026-01-06 * (1) $50.00 of purchase t1 came back: its reward of $5.00 × $50.00 ÷ $100.00 leaves $2.50, rounded down. $2.50 is taken back.
	//     expenses:rewards  -2.50 USD
	// 2026-01-06 * Balances in USD of all exported accounts
	//     expenses:rewards  0.00 USD =* 2.50 USD
}

func ExampleNewWriter() {
	_, err := export.NewWriter("ledger", os.Stdout)
	fmt.Println(err)
	// Output:
	// format "ledger": expected hledger, beancount or csv
}
