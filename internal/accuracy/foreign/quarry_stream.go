package foreign

import "time"

var quarryStream = Design{
	Name:   "quarry-stream",
	Source: "after Japanese point cards (Rakuten Card's point for 100 yen, Epos Gold's yearly bonus), from memory",
	Published: "1 point for every full JPY 100 of a purchase; 2 more at partners (categories TRANSIT and DRUGSTORE); 1 more on Sundays. " +
		"1,000 points when a calendar year's purchases come to JPY 500,000, 3,000 in all when they come to JPY 1,000,000. Points can be used at once. " +
		"Points are for what is kept of each purchase and year; returns take them back even if they are spent, and the debt comes off later points. " +
		"A return that does not name its purchase takes the highest rate that it can be of, and counts against the yearly bonus.",
	How: "A stream of events, each appended once. The ledger is a projection: a row is what the fold over the whole stream says after an event " +
		"less what it said before, for all that the event moved (also the yearly bonus), under the name of the event that moved it and of nothing else.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		return newQuarryDesk("Asia/Tokyo", func(f *quarryFile) quarryBook { return &quarryStreamBook{f: f} })
	},
}

// quarryStreamEvent is one of the stream: which fact of the file, and when it came.
type quarryStreamEvent struct {
	buy, back int // one of them; the other is -1
	at        time.Time
}

type quarryStreamBook struct {
	quarryPlain
	f      *quarryFile
	stream []quarryStreamEvent
	points int64 // of the fold up to the last event
}

func (b *quarryStreamBook) bought(i int)   { b.append(quarryStreamEvent{i, -1, b.f.now}) }
func (b *quarryStreamBook) returned(k int) { b.append(quarryStreamEvent{-1, k, b.f.now}) }

func (b *quarryStreamBook) redeemable() int64 { return b.f.balance }

// append takes an event into the stream and writes what it changed.
func (b *quarryStreamBook) append(e quarryStreamEvent) {
	b.stream = append(b.stream, e)
	points := b.fold()
	change := points - b.points
	b.points = points
	if e.buy >= 0 {
		b.f.level(e.at, change, b.f.buys[e.buy].id, "", "points for a purchase")
		return
	}
	refund, note := b.f.backs[e.back].row()
	b.f.level(e.at, change, "", refund, note)
}

// rate is what a full JPY 100 earns.
func (b *quarryStreamBook) rate(i int) int64 {
	rate := int64(1)
	if c := b.f.buys[i].category; c == "TRANSIT" || c == "DRUGSTORE" {
		rate += 2
	}
	if b.f.buys[i].weekday == time.Sunday {
		rate++
	}
	return rate
}

// fold is what all events together are worth. It asks what is left, never what was
// granted, so that the order of events makes no difference.
func (b *quarryStreamBook) fold() int64 {
	left := make([]int64, len(b.f.buys))
	for _, e := range b.stream {
		if e.buy >= 0 {
			left[e.buy] = b.f.kept(e.buy)
		}
	}
	years := map[int]int64{}
	var points int64
	for i, x := range left {
		points += b.rate(i) * (x / 100)
		years[b.f.buys[i].month/12] += x
	}
	points = max(0, points-b.f.doubt(left, b.rate, func(i int, x int64) int64 {
		return b.rate(i) * min(quarryUp(x, 100), left[i]/100)
	}))
	for year, spend := range years {
		in := func(i int) bool { return b.f.buys[i].month/12 == year }
		switch spend -= b.f.against(left, in); {
		case spend >= 1000000:
			points += 3000
		case spend >= 500000:
			points += 1000
		}
	}
	return points
}
