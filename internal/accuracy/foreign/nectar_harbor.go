package foreign

import "time"

// nectarHarbor is a bank's card: a purchase whose reward changes is reversed and granted anew.
type nectarHarbor struct{}

var nectarHarborZone = nectarZone("America/New_York")

var nectarHarborDesign = Design{
	Name:   "nectar-harbor",
	Source: "After the public rules of American cash back cards with capped quarterly categories and a welcome offer (Discover it, Chase Freedom Flex); from memory.",
	Published: "1% on everything, and 4% more on GROCERY and DINING up to $60 of it in a calendar quarter. $150 once you have spent $3,000, credited with the next statement (20th). " +
		"Rewards appear at once and can be redeemed when the purchase is 30 days old. A return takes what it earned. Limits that a return frees are used for your other purchases of the quarter with the next statement. " +
		"A return that we cannot match costs the most that it may have earned until we can. We may credit or correct by hand.",
	How: "Rows name the purchase. At a return that purchase's reward is reversed whole and granted anew on what is left; other purchases that the limit had cut get the freed room at the statement of the 20th, with its date. " +
		"A return that comes before its purchase, or names none, costs at once the best rate and the welcome offer where it could be lost; when the purchase clears the difference is given back. " +
		"No redemption is paid but of what purchases of 30 days and more are sure to earn.",
	Class:    "robust",
	Currency: "USD",
	New:      nectarNew(nectarHarbor{}),
}

func (nectarHarbor) gestures(n uint32) []nectarGesture {
	switch n % 4 {
	case 0:
		return []nectarGesture{{45, 2500, "Courtesy credit"}}
	case 1:
		return []nectarGesture{{80, -1275, "Posting error corrected"}, {83, 1275, "Posting error corrected"}, {260, 1000, "Courtesy credit"}}
	case 2:
		return []nectarGesture{{150, -300, "Duplicate courtesy credit corrected"}}
	}
	return nil
}

func (nectarHarbor) next(after time.Time) time.Time {
	return nectarMonthly(after, nectarHarborZone, 20, 22)
}

// nectarCash is what a view is worth by purchase, the welcome offer, and the least of all.
type nectarCash struct {
	purchases      map[string]int64
	welcome, least int64
}

// cash goes through purchases as they were delivered, which is how the limit is used.
func (nectarHarbor) cash(v nectarView) nectarCash {
	c := nectarCash{purchases: map[string]int64{}}
	used := map[int]int64{}
	var parts []nectarPart
	var sum, spend int64
	for _, p := range v.purchases {
		earned, rate := p.left()/100, int64(100)
		if p.category == "GROCERY" || p.category == "DINING" {
			q := nectarMonth(p.at, nectarHarborZone) / 3
			more := min(p.left()*4/100, 6000-used[q])
			used[q] += more
			earned += more
			rate = 500
		}
		c.purchases[p.id] = earned
		sum += earned
		spend += p.left()
		parts = append(parts, nectarPart{p.left(), rate})
	}
	low := sum - v.worst(parts, 2)
	if spend >= 300000 {
		c.welcome = 15000
		if spend-v.unnamed >= 300000 {
			low += c.welcome
		}
	}
	c.least = max(0, low)
	return c
}

func (c nectarCash) all() int64 {
	sum := c.welcome
	for _, w := range c.purchases {
		sum += w
	}
	return sum
}

func (s nectarHarbor) sure(a *nectarAccount, at time.Time) int64 {
	return s.cash(a.view(at.AddDate(0, 0, -30))).least
}
