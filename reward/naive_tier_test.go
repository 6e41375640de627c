package reward_test

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// naiveView is what purchases are looked at by: how much is left of each, and which of
// them there are.
type naiveView struct {
	left   func(*naiveTransaction) int64
	counts func(*naiveTransaction) bool
}

// naiveTierLine is what a replay prints of a tier.
type naiveTierLine struct {
	Tier   string  `json:"tier"`
	Period string  `json:"period"`
	Spend  int64   `json:"spend"`
	Level  *string `json:"level"`
}

func (b *naiveBook) anyTier() bool {
	for p := b.latest; p != nil; p = p.Earlier {
		if len(p.Tiers) > 0 {
			return true
		}
	}
	return false
}

// naiveRulesUpTo counts the rules of the layers up to one.
func naiveRulesUpTo(p *reward.Program, layer int) (n int) {
	for _, l := range naiveLayers(p)[:layer+1] {
		n += len(l.Rules)
	}
	return n
}

// entry is a share with so much left of its purchase. One whose tier does not hold
// counts for nothing.
func (b *naiveBook) entry(s *naiveShare, left int64, v naiveView) naiveEntry {
	x := naiveEntry{s, s.rule, s.counts(left)}
	if rule := b.applies(s, v); rule != nil {
		x.rule = rule
	}
	if !b.takesPart(s, v) {
		x.q = 0
	}
	return x
}

// applies is the rule of a share, nil for none.
func (b *naiveBook) applies(s *naiveShare, v naiveView) *reward.Rule {
	if s.byTier == nil {
		return s.rule
	}
	for _, r := range s.byTier {
		if b.atTier(s.of, &r.Match, v) {
			return r
		}
	}
	return nil
}

// takesPart says whether a share counts: by its tier, if it goes by one.
func (b *naiveBook) takesPart(s *naiveShare, v naiveView) bool {
	switch {
	case s.bonus != nil:
		return b.atTier(s.of, &s.bonus.Match, v)
	case s.byTier != nil:
		return b.applies(s, v) != nil
	}
	return true
}

// atTier says whether a purchase is at a tier that a match asks for.
func (b *naiveBook) atTier(t *naiveTransaction, m *reward.Match, v naiveView) bool {
	if m.Purchase == nil {
		return true
	}
	for id, levels := range m.Purchase.Tiers {
		if !slices.Contains(levels, b.tierOf(t, id, v)) {
			return false
		}
	}
	return true
}

// tierOf is the tier of a purchase, "" below the first level.
func (b *naiveBook) tierOf(t *naiveTransaction, id string, v naiveView) string {
	var own *reward.Tier
	for i := range t.terms.Tiers {
		if x := &t.terms.Tiers[i]; x.ID == id {
			own = x
		}
	}
	span := naivePeriod(t.terms, own.Per, t.settlement.Time)
	if own.Next {
		span = naivePeriod(t.terms, own.Per, span.begins-1)
	}
	var list []naiveEntry
	for _, u := range b.posted {
		if u == t && !own.Next {
			break
		}
		for _, s := range u.tiers {
			if s.pot() == (naivePot{tier: true, name: id, span: span}) {
				x := naiveEntry{share: s}
				if v.counts(u) {
					x.q = s.counts(v.left(u))
				}
				list = append(list, x)
			}
		}
	}
	spend, _ := naiveSpend(list)
	return naiveLevel(list, spend)
}

// naiveFirstTier is the tier as the version has it of the purchase that posted first.
func naiveFirstTier(list []naiveEntry) *reward.Tier { return list[0].share.tier }

func naiveLevel(list []naiveEntry, spend int64) (level string) {
	if len(list) == 0 {
		return ""
	}
	for _, l := range naiveFirstTier(list).Spend {
		if spend >= l.From {
			level = l.Tier
		}
	}
	return level
}

// tierLines are what a replay prints of tiers; nil where the program has none.
func (b *naiveBook) tierLines(a *naiveAllocation) []naiveTierLine {
	if !b.anyTier() {
		return nil
	}
	lines := []naiveTierLine{}
	var pots []naivePot
	file := map[naivePot]int{}
	for _, p := range b.pots() {
		if p.tier {
			pots = append(pots, p)
			file[p] = b.entries(p, a.left, everyPurchase)[0].share.file
		}
	}
	slices.SortFunc(pots, func(x, y naivePot) int {
		return cmp.Or(cmp.Compare(file[x], file[y]), cmp.Compare(x.span.begins, y.span.begins))
	})
	for _, p := range pots {
		spend, _ := naiveSpend(b.entries(p, a.left, granted))
		if spend == 0 {
			continue
		}
		line := naiveTierLine{Tier: p.name, Period: p.span.name, Spend: spend}
		if level := naiveLevel(b.entries(p, a.left, everyPurchase), spend); level != "" {
			line.Level = &level
		}
		lines = append(lines, line)
	}
	return lines
}
