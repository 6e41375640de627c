package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorLooseTerms is what the designs publish that keep their returns in a vendorTill.
const vendorLooseTerms = " A return or credit that names its purchase is set against that purchase, up to what is left of it; if the purchase has not posted yet, the return waits for it." +
	" A return that names no purchase is set against your purchases at that merchant, then in that category, then against any, the best-earning purchase first and of those the latest;" +
	" what is left over is set against later purchases in the same way. A lost dispute of the merchant (chargeback) is a return."

// vendorBuy is a purchase with what has been returned of it.
type vendorBuy struct {
	id, merchant, mcc, cat string
	amount                 int64
	at                     time.Time
	asked                  int64 // returns that name it, even above the amount
	linked, loose          int64 // what counts as returned: named, and set against it
	rate                   int64 // basis points that it earns, to put the best-earning first

	// The rest belongs to the design.
	seen int64 // net amount that the design has taken into account; it must keep this
	gain int64 // reward that is on the ledger for it
	mark int64
}

func (b *vendorBuy) net() int64 { return b.amount - b.linked - b.loose }

// vendorReturn is a refund or a chargeback.
type vendorReturn struct {
	key, id, tx, merchant, mcc, cat string
	amount                          int64
	whole                           bool // all of the purchase
	at                              time.Time
	left                            int64 // of one without a purchase: not set against any
	parts                           []vendorPart
	listed                          bool
}

func vendorRefunded(r issuer.Refund) vendorReturn {
	return vendorReturn{key: "r/" + r.Refund, id: r.Refund, tx: r.Transaction, merchant: r.Merchant, mcc: r.MCC, cat: r.Category, amount: r.Amount, at: r.At}
}

func vendorCharged(c issuer.Chargeback) vendorReturn {
	return vendorReturn{key: "c/" + c.Chargeback, id: c.Chargeback, tx: c.Transaction, amount: c.Amount, whole: c.Amount == 0, at: c.At}
}

// vendorPart is how much of a return without a name is set against a purchase.
type vendorPart struct {
	b      *vendorBuy
	amount int64
	by     int // how it was found, see vendorNear
}

// vendorTill matches an account's returns to its purchases. It knows nothing of rewards.
type vendorTill struct {
	log   []vendorEvent // all that has been filed
	buys  []*vendorBuy
	byID  map[string]*vendorBuy
	shops map[string][]*vendorBuy // by merchant
	seen  map[string]bool         // returns, by key
	wait  map[string][]*vendorReturn
	loose []*vendorReturn
	// Returns without a name that a purchase to come may suit better, and the best rate.
	strays []*vendorReturn
	top    int64
}

type vendorEvent struct {
	b *vendorBuy
	r *vendorReturn
}

// takes says whether a purchase is new and worth looking at.
func (t *vendorTill) takes(s issuer.Settlement) bool {
	return s.Amount > 0 && t.byID[s.Transaction] == nil
}

