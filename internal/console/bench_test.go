package console_test

import (
	"context"
	"fmt"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/reward"
)

// BenchmarkHistory looks at pages of an account that makes a purchase an hour, one in
// ten of which comes back a week later: after 10 events, and after many more. What a
// page costs must not depend on how long ago an account began.
func BenchmarkHistory(b *testing.B) {
	for _, earlier := range []int{10, 1000, 10_000, 100_000} {
		o := openOffice(b)
		var events []reward.Event
		for n := 0; len(events) < earlier; n++ {
			e := reward.Event{
				Source: "core", ID: fmt.Sprint("s", n), Account: "acct", Time: reward.At(today) - reward.Instant(earlier-n)*reward.Day/24,
				Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", n), Amount: 2000, HasAmount: true, Currency: "USD", Merchant: "m1", Category: "GROCERY",
			}
			events = append(events, e)
			if week := 7 * 24; n%10 == 0 && n >= week {
				e.Type, e.ID, e.Fact, e.Transaction = reward.RefundPosted, fmt.Sprint("f", n), fmt.Sprint("r", n-week), fmt.Sprint("t", n-week)
				events = append(events, e)
			}
		}
		en := engine.New(o.store)
		for first := 0; first < len(events); first += 1000 {
			if _, err := en.Apply(context.Background(), events[first:min(first+1000, len(events))], nil); err != nil {
				b.Fatal(err)
			}
		}
		vera := o.signIn("Vera", access.Viewer)
		for _, page := range []struct{ name, path string }{
			{"account", "/console/account?id=acct"},
			{"accounts", "/console/accounts"},
			{"first purchase", "/console/transaction?account=acct&id=t0"},
			{"latest purchase", "/console/transaction?account=acct&id=" + events[len(events)-1].Transaction},
		} {
			b.Run(fmt.Sprintf("%s/events=%d", page.name, earlier), func(b *testing.B) {
				vera.page(page.path)
				for b.Loop() {
					vera.page(page.path)
				}
			})
		}
	}
}
