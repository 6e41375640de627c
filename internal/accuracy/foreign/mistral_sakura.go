package foreign

import "time"

// mistralSakura grants late and in three parts, and holds before it takes.
var mistralSakura = Design{
	Name:   "mistral-sakura",
	Source: "from memory: the style of Japanese online-mall cards whose points come weeks later; no issuer's rules in particular",
	Published: "3 % online, 2 % on dining, 1 % on everything else, at most ¥5,000 a purchase. It comes in three equal instalments, 21, 28 and 35 days after the purchase. " +
		"What you return earns nothing, and what has come for it is taken back. For a return whose purchase we do not know we block 3 % of it, and take it after 30 days; " +
		"it is yours again if the purchase shows up.",
	How: "Each instalment brings a purchase to a third, two thirds, all of what its rest earns by then. A return brings it to the same share at once. " +
		"Loose returns are holds for 30 days, then rows (adjusted) that name the return; these are undone when its purchase clears.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return mistralNew(func(a *mistralAccount) mistralBook {
			return &mistralSakuraBook{a: a, paid: map[*mistralPurchase]int64{}, taken: map[*mistralReturn]int64{}}
		})
	},
}

const (
	mistralSakuraTop   = 300 // basis points
	mistralSakuraParts = 3
	mistralSakuraHold  = 30 * 24 * time.Hour
)

// mistralSakuraEarns is what all of what is left of a purchase earns. More than the top rate
// of what is returned is never lost.
func mistralSakuraEarns(p *mistralPurchase) int64 {
	rate := int64(100)
	switch p.category {
	case "ONLINE":
		rate = mistralSakuraTop
	case "DINING":
		rate = 200
	}
	return min(5000, mistralShare(p.left(), rate))
}

// mistralSakuraDue is when a part of a purchase's reward comes: the first is part 1.
func mistralSakuraDue(p *mistralPurchase, part int) time.Time {
	return p.at.Add(time.Duration(14+7*part) * 24 * time.Hour)
}

type mistralSakuraBook struct {
	a     *mistralAccount
	paid  map[*mistralPurchase]int64
	taken map[*mistralReturn]int64 // loose returns whose hold has become a row
}

// level brings a purchase to the share that has come by now. Of a thing that was returned
// between two instalments the next is smaller; only what came already needs a row of its own.
func (b *mistralSakuraBook) level(p *mistralPurchase, now time.Time, refund string) {
	parts := 0
	for parts < mistralSakuraParts && !mistralSakuraDue(p, parts+1).After(now) {
		parts++
	}
	d := mistralSakuraEarns(p)*int64(parts)/mistralSakuraParts - b.paid[p]
	note := "Instalment"
	if d < 0 {
		note = "Returned"
	}
	b.paid[p] += d
	b.a.post(Posting{At: now, Kind: mistralSigned(d), Amount: d, Transaction: p.id, Refund: refund, Note: note})
}

// settled also gives back what was taken for returns that had come before their purchase.
func (b *mistralSakuraBook) settled(p *mistralPurchase, now time.Time) {
	for _, r := range b.a.returns {
		if r.purchase == p {
			b.a.post(Posting{At: now, Kind: Adjusted, Amount: b.taken[r], Refund: r.id, Note: "Return found its purchase"})
			delete(b.taken, r)
		}
	}
	b.level(p, now, "")
}

func (b *mistralSakuraBook) returned(r *mistralReturn, now time.Time) {
	if r.purchase != nil {
		b.level(r.purchase, now, r.id)
	}
}

func (b *mistralSakuraBook) next(after time.Time) time.Time {
	var first time.Time
	offer := func(t time.Time) {
		if t.After(after) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	for _, p := range b.a.purchases {
		for part := 1; part <= mistralSakuraParts; part++ {
			offer(mistralSakuraDue(p, part))
		}
	}
	for _, r := range b.a.loose() {
		offer(r.known.Add(mistralSakuraHold))
	}
	return first
}

func (b *mistralSakuraBook) job(at time.Time) {
	for _, p := range b.a.purchases {
		b.level(p, at, "")
	}
	for _, r := range b.a.loose() {
		if b.taken[r] == 0 && !r.known.Add(mistralSakuraHold).After(at) {
			b.taken[r] = mistralCeil(r.amount*mistralSakuraTop, 10000)
			b.a.post(Posting{At: at, Kind: Adjusted, Amount: -b.taken[r], Refund: r.id, Note: "Return without a purchase"})
		}
	}
}

// sure leaves out what is held for loose returns that have no row yet.
func (b *mistralSakuraBook) sure(time.Time) int64 {
	held := b.a.looseWorth(mistralSakuraTop)
	for _, taken := range b.taken {
		held -= taken
	}
	return b.a.posted - b.a.redeemed - held
}
