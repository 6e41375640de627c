package attack

import (
	"context"
	"slices"

	"recoup/internal/lab/design"
	"recoup/internal/lab/walk"
	"recoup/reward"
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

// maxPositions bounds the memory and the time of one search.
const maxPositions = 1_000_000

// attack looks through every strategy within the bounds, for all aims at once,
// but for toFloat only if asked to. Among those of equal gain it prefers fewer moves,
// then earlier ones.
func attack(ctx context.Context, d design.Design, b Bounds, withFloat bool) (*result, error) {
	s := &search{game: newGame(b), withFloat: withFloat}
	start, err := s.start(d)
	if err != nil {
		return nil, err
	}
	w := walk.Walk[*position]{Space: s, Aims: int(aims), Most: maxPositions}
	root, err := w.From(ctx, start)
	if err != nil {
		return nil, err
	}
	r := &result{game: s.game, strategies: root.Ways, positions: w.Looked}
	for a := range aims {
		weight, steps, reachable := root.Best(int(a))
		if a == toFloat && !withFloat || !reachable {
			continue
		}
		r.gain[a] = -weight[0]
		if r.moves[a], err = s.follow(d, steps); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// search is the space of all that the customer can do. Positions that cannot differ
// in what follows are one place of it (see design.Stater).
type search struct {
	*game
	withFloat bool // positions differ then also in what was taken before them
	key       design.State
}

var _ walk.Space[*position] = (*search)(nil)

// Steps implements walk.Space: to make one of the moves, or to let the day pass. Who has
// waited after the last day has walked away. What a step weighs is what it brings, below
// zero, how many moves it is, and on which day.
func (s *search) Steps(p *position, take func(*position, walk.Step) error) error {
	for _, o := range s.options(p) {
		q := p.clone()
		if err := s.play(q, o); err != nil {
			return err
		}
		if err := take(q, s.step(q.ahead-p.ahead, 0, walk.Weight{1: 1, 2: int64(p.day)})); err != nil {
			return err
		}
	}
	before := p.ahead
	amountDays, err := s.pass(p)
	if err != nil {
		return err
	}
	taken := s.step(p.ahead-before, amountDays, walk.Weight{})
	if p.day == len(s.calendar) {
		s.end(p, &taken)
	}
	return take(p, taken)
}

// step weighs what brings cash, less entitlement that was forgotten, and amount-days of
// float.
func (s *search) step(cash, amountDays int64, moves walk.Weight) walk.Step {
	weights := slices.Repeat([]walk.Weight{moves}, int(aims))
	weights[toTake][0], weights[toRepeat][0], weights[toFloat][0] = -cash, -cash, -amountDays
	return walk.Step{Weights: weights}
}

// end makes a step the last one: what is kept is paid for, and a debt may stay behind.
func (s *search) end(p *position, last *walk.Step) {
	kept := s.entitlement(p)
	last.Weights[toTake][0] += kept
	last.Weights[toRepeat][0] += kept + p.debt()
	last.Ends = []bool{toTake: true, toRepeat: true, toFloat: p.debt() > 0 && s.unrecorded(p) == 0}
}

// play makes a move and forgets what does not matter after it.
func (s *search) play(p *position, m Move) error {
	err := s.move(p, m)
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

// Key implements walk.Space. That positions go on alike cannot be told of every issuer.
func (s *search) Key(p *position) (key string, ok bool) {
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
		k.Add(int64(h.day), int64(h.offer), h.amount, h.returned, int64(h.back))
		if s.returnable(h, p.day) {
			open = append(open, purchaseID(h.purchase))
		}
	}
	for _, f := range p.coming {
		k.Add(-1, f.at.Unix(), int64(p.purchases-f.purchase), int64(f.offer), f.amount)
		for _, item := range f.items {
			k = append(k, item.ID...)
		}
		if id := purchaseID(f.purchase); f.refund != "" && !slices.Contains(open, id) {
			open = append(open, id)
		}
	}
	for _, u := range p.uses { // of one cycle they are one
		k.Add(-2, int64(s.program.CycleAt(reward.At(s.calendar[u.day].at))), u.amount)
	}
	k.Add(int64(len(open)))
	s.key = from.AppendState(k, attacker, open)
	return string(s.key), true
}

// follow takes steps from the start, and returns the moves among them.
func (s *search) follow(d design.Design, steps []int) (moves []Move, err error) {
	p, err := s.start(d)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if options := s.options(p); step < len(options) {
			moves = append(moves, options[step])
			err = s.play(p, options[step])
		} else {
			_, err = s.pass(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return moves, nil
}
