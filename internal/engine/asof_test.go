package engine_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestWhatIsReadIsWhatARedemptionGets: at any moment after any history, what an account
// read as of then says can be redeemed is paid out by a redemption at that moment, and one
// minor unit more is refused; its holds end later. Three engines have the same history,
// so that none of the three looks at what another has done.
func TestWhatIsReadIsWhatARedemptionGets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		p.MaturityDays = rapid.SampledFrom([]int{0, 3, 30}).Draw(t, "maturity")
		p.ExpiryMonths = rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "expires after months")
		p.Redemption.GraceDays = rapid.SampledFrom([]int{0, 10}).Draw(t, "grace")
		p.Redemption.MinimumBalance = rapid.SampledFrom([]int64{0, 500}).Draw(t, "minimum")
		events := drawStream(t, p)
		read, pays, refuses := newFixture(p), newFixture(p), newFixture(p)
		for _, f := range []*fixture{read, pays, refuses} {
			f.deliver(t, events...)
		}
		last := events[len(events)-1].Time
		now := last + reward.Instant(rapid.Int64Range(-int64(5*reward.Day), int64(70*reward.Day)).Draw(t, "later"))
		for id := range read.store.Accounts() {
			a := read.store.Account(id)
			now := max(now, a.Now())
			a.AsOf(now, nil)
			for _, h := range a.Holds() {
				if h.Until != 0 && h.Until <= now {
					t.Fatalf("at %v account %s has a hold that ended: %+v", now, id, h)
				}
			}
			if until, s := a.NotBefore(), a.Balances(); until != 0 && !s.Closed {
				before, after := a.RedeemableAt(until-1), a.RedeemableAt(until)
				if want := max(0, s.Available-p.Redemption.MinimumBalance); before != 0 || after != want {
					t.Fatalf("account %s says that %d can be redeemed just before its grace ends and %d then, expected 0 and %d", id, before, after, want)
				}
			}
			redeemable := a.Redeemable()
			redeem := func(amount int64) reward.Event {
				return reward.Event{Source: "test", ID: "now", Account: id, Time: now, Type: reward.RedemptionRequested, Fact: "now", Amount: amount, HasAmount: true, Currency: p.Currency}
			}
			if redeemable > 0 {
				expectResults(t, pays.deliver(t, redeem(redeemable)), applied)
			}
			if r := refuses.deliver(t, redeem(redeemable+1))[0]; r.Outcome != reward.Rejected {
				t.Fatalf("at %v account %s says that %d can be redeemed, and one more is %v", now, id, redeemable, r)
			}
		}
	})
}
