package reward

// wholly has all spend of a period earn the rate of the highest step that it
// reaches: f_i = ⌊r(S) · q_i⌋.
type wholly struct {
	notABonus
	steps []Step
}

func wholeSteps(r *Rule) element {
	if len(r.Steps) == 0 || !r.Whole {
		return nil
	}
	return wholly{steps: r.Steps}
}

// rate is r: of the highest step that a spend reaches.
func (w wholly) rate(spend int64) Fraction {
	at := stepped{steps: w.steps}.stepAt(spend)
	return fraction(w.steps[at].Rate, w.steps[at].Exact)
}

func (w wholly) share(_ tally, own entry, all tally) int64 { return w.rate(all.spend).of(own.q) }

func (w wholly) asLast(own entry, all tally, _ int64) int64 {
	return w.rate(all.spend + own.q).of(own.q)
}

func (w wholly) promised(all *exactly) uint128 {
	spend := all.spend
	return w.rate(spend).times(spend, all.scale)
}

func (w wholly) binds(all *exactly) bool {
	return len(w.steps) > 1 && all.spend >= w.steps[1].From
}

func (w wholly) rates(all tally) (list []Fraction, at int) {
	for _, step := range w.steps {
		list = append(list, fraction(step.Rate, step.Exact))
	}
	return list, stepped{steps: w.steps}.stepAt(all.spend)
}
