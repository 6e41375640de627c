package reward_test

import (
	"pgregory.net/rapid"

	"recoup/reward"
)

// pick draws one of a few evenly, where rapid's own draws favour the first ones.
// What a failing trace should shrink to comes first.
func pick[V any](t *rapid.T, label string, from ...V) V {
	return rapid.Custom(func(t *rapid.T) V {
		const bits = 10
		n := 0
		for range bits {
			n *= 2
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return from[n*len(from)>>bits]
	}).Draw(t, label)
}

// drawTerms draws a program of one version or two, the second of which comes
// into force in the middle of a trace.
func drawTerms(t *rapid.T) *reward.Program {
	first := drawProgram(t)
	if pick(t, "versions", 1, 1, 2) == 1 {
		return first
	}
	second := *first
	if pick(t, "all terms change", false, true) {
		second = *drawProgram(t)
	}
	second.Redemption.AfterClosing = true
	first.Version, second.Version = 1, 2
	second.From = reward.Cycle(2026*12 + pick(t, "in force from", 1, 2, 3))
	second.Earlier = first
	return &second
}

// drawProgram draws a program whose periods and caps are small enough for a
// short trace to run into all of them.
func drawProgram(t *rapid.T) *reward.Program {
	p := &reward.Program{
		ID: "plain", Currency: "USD",
		Timing: reward.Timing{
			Grant:    pick(t, "grant", reward.GrantAtSettlement, reward.GrantAtStatement),
			Clawback: pick(t, "clawback", reward.ClawbackAtRefund, reward.ClawbackAtStatement),
		},
		Method:       pick(t, "method", reward.Proportional, reward.Rerate),
		MaturityDays: pick(t, "maturity days", 0, 0, 30),
		Refunds: reward.RefundTerms{
			PendingDays: pick(t, "pending days", 30, 3, 10),
			MatchDays:   pick(t, "match days", 10, 1, 3, 40),
			ParkDays:    pick(t, "park days", 30, 1, 10),
			WindowDays:  pick(t, "window days", 400, 10, 30, 60),
			FirmDays:    pick(t, "firm days", 180, 5, 20, 40),
			Movable:     pick(t, "movable", 32, 1, 2, 3),
		},
		Redemption: reward.RedemptionTerms{
			MinimumBalance: pick[int64](t, "minimum balance", 0, 0, 100),
			GraceDays:      pick(t, "grace days", 0, 7, 14),
			AfterClosing:   pick(t, "after closing", false, false, true),
		},
		ExpiryMonths: pick(t, "expires after months", 0, 0, 0, 1, 2, 4),
		Categories:   func(code reward.MCC) string { return traceCategories[code.String()] },
	}
	rate := func(label string, from ...string) reward.Rate {
		r, err := reward.ParseRate(pick(t, label, from...))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	limit := func(label string) int64 {
		return pick(t, label, reward.NoCap, 600, 150, 7, 0, 2000, 5000, reward.NoCap)
	}
	rules := []reward.Rule{
		{ID: "grocery", Match: reward.Match{Categories: []string{"GROCERY"}}, Rate: rate("grocery rate", "5%", "4.75%", "0.333%"), Cap: limit("grocery cap")},
		{ID: "fuel", Match: reward.Match{MCCs: mccRange("5540", "5549")}, Rate: rate("fuel rate", "3%", "100%"), Cap: limit("fuel cap")},
		{ID: "dining", Match: reward.Match{Categories: []string{"DINING", "OTHER"}}, Rate: rate("dining rate", "5%", "2%"), Cap: limit("dining cap")},
		{ID: "partner", Match: reward.Match{Merchants: map[string]bool{"m1": true}}, Rate: rate("partner rate", "10%", "0%"), Cap: limit("partner cap")},
		{ID: "base", Rate: rate("base rate", "1%", "1.5%"), Cap: limit("base cap")},
	}
	for _, r := range rules {
		if pick(t, r.ID+" applies", true, true, true, false) {
			p.Rules = append(p.Rules, r)
		}
	}
	return p
}

var traceCategories = map[string]string{"5411": "GROCERY", "5541": "GAS", "5812": "DINING"}

func mccRange(first, last string) []reward.MCCRange {
	f, _ := reward.ParseMCC(first)
	l, _ := reward.ParseMCC(last)
	return []reward.MCCRange{{First: f, Last: l}}
}
