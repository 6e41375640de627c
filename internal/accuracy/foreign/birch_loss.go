package foreign

import "sort"

// loss is the most that could be lost if loose had been returned of any of the purchases,
// of one or of many at once; never less, sometimes more. Limits are left out: they can only
// make a loss smaller.
func (t *birchTerms) loss(ps []*birchPurchase, loose, worth int64) (sum int64) {
	for _, layer := range t.layers {
		var s birchSlack
		for _, p := range ps {
			if i := birchFirst(layer, p); i >= 0 && layer[i].alone(p.left) > 0 {
				r := &layer[i]
				if r.unit > 1 {
					s.add(p.left%r.unit, r.unit*r.num/r.den, r.num, r.den)
				} else {
					s.add(p.left*r.num%r.den/r.num, 1, r.num, r.den)
				}
			}
		}
		sum += s.most(loose)
	}
	for i, e := range t.every {
		var s birchSlack
		for _, kept := range t.spent(i, ps) {
			if n := min(e.atMost, kept/e.spend); n > 0 {
				s.add(kept-n*e.spend, e.reward, e.reward, e.spend)
			}
		}
		sum += s.most(loose)
	}
	return min(sum, worth)
}

// birchSlack is how much can be taken from each purchase before it loses anything. A return
// of x beyond such a slack k loses no more than jump + rate · (x − k): a full jump at once,
// and then the rate.
type birchSlack struct {
	slack          []int64
	jump, num, den int64 // the greatest of all
}

func (s *birchSlack) add(slack, jump, num, den int64) {
	s.slack = append(s.slack, slack)
	s.jump = max(s.jump, jump)
	if s.den == 0 || num*s.den > s.num*den {
		s.num, s.den = num, den
	}
}

// most is the greatest loss: the highest rate on all of it, and the jumps of those that are
// nearest to losing one, as many as it suffices for.
func (s *birchSlack) most(loose int64) int64 {
	if s.den == 0 || loose <= 0 {
		return 0
	}
	sort.Slice(s.slack, func(i, j int) bool { return s.slack[i] < s.slack[j] })
	total, rest := s.num*loose, loose
	for _, k := range s.slack {
		gain := s.jump*s.den - s.num*k
		if gain <= 0 || k+1 > rest {
			break
		}
		total += gain
		rest -= k + 1
	}
	return (total + s.den - 1) / s.den
}
