package attack

import (
	"context"
	"fmt"
	"math"

	"recoup/internal/lab/design"
)

// aim is what a customer is after.
type aim int

const (
	// toTake: the most cash that nothing backs, whatever debt stays behind.
	toTake aim = iota
	// toRepeat: the most of it that the books do not know of, so that the account
	// goes on as if nothing had been.
	toRepeat
	// toFloat: the most amount-days of cash that the books come to know of late; in
	// the end all of it stands there as a debt.
	toFloat
	aims
)

// result is what one search found.
type result struct {
	game       *game
	gain       [aims]int64
	moves      [aims][]Move
	strategies uint64
	positions  int
}

// attack looks through every strategy within the bounds, for all aims at once,
// but for toFloat only if asked to.
func attack(ctx context.Context, d design.Design, b Bounds, withFloat bool) (*result, error) {
	s := &search{game: newGame(b), ctx: ctx, withFloat: withFloat, seen: make(map[string]*node)}
	start, err := s.start(d)
	if err != nil {
		return nil, err
	}
	root, err := s.visit(start)
	if err != nil {
		return nil, err
	}
	r := &result{game: s.game, strategies: root.strategies, positions: s.positions}
	for a := range aims {
		if a == toFloat && !withFloat || !root.best[a].reachable {
			continue
		}
		r.gain[a] = root.best[a].gain
		if r.moves[a], err = s.follow(d, root, a); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// search goes through the tree of all that the customer can do, depth first. It
// is exhaustive: nothing is left out because it does not look promising.
// Positions that cannot differ in what follows are looked at once (see stater).
type search struct {
	*game
	ctx       context.Context
	withFloat bool // positions differ then also in what was taken before them
	seen      map[string]*node
	positions int
	key       design.State
}

// maxPositions bounds the memory and the time of one search.
const maxPositions = 1_000_000

// node is a position of which all that can follow is known.
type node struct {
	best   [aims]outcome
	option [aims]int // to take; one past the moves is to wait
	next   [aims]*node
	// strategies is how many there are from here on. A strategy is its moves.
	strategies uint64
}

// outcome is what the rest of a strategy brings.
type outcome struct {
	reachable bool
	gain      int64
	moves     int
	days      int // of the moves, counted from the start and added up
}

// better prefers more gain, then fewer moves, then earlier ones.
func (o outcome) better(than outcome) bool {
	switch {
	case !o.reachable || !than.reachable:
		return o.reachable
	case o.gain != than.gain:
		return o.gain > than.gain
	case o.moves != than.moves:
		return o.moves < than.moves
	}
	return o.days < than.days
}

// step is what one option brings before what follows it.
type step struct {
	option     int
	cash       int64 // less entitlement that was forgotten
	amountDays int64 // of float
	moves      int
	days       int
}

// consider takes an option into account that leads on to another node.
func (n *node) consider(taken step, next *node) {
	n.strategies = addUpTo(n.strategies, next.strategies)
	for a := range aims {
		o := next.best[a]
		if a == toFloat {
			o.gain += taken.amountDays
		} else {
			o.gain += taken.cash
		}
		o.moves += taken.moves
		o.days += taken.days
		if o.better(n.best[a]) {
			n.best[a], n.option[a], n.next[a] = o, taken.option, next
		}
	}
}

// addUpTo adds, and stays at the largest number rather than wrap.
func addUpTo(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// visit returns the node of a position, and uses the position up.
func (s *search) visit(p *position) (*node, error) {
	key, mergeable := s.keyOf(p)
	if mergeable {
		if n := s.seen[key]; n != nil {
			return n, nil
		}
	}
	if err := s.count(); err != nil {
		return nil, err
	}
	n := new(node)
	options := s.options(p)
	for i, o := range options {
		q := p.clone()
		if err := s.play(q, o); err != nil {
			return nil, err
		}
		taken := step{option: i, cash: q.ahead - p.ahead, moves: 1, days: p.day}
		next, err := s.visit(q)
		if err != nil {
			return nil, err
		}
		n.consider(taken, next)
	}
	if err := s.wait(n, len(options), p); err != nil {
		return nil, err
	}
	if mergeable {
		s.seen[key] = n
	}
	return n, nil
}

// count counts a position, and ends a search that has no end in sight or that
// nobody waits for any more.
func (s *search) count() error {
	s.positions++
	if s.positions > maxPositions {
		return fmt.Errorf("lab: more than %d positions: expected narrower bounds", maxPositions)
	}
	if s.positions%1024 == 0 {
		return s.ctx.Err()
	}
	return nil
}

// play makes a move and forgets what does not matter after it.
func (s *search) play(p *position, m Move) error {
	err := p.play(m)
	s.forget(p)
	return err
}

// pass lets time pass until the next acting day, or to the end, and returns the
// amount-days of float that this brings.
func (s *search) pass(p *position) (amountDays int64, err error) {
	for _, stop := range s.calendar[p.day].until {
		amountDays += max(0, s.unrecorded(p)) * stop.days
		if err := p.moveTo(stop); err != nil {
			return 0, err
		}
	}
	if p.day++; p.day < len(s.calendar) {
		s.forget(p)
	}
	return amountDays, nil
}

// wait considers to let the day pass. Who has waited after the last day has
// walked away.
func (s *search) wait(n *node, option int, p *position) error {
	before := p.ahead
	amountDays, err := s.pass(p)
	if err != nil {
		return err
	}
	taken := step{option: option, cash: p.ahead - before, amountDays: amountDays}
	if p.day == len(s.calendar) {
		n.consider(taken, s.end(p))
		return nil
	}
	next, err := s.visit(p)
	if err != nil {
		return err
	}
	n.consider(taken, next)
	return nil
}

// end is the node after which nothing follows.
func (s *search) end(p *position) *node {
	left := -s.entitlement(p)
	n := &node{strategies: 1}
	n.best[toTake] = outcome{reachable: true, gain: left}
	n.best[toRepeat] = outcome{reachable: true, gain: left - p.debt()}
	n.best[toFloat] = outcome{reachable: p.debt() > 0 && s.unrecorded(p) == 0}
	return n
}

// keyOf is the same for positions that go on alike. That cannot be told of every
// issuer.
func (s *search) keyOf(p *position) (key string, ok bool) {
	from, ok := p.issuer.(design.Stater)
	if !ok || s.bounds.Unmerged {
		return "", false
	}
	k := s.key[:0]
	k.Add(int64(p.day), int64(p.bought))
	if s.bounds.MovesPerCycle > 0 {
		k.Add(int64(p.moves))
	}
	if s.withFloat {
		k.Add(p.ahead)
	}
	var open []string
	for _, h := range p.holdings {
		k.Add(int64(h.day), h.amount, h.returned)
		if s.returnable(h, p.day) {
			open = append(open, purchaseID(h.purchase))
		}
	}
	k.Add(int64(len(open)))
	s.key = from.AppendState(k, attacker, open)
	return string(s.key), true
}

// follow takes the best options for an aim from the start, and returns the moves.
func (s *search) follow(d design.Design, n *node, a aim) (moves []Move, err error) {
	p, err := s.start(d)
	if err != nil {
		return nil, err
	}
	for ; p.day < len(s.calendar); n = n.next[a] {
		options := s.options(p)
		if n.option[a] == len(options) {
			_, err = s.pass(p)
		} else {
			moves = append(moves, options[n.option[a]])
			err = s.play(p, options[n.option[a]])
		}
		if err != nil {
			return nil, err
		}
	}
	return moves, nil
}
