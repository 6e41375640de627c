package truth

import "fmt"

// Distortion is a way in which networks deliver returns.
type Distortion struct {
	Name string
	// True: what the refunds say of merchant and kind is true, though it may be
	// nothing, and no refund names a purchase that it is not of. Only then can an
	// engine be held to the promise.
	True bool
	// Means says what becomes of a return.
	Means   string
	deliver func(*network, []Return)
}

// Control is the distortion that distorts nothing: every refund names its purchase.
const Control = "linked"

// Distortions are all of them, the control first and those that do not tell the truth
// last.
func Distortions() []Distortion {
	all, shop, sort, none := plain(always(everything)), plain(always(merchant)), plain(always(kind)), plain(always(nothing))
	truthful := mix(linked, all, shop, sort, none, split, merged, late, early, deadLink)
	return []Distortion{
		{Control, true, "the refund names its purchase: the control", linked},
		{"merchant and category", true, "no link; the refund says both", all},
		{"merchant only", true, "no link; no category and no code", shop},
		{"category only", true, "no link and no merchant; a category, a code or both", sort},
		{"nothing", true, "no link, and not a word of what it is of", none},
		{"split", true, "two to four refunds within days, each of which says something, or nothing", split},
		{"merged", true, "two returns at a shop in one refund, which says what is true of both, or less", merged},
		{"late", true, "two to seven months late", late},
		{"early", true, "up to nine days before the purchase settles", early},
		{"dead link", true, "the refund names a purchase that never comes; what else it says is true", deadLink},
		{"mix", true, "each return in one of the ways above", truthful},
		{"wrong purchase", false, "the refund names another purchase of the account", wrongLink},
		{"other merchant", false, "the merchant id is another one of the same shop", otherMerchant},
		{"other code", false, "the code is that of the returns desk", otherCode},
		{"mix with untrue", false, "each return in one of all these ways", mix(truthful, truthful, wrongLink, otherMerchant, otherCode)},
	}
}

// Deliver returns the refunds of a history. The same seed gives the same ones.
func (d *Distortion) Deliver(h *History, seed uint64) []Refund {
	n := &network{history: h, seed: seed}
	d.deliver(n, h.Returns)
	return n.refunds
}

// Twins are the refunds as they would be with every link: at the same times, each
// naming the purchase that it is of, one for each if it is of several.
func Twins(refunds []Refund) (list []Refund) {
	for _, f := range refunds {
		for i, s := range f.Of {
			list = append(list, Refund{
				ID: fmt.Sprintf("%s-twin-%d", f.ID, i), At: f.At, Amount: s.Amount, Link: purchaseID(s.Purchase), Of: []Share{s},
			})
		}
	}
	return list
}
