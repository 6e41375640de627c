package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorStatementPoints is a points card that counts whole dollars of statement totals. It
// keeps no reward per purchase: only two sums of net spend over the life of the account.
// At the close of each statement the points that all net spend so far is worth, less those
// posted before, are posted in one line.
type vendorStatementPoints struct {
	vendorHouse[vendorStatementAccount]
}

type vendorStatementAccount struct {
	book       vendorBook
	fast, slow int64 // net spend: two points, one point
	given      int64
	closeAt    time.Time
	buys       map[string]*vendorStatementBuy
	early      map[string][]vendorStatementEarly
	seen       map[string]bool
}

type vendorStatementBuy struct {
	fast         bool
	amount, back int64
}

// vendorStatementEarly is a return whose purchase has not come yet: it lowers the net
// spend already.
type vendorStatementEarly struct {
	fast   bool
	amount int64
	whole  bool
}

func vendorNewStatementPoints() Engine {
	return &vendorStatementPoints{vendorNewHouse(
		func() *vendorStatementAccount {
			return &vendorStatementAccount{buys: map[string]*vendorStatementBuy{}, early: map[string][]vendorStatementEarly{}, seen: map[string]bool{}}
		},
		vendorStatementDue,
		func(a *vendorStatementAccount) *vendorBook { return &a.book })}
}

// vendorStatementDue closes the statement that is over. Further ones that are over by now
// had nothing in them, so one line is all there is.
func vendorStatementDue(a *vendorStatementAccount, now time.Time) {
	if a.closeAt.IsZero() {
		a.closeAt = vendorMonthAfter(now)
	}
	if now.Before(a.closeAt) {
		return
	}
	a.book.move(a.closeAt, a.worth()-a.given, "", "", "points of statement to "+a.closeAt.Format("2006-01-02"))
	a.given = a.worth()
	a.closeAt = vendorMonthAfter(now)
}

// worth is the points of all net spend. A minus in one sum is made good out of the other.
func (a *vendorStatementAccount) worth() int64 {
	f, s := a.fast, a.slow
	if f < 0 {
		f, s = 0, s+f
	} else if s < 0 {
		f, s = f+s, 0
	}
	return vendorFloor0(f)/100*2 + vendorFloor0(s)/100
}

func (a *vendorStatementAccount) spend(fast bool, amount int64) {
	if fast {
		a.fast += amount
	} else {
		a.slow += amount
	}
}

func vendorStatementFast(cat, mcc string) bool {
	return vendorIn("DINING", cat, mcc) || vendorIn("TRAVEL", cat, mcc)
}

// Settle adds to the running statement.
func (e *vendorStatementPoints) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	if s.Amount <= 0 || a.buys[s.Transaction] != nil {
		return nil
	}
	b := &vendorStatementBuy{fast: vendorStatementFast(s.Category, s.MCC), amount: s.Amount}
	a.buys[s.Transaction] = b
	a.spend(b.fast, b.amount)
	for _, r := range a.early[s.Transaction] {
		a.spend(r.fast, r.amount)
		if r.whole {
			r.amount = b.amount
		}
		a.back(b, r.amount)
	}
	delete(a.early, s.Transaction)
	return nil
}

func (a *vendorStatementAccount) back(b *vendorStatementBuy, amount int64) {
	amount = min(amount, b.amount-b.back)
	b.back += amount
	a.spend(b.fast, -amount)
}

// Refund lowers the net spend of the running statement.
func (e *vendorStatementPoints) Refund(r issuer.Refund) error {
	a, err := e.get(r.Account)
	if err != nil {
		return err
	}
	if r.Refund == "" {
		return errVendorID
	}
	if r.Amount <= 0 || a.seen["r/"+r.Refund] {
		return nil
	}
	a.seen["r/"+r.Refund] = true
	if b := a.buys[r.Transaction]; b != nil {
		a.back(b, r.Amount)
		return nil
	}
	fast := r.Category == "" && r.MCC == "" || vendorStatementFast(r.Category, r.MCC)
	a.spend(fast, -r.Amount)
	if r.Transaction != "" {
		a.early[r.Transaction] = append(a.early[r.Transaction], vendorStatementEarly{fast: fast, amount: r.Amount})
	}
	return nil
}

// Chargeback does the same.
func (e *vendorStatementPoints) Chargeback(c issuer.Chargeback) error {
	a, err := e.get(c.Account)
	if err != nil {
		return err
	}
	if c.Chargeback == "" {
		return errVendorID
	}
	if c.Amount < 0 || (c.Amount == 0 && c.Transaction == "") || a.seen["c/"+c.Chargeback] {
		return nil
	}
	a.seen["c/"+c.Chargeback] = true
	if b := a.buys[c.Transaction]; b != nil {
		if c.Amount == 0 {
			c.Amount = b.amount
		}
		a.back(b, c.Amount)
		return nil
	}
	a.spend(true, -c.Amount)
	if c.Transaction != "" {
		a.early[c.Transaction] = append(a.early[c.Transaction], vendorStatementEarly{fast: true, amount: c.Amount, whole: c.Amount == 0})
	}
	return nil
}

// redeemable leaves out what the returns of the running statement will take.
func (a *vendorStatementAccount) redeemable() int64 {
	x := a.book.balance() - vendorFloor0(a.given-a.worth())
	if x < 500 {
		return 0
	}
	return x
}

// Redeem pays out from 500 points.
func (e *vendorStatementPoints) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.get(r.Account)
	if err != nil || r.Amount < 500 {
		return false, err
	}
	return a.book.pay(r, a.redeemable()), nil
}

// Balance shows the points that have been posted; a point is a cent.
func (e *vendorStatementPoints) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: a.redeemable()}, nil
}

var vendorStatementDesign = Design{
	Name:   "vendor-statement-points",
	Source: "points on net purchases per billing cycle, deducted on a later statement after a return (nbc.ca help centre on refunds; the paper's issuers D and E, section 5.3)",
	Published: "1 point per whole dollar of net purchases, 2 points per whole dollar in DINING (MCC 5812) and TRAVEL (4511). A point is worth $0.01." +
		" Statements close on the first of each month, 00:00 UTC, and points post there: the points for all net purchases (purchases less returns and credits, by the day they post to the account) since the account was opened, less the points posted before, so that cents below a whole dollar and credits above the purchases are carried to the next statement. Whole dollars are counted on the two totals, 2-point and 1-point, not per purchase." +
		" A return counts in the total of its purchase, up to the purchase's amount. A credit that names no purchase known to us counts in the total of its category, or in the 2-point total if it has none; a total below zero is made up from the other one." +
		" Points can be redeemed once posted, from 500 points; what returns of the running statement are going to take is held back. Negative points stay until made up.",
	How:      "Two sums of net spend per account and one posting per close; no reward per purchase. Statements close by the clock, on the next call that sees the time has come, dated as of the close. Redeemable already leaves out what the returns of the open statement will take at its close.",
	Class:    "robust",
	Currency: "USD",
	New:      vendorNewStatementPoints,
}
