package reward

import "slices"

// TierState is how a tier of a period stands.
type TierState struct {
	Tier, Period string
	Spend        int64  // S of the whole period
	Level        string // "" below the first
}

// tiers are those of which something counts; nil where no version of the program has any.
func (a *Account) tiers() []TierState {
	if !a.newest.everTiered() {
		return nil
	}
	var order []*basket
	for _, b := range a.baskets {
		if b.tier != nil && b.present.spend > 0 {
			order = append(order, b)
		}
	}
	slices.SortFunc(order, inFile)
	list := []TierState{}
	for _, b := range order {
		s := TierState{Tier: b.name, Period: b.periodName(), Spend: b.present.spend}
		for _, l := range b.tier.Spend {
			if s.Spend >= l.From {
				s.Level = l.Tier
			}
		}
		list = append(list, s)
	}
	return list
}

// everTiered reports whether a version so far has tiers.
func (p *Program) everTiered() bool {
	for ; p != nil; p = p.Earlier {
		if len(p.Tiers) > 0 {
			return true
		}
	}
	return false
}

// tier is one of the program, and its place in the file; nil if there is none.
func (p *Program) tier(id string) (*Tier, int32) {
	for i := range p.Tiers {
		if p.Tiers[i].ID == id {
			return &p.Tiers[i], int32(i)
		}
	}
	return nil, 0
}

// promisedAs is what stakes count for in E, in which purchases that are not granted yet
// have their part in tiers, too.
func (a *Account) promisedAs() func(k *stake, scale int64) exact {
	known := make(map[*basket]reach)
	stands := func(b *basket) reach {
		s, there := known[b]
		if !there {
			s = b.reachBy(func(k *stake) int64 { return k.entry(k.of.net()).q })
			known[b] = s
		}
		return s
	}
	return func(k *stake, scale int64) exact {
		pick := int8(0)
		if k.byTier() {
			pick = k.pickBy(stands)
		}
		return k.exactAs(pick, k.of.net(), scale)
	}
}

// ranks checks that a tier stands as its purchases say, and that what goes by it earns
// by that.
func (c *check) ranks(b *basket) {
	name := b.name + ", " + b.periodName()
	posted := b.reachBy(func(k *stake) int64 { return grantedNow(k).q })
	c.expect(slices.Equal(b.now(), posted), Conservation, "%s: kept %v, recomputed %v", name, b.now(), posted)
	ahead := b.reachBy(func(k *stake) int64 { return c.entryIfPosted(k).q })
	mature := b.reachBy(func(k *stake) int64 { return c.entryIfMature(k).q })
	c.expect(slices.Equal(b.ranks.ahead, ahead) && slices.Equal(b.ranks.mature, mature), RefundConsistency,
		"%s: holds go by %v and %v, recomputed %v and %v", name, b.ranks.ahead, b.ranks.mature, ahead, mature)
	for _, t := range b.ranks.lookers {
		for k := range t.all() {
			c.expect(!k.byTier() || k.choice.now == k.pickBy((*basket).now), Fairness, "%s: it is under another rule than its tier says, %s", name, t.id)
			c.expect(!k.byTier() || c.deferred() || !t.is(granted) || k.choice.now == k.choice.posted, Fairness, "%s: %s is levelled by another tier", name, t.id)
		}
	}
}
