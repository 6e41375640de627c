package foreign

import (
	"math"
	"time"
)

// lagoonPatience is how long a return that names an unknown purchase waits for it, and how
// long after a nameless return its purchase may still clear.
const lagoonPatience = 30 * 24 * time.Hour

// lagoonPurchase is a cleared purchase as it was delivered; it never changes.
type lagoonPurchase struct {
	index         int // among the account's purchases, in order of delivery
	id            string
	amount        int64
	category, mcc string
	at            time.Time
}

// lagoonReturn is a refund or a chargeback as it was delivered; it never changes.
type lagoonReturn struct {
	index        int    // among the account's returns, in order of delivery
	id, purchase string // purchase is empty where the sender named none
	amount       int64  // lagoonAll: whatever is left of the purchase
	at, seen     time.Time
	dispute      bool // a chargeback
}

const lagoonAll = math.MaxInt64

// deadline is when a return stops waiting for a purchase that has not come. One of
// unknown amount waits for ever, since there is nothing that could be matched.
func (r *lagoonReturn) deadline() time.Time { return r.seen.Add(lagoonPatience) }

// lagoonAccount is what is known of a customer, and the ledger.
type lagoonAccount struct {
	name      string
	opened    time.Time
	purchases []*lagoonPurchase
	byID      map[string]*lagoonPurchase
	returns   []*lagoonReturn
	seen      map[string]bool // names of facts that have come, by kind
	stale     bool            // something came since a nightly job looked last

	ledger           []Posting
	total            int64 // of the ledger
	redeemed, payout int64
	posted           map[string]int64 // what the ledger says of a thing, by a design's own key
}

func lagoonNewAccount(name string, now time.Time) *lagoonAccount {
	return &lagoonAccount{name: name, opened: now, byID: map[string]*lagoonPurchase{},
		seen: map[string]bool{}, posted: map[string]int64{}}
}

// fresh says whether a fact of that kind and name comes for the first time, and notes it.
func (a *lagoonAccount) fresh(kind, name string) bool {
	if name == "" {
		return true
	}
	if a.seen[kind+name] {
		return false
	}
	a.seen[kind+name] = true
	return true
}

func (a *lagoonAccount) addPurchase(p lagoonPurchase) *lagoonPurchase {
	p.index = len(a.purchases)
	a.purchases = append(a.purchases, &p)
	a.byID[p.id] = &p
	a.stale = true
	return &p
}

func (a *lagoonAccount) addReturn(r lagoonReturn) *lagoonReturn {
	r.index = len(a.returns)
	a.returns = append(a.returns, &r)
	a.stale = true
	return &r
}

// waiting says whether a return still waits for its purchase at that time.
func (a *lagoonAccount) waiting(r *lagoonReturn, now time.Time) bool {
	if r.purchase == "" || a.byID[r.purchase] != nil {
		return false
	}
	return r.amount == lagoonAll || now.Before(r.deadline())
}

func (a *lagoonAccount) balance() int64 { return a.total - a.redeemed }

// free is what may be redeemed if, of all that was posted, no more than sure is beyond doubt.
func (a *lagoonAccount) free(sure int64) int64 {
	return max(0, min(a.total, sure-a.payout)-a.redeemed)
}

// book adds an entry; one of nothing is none.
func (a *lagoonAccount) book(p Posting) {
	if p.Amount == 0 {
		return
	}
	a.ledger = append(a.ledger, p)
	a.total += p.Amount
	if p.Kind == Paid {
		a.payout -= p.Amount
	}
}

// level brings what the ledger says of key to amount, with one entry.
func (a *lagoonAccount) level(key string, amount int64, p Posting) {
	p.Amount = amount - a.posted[key]
	p.Kind = Earned
	if p.Amount < 0 {
		p.Kind = Reversed
	}
	a.posted[key] = amount
	a.book(p)
}