func (t *vendorTill) ready() {
	if t.byID == nil {
		t.byID, t.wait = map[string]*vendorBuy{}, map[string][]*vendorReturn{}
		t.shops = map[string][]*vendorBuy{}
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
}

// add files a purchase and gives back which purchases changed by it, itself first.
func (t *vendorTill) add(s issuer.Settlement, at time.Time, rate int64) []*vendorBuy {
	t.ready()
	b := &vendorBuy{id: s.Transaction, merchant: s.Merchant, mcc: s.MCC, cat: s.Category, amount: s.Amount, at: at, rate: rate}
	t.log = append(t.log, vendorEvent{b: b})
	return append([]*vendorBuy{b}, vendorChanged(t.enter(b), b)...)
}

// ret files a return and gives back which purchases changed by it. A return that was
// filed before, or takes nothing, changes none.
func (t *vendorTill) ret(r vendorReturn) []*vendorBuy {
	if r.amount < 0 || (r.amount == 0 && (!r.whole || r.tx == "")) || t.seen[r.key] {
		return nil
	}
	t.ready()
	t.seen[r.key] = true
	t.log = append(t.log, vendorEvent{r: &r})
	return vendorChanged(t.file(&r), nil)
}

// undo takes a return back: everything else is filed again in its order.
func (t *vendorTill) undo(key string) []*vendorBuy {
	for i, x := range t.log {
		if x.r == nil || x.r.key != key {
			continue
		}
		log := append(t.log[:i:i], t.log[i+1:]...)
		*t = vendorTill{log: log, seen: t.seen}
		t.ready()
		var all []*vendorBuy
		for _, x := range log {
			if x.b != nil {
				x.b.asked, x.b.linked, x.b.loose = 0, 0, 0
				t.enter(x.b)
				all = append(all, x.b)
			} else {
				t.file(x.r)
			}
		}
		return vendorChanged(all, nil)
	}
	return nil
}

// vendorChanged leaves those whose net amount is news to the design, each once.
func vendorChanged(touched []*vendorBuy, except *vendorBuy) []*vendorBuy {
	var out []*vendorBuy
	had := map[*vendorBuy]bool{except: true}
	for _, b := range touched {
		if !had[b] && b.seen != b.net() {
			out = append(out, b)
		}
		had[b] = true
	}
	return out
}

// enter puts a purchase on the shelf: returns that waited for it, and those without a
// name that have no home as near as it, are set against it.
func (t *vendorTill) enter(b *vendorBuy) []*vendorBuy {
	t.buys, t.byID[b.id] = append(t.buys, b), b
	t.shops[b.merchant] = append(t.shops[b.merchant], b)
	for _, r := range t.wait[b.id] {
		t.link(b, r)
	}
	delete(t.wait, b.id)
	t.top = max(t.top, b.rate)
	var touched []*vendorBuy
	strays := t.strays
	t.strays = nil
	for _, r := range strays {
		far := r.left > 0
		for _, p := range r.parts {
			far = far || vendorNear(b, r, p.by-1) || (p.by == 2 && vendorNear(b, r, 0))
		}
		r.listed = false
		if far {
			touched = append(touched, t.place(r)...)
		} else {
			t.list(r)
		}
	}
	return touched
}

// file sets a return against what it belongs to.
func (t *vendorTill) file(r *vendorReturn) []*vendorBuy {
	if r.tx == "" {
		r.left, r.parts, r.listed = r.amount, nil, false
		t.loose = append(t.loose, r)
		return t.place(r)
	}
	b := t.byID[r.tx]
	if b == nil {
		t.wait[r.tx] = append(t.wait[r.tx], r)
		return nil
	}
	t.link(b, r)
	touched := []*vendorBuy{b}
	for i := len(t.loose) - 1; i >= 0 && b.net() < 0; i-- {
		// What was set against it without a name belongs elsewhere.
		for _, p := range t.loose[i].parts {
			if p.b == b {
				touched = append(touched, t.place(t.loose[i])...)
				break
			}
		}
	}
	return touched
}

func (t *vendorTill) link(b *vendorBuy, r *vendorReturn) {
	if r.whole {
		r.amount = b.amount
	}
	b.asked += r.amount
	b.linked = min(b.asked, b.amount)
}

// vendorNear: by merchant (0), by category (1), in any case (2).
func vendorNear(b *vendorBuy, r *vendorReturn, by int) bool {
	switch by {
	case 0:
		return r.merchant != "" && b.merchant == r.merchant
	case 1:
		return (r.cat != "" && b.cat == r.cat) || (r.mcc != "" && b.mcc == r.mcc)
	}
	return by == 2
}

// place sets a return without a name against purchases that have something left, after it
// has let go of those it had.
func (t *vendorTill) place(r *vendorReturn) []*vendorBuy {
	var touched []*vendorBuy
	for _, p := range r.parts {
		p.b.loose -= p.amount
		touched = append(touched, p.b)
	}
	r.left, r.parts = r.amount, nil
	for by := 0; by < 3; by++ {
		among := t.buys
		if by == 0 {
			among = t.shops[r.merchant]
		}
		if (by == 0 && r.merchant == "") || (by == 1 && r.cat == "" && r.mcc == "") {
			continue
		}
		for r.left > 0 {
			var best *vendorBuy
			for i := len(among) - 1; i >= 0 && (best == nil || best.rate < t.top); i-- {
				if b := among[i]; b.net() > 0 && vendorNear(b, r, by) && (best == nil || b.rate > best.rate) {
					best = b
				}
			}
			if best == nil {
				break
			}
			x := min(best.net(), r.left)
			best.loose += x
			r.left -= x
			r.parts = append(r.parts, vendorPart{best, x, by})
			touched = append(touched, best)
		}
	}
	t.list(r)
	return touched
}

// list keeps a return in mind that may have a better home in a purchase to come.
func (t *vendorTill) list(r *vendorReturn) {
	stray := r.left > 0
	for _, p := range r.parts {
		stray = stray || (p.by > 0 && r.merchant != "") || (p.by > 1 && (r.cat != "" || r.mcc != ""))
	}
	if stray && !r.listed {
		r.listed = true
		t.strays = append(t.strays, r)
	}
}
