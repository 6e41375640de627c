package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"recoup/reward"
)

// fingerprint tells published terms apart: currency, rules and categories of all
// versions. Two programs with the same fingerprint entitle to the same.
func fingerprint(p *reward.Program) string {
	h := sha256.New()
	for ; p != nil; p = p.Earlier {
		fmt.Fprintf(h, "%q %q %+v %d %d %d %d %+v %+v\n", p.ID, p.Currency, p.Timing, p.Method, p.MaturityDays, p.ExpiryMonths, p.From, p.Refunds, p.Redemption)
		for _, r := range p.Rules {
			fmt.Fprintf(h, "rule %q %d %d %q %v %q\n", r.ID, r.Rate, r.Cap, r.Match.Categories, r.Match.MCCs, slices.Sorted(maps.Keys(r.Match.Merchants)))
		}
		writeCategories(h, p.Categories)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeCategories writes the category of every merchant category code.
func writeCategories(w io.Writer, category func(reward.MCC) string) {
	if category == nil {
		return
	}
	for code := range 10_000 {
		mcc, _ := reward.ParseMCC(fmt.Sprintf("%04d", code))
		if name := category(mcc); name != "" {
			fmt.Fprintf(w, "%v %q\n", mcc, name)
		}
	}
}
