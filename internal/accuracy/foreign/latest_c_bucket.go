package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestCBucketDesign = Design{
	Name:   "latest-one-carry",
	Source: "points on net purchases of a statement, by category: \"If your Account statement shows more refunds than Purchases, Points will be deducted from accumulated Point balance or from Points to be issued in the future\" (lawinsider.com, Points Issuance, 11 contracts); the two-statement carry is section 5.3's floor at zero, one statement later",
	Published: `With each statement you earn 3% on your net purchases of travel (MCC 4511, 4722, 7011), 2% on your net purchases of dining (5812, 5813, 5814) and 1% on all other net purchases, rounded in each category to the nearest cent (half a cent to the even cent). Statements close on the first day of each month (00:00 UTC) and take in what posted in the month before. What is granted can be redeemed at once in any amount.
Net purchases are purchases less returns. A return counts in the category of its purchase and in the statement in which it posts. If a statement shows more returns than purchases in a category it earns nothing there, and what is over is deducted from purchases to come. Refunds above the price have no effect on rewards. A refund that names no purchase counts in the category of the merchant.`,
	How:      "A monthly batch over three buckets of debits and credits. At the close a bucket pays its rate on debits less credits plus the carry of the month before, if that is above zero, and then writes the carry anew: what this month's credits are above this month's debits, without what of the old carry is still open. So a return that is larger than the purchases of its category in the month it posts and in the next one loses the rest: the debt is put to zero. Nothing is ever taken from the balance, which has no sign below zero in these books.",
	Class:    "V3(a)",
	Leak:     "Buy a flight for $800.00 in March; on April 1st $24.00 are granted: redeem them. Return the flight in April and buy no travel in April and May. The carry of $800.00 stands against May and is written over at its close. A flight for $800.00 in June earns $24.00 again: $48.00 for $800.00 of net spend, and $24.00 for nothing if nothing is bought. If $300.00 of travel are bought in May, they earn nothing and the other $500.00 are forgotten, $15.00.",
	Currency: "USD",
	New: func() Engine {
		return &latestCBuckets{accounts: map[string]*latestCBucketAccount{}}
	},
}

type latestCBuckets struct {
	now      time.Time
	accounts map[string]*latestCBucketAccount
}

type latestCBucketAccount struct {
	book    latestCBook
	in      latestCIntake
	buckets [3]latestCBucket
}

// latestCBucket is a category of the open statement; carry is of the one before and is
// never above zero.
type latestCBucket struct{ debit, credit, carry int64 }

// latestCBucketOf is the number of a category; the rate is 3% less that.
func latestCBucketOf(mcc string) int {
	switch mcc {
	case "4511", "4722", "7011":
		return 0
	case "5812", "5813", "5814":
		return 1
	}
	return 2
}

// close pays each bucket and starts it anew.
func (a *latestCBucketAccount) close(now time.Time) {
	notes := [3]string{"travel", "dining", "other purchases"}
	for i := range a.buckets {
		k := &a.buckets[i]
		net := k.debit - k.credit
		if paid := net + k.carry; paid > 0 {
			a.book.post(Posting{At: now, Kind: Earned, Amount: latestCHalfEven(paid*int64(3-i), 100), Note: notes[i]})
		}
		// What was left of the old carry goes with it.
		*k = latestCBucket{carry: min(0, net)}
	}
}

func (e *latestCBuckets) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestCBucketAccount{in: latestCNewIntake()}
	}
	return nil
}

func (e *latestCBuckets) SetClock(now time.Time) error {
	now = now.UTC()
	if now.Before(e.now) {
		return nil
	}
	if !e.now.IsZero() {
		for d := latestCMonth(e.now).AddDate(0, 1, 0); !d.After(now); d = d.AddDate(0, 1, 0) {
			for _, a := range e.accounts {
				a.close(d)
			}
		}
	}
	e.now = now
	return nil
}

func (e *latestCBuckets) Settle(s issuer.Settlement) error {
	a := e.accounts[s.Account]
	if a == nil {
		return errLatestCAccount
	}
	b, err := a.in.buy(s, e.now)
	if b == nil {
		return err
	}
	a.buckets[latestCBucketOf(b.mcc)].debit += b.amount
	// Only refunds that name a purchase wait for it here.
	a.in.arrived(b, a.credit)
	return nil
}

func (a *latestCBucketAccount) credit(b *latestCBuy, x int64, _ latestCBack) {
	a.buckets[latestCBucketOf(b.mcc)].credit += x
}

// take books a return; one that names no purchase goes by its own MCC, or by that of the
// last purchase at the merchant if it brings none.
func (a *latestCBucketAccount) take(r latestCBack) {
	if r.of != "" {
		a.in.apply(r, nil, a.credit)
		return
	}
	mcc := r.mcc
	for i := len(a.in.order) - 1; i >= 0 && mcc == "" && r.merchant != ""; i-- {
		if a.in.order[i].merchant == r.merchant {
			mcc = a.in.order[i].mcc
			break
		}
	}
	a.buckets[latestCBucketOf(mcc)].credit += r.amount
}

func (e *latestCBuckets) Refund(r issuer.Refund) error {
	a := e.accounts[r.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.refund(r, e.now); fresh {
		a.take(back)
	}
	return nil
}

func (e *latestCBuckets) Chargeback(c issuer.Chargeback) error {
	a := e.accounts[c.Account]
	if a == nil {
		return errLatestCAccount
	}
	if back, fresh := a.in.chargeback(c, e.now); fresh {
		a.take(back)
	}
	return nil
}

// CloseStatement has nothing to do: statements close by the clock.
func (e *latestCBuckets) CloseStatement(account string) error {
	if e.accounts[account] == nil {
		return errLatestCAccount
	}
	return nil
}

func (e *latestCBuckets) Redeem(r issuer.Redemption) (bool, error) {
	a := e.accounts[r.Account]
	if a == nil {
		return false, errLatestCAccount
	}
	return a.book.redeem(r, max(0, a.book.sum)), nil
}

func (e *latestCBuckets) Balance(account string) (issuer.Balance, error) {
	a := e.accounts[account]
	if a == nil {
		return issuer.Balance{}, errLatestCAccount
	}
	return issuer.Balance{Balance: a.book.sum, Redeemable: max(0, a.book.sum)}, nil
}

func (e *latestCBuckets) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return a.book.list()
	}
	return nil
}
