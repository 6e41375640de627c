package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// vendorPendingWallet is a supermarket's wallet: what a purchase earns is pending for 35
// days and enters the ledger only then, worked out on what is left of the purchase on that
// day. Returns after that day move the entry.
type vendorPendingWallet struct {
	vendorHouse[vendorWalletAccount]
}

type vendorWalletAccount struct {
	book    vendorBook
	till    vendorTill
	pending []*vendorBuy // by the day on which they are released
}

const (
	vendorWalletHold = 35 * vendorDay
	vendorWalletStep = 250
)

func vendorNewPendingWallet() Engine {
	return &vendorPendingWallet{vendorNewHouse(
		func() *vendorWalletAccount { return &vendorWalletAccount{} },
		func(a *vendorWalletAccount, now time.Time) {
			for len(a.pending) > 0 && !a.pending[0].at.Add(vendorWalletHold).After(now) {
				b := a.pending[0]
				a.pending = a.pending[1:]
				b.mark = 1
				a.fix(b.at.Add(vendorWalletHold), b, "", "released")
			}
		},
		func(a *vendorWalletAccount) *vendorBook { return &a.book })}
}

// fix brings the entry of a purchase that was released (mark) to what its net amount earns.
func (a *vendorWalletAccount) fix(at time.Time, b *vendorBuy, refund, note string) {
	b.seen = b.net()
	if b.mark == 0 {
		return
	}
	due := vendorShare(b.net(), b.rate, 10_000)
	a.book.move(at, due-b.gain, b.id, refund, note)
	b.gain = due
}

// Settle files a purchase under the day of its release.
func (e *vendorPendingWallet) Settle(s issuer.Settlement) error {
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
	rate := int64(50)
	if vendorIn("GROCERY", s.Category, s.MCC) {
		rate = 300
	}
	buys := a.till.add(s, e.when(s.At), rate)
	b := buys[0]
	if b.at.Add(vendorWalletHold).After(e.now) {
		i := sort.Search(len(a.pending), func(i int) bool { return a.pending[i].at.After(b.at) })
		a.pending = append(a.pending, nil)
		copy(a.pending[i+1:], a.pending[i:])
		a.pending[i] = b
	} else {
		b.mark = 1 // it came so late that the days have passed
	}
	for _, b := range buys {
		a.fix(e.now, b, "", "released")
	}
	return nil
}

// Refund lowers what is pending or what was released.
func (e *vendorPendingWallet) Refund(r issuer.Refund) error {
	return e.back(r.Account, vendorRefunded(r))
}

// Chargeback is a return.
func (e *vendorPendingWallet) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, vendorCharged(c))
}

func (e *vendorPendingWallet) back(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	for _, b := range a.till.ret(r) {
		a.fix(e.now, b, r.id, "return")
	}
	return nil
}

// Redeem gives vouchers of 2.50.
func (e *vendorPendingWallet) Redeem(r issuer.Redemption) (bool, error) {
	b, err := e.Balance(r.Account)
	if err != nil || r.Amount%vendorWalletStep != 0 {
		return false, err
	}
	return e.accts[r.Account].book.pay(r, b.Redeemable), nil
}

// Balance shows what was released; what is pending is not in it.
func (e *vendorPendingWallet) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	x := a.book.balance()
	return issuer.Balance{Balance: x, Redeemable: vendorFloor0(x) / vendorWalletStep * vendorWalletStep}, nil
}

var vendorWalletDesign = Design{
	Name:   "vendor-wallet-35-days",
	Source: "retailers' points that are pending until the time for returns is over (help.betterwayhealth.com, approved, pending and cancelled points: 30 days; rewardgateway.com on pending cashback)",
	Published: "3% of every GROCERY purchase (MCC 5411) and 0.5% of every other one goes to your wallet, worked out per purchase on what is left of it after returns and rounded down to whole cents. It is pending for 35 days (35 times 24 hours) from the time of the purchase and not in the balance shown; then it is released and can be redeemed. A purchase that reaches us later than that is released at once." +
		" Redemption is in vouchers of EUR 2.50 and multiples of it. A return within the 35 days lowers what is pending; a later one lowers the balance to what the purchase's remainder earns, below zero if need be, and the minus stays until it is made up." + vendorLooseTerms,
	How:      "A queue of purchases by their day of release, worked off by the clock; entries are dated as of that day. Every later return moves the entry of its purchase to rate times net amount, rounded down, so that returns in parts come to the same as one.",
	Class:    "robust",
	Currency: "EUR",
	New:      vendorNewPendingWallet,
}
