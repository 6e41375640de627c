package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// vendorYearJournal is a card whose rate rises with the year's spend and whose cash back
// is paid as a statement credit by itself. Between statements it does nothing but write
// down what has come in. At a statement close the whole journal of the account is played
// again from its start into net purchases per year, the cash back of all years is worked
// out anew, the difference to what was posted is posted, and what is there is paid.
type vendorYearJournal struct {
	vendorHouse[vendorJournalAccount]
}

type vendorJournalAccount struct {
	book    vendorBook
	journal []vendorFact
	dirty   bool
	closeAt time.Time
}

// vendorFact is one line of the journal: a purchase or a return.
type vendorFact struct {
	buy *issuer.Settlement
	ret *vendorReturn
}

func vendorNewYearJournal() Engine {
	return &vendorYearJournal{vendorNewHouse(
		func() *vendorJournalAccount { return &vendorJournalAccount{} },
		vendorJournalDue,
		func(a *vendorJournalAccount) *vendorBook { return &a.book })}
}

func vendorJournalDue(a *vendorJournalAccount, now time.Time) {
	if a.closeAt.IsZero() {
		a.closeAt = vendorMonthAfter(now)
	}
	if now.Before(a.closeAt) {
		return
	}
	if a.dirty {
		a.dirty = false
		a.book.move(a.closeAt, a.replay()-a.book.sum-a.book.paid, "", "", "cash back of the statement")
		if b := a.book.balance(); b > 0 {
			a.book.post(a.closeAt, Paid, -b, "", "", "statement credit")
		}
	}
	a.closeAt = vendorMonthAfter(now)
}

// replay is the cash back that the journal so far is worth.
func (a *vendorJournalAccount) replay() int64 {
	var till vendorTill
	net := map[int]int64{}
	count := func(buys []*vendorBuy) {
		for _, b := range buys {
			net[b.at.Year()] += b.net() - b.seen
			b.seen = b.net()
		}
	}
	for _, f := range a.journal {
		if f.ret != nil {
			count(till.ret(*f.ret))
		} else if till.takes(*f.buy) {
			rate := int64(100)
			if n := net[f.buy.At.Year()]; n >= 2_500_000 {
				rate = 200
			} else if n >= 1_000_000 {
				rate = 150
			}
			count(till.add(*f.buy, f.buy.At, rate))
		}
	}
	var sum int64
	for _, n := range net {
		sum += vendorYearReward(n)
	}
	return sum
}

// vendorYearReward: 1% of the first 10,000, 1.5% of the next 15,000, 2% above; to the
// nearest cent.
func vendorYearReward(net int64) int64 {
	one := min(net, 1_000_000)
	half := min(vendorFloor0(net-1_000_000), 1_500_000)
	two := vendorFloor0(net - 2_500_000)
	return (one*10 + half*15 + two*20 + 500) / 1000
}

// Settle writes a purchase down.
func (e *vendorYearJournal) Settle(s issuer.Settlement) error {
	a, err := e.get(s.Account)
	if err != nil {
		return err
	}
	if s.Transaction == "" {
		return errVendorID
	}
	s.At = e.when(s.At)
	a.journal, a.dirty = append(a.journal, vendorFact{buy: &s}), true
	return nil
}

// Refund writes a return down.
func (e *vendorYearJournal) Refund(r issuer.Refund) error {
	return e.write(r.Account, vendorRefunded(r))
}

// Chargeback writes a return down.
func (e *vendorYearJournal) Chargeback(c issuer.Chargeback) error {
	return e.write(c.Account, vendorCharged(c))
}

func (e *vendorYearJournal) write(account string, r vendorReturn) error {
	a, err := e.get(account)
	if err != nil {
		return err
	}
	if r.id == "" {
		return errVendorID
	}
	a.journal, a.dirty = append(a.journal, vendorFact{ret: &r}), true
	return nil
}

// Redeem refuses: cash back is paid without being asked for.
func (e *vendorYearJournal) Redeem(r issuer.Redemption) (bool, error) {
	_, err := e.get(r.Account)
	return false, err
}

// PaidOut is the sum of the statement credits.
func (e *vendorYearJournal) PaidOut(account string) (int64, error) {
	a, err := e.get(account)
	if err != nil {
		return 0, err
	}
	return a.book.paid, nil
}

// Balance is zero after a close, or what is owed.
func (e *vendorYearJournal) Balance(account string) (issuer.Balance, error) {
	a, err := e.get(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance()}, nil
}

var vendorJournalDesign = Design{
	Name:   "vendor-year-tiers",
	Source: "cards with annual spend limits per rate (dupagecu.com, limits to cash back) and cash back credited automatically; cash back on purchases minus credits or returns (lawinsider.com/clause/cash-back-rewards)",
	Published: "Cash back on net purchases of the calendar year (UTC, by the day of the purchase; MCC and category do not matter): 1% on the first $10,000.00, 1.5% on the next $15,000.00, 2% above $25,000.00, rounded to the nearest cent on the total of the year (half a cent up)." +
		" On the first of each month at 00:00 UTC your statement closes: the cash back of every year is worked out from all net purchases known by then, the difference to what was posted before is posted, and a balance above zero is credited to your statement at once. There is no redemption on request." +
		" A return lowers the net purchases of the year of its purchase, whenever it posts; a negative balance is set against later cash back without limit of time." + vendorLooseTerms,
	How:      "Events are only written to a journal; at each close by the clock the account's journal is replayed as a whole and the difference posted, dated as of the close; then a positive balance is paid out as a posting of kind paid.",
	Class:    "robust",
	Currency: "USD",
	New:      vendorNewYearJournal,
}
