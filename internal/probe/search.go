package probe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
)

// Searched is what a search for counterexamples found. The judge is the same as the
// sweep's: the account that never bought what was returned.
type Searched struct {
	Seed uint64 `json:"seed"`
	// Histories were made by chance and judged, and Leaking of them leave something; the
	// finds are what they shrink to.
	Histories int `json:"histories"`
	Leaking   int `json:"leaking"`
	Calls     int `json:"calls"`
	// Ended says why the search ended early, empty if it did not.
	Ended string           `json:"ended,omitempty"`
	Finds []Counterexample `json:"finds"`
}

// Counterexample is a smallest history that leaves reward on what was returned.
type Counterexample struct {
	// Moves says what is done, in words, and Leak what is left, in minor units.
	Moves string `json:"moves"`
	Leak  int64  `json:"leak"`
	// Seen is how many histories shrank to it.
	Seen  int         `json:"seen"`
	Trace []TraceStep `json:"trace"`
	// Curl is a script for sh that makes the calls one by one, also those of the account
	// that never bought what was returned.
	Curl string `json:"curl"`
}

// Bounds of a search.
const (
	searchHistories = 200    // made by chance
	searchBatch     = 10     // played side by side
	searchFinds     = 5      // that are different
	searchCalls     = 20_000 // of the port
	searchMoves     = 8      // of a history
)

// turn is one move of a history that was made by chance, in terms that stay true when
// others are left out.
type turn struct {
	kind     scenario.Kind
	day      int // since the account was opened
	id       int // of the purchase, or of the one that is returned
	place    int // of a purchase
	times    int64
	share    int64 // of a return, in ten-thousandths of the price
	unlinked bool
	again    bool // the latest move of that kind and purchase is delivered again
}

// whole is the share of all of a purchase.
const whole = 10_000

// search makes histories by chance and shrinks those that leak.
func (r *run) search() error {
	if r.plan.Search == 0 {
		return nil
	}
	s := &Searched{Seed: r.plan.Search, Finds: []Counterexample{}}
	r.result.Search = s
	if !r.stage.canWait() {
		s.Ended = "it needs a clock and statement closes"
		return nil
	}
	r.logf("Searching for other histories that leave something: at most %d calls.", searchCalls)
	before, most := r.stage.calls, r.stage.most
	r.stage.most = before + searchCalls
	err := r.hunt(s, rand.New(rand.NewPCG(r.plan.Search, 0)))
	s.Calls, r.stage.most = r.stage.calls-before, most+searchCalls
	if errors.Is(err, errTooMany) {
		s.Ended, err = "the calls are used up", nil
	}
	return err
}

