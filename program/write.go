package program

import (
	"fmt"
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
	if p.ExpiryMonths > 0 {
		line("expires: {months: %d}", p.ExpiryMonths)
	}
	r := p.Refunds
	line("refunds: {pending_days: %d, match_days: %d, park_days: %d, window_days: %d, firm_days: %d, movable: %d}", r.PendingDays, r.MatchDays, r.ParkDays, r.WindowDays, r.FirmDays, r.Movable)
	line("redemption: {minimum_balance: %d, grace_days: %d, after_closing: %t}", p.Redemption.MinimumBalance, p.Redemption.GraceDays, p.Redemption.AfterClosing)
	if p.Layers != nil {
		writeTerms(line, p)
		return []byte(b.String())
	}
	writeRules(line, "", "rules", p.Rules)
	return []byte(b.String())
}

func writeRules(line func(string, ...any), indent, member string, rules []reward.Rule) {
	if len(rules) == 0 {
		line("%s%s: []", indent, member)
		return
	}
	line("%s%s:", indent, member)
	for i := range rules {
		line("%s  - {%s}", indent, strings.Join(ruleMembers(&rules[i]), ", "))
	}
}

func ruleMembers(r *reward.Rule) []string {
	members := append([]string{"id: " + quoted(r.ID)}, matchMembers(&r.Match, &r.Except)...)
	if len(r.Steps) == 0 {
		members = append(members, "rate: "+rateOf(r.Rate, r.Exact))
	}
	members = append(members, countMembers(&r.Earning)...)
	shared := ""
	if r.Shared != "" {
		shared = ", shared: " + quoted(r.Shared)
	}
	switch {
	case r.Cap != reward.NoCap:
		members = append(members, fmt.Sprintf("cap: {reward: %d, per: %s%s}", r.Cap, r.Per, shared))
	case r.Places > 0:
		members = append(members, fmt.Sprintf("cap: {purchases: %d, per: %s}", r.Places, r.Per))
	case len(r.Steps) > 0:
		members = append(members, "steps: ["+strings.Join(each(r.Steps, stepText), ", ")+"]", "per: "+r.Per.String())
		if r.Whole {
			members = append(members, "whole: true")
		}
	}
	return members
}

func each[T, U any](list []T, f func(T) U) []U {
	texts := make([]U, len(list))
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
