package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorQuarterCard is a credit card with a 5% category that changes every quarter and a
// cap on what earns 5%. It keeps two running sums per quarter, the net purchases in the
// category and all others, and the quarter's cash back is a function of these sums alone;
// every purchase and every return posts by how much that function has moved.
type vendorQuarterCard struct {
	vendorHouse[vendorQuarterAccount]
}

type vendorQuarterAccount struct {
	book     vendorBook
	till     vendorTill
	quarters map[int]*vendorQuarterSum
}

type vendorQuarterSum struct{ hot, cold, given int64 }

const vendorQuarterCap = 150_000

func vendorNewQuarterCard() Engine {
	return &vendorQuarterCard{vendorNewHouse(
		func() *vendorQuarterAccount {
			return &vendorQuarterAccount{quarters: map[int]*vendorQuarterSum{}}
		}, nil,
		func(a *vendorQuarterAccount) *vendorBook { return &a.book })}
}

// vendorQuarterZone is where this card's quarters begin and end: New York's winter time.
var vendorQuarterZone = time.FixedZone("UTC-5", -5*3600)

// vendorQuarterOf numbers the calendar quarters, in the time zone of t.
func vendorQuarterOf(t time.Time) int {
	return t.Year()*4 + (int(t.Month())-1)/3
}

// vendorQuarterCategory is the category of the quarter.
func vendorQuarterCategory(q int) string {
	return []string{"GROCERY", "FUEL", "DINING", "ONLINE"}[q%4]
}

// count brings the quarters of these purchases up to their net amounts.
func (a *vendorQuarterAccount) count(at time.Time, buys []*vendorBuy, refund, note string) {
	for _, b := range buys {
		n := vendorQuarterOf(b.at.In(vendorQuarterZone))
		q := a.quarters[n]
		if q == nil {
			q = &vendorQuarterSum{}
			a.quarters[n] = q
		}
		if vendorIn(vendorQuarterCategory(n), b.cat, b.mcc) {
			q.hot += b.net() - b.seen
		} else {
			q.cold += b.net() - b.seen
		}
		b.seen = b.net()
		five := min(q.hot, vendorQuarterCap)
		due := (five*5 + q.hot - five + q.cold) / 100
		a.book.move(at, due-q.given, b.id, refund, note)
		q.given = due
	}
}

// Settle counts a purchase in the quarter of its day.
func (e *vendorQuarterCard) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if !a.till.takes(s) {
		return nil
	}
	at := e.when(s.At)
	rate := int64(100)
	if vendorIn(vendorQuarterCategory(vendorQuarterOf(at.In(vendorQuarterZone))), s.Category, s.MCC) {
		rate = 500
	}
	a.count(e.when(time.Time{}), a.till.add(s, at, rate), "", "cash back")
	return nil
}

// Refund counts a return in the quarter of its purchase.
func (e *vendorQuarterCard) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorQuarterCard) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorQuarterCard) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	a.count(e.now, a.till.ret(r), r.id, "return")
	return nil
}

// ReverseRefund lets a refund that bounced be as if it had not been.
func (e *vendorQuarterCard) ReverseRefund(account, refund string) error {
	a, err := e.get(account)
	if err == nil {
		a.count(e.now, a.till.undo("r/"+refund), refund, "return taken back")
	}
	return err
}

// ReverseChargeback does the same for a dispute that was lost.
func (e *vendorQuarterCard) ReverseChargeback(account, chargeback string) error {
	a, err := e.get(account)
	if err == nil {
		a.count(e.now, a.till.undo("c/"+chargeback), chargeback, "dispute taken back")
	}
	return err
}

// Redeem pays any amount out that is there.
func (e *vendorQuarterCard) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.pay(r, a.book.balance()), nil
}

// Balance shows the ledger's balance, which may be negative.
func (e *vendorQuarterCard) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: vendorFloor0(a.book.balance())}, nil
}

var vendorQuarterDesign = Design{
	Name:   "vendor-quarter-5",
	Source: "5% cards with rotating categories, $1,500 a quarter, then 1% (nerdwallet.com/article/credit-cards/5-percent-bonus-category-credit-cards; discover.com cashback terms)",
	Published: "5% cash back on the first $1,500.00 of net purchases per calendar quarter (by the day of the purchase in UTC-5, which is New York without summer time) in the category of the quarter: January-March GROCERY (MCC 5411), April-June FUEL (5541), July-September DINING (5812), October-December ONLINE (by category name only). 1% on everything else and above $1,500.00. No activation." +
		" Net purchases are purchases less returns; a return counts in the quarter and category of its purchase, whenever it posts. The quarter's cash back is worked out on its two totals together and rounded down to whole cents there; each purchase and each return posts at once what it changes." +
		" Cash back can be redeemed at once, from $0.01. A negative balance stays until later cash back has made it up, without limit of time." + vendorLooseTerms,
	How:      "Two running sums per quarter; the cash back of a quarter is a function of them, and what it moves by is posted with the event. So a return of a purchase above the cap takes 1%, one that brings the quarter below the cap 5%. No closes. Refunds that bounce can be taken back.",
	Class:    "robust",
	Currency: "USD",
	New:      vendorNewQuarterCard,
}
