package foreign

import (
	"sort"
	"time"
)

var basaltPlinthDesign = Design{
	Name:   "basalt-plinth",
	Source: "After Australian cards that show a top rate at once and settle it by the quarter; from memory.",
	Published: "1 % on all purchases of a calendar quarter (Sydney), 2 % on all of them once they are $3,000 or more, returns deducted, however late these come. " +
		"We show 2 % from the next morning; what can be redeemed is 1 % until the quarter is over and settled. " +
		"A balance of $18.40 moves over from your previous card, three days after opening. " +
		"A refund without a known purchase takes 2 %, and the higher rate of the quarters that it can have been needed for.",
	How: "One row a night, with the date of the batch, named after nothing: earned above zero, adjusted below. An open quarter is in it at 2 %, a closed one at its own rate; " +
		"the settlement is a row of the kind adjusted. The transfer is of the kind earned.",
	Class: "robust", Currency: "AUD",
	New: func() Engine { return basaltNew(func() basaltPlan { return &basaltPlinth{} }) },
}

var basaltSydney = basaltZone("Australia/Sydney")

const (
	basaltPlinthStep     = 300000
	basaltPlinthTransfer = 1840
)

// basaltPlinth knows what is booked of open and of closed quarters together.
type basaltPlinth struct {
	booked, moved int64
	quarter       int // the one that was open at the last batch
	dirty         bool
}

// basaltQuarter is one quarter's spend and what it earns at either rate.
type basaltQuarter struct {
	number         int
	spend, low, up int64
}

func (p *basaltPlinth) next(_ *basaltAccount, after time.Time) time.Time {
	return basaltDay(after, 4, basaltSydney)
}

func (p *basaltPlinth) bought(*basaltAccount, *basaltBuy, time.Time) { p.dirty = true }

func (p *basaltPlinth) returned(*basaltAccount, basaltReturn, time.Time) { p.dirty = true }

func (p *basaltPlinth) quarters(a *basaltAccount) []basaltQuarter {
	by := map[int]*basaltQuarter{}
	for _, b := range a.buys {
		n := basaltMonth(b.at, basaltSydney) / 3
		if by[n] == nil {
			by[n] = &basaltQuarter{number: n}
		}
		net := a.net(b)
		by[n].spend += net
		by[n].low += net / 100
		by[n].up += net * 2 / 100
	}
	var all []basaltQuarter
	for _, q := range by {
		all = append(all, *q)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].number < all[j].number })
	return all
}

// basaltLostSteps is the most that claims of an amount can have cost by bringing quarters below the
// step: of those that it suffices for together, the dearest.
func basaltLostSteps(qs []basaltQuarter, amount int64) int64 {
	if len(qs) == 0 {
		return 0
	}
	best := basaltLostSteps(qs[1:], amount)
	if need := qs[0].spend - basaltPlinthStep + 1; need > 0 && need <= amount {
		best = max(best, qs[0].up-qs[0].low+basaltLostSteps(qs[1:], amount-need))
	}
	return best
}

// state is what the books show (open quarters at 2 %) and what is sure (at 1 %).
func (p *basaltPlinth) state(a *basaltAccount, at time.Time) (shown, sure int64) {
	qs, open := p.quarters(a), basaltMonth(at, basaltSydney)/3
	for _, q := range qs {
		switch {
		case q.number >= open:
			shown, sure = shown+q.up, sure+q.low
		case q.spend >= basaltPlinthStep:
			shown, sure = shown+q.up, sure+q.up
		default:
			shown, sure = shown+q.low, sure+q.low
		}
	}
	var unknown int64
	for _, r := range a.claims() {
		unknown += r.amount
	}
	lost := a.claimed(2, 100)
	if unknown > 0 {
		lost += basaltLostSteps(qs, unknown)
	}
	return max(0, shown-lost), max(0, sure-lost)
}

func (p *basaltPlinth) worth(a *basaltAccount, at time.Time) int64 {
	_, sure := p.state(a, at)
	return sure + p.moved
}

func (p *basaltPlinth) run(a *basaltAccount, at time.Time) {
	if p.moved == 0 && !a.opened.Add(3*basaltDays).After(at) {
		p.moved = basaltPlinthTransfer
		a.book(Posting{At: at, Kind: Earned, Amount: p.moved, Note: "moved over from your previous card"})
	}
	quarter := basaltMonth(at, basaltSydney) / 3
	settles := p.quarter != 0 && quarter != p.quarter
	p.quarter = quarter
	if !p.dirty && !settles {
		return
	}
	p.dirty = false
	shown, _ := p.state(a, at)
	row := Posting{At: at, Kind: Earned, Amount: shown - p.booked, Note: "purchases and returns of the day"}
	if row.Amount < 0 {
		row.Kind = Adjusted
	}
	if settles {
		row.Kind, row.Note = Adjusted, "settlement of the quarter"
	}
	a.book(row)
	p.booked = shown
}
