package program_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"recoup/program"
	"recoup/reward"
)

// What Write writes, Parse reads as the same program.
func TestWriteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"base", "GROCERY", "on", "NULL", "5411", "a: b", "\"'\\", "é #x", "-", "y"})
		p := program.Everyday()
		p.ID, p.Currency = text.Draw(t, "id"), rapid.SampledFrom([]string{"USD", "JPY", "KWD"}).Draw(t, "currency")
		p.Timing.Grant = rapid.SampledFrom([]reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement}).Draw(t, "grant")
		p.Timing.Clawback = rapid.SampledFrom([]reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement}).Draw(t, "clawback")
		p.Method = rapid.SampledFrom([]reward.ClawbackMethod{reward.Proportional, reward.Rerate}).Draw(t, "method")
		p.MaturityDays, p.Refunds.FirmDays = rapid.IntRange(0, 90).Draw(t, "maturity"), rapid.IntRange(0, 400).Draw(t, "firm")
		p.Redemption.MinimumBalance, p.Redemption.GraceDays = rapid.Int64Range(0, 5000).Draw(t, "minimum"), rapid.IntRange(0, 27).Draw(t, "grace")
		p.Rules = nil
		for _, id := range rapid.SliceOfNDistinct(text, 0, 4, rapid.ID).Draw(t, "rules") {
			r := reward.Rule{ID: id, Rate: reward.Rate(rapid.Int64Range(0, int64(reward.MaxRate)).Draw(t, "rate")), Cap: reward.NoCap}
			if rapid.Bool().Draw(t, "capped") {
				r.Cap = rapid.Int64Range(0, 1_000_000).Draw(t, "cap")
			}
			r.Match.Categories = rapid.SliceOfN(text, 1, 3).Draw(t, "categories")
			if rapid.Bool().Draw(t, "by merchant") {
				r.Match.Merchants = map[string]bool{text.Draw(t, "merchant"): true, "m1": true}
			}
			if rapid.Bool().Draw(t, "by code") {
				first, _ := reward.ParseMCC("0742")
				last, _ := reward.ParseMCC("5411")
				r.Match.MCCs = []reward.MCCRange{{First: first, Last: last}, {First: last, Last: last}}
			}
			p.Rules = append(p.Rules, r)
		}
		written := program.Write(p)
		read, err := program.Parse("written.yaml", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		read.Categories, p.Categories = nil, nil
		if !reflect.DeepEqual(read, p) {
			t.Errorf("read %+v\nwant %+v\n%s", read, p, written)
		}
	})
}
