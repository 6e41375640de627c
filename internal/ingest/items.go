package ingest

import (
	"fmt"
	"math/bits"
	"unique"

	"recoup/internal/intake"
	"recoup/reward"
)

// milli is how many parts of a minor unit rows are counted in.
const milli = 1000

// item is what the rows of one article are on a receipt.
type item struct {
	article unique.Handle[string]
	reward.Item
	milli int64
}

// addItem adds a row to the items of a purchase, and returns which it is of. Rows of
// one article and category are one item.
func (p *purchase) addItem(l *intake.Line) int {
	name := l.Article
	if name == "" {
		name = fmt.Sprintf("row-%d", l.Place)
	}
	same := 0
	for i := range p.items {
		x := &p.items[i]
		if x.article.Value() != name {
			continue
		}
		if x.Category == l.Category && x.MCC == l.MCC {
			x.milli += l.Milli
			return i
		}
		same++
	}
	x := item{unique.Make(name), reward.Item{ID: name, Category: l.Category, MCC: l.MCC}, l.Milli}
	if same > 0 {
		x.ID = fmt.Sprintf("%s#%d", name, same+1)
	}
	p.items = append(p.items, x)
	return len(p.items) - 1
}

// itemOf returns the item of an article, -1 if it is none or several.
func (p *purchase) itemOf(of what) int {
	found := -1
	for i, x := range p.items {
		if x.article == of.article {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// list returns the items as events have them, and what they come to in minor units;
// false if there are none, or more than an event may have.
func (p *purchase) list() (items reward.Items, amount int64, ok bool) {
	var list []reward.Item
	for _, x := range p.items {
		if x.Amount = x.milli / milli; x.Amount > 0 {
			list = append(list, x.Item)
			amount += x.Amount
		}
	}
	if len(list) == 0 || len(list) > reward.MaxItems {
		return "", 0, false
	}
	return reward.MakeItems(list), amount, true
}

// list returns what of each item comes back, false where that is not known of all.
func (l *link) list() (items reward.Items, amount int64, ok bool) {
	if l.other || len(l.purchase.items) == 0 {
		return "", 0, false
	}
	var list []reward.Item
	for i, x := range l.purchase.items {
		if back := l.items[i] / milli; back > 0 {
			list = append(list, reward.Item{ID: x.ID, Amount: back})
			amount += back
		}
	}
	return reward.MakeItems(list), amount, len(list) > 0
}

// share is the part of an amount that so much of a quantity is, rounded down.
func share(amount, part, quantity int64) int64 {
	if part == quantity {
		return amount
	}
	high, low := bits.Mul64(uint64(amount), uint64(part))
	n, _ := bits.Div64(high, low, uint64(quantity))
	return int64(n)
}
