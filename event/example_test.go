package event_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"recoup/event"
	"recoup/program"
	"recoup/reward"
)

const log = `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1","data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}
{"specversion":"1.0","id":"e2","source":"core","type":"refund.posted","time":"2026-01-09T10:00:00Z","subject":"acct-1","data":{"refund":"r1","transaction":"t1","amount":10000,"currency":"USD"}}
{"specversion":"1.0","id":"e3","source":"core","type":"transaction.settled","time":"2026-01-09T11:00:00Z","subject":"acct-2","data":{"transaction":"t1","amount":2500,"currency":"USD"}}
`

// A log is replayed: each account takes its events in their order.
func ExampleReader_Batches() {
	accounts := make(map[string]*reward.Account)
	for batch, err := range event.NewReader(strings.NewReader(log), "log.jsonl").Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := range batch {
			e := &batch[i]
			if accounts[e.Account] == nil {
				accounts[e.Account] = reward.NewAccount(e.Account, program.Everyday())
			}
			accounts[e.Account].Apply(e, nil)
		}
	}
	for _, id := range []string{"acct-1", "acct-2"} {
		fmt.Println(id, program.FormatAmount(accounts[id].Summary().Balance, "USD"))
	}
	// Output:
	// acct-1 $0.00
	// acct-2 $0.25
}

// A line that is not exactly an event is refused, and the error names the member.
func ExampleDecoder_Decode() {
	var e reward.Event
	line := strings.Replace(strings.SplitN(log, "\n", 2)[0], "10000", "100.00", 1)
	fmt.Println(event.NewDecoder().Decode([]byte(line), &e))
	// Output:
	// data.amount: expected an integer number of minor units, without fraction or exponent, found 100.00
}

func ExampleWrite() {
	e := reward.Event{
		Source: "core", ID: "e9", Account: "acct-1", Time: reward.At(time.Date(2026, 1, 12, 8, 0, 0, 0, time.UTC)),
		Type: reward.RedemptionRequested, Fact: "d1", Amount: 500, HasAmount: true, Currency: "USD",
	}
	if err := event.Write(context.Background(), os.Stdout, slices.Values([]reward.Event{e})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"specversion":"1.0","id":"e9","source":"core","type":"redemption.requested","time":"2026-01-12T08:00:00Z","subject":"acct-1","data":{"redemption":"d1","amount":500,"currency":"USD"}}
}

// A number of a card must not be in an event: its sender is told which member has it.
func ExampleCardNumber() {
	e := reward.Event{Type: reward.TransactionSettled, Account: "acct-1", Transaction: "4111 1111 1111 1111"}
	member, is := event.CardNumber(&e, func(string) bool { return false })
	fmt.Println(is, member)
	// Output:
	// true data.transaction
}
