package play

import (
	"slices"

	"recoup/reward"
)

// Suggestion is a sensible next click.
type Suggestion struct {
	Label string // such as "Return the groceries in full", "Redeem $5.00"
	Move  Move
	// Run is the run with the move, all of it shown. What followed the rows of the
	// table is not in it.
	Run Run
}

const (
	usualPrice = 100_00 // minor units, of a suggested purchase
	stampPrice = 10_00  // of one at a shop that a program is about
	usualShop  = "m1"
	suggested  = 2 // purchases whose return is suggested, the latest ones
)

// Next returns the clicks that make sense after the table's last row: buying,
// redeeming what there is, returning what was bought, letting time pass. Where a
// run is as long as it may be there are none.
func (t *Table) Next() []Suggestion {
	var list []Suggestion
	add := func(label string, m Move) {
		if next := t.Run.With(m); next.Check() == nil {
			list = append(list, Suggestion{label, m, next})
		}
	}
	for _, ware := range t.Run.Program.wares() {
		what, where := Goods(ware.Category), ""
		if what == "" {
			what = "something"
		}
		if ware.Merchant != usualShop {
			where = " at " + Shop(ware.Merchant)
		}
		add("Buy "+what+" for "+money(ware.Amount)+where+Marks(ware), ware)
	}
	if receipt, ok := t.Run.Program.receipt(); ok {
		add("Buy all of these on one receipt, for "+money(receipt.Amount), receipt)
	}
	for _, offer := range t.Run.Program.offers() {
		for name, value := range offer.Labels.All() {
			add("Set "+name+" to "+value, offer)
		}
	}
	last := &t.Rows[len(t.Rows)-1]
	offers := []int64{min(last.Left.Redeemable, MaxAmount), min(last.Right.Redeemable, MaxAmount)}
	slices.Sort(offers)
	for _, offer := range slices.Backward(slices.Compact(offers)) {
		if offer > 0 {
			add("Redeem "+t.Run.Program.Reward(offer), Move{Kind: Redeem, Amount: offer})
		}
	}
	t.returns(add)
	add("Go to the next day", Move{Kind: Wait, Days: 1})
	add("Go to the end of "+last.At.Month().String(), Move{Kind: Close})
	return list
}

// returns suggests what can be done with the latest purchases, of which
// something is left.
func (t *Table) returns(add func(string, Move)) {
	count := 0
	for _, m := range t.Run.shown() {
		if m.Kind == Buy {
			count++
		}
	}
	shown := 0
	for n := count; n > 0 && shown < suggested; n-- {
		bought, left := t.Run.purchase(n)
		if left == 0 {
			continue
		}
		id := t.Run.name(n)
		if bought.Items != "" {
			t.returnLines(add, n, bought)
			shown++
			continue
		}
		if shown++; left == bought.Amount {
			add("Return "+id+" in full", Move{Kind: Refund, Amount: left, Of: n})
			if half := left / 2; half > 0 {
				add("Return half of "+id, Move{Kind: Refund, Amount: half, Of: n})
			}
		} else {
			add("Return the rest of "+id, Move{Kind: Refund, Amount: left, Of: n})
		}
		if shown == 1 {
			add("Return "+id+" with a refund that names no purchase", Move{
				Kind: Refund, Amount: left, Of: n, Unlinked: true, Merchant: bought.Merchant, Category: bought.Category,
			})
			add("Win a dispute over "+id, Move{Kind: Chargeback, Of: n})
		}
	}
}

// returnLines suggests what can be done with a purchase that has a receipt: a return names
// the lines that come back.
func (t *Table) returnLines(add func(string, Move), n int, bought Move) {
	back := make(map[string]bool)
	for _, m := range t.Run.shown() {
		for item := range m.Items.All() {
			if m.Kind == Refund && m.Of == n {
				back[item.ID] = true
			}
		}
	}
	for item := range bought.Items.All() {
		if !back[item.ID] {
			what := item.ID
			if goods := Goods(item.Category); goods != "" {
				what = goods
			}
			add("Return "+what+" from "+t.Run.name(n), Move{
				Kind: Refund, Amount: item.Amount, Of: n, Items: reward.MakeItems([]reward.Item{{ID: item.ID, Amount: item.Amount}}),
			})
		}
	}
}
