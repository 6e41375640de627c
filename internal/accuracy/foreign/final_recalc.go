package foreign

import (
	"slices"
	"time"
)

// finalRecalc is a program that works everything out again from what is kept, and books
// the difference to what stands in the books.
type finalRecalc struct {
	// grants is what ought to stand in the books at the book's time.
	grants func(*finalBook) []finalGrant
	// moments are when something of a purchase changes by the clock alone; may be nil.
	moments func(*finalBook, *finalBuy) []time.Time
	// locked is how much of the balance may not be taken out yet; may be nil.
	locked func(*finalBook) int64
	// least is the smallest balance of which anything may be taken out.
	least int64
	// newest has refunds that name no purchase go to the newest one, whatever its amount.
	newest bool
	// settling is how long a return is left to settle before it counts.
	settling time.Duration
}

// finalGrant is what ought to be granted for something: a purchase, a bonus, a statement.
type finalGrant struct {
	key, transaction, note string
	amount                 int64
}

// reward is the grant for a purchase.
func (p *finalBuy) reward(amount int64, note string) finalGrant {
	return finalGrant{key: "purchase " + p.id, transaction: p.id, note: note, amount: amount}
}

func (c *finalRecalc) bought(b *finalBook, p *finalBuy) {
	if c.moments != nil {
		for _, at := range c.moments(b, p) {
			b.note(at)
		}
	}
	c.work(b, "")
}

func (c *finalRecalc) returned(b *finalBook, r *finalBack) {
	if c.settling > 0 {
		b.note(r.told.Add(c.settling))
	}
	c.work(b, r.id)
}

func (c *finalRecalc) struck(b *finalBook) { c.work(b, "") }

func (c *finalRecalc) redeemable(b *finalBook) int64 {
	free := b.balance
	if c.locked != nil {
		free -= c.locked(b)
	}
	if free < c.least {
		return 0
	}
	return free
}

func (c *finalRecalc) spent(*finalBook, int64) {}

// work places the returns and books what has changed; refund is what gave rise to it.
func (c *finalRecalc) work(b *finalBook, refund string) {
	var settled []*finalBack
	for _, r := range b.backs {
		if !r.told.Add(c.settling).After(b.now) {
			settled = append(settled, r)
		}
	}
	b.place(settled, c.newest)
	b.bookGrants(c.grants(b), refund)
}

// bookGrants books what has changed: first what is taken back.
func (b *finalBook) bookGrants(grants []finalGrant, refund string) {
	ought := make(map[string]finalGrant, len(grants))
	for _, g := range grants {
		if _, there := b.booked[g.key]; !there {
			b.booked[g.key] = 0
			b.keys = append(b.keys, g.key)
		}
		g.amount += ought[g.key].amount
		ought[g.key] = g
	}
	var more []finalGrant
	for _, key := range b.keys {
		g := ought[key]
		change := g.amount - b.booked[key]
		if change > 0 {
			more = append(more, finalGrant{key, g.transaction, g.note, change})
		}
		if change >= 0 {
			continue
		}
		b.booked[key] += change
		transaction := g.transaction
		if len(key) > 9 && key[:9] == "purchase " {
			transaction = key[9:]
		}
		b.post(Reversed, change, transaction, refund, "taken back: "+key)
	}
	for _, g := range more {
		b.booked[g.key] += g.amount
		b.post(Earned, g.amount, g.transaction, "", g.note)
	}
}

// place works out what is kept of each purchase: first by the returns that name theirs,
// then by those that name none, in the order in which they came.
func (b *finalBook) place(backs []*finalBack, newest bool) {
	by := make(map[string]*finalBuy, len(b.buys))
	for _, p := range b.buys {
		p.kept = p.amount
		by[p.id] = p
	}
	for _, r := range backs {
		p := by[r.of]
		switch {
		case r.of == "" || p == nil:
		case r.whole:
			p.kept = 0
		default:
			p.kept = max(0, p.kept-r.amount)
		}
	}
	for _, r := range backs {
		for left := r.amount; r.of == "" && left > 0; {
			p := b.guess(r, left, newest)
			if p == nil {
				break
			}
			part := min(left, p.kept)
			p.kept -= part
			left -= part
		}
	}
}

// guess is the purchase that a refund without a name is taken to be of.
func (b *finalBook) guess(r *finalBack, amount int64, newest bool) *finalBuy {
	alike := []func(*finalBuy) bool{
		func(p *finalBuy) bool { return r.merchant != "" && p.merchant == r.merchant },
		func(p *finalBuy) bool { return r.category != "" && p.category == r.category },
		func(*finalBuy) bool { return true },
	}
	for _, fits := range alike {
		var last, exact *finalBuy
		for _, p := range b.buys {
			if p.kept == 0 || p.made.After(r.made) || !fits(p) {
				continue
			}
			if last == nil || !p.made.Before(last.made) {
				last = p
			}
			if p.kept == amount && (exact == nil || !p.made.Before(exact.made)) {
				exact = p
			}
		}
		if exact != nil && !newest {
			return exact
		}
		if last != nil {
			return last
		}
	}
	return nil
}

// inOrderMade are the purchases by when they were made; of the same time, as they cleared.
func (b *finalBook) inOrderMade() []*finalBuy {
	list := slices.Clone(b.buys)
	slices.SortStableFunc(list, func(a, b *finalBuy) int { return a.made.Compare(b.made) })
	return list
}

// perTenThousand is a share of an amount rounded down, and halfUp the same half up.
func perTenThousand(amount, rate int64) int64 { return amount * rate / 10_000 }
func finalHalfUp(parts int64) int64           { return (parts + 5_000) / 10_000 }
