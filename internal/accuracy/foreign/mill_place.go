package foreign

import (
	"sort"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// millPart is what of a purchase is held to have come back without a name.
type millPart struct {
	of     *millPurchase
	amount int64
}

// millPlace lays the returns without a name where they cost most: on the purchases that
// earn most per unit, of which each has the room given. A return is of one purchase at
// most millGrace younger than itself; it is rounded up to whole units, since it may break
// one. The oldest return that may be of a purchase is laid on it first, so that younger
// ones stay free for younger purchases: no other way of laying them costs more.
func millPlace(a *millAccount, unit int64, earns, room func(*millPurchase) int64) []millPart {
	if len(a.loose) == 0 {
		return nil
	}
	money := make([]int64, len(a.loose))
	for i, r := range a.loose {
		money[i] = millUp(r.amount, unit)
	}
	dearest := append([]*millPurchase(nil), a.bought...)
	sort.SliceStable(dearest, func(i, j int) bool { return earns(dearest[i]) > earns(dearest[j]) })
	var parts []millPart
	for _, p := range dearest {
		free := room(p)
		first := sort.Search(len(a.loose), func(i int) bool { return !a.loose[i].at.Add(millGrace).Before(p.at) })
		for i := first; i < len(money) && free > 0; i++ {
			if take := min(free, money[i]); take > 0 {
				parts = append(parts, millPart{p, take})
				money[i] -= take
				free -= take
			}
		}
	}
	return parts
}

// millUp rounds up to a multiple of unit, millDown down to one.
func millUp(x, unit int64) int64   { return (x + unit - 1) / unit * unit }
func millDown(x, unit int64) int64 { return x / unit * unit }

// millZone is a zone by its IANA name.
func millZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // time/tzdata has them all
	}
	return zone
}

// millMonth numbers the months of a zone's calendar; millMonthStart is a month's first instant.
func millMonth(t time.Time, zone *time.Location) int {
	l := t.In(zone)
	return l.Year()*12 + int(l.Month()) - 1
}

func millMonthStart(month int, zone *time.Location) time.Time {
	return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, zone)
}
