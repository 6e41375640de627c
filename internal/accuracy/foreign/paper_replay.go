package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperReplay rates a statement by walking its purchases in the order they posted: each
// takes what is left of the $600 at 5 %, the rest earns 1 %. A return after the close has
// the whole statement walked again without what was returned, so that later purchases
// move up into the 5 %; each purchase whose reward differs gets an entry of its own.
type paperReplay struct {
	paperRoll[paperReplayAcct]
	next  time.Time
	cycle int
}

type paperReplayAcct struct {
	paperBooks
	desk   paperDesk
	cycles map[int][]*paperBuy
}

const paperReplayBonus = 60000

var paperReplayZone = paperZone("America/Los_Angeles")

// walk rates one statement and writes what is different from before.
func (a *paperReplayAcct) walk(cycle int, at time.Time, ref string) {
	room := int64(paperReplayBonus)
	for _, b := range a.cycles[cycle] {
		var high int64
		if b.rank == 500 {
			high = min(room, b.rest())
			room -= high
		}
		want := (5*high + (b.rest() - high)) / 100
		switch {
		case want == b.kept:
			continue
		case ref == "":
			a.write(at, Earned, want-b.kept, b.id, "", "statement")
		case want < b.kept:
			a.write(at, Reversed, want-b.kept, b.id, ref, "statement walked again")
		default:
			a.write(at, Adjusted, want-b.kept, b.id, ref, "moved up when another purchase was returned")
		}
		b.kept = want
	}
}

func (e *paperReplay) Open(account string) error {
	return e.enrol(account, &paperReplayAcct{cycles: map[int][]*paperBuy{}})
}

func (e *paperReplay) SetClock(now time.Time) error {
	first := e.now.IsZero()
	e.forward(now)
	if first {
		e.next = paperNextDay(e.now, 5, paperReplayZone)
	}
	for !e.next.After(e.now) {
		for _, a := range e.all {
			a.walk(e.cycle, e.next, "")
		}
		e.cycle++
		e.next = paperNextDay(e.next, 5, paperReplayZone)
	}
	return nil
}

func (e *paperReplay) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount <= 0 || a.desk.known(s.Transaction) {
		return nil
	}
	rank := 100
	switch s.Category {
	case "GROCERY", "FUEL", "DINING":
		rank = 500
	}
	b := paperBought(s, rank, e.now)
	b.period = e.cycle
	a.cycles[e.cycle] = append(a.cycles[e.cycle], b)
	e.again(a, a.desk.put(b))
	return nil
}

// again walks the closed statements that the shares are about, each once for a return.
func (e *paperReplay) again(a *paperReplayAcct, shares []paperShare) {
	done := map[int]string{}
	for _, s := range shares {
		if p := s.buy.period; p < e.cycle && done[p] != s.ref {
			done[p] = s.ref
			a.walk(p, e.now, s.ref)
		}
	}
}

func (e *paperReplay) back(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	if a.desk.admit(&r) {
		e.again(a, a.desk.take(r))
	}
	return nil
}

func (e *paperReplay) Refund(r issuer.Refund) error {
	return e.back(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperReplay) Chargeback(c issuer.Chargeback) error {
	return e.back(c.Account, c.Chargeback, paperDisputeBack(c))
}

func (e *paperReplay) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperReplay) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperReplay) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

func (e *paperReplay) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
