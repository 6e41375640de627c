package foreign

import "time"

var basaltInstalmentDesign = Design{
	Name:   "basalt-instalment",
	Source: "After Swiss cards with a fee on idle bonus accounts and bonus paid in quarters; from memory.",
	Published: "2 % on FUEL and TRAVEL, 1 % on all else, credited in four equal parts with the four statements (20th, Zurich) from the one after the purchase. " +
		"A bonus account without spend in three statement periods, returns deducted, pays CHF 2.00 a statement, at most what it has earned, redeemed or not. " +
		"Your old account's bonus of CHF 12.50 is brought over after 14 days. Refunds are settled with the statement; until then what they take is held. " +
		"A refund without a known purchase counts at 2 %, and no spend up to its amount then counts against the fee.",
	How: "Each close computes parts due and fees anew from what is left of all purchases, and books two differences: parts, and fees. " +
		"All rows, the transfer too, are of the kind adjusted and name nothing. A return that leaves past periods idle brings the fees of these; a purchase that clears late takes them back.",
	Class: "robust", Currency: "CHF",
	New: func() Engine { return basaltNew(func() basaltPlan { return &basaltInstalment{} }) },
}

var basaltZurich = basaltZone("Europe/Zurich")

const (
	basaltInstalmentFee      = 200
	basaltInstalmentTransfer = 1250
	basaltInstalmentParts    = 4
	basaltInstalmentIdle     = 3
)

// basaltInstalment knows what is booked of each sort.
type basaltInstalment struct {
	parts, fees, moved int64
}

// basaltCycle numbers statement periods by the month on whose 20th they close.
func basaltCycle(t time.Time) int {
	m := basaltMonth(t, basaltZurich)
	if t.In(basaltZurich).Day() >= 20 {
		m++
	}
	return m
}

func (p *basaltInstalment) next(a *basaltAccount, after time.Time) time.Time {
	c := basaltCycle(after)
	t := time.Date(c/12, time.Month(c%12+1), 20, 0, 0, 0, 0, basaltZurich)
	if move := a.opened.Add(14 * basaltDays); p.moved == 0 && move.After(after) && move.Before(t) {
		return move
	}
	return t
}

func (p *basaltInstalment) bought(*basaltAccount, *basaltBuy, time.Time) {}

func (p *basaltInstalment) returned(*basaltAccount, basaltReturn, time.Time) {}

// state is what is due of the parts, and of fees. Both are functions of what is left of the
// purchases and of nothing else, so a returned purchase leaves no trace in either. Claims
// are held against the parts, and may have been any spend that spares a fee.
func (p *basaltInstalment) state(a *basaltAccount, at time.Time) (parts, fees int64) {
	last := basaltCycle(at) - 1
	earned, spent := map[int]int64{}, map[int]int64{}
	first := basaltCycle(a.opened)
	for _, b := range a.buys {
		rate := int64(1)
		if b.category == "FUEL" || b.category == "TRAVEL" {
			rate = 2
		}
		c, reward := basaltCycle(b.at), a.net(b)*rate/100
		earned[max(c, first)] += reward // a purchase older than the account counts at its start
		spent[c] += a.net(b)
		parts += reward * int64(min(max(last-c+1, 0), basaltInstalmentParts)) / basaltInstalmentParts
	}
	var unknown, wallet int64
	for _, r := range a.claims() {
		unknown += r.amount
	}
	for c := first; c <= last; c++ {
		wallet += earned[c]
		var spend int64
		for i := range basaltInstalmentIdle {
			spend += spent[c-i]
		}
		if c >= first+basaltInstalmentIdle-1 && spend <= unknown {
			fee := min(wallet, basaltInstalmentFee)
			wallet -= fee
			fees += fee
		}
	}
	return max(0, parts-a.claimed(2, 100)), fees
}

func (p *basaltInstalment) worth(a *basaltAccount, at time.Time) int64 {
	parts, fees := p.state(a, at)
	return parts - fees + p.moved
}

func (p *basaltInstalment) run(a *basaltAccount, at time.Time) {
	if p.moved == 0 && !a.opened.Add(14*basaltDays).After(at) {
		p.moved = basaltInstalmentTransfer
		a.book(Posting{At: at, Kind: Adjusted, Amount: p.moved, Note: "brought over from your closed account"})
	}
	if local := at.In(basaltZurich); local.Day() != 20 || local.Hour()+local.Minute()+local.Second()+local.Nanosecond() != 0 {
		return // only the transfer was due
	}
	parts, fees := p.state(a, at)
	a.book(Posting{At: at, Kind: Adjusted, Amount: parts - p.parts, Note: "bonus of the statement"})
	a.book(Posting{At: at, Kind: Adjusted, Amount: p.fees - fees, Note: "idle account"})
	p.parts, p.fees = parts, fees
}
