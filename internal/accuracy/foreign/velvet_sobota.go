package foreign

import "time"

var velvetSobota = Design{
	Name: "velvet-sobota",
	Source: "after Polish and other cards with a weekend promotion (mBank, Millennium, Santander's weekend moneyback), as their public " +
		"rules say, from memory",
	Published: "4 % moneyback on what is bought on a Saturday or Sunday (Warsaw), 1 % on other days, rounded down a purchase. Booked when " +
		"the purchase clears, and payable at once. For a return, the moneyback of what came back is taken back; what was paid out " +
		"already is owed.",
	How: "A return is a purchase with a minus sign: it goes through the same rate table, by the day of the return, and " +
		"never takes more than its purchase still has. So what was bought on a Saturday and comes back on a Monday loses " +
		"1 % and keeps 3 %. Rows name the purchase, or the refund, never both.",
	Class: "other",
	Leak: "2,000 zł on a Saturday earn 80 zł. Brought back on Monday, 20 zł are taken: 60 zł stay for having bought nothing, " +
		"every week again.",
	Currency: "PLN",
	New: velvetNew(func(a *velvetAccount) velvetProgram {
		return &velvetSobotaBooks{a: a, taken: map[*velvetPurchase]int64{}}
	}),
}

var velvetWarsaw = velvetZone("Europe/Warsaw")

// velvetSobotaRate is the rate of a day.
func velvetSobotaRate(at time.Time) int64 {
	switch at.In(velvetWarsaw).Weekday() {
	case time.Saturday, time.Sunday:
		return 40_000
	}
	return 10_000
}

// velvetSobotaBooks remembers of each purchase what returns took, in millionths, so that
// many small returns take no less than a large one.
type velvetSobotaBooks struct {
	velvetAtOnce
	velvetOnRequest
	a     *velvetAccount
	taken map[*velvetPurchase]int64
}

func (s *velvetSobotaBooks) bought(p *velvetPurchase) {
	s.level(p, p.id, "")
	s.charge()
}

func (s *velvetSobotaBooks) returned(r *velvetReturn) {
	x := s.a.count(r)
	if p := r.of; p != nil {
		// The flaw: the rate of today, not that at which it was earned.
		s.taken[p] += x * velvetSobotaRate(r.at)
		s.level(p, "", r.id)
	}
	s.charge()
}

// level brings a purchase's moneyback to what returns have left of it.
func (s *velvetSobotaBooks) level(p *velvetPurchase, purchase, refund string) {
	cash := max(0, p.amount*velvetSobotaRate(p.at)-s.taken[p]) / velvetMillion
	s.a.bookChange(cash-p.booked, purchase, refund, "moneyback")
	p.booked = cash
}

// charge puts unnamed returns through the same table, as far as there are purchases that
// they may be of.
func (s *velvetSobotaBooks) charge() {
	var all int64
	for _, p := range s.a.purchases {
		all += p.booked
	}
	s.a.chargeUnnamed(velvetSuspicion{cost: func(r *velvetReturn, _ *velvetPurchase, part int64) int64 {
		return velvetShareUp(part, velvetSobotaRate(r.at))
	}}, all)
}
