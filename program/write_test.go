package program_test

import (
	"maps"
	"reflect"
	"slices"
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
		drawn := options(p)
		for _, name := range slices.Sorted(maps.Keys(drawn)) {
			switch v := drawn[name]; {
			case v.Kind() == reflect.Bool:
				v.SetBool(rapid.Bool().Draw(t, name))
			case v.CanUint():
				v.SetUint(rapid.Uint64Range(0, 1).Draw(t, name)) // one of two
			default:
				v.SetInt(rapid.Int64Range(1, 27).Draw(t, name)) // within every limit
			}
		}
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
