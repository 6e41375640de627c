package foreign

import (
	"cmp"
	"slices"
	"time"
	_ "time/tzdata" // the zones of the designs must be there on every machine
)

// cedarTariff is what categories earn: so much for every `of` of spend.
type cedarTariff struct {
	of    int64
	whole bool // only full units of `of` earn
	rest  int64
	per   map[string]int64
}

func (t *cedarTariff) rate(category string) int64 {
	if per, ok := t.per[category]; ok {
		return per
	}
	return t.rest
}

// earns is the reward of a purchase by itself, rounded down.
func (t *cedarTariff) earns(category string, left int64) int64 {
	if t.whole {
		return left / t.of * t.rate(category)
	}
	return left * t.rate(category) / t.of
}

// cedarPart is something that returns without a purchase's name may be of: what must come
// back for it to be lost, and the reward that is lost, in parts of 1/of.
type cedarPart struct{ cost, loss int64 }

// parts are what is left of the purchases. Where only full units earn, the first of each
// purchase may be lost for a single minor unit, so it is a part of its own.
func (t *cedarTariff) parts(a *cedarAccount) []cedarPart {
	var out []cedarPart
	for _, p := range a.purchases {
		left, rate := a.left(p), t.rate(p.category)
		switch units := left / t.of; {
		case !t.whole && left > 0:
			out = append(out, cedarPart{left, left * rate})
		case t.whole && units > 0:
			out = append(out, cedarPart{left%t.of + 1, t.of * rate})
			if units > 1 {
				out = append(out, cedarPart{(units - 1) * t.of, (units - 1) * t.of * rate})
			}
		}
	}
	return out
}

// worst is the most that returns without a purchase's name can have cost: they are taken
// to be of what loses most, as if no cap had cut it, and each to have crossed a rounding
// step, which parts of full units have in them. Purchases of any date count, since a refund may arrive before what it is of.
func (t *cedarTariff) worst(a *cedarAccount, loose []*cedarReturn) int64 {
	var amount, sum int64
	for _, r := range loose {
		amount += r.amount
	}
	if amount == 0 {
		return 0
	}
	parts := t.parts(a)
	slices.SortStableFunc(parts, func(x, y cedarPart) int { return cmp.Compare(y.loss*x.cost, x.loss*y.cost) })
	for _, p := range parts {
		if p.cost >= amount {
			sum += (p.loss*amount + p.cost - 1) / p.cost
			break
		}
		sum += p.loss
		amount -= p.cost
	}
	sum = (sum + t.of - 1) / t.of
	if !t.whole {
		sum += int64(len(loose))
	}
	return sum
}

// cedarZone is a zone that is known to be there.
func cedarZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// cedarMonthly is the first instant after the given one that is on that day of a month, at
// that hour, in the zone.
func cedarMonthly(after time.Time, zone *time.Location, day, hour int) time.Time {
	l := after.In(zone)
	at := time.Date(l.Year(), l.Month(), day, hour, 0, 0, 0, zone)
	if !at.After(after) {
		at = time.Date(l.Year(), l.Month()+1, day, hour, 0, 0, 0, zone)
	}
	return at
}

// cedarMonth numbers months, as they are in the zone.
func cedarMonth(t time.Time, zone *time.Location) int {
	l := t.In(zone)
	return l.Year()*12 + int(l.Month()) - 1
}

// cedarMonthStart is the first instant of a numbered month.
func cedarMonthStart(month int, zone *time.Location) time.Time {
	return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, zone)
}
