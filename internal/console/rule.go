package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/reward"
)

// ruleRow is a rule in words.
type ruleRow struct {
	ID, Matches string
	Rate        reward.Rate
	Cap         int64 // of a cycle, in minor units
	Capped      bool
}

func rulesOf(p *reward.Program) []ruleRow {
	rows := make([]ruleRow, len(p.Rules))
	for i, r := range p.Rules {
		rows[i] = ruleRow{ID: r.ID, Matches: matchWords(&r.Match, i > 0), Rate: r.Rate, Cap: r.Cap, Capped: r.Cap != reward.NoCap}
	}
	return rows
}

// matchWords says which purchases a rule is for.
func matchWords(m *reward.Match, follows bool) string {
	var parts []string
	if len(m.Categories) > 0 {
		parts = append(parts, "category "+oneOf(m.Categories))
	}
	if len(m.MCCs) > 0 {
		codes := make([]string, len(m.MCCs))
		for i, r := range m.MCCs {
			codes[i] = r.First.String()
			if r.Last != r.First {
				codes[i] += "–" + r.Last.String()
			}
		}
		parts = append(parts, "merchant category code "+oneOf(codes))
	}
	if len(m.Merchants) > 0 {
		parts = append(parts, "merchant "+oneOf(slices.Sorted(maps.Keys(m.Merchants))))
	}
	switch {
	case len(parts) > 0:
		return "Purchases of " + strings.Join(parts, " and ")
	case follows:
		return "All other purchases"
	}
	return "All purchases"
}

// mostNamed is how many values of a rule are named before the others are counted.
const mostNamed = 12

func oneOf(values []string) string {
	if rest := len(values) - mostNamed; rest > 0 {
		return strings.Join(values[:mostNamed], ", ") + fmt.Sprintf(" or one of %d others", rest)
	}
	if last := len(values) - 1; last > 0 {
		return strings.Join(values[:last], ", ") + " or " + values[last]
	}
	return values[0]
}
