package reward

import (
	"fmt"
	"slices"
	"strconv"
)

// Fault is what a program says by which somebody would earn less for buying more.
type Fault struct {
	ID      string // of the rule, bonus or tier
	Member  string // of it, such as "steps[1]"; "" for all of it
	Message string // what was found and what was expected
}

// Error implements error.
func (f *Fault) Error() string {
	at := f.ID
	if f.Member != "" {
		at += "." + f.Member
	}
	return at + ": " + f.Message
}

// Monotone returns a *Fault if somebody may earn less for buying more under the program, or
// more for returning: by steps that do not ascend, or by the levels of a tier. What is
// clawed back is what E falls by, so such terms cannot be kept. The reader of program files
// asks it of each; who makes a Program in Go asks it once, before an account has it.
func (p *Program) Monotone() error {
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			if err := p.Layers[i].Rules[j].ascends(); err != nil {
				return err
			}
		}
	}
	for i := range p.Bonuses {
		if err := p.Bonuses[i].ascends(); err != nil {
			return err
		}
	}
	for i := range p.Tiers {
		if err := p.Tiers[i].ascends(); err != nil {
			return err
		}
	}
	for i := range p.Layers {
		for j := range p.Tiers {
			if err := newClimb(&p.Tiers[j], p.Layers[i].Rules).judge(); err != nil {
				return err
			}
		}
	}
	for i := range p.Bonuses {
		for j := range p.Tiers {
			if err := p.Bonuses[i].keeps(&p.Tiers[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fault has what is wrong with a member.
func fault(id, member, format string, args ...any) error {
	return &Fault{id, member, fmt.Sprintf(format, args...)}
}

// atTierOnly refuses a tier that is asked where it would have a reward end.
func atTierOnly(id, member string, m *Match, why string) error {
	if m.askedTiers() == nil {
		return nil
	}
	return fault(id, member+".tier", "%s", why)
}

const endsAtTier = "a reward that ends at a tier would come back as purchases are returned: expected in match alone; a rule for the tier goes before this one"

func (r *Rule) ascends() error {
	for i, s := range r.Steps {
		switch at := fmt.Sprintf("steps[%d]", i); {
		case i == 0 && s.From != 0:
			return fault(r.ID, at, "the first step begins with the first spend: leave out its from")
		case i > 0 && s.From <= r.Steps[i-1].From:
			return fault(r.ID, at, "expected from above %d, that of the step before it: steps ascend", r.Steps[i-1].From)
		case i > 0 && r.Whole && !s.Above(r.Steps[i-1]):
			return fault(r.ID, at, "expected a rate above that of the step before it: with whole: true more spend must not earn less")
		}
	}
	return atTierOnly(r.ID, "except", &r.Except, endsAtTier)
}

func (b *Bonus) ascends() error {
	for member, goals := range map[string][]Goal{"spend": b.Spend, "purchases": b.Purchases} { // one of them is nil
		for i, g := range goals {
			switch at := fmt.Sprintf("%s[%d]", member, i); {
			case i > 0 && g.From <= goals[i-1].From:
				return fault(b.ID, at, "expected from above %d, that of the step before it: steps ascend", goals[i-1].From)
			case i > 0 && g.Reward <= goals[i-1].Reward:
				return fault(b.ID, at, "expected a reward above %d, that of the step before it: a step's reward is the whole, not an addition", goals[i-1].Reward)
			}
		}
	}
	return atTierOnly(b.ID, "except", &b.Except, endsAtTier)
}

// keeps refuses a bonus that is for a level of a tier and not for the one above it.
func (b *Bonus) keeps(x *Tier) error {
	for l := 1; l < len(x.Spend); l++ {
		if b.Match.Allows(x, l) && !b.Match.Allows(x, l+1) {
			return fault(b.ID, "", "it is for %s of the tier %s and not for %s above it: expected that, too, so that nobody earns less for buying more",
				strconv.Quote(x.Spend[l-1].Tier), strconv.Quote(x.ID), strconv.Quote(x.Spend[l].Tier))
		}
	}
	return nil
}

func (t *Tier) ascends() error {
	for i, l := range t.Spend {
		switch at := fmt.Sprintf("spend[%d]", i); {
		case i > 0 && l.From <= t.Spend[i-1].From:
			return fault(t.ID, at, "expected from above %d, that of the level before it: levels ascend", t.Spend[i-1].From)
		case slices.ContainsFunc(t.Spend[:i], func(o Level) bool { return o.Tier == l.Tier }):
			return fault(t.ID, at, "the level %s comes twice", strconv.Quote(l.Tier))
		}
	}
	const why = "a tier follows from spend, not from tiers: expected in match of a rule or a bonus"
	if err := atTierOnly(t.ID, "match", &t.Match, why); err != nil {
		return err
	}
	return atTierOnly(t.ID, "except", &t.Except, why)
}
