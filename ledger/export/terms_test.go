package export_test

import (
	"strings"
	"testing"

	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

const miles = `
id: miles
currency: USD
clawback_method: rerate
zone: America/New_York
cycle: {day: 15}
reward: {unit: MIL, decimals: 1}
maturity_days: 3
rules: [{id: all, rate: 2 per 100, cap: {reward: 1500, per: cycle}}]
bonuses: [{id: welcome, per: lifetime, spend: [{from: 50000, reward: 20000}]}]
`

// Bonuses are an expense of their own, and points a commodity of their own; a cycle ends
// when the program says, not with the month of UTC.
func TestBonusesAndPointsAreExportedAsWhatTheyAre(t *testing.T) {
	p, err := program.Parse("miles.yaml", []byte(miles))
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, p)
	s.deliver(settled("01-05", "t1"))
	bought := event("acct-1", "01-06", reward.TransactionSettled, "t2", "", 40_000)
	back := event("acct-1", "01-20", reward.RefundPosted, "t2", "r1", 1)
	back.Merchant = "HEADPHONES-SHOP"
	s.deliver(bought, back)
	for _, format := range []string{"hledger", "beancount"} {
		for _, o := range []export.Options{options(), {From: at("01-15"), ByAccount: true, Telling: program.Telling, Decimals: program.MinorUnits}} {
			text, tally := written(t, s, format, o)
			file := fileOf(t, text, format)
			if format == "hledger" {
				tool(t, "hledger", "-f", file, "check", "--strict")
			} else {
				tool(t, "bean-check", file)
			}
			sums := tally.Sums[export.Currency{Code: "MIL", Decimals: 1}]
			if len(tally.Sums) != 1 || sums == nil {
				t.Fatalf("the sums are %v, want those of MIL alone", tally.Sums)
			}
			want := [2]int64{999, 0} // of 499.99 dollars; the bonus came and went
			if o.From != 0 {
				want = [2]int64{-1, -20_000}
			}
			if got := [2]int64{sums[export.Rewards], sums[export.Bonuses]}; got != want {
				t.Errorf("%s from %v: rewards and bonuses cost %d, want %d", format, o.From, got, want)
			}
			const why = "You returned $0.01 of your purchase at HEADPHONES-SHOP, your spend so far is now $499.99, and the MIL 2,000.0 bonus needs $500.00. MIL 2,000.0 is taken back."
			if !strings.Contains(strings.ReplaceAll(text, ";", ","), why) {
				t.Errorf("%s does not say %s:\n%s", format, why, text)
			}
		}
	}
}
