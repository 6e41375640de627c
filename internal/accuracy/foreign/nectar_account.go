package foreign

import (
	"sort"
	"time"
)

// nectarGesture is a correction or credit by hand, so many days after enrolment.
type nectarGesture struct {
	days   int
	amount int64
	note   string
}

// nectarPurchase is a cleared purchase and what of it came back.
type nectarPurchase struct {
	id, category string
	amount, back int64
	at           time.Time
}

func (p *nectarPurchase) left() int64 { return p.amount - p.back }

// nectarOpen is a refund that is of no purchase known here (yet).
type nectarOpen struct {
	transaction string
	amount      int64
	all         bool // a chargeback of the whole purchase
}

// nectarUse is a redemption that was paid.
type nectarUse struct {
	at     time.Time
	amount int64
}

// nectarAccount is one customer's file.
type nectarAccount struct {
	name            string
	started         bool
	opened, batched time.Time
	purchases       []*nectarPurchase // in order of delivery
	byID            map[string]*nectarPurchase
	open            []nectarOpen
	seen            map[string]bool
	uses            []nectarUse
	answered        map[string]int64 // redemptions paid, by id
	gestures        []nectarGesture  // still to come
	byHand          int64
	rows            []Posting
	sum             int64 // of rows
	redeemed, paid  int64
	book            map[string]int64     // what is posted, by what it is for
	since           map[string]time.Time // since when something is held
}

// post adds a row, unless it is of nothing.
func (a *nectarAccount) post(at time.Time, kind Kind, amount int64, transaction, refund, note string) {
	if amount == 0 {
		return
	}
	a.rows = append(a.rows, Posting{At: at, Kind: kind, Amount: amount, Transaction: transaction, Refund: refund, Note: note})
	a.sum += amount
}

// summary adds a row of nothing, as exports have them between statements.
func (a *nectarAccount) summary(at time.Time, note string) {
	a.rows = append(a.rows, Posting{At: at, Kind: Adjusted, Note: note})
}

// gap is what is to be posted under a key so that it stands at target, and books it.
func (a *nectarAccount) gap(key string, target int64) int64 {
	d := target - a.book[key]
	a.book[key] = target
	return d
}

// balance is what the rows say less redemptions.
func (a *nectarAccount) balance() int64 { return a.sum - a.redeemed }

// free is what can be paid out: never more than stands on the account, nor than is sure.
func (a *nectarAccount) free(s nectarScheme, at time.Time) int64 {
	return max(0, min(a.balance(), s.sure(a, at)+a.byHand-a.redeemed-a.paid))
}

// nectarView is what terms are asked about: purchases in order of delivery, and refunds
// that may be of any of them.
type nectarView struct {
	purchases []*nectarPurchase
	open      []int64
	unnamed   int64 // their sum
}

// view has all purchases made until that instant, and every open refund.
func (a *nectarAccount) view(until time.Time) nectarView {
	var v nectarView
	for _, p := range a.purchases {
		if !p.at.After(until) {
			v.purchases = append(v.purchases, p)
		}
	}
	for _, o := range a.open {
		if o.amount > 0 {
			v.open = append(v.open, o.amount)
			v.unnamed += o.amount
		}
	}
	return v
}

// nectarPart is what is left of a purchase and the most that it earns, in hundredths of a percent.
type nectarPart struct{ left, rate int64 }

// worst is the most that the open refunds can take of rewards in proportion to purchases:
// they are laid upon what earns most, and each may cost slack more by rounding. Caps and
// limits only make the loss smaller.
func (v nectarView) worst(parts []nectarPart, slack int64) int64 {
	if v.unnamed == 0 || len(parts) == 0 {
		return 0
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].rate > parts[j].rate })
	rest, taken := v.unnamed, int64(0)
	for _, p := range parts {
		n := min(rest, p.left)
		taken += n * p.rate
		rest -= n
	}
	return (taken+9999)/10000 + slack*int64(len(v.open))
}
