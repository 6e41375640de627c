package reward

import "slices"

// Tier is a status that the spend of a period earns. What a purchase made at a tier
// earns follows from net purchases like everything else: rules and bonuses match it by
// PurchaseMatch.Tiers, and E chooses anew.
type Tier struct {
	ID    string
	Match Match
	// Earning says what of a purchase counts (Except, Minimum, Unit) and in which
	// period (Per).
	Earning
	// Spend has the levels, From ascending.
	Spend []Level
	// Next has what a period reaches kept for the next one, instead of the rest of it.
	Next bool
}

// Level is the tier that a spend of From minor units reaches.
type Level struct {
	From int64
	Tier string
}

// sameEarning reports whether two versions of a tier count alike.
func (t *Tier) sameEarning(o *Tier) bool {
	return slices.Equal(t.Spend, o.Spend) && t.Earning.same(&o.Earning)
}

// choice is what a stake is by the tier of its purchase: under which of the rules of a
// layer for which all else held, or whether it counts for a bonus.
type choice struct {
	rules       []*Rule // in their order; nil: of a bonus
	now, posted int8    // which of them, at the present allocation and as it was levelled
}

// none of a choice's rules applies. A bonus that counts is its choice 0.
const none int8 = -1

// byTier reports whether a stake goes by the tier of its purchase.
func (k *stake) byTier() bool { return k.choice != nil }

// pick is which of its rules applies to the stake at the present allocation.
func (k *stake) pick() int8 {
	if k.choice == nil {
		return 0
	}
	return k.choice.now
}

// entryAs is what the purchase counts for by another choice.
func (k *stake) entryAs(pick int8, left int64) entry {
	if pick == none {
		return entry{}
	}
	return k.entryUnder(k.ruleAs(pick), left)
}

// exactAs is the same, not rounded.
func (k *stake) exactAs(pick int8, left, scale int64) exact {
	if pick == none {
		return exact{}
	}
	return k.exactUnder(k.ruleAs(pick), left, scale)
}

func (k *stake) ruleAs(pick int8) *Rule {
	if k.choice != nil && k.choice.rules != nil {
		return k.choice.rules[pick]
	}
	return k.rule
}

// levelled is what the stake counted for when it was last levelled.
func (k *stake) levelled() entry {
	pick := int8(0)
	if k.choice != nil {
		pick = k.choice.posted
	}
	return k.entryAs(pick, k.of.amount-k.of.levelled)
}

// settleFor has a choice apply at the present allocation.
func (k *stake) settleFor(pick int8) {
	k.choice.now = pick
	if pick != none {
		k.rule = k.ruleAs(pick)
	}
}

// askedTiers are the levels that a match asks for, by tier.
func (m *Match) askedTiers() map[string][]string {
	if m.Purchase == nil {
		return nil
	}
	return m.Purchase.Tiers
}

// reach says of each level of a tier in a period after which purchase, by its rank,
// it is reached: what posted later is above it.
type reach []int64

// beyond is after all purchases: the level is not reached.
const beyond int64 = 1<<63 - 1

// pickBy is which of its rules applies to a stake if tiers stand as given.
func (k *stake) pickBy(stands func(*basket) reach) int8 {
	rules := k.choice.rules
	if rules == nil {
		if k.of.atTier(&k.basket.bonus.Match, stands) {
			return 0
		}
		return none
	}
	for i, r := range rules {
		if k.of.atTier(&r.Match, stands) {
			return int8(i)
		}
	}
	return none
}

// atTier reports whether a purchase is at the tiers that a match asks for.
func (t *transaction) atTier(m *Match, stands func(*basket) reach) bool {
	for id, levels := range m.askedTiers() {
		at := slices.IndexFunc(t.more.regards, func(b *basket) bool { return b.name == id })
		if at < 0 {
			return false
		}
		b := t.more.regards[at]
		n := stands(b).levels(t)
		if n == 0 || !slices.Contains(levels, b.tier.Spend[n-1].Tier) {
			return false
		}
	}
	return true
}

// levels is how many levels a purchase is above.
func (s reach) levels(t *transaction) (n int) {
	for _, since := range s {
		if since < t.rank() {
			n++
		}
	}
	return n
}
