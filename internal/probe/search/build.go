package search

import (
	"fmt"
	"math/bits"
	"time"

	"recoup/internal/probe"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

// world is what courses are built in: the terms, what the target can be told, and
// where to buy.
type world struct {
	program *reward.Program
	can     probe.Capabilities
	places  []place
	unit    int64 // one of the currency, such as a dollar, in minor units
	round   int64 // a round amount whose reward is large enough to see parts of it
}

func newWorld(p *reward.Program, can probe.Capabilities) *world {
	w := &world{program: p, can: can, places: placesOf(p, &can), unit: 1}
	decimals, _ := program.MinorUnits(p.Currency)
	for range decimals {
		w.unit *= 10
	}
	w.round = 100 * w.unit
	if len(w.places) > 0 {
		for w.places[0].rate.Of(w.round) < 100+3*p.Redemption.MinimumBalance && w.round < reward.MaxAmount/1_000_000 {
			w.round *= 10
		}
	}
	return w
}

// closes reports whether statements can be closed.
func (w *world) closes() bool {
	switch w.can.StatementClose {
	case probe.ClosesByCall:
		return true
	case probe.ClosesByClock:
		return w.can.CanSetClock
	}
	return false
}

// unfit says why there is nothing to search, empty if there is.
func (w *world) unfit() string {
	switch t := w.program.Timing; {
	case len(w.places) == 0:
		return "no rule of the terms earns anything that a purchase could be made under"
	case !w.closes() && (t.Grant == reward.GrantAtStatement || t.Clawback == reward.ClawbackAtStatement):
		return "the target acts at statement closes, and it has none that could be waited for"
	}
	return ""
}

// closesAfter is how many statements are closed after the last move. A late
// clawback takes two, and a debt that is written off after 90 days four.
const closesAfter = 4

// monthsOf is how many months a course takes, waiting at its end included.
func (c *course) monthsOf() int {
	n := c.start + closesAfter + 1
	for i := range c.moves {
		g := &c.moves[i].gap
		n += g.months + (g.days+27)/28
	}
	return n
}

// build makes a scenario of a course. Its account and facts are named after name;
// from is the first of the month in which it begins.
func (w *world) build(c *course, name, prefix string, from time.Time) *scenario.Scenario {
	b := &builder{
		world: w, course: c, prefix: prefix,
		s:     &scenario.Scenario{File: name + ".txt", Name: name, Title: "A sequence", Program: w.program},
		at:    opened(from, c.start),
		first: map[factOf]scenario.Move{}, count: map[scenario.Kind]int{},
		names: map[int]string{}, reversed: map[int]int64{}, used: map[bucket]int64{}, reward: map[int]int64{},
	}
	b.month = scenario.FirstOfMonth(b.at, 0)
	for i := range c.moves {
		if m := &c.moves[i]; m.kind == scenario.Settle && b.names[m.fact] == "" {
			b.names[m.fact] = fmt.Sprintf("%st%d", prefix, len(b.names)+1)
		}
	}
	for i := range c.moves {
		if i > 0 {
			b.wait(c.moves[i].gap)
		}
		b.add(&c.moves[i])
	}
	if w.closes() {
		for range closesAfter {
			b.closeUntil(scenario.FirstOfMonth(b.month, 1))
		}
	}
	return b.s
}

type (
	factOf struct {
		kind scenario.Kind
		fact int
	}
	bucket struct {
		rule  int
		month time.Time
	}
)

// builder writes one scenario.
type builder struct {
	*world
	course *course
	prefix string
	s      *scenario.Scenario
	at     time.Time
	month  time.Time

	first    map[factOf]scenario.Move
	count    map[scenario.Kind]int
	names    map[int]string // of purchases
	reversed map[int]int64  // of purchases, so far, on paper

	// What a redemption may ask for, about:
	used    map[bucket]int64
	reward  map[int]int64 // of purchases
	waiting int64         // rewards that the next close grants
	granted int64
	lost    int64 // of what was granted, by reversals
	paid    int64
}

func (b *builder) step(m scenario.Move) {
	step := scenario.Step{At: b.at, Move: m}
	step.Text = scenario.DescribeMove(&step, b.program.Currency)
	b.s.Steps = append(b.s.Steps, step)
}

// opened is when a course begins: in the morning of the fifth.
func opened(from time.Time, months int) time.Time {
	return scenario.FirstOfMonth(from, months).AddDate(0, 0, 4).Add(10 * time.Hour)
}

// after is when a gap that begins at a time is over. Soon is in an hour, but in the
// same month.
func (w *world) after(at time.Time, g gap) time.Time {
	if !w.can.CanSetClock {
		g = gap{months: g.months}
		if !w.closes() {
			g.months = 0
		}
	}
	if g.months > 0 {
		at = opened(at, g.months).AddDate(0, 0, g.days)
	}
	switch {
	case g.last:
		return scenario.FirstOfMonth(at, 1).Add(-time.Minute)
	case g.months > 0:
		return at
	case g.days > 0:
		return at.AddDate(0, 0, g.days)
	case at.Add(time.Hour).Before(scenario.FirstOfMonth(at, 1)):
		return at.Add(time.Hour)
	}
	return at
}

// wait lets time pass, and closes the statements that are over.
func (b *builder) wait(g gap) {
	then := b.world.after(b.at, g)
	b.closeUntil(then)
	b.at = then
}

// closeUntil closes all statements that are over by then.
func (b *builder) closeUntil(then time.Time) {
	for next := scenario.FirstOfMonth(b.month, 1); !next.After(then); next = scenario.FirstOfMonth(next, 1) {
		b.month = next
		b.granted += b.waiting
		b.waiting = 0
		if b.closes() {
			b.at = next
			b.step(scenario.Move{Kind: scenario.CloseStatement})
		}
	}
}

// add makes a move of the course.
func (b *builder) add(m *move) {
	f := factOf{m.kind, m.fact}
	if first, again := b.first[f]; again {
		first.Again = true
		b.step(first)
		return
	}
	b.count[m.kind]++
	to := scenario.Move{Kind: m.kind}
	switch m.kind {
	case scenario.Settle:
		to.ID = b.names[m.fact]
		b.buy(m, &to)
	case scenario.Refund, scenario.Chargeback:
		letter := "r"
		if m.kind == scenario.Chargeback {
			letter = "c"
		}
		to.ID = fmt.Sprint(b.prefix, letter, b.count[m.kind])
		b.reverse(m, &to)
	case scenario.Redeem:
		to.ID = fmt.Sprint(b.prefix, "d", b.count[m.kind])
		to.Amount = b.redemption(m.ask)
		b.paid += max(0, to.Amount)
	}
	b.first[f] = to
	b.step(to)
}

func (b *builder) buy(m *move, to *scenario.Move) {
	at := &b.places[m.place]
	to.Amount, to.Happened = m.amount, b.at
	to.Merchant, to.MCC, to.Category = at.merchants[m.shop], at.mcc, at.category
	due := at.rate.Of(m.amount)
	if at.limit != reward.NoCap {
		due = max(0, min(due, at.limit-b.used[bucket{at.rule, b.month}]))
	}
	b.used[bucket{at.rule, b.month}] += due
	b.reward[m.fact] = due
	if b.program.Timing.Grant == reward.GrantAtStatement {
		b.waiting += due
	} else {
		b.granted += due
	}
}

func (b *builder) reverse(m *move, to *scenario.Move) {
	of := b.course.purchase(m.of)
	to.Amount, to.Happened = m.share.amount(of.amount, b.reversed[m.of]), b.at
	left := max(0, of.amount-b.reversed[m.of])
	b.reversed[m.of] += to.Amount
	b.lost += scaled(b.reward[m.of], min(left, to.Amount), of.amount)
	if !m.unlinked {
		to.Of = b.names[m.of]
		return
	}
	at := &b.places[of.place]
	if !m.silent {
		to.Merchant = at.merchants[of.shop]
		if b.can.RefundCategory {
			to.Category = at.category
		}
		if b.can.MCC {
			to.MCC = at.mcc
		}
	}
	to.Really = []scenario.Part{{Purchase: b.names[m.of], Amount: min(to.Amount, of.amount)}}
}

// amount is what a share of a price is, in minor units and never nothing: where
// there is no rest it is all once more.
func (s share) amount(price, reversed int64) int64 {
	switch {
	case s == rest && reversed < price:
		return price - reversed
	case s == rest:
		return price
	}
	return max(1, scaled(price, s.of, s.parts))
}

// scaled is ⌊a · b / c⌋.
func scaled(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// redemption is what a redemption asks for. What there is for sure not is asked
// for as a small round amount, to see that it is denied.
func (b *builder) redemption(a ask) int64 {
	all := b.granted - b.paid - b.program.Redemption.MinimumBalance
	amount := all
	switch a.what {
	case askKept:
		amount = all - b.lost
	case askHalf:
		amount = all / 2
	case askUnit:
		amount = 1
	case askMinus:
		return -max(1, b.places[0].rate.Of(b.round))
	case askExactly:
		return a.amount
	}
	if amount <= 0 {
		return b.unit
	}
	return amount
}
