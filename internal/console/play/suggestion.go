package play

import (
	"slices"
	"strings"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// Suggestion is a sensible next click.
type Suggestion struct {
	Label string // such as "Return the groceries in full", "Redeem $5.00", in the table's language
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
	l := t.locale
	add := func(label string, m Move) {
		if next := t.Run.With(m); next.Check() == nil {
			list = append(list, Suggestion{label, m, next})
		}
	}
	for _, ware := range t.Run.Program.wares() {
		what, where := Goods(l, ware.Category), ""
		if what == "" {
			what = l.Say("something")
		}
		if ware.Merchant != usualShop {
			where = " " + l.Sprintf("at %s", Shop(l, ware.Merchant))
		}
		add(l.Sprintf("Buy %s for %s%s", what, t.spend(ware.Amount), where+Marks(l, ware)), ware)
	}
	if receipt, ok := t.Run.Program.receipt(); ok {
		add(l.Sprintf("Buy all of these on one receipt, for %s", t.spend(receipt.Amount)), receipt)
	}
	for _, offer := range t.Run.Program.offers() {
		for name, value := range offer.Labels.All() {
			add(l.Sprintf("Set %s to %s", name, value), offer)
		}
	}
	last := &t.Rows[len(t.Rows)-1]
	offers := []int64{min(last.Left.Redeemable, MaxAmount), min(last.Right.Redeemable, MaxAmount)}
	slices.Sort(offers)
	for _, offer := range slices.Backward(slices.Compact(offers)) {
		if offer > 0 {
			add(l.Sprintf("Redeem %s", t.reward(offer)), Move{Kind: Redeem, Amount: offer})
		}
	}
	t.returns(add)
	add(l.Say("Go to the next day"), Move{Kind: Wait, Days: 1})
	add(l.Sprintf("Go to the end of %s", l.Month(last.At.Month())), Move{Kind: Close})
	return list
}

// returns suggests what can be done with the latest purchases, of which
// something is left.
func (t *Table) returns(add func(string, Move)) {
	l := t.locale
	names := t.Run.Names(l)
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
		name := names[n-1]
		if bought.Items != "" {
			t.returnLines(add, n, name, bought)
			shown++
			continue
		}
		if shown++; left == bought.Amount {
			add(l.Sprintf("Return %s in full", name), Move{Kind: Refund, Amount: left, Of: n})
			if half := left / 2; half > 0 {
				add(l.Sprintf("Return half of %s", name), Move{Kind: Refund, Amount: half, Of: n})
			}
		} else {
			add(l.Sprintf("Return the rest of %s", name), Move{Kind: Refund, Amount: left, Of: n})
		}
		if shown == 1 {
			add(l.Sprintf("Return %s with a refund that names no purchase", name), Move{
				Kind: Refund, Amount: left, Of: n, Unlinked: true, Merchant: bought.Merchant, Category: bought.Category,
			})
			add(l.Sprintf("Win a dispute over %s", name), Move{Kind: Chargeback, Of: n})
		}
	}
}

// returnLines suggests what can be done with a purchase that has a receipt: a return names
// the lines that come back.
func (t *Table) returnLines(add func(string, Move), n int, name string, bought Move) {
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
			if goods := Goods(t.locale, item.Category); goods != "" {
				what = goods
			}
			add(t.locale.Sprintf("Return %s from %s", what, name), Move{
				Kind: Refund, Amount: item.Amount, Of: n, Items: reward.MakeItems([]reward.Item{{ID: item.ID, Amount: item.Amount}}),
			})
		}
	}
}

// Marks are what a purchase says of itself besides shop and category, in people's words.
func Marks(l *locale.Locale, m Move) string {
	var b strings.Builder
	if m.Code != "" {
		b.WriteString(", " + l.Sprintf("code %s", m.Code))
	}
	for name, value := range m.Labels.All() {
		b.WriteString(", " + name + " " + value)
	}
	return b.String()
}
