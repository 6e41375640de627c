package reward

import (
	"math/big"
	"slices"
	"strings"
)

// layers are what a posted purchase earns in each layer.
func (t *transaction) layers(p *Program) []LayerState {
	list := make([]LayerState, len(p.Layers))
	for i := range p.Layers {
		list[i].Layer = p.Layers[i].ID
	}
	for _, k := range t.more.stakes {
		s := &list[k.layer]
		s.Original, s.Retained = k.original, k.kept()
		if k.pick() != none {
			s.Rule = k.rule.ID
		}
	}
	return list
}

// bonuses are those of which something counts or is posted; nil where no version of
// the program has any.
func (a *Account) bonuses() []BonusState {
	has := false
	for p := a.newest; p != nil; p = p.Earlier {
		has = has || len(p.Bonuses) > 0
	}
	if !has {
		return nil
	}
	var order []*basket
	for _, b := range a.baskets {
		if b.bonus != nil && (b.present.count > 0 || b.used != 0) {
			order = append(order, b)
		}
	}
	slices.SortFunc(order, inFile)
	list := []BonusState{}
	for _, b := range order {
		list = append(list, b.state())
	}
	return list
}

// promisedByTerms is E of all purchases under terms that are not plain.
func (a *Account) promisedByTerms() *big.Rat {
	var sum uint128
	scale := a.newest.scale()
	as := a.promisedAs()
	for t := range a.transactions.all() {
		if !t.layered() {
			continue
		}
		for _, k := range t.more.stakes {
			if k.earns && k.basket == nil {
				sum = sum.add(as(k, scale).psi)
			}
		}
	}
	for _, b := range a.baskets {
		sum = sum.add(b.element.promised(b.exactly(scale, as)))
	}
	return new(big.Rat).SetFrac(sum.big(), big.NewInt(scale))
}

// exactly adds a basket up without rounding.
func (b *basket) exactly(scale int64, as func(*stake, int64) exact) *exactly {
	all := &exactly{scale: scale}
	list := make([]member, 0, len(b.stakes))
	for _, k := range b.stakes {
		x := as(k, scale)
		list = append(list, member{exact: x})
		all.tally = all.tally.plus(entry{q: x.q})
		all.psi = all.psi.add(x.psi)
	}
	all.entries = &list
	return all
}

// layers checks a purchase under terms that are not plain.
func (c *check) layers(t *transaction) {
	var original, retained, risk, held int64
	for _, k := range t.more.stakes {
		kept := k.kept()
		c.expect(k.earns || k.original == 0 && kept == 0, TransactionBound, "%s earns nothing, yet retained %d", t.id, kept)
		c.expect(kept >= 0, TransactionBound, "%s: retained %d is negative", t.id, kept)
		if !c.deferred() && len(k.rule.Steps) == 0 && k.earns {
			most := k.entry(t.net()).floor
			c.expect(kept <= most, TransactionBound, "%s: retained %d under rule %s, above the %d that the %d kept earns", t.id, kept, k.rule.ID, most, t.net())
		}
		if k.earns && (k.basket == nil || c.under(t).Method == Proportional) {
			r, h := c.stakeHold(k)
			risk += r
			held += h
		}
		original += k.original
		retained += kept
	}
	c.expect(t.is(granted) || retained == 0, TransactionBound, "%s is not granted, yet retained %d", t.id, retained)
	c.expect(t.original == original, Conservation, "%s: original %d; in its layers %d", t.id, t.original, original)
	c.risk += risk
	c.held += held
}

// grantedNow is what is left of granted purchases.
func grantedNow(k *stake) entry {
	if !k.of.is(granted) {
		return entry{}
	}
	return k.entry(k.of.net())
}

// basket checks that a basket retains what E says of it, and what it holds.
func (c *check) basket(b *basket) {
	name := b.name + ", " + b.periodName()
	risk, held, _ := c.basketHold(b)
	c.risk += risk
	c.held += held
	var used int64
	var present tally
	for _, k := range b.stakes {
		used += k.kept()
		if k.of.is(granted) {
			present = present.plus(k.entry(k.of.net()))
		}
	}
	c.expect(b.present == present, Conservation, "%s: kept %+v, recomputed %+v", name, b.present, present)
	if b.tier != nil {
		c.ranks(b)
		return
	}
	if b.bonus != nil {
		c.expect(c.deferred() || b.used == b.worth(present), Fairness, "%s: %d is paid, %d was promised", name, b.used, b.worth(present))
		return
	}
	c.expect(b.used == used, Conservation, "%s: kept %d, recomputed %d", name, b.used, used)
	c.expect(b.rule.Cap == NoCap || used <= b.rule.Cap, CapBound, "%s: %d is retained, the cap is %d", name, used, b.rule.Cap)
	if b.program.Method == Rerate && !c.deferred() {
		promised := b.value(grantedNow)
		c.expect(used == promised, Fairness, "%s: %d is retained, %d was promised", name, used, promised)
	}
}

// ruleNames are the ids of the rules that a purchase is under, by layer, with commas
// between them.
func (t *transaction) ruleNames() string {
	var names []string
	for _, k := range t.more.stakes {
		if k.pick() != none {
			names = append(names, k.rule.ID)
		}
	}
	return strings.Join(names, ", ")
}

// everLimits reports whether a version so far has a limit under which a reversal may
// let a dearer purchase earn, or one under which rounding depends on what else there is.
func (p *Program) everLimits() (places, steps bool) {
	for ; p != nil; p = p.Earlier {
		for i := range p.Layers {
			for j := range p.Layers[i].Rules {
				r := &p.Layers[i].Rules[j]
				places = places || r.Places > 0
				steps = steps || len(r.Steps) > 0
			}
		}
	}
	return places, steps
}
