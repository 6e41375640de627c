package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/reward"
)

// Write renders a program as a file that Parse reads as the same program again,
// but for its version and its categories: a function from codes to categories
// cannot be written down, so the file has the built-in ones.
func Write(p *reward.Program) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	grant, clawback, method := "settlement", "refund", "proportional"
	if p.Timing.Grant == reward.GrantAtStatement {
		grant = "statement"
	}
	if p.Timing.Clawback == reward.ClawbackAtStatement {
		clawback = "statement"
	}
	if p.Method == reward.Rerate {
		method = "rerate"
	}
	line("id: %s", quoted(p.ID))
	line("currency: %s", p.Currency)
	line("timing: {grant: %s, clawback: %s}", grant, clawback)
	line("clawback_method: %s", method)
	line("maturity_days: %d", p.MaturityDays)
	r := p.Refunds
	line("refunds: {pending_days: %d, match_days: %d, park_days: %d, window_days: %d, firm_days: %d, movable: %d}", r.PendingDays, r.MatchDays, r.ParkDays, r.WindowDays, r.FirmDays, r.Movable)
	line("redemption: {minimum_balance: %d, grace_days: %d, after_closing: %t}", p.Redemption.MinimumBalance, p.Redemption.GraceDays, p.Redemption.AfterClosing)
	if len(p.Rules) == 0 {
		line("rules: []")
		return []byte(b.String())
	}
	line("rules:")
	for i := range p.Rules {
		line("  - {%s}", strings.Join(ruleMembers(&p.Rules[i]), ", "))
	}
	return []byte(b.String())
}

func ruleMembers(r *reward.Rule) []string {
	members := []string{"id: " + quoted(r.ID)}
	var match []string
	add := func(key string, values []string) {
		match = append(match, key+": ["+strings.Join(values, ", ")+"]")
	}
	if r.Match.Categories != nil {
		add("category", each(r.Match.Categories, quoted))
	}
	if r.Match.MCCs != nil {
		add("mcc", each(r.Match.MCCs, func(m reward.MCCRange) string {
			if m.First == m.Last {
				return quoted(m.First.String())
			}
			return quoted(m.First.String() + "-" + m.Last.String())
		}))
	}
	if r.Match.Merchants != nil {
		var merchants []string
		for m := range r.Match.Merchants {
			merchants = append(merchants, m)
		}
		slices.Sort(merchants)
		add("merchant", each(merchants, quoted))
	}
	if match != nil {
		members = append(members, "match: {"+strings.Join(match, ", ")+"}")
	}
	members = append(members, "rate: "+r.Rate.String())
	if r.Cap != reward.NoCap {
		members = append(members, fmt.Sprintf("cap: {reward: %d, per: cycle}", r.Cap))
	}
	return members
}

func each[T any](list []T, f func(T) string) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = f(v)
	}
	return texts
}

// quoted writes a text bare if it is a plain word, else in quotes.
func quoted(s string) string {
	bare := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) && s[0] != '-' && !reserved[strings.ToLower(s)]
	if bare {
		return s
	}
	return strconv.QuoteToGraphic(s)
}

// reserved are words that YAML does not take for text.
var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}
