package design

import (
	"slices"

	"recoup/internal/issuer"
	"recoup/reward"
)

// lineless is an issuer that earns by the lines of a receipt and does not look at them
// again: a refund is so much of the whole receipt, and every line comes back in
// proportion, whatever was returned. So it takes the receipt's average of what the item
// earned. Where the receipt comes after the refund it does as Recoup.
type lineless struct{ *Recoup }

func newLineless(p *reward.Program) issuer.Issuer { return lineless{newRecoup(p)} }

// Refund implements issuer.Issuer.
func (i lineless) Refund(f issuer.Refund) error {
	f.Items = i.inProportion(&f)
	return i.Recoup.Refund(f)
}

// inProportion is a refund over the lines of its receipt, by what each cost.
func (i lineless) inProportion(f *issuer.Refund) (items []reward.Item) {
	a := i.store.Account(f.Account)
	if a == nil || f.Amount <= 0 {
		return nil
	}
	receipt, _ := a.Detail(f.Transaction)
	if slices.ContainsFunc(receipt.Refunds(), func(r reward.Reversal) bool { return r.ID == f.Refund }) {
		return i.saidOf(f)
	}
	var before, said int64
	for _, x := range receipt.Items {
		before += x.Amount
		upTo, _ := share(f.Amount, before, receipt.Amount)
		if upTo > said {
			items = append(items, reward.Item{ID: x.Item, Amount: upTo - said})
		}
		said = upTo
	}
	return items
}

// saidOf is what was said of the items when the same refund came before, perhaps before its
// receipt.
func (i lineless) saidOf(f *issuer.Refund) []reward.Item {
	for n := range i.log {
		e := &i.log[n]
		if e.Type == reward.RefundPosted && e.Account == f.Account && e.Fact == f.Refund && e.Amount == f.Amount {
			return slices.Collect(e.Items.All())
		}
	}
	return nil
}

// Clone implements Cloner.
func (i lineless) Clone() issuer.Issuer { return lineless{i.Recoup.Clone().(*Recoup)} }

// tellsItems reports whether what a receipt earns may depend on which of its items comes
// back.
func tellsItems(p *reward.Program) bool {
	asks := func(m *reward.Match) bool {
		return m.Categories != nil || m.MCCs != nil || m.Purchase != nil && m.Purchase.Labels != nil
	}
	earns := func(m *reward.Match, e *reward.Earning) bool {
		return asks(m) || asks(&e.Except) || e.Minimum > 0 || e.Unit > 1 || e.AtMost > 0 || e.Places > 0
	}
	ofRules := func(rules []reward.Rule) bool {
		return slices.ContainsFunc(rules, func(r reward.Rule) bool { return earns(&r.Match, &r.Earning) })
	}
	return ofRules(p.Rules) ||
		slices.ContainsFunc(p.Layers, func(l reward.Layer) bool { return ofRules(l.Rules) }) ||
		slices.ContainsFunc(p.Bonuses, func(b reward.Bonus) bool {
			return earns(&b.Match, &b.Earning) || b.Purchases != nil || b.Every.Purchases > 0
		}) ||
		slices.ContainsFunc(p.Tiers, func(t reward.Tier) bool { return asks(&t.Match) || asks(&t.Except) || t.Minimum > 0 || t.Unit > 1 })
}
