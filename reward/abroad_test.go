package reward_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/program"
	"recoup/reward"
)

// TestARefundAbroadTakesItsShareWhateverTheRate: of a purchase in another currency that
// comes back in parts, at the rate of other days, each part takes its share in the
// merchant's currency. All of them take all of it, and nothing elsewhere.
func TestARefundAbroadTakesItsShareWhateverTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newReal(program.Everyday())
		at := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
		tell := func(e reward.Event) reward.Result {
			at += reward.Day
			e.Source, e.ID, e.Account, e.Time, e.Currency, e.HasAmount = "core", fmt.Sprint("e", at), "a", at, "USD", true
			return a.apply(t, e)
		}
		paid, price := rapid.Int64Range(1, 1_000_000_000_000_000).Draw(t, "paid"), rapid.Int64Range(1, 1_000_000_000_000_000).Draw(t, "price")
		tell(reward.Event{Type: reward.TransactionSettled, Transaction: "beside", Amount: 10_000, Merchant: "m1", Category: "GROCERY"})
		tell(reward.Event{Type: reward.TransactionSettled, Transaction: "t1", Amount: paid, MerchantAmount: price, MerchantCurrency: "EUR", Merchant: "m1", Category: "GROCERY"})
		left := price
		for i := 0; left > 0; i++ {
			back := left
			if i < 5 {
				back = rapid.Int64Range(1, left).Draw(t, "back")
			}
			left -= back
			r := tell(reward.Event{
				Type: reward.RefundPosted, Fact: fmt.Sprint("r", i), Transaction: "t1", Merchant: "m1", LinkedBy: reward.LinkedByProcessor,
				Amount: rapid.Int64Range(1, 1_000_000_000_000_000).Draw(t, "billed"), MerchantAmount: back, MerchantCurrency: "EUR",
			})
			if r != (reward.Result{Outcome: reward.Applied}) {
				t.Fatalf("%v", r)
			}
			share := new(big.Rat).Mul(big.NewRat(paid, 1), big.NewRat(price-left, price))
			up := new(big.Int).Add(share.Num(), new(big.Int).Sub(share.Denom(), big.NewInt(1)))
			want := map[string]int64{"beside": 0, "t1": up.Quo(up, share.Denom()).Int64()}
			if got := reversedOf(a.account()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("expected %v to be taken back, found %v", want, got)
			}
		}
		if got := a.account(); got.NetSpend != 10_000 || got.NetReward != 500 {
			t.Fatalf("%+v", got)
		}
	})
}

// TestOneCurrencyThatIsNotKnown: where either side does not say the merchant's currency, or
// they say different ones, or the refund names nothing, what was billed counts.
func TestOneCurrencyThatIsNotKnown(t *testing.T) {
	euros := reward.Event{MerchantAmount: 9_000, MerchantCurrency: "EUR"}
	for name, c := range map[string]struct {
		bought, back reward.Event
		linked       bool
		want         int64
	}{
		"both":                 {euros, reward.Event{MerchantAmount: 4_500, MerchantCurrency: "EUR"}, true, 5_000},
		"more than was bought": {euros, reward.Event{MerchantAmount: 9_001, MerchantCurrency: "EUR"}, true, 10_000},
		"only the purchase":    {euros, reward.Event{}, true, 4_800},
		"only the refund":      {reward.Event{}, reward.Event{MerchantAmount: 4_500, MerchantCurrency: "EUR"}, true, 4_800},
		"another currency":     {euros, reward.Event{MerchantAmount: 4_500, MerchantCurrency: "CHF"}, true, 4_800},
		"no link":              {euros, reward.Event{MerchantAmount: 4_500, MerchantCurrency: "EUR"}, false, 4_800},
	} {
		t.Run(name, func(t *testing.T) {
			a := newReal(program.Everyday())
			bought, back := c.bought, c.back
			at := reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
			bought.Source, bought.ID, bought.Account, bought.Time, bought.Currency, bought.HasAmount = "core", "e1", "a", at, "USD", true
			back.Source, back.ID, back.Account, back.Time, back.Currency, back.HasAmount = "core", "e2", "a", at+reward.Day, "USD", true
			bought.Type, bought.Transaction, bought.Amount = reward.TransactionSettled, "t1", 10_000
			back.Type, back.Fact, back.Amount = reward.RefundPosted, "r1", 4_800
			if c.linked {
				back.Transaction = "t1"
			}
			a.apply(t, bought)
			a.apply(t, back)
			if got := reversedOf(a.account())["t1"]; got != c.want {
				t.Errorf("expected %d to be taken back, found %d", c.want, got)
			}
		})
	}
}
