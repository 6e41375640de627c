package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// This program has a meter of the month that decides what a grocery point is worth, and
// a single routine that asks the meter: for purchases, and for returns too.

const newestAMeterStep = 1_000_00

var newestAMeter = Design{
	Name: "newest-month-meter",
	Source: "National Bank of Canada: a higher rate for groceries and restaurants until $1,000 (World Elite: $2,500) 'in gross monthly purchases is charged to the " +
		"account' (nationalbank.com/personal/notice.html, note 1); and 'This is based on the rewards or " +
		"cashback program in effect at the time of return' (nbc.ca help centre, 'What happens to my points or cashback after I return a purchase')",
	Published: "Groceries and dining earn 5 points a dollar while your purchases of all kinds in the calendar month (UTC), returned or not, have not passed " +
		"$1,000, and 2 points a dollar from there on; a purchase that passes the mark earns either rate on its part. Everything else earns 1 point a dollar. Fractions of a " +
		"point are dropped, once a purchase. A point is worth a cent; it can be redeemed as soon as the purchase posts. " +
		"A return, whenever it comes, takes back the points of what was returned, fractions rounded up; this may leave you owing points. " +
		"Returns without reference are taken from your latest purchases, first those at the same merchant.",
	How: "A return is rated by the month in which it posts, as if it were a purchase there: if that month's meter stands above $1,000 groceries and dining are taken back at 2 " +
		"points a dollar, otherwise at 5, though never at more than its share of what the purchase has earned. Debts are carried.",
	Class: "other",
	Leak: "Whoever returns groceries in a month that has already passed $1,000 loses 2 points a dollar of the 5 that were earned. Buy groceries for $400 in January: 2000 points. " +
		"Pay a $1,100 bill in February: 1100 points. Return the groceries in February: 800 points go, and $12.00 stay with nothing bought. The same return in " +
		"a quiet month costs all $20.00.",
	Currency: "CAD",
	New:      func() Engine { return &newestAMeters{} },
}

type newestAMeters struct {
	newestAOffice[newestAMetered]
}

type newestAMetered struct {
	newestAFile
	meter map[int]int64    // purchases by month, returned or not
	raw   map[string]int64 // hundredths of points by purchase
	taken map[string]int64
	// dues are hundredths of points that returns have come to, by purchase: they
	// are summed before they are rounded, so that parts cost what the whole does.
	dues map[string]int64
}

func (e *newestAMeters) Open(account string) error {
	return e.add(account, &newestAMetered{
		newestAFile: newestANewFile(),
		meter:       map[int]int64{},
		raw:         map[string]int64{},
		taken:       map[string]int64{},
		dues:        map[string]int64{},
	})
}

func (e *newestAMeters) SetClock(now time.Time) error {
	_, err := e.tick(now)
	return err
}

// rate is what the program in effect pays in a month for a category, in points a dollar.
func (a *newestAMetered) rate(kind string, month int) int64 {
	switch {
	case kind != "grocery" && kind != "dining":
		return 1
	case a.meter[month] > newestAMeterStep:
		return 2
	}
	return 5
}

func (e *newestAMeters) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err != nil {
		return err
	}
	at := e.when(s.At)
	sale, hits, err := a.sell(s, at)
	if sale == nil {
		return err
	}
	month := newestAMonth(at)
	before := a.meter[month]
	a.meter[month] += sale.amount
	points := sale.amount
	if kind := newestAKind(sale.mcc, sale.category); a.rate(kind, month) > 1 {
		high := max(0, min(sale.amount, newestAMeterStep-before))
		points = 5*high + 2*(sale.amount-high)
	}
	a.raw[sale.id] = points
	a.correct(e.now, points/100, sale.id, "", "points")
	e.takeBack(a, hits)
	return nil
}

// takeBack takes points for what came back, at today's rates.
func (e *newestAMeters) takeBack(a *newestAMetered, hits []newestAHit) {
	for _, h := range hits {
		kind := newestAKind(h.sale.mcc, h.sale.category)
		raw := a.raw[h.sale.id]
		share := raw - newestADown(raw, h.sale.amount-h.amount, h.sale.amount)
		a.dues[h.sale.id] += min(share, h.amount*a.rate(kind, newestAMonth(e.now)))
		points := min((a.dues[h.sale.id]+99)/100, raw/100)
		delta := points - a.taken[h.sale.id]
		a.taken[h.sale.id] = points
		a.correct(e.now, -delta, h.sale.id, h.by, "points for a return")
	}
}

func (e *newestAMeters) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.refund(r)
	e.takeBack(a, hits)
	return err
}

func (e *newestAMeters) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.chargeback(c)
	e.takeBack(a, hits)
	return err
}

func (e *newestAMeters) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.file(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, max(0, a.balance())), nil
}

func (e *newestAMeters) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, a.balance())}, nil
}

func (e *newestAMeters) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
