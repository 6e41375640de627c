package reward

import "strings"

// PaidInBonuses is what of an account's net reward is of bonuses, in minor units: the
// rest is of purchases.
func (a *Account) PaidInBonuses() (sum int64) {
	a.readAll()
	for _, b := range a.baskets {
		if b.bonus != nil {
			sum += b.used
		}
	}
	return sum
}

// BonusesNow are the bonuses of the version in force, in file order, each of the period
// that the account's time is in: how far it is.
func (a *Account) BonusesNow() []BonusState {
	p := a.newest.In(a.newest.CycleAt(a.now))
	list := make([]BonusState, 0, len(p.Bonuses))
	for i := range p.Bonuses {
		list = append(list, a.basketOfBonus(p, i, a.now).state())
	}
	return list
}

// BonusParts begins the ids of the parts of kind BucketPart that are bonuses, by their
// ids.
const BonusParts = string(ofBonus) + "/"

// BonusIn is what a part says of a bonus, as the account has it at hand if it does; ok
// is false if the part is of none, or nothing counts for it and nothing was paid.
func (a *Account) BonusIn(p Part) (s BonusState, ok bool) {
	rest, is := strings.CutPrefix(p.ID, BonusParts)
	if p.Kind != BucketPart || !is {
		return s, false
	}
	for _, b := range a.baskets {
		if b.bonus != nil && b.key().id() == p.ID {
			return b.state(), b.present.count > 0 || b.used != 0
		}
	}
	r := a.reader(BucketPart, p.ID, p.Data)
	s.Purchases, s.Spend = r.int(), r.int()
	r.int() // of bonuses nothing is rounded
	s.Reward = r.int()
	named := strings.LastIndexByte(rest, '/')
	per := strings.LastIndexByte(rest[:max(named, 0)], '/')
	if per < 0 {
		r.fail("its id names no period")
	}
	s.Bonus, s.Period = rest[:per], rest[named+1:]
	return s, s.Purchases > 0 || s.Reward != 0
}

func (b *basket) state() BonusState {
	return BonusState{b.name, b.periodName(), b.present.spend, b.present.count, b.used}
}
