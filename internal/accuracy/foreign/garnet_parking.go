package foreign

import "time"

// garnetPatience is how long a reversal waits for the purchase that it names.
const garnetPatience = 30 * 24 * time.Hour

// garnetParked is a reversal whose purchase has not been seen.
type garnetParked struct {
	id, transaction, merchant string
	amount                    int64
	whole                     bool
	until                     time.Time // when it is taken for one that names none
	loose                     bool      // it has been
}

// garnetFinder is a clerk who, once a reversal has waited long enough, treats it as one
// that names no purchase (whoever wrote the name may have erred), and can undo that when
// the purchase comes after all. Others let it wait.
type garnetFinder interface {
	// found says that a return that named no purchase will be heard of again, with it.
	found(now time.Time, r garnetReturn)
}

// file reverses a purchase, or parks what it has not seen the purchase of.
func (d *garnetDesk) file(a *garnetAccount, r *garnetParked) {
	if p := a.purchases[r.transaction]; p != nil {
		d.reverse(a, p, r)
		return
	}
	r.until = d.now.Add(garnetPatience)
	a.parked = append(a.parked, r)
}

// unpark reverses what came before its purchase.
func (d *garnetDesk) unpark(a *garnetAccount, p *garnetPurchase) {
	var rest []*garnetParked
	for _, r := range a.parked {
		if r.transaction != p.id {
			rest = append(rest, r)
			continue
		}
		if r.loose {
			a.clerk.(garnetFinder).found(d.now, garnetReturn{id: r.id, merchant: r.merchant, amount: r.amount})
		}
		d.reverse(a, p, r)
	}
	a.parked = rest
}

// overdue is the first reversal that has been waiting too long at a time, if one has. Of
// a chargeback of all of a purchase nobody knows how much that is, so it goes on waiting.
func (d *garnetDesk) overdue(a *garnetAccount, at time.Time) *garnetParked {
	if _, ok := a.clerk.(garnetFinder); !ok {
		return nil
	}
	for _, r := range a.parked { // the first to come is the first to be over
		if !r.loose && !r.whole && !r.until.After(at) {
			return r
		}
	}
	return nil
}

// catchUp runs what is due by now, in the order of time.
func (d *garnetDesk) catchUp(a *garnetAccount) {
	for {
		at := a.clerk.due()
		none := at.IsZero() || at.After(d.now)
		if none {
			at = d.now
		}
		if r := d.overdue(a, at); r != nil {
			r.loose = true
			a.clerk.returned(r.until, garnetReturn{id: r.id, merchant: r.merchant, amount: r.amount})
		} else if none {
			return
		} else {
			a.clerk.run(at)
		}
	}
}
