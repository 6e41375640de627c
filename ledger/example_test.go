package ledger_test

import (
	"fmt"
	"time"

	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// postings are what a purchase and half of it coming back post.
func postings() []reward.Posting {
	account := reward.NewAccount("acct-1", program.Everyday())
	var journal []reward.Posting
	for i, e := range []reward.Event{
		{Type: reward.TransactionSettled, Transaction: "t1", Amount: 10000, Category: "GROCERY"},
		{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 5000},
	} {
		e.Source, e.ID, e.Account = "core", fmt.Sprint(i), "acct-1"
		e.Time = reward.At(time.Date(2026, 1, 5+i, 10, 0, 0, 0, time.UTC))
		e.Currency, e.HasAmount = "USD", true
		_, journal = account.Apply(&e, journal)
	}
	return journal
}

// Each posting is one balanced entry.
func ExampleEntryOf() {
	for _, p := range postings() {
		e := ledger.EntryOf(&p)
		fmt.Printf("%s: debit %s, credit %s, %d cents\n", p.Kind, e.Debit, e.Credit, e.Amount)
	}
	// Output:
	// grant: debit expenses:rewards, credit liabilities:cardholder rewards, 500 cents
	// clawback: debit liabilities:cardholder rewards, credit expenses:rewards, 250 cents
}

// A book adds entries up: what was granted and taken back, whatever the accounts.
func ExampleBook() {
	var book ledger.Book
	for _, p := range postings() {
		book.Post(&p)
	}
	fmt.Println(book.Entries, "entries, granted", book.Granted, "taken back", book.ClawedBack)
	// Output:
	// 2 entries, granted 500 taken back 250
}
