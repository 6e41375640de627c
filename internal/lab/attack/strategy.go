package attack

import (
	"fmt"
	"time"

	"recoup/internal/lab/design"
	"recoup/program"
)

// Strategy is a course of moves and what it brings at one design. Whoever plays
// the moves there in this order, each at its time, gets the same.
type Strategy struct {
	// Aim is what it does best within its bounds: "repeat", "walk_away" or "float".
	Aim string `json:"aim"`
	// Once: it does not come again, though it leaves no debt.
	Once bool `json:"once,omitzero"`
	// Cycles in which purchases were possible.
	Cycles int    `json:"cycles"`
	Moves  []Move `json:"moves"`
	// Profit is the cash in the end that nothing backs, and Debt what the issuer's
	// books then say that the customer owes, both in minor units.
	Profit   int64   `json:"profit"`
	Debt     int64   `json:"debt"`
	Float    Float   `json:"float"`
	Timeline []Entry `json:"timeline"`

	balance, redeemed int64 // in the end
}

// Entry is how things stand after a move or a statement close, in minor units.
type Entry struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
	// Balance and Redeemable are what the issuer shows.
	Balance    int64 `json:"balance"`
	Redeemable int64 `json:"redeemable"`
	// Redeemed is all cash so far, asked for or not.
	Redeemed int64 `json:"redeemed"`
	// Entitlement is what the published terms promise on what is kept.
	Entitlement int64 `json:"entitlement"`
	// Profit is Redeemed less Entitlement.
	Profit int64 `json:"profit"`
}

// NetReward is the balance and all cash so far.
func (e *Entry) NetReward() int64 { return e.Balance + e.Redeemed }

// Repeats reports whether the strategy can be played again and again, since it leaves
// no debt behind that stops it.
func (s *Strategy) Repeats() bool { return s.Aim == aimNames[toRepeat] }

var aimNames = [...]string{toTake: "walk_away", toRepeat: "repeat", toFloat: "float"}

// tell plays moves against a fresh issuer and writes down what comes of them.
func (g *game) tell(d design.Design, a aim, moves []Move) (*Strategy, error) {
	p, err := g.start(d)
	if err != nil {
		return nil, err
	}
	s := &Strategy{Aim: aimNames[a], Cycles: g.bounds.Cycles, Moves: moves}
	for ; p.day < len(g.calendar); p.day++ {
		today := &g.calendar[p.day]
		for len(moves) > 0 && moves[0].At.Equal(today.at) {
			what := g.describe(p, moves[0])
			if err := g.move(p, moves[0]); err != nil {
				return nil, err
			}
			g.write(s, p, today.at, what)
			if moves = moves[1:]; len(moves) == 0 && a != toRepeat {
				g.write(s, p, today.at, "walks away")
			}
		}
		for _, stop := range today.until {
			if late := max(0, g.unrecorded(p)); late > 0 {
				s.Float.add(late, stop.days)
			}
			before := *p
			if err := p.moveTo(stop); err != nil {
				return nil, err
			}
			if p.shown != before.shown || p.paidOut != before.paidOut {
				g.write(s, p, stop.at, g.describePassing(p, before.paidOut, stop.close))
			}
		}
	}
	s.Profit, s.Debt, s.balance, s.redeemed = g.profit(p), p.debt(), p.shown.Balance, p.ahead
	return s, nil
}

func (f *Float) add(amount, days int64) {
	f.Amount = max(f.Amount, amount)
	f.Days += days
	f.AmountDays += amount * days
}

func (g *game) write(s *Strategy, p *position, at time.Time, what string) {
	s.Timeline = append(s.Timeline, Entry{
		At: at, What: what, Balance: p.shown.Balance, Redeemable: p.shown.Redeemable,
		Redeemed: p.ahead, Entitlement: g.entitlement(p), Profit: g.profit(p),
	})
}

// describe puts a move into words that is about to be made.
func (g *game) describe(p *position, m Move) string {
	amount := g.money(m.Amount)
	switch m.Kind {
	case Buys:
		if m.Count > 1 {
			return fmt.Sprintf("buys %d times for %s (purchases %d to %d)", m.Count, amount, m.Purchase, m.Purchase+m.Count-1)
		}
		return fmt.Sprintf("buys for %s (purchase %d)", amount, m.Purchase)
	case Redeems:
		return "redeems " + g.rewards(m.Amount)
	}
	share := "half of "
	switch h := p.holdings[m.Purchase-1]; {
	case m.Item != "":
		share = "item " + m.Item + " of "
	case h.amount == m.Amount:
		share = ""
	case h.returned > 0:
		share = "the rest of "
	}
	return fmt.Sprintf("returns %spurchase %d, %s refunded", share, m.Purchase, amount)
}

// describePassing puts into words what time has brought.
func (g *game) describePassing(p *position, paidBefore int64, close bool) string {
	what := "time passes"
	if close {
		what = "statement closes"
	}
	if paid := p.paidOut - paidBefore; paid > 0 {
		what += ", " + g.rewards(paid) + " paid out"
	}
	return what
}

func (g *game) money(minor int64) string { return program.FormatAmount(minor, g.program.Currency) }

func (g *game) rewards(minor int64) string { return program.Format(minor, g.program.Units().Reward) }
