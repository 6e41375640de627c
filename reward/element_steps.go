package reward

// stepped has spend beyond each step earn that step's rate: f_i = ⌊Φ(S_i) − Φ(S_i−1)⌋.
type stepped struct {
	notABonus
	steps []Step
	scale int64 // of their rates
}

func steps(r *Rule) element {
	if len(r.Steps) == 0 {
		return nil
	}
	return stepped{steps: r.Steps, scale: (&Program{Layers: []Layer{{Rules: []Rule{*r}}}}).scaled(rateScale)}
}

// phi is Φ: what a spend earns, each part of it at the rate of its step.
func (s stepped) phi(spend, scale int64) uint128 {
	var sum uint128
	for i, step := range s.steps {
		if spend <= step.From {
			break
		}
		end := spend
		if i+1 < len(s.steps) {
			end = min(end, s.steps[i+1].From)
		}
		sum = sum.add(fraction(step.Rate, step.Exact).times(end-step.From, scale))
	}
	return sum
}

func (s stepped) share(before tally, own entry, _ tally) int64 {
	if at := s.stepAt(before.spend); at+1 == len(s.steps) || before.spend+own.q <= s.steps[at+1].From {
		return fraction(s.steps[at].Rate, s.steps[at].Exact).of(own.q)
	}
	return s.phi(before.spend+own.q, s.scale).sub(s.phi(before.spend, s.scale)).quo(s.scale)
}

// stepAt is the step that what is spent next begins in.
func (s stepped) stepAt(spend int64) (at int) {
	for at+1 < len(s.steps) && s.steps[at+1].From <= spend {
		at++
	}
	return at
}

func (s stepped) asLast(own entry, all tally, _ int64) int64 { return s.share(all, own, all) }

func (s stepped) promised(all *exactly) uint128 { return s.phi(all.spend, all.scale) }

func (s stepped) binds(all *exactly) bool {
	return len(s.steps) > 1 && all.spend > s.steps[1].From
}

func (s stepped) edges() (list []boundary) {
	for _, step := range s.steps[1:] {
		list = append(list, boundary{func(t tally) int64 { return t.spend }, step.From})
	}
	return list
}
