package foreign

import (
	"slices"
	"time"

	"recoup/internal/issuer"
)

var latestfYenDesign = Design{
	Name:   "latest-yen",
	Source: "Sumitomo Mitsui V Points: 1 point per 200 yen of the month's total (smbc-card.com/nyukai/magazine/tips/cashback-when.jsp), points set off against the bill; bonus days by date as Rakuten's card has them on days with a 5 or 0 (lifestyle.assist-all.co.jp/rakuten-5day-point4x-entry-guide); paper section 5.3, issuers D and E",
	Published: "One point for every 200 yen of your net purchases of a calendar month, and one more for every 200 yen of those made on the 5th, 15th and 25th; what is left over below 200 yen of either total earns nothing. A point is one yen. Days and months are those of Japan, by purchase date. " +
		"The points of a month are credited on the 10th of the next; purchases that reach us after that are added at once. Every 20th, points in full hundreds are paid out to your bank account without being asked; what you have can also be redeemed at any time from 1 point. " +
		"Returns and won disputes, at any time, reduce the totals of the month (and, if so, of the bonus days) of the purchase, and points that have been credited above that are taken off at once. If you have too few, you owe them: your points show below zero, and later ones are set against that before anything is paid. " +
		"A refund without the purchase's number is set against your latest purchase at the shop before it, or else your latest one.",
	How: "Month sheets. Every purchase is a line on the sheet of its month; a return strikes its amount from the line. A sheet that has been credited is worked out again when a line changes, and the difference is posted. " +
		"Credits on the 10th and payments on the 20th are run by the clock in order.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return &latestfYen{latestfOpenHouse(func() *latestfYenAccount {
			return &latestfYenAccount{desk: latestfNewDesk(), book: latestfNewBook(), sheets: map[int]*latestfSheet{}}
		})}
	},
}

// latestfJapan has had no summer time since 1951.
var latestfJapan = time.FixedZone("JST", 9*60*60)

type latestfYen struct {
	latestfHouse[*latestfYenAccount]
}

type latestfYenAccount struct {
	desk   latestfDesk
	book   latestfBook
	sheets map[int]*latestfSheet // by month, as 12 times the year and the month
}

// latestfSheet has the purchases of one month.
type latestfSheet struct {
	due      time.Time
	lines    []*latestfPurchase
	credited bool
	points   int64 // that have been posted
}

// latestfYenTask is something that the clock has to do.
type latestfYenTask struct {
	at  time.Time
	run func()
}

// SetClock runs credits and payments that have become due, in the order of their dates.
func (e *latestfYen) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	for _, name := range e.names {
		a := e.accounts[name]
		var tasks []latestfYenTask
		for _, s := range a.sheets {
			if !s.credited && !s.due.After(now) {
				tasks = append(tasks, latestfYenTask{s.due, func() {
					s.credited = true
					a.work(s.due, s, "", "", "points of the month")
				}})
			}
		}
		// Nothing can have been there to pay before the first date.
		if !e.now.IsZero() {
			for day := latestfYenDay(e.now, 0, 20); !day.After(now); day = latestfYenDay(day, 1, 20) {
				if day.After(e.now) {
					tasks = append(tasks, latestfYenTask{day, func() { a.pay(day) }})
				}
			}
		}
		slices.SortStableFunc(tasks, func(x, y latestfYenTask) int { return x.at.Compare(y.at) })
		for _, task := range tasks {
			task.run()
		}
	}
	e.now = now
	return nil
}

// latestfYenDay is the start of a day of t's month in Japan, some months on.
func latestfYenDay(t time.Time, on, day int) time.Time {
	t = t.In(latestfJapan)
	return time.Date(t.Year(), t.Month()+time.Month(on), day, 0, 0, 0, 0, latestfJapan)
}

// work brings the postings of a sheet up to date.
func (a *latestfYenAccount) work(now time.Time, s *latestfSheet, transaction, credit, note string) {
	if !s.credited {
		return
	}
	var all, bonus int64
	for _, p := range s.lines {
		all += p.net()
		if p.at.In(latestfJapan).Day()%10 == 5 {
			bonus += p.net()
		}
	}
	points := all/200 + bonus/200
	kind := Earned
	if points < s.points {
		kind = Reversed
	}
	a.book.post(now, kind, points-s.points, transaction, credit, note)
	s.points = points
}

// pay pays full hundreds out.
func (a *latestfYenAccount) pay(day time.Time) {
	if b := a.book.balance(); b >= 100 {
		a.book.post(day, Paid, -(b - b%100), "", "", "paid to your bank account")
	}
}

func (a *latestfYenAccount) sheet(p *latestfPurchase) *latestfSheet {
	day := p.at.In(latestfJapan)
	month := 12*day.Year() + int(day.Month())
	if a.sheets[month] == nil {
		a.sheets[month] = &latestfSheet{due: latestfYenDay(p.at, 1, 10)}
	}
	return a.sheets[month]
}

// CloseStatement does nothing: the month closes by the clock.
func (e *latestfYen) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfYen) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	sheet := a.sheet(p)
	sheet.lines = append(sheet.lines, p)
	if !sheet.due.After(e.now) {
		sheet.credited = true // late for its month's credit
	}
	a.work(e.now, sheet, p.id, "", "points for a late purchase")
	a.strike(e.now, a.desk.early(p))
	return nil
}

func (e *latestfYen) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.strike(e.now, hits)
	return err
}

func (e *latestfYen) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.strike(e.now, hits)
	return err
}

func (a *latestfYenAccount) strike(now time.Time, hits []latestfHit) {
	for _, h := range hits {
		a.work(now, a.sheet(h.p), h.p.id, h.credit, "points of the month, less what was returned")
	}
}

func (e *latestfYen) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.book.balance()), nil
}

// PaidOut is what the 20ths have paid.
func (e *latestfYen) PaidOut(account string) (int64, error) {
	a, err := e.find(account)
	if err != nil {
		return 0, err
	}
	return a.book.paid, nil
}

func (e *latestfYen) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: max(0, a.book.balance())}, nil
}

func (e *latestfYen) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
