package reward_test

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]reward.Rate{
		"5%": 5_000_000, "4.75%": 4_750_000, "0%": 0, "100%": reward.MaxRate, "0.000001%": 1, "100.000000%": reward.MaxRate, "1.5%": 1_500_000,
	} {
		if got, err := reward.ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "5", "0.05", "-1%", "+1%", "101%", "100.000001%", "1.%", ".5%", "1.0000001%", "1e1%", " 5%", "5 %", "5%%", "1.2.3%", "NaN%", "١%", "99999999999999999999%"} {
		if got, err := reward.ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, expected an error", text, got)
		}
	}
}

func TestRateReadsBackFromItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := reward.Rate(rapid.Int64Range(0, int64(reward.MaxRate)).Draw(t, "rate"))
		if got, err := reward.ParseRate(rate.String()); err != nil || got != rate {
			t.Errorf("%d is %q, which reads as %d, %v", rate, rate, got, err)
		}
	})
}

// TestRateOfIsExact compares with exact rationals up to the largest volume.
func TestRateOfIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(0, int64(reward.MaxRate)).Draw(t, "rate")
		amount := rapid.Int64Range(0, reward.MaxVolume).Draw(t, "amount")
		exact := new(big.Int).Mul(big.NewInt(rate), big.NewInt(amount))
		exact.Quo(exact, big.NewInt(int64(reward.MaxRate)))
		if got := reward.Rate(rate).Of(amount); !exact.IsInt64() || got != exact.Int64() {
			t.Errorf("%v of %d = %d, exactly %v", reward.Rate(rate), amount, got, exact)
		}
	})
}

// TestLargestAmounts: amounts of 10^15 add up exactly, and what would leave the
// range of exact arithmetic is refused before anything changes.
func TestLargestAmounts(t *testing.T) {
	p := smallProgram()
	p.Rules[0].Cap = reward.NoCap
	p.Rules[0].Rate = reward.MaxRate
	subject := newReal(p)
	day := reward.At(tracesEnd.Time()) - 400*reward.Day
	settle := func(i int) reward.Result {
		return subject.apply(t, reward.Event{
			Source: "core", ID: fmt.Sprint(i), Account: "a", Time: day, Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i),
			Amount: reward.MaxAmount, HasAmount: true, Currency: "USD", Category: "GROCERY",
		})
	}
	const fit = int(reward.MaxVolume / reward.MaxAmount)
	for i := range fit {
		if r := settle(i); r.Outcome != reward.Applied {
			t.Fatalf("purchase %d: %v %v", i, r.Outcome, r.Code)
		}
	}
	before := subject.store.Account("a").Summary()
	if before.Balance != reward.MaxVolume || before.Entitlement != reward.MaxVolume {
		t.Errorf("balance %d, entitlement %d after %d purchases of 10^15 at 100 %%", before.Balance, before.Entitlement, fit)
	}
	if r := settle(fit); r != (reward.Result{Outcome: reward.Rejected, Code: reward.LimitExceeded}) {
		t.Errorf("one more: %v %v", r.Outcome, r.Code)
	}
	subject.check(t)
	if after := subject.store.Account("a").Summary(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("a refused event changed %+v to %+v", before, after)
	}
}
