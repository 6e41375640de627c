package reward_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"recoup/reward"
)

// receipt gives a purchase items, in so many of a hundred draws.
func (tr *traceDraw) receipt(e *reward.Event, often int) {
	if !tr.items || e.Type == reward.TransactionAuthorized || e.Amount <= 0 || tr.roll("receipt") < 100-often {
		return
	}
	var list []reward.Item
	left := e.Amount
	for i := range pick(tr.t, "items", 1, 2, 2, 3, 4) {
		part := left
		if i < 3 && left > 1 {
			part = min(left, max(1, pick(tr.t, "part", left, left/2, left/3, 100, 2_500)))
		}
		if part == 0 {
			break
		}
		x := reward.Item{ID: fmt.Sprintf("i%d", i), Amount: part}
		switch tr.roll("kind") % 4 {
		case 0:
			x.Category = pick(tr.t, "item category", "GROCERY", "OTHER", "GAS")
		case 1:
			x.MCC, _ = reward.ParseMCC(pick(tr.t, "item code", "5411", "5541", "5999"))
		}
		if tr.program.Layers != nil && tr.roll("item labels") >= 80 {
			x.Labels = reward.MakeLabels(map[string]string{"channel": pick(tr.t, "item channel", "online", "shop")})
		}
		list = append(list, x)
		left -= part
	}
	list[len(list)-1].Amount += left
	switch tr.roll("bad receipt") {
	case 99:
		list[0].Amount++
	case 98:
		list = append(list, list[0])
	case 97:
		list = nil
	}
	e.Items = reward.MakeItems(list)
}

// boughtFor is the amount for which the transaction settled, or about that.
func (tr *traceDraw) boughtFor(account, transaction string) int64 {
	for _, e := range slices.Backward(tr.events) {
		if e.Account == account && e.Transaction == transaction && e.Type <= reward.TransactionSettled && e.Amount > 0 {
			return e.Amount + pick[int64](tr.t, "another amount", 0, 0, 0, 0, 0, 0, 0, 1)
		}
	}
	return tr.amount()
}

// slip says of which items a refund is.
func (tr *traceDraw) slip(e *reward.Event) {
	if !tr.items || e.Amount <= 0 || tr.roll("slip of items") >= 50 {
		return
	}
	var known []reward.Item
	for _, o := range tr.events {
		if o.Account == e.Account && o.Transaction == e.Transaction && o.Items != "" && o.Type != reward.RefundPosted {
			known = slices.Collect(o.Items.All())
		}
	}
	if len(known) == 0 || tr.roll("unknown item") >= 95 {
		known = []reward.Item{{ID: "i0", Amount: e.Amount}, {ID: "elsewhere", Amount: e.Amount}}
	}
	var list []reward.Item
	var sum int64
	for _, x := range rapid.Permutation(known).Draw(tr.t, "returned items") {
		amount := pick(tr.t, "of the item", x.Amount, x.Amount, x.Amount/2, 1, x.Amount+100)
		if amount <= 0 || amount > 1_000_000 {
			continue
		}
		list = append(list, reward.Item{ID: x.ID, Amount: amount})
		sum += amount
		if tr.roll("more items") >= 50 {
			break
		}
	}
	if len(list) == 0 {
		return
	}
	if tr.roll("as said") < 97 {
		e.Amount = sum
	}
	e.Items = reward.MakeItems(list)
}
