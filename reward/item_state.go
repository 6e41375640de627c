package reward

// ItemState is one item of a purchase. Amounts are minor units.
type ItemState struct {
	Item               string
	Amount             int64
	Reversed           int64
	Original, Retained int64
	// Rewards are those of each layer, where there are several; otherwise nil.
	Rewards []LayerState
}

// itemStates are the items of a posted transaction in their order.
func (a *Account) itemStates(t *transaction) (list []ItemState) {
	for _, x := range t.items() {
		_, id := x.name()
		list = append(list, ItemState{
			Item: id, Amount: x.amount, Reversed: x.reversed(), Original: x.original, Retained: x.kept(), Rewards: a.layersOf(x),
		})
	}
	return list
}

// layersOf are a purchase's rewards by layer, nil unless there are several.
func (a *Account) layersOf(t *transaction) []LayerState {
	if p := a.under(t); t.layered() && len(p.Layers) > 1 {
		return t.layers(p)
	}
	return nil
}

// items checks what its facts come to on the items of a transaction.
func (c *check) items(t *transaction) {
	p := t.more.parcel
	homes := make([]int64, len(p.items))
	var spread, laid int64
	if t.links != nil {
		homes, spread = c.homes(t, t.home, t.links.named)
	}
	c.expect(spread == p.spread, Conservation, "%s: %d of it is not said of items, recomputed %d", t.id, p.spread, spread)
	var amounts int64
	for i, x := range p.items {
		amounts += x.amount
		c.expect(x.home == homes[i], Conservation, "%s: %d is at home on it, recomputed %d", x.id, x.home, homes[i])
	}
	for _, x := range p.places {
		laid += x.amount
	}
	c.expect(amounts == t.amount, Conservation, "%s: its items are %d, it is %d", t.id, amounts, t.amount)
	c.expect(laid == spread, Conservation, "%s: %d is to lie on items, %d does", t.id, spread, laid)
}
