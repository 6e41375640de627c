package foreign

import (
	"time"

	"recoup/internal/issuer"
)

var latestfLedgerDayDesign = Design{
	Name:   "latest-ledgerday",
	Source: "Canadian card rewards: points are the earn rate times net purchases, to the nearest dollar, and a statement with more refunds than purchases deducts points from those there are or those to come (lawinsider.com/clause/points-issuance); paper section 5.2, issuer B",
	Published: "2 points per dollar on groceries and pharmacies (MCC 5411, 5912), 1 point per dollar on everything else, no cap; a point is worth one cent. " +
		"Points are worked out when your statement closes, at the end of each calendar month (UTC), on the net purchases of each kind: purchases less refunds and won disputes, rounded to the nearest dollar, 50 cents up. " +
		"They are credited with the statement and can be redeemed from then on, in any number. A purchase that reaches us after the statement of its month is on the next one. " +
		"If a statement has more refunds than purchases, points are deducted at the same rates; your points can go below zero, and new ones then make up for that first. Points for a refund that we have, and that is still to be on a statement, cannot be redeemed. " +
		"A refund that does not name its purchase is set against your latest purchase at that shop, or else your latest one.",
	How: "A statement job, run at the turn of each month. It takes all purchases dated before the close that are on no statement yet, and all credits whose posting date lies between the last close and this one, adds up by kind and writes one line for each. " +
		"Lines below zero are carried. What credits of the running month will deduct is held back from redemptions.",
	Class: "V2",
	Leak: "Purchases are picked by a flag, but credits by their date. A refund that is dated in a month whose statement has closed before the refund came in is in no statement's window: it deducts nothing, ever. " +
		"Buy groceries for 1,000.00 on 28 May, and have the shop take them back on the evening of 31 May. Its credit, dated 31 May, comes in on 2 June. The statement of May has credited 2,000 points ($20), that of June deducts none.",
	Currency: "CAD",
	New: func() Engine {
		return &latestfLedgerDay{latestfOpenHouse(func() *latestfLedgerDayAccount {
			return &latestfLedgerDayAccount{desk: latestfNewDesk(), book: latestfNewBook()}
		})}
	},
}

type latestfLedgerDay struct {
	latestfHouse[*latestfLedgerDayAccount]
}

type latestfLedgerDayAccount struct {
	desk    latestfDesk
	book    latestfBook
	billed  map[*latestfPurchase]bool
	credits []latestfHit // all that ever came, by arrival
}

// SetClock runs the statement job for every month that has ended since it was last moved.
func (e *latestfLedgerDay) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	// Before its first date the program has no months to close.
	if !e.now.IsZero() {
		for close := latestfMonth(e.now, 1); !close.After(now); close = latestfMonth(close, 1) {
			for _, name := range e.names {
				e.accounts[name].statement(latestfMonth(close, -1), close)
			}
		}
	}
	e.now = now
	return nil
}

// statement writes the points of the window from open up to, and without, close.
func (a *latestfLedgerDayAccount) statement(open, close time.Time) {
	var net [2]int64
	var any [2]bool
	for _, p := range a.desk.order {
		if a.billed[p] || !p.at.Before(close) {
			continue
		}
		if a.billed == nil {
			a.billed = map[*latestfPurchase]bool{}
		}
		a.billed[p] = true
		net[latestfLedgerDayKind(p)] += p.price
		any[latestfLedgerDayKind(p)] = true
	}
	for _, c := range a.credits {
		if !c.at.Before(open) && c.at.Before(close) {
			net[latestfLedgerDayKind(c.p)] -= c.amount
			any[latestfLedgerDayKind(c.p)] = true
		}
	}
	for kind, cents := range net {
		if !any[kind] {
			continue
		}
		points := latestfLedgerDayPoints(kind, cents)
		entry := Earned
		if points < 0 {
			entry = Reversed
		}
		a.book.post(close, entry, points, "", "", []string{"points on net purchases", "points on net groceries and pharmacy"}[kind])
	}
}

// latestfLedgerDayKind is 1 for what earns double.
func latestfLedgerDayKind(p *latestfPurchase) int {
	if p.mcc == "5411" || p.mcc == "5912" {
		return 1
	}
	return 0
}

func latestfLedgerDayPoints(kind int, cents int64) int64 {
	return int64(kind+1) * latestfHalfUp(cents, 100)
}

// held is what credits of the running month, or of one to come, will deduct.
func (a *latestfLedgerDayAccount) held(now time.Time) int64 {
	var cents [2]int64
	for _, c := range a.credits {
		if !c.at.Before(latestfMonth(now, 0)) && a.billed[c.p] {
			cents[latestfLedgerDayKind(c.p)] += c.amount
		}
	}
	return latestfLedgerDayPoints(0, cents[0]) + latestfLedgerDayPoints(1, cents[1])
}

// CloseStatement does nothing: statements close by the clock.
func (e *latestfLedgerDay) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfLedgerDay) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	p, err := a.desk.settle(s, e.now)
	if err != nil || p == nil {
		return err
	}
	a.credits = append(a.credits, a.desk.early(p)...)
	return nil
}

func (e *latestfLedgerDay) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.refund(r, e.now)
	a.credits = append(a.credits, hits...)
	return err
}

func (e *latestfLedgerDay) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.desk.chargeback(c, e.now)
	a.credits = append(a.credits, hits...)
	return err
}

func (e *latestfLedgerDay) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.book.balance()-a.held(e.now)), nil
}

func (e *latestfLedgerDay) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	b := a.book.balance()
	return issuer.Balance{Balance: b, Redeemable: max(0, b-a.held(e.now))}, nil
}

func (e *latestfLedgerDay) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
