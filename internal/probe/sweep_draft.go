package probe

import (
	"fmt"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
)

// sweepFrom is the morning of the first purchase.
var sweepFrom = time.Date(examinedFrom, time.January, 5, 10, 0, 0, 0, time.UTC)

// draft is a history in the making. Of several moves on one day each is a minute later.
type draft struct {
	*history
	g     *grid
	from  time.Time
	moves int
}

func (g *grid) draft() *draft {
	return &draft{history: &history{name: fmt.Sprintf("sweep-%d", len(g.cases)+1)}, g: g, from: sweepFrom}
}

func (d *draft) at(day int) time.Time {
	d.moves++
	return d.from.AddDate(0, 0, day).Add(time.Duration(d.moves) * time.Minute)
}

func (d *draft) buy(day int, id string, s examine.Sample) {
	d.add(d.at(day), scenario.Move{Kind: scenario.Settle, ID: id, Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category})
}

func (d *draft) refund(day int, id, of string, amount int64) {
	d.add(d.at(day), scenario.Move{Kind: scenario.Refund, ID: id, Of: of, Amount: amount, Merchant: d.g.sample.Merchant})
}

func (d *draft) redeem(day int) {
	d.add(d.at(day), scenario.Move{Kind: scenario.Redeem, ID: "d"})
}

// again delivers the latest move of that name once more.
func (d *draft) again(day int, id string) {
	for _, s := range d.steps {
		if s.Move.ID == id {
			m := s.Move
			m.Again = true
			d.add(d.at(day), m)
			return
		}
	}
}

// put makes a case of a draft.
func (g *grid) put(axis Axis, days int, code flaw.Code, d *draft, level string, args ...any) *sweepCase {
	closes := readings[:]
	if g.still {
		closes = closes[:0]
		d.add(d.at(0), scenario.Move{Kind: scenario.Wait})
	}
	d.watch(closes...)
	c := &sweepCase{axis: axis, level: fmt.Sprintf(level, args...), days: days, flaw: code, h: d.history, twin: d.twin()}
	g.cases = append(g.cases, c)
	return c
}

func (s sampled) of(amount int64) examine.Sample {
	p := examine.Sample(s)
	p.Amount = max(1, amount)
	return p
}

// sampled is a purchase whose amount varies.
type sampled examine.Sample

// buyAll buys as often as it takes to earn something.
func (d *draft) buyAll(s examine.Sample) {
	for i := range d.g.times {
		d.buy(i, fmt.Sprintf("t%d", i+1), s)
	}
}

// returnAll returns all of that, so many days after the last.
func (d *draft) returnAll(days int, s examine.Sample) {
	for i := range d.g.times {
		d.refund(d.g.times-1+days, fmt.Sprintf("r%d", i+1), fmt.Sprintf("t%d", i+1), s.Amount)
	}
}
