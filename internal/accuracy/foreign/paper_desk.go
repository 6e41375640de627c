package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

// The returns desk finds out which purchase a return belongs to, and how much of it is
// left. It knows no rewards. Rules, which the published texts of its users repeat:
//
//   - a return that names a purchase counts against it; what is more than is left of it
//     is treated as a return without a name, at the purchase's merchant and category;
//   - a return that names a purchase that has not come yet waits for it;
//   - a return without a name counts against what is left of purchases at the same
//     merchant and category, then the same merchant, then the same category, then any:
//     each time those with the highest rate first, and of these the latest first;
//   - what finds no purchase at all counts against the next purchases that come.

// paperBuy is one purchase. rank is its rate in hundredths of a percent, for the order
// above; orig, kept, period and tag are for the engine that uses the desk.
type paperBuy struct {
	id, merchant, category string
	amount, back           int64
	at                     time.Time
	rank                   int
	orig, kept             int64
	period                 int
	tag                    bool
}

func (b *paperBuy) rest() int64 { return b.amount - b.back }

// paperBack is a return of any kind: a refund, a chargeback, a withdrawn clearing. whole
// means all that is left of the purchase.
type paperBack struct {
	key, ref, txn, merchant, category string
	amount                            int64
	whole                             bool
}

// paperShare is the part of a return that counts against one purchase.
type paperShare struct {
	buy    *paperBuy
	amount int64
	ref    string
}

type paperPool struct {
	ranks []int // highest first
	at    map[int][]*paperBuy
}

type paperDesk struct {
	buys  map[string]*paperBuy
	early map[string][]paperBack
	loose []paperBack
	seen  map[string]string
	taken map[string][]paperShare
	pools map[string]*paperPool
}

func paperRefundBack(r issuer.Refund) paperBack {
	return paperBack{key: "r:" + r.Refund, ref: r.Refund, txn: r.Transaction, merchant: r.Merchant, category: r.Category, amount: r.Amount}
}

func paperDisputeBack(c issuer.Chargeback) paperBack {
	return paperBack{key: "c:" + c.Chargeback, ref: c.Chargeback, txn: c.Transaction, amount: c.Amount, whole: c.Amount == 0}
}

// admit says whether the return is to be counted: it has an amount, and it was not sent
// before. The same id for another purchase is another return.
func (d *paperDesk) admit(r *paperBack) bool {
	if r.amount < 0 || r.amount == 0 && !r.whole || r.whole && r.txn == "" {
		return false
	}
	if d.seen == nil {
		d.seen = map[string]string{}
	}
	if txn, ok := d.seen[r.key]; ok {
		if txn == "" || r.txn == "" || txn == r.txn {
			return false
		}
		r.key += "/" + r.txn
		if _, ok := d.seen[r.key]; ok {
			return false
		}
	}
	d.seen[r.key] = r.txn
	return true
}

// put takes in a purchase and gives the shares of returns that had waited for it.
func (d *paperDesk) put(b *paperBuy) []paperShare {
	if d.buys == nil {
		d.buys, d.taken, d.pools = map[string]*paperBuy{}, map[string][]paperShare{}, map[string]*paperPool{}
	}
	d.buys[b.id] = b
	d.pool(b)
	var out []paperShare
	waiting := d.early[b.id]
	delete(d.early, b.id)
	for _, r := range waiting {
		out = append(out, d.take(r)...)
	}
	return append(out, d.settleLoose()...)
}

func (d *paperDesk) known(id string) bool { return d.buys[id] != nil }

func (d *paperDesk) pool(b *paperBuy) {
	for _, k := range paperPoolKeys(b.merchant, b.category) {
		p := d.pools[k]
		if p == nil {
			p = &paperPool{at: map[int][]*paperBuy{}}
			d.pools[k] = p
		}
		if _, ok := p.at[b.rank]; !ok {
			p.ranks = append(p.ranks, b.rank)
			slices.SortFunc(p.ranks, func(x, y int) int { return y - x })
		}
		p.at[b.rank] = append(p.at[b.rank], b)
	}
}

func paperPoolKeys(merchant, category string) []string {
	var k []string
	if merchant != "" && category != "" {
		k = append(k, "b"+merchant+"\x00"+category)
	}
	if merchant != "" {
		k = append(k, "m"+merchant)
	}
	if category != "" {
		k = append(k, "c"+category)
	}
	return append(k, "")
}

// open is the purchase of the pool that the next return counts against.
func (p *paperPool) open() *paperBuy {
	if p == nil {
		return nil
	}
	for _, rank := range p.ranks {
		s := p.at[rank]
		for len(s) > 0 && s[len(s)-1].rest() == 0 {
			s = s[:len(s)-1]
		}
		p.at[rank] = s
		if len(s) > 0 {
			return s[len(s)-1]
		}
	}
	return nil
}

// take counts a return and gives its shares.
func (d *paperDesk) take(r paperBack) []paperShare {
	if r.txn == "" {
		return d.match(r)
	}
	b := d.buys[r.txn]
	if b == nil {
		if d.early == nil {
			d.early = map[string][]paperBack{}
		}
		d.early[r.txn] = append(d.early[r.txn], r)
		return nil
	}
	if r.whole {
		r.amount = b.rest()
	}
	out := d.charge(nil, b, &r)
	if r.amount > 0 {
		r.txn, r.merchant, r.category = "", b.merchant, b.category
		out = append(out, d.match(r)...)
	}
	return out
}

func (d *paperDesk) match(r paperBack) []paperShare {
	var out []paperShare
	for _, k := range paperPoolKeys(r.merchant, r.category) {
		for r.amount > 0 {
			b := d.pools[k].open()
			if b == nil {
				break
			}
			out = d.charge(out, b, &r)
		}
	}
	if r.amount > 0 {
		d.loose = append(d.loose, r)
	}
	return out
}

func (d *paperDesk) charge(out []paperShare, b *paperBuy, r *paperBack) []paperShare {
	n := min(b.rest(), r.amount)
	if n <= 0 {
		return out
	}
	b.back += n
	r.amount -= n
	s := paperShare{b, n, r.ref}
	d.taken[r.key] = append(d.taken[r.key], s)
	return append(out, s)
}

// settleLoose counts what had found no purchase, now that there may be one.
func (d *paperDesk) settleLoose() []paperShare {
	var out []paperShare
	for len(d.loose) > 0 && d.pools[""].open() != nil {
		r := d.loose[0]
		d.loose = d.loose[1:]
		out = append(out, d.match(r)...)
	}
	return out
}

// undo forgets a return and gives the purchases that this touches.
func (d *paperDesk) undo(key string) []*paperBuy {
	var out []*paperBuy
	for _, s := range d.taken[key] {
		s.buy.back -= s.amount
		d.pool(s.buy)
		out = append(out, s.buy)
	}
	delete(d.taken, key)
	is := func(r paperBack) bool { return r.key == key }
	d.loose = slices.DeleteFunc(d.loose, is)
	if txn := d.seen[key]; len(d.early[txn]) > 0 {
		d.early[txn] = slices.DeleteFunc(d.early[txn], is)
	}
	for _, s := range d.settleLoose() {
		out = append(out, s.buy)
	}
	return out
}

// paperBought makes a purchase of a settlement; now is when it reached the engine.
func paperBought(s issuer.Settlement, rank int, now time.Time) *paperBuy {
	return &paperBuy{id: s.Transaction, merchant: s.Merchant, category: s.Category, amount: s.Amount, rank: rank, at: now}
}
