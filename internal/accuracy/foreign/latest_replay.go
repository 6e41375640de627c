package foreign

import (
	"maps"
	"slices"
	"time"

	"recoup/internal/issuer"
)

var latestfReplayDesign = Design{
	Name:   "latest-replay",
	Source: "Chase Freedom Flex: 5% in categories that change each quarter, on up to $1,500 of combined purchases, then 1% (creditcards.chase.com/freedom-credit-cards/flexfaq; cardsandpoints.com/chase-freedom-flex); paper section 4.1: f of net spend",
	Published: "5% on up to 1,500.00 of net purchases per calendar quarter (UTC, by purchase date) in the category of the quarter, 1% above that and on everything else. Categories: January to March supermarkets (MCC 5411), April to June petrol stations (5541, 5542), " +
		"July to September restaurants (5811-5814), October to December department stores and other shops (5311, 5999). Rewards are those on the quarter's net purchases, rounded once to the nearest cent, and always up to date: they post with the purchase and can be redeemed at once. " +
		"A return or a won dispute, however late, changes the quarter of the purchase: we work that quarter out again as if you had never bought what you returned. So if you bought more than 1,500.00 in the category, other purchases move up into the 5%. If you have redeemed more than is then due, your balance is below zero and new rewards make up for that first. " +
		"A refund that names no purchase is set against the latest purchase before it at that shop, or else the latest one of all.",
	How: "Event sourcing. Nothing is stored but the log of facts as they came in. After every new fact all of the log is played again into an empty intake, purchases by their date and then credits as they came, " +
		"the quarters are worked out from what is left of each purchase, and the differences from what the postings say are posted.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		return &latestfReplay{latestfOpenHouse(func() *latestfReplayAccount {
			return &latestfReplayAccount{book: latestfNewBook(), known: map[string]bool{}, posted: map[int]int64{}}
		})}
	},
}

const latestfReplayCap = 150000

type latestfReplay struct {
	latestfHouse[*latestfReplayAccount]
}

type latestfReplayAccount struct {
	log    []latestfEvent
	known  map[string]bool
	book   latestfBook
	posted map[int]int64 // by quarter
}

// latestfEvent is a fact with the time at which it came in.
type latestfEvent struct {
	at         time.Time
	settlement *issuer.Settlement
	refund     *issuer.Refund
	chargeback *issuer.Chargeback
}

// SetClock moves the time. Nothing in this program waits for a date.
func (e *latestfReplay) SetClock(now time.Time) error {
	if now.Before(e.now) {
		return errLatestfClock
	}
	e.now = now
	return nil
}

// CloseStatement does nothing: rewards are always up to date.
func (e *latestfReplay) CloseStatement(account string) error {
	_, err := e.find(account)
	return err
}

func (e *latestfReplay) Settle(s issuer.Settlement) error {
	a, err := e.find(s.Account)
	if err != nil {
		return err
	}
	if s.At.IsZero() {
		s.At = e.now
	}
	return a.take("settlement "+s.Transaction, s.Transaction, "", latestfEvent{at: e.now, settlement: &s})
}

func (e *latestfReplay) Refund(r issuer.Refund) error {
	a, err := e.find(r.Account)
	if err != nil {
		return err
	}
	return a.take("refund "+r.Refund, r.Transaction, r.Refund, latestfEvent{at: e.now, refund: &r})
}

func (e *latestfReplay) Chargeback(c issuer.Chargeback) error {
	a, err := e.find(c.Account)
	if err != nil {
		return err
	}
	return a.take("chargeback "+c.Chargeback, c.Transaction, c.Chargeback, latestfEvent{at: e.now, chargeback: &c})
}

// take adds a new fact to the log and posts what it changes.
func (a *latestfReplayAccount) take(key, transaction, credit string, event latestfEvent) error {
	if a.known[key] {
		return nil
	}
	log := append(slices.Clip(a.log), event)
	due, err := latestfReplayed(log)
	if err != nil {
		return err // a fact that makes no sense does not get into the log
	}
	a.known[key] = true
	a.log = log
	quarters := slices.Sorted(maps.Keys(due))
	for _, q := range quarters {
		diff := due[q] - a.posted[q]
		kind, note := Earned, "rewards of the quarter"
		switch {
		case diff < 0:
			kind, note = Reversed, "rewards of the quarter, worked out again"
		case event.settlement == nil:
			kind, note = Adjusted, "rewards of the quarter, worked out again"
		}
		a.book.post(event.at, kind, diff, transaction, credit, note)
		a.posted[q] = due[q]
	}
	return nil
}

// latestfReplayed plays a log from nothing and gives what each quarter has earned.
func latestfReplayed(log []latestfEvent) (map[int]int64, error) {
	desk := latestfNewDesk()
	var purchases []latestfEvent
	for _, e := range log {
		if e.settlement != nil {
			purchases = append(purchases, e)
		}
	}
	slices.SortStableFunc(purchases, func(x, y latestfEvent) int { return x.settlement.At.Compare(y.settlement.At) })
	for _, e := range purchases {
		if _, err := desk.settle(*e.settlement, e.at); err != nil {
			return nil, err
		}
	}
	for _, e := range log {
		var err error
		switch {
		case e.refund != nil:
			_, err = desk.refund(*e.refund, e.at)
		case e.chargeback != nil:
			_, err = desk.chargeback(*e.chargeback, e.at)
		}
		if err != nil {
			return nil, err
		}
	}
	high, all := map[int]int64{}, map[int]int64{}
	for _, p := range desk.order {
		q := latestfQuarter(p.at)
		all[q] += p.net()
		if latestfReplayHigh(p) {
			high[q] += p.net()
		}
	}
	due := map[int]int64{}
	for q := range all {
		due[q] = latestfHalfUp(all[q]+4*min(high[q], latestfReplayCap), 100)
	}
	return due, nil
}

// latestfQuarter numbers the quarters of all years.
func latestfQuarter(t time.Time) int {
	t = t.UTC()
	return 4*t.Year() + (int(t.Month())-1)/3
}

// latestfReplayHigh says whether a purchase is in the category of its quarter.
func latestfReplayHigh(p *latestfPurchase) bool {
	switch latestfQuarter(p.at) % 4 {
	case 0:
		return p.mcc == "5411"
	case 1:
		return p.mcc == "5541" || p.mcc == "5542"
	case 2:
		return p.mcc >= "5811" && p.mcc <= "5814"
	}
	return p.mcc == "5311" || p.mcc == "5999"
}

func (e *latestfReplay) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.find(r.Account)
	if err != nil {
		return false, err
	}
	return a.book.redeem(r, a.book.balance()), nil
}

func (e *latestfReplay) Balance(account string) (issuer.Balance, error) {
	a, err := e.find(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.book.balance(), Redeemable: max(0, a.book.balance())}, nil
}

func (e *latestfReplay) Postings(account string) []Posting {
	a, err := e.find(account)
	if err != nil {
		return nil
	}
	return a.book.export()
}
