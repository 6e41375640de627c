// Command quickstart buys something, looks at the account, and redeems.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	recoup "recoup/clients/go"
)

func main() {
	ctx := context.Background()
	client, err := recoup.New(os.Getenv("RECOUP_URL"), os.Getenv("RECOUP_KEY"))
	must(err)
	outcomes, err := client.Deliver(ctx, recoup.Event("core", "e1", recoup.CloudEventTypeTransactionSettled, "acct-1", time.Now(),
		map[string]any{"transaction": "t1", "amount": 10000, "currency": "USD", "mcc": "5411"}))
	must(err)
	account, err := client.Account(ctx, "acct-1")
	must(err)
	paid, err := client.Redeem(ctx, "acct-1", &recoup.RedeemParams{IdempotencyKey: "payout-0001"}, recoup.RedemptionRequest{Amount: 200, Currency: "USD"})
	must(err)
	fmt.Println(outcomes[0].Outcome, account.Available, paid.Outcome, *paid.Balance)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
