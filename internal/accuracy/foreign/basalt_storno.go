package foreign

import (
	"sort"
	"time"
)

var basaltStornoDesign = Design{
	Name:   "basalt-storno",
	Source: "After Central European bank cards that book a month's bonus in one line and storno it on any change; from memory.",
	Published: "3 % on DINING, 2 % on GROCERY, 1 % on all else, together up to €20 a calendar month (Vienna). Booked overnight. " +
		"A refund takes what it earned and costs a handling charge of €1.00, which we return as goodwill to whoever complains, three times a year. " +
		"A refund that names no purchase of ours counts at 3 % until that purchase clears.",
	How: "Nightly: where a month's value has changed, all month lines of that calendar year are reversed and granted anew. " +
		"The charge is booked with the refund, the goodwill in the first batch four days later; both are of the kind adjusted and never more is given than was charged.",
	Class: "robust", Currency: "EUR",
	New: func() Engine {
		return basaltNew(func() basaltPlan { return &basaltStorno{booked: map[int]int64{}, given: map[int]int{}} })
	},
}

var basaltVienna = basaltZone("Europe/Vienna")

const (
	basaltStornoCap      = 2000
	basaltStornoHandling = 100
)

// basaltStorno knows which lines stand in the books, by month.
type basaltStorno struct {
	booked  map[int]int64
	claim   int64       // what stands for returns of unknown purchases
	charges []time.Time // handling charges that nobody has complained of yet
	given   map[int]int // goodwill, by year
	fees    int64       // goodwill less charges, never above zero
	dirty   bool
}

func (p *basaltStorno) next(_ *basaltAccount, after time.Time) time.Time {
	return basaltDay(after, 3, basaltVienna)
}

func (p *basaltStorno) bought(*basaltAccount, *basaltBuy, time.Time) { p.dirty = true }

func (p *basaltStorno) returned(a *basaltAccount, r basaltReturn, at time.Time) {
	p.dirty = true
	if r.dispute {
		return
	}
	a.book(Posting{At: at, Kind: Adjusted, Amount: -basaltStornoHandling, Refund: r.id, Note: "handling of a return"})
	p.fees -= basaltStornoHandling
	p.charges = append(p.charges, at)
}

// months is what each month is worth, and claim what must be kept back for claims: not
// more than there is, since nobody can have lost more.
func (p *basaltStorno) months(a *basaltAccount) (months map[int]int64, claim int64) {
	months = map[int]int64{}
	for _, b := range a.buys {
		rate := int64(1)
		switch b.category {
		case "DINING":
			rate = 3
		case "GROCERY":
			rate = 2
		}
		m := basaltMonth(b.at, basaltVienna)
		months[m] = min(basaltStornoCap, months[m]+a.net(b)*rate/100)
	}
	var all int64
	for _, v := range months {
		all += v
	}
	return months, min(all, a.claimed(3, 100))
}

func (p *basaltStorno) worth(a *basaltAccount, _ time.Time) int64 {
	months, claim := p.months(a)
	all := p.fees - claim
	for _, v := range months {
		all += v
	}
	return all
}

func (p *basaltStorno) run(a *basaltAccount, at time.Time) {
	for len(p.charges) > 0 && !p.charges[0].Add(4*basaltDays).After(at) {
		p.charges = p.charges[1:]
		if year := at.In(basaltVienna).Year(); p.given[year] < 3 {
			p.given[year]++
			p.fees += basaltStornoHandling
			a.book(Posting{At: at, Kind: Adjusted, Amount: basaltStornoHandling, Note: "goodwill, your complaint about a return"})
		}
	}
	if p.dirty {
		p.dirty = false
		p.rebook(a, at)
	}
}

// rebook reverses and grants anew all lines of the years in which one has changed.
func (p *basaltStorno) rebook(a *basaltAccount, at time.Time) {
	months, claim := p.months(a)
	changed := map[int]bool{}
	var order []int
	for m, v := range months { // a month that was booked is always among them
		order = append(order, m)
		changed[m/12] = changed[m/12] || v != p.booked[m]
	}
	sort.Ints(order)
	for _, m := range order {
		if changed[m/12] {
			a.book(Posting{At: at, Kind: Reversed, Amount: -p.booked[m], Note: "storno"})
		}
	}
	for _, m := range order {
		if changed[m/12] {
			a.book(Posting{At: at, Kind: Earned, Amount: months[m], Note: "bonus of a month"})
			p.booked[m] = months[m]
		}
	}
	if claim != p.claim {
		a.book(Posting{At: at, Kind: Earned, Amount: p.claim, Note: "storno, unassigned returns"})
		a.book(Posting{At: at, Kind: Reversed, Amount: -claim, Note: "unassigned returns"})
		p.claim = claim
	}
}
