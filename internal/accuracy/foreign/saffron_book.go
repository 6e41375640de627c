package foreign

import (
	"slices"
	"time"
)

// saffronMost bounds what is counted as returned, so that sums cannot overflow.
const saffronMost = int64(1) << 60

// saffronBuy is a cleared purchase.
type saffronBuy struct {
	id, merchant, category string
	amount, back           int64 // back may exceed amount: see left
	at                     time.Time
	month                  int // local months since year 0
	done                   bool
	granted                int64 // what the rows have of it, by itself or in a sum
	parts                  int64 // instalments granted
	counted                bool  // in the latest sum of its period
}

// left is what was bought and kept. A refund above the price returns the price.
func (b *saffronBuy) left() int64 { return max(0, b.amount-b.back) }

// quarter numbers the local calendar quarter of the purchase.
func (b *saffronBuy) quarter() int { return b.month / 3 }

// saffronLoose is a refund that names no purchase.
type saffronLoose struct {
	id, merchant string
	amount       int64
	matched      bool
	charged      int64 // what its rows come to
}

// saffronAccount is one member's book.
type saffronAccount struct {
	zone    *time.Location
	buys    []*saffronBuy // in the order in which they cleared
	byID    map[string]*saffronBuy
	early   map[string]int64 // returned before it cleared
	loose   []*saffronLoose
	largest int64           // purchase: no single return gives back more than this
	seen    map[string]bool // messages that have been counted
	first   time.Time       // earliest fact

	rows                   []Posting
	posted, redeemed, paid int64
	redemptions            map[string]int64
	periods                map[int]int64 // what the rows of a period come to, where it has rows
}

// book adds a row; one of nothing is left out.
func (a *saffronAccount) book(at time.Time, kind Kind, amount int64, tx, ref, note string) {
	if amount == 0 {
		return
	}
	a.rows = append(a.rows, Posting{At: at.UTC(), Kind: kind, Amount: amount, Transaction: tx, Refund: ref, Note: note})
	a.posted += amount
}

// balance is what the member sees.
func (a *saffronAccount) balance() int64 { return a.posted - a.redeemed }

// spare is what may leave the house, given what is surely earned.
func (a *saffronAccount) spare(sure int64) int64 {
	return max(0, min(a.balance(), sure-a.redeemed-a.paid))
}

// payOut pays the amount by itself.
func (a *saffronAccount) payOut(at time.Time, amount int64, note string) {
	if amount <= 0 {
		return
	}
	a.book(at, Paid, -amount, "", "", note)
	a.paid += amount
}

// monthOf numbers the local month of an instant.
func (a *saffronAccount) monthOf(t time.Time) int {
	t = t.In(a.zone)
	return t.Year()*12 + int(t.Month()) - 1
}

// looseLoss sums what the refunds without a purchase's name may have cost at most. The
// loss of each is bounded by itself, so the sum holds however they are assigned.
func (a *saffronAccount) looseLoss(loss func(l *saffronLoose) int64) int64 {
	sum := int64(0)
	for _, l := range a.loose {
		sum += loss(l)
	}
	return sum
}

// chargeLoose brings the rows of the refunds without a purchase's name to what they may
// have cost, but to no more than there is to be lost.
func (a *saffronAccount) chargeLoose(at time.Time, kind Kind, earned int64, loss func(l *saffronLoose) int64, note string) {
	for _, l := range a.loose {
		want := min(loss(l), max(0, earned))
		earned -= want
		if k := kind; l.charged != want {
			if l.charged > want {
				k = Adjusted
			}
			a.book(at, k, l.charged-want, "", l.id, note)
		}
		l.charged = want
	}
}

// clamp is how much of one purchase a return of this amount may have given back.
func (a *saffronAccount) clamp(amount int64) int64 { return min(amount, a.largest) }

// saffronUp divides and rounds up.
func saffronUp(n, by int64) int64 { return (n + by - 1) / by }

// again says whether the message was counted before, and counts it. What has no name
// cannot be told from another like it, and counts.
func (a *saffronAccount) again(name, message string) bool {
	before := a.seen[message]
	a.seen[message] = true
	return before && name != ""
}

// saffronOver are the periods before the given one, in order.
func saffronOver(sums map[int]int64, before int) []int {
	var over []int
	for p := range sums {
		if p < before {
			over = append(over, p)
		}
	}
	slices.Sort(over)
	return over
}