func (r *run) hunt(s *Searched, chance *rand.Rand) error {
	for s.Histories < searchHistories && len(s.Finds) < searchFinds {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		var drawn [][]turn
		for range searchBatch {
			drawn = append(drawn, r.draw(chance))
		}
		cases, err := r.judgeTurns(drawn)
		if err != nil {
			return err
		}
		s.Histories += len(cases)
		for i, c := range cases {
			if c.leak <= 0 {
				continue
			}
			s.Leaking++
			if len(s.Finds) >= searchFinds {
				continue
			}
			small, found, err := r.shrink(drawn[i], c)
			if err != nil {
				return err
			}
			if err := r.keep(s, small, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep adds a find, or counts it if it is there.
func (r *run) keep(s *Searched, small []turn, c *sweepCase) error {
	moves := r.words(small)
	if i := slices.IndexFunc(s.Finds, func(f Counterexample) bool { return f.Moves == moves }); i >= 0 {
		s.Finds[i].Seen++
		return nil
	}
	again := &sweepCase{partial: c.partial, h: c.h.copy("")}
	again.h.name, again.h.watched = "search", true
	again.twin = again.h.twin()
	again.twin.watched = true
	replays, err := r.stage.playEach([]*history{again.h, again.twin})
	r.result.Replays += replays
	if err != nil {
		return err
	}
	if r.compareTwin(again); again.leak <= 0 {
		return nil // it did not happen again
	}
	f := Counterexample{Moves: moves, Leak: again.leak, Seen: 1, Trace: r.traceBeside(again)}
	f.Curl = curl(again, &r.target.Can, r.result.Target, r.money(f.Leak))
	s.Finds = append(s.Finds, f)
	r.logf("Found: %s leaves %s.", f.Moves, r.money(f.Leak))
	return nil
}

// offered are the purchases that histories are made of.
func (r *run) offered() []examine.Sample {
	return slices.Concat([]examine.Sample{r.sample}, r.scout.places, r.scout.alike)
}

// draw makes a history: what matters for rewards is likelier than what does not.
func (r *run) draw(chance *rand.Rand) []turn {
	var list []turn
	day, bought := 0, 0
	buy := func() {
		bought++
		list = append(list, turn{kind: scenario.Settle, day: day, id: bought, place: max(0, chance.IntN(3*len(r.offered()))-2*len(r.offered())), times: []int64{1, 1, 2, 10, 100}[chance.IntN(5)]})
	}
	buy()
	for n := 1 + chance.IntN(searchMoves-1); n > 0; n-- {
		day += []int{0, 0, 1, 5, 20, 31, 45, 95, 200}[chance.IntN(9)]
		back := turn{kind: scenario.Refund, day: day, id: 1 + chance.IntN(bought), share: []int64{whole, whole, 1, whole / 2, whole * 2 / 5, whole * 3 / 100, whole * 97 / 100, whole * 105 / 100}[chance.IntN(8)]}
		if !r.target.Can.PartialRefunds {
			back.share = max(whole, back.share)
		}
		switch k := chance.IntN(12); {
		case k < 3:
			buy()
		case k < 7:
			list = append(list, back)
		case k < 8 && r.target.Can.unlinked() && !slices.ContainsFunc(list, func(t turn) bool { return t.id == back.id && t.share > 0 }):
			// Of a purchase of which something went back already, nobody could know how much.
			back.unlinked, back.share = true, min(whole, back.share)
			list = append(list, back)
		case k < 9 && r.target.Can.Chargebacks:
			back.kind = scenario.Chargeback
			list = append(list, back)
		case k < 10:
			list = append(list, turn{kind: scenario.Redeem, day: day})
		case k < 11:
			back.id, back.share = bought+1, whole // of a purchase that arrives after it
			list = append(list, back)
			buy()
		default:
			again := list[chance.IntN(len(list))]
			again.day, again.again = day, again.kind != scenario.Redeem
			list = append(list, again)
		}
	}
	// In the end everything goes back more often than not, so that nothing is owed.
	if day += 10; chance.IntN(3) > 0 {
		for id := 1; id <= bought; id++ {
			list = append(list, turn{kind: scenario.Refund, day: day, id: id, share: whole})
		}
	}
	return list
}

// history writes turns as moves. Each purchase is at a merchant of its own, so that a
// refund which names no purchase can be of one alone.
func (r *run) history(name string, list []turn) *history {
	g := &grid{can: &r.target.Can, sample: r.sample}
	d := &draft{history: &history{name: name}, g: g, from: sweepFrom}
	price := map[int]examine.Sample{}
	for _, t := range list {
		if t.kind == scenario.Settle && price[t.id].Amount == 0 {
			p := r.offered()[t.place]
			p.Amount *= t.times
			p.Merchant = fmt.Sprintf("%s-%d", p.Merchant, t.id)
			price[t.id] = p
		}
	}
	n := 0
	for _, t := range list {
		p, of := price[t.id], fmt.Sprintf("t%d", t.id)
		amount := max(1, divide(p.Amount, t.share, whole))
		switch {
		case t.kind == scenario.Redeem:
			d.redeem(t.day)
		case t.again:
			for _, s := range slices.Backward(d.steps) {
				if m := s.Move; m.Kind == t.kind && (m.ID == of || slices.ContainsFunc(broughtBack(&m), func(p scenario.Part) bool { return p.Purchase == of })) {
					m.Again = true
					d.add(d.at(t.day), m)
					break
				}
			}
		case t.kind == scenario.Settle:
			d.buy(t.day, of, p)
		case t.kind == scenario.Chargeback:
			n++
			d.add(d.at(t.day), scenario.Move{Kind: t.kind, ID: fmt.Sprintf("c%d", n), Of: of, Amount: amount})
		default:
			n++
			m := scenario.Move{Kind: t.kind, ID: fmt.Sprintf("r%d", n), Of: of, Amount: amount, Merchant: p.Merchant}
			if t.unlinked {
				m.Of, m.Category, m.MCC, m.Really = "", p.Category, p.MCC, []scenario.Part{{Purchase: of, Amount: amount}}
			}
			d.add(d.at(t.day), m)
		}
	}
	d.watch(readings[:]...)
	return d.history
}

// judgeTurns plays histories side by side. One that the target cannot be told of does not
// leak.
func (r *run) judgeTurns(list [][]turn) ([]*sweepCase, error) {
	var cases []*sweepCase
	for i, turns := range list {
		c := &sweepCase{h: r.history(fmt.Sprintf("search-%d", i+1), turns)}
		c.twin = c.h.twin()
		c.partial = c.twin.buys() || len(turns) > 4
		cases = append(cases, c)
	}
	return cases, r.judgeAll(cases)
}
