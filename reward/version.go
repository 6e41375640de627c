package reward

import "fmt"

// Follows reports whether a version of a program can come into force with a billing
// cycle after the versions before it, the latest of which is given. What purchases
// count in together has one definition: a version may say something else of it only
// from a cycle that begins a period of its own. The error says what is wrong, and the
// first cycle that would do where there is one.
func (p *Program) Follows(latest *Program, from Cycle) error {
	switch {
	case p.zone().String() != latest.zone().String():
		return fmt.Errorf("zone: it is %v, found %v: days and cycles of a program do not move; make it another program", latest.zone(), p.zone())
	case max(p.StatementDay, 1) != max(latest.StatementDay, 1):
		return fmt.Errorf("cycle: it begins with day %d, found %d: cycles of a program do not move; make it another program", max(latest.StatementDay, 1), max(p.StatementDay, 1))
	case !p.Commensurable(latest):
		return fmt.Errorf("rates: with those of the versions before it they have no common denominator up to %d, a percentage having 10^8; make it another program", MaxScale)
	case p.ExpiryMonths > 0 && latest.ExpiryMonths == 0 && latest.expiresFrom() != endless:
		return fmt.Errorf("expires: rewards of the cycles before never expire, and none expires before an older one, so those of this version would never expire either; make it another program")
	case p.Reward != latest.Reward:
		return fmt.Errorf("reward: it is in %s, found %s: amounts on its accounts cannot change unit; make it another program", latest.RewardUnit(), p.RewardUnit())
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			r := &p.Layers[i].Rules[j]
			before, under := latest.rule(r.ID)
			if before == nil || !r.limited() && !before.limited() || r.sameEarning(before) && p.Method == under.Method {
				continue
			}
			if err := p.begin("rule "+r.ID, from, before.Per, r.Per); err != nil {
				return err
			}
		}
	}
	for i := range p.Bonuses {
		b := &p.Bonuses[i]
		if before := latest.bonus(b.ID); before != nil && !b.sameEarning(before) {
			if err := p.begin("bonus "+b.ID, from, before.Per, b.Per); err != nil {
				return err
			}
		}
	}
	for i := range p.Tiers {
		x := &p.Tiers[i]
		before := latest.tierOfAny(x.ID)
		switch {
		case before == nil:
		case before.Next != x.Next:
			return fmt.Errorf("tier %s: it cannot begin or cease to be kept for the next period: give it a new id, under which it starts anew", x.ID)
		case !x.sameEarning(before):
			if err := p.begin("tier "+x.ID, from, before.Per, x.Per); err != nil {
				return err
			}
		}
	}
	return p.followsShared(latest, from)
}

// tierOfAny is the latest that versions up to this one say of a tier.
func (p *Program) tierOfAny(id string) *Tier {
	for ; p != nil; p = p.Earlier {
		if x, _ := p.tier(id); x != nil {
			return x
		}
	}
	return nil
}

// followsShared is the same of limits that rules share, whichever those are.
func (p *Program) followsShared(latest *Program, from Cycle) error {
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			r := &p.Layers[i].Rules[j]
			if r.Shared == "" {
				continue
			}
			for v := latest; v != nil; v = v.Earlier {
				before, _ := v.firstRule(func(x *Rule) bool { return x.Shared == r.Shared })
				if before == nil {
					continue
				}
				if before.Cap != r.Cap || before.Per != r.Per || v.Method != p.Method {
					if err := p.begin("the shared cap "+r.Shared, from, before.Per, r.Per); err != nil {
						return err
					}
				}
				break
			}
		}
	}
	return nil
}

// begin refuses a change in the middle of periods.
func (p *Program) begin(what string, from Cycle, before, after Period) error {
	const most = 12 * 28 // cycles until every kind of period begins with one
	for c := from; c < from+most; c++ {
		if !p.opens(before, c) || !p.opens(after, c) {
			continue
		}
		if c == from {
			return nil
		}
		return fmt.Errorf("%s: what it earns cannot change in the middle of a %s: the first cycle that would do begins %v; under a new id it starts anew at once", what, longer(before, after), p.CycleStart(c))
	}
	return fmt.Errorf("%s: what it earns cannot change in the middle of a %s: give it a new id, under which it starts anew", what, longer(before, after))
}

func longer(x, y Period) Period { return max(x, y) }

// opens reports whether a cycle begins together with a period.
func (p *Program) opens(per Period, c Cycle) bool {
	if per == PerLifetime {
		return false
	}
	at := p.CycleStart(c)
	return p.begins(per, p.number(per, at)) == at
}

// rule is the latest that versions up to this one say of a rule of a program that is
// not plain, and where.
func (p *Program) rule(id string) (*Rule, *Program) {
	for ; p != nil; p = p.Earlier {
		if r, _ := p.firstRule(func(r *Rule) bool { return r.ID == id }); r != nil {
			return r, p
		}
	}
	return nil, nil
}

func (p *Program) bonus(id string) *Bonus {
	for ; p != nil; p = p.Earlier {
		for i := range p.Bonuses {
			if p.Bonuses[i].ID == id {
				return &p.Bonuses[i]
			}
		}
	}
	return nil
}
