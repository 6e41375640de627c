package foreign

import (
	"slices"
	"time"
)

// birchRule is a rate of some categories (of all, if it names none): num for each den of
// spend, counted in full units.
type birchRule struct {
	categories     []string
	num, den, unit int64
	limit          int64  // the most that the rule earns in a period; 0: no limit
	places         int    // how many purchases of a period earn; 0: all
	per, pool      string // the period of the limit, and a name that rules share one under
}

// birchEvery is so much for every full amount of spend in a period.
type birchEvery struct {
	categories            []string
	spend, reward, atMost int64
	per                   string
}

// birchTerms is what a program promises, as a function of what is left of purchases: what
// was once granted plays no part, so nothing that was returned can go on earning.
type birchTerms struct {
	zone   *time.Location
	day    int // the day of the month on which a cycle begins
	layers [][]birchRule
	every  []birchEvery
}

// birchBasket is what counts together: a limit's or bonus's purchases of one period.
type birchBasket struct {
	layer, rule int
	pool        string
	period      int64
}

// start is the first instant of the period in which t lies.
func (t *birchTerms) start(per string, at time.Time) time.Time {
	l := at.In(t.zone)
	y, m, d := l.Date()
	switch per {
	case "cycle":
		if d < t.day {
			m--
		}
		return time.Date(y, m, t.day, 0, 0, 0, 0, t.zone)
	case "quarter":
		return time.Date(y, m-(m-1)%3, 1, 0, 0, 0, 0, t.zone)
	case "year":
		return time.Date(y, 1, 1, 0, 0, 0, 0, t.zone)
	}
	return time.Date(y, m, 1, 0, 0, 0, 0, t.zone)
}

func (r *birchRule) alone(left int64) int64 { return (left - left%r.unit) * r.num / r.den }

func birchMatch(categories []string, p *birchPurchase) bool {
	return len(categories) == 0 || slices.Contains(categories, p.category)
}

// birchFirst is the first rule of a layer that matches.
func birchFirst(layer []birchRule, p *birchPurchase) int {
	return slices.IndexFunc(layer, func(r birchRule) bool { return birchMatch(r.categories, p) })
}

// level sets every purchase's share and returns what all are worth together, bonuses too.
func (t *birchTerms) level(ps []*birchPurchase) (worth int64) {
	used, places := map[birchBasket]int64{}, map[birchBasket]int{}
	for _, p := range ps {
		p.share = 0
		for l, layer := range t.layers {
			i := birchFirst(layer, p)
			if i < 0 {
				continue
			}
			r := &layer[i]
			gain := r.alone(p.left)
			if r.limit == 0 && r.places == 0 {
				p.share += gain
				continue
			}
			b := birchBasket{l, i, r.pool, t.start(r.per, p.at).Unix()}
			if r.pool != "" {
				b.layer, b.rule = 0, 0
			}
			if r.places > 0 && p.left >= r.unit {
				if places[b]++; places[b] > r.places {
					gain = 0
				}
			}
			if r.limit > 0 {
				gain = min(gain, r.limit-used[b])
			}
			used[b] += gain
			p.share += gain
		}
		worth += p.share
	}
	for i := range t.every {
		for _, s := range t.spent(i, ps) {
			worth += t.every[i].reward * min(t.every[i].atMost, s/t.every[i].spend)
		}
	}
	return worth
}

// spent is what was kept in each period of a bonus, by the period's first second.
func (t *birchTerms) spent(i int, ps []*birchPurchase) map[int64]int64 {
	sums := map[int64]int64{}
	for _, p := range ps {
		if birchMatch(t.every[i].categories, p) {
			sums[t.start(t.every[i].per, p.at).Unix()] += p.left
		}
	}
	return sums
}
