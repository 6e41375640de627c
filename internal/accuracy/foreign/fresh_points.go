package foreign

import (
	"slices"
	"time"
)

// freshPoints is a telephone company's points: lots that ripen into a pocket.
type freshPoints struct {
	freshDesk[freshPointsBook]
}

// freshPointsBook is the hot table of lots, and when it is swept next.
type freshPointsBook struct {
	lots  []*freshPointsLot
	sweep time.Time
}

// freshPointsLot is the points of one purchase that have not ripened.
type freshPointsLot struct {
	p      *freshPurchase
	points int64
	ripe   time.Time
}

var freshPointsDesign = Design{
	Name: "fresh-points",
	Source: "NTT Docomo d CARD and d POINT CLUB, from memory and service.smt.docomo.ne.jp (1 point for each ¥100 of a payment, or two per ¥200, full steps only; 1 point is ¥1; credited in the month after the payment, on or about the 10th); " +
		"paper, section 4.3 (V2)",
	Published: "1 point for every full ¥100 of each purchase, and 1 more for every full ¥200 of it in the categories GROCERY and FUEL (partner shops). One point is one yen. " +
		"Points are shown as soon as the purchase clears and can be used from the beginning of the 10th of the month after that (UTC), in any number; they do not lapse. " +
		"If a purchase is cancelled, returned, refunded in part or charged back, at any time, its points are counted again on what you keep and the rest is taken back at once; " +
		"points that you have used already are owed and made good by the points that you get next. " +
		freshGuessNewest,
	How: "Points live in lots, one per purchase, in a hot table. In the night to the 10th a sweep adds all ripe lots to the pocket and moves their rows to the archive. " +
		"The return handler looks for the lot of the purchase in the hot table only; if there is none it logs \"no points for this payment\", as it does for purchases that were too small to earn any, and is done. " +
		"The sweep was a rescue: the table had grown until the balance page took seconds, and nobody thought of returns, since shops take goods back for a fortnight and \"by the 10th it is all over\". " +
		"The test for returns buys and returns on one day.",
	Class: "V2",
	Leak: "A return after the 10th of the month after the purchase takes nothing back. Buy for ¥200,000 on 3 June (2,000 points), use 2,000 points on 10 July, return it on 15 July: ¥2,000 are kept on nothing. " +
		"Bought on 30 June, a return on 11 July does it.",
	Currency: "JPY",
	New: func() Engine {
		e := &freshPoints{}
		e.house = e
		return e
	},
}

// freshPointsCount is how many points there are for what is kept of a purchase.
func freshPointsCount(p *freshPurchase) int64 {
	points := p.kept() / 100
	if p.category == "GROCERY" || p.category == "FUEL" {
		points += p.kept() / 200
	}
	return points
}

// freshPointsRipe is the 10th of the month after a time.
func freshPointsRipe(t time.Time) time.Time { return freshMonth(t).AddDate(0, 1, 9) }

// freshPointsSweep is the first 10th after a time.
func freshPointsSweep(t time.Time) time.Time {
	if tenth := freshMonth(t).AddDate(0, 0, 9); tenth.After(t) {
		return tenth
	}
	return freshPointsRipe(t)
}

func (e *freshPoints) opened(f *freshFile[freshPointsBook]) { f.own.sweep = freshPointsSweep(f.opened) }

func (e *freshPoints) moved(f *freshFile[freshPointsBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	if cleared != nil {
		lot := &freshPointsLot{p: cleared, points: freshPointsCount(cleared), ripe: freshPointsRipe(cleared.cleared)}
		if lot.points > 0 {
			f.own.lots = append(f.own.lots, lot)
			f.change(e.now, lot.points, cleared.id, nil, "points")
		}
	}
	for _, p := range others {
		lot := f.own.lot(p)
		if lot == nil {
			continue // no points for this payment
		}
		points := freshPointsCount(p)
		f.change(e.now, points-lot.points, p.id, by, "cancellation")
		lot.points = points
	}
}

// lot finds the lot of a purchase.
func (b *freshPointsBook) lot(p *freshPurchase) *freshPointsLot {
	if i := slices.IndexFunc(b.lots, func(lot *freshPointsLot) bool { return lot.p == p }); i >= 0 {
		return b.lots[i]
	}
	return nil
}

// run sweeps on each 10th that has come.
func (e *freshPoints) run(f *freshFile[freshPointsBook]) {
	for ; !e.now.Before(f.own.sweep); f.own.sweep = freshPointsRipe(f.own.sweep) {
		f.own.lots = slices.DeleteFunc(f.own.lots, func(lot *freshPointsLot) bool { return !lot.ripe.After(f.own.sweep) })
	}
}

// spendable is the pocket: all but what is in lots.
func (e *freshPoints) spendable(f *freshFile[freshPointsBook]) int64 {
	pocket := f.balance
	for _, lot := range f.own.lots {
		pocket -= lot.points
	}
	return pocket
}
